//! What forests promise beside what all learners do.

use rulebound_core::Program;

use super::{Forest, ForestSettings, SplitThresholds};
use crate::dataset::LabelMatrix;
use crate::learner::fit::Fit;
use crate::learner::fitted::Fitted;
use crate::learner::rows::FitRows;
use crate::learner::watch::Watch;
use crate::random::{Draws, Purpose, unit};

const ROWS: usize = 300;

/// Two numbers and a code: `a` where the first is large, `b` where also the second is, `c` by the
/// code; some cells are missing.
fn with_rows<T>(use_them: impl FnOnce(FitRows<'_>) -> T) -> T {
    let program: Program = "b -> a\nc -> c0\n".parse().unwrap();
    let class = |name: &str| program.labels().find(name).unwrap();
    let draws = Draws::new(11, Purpose::Points);
    let mut labels = LabelMatrix::new(program.labels().len());
    let mut cells = Vec::new();
    for row in 0..ROWS {
        let [x, y, code, hole] = draws.four(0, row as u32, 0);
        let (x, y, code) = (unit(x), unit(y), (code % 3) as f32);
        let at = labels.push_row();
        if x > 0.5 {
            labels.insert(at, class("a"));
            if y > 0.5 {
                labels.insert(at, class("b"));
            }
        }
        if code == 1.0 {
            labels.insert(at, class("c"));
        }
        let hole = hole % 30;
        let known = |place: u32, value: f32| if hole == place { f32::NAN } else { value };
        cells.extend([known(0, x), known(1, y), known(2, code)]);
    }
    use_them(FitRows::new(&cells, 3, &labels, &program).with_nominal(&[0, 0, 3]))
}

fn fitted(rows: &FitRows<'_>, settings: &ForestSettings) -> Forest {
    Forest::fit(rows, settings, 7, &Watch::idle()).unwrap()
}

/// Decisions at one half that are wrong, among all that are not of classes above others.
fn mistakes(rows: &FitRows<'_>, logits: &[f32]) -> usize {
    let names = ["a", "b", "c"].map(|name| rows.program().labels().find(name).unwrap());
    let row = |(row, logits): (usize, &[f32])| {
        let wrong = |class: &&rulebound_core::LabelId| {
            rows.labels().contains(row, **class) != (logits[class.index()] > 0.0)
        };
        names.iter().filter(wrong).count()
    };
    logits.chunks(rows.classes()).enumerate().map(row).sum()
}

#[test]
fn forests_of_both_kinds_learn_and_are_coherent() {
    with_rows(|rows| {
        for thresholds in SplitThresholds::ALL {
            let settings = ForestSettings { trees: 40, thresholds, ..ForestSettings::default() };
            let forest = fitted(&rows, &settings);
            let mut logits = vec![0.0; ROWS * rows.classes()];
            forest.logits(rows.inputs(), &mut logits);
            // A cell in ten rows is missing, so that some mistakes are due.
            let wrong = mistakes(&rows, &logits);
            assert!(wrong < 20, "{thresholds}: {wrong}");
            for logits in logits.chunks(rows.classes()) {
                for rule in rows.program().rules() {
                    let child = rule.body()[0].label().index();
                    assert!(logits[rule.head().index()] >= logits[child]);
                }
            }
        }
    });
}

#[test]
fn rows_out_of_the_bag_are_predicted_by_the_other_trees() {
    with_rows(|rows| {
        let bagged = |trees| ForestSettings { trees, bagging: true, ..ForestSettings::default() };
        let mut logits = vec![0.0; ROWS * rows.classes()];
        fitted(&rows, &bagged(1)).oob_logits(&rows, 7, &mut logits);
        let none = logits.chunks(rows.classes()).filter(|logits| logits[0].is_nan()).count();
        // A row is in a bootstrap sample with probability 1 − 1/e.
        assert!((150..230).contains(&none), "{none}");
        fitted(&rows, &bagged(80)).oob_logits(&rows, 7, &mut logits);
        assert!(logits.iter().all(|logit| !logit.is_nan()));
        let wrong = mistakes(&rows, &logits);
        assert!((1..60).contains(&wrong), "{wrong}");
    });
}

#[test]
fn a_missing_number_goes_where_the_mean_goes() {
    with_rows(|rows| {
        let forest = fitted(&rows, &ForestSettings { trees: 20, ..ForestSettings::default() });
        let known = rows.inputs().iter().step_by(3).filter(|cell| !cell.is_nan());
        let sum: f64 = known.clone().map(|&cell| f64::from(cell)).sum();
        let mean = (sum / known.count() as f64) as f32;
        let mut logits = [vec![0.0; rows.classes()], vec![0.0; rows.classes()]];
        for y in [0.1, 0.4, 0.6, 0.9] {
            forest.logits(&[f32::NAN, y, 1.0], &mut logits[0]);
            forest.logits(&[mean, y, 1.0], &mut logits[1]);
            assert_eq!(logits[0], logits[1]);
        }
    });
}

#[test]
fn seeds_differ_and_settings_are_checked() {
    with_rows(|rows| {
        let settings = ForestSettings { trees: 3, ..ForestSettings::default() };
        let other = Forest::fit(&rows, &settings, 8, &Watch::idle()).unwrap();
        assert_ne!(fitted(&rows, &settings), other);
    });
    let wrong =
        ForestSettings { trees: 0, leaf: 0, inputs: f64::NAN, sketch: 0, ..Default::default() };
    assert_eq!(wrong.mistakes().len(), 4);
    assert!(ForestSettings::default().mistakes().is_empty());
}
