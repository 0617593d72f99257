//! Random programs and values for the properties.
#![allow(dead_code, clippy::unwrap_used)] // every test file uses a part of it

use proptest::prelude::*;
use rulebound_core::{LabelId, Labels, Literal, Program, Rule};

/// A stratified program over up to `most` classes, with positive cycles,
/// facts, contradictory bodies and rules that support themselves: every class
/// gets a level, and bodies look at most as high as their head, negated
/// literals lower.
pub fn program(most: usize, rules: usize) -> impl Strategy<Value = Program> {
    (1..=most).prop_flat_map(move |classes| {
        let levels = proptest::collection::vec(0..3usize, classes);
        let rule = (0..classes, proptest::collection::vec((0..classes, any::<bool>()), 0..=4));
        (levels, proptest::collection::vec(rule, 0..=rules)).prop_map(move |(levels, drafts)| {
            let mut rules = Vec::new();
            for (head, body) in drafts {
                let literal = |(label, negated): (usize, bool)| {
                    let id = LabelId::new(label);
                    if levels[label] < levels[head] && negated {
                        Some(Literal::negative(id))
                    } else {
                        (levels[label] <= levels[head]).then(|| Literal::positive(id))
                    }
                };
                let written = body.len();
                let body: Vec<Literal> = body.into_iter().filter_map(literal).collect();
                // Facts only where they were meant, or they decide everything.
                if !body.is_empty() || (written == 0 && head % 5 == 0) {
                    rules.push(Rule::new(LabelId::new(head), body));
                }
            }
            Program::new(labels(classes), rules).unwrap()
        })
    })
}

/// A dense positive program: mostly one large component, where the choice
/// among equal values could run in circles.
pub fn tangle() -> impl Strategy<Value = Program> {
    (3..=7usize).prop_flat_map(|classes| {
        let rule = (0..classes, proptest::collection::vec(0..classes, 1..=2));
        proptest::collection::vec(rule, classes..=3 * classes).prop_map(move |drafts| {
            let literal = |label| Literal::positive(LabelId::new(label));
            let rule = |(head, body): (usize, Vec<usize>)| {
                Rule::new(LabelId::new(head), body.into_iter().map(literal))
            };
            Program::new(labels(classes), drafts.into_iter().map(rule).collect()).unwrap()
        })
    })
}

/// A hierarchy: every class may have parents among the later ones.
pub fn hierarchy(most: usize) -> impl Strategy<Value = Program> {
    (2..=most).prop_flat_map(|classes| {
        let edge = (0..classes, 0..classes);
        proptest::collection::vec(edge, 0..=2 * classes).prop_map(move |edges| {
            let rules = edges.into_iter().filter(|(child, parent)| child < parent).map(
                |(child, parent)| {
                    Rule::new(LabelId::new(parent), [Literal::positive(LabelId::new(child))])
                },
            );
            Program::new(labels(classes), rules.collect()).unwrap()
        })
    })
}

pub fn labels(classes: usize) -> Labels {
    Labels::new((0..classes).map(|class| format!("c{class}"))).unwrap()
}

/// Margins: few values so that ties are common, the neighbourhood of the
/// threshold, the ends of the line, and ordinary numbers.
pub fn margin() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (-3i8..=3).prop_map(f64::from),
        2 => -5.0..5.0f64,
        1 => proptest::sample::select(vec![
            0.0, -0.0, 5e-324, -5e-324, f64::MIN_POSITIVE, -f64::MIN_POSITIVE,
            f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, 1e-310, -1e-310,
        ]),
    ]
}

/// A program and `rows` rows of margins for it.
pub fn batch(
    programs: impl Strategy<Value = Program>,
    rows: std::ops::RangeInclusive<usize>,
) -> impl Strategy<Value = (Program, Vec<f64>)> {
    (programs, rows).prop_flat_map(|(program, rows)| {
        let size = rows * program.labels().len();
        (Just(program), proptest::collection::vec(margin(), size))
    })
}

/// A program, finite logits without ties for it, and labels.
pub fn labelled(
    programs: impl Strategy<Value = Program>,
) -> impl Strategy<Value = (Program, Vec<f64>, Vec<bool>)> {
    programs.prop_flat_map(|program| {
        let classes = program.labels().len();
        let logits = proptest::collection::vec(-4.0..4.0f64, classes);
        let labels = proptest::collection::vec(any::<bool>(), classes);
        (Just(program), logits, labels)
    })
}
