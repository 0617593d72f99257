//! The highest classes of a row, chosen so that what is shown breaks no rule.
//!
//! Whoever reads the classes that are not shown as absent finds no rule broken: with all of a body its
//! head is shown. A head has no less than its body, so of equal classes heads come first; what follows all the
//! same, through negation, facts, cycles or thresholds of its own, is shown beyond the number.

use std::cmp::Ordering;

use rulebound_core::Program;

use rulebound_data::completion::Completion;

/// Finds the highest classes of one row after the other.
///
/// ```
/// use rulebound_core::Program;
/// use rulebound_apply::tables::TopClasses;
/// let program: Program = "puppy -> dog\ndog -> animal\n".parse()?;
/// let [puppy, dog, animal] = ["puppy", "dog", "animal"].map(|name| program.labels().find(name).unwrap().index());
/// let mut scores = [0.0; 3];
/// (scores[puppy], scores[dog], scores[animal]) = (0.7, 0.7, 0.9);
/// assert_eq!(TopClasses::new(3, Some(&program)).of(&scores, 2), [animal, dog]);
/// # Ok::<(), rulebound_core::RuleErrors>(())
/// ```
#[derive(Debug)]
pub struct TopClasses<'a> {
    rules: Option<Completion<'a>>,
    /// The place of each class among equal ones.
    places: Vec<usize>,
    order: Vec<usize>,
    shown: Vec<bool>,
}

impl<'a> TopClasses<'a> {
    /// The highest of so many classes; under rules, what is shown breaks none of them.
    pub fn new(classes: usize, rules: Option<&'a Program>) -> Self {
        Self {
            rules: rules.filter(|program| !program.rules().is_empty()).map(Completion::new),
            places: rules.map_or_else(|| (0..classes).collect(), heads_first),
            order: Vec::with_capacity(classes),
            shown: vec![false; classes],
        }
    }

    /// The `most` highest classes of a row and what follows from them, the highest first.
    ///
    /// # Panics
    /// If there is not one score per class.
    pub fn of(&mut self, scores: &[f64], most: usize) -> &[usize] {
        let Self { rules, places, order, shown } = self;
        assert_eq!(scores.len(), places.len(), "one score per class");
        let higher = |a: &usize, b: &usize| -> Ordering {
            scores[*b].total_cmp(&scores[*a]).then(places[*a].cmp(&places[*b]))
        };
        order.clear();
        order.extend(0..scores.len());
        if most < order.len() {
            order.select_nth_unstable_by(most, higher);
            order.truncate(most);
            if let Some(rules) = rules {
                shown.fill(false);
                order.iter().for_each(|&class| shown[class] = true);
                if rules.complete(shown) {
                    order.clear();
                    order.extend((0..shown.len()).filter(|&class| shown[class]));
                }
            }
        }
        order.sort_unstable_by(higher);
        order
    }
}

/// The place of each class in an order in which heads come before bodies, as far as there is one.
fn heads_first(program: &Program) -> Vec<usize> {
    let classes = program.labels().len();
    let mut bodies = vec![Vec::new(); classes];
    let mut heads_left = vec![0; classes];
    for rule in program.rules() {
        let head = rule.head().index();
        for literal in rule.body().iter().filter(|literal| !literal.is_negated()) {
            let body = literal.label().index();
            if body != head {
                bodies[head].push(body);
                heads_left[body] += 1;
            }
        }
    }
    let mut order: Vec<usize> = (0..classes).filter(|&class| heads_left[class] == 0).collect();
    let mut next = 0;
    while let Some(&head) = order.get(next) {
        next += 1;
        for &body in &bodies[head] {
            heads_left[body] -= 1;
            if heads_left[body] == 0 {
                order.push(body);
            }
        }
    }
    // Classes of cycles, and what implies them, in the order of the classes.
    let mut places = vec![usize::MAX; classes];
    order.iter().enumerate().for_each(|(place, &class)| places[class] = place);
    let rest = (0..classes).filter(|&class| heads_left[class] > 0);
    rest.enumerate().for_each(|(at, class)| places[class] = order.len() + at);
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rulebound_core::{ConstraintLayer, Labels, RuleText, Thresholds, logical_violations};

    const CLASSES: usize = 6;

    fn program(rules: &[(usize, Vec<(usize, bool)>)]) -> Option<Program> {
        let line = |(head, body): &(usize, Vec<(usize, bool)>)| {
            let literal = |&(class, is): &(usize, bool)| {
                if is { format!("c{class}") } else { format!("not c{class}") }
            };
            let body: Vec<String> = body.iter().map(literal).collect();
            format!("{} -> c{head}\n", body.join(", "))
        };
        let text: String = rules.iter().map(line).collect();
        let labels = Labels::new((0..CLASSES).map(|class| format!("c{class}"))).unwrap();
        Some(RuleText::new(&text).labels(Some(labels)).parse().ok()?.program)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(20_000) })]

        #[test]
        fn what_is_shown_breaks_no_rule(
            rules in proptest::collection::vec(
                (0..CLASSES, proptest::collection::vec((0..CLASSES, proptest::bool::weighted(0.8)), 0..4)), 1..9),
            // Many ties.
            scores in proptest::collection::vec(-3..4i8, CLASSES),
            most in 1..=CLASSES,
        ) {
            let Some(program) = program(&rules) else { return Ok(()) };
            let layer = ConstraintLayer::new(&program, Thresholds::half(CLASSES));
            let scores: Vec<f32> = scores.iter().map(|&score| f32::from(score)).collect();
            let mut coherent = [0.0; CLASSES];
            layer.forward(&scores, &mut coherent, &mut layer.workspace()).unwrap();
            let coherent = coherent.map(f64::from);
            let mut top = TopClasses::new(CLASSES, Some(&program));
            let found = top.of(&coherent, most).to_vec();
            let mut shown = [false; CLASSES];
            found.iter().for_each(|&class| shown[class] = true);
            if most < CLASSES {
                prop_assert!(logical_violations(&program, &shown).next().is_none(), "{found:?}");
            }
            // What is shown is the highest, and what follows from it.
            let least = |classes: &[usize]| classes.iter().map(|&class| coherent[class]).fold(f64::INFINITY, f64::min);
            let mut all = coherent;
            all.sort_unstable_by(|a, b| b.total_cmp(a));
            prop_assert!(found.len() >= most && least(&found[..most]) >= all[most - 1]);
        }
    }

    #[test]
    fn a_hierarchy_never_shows_more_than_it_was_asked_for() {
        let program: Program = "a -> b\nb -> c\nd -> c\n".parse().unwrap();
        let mut top = TopClasses::new(4, Some(&program));
        let name = |class: &usize| program.labels().names().nth(*class).unwrap().to_owned();
        let mut shown = |most: usize| top.of(&[0.5; 4], most).iter().map(name).collect::<Vec<_>>();
        assert_eq!(shown(1), ["c"]);
        assert_eq!(shown(2).len(), 2);
        assert_eq!(shown(4).len(), 4);
        let mut plain = TopClasses::new(4, None);
        assert_eq!(plain.of(&[0.5, 0.5, 0.7, 0.1], 2), [2, 0]);
    }
}
