//! Hidden classes: the visible ones have the values they have where the hidden ones are −∞.

mod strategy;

use proptest::prelude::*;
use rulebound_core::{ConstraintLayer, Margin, Program, Thresholds, reference};
use strategy::program;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn visible_values_are_those_of_the_whole_program_to_the_bit(
        program in program(8, 14),
        hidden in proptest::collection::vec(any::<bool>(), 8),
        margins in proptest::collection::vec(-3i8..=3, 8),
    ) {
        let visible = |class: usize| !hidden[class];
        let small = program.hiding(|id| visible(id.index())).unwrap();
        let classes = program.labels().len();
        let margin = |class: usize| f64::from(margins[class]) + 0.5;
        let raw: Vec<f64> = (0..classes)
            .map(|class| if visible(class) { margin(class) } else { f64::FALSE })
            .collect();
        let whole = reference::fixpoint(&program, &raw);
        let expected: Vec<u64> =
            (0..classes).filter(|&c| visible(c)).map(|c| whole[c].to_bits()).collect();

        let own: Vec<f64> = (0..classes).filter(|&c| visible(c)).map(margin).collect();
        let thresholds = Thresholds::uniform(own.len(), 0.5).unwrap();
        let layer = ConstraintLayer::new(&small, thresholds);
        let mut values = vec![0.0; own.len()];
        if !own.is_empty() {
            layer.forward(&own, &mut values, &mut layer.workspace()).unwrap();
        }
        let found: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
        prop_assert_eq!(found, expected, "{}", program.to_text());
    }
}

#[test]
fn rules_through_hidden_classes_are_kept_in_their_places() {
    let text = "a -> h\nb, c -> h\nh, d -> e\nnot h -> f\nh -> unused\ng -> e\n";
    let program: Program = text.parse().unwrap();
    let hidden = |name: &str| ["h", "unused"].contains(&name);
    let small = program.hiding(|id| !hidden(program.labels().name(id))).unwrap();
    let expected = "a, d -> e\nb, c, d -> e\nnot a, not b -> f\nnot a, not c -> f\ng -> e\n";
    assert_eq!(small.to_text(), expected);
    let lines: Vec<u32> = small.rule_ids().map(|id| small.span(id).line).collect();
    assert_eq!(lines, [3, 3, 4, 4, 6]);
}

#[test]
fn a_class_without_rules_is_never_true() {
    let program: Program = "h, a -> b\nnot h, a -> c\nnot h -> d\n".parse().unwrap();
    let small = program.hiding(|id| program.labels().name(id) != "h").unwrap();
    assert_eq!(small.to_text(), "a -> c\n-> d\n");
}

#[test]
fn a_blow_up_names_the_class() {
    let mut text = String::new();
    for rule in 0..40 {
        text += &format!("a{rule}, b{rule} -> h\n");
    }
    text += "not h -> x\n";
    let program: Program = text.parse().unwrap();
    let error = program.hiding(|id| program.labels().name(id) != "h").unwrap_err();
    assert_eq!(error.class(), "h");
}

/// A chain and a star of many hidden classes: quadratic work would not end.
#[test]
fn forty_thousand_hidden_classes_are_no_trouble() {
    let mut text = String::new();
    for class in 0..40_000 {
        text += &format!("h{class} -> h{}\n", class / 3);
        text += &format!("leaf{} -> h{class}\n", class % 200);
    }
    text += "h0 -> top\n";
    let program: Program = text.parse().unwrap();
    let small = program.hiding(|id| !program.labels().name(id).starts_with('h')).unwrap();
    assert_eq!(small.rules().len(), 200);
}
