//! The metrics against slow oracles written from the published definitions, on small tables with
//! many ties.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use rulebound_core::metrics::{
    Columns, Confusion, LabelsInMetrics, Metric, Metrics, Ranking, auprc, average_precision,
    coverage_error, hamming_loss, macro_auprc, macro_f1, micro_f1, multilabel_accuracy, one_error,
    ranking_loss,
};

/// A table of some examples and classes.
#[derive(Debug, Clone)]
struct Table {
    scores: Vec<f64>,
    decisions: Vec<bool>,
    truth: Vec<bool>,
    evaluated: Vec<bool>,
}

fn table() -> impl Strategy<Value = Table> {
    (0..=6usize, 0..=6usize, 1..=9usize).prop_flat_map(|(rows, classes, levels)| {
        // Few levels make many ties; the two zeros are one of them.
        let all = [0.0, -0.0, 0.5, -0.5, f64::INFINITY, f64::NEG_INFINITY, 1e-30, 2.0, -7.0];
        let score = prop::sample::select(all[..levels].to_vec());
        let size = rows * classes;
        // Rows with no label and with all labels, beside mixed ones.
        let share = prop::sample::select(vec![0.0, 0.1, 0.5, 0.9, 1.0]);
        let row = share.prop_flat_map(move |share| {
            prop::collection::vec(prop::bool::weighted(share), classes)
        });
        (
            prop::collection::vec(score, size),
            prop::collection::vec(any::<bool>(), size),
            prop::collection::vec(row, rows),
            prop::collection::vec(prop::bool::weighted(0.8), classes),
        )
            .prop_map(|(scores, decisions, truth, evaluated)| Table {
                scores,
                decisions,
                truth: truth.concat(),
                evaluated,
            })
    })
}

/// One value of a table for each example and class that counts.
fn rows<T: Copy>(values: &[T], columns: &Columns) -> Vec<Vec<T>> {
    let chosen = |row: &[T]| columns.counted().iter().map(|&class| row[class]).collect();
    values.chunks(columns.classes().max(1)).map(chosen).collect()
}

fn mean(values: Vec<f64>) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Σ (Rₙ − Rₙ₋₁) Pₙ: whoever has at least the n-th distinct score is retrieved.
fn oracle_curve(scores: &[f64], truth: &[bool]) -> Option<f64> {
    let positives = truth.iter().filter(|t| **t).count() as f64;
    let mut thresholds = scores.to_vec();
    thresholds.sort_by(|a, b| b.partial_cmp(a).unwrap());
    thresholds.dedup();
    let (mut area, mut last_recall) = (0.0, 0.0);
    for threshold in thresholds {
        let retrieved = || (0..scores.len()).filter(|&i| scores[i] >= threshold);
        let right = retrieved().filter(|&i| truth[i]).count() as f64;
        area += (right / positives - last_recall) * right / retrieved().count() as f64;
        last_recall = right / positives;
    }
    (positives > 0.0).then_some(area)
}

/// How many classes have at least the score of class `j`.
fn rank(scores: &[f64], j: usize) -> usize {
    scores.iter().filter(|score| **score >= scores[j]).count()
}

fn oracle(table: &Table, columns: &Columns) -> Metrics {
    let classes = columns.counted().len();
    let scores = &rows(&table.scores, columns);
    let truth = &rows(&table.truth, columns);
    let decisions = &rows(&table.decisions, columns);
    let examples = if classes == 0 { 0 } else { truth.len() };
    let of = |i: usize, value: bool| (0..classes).filter(move |&j| truth[i][j] == value);
    let mixed = |i: usize| of(i, true).count() > 0 && of(i, false).count() > 0;
    let each = |value: &dyn Fn(usize) -> f64| mean((0..examples).map(value).collect());

    let average_precision = each(&|i| {
        let above = |j: usize| of(i, true).filter(|&k| scores[i][k] >= scores[i][j]).count();
        let share = |j: usize| above(j) as f64 / rank(&scores[i], j) as f64;
        if mixed(i) { mean(of(i, true).map(share).collect()).unwrap() } else { 1.0 }
    });
    let coverage = each(&|i| of(i, true).map(|j| rank(&scores[i], j)).max().unwrap_or(0) as f64);
    let ranking_loss = each(&|i| {
        let wrong = |j: usize| of(i, false).filter(|&k| scores[i][k] >= scores[i][j]).count();
        let pairs = of(i, true).count() * of(i, false).count();
        if mixed(i) { of(i, true).map(wrong).sum::<usize>() as f64 / pairs as f64 } else { 0.0 }
    });
    let top = |i: usize| {
        let highest = scores[i].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        scores[i].iter().position(|score| *score == highest).unwrap()
    };
    let errors = (0..examples).filter(|&i| mixed(i)).map(|i| !truth[i][top(i)]);
    let count = |class: Option<usize>, decided: bool, is_true: bool| {
        let classes = || (0..classes).filter(|&j| class.is_none_or(|class| class == j));
        let pairs = (0..examples).flat_map(|i| classes().map(move |j| (i, j)));
        pairs.filter(|&(i, j)| decisions[i][j] == decided && truth[i][j] == is_true).count() as f64
    };
    let or_zero = |value: f64| if value.is_nan() { 0.0 } else { value };
    let f1 = |class| {
        let [hit, extra, missed] =
            [(true, true), (true, false), (false, true)].map(|(d, t)| count(class, d, t));
        let (precision, recall) = (or_zero(hit / (hit + extra)), or_zero(hit / (hit + missed)));
        or_zero(2.0 * precision * recall / (precision + recall))
    };
    let wrong = count(None, true, false) + count(None, false, true);
    let hit = count(None, true, true);
    let any = |value: f64| (examples > 0).then_some(value);
    let column = |table: &[Vec<f64>], j: usize| table.iter().map(|row| row[j]).collect::<Vec<_>>();
    let true_column = |j: usize| truth.iter().map(|row| row[j]).collect::<Vec<_>>();
    let curves = (0..classes).filter_map(|j| oracle_curve(&column(scores, j), &true_column(j)));
    Metrics::from_fn(|metric| match metric {
        Metric::Auprc => oracle_curve(&scores.concat(), &truth.concat()),
        Metric::AveragePrecision => average_precision,
        Metric::CoverageError => coverage.map(|coverage| (coverage - 1.0) / classes as f64),
        Metric::HammingLoss => any(wrong / (examples * classes) as f64),
        Metric::MultilabelAccuracy => any(or_zero(hit / (hit + wrong))),
        Metric::OneError => mean(errors.clone().map(|wrong| f64::from(u8::from(wrong))).collect()),
        Metric::RankingLoss => ranking_loss,
        Metric::MicroF1 => any(f1(None)),
        Metric::MacroF1 => any(0.0).and(mean((0..classes).map(|j| f1(Some(j))).collect())),
        Metric::MacroAuprc => mean(curves.clone().collect()),
    })
}

fn expect_same(found: &Metrics, expected: &Metrics) -> Result<(), TestCaseError> {
    for (metric, found) in found.iter() {
        let expected = expected.get(metric);
        let near = match (found, expected) {
            (Some(found), Some(expected)) => (found - expected).abs() <= 1e-12 * expected.abs(),
            _ => found == expected,
        };
        prop_assert!(near, "{}: {:?} instead of {:?}", metric, found, expected);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn the_fast_metrics_are_the_published_ones(table in table(), present in any::<bool>()) {
        let labels = if present { LabelsInMetrics::Present } else { LabelsInMetrics::All };
        let columns = Columns::new(&table.evaluated, &table.truth, labels).unwrap();
        let expected = oracle(&table, &columns);
        let Table { scores, decisions, truth, .. } = &table;
        let found = Metrics::new(scores, decisions, truth, &columns).unwrap();
        expect_same(&found, &expected)?;
        let narrow: Vec<f32> = scores.iter().map(|&score| score as f32).collect();
        prop_assert_eq!(Metrics::new(&narrow, decisions, truth, &columns).unwrap(), found);
        let ranking = Ranking::new(scores, truth, &columns).unwrap();
        let confusion = Confusion::new(decisions, truth, &columns).unwrap();
        prop_assert_eq!(found, Metrics::from_fn(|metric| match metric {
            Metric::Auprc => auprc(&ranking),
            Metric::AveragePrecision => average_precision(&ranking),
            Metric::CoverageError => coverage_error(&ranking),
            Metric::HammingLoss => hamming_loss(&confusion),
            Metric::MultilabelAccuracy => multilabel_accuracy(&confusion),
            Metric::OneError => one_error(&ranking),
            Metric::RankingLoss => ranking_loss(&ranking),
            Metric::MicroF1 => micro_f1(&confusion),
            Metric::MacroF1 => macro_f1(&confusion),
            Metric::MacroAuprc => macro_auprc(&ranking),
        }));
    }
}
