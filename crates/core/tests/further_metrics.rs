//! The further metrics and those of each class against slow oracles written from the published
//! definitions, on small tables with many ties.
#![allow(clippy::unwrap_used)]

mod strategy;

use proptest::prelude::*;
use rulebound_core::metrics::{
    ClassMetrics, Columns, FurtherInput, FurtherMetric, FurtherMetrics, LabelsInMetrics,
};
use rulebound_core::{Ancestors, Program};

#[derive(Debug, Clone)]
struct Table {
    program: Program,
    scores: Vec<f64>,
    decisions: Vec<bool>,
    truth: Vec<bool>,
    evaluated: Vec<bool>,
}

fn table() -> impl Strategy<Value = Table> {
    let programs = prop_oneof![strategy::program(6, 8), strategy::hierarchy(6)];
    (programs, 0..=6usize, 1..=9usize).prop_flat_map(|(program, rows, levels)| {
        let classes = program.labels().len();
        // Both ends, edges of the bins, and few levels, so that ties are common.
        let all = [0.0, 1.0, 0.5, 0.2, 0.4, 1.0 / 15.0, 0.999, 1e-30, 0.7];
        let score = prop::sample::select(all[..levels].to_vec());
        let size = rows * classes;
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
            .prop_map(move |(scores, decisions, truth, evaluated)| Table {
                program: program.clone(),
                scores,
                decisions,
                truth: truth.concat(),
                evaluated,
            })
    })
}

fn counted<T: Copy>(values: &[T], columns: &Columns) -> Vec<Vec<T>> {
    let chosen = |row: &[T]| columns.counted().iter().map(|&class| row[class]).collect();
    values.chunks(columns.classes().max(1)).map(chosen).collect()
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// CAFA: for each threshold, sets of terms; precision over those with a set, recall over all.
fn oracle_f_max(scores: &[Vec<f64>], truth: &[Vec<bool>]) -> Option<f64> {
    let rows: Vec<usize> = (0..truth.len()).filter(|&i| truth[i].contains(&true)).collect();
    let mut best: f64 = 0.0;
    for threshold in rows.iter().flat_map(|&i| scores[i].clone()) {
        let (mut precisions, mut recalls) = (vec![], vec![]);
        for &i in &rows {
            let set = || (0..truth[i].len()).filter(|&j| scores[i][j] >= threshold);
            let hits = set().filter(|&j| truth[i][j]).count();
            if set().count() > 0 {
                precisions.push(ratio(hits, set().count()));
            }
            recalls.push(ratio(hits, truth[i].iter().filter(|t| **t).count()));
        }
        let (p, r) = (mean(&precisions).unwrap(), mean(&recalls).unwrap());
        best = best.max(if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 });
    }
    (!rows.is_empty()).then_some(best)
}

/// All pairs of a positive and a negative, one by one.
fn oracle_auc(scores: &[f64], truth: &[bool]) -> Option<f64> {
    let of = |value: bool| (0..truth.len()).filter(move |&i| truth[i] == value);
    let mut wins = vec![];
    for i in of(true) {
        for j in of(false) {
            wins.push(match scores[i].partial_cmp(&scores[j]).unwrap() {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            });
        }
    }
    mean(&wins)
}

fn oracle_average_precision(scores: &[f64], truth: &[bool]) -> Option<f64> {
    let precisions = (0..truth.len()).filter(|&i| truth[i]).map(|i| {
        let above = || (0..truth.len()).filter(|&j| scores[j] >= scores[i]);
        ratio(above().filter(|&j| truth[j]).count(), above().count())
    });
    mean(&precisions.collect::<Vec<_>>())
}

/// Precision, recall and F1 of sets, of all pairs given.
fn oracle_sets(pairs: impl Iterator<Item = (bool, bool)> + Clone) -> [f64; 3] {
    let hits = pairs.clone().filter(|&(decided, is_true)| decided && is_true).count();
    let precision = ratio(hits, pairs.clone().filter(|(decided, _)| *decided).count());
    let recall = ratio(hits, pairs.filter(|(_, is_true)| *is_true).count());
    let sum = precision + recall;
    [precision, recall, if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 }]
}

/// A set with its ancestors: rules are applied until nothing changes.
fn augmented(program: &Program, values: &[bool]) -> Vec<bool> {
    let mut values = values.to_vec();
    for row in values.chunks_mut(program.labels().len().max(1)) {
        for _ in 0..row.len() {
            for rule in program.rules().iter().filter(|rule| rule.body().len() == 1) {
                let child = rule.body()[0];
                if !child.is_negated() && row[child.label().index()] {
                    row[rule.head().index()] = true;
                }
            }
        }
    }
    values
}

fn oracle(table: &Table, columns: &Columns) -> FurtherMetrics {
    let [decisions, truth] = [&table.decisions, &table.truth].map(|all| counted(all, columns));
    let scores = counted(&table.scores, columns);
    let classes = columns.counted().len();
    let flat = decisions.concat().into_iter().zip(truth.concat());
    let any = !flat.clone().collect::<Vec<_>>().is_empty();
    let column = |j: usize| (0..truth.len()).map(move |i| (i, j));
    let per_class: Vec<[f64; 3]> = (0..classes)
        .map(|j| oracle_sets(column(j).map(|(i, j)| (decisions[i][j], truth[i][j]))))
        .collect();
    let of_class = |at: usize| {
        any.then(|| mean(&per_class.iter().map(|sets| sets[at]).collect::<Vec<_>>())).flatten()
    };
    let aucs: Vec<f64> = (0..classes)
        .filter_map(|j| {
            let scores: Vec<f64> = column(j).map(|(i, j)| scores[i][j]).collect();
            let truth: Vec<bool> = column(j).map(|(i, j)| truth[i][j]).collect();
            oracle_auc(&scores, &truth)
        })
        .collect();
    let with_ancestors = [&table.decisions, &table.truth]
        .map(|all| counted(&augmented(&table.program, all), columns).concat());
    let [decided, is_true] = with_ancestors;
    let hierarchical = oracle_sets(decided.into_iter().zip(is_true));
    let pairs: Vec<(f64, f64)> = scores
        .concat()
        .into_iter()
        .zip(truth.concat().into_iter().map(|is_true| f64::from(u8::from(is_true))))
        .collect();
    let squares: Vec<f64> = pairs.iter().map(|(p, y)| (p - y).powi(2)).collect();
    let gaps = (0..15).map(|bin| {
        // The edges of the bins as they are computed: the product, not the quotient.
        let inside = |p: f64| ((p * 15.0) as usize).min(14) == bin;
        let inside: Vec<_> = pairs.iter().filter(|(p, _)| inside(*p)).collect();
        let sum = |of: fn(&(f64, f64)) -> f64| inside.iter().map(|pair| of(pair)).sum::<f64>();
        (sum(|pair| pair.0) - sum(|pair| pair.1)).abs() / pairs.len() as f64
    });
    let some = |value: f64| any.then_some(value);
    FurtherMetrics::from_fn(|metric| match metric {
        FurtherMetric::FMax => oracle_f_max(&scores, &truth),
        FurtherMetric::MicroPrecision => some(oracle_sets(flat.clone())[0]),
        FurtherMetric::MicroRecall => some(oracle_sets(flat.clone())[1]),
        FurtherMetric::MacroPrecision => of_class(0),
        FurtherMetric::MacroRecall => of_class(1),
        FurtherMetric::MacroAuc => mean(&aucs),
        FurtherMetric::HierarchicalPrecision => some(hierarchical[0]),
        FurtherMetric::HierarchicalRecall => some(hierarchical[1]),
        FurtherMetric::HierarchicalF1 => some(hierarchical[2]),
        FurtherMetric::Brier => mean(&squares),
        FurtherMetric::CalibrationError => some(gaps.clone().sum()),
    })
}

fn near(found: Option<f64>, expected: Option<f64>) -> bool {
    match (found, expected) {
        (Some(found), Some(expected)) => (found - expected).abs() <= 1e-12,
        _ => found == expected,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn the_further_metrics_are_the_published_ones(table in table(), present in any::<bool>()) {
        let labels = if present { LabelsInMetrics::Present } else { LabelsInMetrics::All };
        let columns = Columns::new(&table.evaluated, &table.truth, labels).unwrap();
        let Table { program, scores, decisions, truth, .. } = &table;
        let ancestors = Ancestors::new(program);
        let input = FurtherInput {
            scores, probabilities: scores, decisions, truth, ancestors: Some(&ancestors),
        };
        let found = FurtherMetrics::new(input, &columns).unwrap();
        for (metric, expected) in oracle(&table, &columns).iter() {
            let found = found.get(metric);
            prop_assert!(near(found, expected), "{}: {:?} not {:?}", metric, found, expected);
        }
        let without = FurtherMetrics::new(FurtherInput { ancestors: None, ..input }, &columns);
        prop_assert_eq!(without.unwrap().get(FurtherMetric::HierarchicalF1), None);
    }

    #[test]
    fn each_class_has_its_published_metrics(table in table()) {
        let columns = Columns::evaluated(&table.evaluated);
        let found =
            ClassMetrics::of_each(&table.scores, &table.decisions, &table.truth, &columns).unwrap();
        prop_assert_eq!(found.len(), columns.counted().len());
        let rows = table.truth.len() / columns.classes().max(1);
        for metrics in found {
            let at = |row: usize| row * columns.classes() + metrics.class;
            let scores: Vec<f64> = (0..rows).map(|row| table.scores[at(row)]).collect();
            let truth: Vec<bool> = (0..rows).map(|row| table.truth[at(row)]).collect();
            let pairs = (0..rows).map(|row| (table.decisions[at(row)], table.truth[at(row)]));
            let [precision, recall, f1] = oracle_sets(pairs);
            prop_assert_eq!(metrics.counts.support(), truth.iter().filter(|t| **t).count() as u64);
            prop_assert!(near(Some(metrics.counts.precision()), Some(precision)));
            prop_assert!(near(Some(metrics.counts.recall()), Some(recall)));
            prop_assert!(near(Some(metrics.counts.f1()), Some(f1)));
            prop_assert!(near(metrics.auc, oracle_auc(&scores, &truth)));
            prop_assert!(near(metrics.average_precision, oracle_average_precision(&scores, &truth)));
        }
    }
}
