//! Programs at the edges: very deep, very wide, cyclic, empty, exponential.
#![allow(clippy::unwrap_used)]

use rulebound_core::{
    ConstraintLayer, ConstraintLoss, Delegate, Derivation, LabelId, Program, RuleText, Thresholds,
    closure, lint, lint_deep,
};
use std::time::Instant;

fn program(text: &str) -> Program {
    text.parse().unwrap()
}

fn apply(program: &Program, margins: &[f64]) -> (Vec<f64>, Vec<Delegate>) {
    let layer =
        ConstraintLayer::new(program, Thresholds::uniform(program.labels().len(), 0.5).unwrap());
    let mut values = vec![0.0; margins.len()];
    let mut delegates = vec![Delegate::default(); margins.len()];
    layer
        .forward_with_delegates(margins, &mut values, &mut delegates, &mut layer.workspace())
        .unwrap();
    (values, delegates)
}

const MANY: usize = 100_000;

#[test]
fn a_chain_of_100_000_rules() {
    for text in [
        (0..MANY).map(|i| format!("c{i} -> c{}\n", i + 1)).collect::<String>(),
        // Bodies before their rules: the other way round for any recursion.
        (0..MANY).rev().map(|i| format!("c{i} -> c{}\n", i + 1)).collect(),
    ] {
        let program = program(&text);
        let first = program.labels().find("c0").unwrap();
        let mut margins = vec![-1.0; MANY + 1];
        margins[first.index()] = 2.0;
        let (values, delegates) = apply(&program, &margins);
        assert!(values.iter().all(|value| *value == 2.0));
        assert!(delegates.iter().all(|delegate| *delegate == Delegate::own(first)));
        let layer = ConstraintLayer::new(&program, Thresholds::uniform(MANY + 1, 0.5).unwrap());
        let derivation = Derivation::new(&program, &layer, &margins).unwrap();
        assert!(
            program
                .labels()
                .ids()
                .all(|label| derivation.rule(label).is_some() == (label != first))
        );
        assert!(lint(&program).lints.is_empty());
    }
}

#[test]
fn a_chain_of_1_000_negations_has_1_001_strata() {
    let text: String = (0..1000).map(|i| format!("not c{i} -> c{}\n", i + 1)).collect();
    let program = program(&text);
    assert_eq!(program.strata().len(), 1001);
    let (values, _) = apply(&program, &vec![-1.0; 1001]);
    for (class, value) in values.iter().enumerate() {
        assert_eq!(*value > 0.0, class % 2 == 1);
    }
}

fn circle(classes: usize) -> Program {
    program(&(0..classes).map(|i| format!("c{i} -> c{}\n", (i + 1) % classes)).collect::<String>())
}

#[test]
fn a_circle_of_100_000_classes() {
    let program = circle(MANY);
    let mut margins = vec![-1.0; 3 * MANY];
    margins[MANY / 2] = 3.0;
    let (values, delegates) = apply(&program, &margins);
    assert!(values[..MANY].iter().all(|value| *value == 3.0));
    assert!(values[MANY..].iter().all(|value| *value == -1.0));
    let decider = Delegate::own(LabelId::new(MANY / 2));
    assert!(delegates[..MANY].iter().all(|delegate| *delegate == decider));
    let loss = ConstraintLoss::new(&program);
    let mut gradient = vec![0.0; MANY];
    let labels = vec![true; MANY];
    let value = loss
        .forward_backward(&margins[..MANY], &labels, &mut gradient, &mut loss.workspace())
        .unwrap();
    assert!(value.value.is_finite() && gradient[MANY / 2] < 0.0);
    assert_eq!(gradient.iter().filter(|slope| **slope != 0.0).count(), 1);
}

#[test]
fn a_circle_costs_no_square_of_its_length() {
    let seconds = |classes: usize| {
        let program = circle(classes);
        let mut margins = vec![-1.0; classes];
        margins[classes / 2] = 3.0;
        (0..3)
            .map(|_| {
                let start = Instant::now();
                apply(&program, &margins);
                start.elapsed().as_secs_f64()
            })
            .fold(f64::INFINITY, f64::min)
    };
    // 25 times the classes: 25 if linear, 625 if quadratic.
    assert!(seconds(MANY) / seconds(MANY / 25) < 150.0);
}

#[test]
fn a_class_with_100_000_rules() {
    let text: String = (0..MANY).map(|i| format!("a{i}, b{} -> top\n", i % 100)).collect();
    let program = program(&text);
    assert_eq!(program.rules_of(program.labels().find("top").unwrap()).len(), MANY);
    let mut margins = vec![-1.0; program.labels().len()];
    for name in ["a77777", "b77"] {
        margins[program.labels().find(name).unwrap().index()] = 1.5;
    }
    let (values, delegates) = apply(&program, &margins);
    let top = program.labels().find("top").unwrap();
    assert_eq!(values[top.index()], 1.5);
    assert_eq!(delegates[top.index()], Delegate::own(program.labels().find("a77777").unwrap()));
    let found = lint(&program);
    assert!(found.lints.is_empty() && !found.incomplete);
}

#[test]
fn a_circle_that_a_fact_supports() {
    let program = program("-> a\na -> b\nb -> a\nb, not x -> c");
    let (values, delegates) = apply(&program, &[-1.0, -2.0, -3.0, -4.0]);
    let find = |name: &str| program.labels().find(name).unwrap().index();
    assert_eq!(values[find("a")], f64::INFINITY);
    assert_eq!(values[find("b")], f64::INFINITY);
    assert_eq!(delegates[find("b")].literal(), None);
    // b holds because of the fact about a, and says so.
    assert_eq!(delegates[find("b")].display(program.labels()).to_string(), "-> a");
    // c is worth what ¬x is: the fact is worth more.
    assert_eq!(values[find("c")], -margin_of(&program, "x", &[-1.0, -2.0, -3.0, -4.0]));
    assert_eq!(delegates[find("c")].display(program.labels()).to_string(), "not x");
}

fn margin_of(program: &Program, name: &str, margins: &[f64]) -> f64 {
    margins[program.labels().find(name).unwrap().index()]
}

#[test]
fn a_circle_without_support_stays_down() {
    let program = program("a -> b\nb -> a");
    assert_eq!(apply(&program, &[-1.0, -2.0]).0, [-1.0, -1.0]);
}

#[test]
fn certainty_is_passed_on_by_the_class_that_has_it() {
    let program = program("a -> b\na, c -> d");
    let margins = [f64::INFINITY, -1.0, f64::INFINITY, -1.0];
    let (values, delegates) = apply(&program, &margins);
    assert_eq!(values, [f64::INFINITY; 4]);
    let own = |name: &str| Delegate::own(program.labels().find(name).unwrap());
    assert_eq!(delegates, [own("a"), own("a"), own("c"), own("a")]);
}

#[test]
fn no_rules_and_no_classes() {
    let nothing = program("# nothing\n");
    assert!(nothing.labels().is_empty() && nothing.strata().is_empty());
    let labels = rulebound_core::Labels::new(["a", "b"]).unwrap();
    let no_rules = RuleText::new("").labels(labels).parse().unwrap().program;
    assert_eq!(no_rules.strata().classes(), [no_rules.labels().ids().collect::<Vec<_>>()]);
    assert_eq!(apply(&no_rules, &[1.0, 0.0]).0, [1.0, -f64::MIN_POSITIVE]);
}

#[test]
fn a_closure_of_2_to_the_60_rules_costs_nothing_to_apply() {
    let text: String = (0..60).map(|i| format!("x{i} -> z{i}\ny{i} -> z{i}\n")).collect();
    let all: Vec<String> = (0..60).map(|i| format!("z{i}")).collect();
    let text = format!("{text}{} -> top\n", all.join(", "));
    // Whatever walked the closure would never come back from here.
    let program = program(&text);
    assert!(lint(&program).lints.is_empty());
    assert!(lint_deep(&program, &lint(&program)).is_empty());
    let margins: Vec<f64> = (0..program.labels().len()).map(|i| 1.0 + i as f64).collect();
    let (values, _) = apply(&program, &margins);
    assert!(closure(&program, 100_000).is_err());
    assert!(values.iter().all(|value| *value >= 1.0));
}
