//! Properties of the layer: fast = closure = fixpoint, coherent for every
//! float, a stable model, and the same bits however it is called.
#![allow(clippy::unwrap_used)]

mod strategy;

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use rulebound_core::{
    ConstraintLayer, Delegate, Dialect, LayerError, Margin, Program, RuleText, Thresholds, closure,
    constraint_violations, fix_rules, logical_violations, reference,
};
use strategy::{batch, hierarchy, program, tangle};

fn layer(program: &Program) -> ConstraintLayer {
    ConstraintLayer::new(program, Thresholds::uniform(program.labels().len(), 0.5).unwrap())
}

fn run<F: Margin>(layer: &ConstraintLayer, margins: &[F]) -> (Vec<F>, Vec<Delegate>) {
    let mut values = vec![F::default(); margins.len()];
    let mut delegates = vec![Delegate::default(); margins.len()];
    layer
        .forward_with_delegates(margins, &mut values, &mut delegates, &mut layer.workspace())
        .unwrap();
    (values, delegates)
}

fn predicted(values: &[f64]) -> Vec<bool> {
    values.iter().map(|value| *value > 0.0).collect()
}

fn check_a_hierarchy_is_the_maximum_over_descendants(
    program: &Program,
    margins: &[f64],
) -> TestCaseResult {
    let (values, delegates) = run(&layer(program), margins);
    let mut below: Vec<Vec<bool>> =
        (0..values.len()).map(|a| (0..values.len()).map(|b| a == b).collect()).collect();
    for _ in 0..values.len() {
        for rule in program.rules() {
            let child = below[rule.body()[0].label().index()].clone();
            for (have, more) in below[rule.head().index()].iter_mut().zip(child) {
                *have |= more;
            }
        }
    }
    for class in 0..values.len() {
        let most = (0..values.len())
            .filter(|&b| below[class][b])
            .map(|b| margins[b].canonical())
            .fold(f64::NEG_INFINITY, f64::max);
        prop_assert_eq!(values[class], most);
        let delegate = delegates[class].literal().unwrap();
        prop_assert!(!delegate.is_negated() && below[class][delegate.label().index()]);
    }
    Ok(())
}

fn check_emitted_probabilities_are_coherent_at_every_threshold(
    program: &Program,
    thresholds: Vec<f64>,
    row: &[f64],
) -> TestCaseResult {
    let thresholds = Thresholds::new(thresholds).unwrap();
    let layer = ConstraintLayer::new(program, thresholds.clone());
    let labels = || program.labels().ids();
    let network: Vec<bool> = labels().map(|l| row[l.index()] > thresholds.value(l)).collect();
    let model = reference::stable_model(program, &network);

    let margins: Vec<f64> =
        labels().map(|l| thresholds.margin_of_probability(l, row[l.index()])).collect();
    let (values, _) = run(&layer, &margins);
    prop_assert_eq!(predicted(&values), &model[..]);
    let emitted: Vec<bool> = labels()
        .map(|l| thresholds.probability_of_margin(l, values[l.index()]) > thresholds.value(l))
        .collect();
    prop_assert_eq!(&emitted, &model);

    // The same in single precision, from what single precision can hold.
    let narrow: Vec<f32> = row.iter().map(|&p| p as f32).collect();
    let network: Vec<bool> =
        labels().map(|l| f64::from(narrow[l.index()]) > thresholds.value(l)).collect();
    let model = reference::stable_model(program, &network);
    let margins: Vec<f32> =
        labels().map(|l| thresholds.margin_of_probability(l, narrow[l.index()])).collect();
    let (values, _) = run(&layer, &margins);
    let emitted: Vec<bool> = labels()
        .map(|l| {
            f64::from(thresholds.probability_of_margin(l, values[l.index()])) > thresholds.value(l)
        })
        .collect();
    prop_assert_eq!(&emitted, &model);
    prop_assert_eq!(logical_violations(program, &emitted).count(), 0);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10_000) })]

    #[test]
    fn the_layer_is_the_closure_and_the_least_fixpoint((program, margins) in batch(program(7, 9), 1..=1)) {
        let (values, delegates) = run(&layer(&program), &margins);
        prop_assert_eq!(&values, &reference::fixpoint(&program, &margins));
        if let Ok(closure) = closure(&program, 3000) {
            prop_assert_eq!(&values, &reference::closure_layer(&program, &closure, &margins));
        }
        prop_assert_eq!(delegates, reference::delegates(&program, &margins));
    }

    #[test]
    fn in_a_tangle_the_shortest_derivation_decides(
        (program, coarse) in tangle().prop_flat_map(|program| {
            let row = proptest::collection::vec(1i8..=3, program.labels().len());
            (Just(program), row)
        })
    ) {
        let margins: Vec<f64> = coarse.into_iter().map(f64::from).collect();
        let (values, delegates) = run(&layer(&program), &margins);
        prop_assert_eq!(&values, &reference::fixpoint(&program, &margins));
        prop_assert_eq!(delegates, reference::delegates(&program, &margins));
    }

    #[test]
    fn every_float_comes_out_coherent_stable_minimal_and_supported(
        (program, margins) in batch(program(9, 14), 1..=1)
    ) {
        let (values, _) = run(&layer(&program), &margins);
        let model = predicted(&values);
        prop_assert_eq!(logical_violations(&program, &model).count(), 0);
        prop_assert_eq!(constraint_violations(&program, &values).count(), 0);
        let network: Vec<bool> = predicted(&margins);
        prop_assert_eq!(&model, &reference::stable_model(&program, &network));
        prop_assert!(reference::is_stable(&program, &network, &model));
        for label in program.labels().ids() {
            prop_assert!(!network[label.index()] || model[label.index()], "extends the network");
            let supported = network[label.index()] || program.rules_of(label).iter().any(|&rule| {
                program.rule(rule).body().iter().all(|literal| literal.holds(&model))
            });
            prop_assert!(!model[label.index()] || supported, "supported");
        }
        // Minimal: no coherent set between the network's and the model's.
        let added: Vec<usize> = (0..model.len()).filter(|&c| model[c] && !network[c]).collect();
        for subset in 0..(1u32 << added.len().min(8)) - 1 {
            if added.len() > 8 { break }
            let mut less = network.clone();
            for (bit, &class) in added.iter().enumerate() {
                less[class] |= subset >> bit & 1 == 1;
            }
            prop_assert!(logical_violations(&program, &less).next().is_some(), "minimal");
        }
    }

    #[test]
    fn a_hierarchy_is_the_maximum_over_descendants((program, margins) in batch(hierarchy(9), 1..=1)) {
        check_a_hierarchy_is_the_maximum_over_descendants(&program, &margins)?;
    }

    #[test]
    fn an_output_is_the_value_of_its_delegate((program, margins) in batch(program(8, 12), 1..=3)) {
        let (values, delegates) = run(&layer(&program), &margins);
        let classes = program.labels().len();
        for (at, delegate) in delegates.iter().enumerate() {
            let value = match delegate.literal() {
                None => f64::INFINITY,
                Some(literal) => {
                    let own = margins[at / classes * classes + literal.label().index()].canonical();
                    if literal.is_negated() { -own } else { own }
                }
            };
            prop_assert_eq!(values[at].to_bits(), value.to_bits());
        }
    }

    #[test]
    fn applying_twice_is_applying_once((program, margins) in batch(program(8, 12), 1..=1)) {
        let layer = layer(&program);
        let (once, _) = run(&layer, &margins);
        let (twice, delegates) = run(&layer, &once);
        prop_assert_eq!(once, twice);
        for (class, delegate) in delegates.into_iter().enumerate() {
            prop_assert_eq!(delegate, Delegate::own(rulebound_core::LabelId::new(class)));
        }
    }

    #[test]
    fn the_order_of_the_rules_is_irrelevant(
        (program, margins) in batch(program(8, 12), 1..=1),
        seed in any::<u64>(),
    ) {
        let mut rules = program.rules().to_vec();
        let mut state = seed;
        for at in (1..rules.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            rules.swap(at, (state >> 33) as usize % (at + 1));
        }
        let shuffled = Program::new(program.labels().clone(), rules).unwrap();
        prop_assert_eq!(run(&layer(&program), &margins).0, run(&layer(&shuffled), &margins).0);
    }

    #[test]
    fn f32_selects_like_f64((program, margins) in batch(program(8, 12), 1..=1)) {
        let narrow: Vec<f32> = margins.iter().map(|&m| m as f32).collect();
        let widened: Vec<f64> = narrow.iter().map(|&m| if m == 0.0 { 0.0 } else { f64::from(m) }).collect();
        // Zero is moved to a different place in each type, so compare who won.
        let keep = widened.iter().all(|m| *m != 0.0);
        let (values, delegates) = run(&layer(&program), &narrow);
        let (wide, wide_delegates) = run(&layer(&program), &widened);
        if keep {
            prop_assert_eq!(values.iter().map(|&v| f64::from(v)).collect::<Vec<_>>(), wide);
            prop_assert_eq!(delegates, wide_delegates);
        } else {
            prop_assert_eq!(values.iter().map(|v| *v > 0.0).collect::<Vec<_>>(), predicted(&wide));
        }
    }
}

/// Probabilities around a threshold, at the ends, and anywhere.
fn probability(threshold: f64) -> impl Strategy<Value = f64> {
    let near = (-2i64..=2).prop_map(move |step| {
        f64::from_bits((threshold.to_bits() as i64 + step).max(0) as u64).clamp(0.0, 1.0)
    });
    prop_oneof![
        near,
        0.0..=1.0,
        proptest::sample::select(vec![0.0, 1.0, 5e-324, 1.0f64.next_down()])
    ]
}

/// A program, a threshold for each class, and a row of probabilities.
fn thresholded() -> impl Strategy<Value = (Program, Vec<f64>, Vec<f64>)> {
    let threshold = proptest::sample::select(vec![
        0.5,
        0.3,
        0.9,
        1e-300,
        1.0f64.next_down(),
        0.5f64.next_up(),
        0.1,
        5e-324,
    ]);
    (program(8, 12), threshold.clone(), any::<bool>()).prop_flat_map(
        move |(program, all, uniform)| {
            let classes = program.labels().len();
            let thresholds = proptest::collection::vec(threshold.clone(), classes)
                .prop_map(move |own| if uniform { vec![all; own.len()] } else { own });
            let row = |thresholds: &Vec<f64>| {
                thresholds.iter().map(|&t| probability(t)).collect::<Vec<_>>()
            };
            (Just(program), thresholds).prop_flat_map(move |(program, thresholds)| {
                let row = row(&thresholds);
                (Just(program), Just(thresholds), row)
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10_000) })]

    #[test]
    fn emitted_probabilities_are_coherent_at_every_threshold((program, thresholds, row) in thresholded()) {
        check_emitted_probabilities_are_coherent_at_every_threshold(&program, thresholds, &row)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn a_batch_is_its_rows_one_by_one((program, margins) in batch(program(9, 14), 0..=40)) {
        let layer = layer(&program);
        let classes = program.labels().len();
        let (values, delegates) = run(&layer, &margins);
        let mut alone = vec![0.0; margins.len()];
        layer.forward(&margins, &mut alone, &mut layer.workspace()).unwrap();
        prop_assert_eq!(&values, &alone);
        for row in 0..margins.len() / classes {
            let at = row * classes..(row + 1) * classes;
            let (one, who) = run(&layer, &margins[at.clone()]);
            prop_assert_eq!(&values[at.clone()], &one[..]);
            prop_assert_eq!(&delegates[at], &who[..]);
        }
    }

    #[test]
    fn the_gradient_goes_where_the_value_came_from((program, margins) in batch(program(8, 12), 1..=3)) {
        let layer = layer(&program);
        let (_, delegates) = run(&layer, &margins);
        let gradient: Vec<f64> = (0..margins.len()).map(|at| 1.0 + at as f64).collect();
        let mut result = vec![9.0; margins.len()];
        layer.backward(&delegates, &gradient, &mut result).unwrap();
        let classes = program.labels().len();
        let mut expected = vec![0.0; margins.len()];
        for (at, delegate) in delegates.iter().enumerate() {
            if let Some(literal) = delegate.literal() {
                let sign = if literal.is_negated() { -1.0 } else { 1.0 };
                expected[at / classes * classes + literal.label().index()] += sign * gradient[at];
            }
        }
        prop_assert_eq!(result, expected);
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let text: String = (0..2000).map(|i| format!("c{i}, not d{} -> c{}\n", i % 7, i + 1)).collect();
    let program: Program = text.parse().unwrap();
    let layer = layer(&program);
    let classes = program.labels().len();
    let margins: Vec<f32> =
        (0..classes * 333).map(|i| ((i * 7919) % 1009) as f32 - 504.0).collect();
    let expected = run(&layer, &margins[..]);
    for threads in [1, 2, 3, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (values, delegates) = pool.install(|| run(&layer, &margins));
        assert!(values == expected.0 && delegates == expected.1, "{threads} threads");
    }
}

#[test]
fn nan_is_an_error_that_names_row_and_class() {
    let program: Program = "a -> b".parse().unwrap();
    let layer = layer(&program);
    let mut margins = vec![1.0f32; 2 * 100];
    margins[2 * 57 + 1] = f32::NAN;
    margins[2 * 80] = f32::NAN;
    let error = layer.forward(&margins, &mut vec![0.0; 200], &mut layer.workspace()).unwrap_err();
    assert_eq!(error, LayerError::NotANumber { row: 57, label: "b".into() });
}

#[test]
fn buffers_that_do_not_fit_are_errors() {
    let program: Program = "a -> b".parse().unwrap();
    let layer = layer(&program);
    let mut workspace = layer.workspace::<f32>();
    assert!(matches!(
        layer.forward(&[1.0; 3], &mut [0.0; 3], &mut workspace),
        Err(LayerError::Shape { .. })
    ));
    assert!(matches!(
        layer.forward(&[1.0; 4], &mut [0.0; 2], &mut workspace),
        Err(LayerError::Shape { .. })
    ));
    let empty: Program = "".parse().unwrap();
    let layer = ConstraintLayer::new(&empty, Thresholds::uniform(0, 0.5).unwrap());
    assert!(layer.forward::<f32>(&[], &mut [], &mut layer.workspace()).is_ok());
    assert!(layer.forward(&[1.0f32], &mut [0.0], &mut layer.workspace()).is_err());
}

/// The rules that `check --fix` leaves, spelled with duplicates and repeated literals before.
fn check_fixed_rules_compute_the_same(program: &Program, margins: &[f64]) -> TestCaseResult {
    let text = program.to_text();
    // Every third rule twice, once with its body doubled.
    let doubled = text.lines().enumerate().map(|(index, line)| match line.split_once(" -> ") {
        Some((body, head)) if index % 3 == 0 && !body.is_empty() => {
            format!("{body}, {body} -> {head} # {index}\n{line}\n")
        }
        _ => format!("{line}\n"),
    });
    let text: String = doubled.collect();
    let labels = program.labels().clone();
    let read =
        |text: &str| RuleText::new(text).labels(labels.clone()).dialect(Dialect::Rules).parse();
    let parsed = read(&text).unwrap();
    let fixed = fix_rules(&text, &parsed);
    let again = read(&fixed.text).unwrap();
    prop_assert_eq!(
        again.program.rules().len() + fixed.dropped.len(),
        parsed.program.rules().len()
    );
    prop_assert!(again.repeated_literals.is_empty());
    prop_assert_eq!(run(&layer(program), margins).0, run(&layer(&again.program), margins).0);
    prop_assert_eq!(fix_rules(&fixed.text, &again).dropped, []);
    Ok(())
}

proptest! {
    #[test]
    fn fixed_rules_compute_the_same((program, margins) in batch(program(6, 14), 1..=3)) {
        check_fixed_rules_compute_the_same(&program, &margins)?;
    }

    #[test]
    fn fixed_rules_with_cycles_compute_the_same((program, margins) in batch(tangle(), 1..=3)) {
        check_fixed_rules_compute_the_same(&program, &margins)?;
    }
}
