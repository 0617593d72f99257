//! Metrics where some labels are not known, against the same metrics of only what is known: rows,
//! classes and pairs taken out of the table one by one.
#![allow(clippy::unwrap_used)]

mod strategy;

use proptest::prelude::*;
use rulebound_core::metrics::{
    ClassMetrics, Columns, FurtherInput, FurtherMetric, FurtherMetrics, LabelsInMetrics, Metric,
    MetricError, Metrics,
};
use rulebound_core::{Ancestors, Program, known_violations, logical_violations};

#[derive(Debug, Clone)]
struct Table {
    program: Program,
    scores: Vec<f64>,
    decisions: Vec<bool>,
    truth: Vec<bool>,
    known: Vec<bool>,
    evaluated: Vec<bool>,
}

/// A score, a decision and the truth of one pair.
type Pair = (f64, bool, bool);

fn table() -> impl Strategy<Value = Table> {
    let programs = prop_oneof![strategy::program(6, 8), strategy::hierarchy(6)];
    (programs, 0..=6usize, 1..=5usize).prop_flat_map(|(program, rows, levels)| {
        let (classes, all) = (program.labels().len(), [0.0, 0.5, 1.0, 0.2, 0.7]);
        let score = prop::sample::select(all[..levels].to_vec());
        let size = rows * classes;
        let known = prop::sample::select(vec![0.0, 0.5, 0.9, 1.0])
            .prop_flat_map(move |share| prop::collection::vec(prop::bool::weighted(share), size));
        let bits = || prop::collection::vec(any::<bool>(), size);
        let evaluated = prop::collection::vec(prop::bool::weighted(0.8), classes);
        (prop::collection::vec(score, size), bits(), bits(), known, evaluated).prop_map(
            move |(scores, decisions, truth, known, evaluated)| Table {
                program: program.clone(),
                scores,
                decisions,
                truth: truth.iter().zip(&known).map(|(is_true, known)| is_true & known).collect(),
                known,
                evaluated,
            },
        )
    })
}

impl Table {
    fn classes(&self) -> usize {
        self.program.labels().len()
    }

    fn rows(&self) -> usize {
        self.truth.len() / self.classes().max(1)
    }

    /// The known pairs of each row, in the order of the classes that count.
    fn by_row(&self, columns: &Columns) -> Vec<Vec<Pair>> {
        let row = |row: usize| {
            let at = columns.counted().iter().map(|class| row * self.classes() + class);
            self.known_pairs(at)
        };
        (0..self.rows()).map(row).collect()
    }

    /// The known pairs of each class that counts.
    fn by_class(&self, columns: &Columns) -> Vec<Vec<Pair>> {
        let class = |&class: &usize| {
            self.known_pairs((0..self.rows()).map(|row| row * self.classes() + class))
        };
        columns.counted().iter().map(class).collect()
    }

    fn known_pairs(&self, places: impl Iterator<Item = usize>) -> Vec<Pair> {
        let known = places.filter(|&at| self.known[at]);
        known.map(|at| (self.scores[at], self.decisions[at], self.truth[at])).collect()
    }
}

/// The metrics of pairs as one row, or as one class.
fn metrics(pairs: &[Pair], classes: usize) -> (Metrics, FurtherMetrics) {
    let scores: Vec<f64> = pairs.iter().map(|pair| pair.0).collect();
    let decisions: Vec<bool> = pairs.iter().map(|pair| pair.1).collect();
    let truth: Vec<bool> = pairs.iter().map(|pair| pair.2).collect();
    let columns = Columns::all(classes);
    let input = FurtherInput {
        scores: &scores,
        probabilities: &scores,
        decisions: &decisions,
        truth: &truth,
        ancestors: None,
    };
    let further = FurtherMetrics::new(input, &columns).unwrap();
    (Metrics::new(&scores, &decisions, &truth, &columns).unwrap(), further)
}

fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let values: Vec<f64> = values.flatten().collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Every threshold in turn, every row by itself.
fn oracle_f_max(rows: &[Vec<Pair>]) -> Option<f64> {
    let rows: Vec<&Vec<Pair>> = rows.iter().filter(|row| row.iter().any(|pair| pair.2)).collect();
    let at = |threshold: f64| {
        let hits = |row: &[Pair]| row.iter().filter(|pair| pair.0 >= threshold && pair.2).count();
        let had = |row: &[Pair]| row.iter().filter(|pair| pair.0 >= threshold).count();
        let support = |row: &[Pair]| row.iter().filter(|pair| pair.2).count();
        let precision =
            rows.iter().map(|row| (had(row) > 0).then(|| hits(row) as f64 / had(row) as f64));
        let recall = rows.iter().map(|row| Some(hits(row) as f64 / support(row) as f64));
        let (precision, recall) = (mean(precision)?, mean(recall)?);
        Some(if precision + recall > 0.0 {
            2.0 * precision * recall / (precision + recall)
        } else {
            0.0
        })
    };
    rows.iter().flat_map(|row| row.iter()).filter_map(|pair| at(pair.0)).reduce(f64::max)
}

fn oracle_hierarchical(table: &Table, columns: &Columns) -> Option<[f64; 3]> {
    let ancestors = Ancestors::new(&table.program);
    let [mut decisions, mut truth] = [table.decisions.clone(), table.truth.clone()];
    ancestors.close(&mut decisions);
    ancestors.close(&mut truth);
    let counts = |at: &usize| columns.counted().contains(&(at % table.classes()));
    let places = (0..truth.len()).filter(counts).filter(|&at| table.known[at] || truth[at]);
    let pairs: Vec<Pair> = places.map(|at| (0.0, decisions[at], truth[at])).collect();
    let (one, more) = metrics(&pairs, 1);
    Some([
        more.get(FurtherMetric::MicroPrecision)?,
        more.get(FurtherMetric::MicroRecall)?,
        one.get(Metric::MicroF1)?,
    ])
}

fn near(found: Option<f64>, expected: Option<f64>) -> bool {
    match (found, expected) {
        (Some(found), Some(expected)) => (found - expected).abs() <= 1e-12,
        _ => found == expected,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn unknown_label_cells_count_in_no_metric(table in table(), present in any::<bool>()) {
        let choice = if present { LabelsInMetrics::Present } else { LabelsInMetrics::All };
        let columns = Columns::new(&table.evaluated, &table.truth, choice).unwrap();
        let columns = columns.with_known(table.known.clone()).unwrap();
        let rows = table.by_row(&columns);
        let classes = table.by_class(&columns);
        let each_row = |metric| {
            let rows = rows.iter().filter(|row| !row.is_empty());
            mean(rows.map(|row| metrics(row, row.len()).0.get(metric)))
        };
        let each_class = |metric| mean(classes.iter().map(|class| metrics(class, 1).0.get(metric)));
        let flat = metrics(&rows.concat(), 1);
        let found =
            Metrics::new(&table.scores, &table.decisions, &table.truth, &columns).unwrap();
        for (metric, found) in found.iter() {
            let expected = match metric {
                Metric::AveragePrecision | Metric::CoverageError | Metric::OneError
                    | Metric::RankingLoss => each_row(metric),
                Metric::MacroF1 | Metric::MacroAuprc => each_class(metric),
                _ => flat.0.get(metric),
            };
            prop_assert!(near(found, expected), "{metric}: {found:?} not {expected:?}");
        }
        let ancestors = Ancestors::new(&table.program);
        let input = FurtherInput {
            scores: &table.scores,
            probabilities: &table.scores,
            decisions: &table.decisions,
            truth: &table.truth,
            ancestors: Some(&ancestors),
        };
        let further = |metric: FurtherMetric, one: &[Pair]| metrics(one, 1).1.get(metric);
        let each_class =
            |metric: FurtherMetric| mean(classes.iter().map(|class| further(metric, class)));
        let hierarchical = oracle_hierarchical(&table, &columns);
        for (metric, found) in FurtherMetrics::new(input, &columns).unwrap().iter() {
            let expected = match metric {
                FurtherMetric::FMax => oracle_f_max(&rows),
                FurtherMetric::MacroPrecision | FurtherMetric::MacroRecall
                    | FurtherMetric::MacroAuc => each_class(metric),
                FurtherMetric::HierarchicalPrecision => hierarchical.map(|all| all[0]),
                FurtherMetric::HierarchicalRecall => hierarchical.map(|all| all[1]),
                FurtherMetric::HierarchicalF1 => hierarchical.map(|all| all[2]),
                _ => flat.1.get(metric),
            };
            prop_assert!(near(found, expected), "{metric}: {found:?} not {expected:?}");
        }
        let found =
            ClassMetrics::of_each(&table.scores, &table.decisions, &table.truth, &columns).unwrap();
        prop_assert_eq!(found.len(), classes.len());
        for (found, pairs) in found.iter().zip(&classes) {
            let (one, _) = metrics(pairs, 1);
            prop_assert!(near(Some(found.counts.f1()), one.get(Metric::MicroF1)));
            prop_assert!(near(found.average_precision, one.get(Metric::Auprc)));
            let positives = pairs.iter().filter(|pair| pair.2).count() as u64;
            prop_assert_eq!(found.counts.support(), positives);
        }
    }

    #[test]
    fn unknown_label_cells_that_do_not_exist_change_no_rule(table in table()) {
        let classes = table.classes().max(1);
        for (labels, known) in table.truth.chunks(classes).zip(table.known.chunks(classes)) {
            let all = vec![true; labels.len()];
            let broken: Vec<_> = logical_violations(&table.program, labels).map(|v| v.rule).collect();
            prop_assert_eq!(&known_violations(&table.program, labels, &all).collect::<Vec<_>>(), &broken);
            // A rule is broken for certain iff it is, whatever the unknown labels are.
            let unknown: Vec<usize> = (0..labels.len()).filter(|&class| !known[class]).collect();
            let mut certain = broken;
            for choice in 0..1u32 << unknown.len() {
                let mut labels = labels.to_vec();
                for (bit, &class) in unknown.iter().enumerate() {
                    labels[class] = choice >> bit & 1 == 1;
                }
                let broken: Vec<_> =
                    logical_violations(&table.program, &labels).map(|v| v.rule).collect();
                certain.retain(|rule| broken.contains(rule));
            }
            prop_assert_eq!(
                known_violations(&table.program, labels, known).collect::<Vec<_>>(),
                certain
            );
        }
    }
}

#[test]
fn unknown_label_cells_are_said_of_every_row() {
    let columns = Columns::all(2).with_known(vec![true; 2]).unwrap();
    let error = Metrics::new(&[0.0; 4], &[true; 4], &[true; 4], &columns).unwrap_err();
    assert_eq!(error, MetricError::Sizes { expected: 4, found: 2 });
    let error = Columns::all(2).with_known(vec![true; 3]).unwrap_err();
    assert_eq!(error, MetricError::Rows { values: 3, classes: 2 });
}
