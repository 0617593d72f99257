//! A text of rules without what is superfluous in it.

use super::deep::superfluous;
use super::{LintKind, lint};
use crate::parse::{ParsedRules, remove};
use crate::rule::RuleId;

/// A text without its superfluous rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FixedRules {
    /// The text; comments and the order of the other rules are kept.
    pub text: String,
    /// The rules that were removed, ascending: duplicates, subsumed and implied ones.
    pub dropped: Vec<RuleId>,
    /// The rules that lost a repeated literal.
    pub shortened: Vec<RuleId>,
}

/// Removes duplicate, subsumed and implied rules and repeated literals from the text that `parsed`
/// was read from. The layer computes the same values with what is left. Rules that are odd
/// in another way are kept: their author meant something else.
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
    let is_dropped = |rule: usize| dropped.binary_search(&RuleId::new(rule)).is_ok();
    let place_of = |rule: usize| program.span(RuleId::new(rule));
    let text = remove(text, parsed.dialect, program.rules().len(), is_dropped, place_of);
    let repeated = parsed.repeated_literals.iter().copied();
    let shortened = repeated.filter(|rule| !is_dropped(rule.index())).collect();
    FixedRules { text, dropped, shortened }
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
    fn what_is_odd_but_not_superfluous_stays() {
        let text = "a, c -> c\nd, not d -> e\n";
        assert_eq!(fixed(text), text);
    }
}
