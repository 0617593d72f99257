//! The metrics against scikit-learn, on random tables with ties.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::path::Path;

use rulebound_core::metrics::{
    Columns, FurtherInput, FurtherMetric, FurtherMetrics, Metric, Metrics,
};
use rulebound_testing::{Random, python};

struct Case {
    rows: usize,
    classes: usize,
    scores: Vec<f64>,
    decisions: Vec<bool>,
    truth: Vec<bool>,
}

impl Case {
    /// `levels` distinct scores and about `percent` per cent of labels; of every ten rows one has
    /// no label and one all, and the last class has no positive unless a row has all.
    fn new(
        random: &mut Random,
        rows: usize,
        classes: usize,
        levels: usize,
        percent: usize,
    ) -> Self {
        let mut case = Self { rows, classes, scores: vec![], decisions: vec![], truth: vec![] };
        for _ in 0..rows {
            let kind = random.below(10);
            for class in 0..classes {
                let level = random.below(levels);
                case.scores.push(match (level, levels) {
                    (0, 5..) => f64::NEG_INFINITY,
                    (1, 5..) => f64::INFINITY,
                    _ => (level as f64 - levels as f64 / 2.0) / 3.0,
                });
                case.decisions.push(random.below(100) < percent);
                let chance = random.below(100) < percent && class + 1 < classes;
                case.truth.push(percent == 100 || (kind != 0 && (kind == 1 || chance)));
            }
        }
        case
    }

    fn write(&self, text: &mut String) {
        writeln!(text, "{} {}", self.rows, self.classes).unwrap();
        for score in &self.scores {
            write!(text, "{score} ").unwrap();
        }
        for table in [&self.decisions, &self.truth] {
            text.push('\n');
            text.extend(table.iter().map(|value| if *value { "1 " } else { "0 " }));
        }
        text.push('\n');
    }
}

mod needs_python {
    use super::*;

    #[test]
    #[ignore = "needs RULEBOUND_PYTHON"]
    fn the_metrics_are_those_of_scikit_learn() {
        let mut random = Random::new(20);
        let mut cases = Vec::new();
        for (rows, classes) in [(1, 2), (2, 2), (7, 3), (30, 12), (200, 40), (40, 120)] {
            // Constant scores, many ties, few ties; no label, few, half, all.
            for levels in [1, 2, 7, 1_000_000] {
                for percent in [0, 3, 50, 100] {
                    cases.push(Case::new(&mut random, rows, classes, levels, percent));
                }
            }
        }
        let mut input = String::new();
        cases.iter().for_each(|case| case.write(&mut input));
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sklearn_metrics.py");
        let answers = python::ask(&script, input);
        // Those of the further ones that scikit-learn has.
        let further = [
            FurtherMetric::MicroPrecision,
            FurtherMetric::MicroRecall,
            FurtherMetric::MacroPrecision,
            FurtherMetric::MacroRecall,
            FurtherMetric::MacroAuc,
            FurtherMetric::Brier,
        ];
        let in_all = Metric::ALL.len() + further.len();
        assert_eq!(answers.len(), in_all * cases.len());
        let mut undefined = 0;
        for (case, answers) in cases.iter().zip(answers.chunks(in_all)) {
            let columns = Columns::all(case.classes);
            let found = Metrics::new(&case.scores, &case.decisions, &case.truth, &columns).unwrap();
            let probabilities: Vec<f64> =
                case.scores.iter().map(|score| 1.0 / (1.0 + (-score).exp())).collect();
            let input = FurtherInput {
                scores: &case.scores,
                probabilities: &probabilities,
                decisions: &case.decisions,
                truth: &case.truth,
                ancestors: None,
            };
            let more = FurtherMetrics::new(input, &columns).unwrap();
            let more = further.map(|metric| (metric.name(), more.get(metric)));
            let found = found.iter().map(|(metric, value)| (metric.name(), value)).chain(more);
            for ((metric, found), answer) in found.zip(answers) {
                let (theirs, value) = answer.split_once(' ').unwrap();
                assert_eq!(metric, theirs);
                let expected: Option<f64> = (value != "none").then(|| value.parse().unwrap());
                undefined += u32::from(expected.is_none());
                let near = match (found, expected) {
                    (Some(found), Some(expected)) => {
                        (found - expected).abs() <= 1e-12 * expected.abs()
                    }
                    _ => found == expected,
                };
                let shape = (case.rows, case.classes);
                assert!(near, "{metric} of {shape:?}: {found:?} instead of {expected:?}");
            }
        }
        assert!(undefined > 0, "undefined metrics are among the cases");
    }
}
