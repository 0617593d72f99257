//! Names that are probably two spellings of one class.
//!
//! Two names are similar if they differ in case only, or by one slip (a letter changed, added, left
//! out, or two neighbours swapped) inside a word. Numbers and the ends of words distinguish classes
//! on purpose (`A1`, `A2`; `leaf`, `leaves`), so differences there do not count.

use super::{Lint, LintKind};
use crate::label::LabelId;
use crate::program::Program;
use crate::rule::RuleId;
use std::collections::HashMap;

/// The fewest characters of a name in which a slip is looked for.
const LETTERS: usize = 6;

/// The classes whose names are similar to that of a class used earlier, each with the first rule
/// that uses it. Looks at every name once.
///
/// ```
/// use rulebound_core::{Program, similar_names};
/// let program: Program = "liver -> abdominal\nlung, not abdomnal -> chest".parse()?;
/// let lints = similar_names(&program);
/// assert_eq!(program.span(lints[0].rule).line, 2);
/// # Ok::<(), rulebound_core::RuleErrors>(())
/// ```
pub fn similar_names(program: &Program) -> Vec<Lint> {
    let uses = first_uses(program);
    let mut used: Vec<(RuleId, LabelId)> =
        program.labels().ids().filter_map(|label| Some((uses[label.index()]?, label))).collect();
    used.sort_unstable();
    let mut by_case: HashMap<String, LabelId> = HashMap::new();
    let mut by_slip: HashMap<String, Vec<LabelId>> = HashMap::new();
    let mut lints = Vec::new();
    for (rule, label) in used {
        let folded = program.labels().name(label).to_lowercase();
        let near =
            |other: &LabelId| is_slip(&program.labels().name(*other).to_lowercase(), &folded);
        let shortened = shortened(&folded);
        let same = by_case.get(&folded).copied();
        let slip = || {
            shortened.iter().flat_map(|key| by_slip.get(key)).flatten().copied().find(|o| near(o))
        };
        if let Some(to) = same.or_else(slip) {
            lints.push(Lint { rule, kind: LintKind::SimilarName { label, to } });
        }
        by_case.entry(folded).or_insert(label);
        for key in shortened {
            by_slip.entry(key).or_default().push(label);
        }
    }
    lints
}

/// The first rule that uses each class.
fn first_uses(program: &Program) -> Vec<Option<RuleId>> {
    let mut uses = vec![None; program.labels().len()];
    for id in program.rule_ids() {
        let rule = program.rule(id);
        let body = rule.body().iter().map(|literal| literal.label());
        for label in body.chain([rule.head()]) {
            uses[label.index()].get_or_insert(id);
        }
    }
    uses
}

/// The name, and the name without each of its letters: two names one slip apart share one of them.
fn shortened(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().collect();
    // Names that are longer than this are sentences.
    if characters.len() < LETTERS || characters.len() > 100 {
        return Vec::new();
    }
    let without =
        |at: usize| characters[..at].iter().chain(&characters[at + 1..]).collect::<String>();
    let letters = (0..characters.len()).filter(|&at| characters[at].is_alphabetic());
    let mut keys: Vec<String> = letters.map(without).collect();
    keys.push(name.to_owned());
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Whether two names differ by one slip inside a word.
fn is_slip(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let start = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let (a_rest, b_rest) = (&a[start..], &b[start..]);
    let end = a_rest.iter().rev().zip(b_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a_odd, b_odd) = (&a_rest[..a_rest.len() - end], &b_rest[..b_rest.len() - end]);
    let one_slip = match (a_odd, b_odd) {
        ([_], [_]) | ([_], []) | ([], [_]) => true,
        ([one, other], [other_there, one_there]) => one == one_there && other == other_there,
        _ => false,
    };
    let letters = a_odd.iter().chain(b_odd).all(|c| c.is_alphabetic());
    let inside =
        start > 0 && end > 0 && a[start - 1].is_alphabetic() && a[a.len() - end].is_alphabetic();
    one_slip && letters && inside
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        let program: Program = text.parse().unwrap();
        let name = |label| program.labels().name(label).to_owned();
        similar_names(&program)
            .into_iter()
            .map(|lint| match lint.kind {
                LintKind::SimilarName { label, to } => (name(label), name(to)),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn case_and_slips_are_found() {
        let pair = |a: &str, b: &str| vec![(a.to_owned(), b.to_owned())];
        assert_eq!(pairs("a -> b\nA -> c"), pair("A", "a"));
        let long = "gastrointestinal -> b\nx, not gastrointestnal -> c";
        assert_eq!(pairs(long), pair("gastrointestnal", "gastrointestinal"));
        assert_eq!(pairs("abdomen -> b\nabdoemn -> c"), pair("abdoemn", "abdomen"));
        assert_eq!(pairs("abdomen -> b\nabdumen -> c"), pair("abdumen", "abdomen"));
    }

    #[test]
    fn numbers_ends_and_short_names_distinguish() {
        for text in [
            "GO:0008150 -> GO:0008151",
            "label_a -> label_b",
            "class_1_x -> class_2_x",
            "from -> form",
            "leaves -> leave",
            "male -> female",
            "left_x_lung -> left_y_lung",
            "upperAbdomen -> lowerAbdomen",
        ] {
            assert_eq!(pairs(text), [], "{text}");
        }
    }
}
