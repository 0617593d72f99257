//! The worked examples of the paper, every number.
#![allow(clippy::unwrap_used)]

use rulebound_core::{
    ConstraintLayer, ConstraintLoss, Delegate, Program, ProgramKind, Reduction, RuleText,
    Thresholds, closure, reference,
};

const THREE: &str = "A1 -> A\nA2 -> A\nA, not A1 -> A2";

fn program(text: &str) -> Program {
    text.parse().unwrap()
}

fn logit(p: f64) -> f64 {
    (p / (1.0 - p)).ln()
}

fn sigmoid(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

/// Values by class name, in the order of the program's labels.
fn in_order<T: Copy>(program: &Program, by_name: &[(&str, T)]) -> Vec<T> {
    let find = |name: &str| by_name.iter().find(|(n, _)| *n == name).unwrap().1;
    program.labels().names().map(find).collect()
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}");
    }
}

/// CM of probabilities at the threshold 1/2.
fn module(program: &Program, by_name: &[(&str, f64)]) -> Vec<f64> {
    let layer = ConstraintLayer::new(program, Thresholds::uniform(by_name.len(), 0.5).unwrap());
    let margins: Vec<f64> = in_order(program, by_name).into_iter().map(logit).collect();
    let mut coherent = vec![0.0; margins.len()];
    layer.forward(&margins, &mut coherent, &mut layer.workspace()).unwrap();
    coherent.into_iter().map(sigmoid).collect()
}

/// The values CM⁺/CM⁻, the loss as the paper's sum, and ∂CLoss/∂h.
fn loss(program: &Program, h: &[(&str, f64)], y: &[(&str, bool)]) -> (Vec<f64>, f64, Vec<f64>) {
    let loss = ConstraintLoss::new(program).reduction(Reduction::Sum);
    let h = in_order(program, h);
    let y = in_order(program, y);
    let logits: Vec<f64> = h.iter().map(|&p| logit(p)).collect();
    let (mut gradient, mut selected) = (vec![0.0; h.len()], vec![0.0; h.len()]);
    let mut delegates = vec![Delegate::default(); h.len()];
    let mut workspace = loss.workspace();
    let value = loss.forward_backward(&logits, &y, &mut gradient, &mut workspace).unwrap().value;
    loss.select(&logits, &y, &mut selected, &mut delegates, &mut workspace).unwrap();
    // ∂h/∂z = h (1 − h).
    let slopes = gradient.iter().zip(&h).map(|(g, h)| g / (h * (1.0 - h))).collect();
    (selected.into_iter().map(sigmoid).collect(), value, slopes)
}

#[test]
fn the_gradients_of_two_classes() {
    let program = program("A1 -> A");
    let (_, value, slopes) =
        loss(&program, &[("A1", 0.3), ("A", 0.1)], &[("A1", false), ("A", true)]);
    close(&[value], &[-(0.7f64.ln()) - 0.1f64.ln()]);
    close(&slopes, &in_order(&program, &[("A1", 1.0 / 0.7), ("A", -10.0)]));
}

#[test]
fn the_gradient_of_a_class_with_many_superclasses() {
    for n in [1, 10] {
        let text: String = (1..=n).map(|i| format!("A -> A{i}\n")).collect();
        let program = program(&text);
        let names: Vec<String> = (1..=n).map(|i| format!("A{i}")).collect();
        let mut h = vec![("A", 0.6)];
        let mut y = vec![("A", false)];
        for name in &names {
            h.push((name, 0.2));
            y.push((name, true));
        }
        let (_, _, slopes) = loss(&program, &h, &y);
        let a = program.labels().find("A").unwrap().index();
        close(&[slopes[a]], &[1.0 / 0.4]);
    }
}

#[test]
fn the_values_of_three_classes() {
    let program = program(THREE);
    let values = module(&program, &[("A1", 0.2), ("A2", 0.3), ("A", 0.6)]);
    close(&values, &in_order(&program, &[("A1", 0.2), ("A2", 0.6), ("A", 0.6)]));
    let values = module(&program, &[("A1", 0.6), ("A2", 0.3), ("A", 0.3)]);
    close(&values, &in_order(&program, &[("A1", 0.6), ("A2", 0.4), ("A", 0.6)]));
}

#[test]
fn the_loss_of_three_classes() {
    let program = program(THREE);
    let (selected, value, slopes) = loss(
        &program,
        &[("A1", 0.2), ("A2", 0.3), ("A", 0.6)],
        &[("A1", true), ("A2", false), ("A", true)],
    );
    close(&selected, &in_order(&program, &[("A1", 0.2), ("A2", 0.8), ("A", 0.6)]));
    close(&[value], &[-0.6f64.ln() - 2.0 * 0.2f64.ln()]);
    close(&slopes, &in_order(&program, &[("A1", -10.0), ("A2", 0.0), ("A", -1.0 / 0.6)]));
}

#[test]
fn the_strata_of_five_classes() {
    let program = program("A1 -> A\nA2 -> A\nA, not A1 -> A2\nA3 -> A4");
    assert_eq!(program.kind(), ProgramKind::SemiPositive);
    let names: Vec<Vec<&str>> = program
        .strata()
        .classes()
        .iter()
        .map(|classes| {
            let mut names: Vec<&str> = classes.iter().map(|&c| program.labels().name(c)).collect();
            names.sort_unstable();
            names
        })
        .collect();
    assert_eq!(names, [vec!["A1", "A3", "A4"], vec!["A", "A2"]]);
    assert_eq!(closure(&program, 100).unwrap().iter().map(Vec::len).collect::<Vec<_>>(), [1, 4]);
}

#[test]
fn the_stable_models_of_five_classes() {
    let program = program("A1 -> A\nA2 -> A\nA, not A1 -> A2\nA3 -> A4");
    let model = |facts: &[&str]| -> Vec<&str> {
        let predicted: Vec<bool> = program.labels().names().map(|n| facts.contains(&n)).collect();
        let model = reference::stable_model(&program, &predicted);
        assert!(reference::is_stable(&program, &predicted, &model));
        let mut names: Vec<&str> =
            program.labels().names().zip(model).filter(|(_, m)| *m).map(|(n, _)| n).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(model(&[]), Vec::<&str>::new());
    assert_eq!(model(&["A"]), ["A", "A2"]);
    assert_eq!(model(&["A", "A4"]), ["A", "A2", "A4"]);
}

#[test]
fn positive_circles_have_the_minimum_and_negative_ones_none() {
    let program = program("A1 -> A2\nA2 -> A1");
    close(&module(&program, &[("A1", 0.3), ("A2", 0.7)]), &[0.7, 0.7]);
    let errors = RuleText::new("not A1 -> A2\nnot A2 -> A1").parse().unwrap_err();
    assert_eq!(errors.0.len(), 1);
}
