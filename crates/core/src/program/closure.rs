//! The closure Π*: every stratum with its chains of rules written out.
//!
//! The layer never needs it (its values are a fixpoint over Π itself), but the
//! paper defines its values by it, so it is the oracle of the tests. It can have
//! exponentially many rules: [`closure`] stops with an error at a limit.

use super::Program;
use crate::label::LabelId;
use crate::rule::{Literal, Rule};
use std::collections::{BTreeSet, HashSet};

/// The closure has more rules than allowed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the closure has more than {limit} rules (stopped in stratum {stratum})")]
pub struct ClosureTooLarge {
    /// The limit.
    pub limit: usize,
    /// The stratum in which it was reached, from 1.
    pub stratum: usize,
}

/// The rules of Π*₁, …, Π*ₛ.
///
/// Each stratum gets all rules that result from one of its rules by replacing a
/// class of the same stratum with the body of a rule for that class. Then rules
/// whose head is in their positive body, and rules for whose head there is a
/// rule with a smaller body, are removed. Bodies are sorted.
///
/// # Errors
/// If there are more than `limit` rules at any time.
///
/// ```
/// let program: rulebound_core::Program = "a, b -> c\nc -> d".parse()?;
/// let closure = rulebound_core::closure(&program, 1000).unwrap();
/// let texts: Vec<String> = closure[0].iter().map(|r| r.display(program.labels()).to_string()).collect();
/// assert!(texts.contains(&"a, b -> d".to_owned()));
/// # Ok::<(), rulebound_core::RuleErrors>(())
/// ```
pub fn closure(program: &Program, limit: usize) -> Result<Vec<Vec<Rule>>, ClosureTooLarge> {
    let strata = program.strata();
    let mut total = 0;
    let mut closures = Vec::with_capacity(strata.len());
    for stratum in 1..=strata.len() {
        let own: Vec<(usize, BTreeSet<Literal>)> = program
            .rules()
            .iter()
            .filter(|rule| strata.stratum_of(rule.head()) == stratum)
            .map(|rule| (rule.head().index(), rule.body().iter().copied().collect()))
            .collect();
        let mut seen: HashSet<(usize, BTreeSet<Literal>)> = HashSet::new();
        let mut open = own.clone();
        while let Some((head, body)) = open.pop() {
            if !seen.insert((head, body.clone())) {
                continue;
            }
            if total + seen.len() > limit {
                return Err(ClosureTooLarge { limit, stratum });
            }
            for literal in body.iter().filter(|literal| !literal.is_negated()) {
                for (_, inner) in own.iter().filter(|(head, _)| *head == literal.label().index()) {
                    let mut longer = body.clone();
                    longer.remove(literal);
                    longer.extend(inner);
                    open.push((head, longer));
                }
            }
        }
        let mut rules: Vec<(usize, BTreeSet<Literal>)> =
            seen.iter().filter(|candidate| !superfluous(candidate, &seen)).cloned().collect();
        rules.sort();
        total += rules.len();
        let rule = |(head, body)| Rule::new(LabelId::new(head), body);
        closures.push(rules.into_iter().map(rule).collect());
    }
    Ok(closures)
}

fn superfluous(
    (head, body): &(usize, BTreeSet<Literal>),
    all: &HashSet<(usize, BTreeSet<Literal>)>,
) -> bool {
    body.contains(&Literal::positive(LabelId::new(*head)))
        || all.iter().any(|(other, smaller)| {
            other == head && smaller.len() < body.len() && smaller.is_subset(body)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closure_of_the_papers_example() {
        let program: Program = "A1 -> A\nA2 -> A\nA, not A1 -> A2\nA3 -> A4".parse().unwrap();
        let closure = closure(&program, 100).unwrap();
        let texts: Vec<Vec<String>> = closure
            .iter()
            .map(|rules| {
                let mut texts: Vec<_> =
                    rules.iter().map(|r| r.display(program.labels()).to_string()).collect();
                texts.sort();
                texts
            })
            .collect();
        assert_eq!(texts[0], ["A3 -> A4"]);
        // Bodies are sorted by class, so ¬A1 comes before A.
        assert_eq!(texts[1], ["A1 -> A", "A1, not A1 -> A2", "A2 -> A", "not A1, A -> A2"]);
    }

    #[test]
    fn an_exponential_closure_stops_at_the_limit() {
        let text: String = (0..60).map(|i| format!("x{i} -> z{i}\ny{i} -> z{i}\n")).collect();
        let all: Vec<String> = (0..60).map(|i| format!("z{i}")).collect();
        let text = format!("{text}{} -> top", all.join(", "));
        let program: Program = text.parse().unwrap();
        assert_eq!(
            closure(&program, 10_000).unwrap_err(),
            ClosureTooLarge { limit: 10_000, stratum: 1 }
        );
    }
}
