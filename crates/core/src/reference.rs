//! The slow, obvious evaluators that every fast one is tested against.
//!
//! Written from the paper's definitions, one example at a time, with no thought
//! for speed: the closure formulas of CM, CM⁺ and CM⁻, the least fixpoint by
//! plain iteration, the stable model by the reduct, and delegates by rounds.

use crate::delegate::Delegate;
use crate::label::LabelId;
use crate::margin::Margin;
use crate::program::Program;
use crate::rule::{Literal, Rule};

fn signed<F: Margin>(literal: Literal, value: F) -> F {
    if literal.is_negated() { -value } else { value }
}

fn smaller<F: Margin>(a: F, b: F) -> F {
    if b < a { b } else { a }
}

fn larger<F: Margin>(a: F, b: F) -> F {
    if b > a { b } else { a }
}

/// CM by iteration: the rules of each stratum are applied until nothing changes.
pub fn fixpoint<F: Margin>(program: &Program, margins: &[F]) -> Vec<F> {
    fixpoint_counting(program, margins, &vec![Counts::Raised; margins.len()])
}

/// What a class counts as in the bodies of rules: what they make of it; what it was settled to be when it
/// fell; what they make of it, but its negation never holds; nothing on either side.
#[derive(Clone, Copy)]
enum Counts<F> {
    Raised,
    Fell(F),
    Lifted,
    Neither,
}

fn fixpoint_counting<F: Margin>(program: &Program, margins: &[F], counts: &[Counts<F>]) -> Vec<F> {
    let mut values: Vec<F> = margins.iter().map(|margin| margin.canonical()).collect();
    for stratum in 1..=program.strata().len() {
        loop {
            let before = values.clone();
            for rule in
                program.rules().iter().filter(|r| program.strata().stratum_of(r.head()) == stratum)
            {
                if rule.supports_itself() {
                    continue;
                }
                let worth = |literal: &Literal| match counts[literal.label().index()] {
                    Counts::Fell(value) => signed(*literal, value),
                    Counts::Lifted if literal.is_negated() => F::FALSE,
                    Counts::Neither => F::FALSE,
                    _ => signed(*literal, values[literal.label().index()]),
                };
                let body = rule.body().iter().map(worth).fold(F::TRUE, smaller);
                let head = rule.head().index();
                values[head] = larger(values[head], body);
            }
            if values == before {
                break;
            }
        }
    }
    values
}

/// CM by the closure: Equation (8) of the paper, on the rules of Π*.
pub fn closure_layer<F: Margin>(program: &Program, closure: &[Vec<Rule>], margins: &[F]) -> Vec<F> {
    let own: Vec<F> = margins.iter().map(|margin| margin.canonical()).collect();
    let mut values = own.clone();
    for (index, rules) in closure.iter().enumerate() {
        for rule in rules {
            let worth = |literal: &Literal| {
                let label = literal.label();
                let same_stratum = program.strata().stratum_of(label) == index + 1;
                signed(
                    *literal,
                    if same_stratum { own[label.index()] } else { values[label.index()] },
                )
            };
            let body = rule.body().iter().map(worth).fold(F::TRUE, smaller);
            let head = rule.head().index();
            values[head] = larger(values[head], body);
        }
    }
    values
}

/// CM⁺ of affirmed and CM⁻ of denied classes by the closure, in logits: the
/// definitions of Section 3.3.2, with 0 as −∞ and 1 as +∞. Where CM⁻ is the
/// constant 1 because the labels break a rule, the class's own logit.
pub fn closure_loss<F: Margin>(
    program: &Program,
    closure: &[Vec<Rule>],
    logits: &[F],
    labels: &[bool],
) -> Vec<F> {
    let strata = program.strata();
    // CM⁺ and CM⁻ of all classes: the class's own logit to start with.
    let mut plus: Vec<F> = logits.to_vec();
    let mut minus: Vec<F> = logits.to_vec();
    let mut granted = vec![false; logits.len()];
    for (index, rules) in closure.iter().enumerate() {
        for rule in rules {
            let head = rule.head().index();
            let (mut h_plus, mut h_minus, mut all_granted) = (F::TRUE, F::TRUE, true);
            for literal in rule.body() {
                let label = literal.label().index();
                let same_stratum = strata.stratum_of(literal.label()) == index + 1;
                let holds = literal.holds(labels);
                let (for_plus, for_minus) = match (same_stratum, literal.is_negated()) {
                    (true, _) => (logits[label], logits[label]),
                    (false, false) => (plus[label], minus[label]),
                    (false, true) => (minus[label], plus[label]),
                };
                h_plus = smaller(h_plus, if holds { signed(*literal, for_plus) } else { F::FALSE });
                h_minus =
                    smaller(h_minus, if holds { F::TRUE } else { signed(*literal, for_minus) });
                all_granted &= holds || (!same_stratum && !literal.is_negated() && granted[label]);
            }
            plus[head] = larger(plus[head], h_plus);
            minus[head] = larger(minus[head], h_minus);
            granted[head] |= all_granted;
        }
    }
    let select = |class: usize| match (labels[class], granted[class]) {
        (true, _) => plus[class],
        (false, false) => minus[class],
        (false, true) => logits[class],
    };
    (0..logits.len()).map(select).collect()
}

/// The stable model of Π ∪ {→A : A predicted}, stratum by stratum.
pub fn stable_model(program: &Program, predicted: &[bool]) -> Vec<bool> {
    let mut model = predicted.to_vec();
    for stratum in 1..=program.strata().len() {
        loop {
            let fires = |rule: &&Rule| {
                program.strata().stratum_of(rule.head()) == stratum
                    && !model[rule.head().index()]
                    && rule.body().iter().all(|literal| literal.holds(&model))
            };
            let Some(rule) = program.rules().iter().find(fires) else { break };
            model[rule.head().index()] = true;
        }
    }
    model
}

/// Whether `model` is the smallest set that contains `predicted` and is closed
/// under the reduct of Π relative to `model`: the definition of stability.
pub fn is_stable(program: &Program, predicted: &[bool], model: &[bool]) -> bool {
    let mut smallest = predicted.to_vec();
    loop {
        let fires = |rule: &&Rule| {
            !smallest[rule.head().index()]
                && rule.body().iter().all(|literal| {
                    if literal.is_negated() {
                        !model[literal.label().index()]
                    } else {
                        smallest[literal.label().index()]
                    }
                })
        };
        let Some(rule) = program.rules().iter().find(fires) else { break };
        smallest[rule.head().index()] = true;
    }
    smallest == model
}

/// Delegates by rounds, from the values of [`fixpoint`]: the class itself if it
/// has the value; otherwise, in the first round in which there is one, the
/// first rule that has it and whose literals of that value in the same
/// component have their delegates from earlier rounds.
pub fn delegates<F: Margin>(program: &Program, margins: &[F]) -> Vec<Delegate> {
    let values = fixpoint(program, margins);
    let mut delegates: Vec<Option<Delegate>> = program
        .labels()
        .ids()
        .map(|label| {
            (margins[label.index()].canonical() == values[label.index()])
                .then(|| Delegate::own(label))
        })
        .collect();
    for members in program.components().iter() {
        while members.iter().any(|member| delegates[member.index()].is_none()) {
            let round: Vec<(LabelId, Option<Delegate>)> = members
                .iter()
                .map(|&member| (member, first_supported(program, member, &values, &delegates)))
                .collect();
            for (member, delegate) in round {
                delegates[member.index()] = delegates[member.index()].or(delegate);
            }
        }
    }
    delegates.into_iter().map(Option::unwrap_or_default).collect()
}

fn first_supported<F: Margin>(
    program: &Program,
    head: LabelId,
    values: &[F],
    delegates: &[Option<Delegate>],
) -> Option<Delegate> {
    let worth = |literal: &Literal| signed(*literal, values[literal.label().index()]);
    let value = values[head.index()];
    program.rules_of(head).iter().map(|&rule| program.rule(rule)).find_map(|rule| {
        if rule.body().iter().map(worth).fold(F::TRUE, smaller) != value || rule.supports_itself() {
            return None;
        }
        let mut decisive = rule.body().iter().filter(|literal| worth(literal) == value).peekable();
        let Some(first) = decisive.peek().copied() else {
            return Some(Delegate::of_fact(head.index() as u32));
        };
        decisive
            .all(|literal| delegates[literal.label().index()].is_some())
            .then(|| delegates[first.label().index()].map(|d| d.flip(first.is_negated())))?
    })
}

/// Every prediction that satisfies all rules and requirements, by trying all.
pub fn coherent_predictions(program: &Program) -> Vec<Vec<bool>> {
    let classes = program.labels().len();
    let satisfies = |predicted: &Vec<bool>| {
        let rules = program.rules().iter().all(|rule| {
            predicted[rule.head().index()] || !rule.body().iter().all(|one| one.holds(predicted))
        });
        rules && program.requirements().iter().all(|one| one.holds(predicted))
    };
    let prediction = |bits: usize| (0..classes).map(|class| bits >> class & 1 == 1).collect();
    (0..1usize << classes).map(prediction).filter(satisfies).collect()
}

/// Strongest first, by its meaning: `by_strength` of the raised values; then again without what classes
/// that were overruled had raised, until no further class is.
pub fn strongest_first<F: Margin>(
    program: &Program,
    coherent: Vec<Vec<bool>>,
    margins: &[F],
) -> Vec<F> {
    let mut counts = vec![Counts::Raised; margins.len()];
    loop {
        let raised = fixpoint_counting(program, margins, &counts);
        let values = by_strength(program, coherent.clone(), &raised);
        let mut has_changed = false;
        for class in 0..values.len() {
            let (was, is) = (raised[class].is_predicted(), values[class].is_predicted());
            counts[class] = match (counts[class], was, is) {
                (Counts::Raised, true, false) => Counts::Fell(values[class]),
                (Counts::Raised, false, true) => Counts::Lifted,
                (Counts::Fell(_), _, true) | (Counts::Lifted, true, false) => Counts::Neither,
                _ => continue,
            };
            has_changed = true;
        }
        if !has_changed {
            return values;
        }
    }
}

/// Class by class, preferred ones first and then by the size of the raised value, what is left of all
/// coherent predictions is reduced to those that agree with it, and a class that has one side in all that
/// are left gets the strength of the class that made it so.
fn by_strength<F: Margin>(program: &Program, mut left: Vec<Vec<bool>>, raised: &[F]) -> Vec<F> {
    let size = |value: F| larger(value, -value);
    let preferred = program.preferred();
    let mut order: Vec<LabelId> = preferred.to_vec();
    let mut others: Vec<LabelId> =
        program.labels().ids().filter(|label| !preferred.contains(label)).collect();
    // Stable: equal ones stay in the order of the list.
    others.sort_by(|a, b| {
        size(raised[b.index()]).partial_cmp(&size(raised[a.index()])).expect("not NaN")
    });
    order.extend(others);
    let mut values: Vec<Option<F>> = vec![None; raised.len()];
    let settle = |left: &[Vec<bool>], values: &mut Vec<Option<F>>, strength: F| {
        for class in 0..raised.len() {
            let side = left[0][class];
            if values[class].is_none() && left.iter().all(|prediction| prediction[class] == side) {
                values[class] = Some(if side { strength } else { -strength });
            }
        }
    };
    settle(&left, &mut values, F::TRUE);
    for label in order {
        let class = label.index();
        if values[class].is_none() {
            left.retain(|prediction| prediction[class] == raised[class].is_predicted());
            settle(&left, &mut values, size(raised[class]));
        }
    }
    values.into_iter().flatten().collect()
}
