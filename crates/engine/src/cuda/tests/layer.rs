//! Values and delegates, bit for bit.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use rulebound_core::{
    ConstraintLayer, Delegate, LabelId, Literal, Program, Rule, Thresholds, reference,
};

use super::gpu;
use super::strategy::{hierarchy, labels, program, tangle};
use crate::cuda::{CudaError, Gpu, GpuRules};
use crate::random::{Draws, Purpose, unit};

/// Critical floats: few values, so that ties are common; values near 0; the extremes.
fn margin() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => (-3i8..=3).prop_map(f32::from),
        2 => -5.0..5.0f32,
        1 => proptest::sample::select(vec![
            0.0, -0.0, 1e-45, -1e-45, f32::MIN_POSITIVE, -f32::MIN_POSITIVE,
            f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1e-40, -1e-40,
        ]),
    ]
}

fn on_host(program: &Program, margins: &[f32]) -> (Vec<f32>, Vec<Delegate>) {
    let thresholds = Thresholds::uniform(program.labels().len(), 0.5).unwrap();
    let layer = ConstraintLayer::new(program, thresholds);
    let mut coherent = vec![0.0; margins.len()];
    let mut delegates = vec![Delegate::default(); margins.len()];
    layer
        .forward_with_delegates(margins, &mut coherent, &mut delegates, &mut layer.workspace())
        .unwrap();
    (coherent, delegates)
}

fn assert_same(gpu: &Gpu, program: &Program, margins: &[f32]) {
    let (values, delegates) = on_host(program, margins);
    let (ours, who) = GpuRules::new(gpu, program).unwrap().layer(gpu, margins).unwrap();
    let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert!(bits(&ours) == bits(&values), "values differ for {}", program.to_text());
    assert!(who == delegates, "delegates differ for {}", program.to_text());
}

#[test]
#[ignore = "needs a GPU"]
fn a_thousand_programs() {
    let gpu = gpu();
    assert_same_for_programs(&gpu, 1000);
}

pub(super) fn assert_same_for_programs(gpu: &Gpu, count: usize) {
    let mut runner = TestRunner::deterministic();
    let programs = prop_oneof![
        4 => program(9, 14),
        2 => program(60, 90),
        1 => program(400, 700),
        2 => tangle(),
        1 => hierarchy(80),
    ];
    for _ in 0..count {
        let program = programs.new_tree(&mut runner).unwrap().current();
        let size = 5 * program.labels().len();
        let margins = proptest::collection::vec(margin(), size);
        let margins = margins.new_tree(&mut runner).unwrap().current();
        assert_same(gpu, &program, &margins);
        let first = &margins[..program.labels().len()];
        let (values, who) = GpuRules::new(gpu, &program).unwrap().layer(gpu, first).unwrap();
        assert_eq!(values, reference::fixpoint(&program, first));
        assert_eq!(who, reference::delegates(&program, first));
    }
}

/// A hundred thousand classes do not fit into the memory of a block.
#[test]
#[ignore = "needs a GPU"]
fn a_large_program() {
    let gpu = gpu();
    assert_same_for_classes(&gpu, 100_000);
}

pub(super) fn assert_same_for_classes(gpu: &Gpu, classes: usize) {
    let draws = Draws::new(1, Purpose::Points);
    let mut rules = Vec::new();
    for class in 1..classes {
        let [parent, other, kind, _] = draws.four(class as u32, 0, 0);
        let parent = LabelId::new(class - 1 - parent as usize % class.min(50));
        let body = Literal::positive(LabelId::new(class));
        match kind % 10 {
            0 => {
                // Classes far apart in the list, so that negation makes no cycle.
                let other = LabelId::new((class + 1 + other as usize % 50).min(classes - 1));
                rules.push(Rule::new(parent, [body, Literal::positive(other)]));
            }
            1 => rules.push(Rule::new(LabelId::new(class), [Literal::positive(parent)])),
            _ => {}
        }
        rules.push(Rule::new(parent, [body]));
    }
    let program = Program::new(labels(classes), rules).unwrap();
    let margins: Vec<f32> =
        (0..3 * classes).map(|at| 8.0 * unit(draws.four(at as u32, 1, 0)[0]) - 4.0).collect();
    assert_same(gpu, &program, &margins);
}

#[test]
#[ignore = "needs a GPU"]
fn what_is_no_number_is_an_error() {
    let gpu = gpu();
    let program: Program = "a -> b\nb -> a".parse().unwrap();
    let rules = GpuRules::new(&gpu, &program).unwrap();
    let result = rules.layer(&gpu, &[1.0, 2.0, f32::NAN, 1.0]);
    assert!(matches!(result, Err(CudaError::NotANumber)), "{result:?}");
}
