//! Properties of the loss: fast = closure, also when the labels break rules;
//! gradient = finite differences, with the signs of the theorem.
#![allow(clippy::unwrap_used)]

mod strategy;

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use rulebound_core::{
    ConstraintLoss, Delegate, LossValue, Program, Reduction, closure, logical_violations, reference,
};
use strategy::{hierarchy, labelled, program};

fn select(
    program: &Program,
    logits: &[f64],
    labels: &[bool],
) -> (Vec<f64>, Vec<Delegate>, LossValue) {
    let loss = ConstraintLoss::new(program).reduction(Reduction::Sum);
    let mut selected = vec![0.0; logits.len()];
    let mut delegates = vec![Delegate::default(); logits.len()];
    let value =
        loss.select(logits, labels, &mut selected, &mut delegates, &mut loss.workspace()).unwrap();
    (selected, delegates, value)
}

fn gradient(loss: &ConstraintLoss, logits: &[f64], labels: &[bool]) -> (LossValue, Vec<f64>) {
    let mut gradient = vec![7.0; logits.len()];
    let value =
        loss.forward_backward(logits, labels, &mut gradient, &mut loss.workspace()).unwrap();
    (value, gradient)
}

fn cross_entropy(selected: &[f64], labels: &[bool]) -> f64 {
    let term = |(s, y): (&f64, &bool)| (if *y { -s } else { *s }).exp().ln_1p();
    selected.iter().zip(labels).map(term).sum()
}

/// Logits with few values have ties and zeros.
fn coarse(logits: &[f64]) -> Vec<f64> {
    logits.iter().map(|logit| logit.round()).collect()
}

/// Logits of which some are infinite.
fn certain(logits: &[f64]) -> Vec<f64> {
    let far = |logit: &f64| if logit.abs() > 2.5 { logit * f64::INFINITY } else { *logit };
    logits.iter().map(far).collect()
}

/// Logits and labels of one example.
type Row = (Vec<f64>, Vec<bool>);

fn program_and_rows() -> impl Strategy<Value = (Program, Vec<Row>)> {
    program(8, 12).prop_flat_map(|program| {
        let classes = program.labels().len();
        let logits = proptest::collection::vec(-4.0..4.0f64, classes);
        let labels = proptest::collection::vec(any::<bool>(), classes);
        (Just(program), proptest::collection::vec((logits, labels), 0..=30))
    })
}

fn check_a_hierarchys_loss_is_the_papers_max_formula(
    program: &Program,
    logits: &[f64],
    labels: &[bool],
) -> TestCaseResult {
    let labels = reference::stable_model(program, labels);
    let (selected, _, _) = select(program, logits, &labels);
    // max over descendants of h·y where affirmed, of h where denied: the
    // descendants of a denied class are all denied.
    let masked: Vec<f64> =
        logits.iter().zip(&labels).map(|(h, y)| if *y { *h } else { f64::NEG_INFINITY }).collect();
    let (plus, all) = (reference::fixpoint(program, &masked), reference::fixpoint(program, logits));
    for class in 0..labels.len() {
        prop_assert_eq!(selected[class], if labels[class] { plus[class] } else { all[class] });
    }
    Ok(())
}

fn check_the_gradient_is_the_finite_difference(
    program: &Program,
    logits: &[f64],
    labels: &[bool],
    mask: &[bool],
) -> TestCaseResult {
    const STEP: f64 = 1e-6;
    // Away from ties: all |logits| differ by more than the step.
    let mut sizes: Vec<f64> = logits.iter().map(|logit| logit.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    prop_assume!(
        sizes.windows(2).all(|pair| pair[1] - pair[0] > 10.0 * STEP) && sizes[0] > 10.0 * STEP
    );
    let evaluated = mask[..logits.len()].to_vec();
    for reduction in [Reduction::Sum, Reduction::Mean] {
        let loss = ConstraintLoss::new(program).evaluated(evaluated.clone()).reduction(reduction);
        let (_, slopes) = gradient(&loss, logits, labels);
        for class in 0..logits.len() {
            let at = |shift: f64| {
                let mut moved = logits.to_vec();
                moved[class] += shift;
                gradient(&loss, &moved, labels).0.value
            };
            let difference = (at(STEP) - at(-STEP)) / (2.0 * STEP);
            prop_assert!(
                (difference - slopes[class]).abs() < 1e-6,
                "{} instead of {difference}",
                slopes[class]
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10_000) })]

    #[test]
    fn the_loss_is_the_closure_also_when_labels_break_rules(
        (program, logits, labels) in labelled(program(7, 9))
    ) {
        let Ok(closure) = closure(&program, 3000) else { return Ok(()) };
        for logits in [coarse(&logits), certain(&logits), certain(&coarse(&logits)), logits] {
            let is_finite = logits.iter().all(|logit| logit.is_finite());
            for labels in [reference::stable_model(&program, &labels), labels.clone()] {
                let (selected, delegates, value) = select(&program, &logits, &labels);
                let expected = reference::closure_loss(&program, &closure, &logits, &labels);
                prop_assert_eq!(&selected, &expected);
                let broken = logical_violations(&program, &labels).next().is_some();
                prop_assert_eq!(value.broken_rows, usize::from(broken));
                if is_finite {
                    prop_assert!(value.value.is_finite());
                    prop_assert!((value.value - cross_entropy(&expected, &labels)).abs() < 1e-9);
                }
                for (value, delegate) in selected.iter().zip(delegates) {
                    let leaf = delegate.literal().map_or(f64::INFINITY, |literal| {
                        let own = logits[literal.label().index()];
                        if literal.is_negated() { -own } else { own }
                    });
                    prop_assert_eq!(*value, leaf);
                }
            }
        }
    }

    #[test]
    fn a_hierarchys_loss_is_the_papers_max_formula((program, logits, labels) in labelled(hierarchy(8))) {
        check_a_hierarchys_loss_is_the_papers_max_formula(&program, &logits, &labels)?;
    }

    #[test]
    fn the_gradient_has_the_signs_of_the_theorem((program, logits, labels) in labelled(program(8, 12))) {
        let labels = reference::stable_model(&program, &labels);
        let loss = ConstraintLoss::new(&program);
        for logits in [coarse(&logits), logits] {
            let (value, gradient) = gradient(&loss, &logits, &labels);
            prop_assert_eq!(value.broken_rows, 0);
            for (slope, affirmed) in gradient.iter().zip(&labels) {
                let right = if *affirmed { *slope <= 0.0 } else { *slope >= 0.0 };
                prop_assert!(right);
            }
        }
    }

    #[test]
    fn the_gradient_is_the_finite_difference(
        (program, logits, labels) in labelled(program(6, 9)),
        mask in proptest::collection::vec(any::<bool>(), 6),
    ) {
        check_the_gradient_is_the_finite_difference(&program, &logits, &labels, &mask)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn a_batch_is_its_rows_one_by_one(
        (program, rows) in program_and_rows()
    ) {
        let loss = ConstraintLoss::new(&program).reduction(Reduction::Sum);
        let logits: Vec<f64> = rows.iter().flat_map(|row| row.0.clone()).collect();
        let labels: Vec<bool> = rows.iter().flat_map(|row| row.1.clone()).collect();
        let (together, slopes) = gradient(&loss, &logits, &labels);
        let (mut value, mut broken, mut apart) = (0.0, 0, Vec::new());
        for (logits, labels) in &rows {
            let (one, slopes) = gradient(&loss, logits, labels);
            value += one.value;
            broken += one.broken_rows;
            apart.extend(slopes);
        }
        prop_assert_eq!(together, LossValue { value, broken_rows: broken });
        prop_assert_eq!(slopes, apart);
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let text: String = (0..1500).map(|i| format!("c{i}, not d{} -> c{}\n", i % 7, i + 1)).collect();
    let program: Program = text.parse().unwrap();
    let loss = ConstraintLoss::new(&program);
    let size = program.labels().len() * 77;
    let logits: Vec<f32> = (0..size).map(|i| ((i * 7919) % 1009) as f32 / 100.0 - 5.0).collect();
    let labels: Vec<bool> = (0..size).map(|i| (i * 31) % 11 < 3).collect();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut gradient = vec![0.0f32; size];
            let value = loss
                .forward_backward(&logits, &labels, &mut gradient, &mut loss.workspace())
                .unwrap();
            (value, gradient)
        })
    };
    let one = run(1);
    assert!(one.0.broken_rows > 0 && one.0.value.is_finite());
    for threads in [2, 3, 5] {
        assert!(run(threads) == one, "{threads} threads");
    }
}

/// Weights multiply terms: the gradient is that of finite differences, and a term with the weight 0
/// is not there, whatever its logit.
#[test]
fn weighted_terms_have_the_gradient_of_finite_differences() {
    let program: Program = "b -> a\nc, not b -> d\nd -> e\n".parse().unwrap();
    let classes = program.labels().len();
    let logits: Vec<f64> = (0..3 * classes).map(|at| (at as f64 * 0.73).sin() * 2.0).collect();
    let labels: Vec<bool> = (0..3)
        .flat_map(|row| {
            let given: Vec<bool> = (0..classes).map(|class| (row + class) % 3 == 0).collect();
            reference::stable_model(&program, &given)
        })
        .collect();
    let weights: Vec<f32> = (0..3 * classes).map(|at| [1.0, 0.0, 2.5, 0.25][at % 4]).collect();
    let loss = ConstraintLoss::new(&program);
    let value = |logits: &[f64]| {
        let mut gradient = vec![7.0; logits.len()];
        let space = &mut loss.workspace();
        let value = loss.forward_backward_weighted(logits, &labels, &weights, &mut gradient, space);
        (value.unwrap().value, gradient)
    };
    let (_, gradient) = value(&logits);
    for at in 0..logits.len() {
        const STEP: f64 = 1e-6;
        let moved = |by: f64| {
            let mut moved = logits.clone();
            moved[at] += by;
            value(&moved).0
        };
        let expected = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
        assert!((gradient[at] - expected).abs() < 1e-7, "{at}: {} and {expected}", gradient[at]);
    }
    assert!(gradient.iter().filter(|g| g.abs() > 1e-3).count() > 4);

    let plain = Program::new(program.labels().clone(), Vec::new()).unwrap();
    let loss = ConstraintLoss::new(&plain);
    let mut gradient = vec![7.0; classes];
    let mut wild = vec![1.0; classes];
    wild[1] = f64::INFINITY;
    let (labels, weights) = (vec![false; classes], [1.0, 0.0, 1.0, 1.0, 1.0]);
    let space = &mut loss.workspace();
    let found = loss.forward_backward_weighted(&wild, &labels, &weights, &mut gradient, space);
    assert!((found.unwrap().value - 1f64.exp().ln_1p()).abs() < 1e-12);
    assert_eq!(gradient[1], 0.0);
}

#[test]
fn weights_of_one_change_no_bit() {
    let program: Program = "b -> a\nc -> b\n".parse().unwrap();
    let loss = ConstraintLoss::new(&program);
    let logits: Vec<f32> = (0..60).map(|at| (at as f32).sin()).collect();
    let labels: Vec<bool> = (0..60).map(|at| at % 4 == 0).collect();
    let (mut one, mut other) = (vec![0.0; 60], vec![0.0; 60]);
    let space = &mut loss.workspace();
    let plain = loss.forward_backward(&logits, &labels, &mut one, space).unwrap();
    let ones = [1.0; 60];
    let weighted =
        loss.forward_backward_weighted(&logits, &labels, &ones, &mut other, space).unwrap();
    assert_eq!((plain, one), (weighted, other));
}

/// Such a row was once taken for one whose labels break a rule: infinite logits are as large as constants.
#[test]
fn an_infinite_logit_is_not_taken_for_granted() {
    for rules in ["d, c -> a\na -> b", "c, d -> a\na -> b", "d, c -> a\na -> b\nb -> a"] {
        let program: Program = rules.parse().unwrap();
        let find = |name: &str| program.labels().find(name).unwrap().index();
        let mut logits = vec![0.5; program.labels().len()];
        let mut labels = vec![false; program.labels().len()];
        logits[find("c")] = f64::INFINITY;
        labels[find("d")] = true;
        let (selected, delegates, value) = select(&program, &logits, &labels);
        assert_eq!(value.broken_rows, 0, "{rules}");
        for class in ["a", "b", "c"].map(find) {
            assert_eq!(selected[class], f64::INFINITY, "{rules}");
            let decided_by = delegates[class].display(program.labels()).to_string();
            assert_eq!(decided_by, "c", "{rules}");
        }
        assert_eq!(value.value, f64::INFINITY);

        // The labels break a rule, however sure the network is of its head.
        labels[find("c")] = true;
        logits[find("a")] = f64::INFINITY;
        let (selected, _, value) = select(&program, &logits, &labels);
        assert_eq!(value.broken_rows, 1, "{rules}");
        assert_eq!(selected[find("b")], 0.5, "{rules}");
    }
}
