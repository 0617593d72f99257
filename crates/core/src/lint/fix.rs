//! A text of rules without what is superfluous in it.

use super::deep::superfluous;
use super::following::Following;
use super::lint_requirements;
use super::{LintKind, lint};
use crate::parse::{Fate, ParsedRules, remove};
use crate::program::Program;
use crate::requirement::RequirementId;
use crate::rule::RuleId;
use crate::settle::Stopped;

/// A text without its superfluous rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FixedRules {
    /// The text; comments and the order of the other rules are kept.
    pub text: String,
    /// The rules that were removed, ascending: duplicates, subsumed and implied ones.
    pub dropped: Vec<RuleId>,
    /// The requirements that were removed, ascending: those that follow from what is left.
    pub dropped_requirements: Vec<RequirementId>,
    /// The rules that lost a repeated literal.
    pub shortened: Vec<RuleId>,
    /// Whether some requirements were kept only because it was not found within the limit whether they follow
    /// from the others.
    pub incomplete: bool,
}

/// Removes duplicate, subsumed and implied rules, repeated literals, and requirements that follow from what is
/// left, from the text that `parsed` was read from. The layer computes the same values with the rules that are
/// left, and decides the same with the requirements. Rules that are odd in another way are kept: their author
/// meant something else.
///
/// ```
/// use rulebound_core::{RuleText, fix_rules};
/// let text = "a -> b\nb -> c   # kept\na, a -> c\n";
/// let fixed = fix_rules(text, &RuleText::new(text).parse()?);
/// assert_eq!(fixed.text, "a -> b\nb -> c   # kept\n");
/// assert_eq!(fixed.dropped.len(), 1);
/// # Ok::<(), rulebound_core::RuleErrors>(())
/// ```
pub fn fix_rules(text: &str, parsed: &ParsedRules) -> FixedRules {
    let program = &parsed.program;
    let shallow = lint(program);
    let is_superfluous =
        |kind: &LintKind| matches!(kind, LintKind::Duplicate { .. } | LintKind::Subsumed { .. });
    let found = shallow.lints.iter().filter(|lint| is_superfluous(&lint.kind));
    let mut dropped: Vec<RuleId> = found.map(|lint| lint.rule).collect();
    dropped.extend(superfluous(program, &shallow));
    dropped.sort_unstable();
    dropped.dedup();
    let is_dropped = |rule: RuleId| dropped.binary_search(&rule).is_ok();
    let (dropped_requirements, incomplete) = superfluous_requirements(program);
    let of_rule = |rule: RuleId| {
        (program.span(rule), if is_dropped(rule) { Fate::Dropped } else { Fate::Shortened })
    };
    let of_requirement = |id: RequirementId| {
        let is_dropped = dropped_requirements.binary_search(&id).is_ok();
        (program.requirement_span(id), if is_dropped { Fate::Dropped } else { Fate::Kept })
    };
    let fates = program.rule_ids().map(of_rule);
    let fates = fates.chain(program.requirement_ids().map(of_requirement));
    let text = remove(text, parsed.dialect, fates);
    let repeated = parsed.repeated_literals.iter().copied();
    let shortened = repeated.filter(|&rule| !is_dropped(rule)).collect();
    FixedRules { text, dropped, dropped_requirements, shortened, incomplete }
}

/// Requirements that all together follow from what is left; where they follow from each other, the earlier
/// ones stay. And whether there may be more.
fn superfluous_requirements(program: &Program) -> (Vec<RequirementId>, bool) {
    if !program.has_requirements() {
        return (Vec::new(), false);
    }
    let shallow = lint_requirements(program, false);
    let mut is_dropped = vec![false; program.requirements().len()];
    shallow.lints.iter().for_each(|lint| is_dropped[lint.requirement.index()] = true);
    let following = Following::new(program);
    let mut asked = following.ask(program);
    let mut incomplete = shallow.incomplete;
    for at in (0..is_dropped.len()).rev() {
        if is_dropped[at] {
            continue;
        }
        let kept = |id: RequirementId| !is_dropped[id.index()];
        match asked.follows(program, RequirementId::new(at), kept) {
            Ok(follows) => is_dropped[at] = follows,
            Err(Stopped) => incomplete = true,
        }
    }
    let dropped = program.requirement_ids().filter(|id| is_dropped[id.index()]);
    (dropped.collect(), incomplete)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::RuleText;

    fn fixed(text: &str) -> String {
        fix_rules(text, &RuleText::new(text).parse().unwrap()).text
    }

    #[test]
    fn comments_order_and_spelling_of_the_rest_stay() {
        let text = "# top\n\"a\" & b->c\n  b, a -> c  # again\n\nd :- a.  c :- b, a. e :- d.\n";
        assert_eq!(fixed(text), "# top\n\"a\" & b->c\n  # again\n\nd :- a.  e :- d.\n");
        assert_eq!(fixed("a -> b\r\na -> b\r\nb -> c"), "a -> b\r\nb -> c");
        assert_eq!(fixed("\u{feff}a -> b\na -> b\n"), "\u{feff}a -> b\n");
    }

    #[test]
    fn repeated_literals_go_with_their_comma() {
        assert_eq!(fixed("a, not b, a and not b -> c"), "a, not b -> c");
        assert_eq!(fixed("c :- a,\n  b, # why\n  a.\n"), "c :- a,\n  b # why\n  .\n");
    }

    #[test]
    fn rules_over_several_lines_and_other_dialects() {
        assert_eq!(fixed("c :- a,\n  b.\nc :- a. # one\n"), "c :- a. # one\n");
        assert_eq!(fixed("1 2 :- 3 n4\n1 2 :- 3\n1 2 :- 3\n"), "1 2 :- 3\n");
        assert_eq!(fixed("child,parent\na,b\nb,c\na,c\na,b\n"), "child,parent\na,b\nb,c\n");
    }

    #[test]
    fn rules_that_follow_from_each_other_are_not_all_dropped() {
        assert_eq!(fixed("a -> b\nb -> a\na -> c\nb -> c\n"), "a -> b\nb -> a\na -> c\n");
    }

    #[test]
    fn requirements_that_follow_from_what_is_left_go_too() {
        let text = "exclusive(a, b, c)\na -> not b  # again\na | d\nd | a\nb -> d\nnot (b, c, d)\n";
        let left = "exclusive(a, b, c)\n# again\na | d\nb -> d\n";
        assert_eq!(fixed(text), left);
        // Each of two follows from the other one and the rest: one of them stays.
        let text = "a -> b\nb -> a\na | c\nb | c\n";
        assert_eq!(fixed(text), "a -> b\nb -> a\na | c\n");
        let text = "c two\np cnf 3 5\n1 2 0\n2 1 0 -1\n3 0\n1 2 3 0 -3 1 0\n";
        assert_eq!(fixed(text), "c two\np cnf 3 3\n1 2 0\n-1\n3 0\n-3 1 0\n");
        assert_eq!(fixed("y_0 or y_1\ny_1 or y_0 or y_2\n"), "y_0 or y_1\n");
    }

    #[test]
    fn what_is_odd_but_not_superfluous_stays() {
        let text = "a, c -> c\nd, not d -> e\n";
        assert_eq!(fixed(text), text);
    }
}
