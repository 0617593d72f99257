//! The first test of a tree against the definition, computed the slow way.

use proptest::prelude::*;
use rulebound_core::{LabelId, Program};

use super::{Clus, ClusSettings};
use crate::dataset::LabelMatrix;
use crate::learner::fitted::Fitted;
use crate::learner::rows::{FitError, FitRows};
use crate::learner::watch::Watch;

const RULES: &str = "b -> a\nc -> a\nd -> b\nd -> e\n";
const WIDTH: usize = 3;
const VALUES: u32 = 4;

#[derive(Debug, Clone)]
struct Row {
    cells: [f32; WIDTH],
    labels: [bool; 5],
}

fn row() -> impl Strategy<Value = Row> {
    let number = || prop_oneof![8 => (-4i8..4).prop_map(f32::from), 1 => Just(f32::NAN)];
    let code = prop_oneof![8 => (0..VALUES).prop_map(|code| code as f32), 1 => Just(f32::NAN)];
    let labels = proptest::array::uniform5(any::<bool>());
    (number(), number(), code, labels)
        .prop_map(|(x, y, code, labels)| Row { cells: [x, y, code], labels })
}

/// The sum of squares by its definition, over the classes; the labels closed by hand.
fn sum_of_squares(rows: &[&Row], weights: &[f64; 5]) -> f64 {
    let holds = |row: &Row, class: usize| {
        let [a, b, c, d, e] = row.labels;
        [a || b || c || d, b || d, c, d, e || d][class]
    };
    let of_class = |class: usize| {
        let mean = rows.iter().filter(|row| holds(row, class)).count() as f64 / rows.len() as f64;
        let distance = |row: &&Row| (f64::from(u8::from(holds(row, class))) - mean).powi(2);
        weights[class] * rows.iter().map(distance).sum::<f64>()
    };
    (0..5).map(of_class).sum()
}

/// The best first test as text, by trying all of them as CLUS orders them.
fn slow(rows: &[Row], weights: &[f64; 5], classes: f64) -> Option<String> {
    let mut best: Option<(f64, String)> = None;
    let gain = |input: usize, is_yes: &dyn Fn(f32) -> bool| {
        let known: Vec<&Row> = rows.iter().filter(|row| !row.cells[input].is_nan()).collect();
        let (yes, no): (Vec<&Row>, Vec<&Row>) =
            known.iter().partition(|row| is_yes(row.cells[input]));
        let gain = || {
            let parts = sum_of_squares(&yes, weights) + sum_of_squares(&no, weights);
            (sum_of_squares(&known, weights) - parts) / classes
        };
        (yes.len() >= 2 && no.len() >= 2).then(gain).filter(|&gain| gain >= 1e-9)
    };
    let mut consider = |found: Option<f64>, text: String| {
        if let Some(found) = found
            && best.as_ref().is_none_or(|best| found > best.0 + 1e-6)
        {
            best = Some((found, text));
        }
    };
    for input in 0..2 {
        for threshold in (-4i8..4).rev().map(f32::from) {
            let is_value = rows.iter().any(|row| row.cells[input] == threshold);
            let found = gain(input, &|value| value > threshold).filter(|_| is_value);
            consider(found, format!("{input} > {threshold}"));
        }
    }
    let mut chosen: Vec<u32> = Vec::new();
    let mut most: Option<f64> = None;
    while chosen.len() + 1 < VALUES as usize {
        let mut next = None;
        for code in (0..VALUES).filter(|code| !chosen.contains(code)) {
            let is_yes = |value: f32| value == code as f32 || chosen.contains(&(value as u32));
            let found = gain(2, &is_yes);
            // A difference that only rounding makes is none.
            if let Some(found) = found.filter(|&found| most.is_none_or(|most| found > most + 1e-12))
            {
                most = Some(found);
                next = Some(code);
            }
        }
        match next {
            Some(code) => chosen.push(code),
            None => break,
        }
    }
    chosen.sort_unstable();
    let chosen: Vec<String> = chosen.iter().map(ToString::to_string).collect();
    consider(most, format!("2 in {{{}}}", chosen.join(",")));
    best.map(|best| best.1)
}

fn with_rows<T>(rows: &[Row], use_them: impl FnOnce(FitRows<'_>) -> T) -> T {
    let program: Program = RULES.parse().unwrap();
    let mut labels = LabelMatrix::new(5);
    for row in rows {
        let at = labels.push_row();
        for (class, name) in ["a", "b", "c", "d", "e"].iter().enumerate() {
            if row.labels[class] {
                let class: LabelId = program.labels().find(name).unwrap();
                labels.insert(at, class);
            }
        }
    }
    let cells: Vec<f32> = rows.iter().flat_map(|row| row.cells).collect();
    let nominal = [0, 0, VALUES];
    use_them(FitRows::new(&cells, WIDTH, &labels, &program).with_nominal(&nominal))
}

fn single(minimal_weight: f64) -> ClusSettings {
    ClusSettings { trees: 1, minimal_weight, f_test: 1.0 }
}

proptest! {
    #[test]
    fn the_first_test_is_the_best_by_definition(rows in prop::collection::vec(row(), 4..24)) {
        let all_have = |class: usize| rows.iter().all(|row| {
            let [a, b, c, d, e] = row.labels;
            [a || b || c || d, b || d, c, d, e || d][class]
        });
        // Top classes that all rows have are above the top: the rest moves up, unless it has
        // another parent.
        prop_assume!(!all_have(0) && !all_have(4));
        let d = 0.75 * (0.75 + 1.0) / 2.0;
        let expected = slow(&rows, &[1.0, 0.75, 0.75, d, 1.0], 5.0);
        let tree = with_rows(&rows, |rows| Clus::fit(&rows, &single(2.0), 0, &Watch::idle()));
        let outline = tree.unwrap().outline(0);
        let first = outline.lines().next().unwrap();
        prop_assert_eq!(first, expected.as_deref().unwrap_or("leaf"));
    }

    /// On a hierarchy the logits need no layer: a class is never below what implies it.
    #[test]
    fn trees_are_coherent_by_themselves(rows in prop::collection::vec(row(), 4..40)) {
        let settings = ClusSettings { trees: 7, minimal_weight: 1.0, f_test: 1.0 };
        with_rows(&rows, |fit| {
            let clus = Clus::fit(&fit, &settings, 5, &Watch::idle()).unwrap();
            let mut logits = vec![f32::NAN; rows.len() * 5];
            clus.logits(fit.inputs(), &mut logits);
            for logits in logits.chunks(5) {
                for rule in fit.program().rules() {
                    let child = rule.body()[0].label().index();
                    assert!(logits[rule.head().index()] >= logits[child], "{logits:?}");
                }
            }
        });
    }
}

#[test]
fn a_leaf_is_the_share_of_its_rows() {
    let labels = |a, b| [a, b, false, false, false];
    let row = |x: f32, labels| Row { cells: [x, 0.0, 0.0], labels };
    let rows = [
        row(0.0, labels(true, true)),
        row(0.0, labels(true, false)),
        row(1.0, labels(false, false)),
        row(1.0, labels(true, true)),
    ];
    let logits = with_rows(&rows, |rows| {
        // Too few rows to divide.
        let clus = Clus::fit(&rows, &single(3.0), 0, &Watch::idle()).unwrap();
        let mut logits = [0.0; 5];
        clus.logits(&[0.5, f32::NAN, 9.0], &mut logits);
        rows.program()
            .labels()
            .names()
            .zip(logits)
            .map(|(n, l)| (n.to_owned(), l))
            .collect::<Vec<_>>()
    });
    let of = |name: &str| logits.iter().find(|pair| pair.0 == name).unwrap().1;
    assert!((of("a") - 3f32.ln()).abs() < 1e-6);
    assert_eq!(of("b"), 0.0);
    assert_eq!(of("c"), f32::NEG_INFINITY);
}

#[test]
fn a_stopped_fit_and_no_rows_are_errors() {
    let stop = std::sync::atomic::AtomicBool::new(true);
    let row = Row { cells: [0.0; 3], labels: [true; 5] };
    let watch = Watch::new(&stop, &|_, _| {});
    let stopped = with_rows(&[row], |rows| Clus::fit(&rows, &single(2.0), 0, &watch));
    assert_eq!(stopped.unwrap_err(), FitError::Stopped);
    let none = with_rows(&[], |rows| Clus::fit(&rows, &single(2.0), 0, &Watch::idle()));
    assert!(matches!(none.unwrap_err(), FitError::Unsuitable { method: "clus", .. }));
}
