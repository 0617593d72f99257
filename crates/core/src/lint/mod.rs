//! Lints: rules that are valid and probably not intended.
//!
//! A lint changes nothing that the layer computes: even a rule with a
//! contradictory body is kept, because the paper's closure needs it.

mod deep;
mod fix;
mod following;
mod requirements;
mod similar_names;

pub use deep::lint_deep;
pub use fix::{FixedRules, fix_rules};
pub use requirements::{RequirementLint, RequirementLintKind, RequirementLints, lint_requirements};
pub use similar_names::similar_names;

use crate::label::LabelId;
use crate::program::Program;
use crate::rule::{Literal, RuleId};
use std::collections::HashMap;
use std::fmt;

/// One suspicious rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lint {
    /// The rule.
    pub rule: RuleId,
    /// What is suspicious about it.
    pub kind: LintKind,
}

/// What can be suspicious about a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum LintKind {
    /// The same head and the same body as an earlier rule.
    Duplicate { of: RuleId },
    /// The head occurs in the positive body.
    NeverAdds,
    /// The body contains a class and its negation.
    Contradictory {
        /// One such class, as its positive literal.
        on: Literal,
    },
    /// Another rule has the same head and a smaller body.
    Subsumed { by: RuleId },
    /// The rule follows from other rules together.
    Implied {
        /// The rules it follows from.
        by: Vec<RuleId>,
    },
    /// The rule is the first to use a class whose name is nearly that of another class.
    SimilarName {
        label: LabelId,
        /// The class with the similar name, used earlier.
        to: LabelId,
    },
}

impl LintKind {
    /// A short name for programs that read the output.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Duplicate { .. } => "duplicate",
            Self::NeverAdds => "never-adds",
            Self::Contradictory { .. } => "contradictory-body",
            Self::Subsumed { .. } => "subsumed",
            Self::Implied { .. } => "implied",
            Self::SimilarName { .. } => "similar-name",
        }
    }
}

/// The lints of a program, in the order of the rules.
#[derive(Clone, Debug, Default)]
pub struct LintReport {
    /// The lints.
    pub lints: Vec<Lint>,
    /// Whether the search for subsumed rules was cut short: comparing sets of
    /// literals can cost the square of their number, and stops before that.
    pub incomplete: bool,
}

/// The maximum number of pairs of bodies that are compared.
const COMPARISONS: usize = 20_000_000;

/// Checks every rule by itself and against the rules with the same head.
///
/// ```
/// use rulebound_core::{Program, lint};
/// let program: Program = "a, b -> c\na -> c".parse()?;
/// let report = lint(&program);
/// assert_eq!(report.lints[0].kind.code(), "subsumed");
/// # Ok::<(), rulebound_core::RuleErrors>(())
/// ```
pub fn lint(program: &Program) -> LintReport {
    let mut report = LintReport::default();
    let mut budget = COMPARISONS;
    for head in program.labels().ids() {
        lint_head(program, program.rules_of(head), &mut budget, &mut report.lints);
    }
    report.lints.sort_by_key(|lint| lint.rule);
    report.incomplete = budget == 0;
    report
}

fn sorted_body(program: &Program, rule: RuleId) -> Box<[Literal]> {
    let mut body: Box<[Literal]> = program.rule(rule).body().into();
    body.sort_unstable();
    body
}

fn lint_head(program: &Program, rules: &[RuleId], budget: &mut usize, lints: &mut Vec<Lint>) {
    let mut first_with: HashMap<Box<[Literal]>, RuleId> = HashMap::with_capacity(rules.len());
    let mut distinct = Vec::with_capacity(rules.len());
    for &rule in rules {
        let body = sorted_body(program, rule);
        // B and ¬B are neighbours once the body is sorted.
        if let Some(pair) = body.windows(2).find(|pair| pair[1] == !pair[0]) {
            lints.push(Lint { rule, kind: LintKind::Contradictory { on: pair[0] } });
        }
        if let Some(&of) = first_with.get(&body) {
            lints.push(Lint { rule, kind: LintKind::Duplicate { of } });
            continue;
        }
        first_with.insert(body.clone(), rule);
        if program.rule(rule).supports_itself() {
            lints.push(Lint { rule, kind: LintKind::NeverAdds });
            continue;
        }
        distinct.push((body, rule));
    }
    if distinct.len() > 1 {
        find_subsumed(distinct, budget, lints);
    }
}

/// Finds, for each body, a smaller one inside it. Every body waits under its
/// rarest literal, so that a body is compared only with those that share it.
fn find_subsumed(
    mut bodies: Vec<(Box<[Literal]>, RuleId)>,
    budget: &mut usize,
    lints: &mut Vec<Lint>,
) {
    bodies.sort_by_key(|(body, rule)| (body.len(), *rule));
    let mut frequency: HashMap<Literal, usize> = HashMap::new();
    for (body, _) in &bodies {
        for literal in body {
            *frequency.entry(*literal).or_default() += 1;
        }
    }
    let fact = bodies.first().filter(|(body, _)| body.is_empty()).map(|&(_, rule)| rule);
    let mut waiting: HashMap<Literal, Vec<usize>> = HashMap::new();
    for (index, (body, rule)) in bodies.iter().enumerate() {
        let inside = || {
            let candidates = body.iter().filter_map(|literal| waiting.get(literal));
            for candidates in candidates {
                for (smaller, id) in candidates.iter().map(|&other| &bodies[other]) {
                    if smaller.len() >= body.len() || *budget == 0 {
                        break;
                    }
                    *budget -= 1;
                    if smaller.iter().all(|literal| body.binary_search(literal).is_ok()) {
                        return Some(*id);
                    }
                }
            }
            None
        };
        if let Some(by) = fact.filter(|_| !body.is_empty()).or_else(inside) {
            lints.push(Lint { rule: *rule, kind: LintKind::Subsumed { by } });
        } else if let Some(rarest) = body.iter().min_by_key(|literal| frequency[literal]) {
            waiting.entry(*rarest).or_default().push(index);
        }
    }
}

impl Lint {
    /// The lint as a sentence, in which other rules are referred to by line where
    /// they were read from a text.
    pub fn describe<'a>(&'a self, program: &'a Program) -> impl fmt::Display + 'a {
        Described { lint: self, program }
    }
}

struct Described<'a> {
    lint: &'a Lint,
    program: &'a Program,
}

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = |rule: RuleId| match self.program.span(rule).line {
            0 => format!("rule {}", rule.index() + 1),
            line => format!("line {line}"),
        };
        match &self.lint.kind {
            LintKind::Duplicate { of } => write!(f, "the same rule as on {}", at(*of)),
            LintKind::NeverAdds => {
                f.write_str("never adds anything: the head occurs in its own body")
            }
            LintKind::Contradictory { on } => write!(
                f,
                "the body contains both `{0}` and `not {0}`; no prediction satisfies it (kept: it still bounds the value of the head)",
                on.display(self.program.labels())
            ),
            LintKind::Subsumed { by } => write!(
                f,
                "says no more than {}, which has the same head and a smaller body",
                at(*by)
            ),
            LintKind::Implied { by } => {
                let lines: Vec<String> = by.iter().take(8).map(|&rule| at(rule)).collect();
                let more = if by.len() > 8 {
                    format!(" and {} more", by.len() - 8)
                } else {
                    String::new()
                };
                write!(f, "follows from {}{more}", lines.join(", "))
            }
            LintKind::SimilarName { label, to } => {
                let labels = self.program.labels();
                write!(
                    f,
                    "`{}` and `{}` are two classes, with similar names",
                    labels.name(*to),
                    labels.name(*label)
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<(u32, &'static str)> {
        let program: Program = text.parse().unwrap();
        let shallow = lint(&program);
        let mut lints = shallow.lints.clone();
        lints.extend(lint_deep(&program, &shallow));
        lints.iter().map(|lint| (program.span(lint.rule).line, lint.kind.code())).collect()
    }

    #[test]
    fn each_kind_is_found_where_it_is() {
        assert_eq!(codes("a, b -> c\nb, a -> c"), [(2, "duplicate")]);
        assert_eq!(codes("a, c -> c"), [(1, "never-adds")]);
        assert_eq!(codes("a, not a -> c"), [(1, "contradictory-body")]);
        assert_eq!(codes("a, b -> c\na -> c"), [(1, "subsumed")]);
        assert_eq!(codes("a -> c\n-> c"), [(1, "subsumed")]);
        assert_eq!(codes("a -> b\nb -> c\na -> c"), [(3, "implied")]);
        assert_eq!(codes("not x -> b\nb -> c\nnot x, d -> c"), [(3, "implied")]);
    }

    #[test]
    fn nothing_is_found_where_nothing_is() {
        assert_eq!(codes("a -> b\nb -> c\na -> d\nc -> e\nd -> e"), []);
        // The negation is not assumed, so line 3 adds something.
        assert_eq!(codes("a, not x -> b\nb -> c\na -> c"), []);
        // A rule and its derivation through itself.
        assert_eq!(codes("a -> b\nb -> a"), []);
    }

    #[test]
    fn superfluous_rules_do_not_excuse_each_other() {
        // Line 2 repeats line 1; line 1 alone must not be called implied.
        assert_eq!(codes("a -> b\na -> b"), [(2, "duplicate")]);
    }
}
