//! Tables of scores and ground truth: the same evaluation in any format and order.
#![allow(clippy::unwrap_used)]

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, Int8Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;
use rulebound::configuration::LabelPolicy;
use rulebound::evaluate::{EvaluateError, Evaluation, Request, Tables};
use rulebound_core::metrics::{LabelsInMetrics, Metric};
use rulebound_core::{Program, Thresholds};
use rulebound_io::scores::ScoreKind;

fn put(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    let file = File::create(&path).unwrap();
    if name.ends_with(".gz") {
        let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap();
    } else {
        std::fs::write(&path, bytes).unwrap();
    }
    path
}

fn parquet(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let rows = RecordBatch::try_from_iter(columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, rows.schema(), None).unwrap();
    writer.write(&rows).unwrap();
    writer.close().unwrap();
    bytes
}

fn evaluate(
    scores: PathBuf,
    truth: PathBuf,
    id: Option<&str>,
) -> Result<Evaluation, EvaluateError> {
    let program: Program = "b -> a".parse().unwrap();
    let id_column = id.map(str::to_owned);
    let kind = ScoreKind::Probability;
    let tables = Tables::open(Request {
        scores,
        truth,
        kind,
        id_column,
        classes: None,
        unknown_labels: Default::default(),
        ontology: None,
    })?;
    let thresholds = Thresholds::uniform(tables.labels().len(), 0.5).unwrap();
    tables.evaluate(Some(&program), &thresholds, LabelsInMetrics::Present, LabelPolicy::Keep)
}

#[test]
fn every_format_gives_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let text = |delimiter: &str, rows: &[&str]| rows.join("\n").replace(' ', delimiter);
    let scores = ["id a b", "x 0.75 0.5", "y 0.25 0.625", ""];
    let truth = ["id a b", "x 1 0", "y 1 1", ""];
    let ids = || Arc::new(StringArray::from(vec!["x", "y"])) as ArrayRef;
    let numbers = |values: [f32; 2]| Arc::new(Float32Array::from(values.to_vec())) as ArrayRef;
    let bits = |values: [i8; 2]| Arc::new(Int8Array::from(values.to_vec())) as ArrayRef;
    let wide =
        parquet(vec![("id", ids()), ("a", numbers([0.75, 0.25])), ("b", numbers([0.5, 0.625]))]);
    let flags = parquet(vec![("b", bits([0, 1])), ("id", ids()), ("a", bits([1, 1]))]);
    let formats = [
        ("csv", text(",", &scores).into_bytes(), text(",", &truth).into_bytes()),
        ("tsv.gz", text("\t", &scores).into_bytes(), text("\t", &truth).into_bytes()),
        ("parquet", wide.clone(), flags.clone()),
        ("parquet.gz", wide, flags),
    ];
    let mut found = Vec::new();
    for (extension, scores, truth) in &formats {
        let scores = put(folder.path(), &format!("s.{extension}"), scores);
        let truth = put(folder.path(), &format!("t.{extension}"), truth);
        found.push(evaluate(scores, truth, Some("id")).unwrap());
    }
    // .75 .625 | .5 .25: a, b, then b of x, which is false, then a of y.
    assert_eq!(found[0].metrics.get(Metric::Auprc), Some((2.0 + 3.0 / 4.0) / 3.0));
    assert_eq!(found[0].violations.unwrap().rows, 1);
    // Apart from tied scores, the order of the classes changes nothing.
    assert!(found.iter().all(|one| *one == found[0]), "{found:?}");
}

/// A table as CSV, with rows and columns in the given orders.
fn table(name: &str, values: &[Vec<String>], rows: &[usize], columns: &[usize]) -> String {
    let line = |cell: &dyn Fn(usize) -> String, first: String| {
        let cells: Vec<String> = columns.iter().map(|&column| cell(column)).collect();
        format!("{first},{}\n", cells.join(","))
    };
    let header = line(&|column| ["a", "b", "c", "d"][column].to_owned(), name.to_owned());
    let body = rows.iter().map(|&row| line(&|column| values[row][column].clone(), row.to_string()));
    header + &body.collect::<String>()
}

fn order(count: usize) -> impl Strategy<Value = Vec<usize>> {
    Just((0..count).collect::<Vec<_>>()).prop_shuffle()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_order_of_rows_and_columns_does_not_matter(
        // No ties, because one-error uses the first of the tied classes.
        ranks in Just((0..20usize).collect::<Vec<_>>()).prop_shuffle(),
        truth in prop::collection::vec(prop::collection::vec(0..=1u8, 4), 5),
        (rows, other_rows) in (order(5), order(5)),
        (columns, other_columns) in (order(4), order(4)),
    ) {
        let scores: Vec<Vec<String>> = ranks
            .chunks(4)
            .map(|row| row.iter().map(|rank| format!("{}", *rank as f64 / 20.0)).collect())
            .collect();
        let truth: Vec<Vec<String>> =
            truth.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect();
        let folder = tempfile::tempdir().unwrap();
        let natural: Vec<usize> = (0..5).collect();
        let run = |rows: [&[usize]; 2], columns: [&[usize]; 2]| {
            let scores = table("id", &scores, rows[0], columns[0]);
            let truth = table("id", &truth, rows[1], columns[1]);
            let scores = put(folder.path(), "s.csv", scores.as_bytes());
            let truth = put(folder.path(), "t.csv", truth.as_bytes());
            evaluate(scores, truth, Some("id")).unwrap()
        };
        let plain = run([&natural, &natural], [&natural[..4], &natural[..4]]);
        let mixed = run([&rows, &other_rows], [&columns, &other_columns]);
        prop_assert_eq!(plain.violations, mixed.violations);
        for (metric, plain) in plain.metrics.iter() {
            let mixed = mixed.metrics.get(metric);
            // Sums are taken in another order.
            let near = match (plain, mixed) {
                (Some(plain), Some(mixed)) => (plain - mixed).abs() <= 1e-12,
                _ => plain == mixed,
            };
            prop_assert!(near, "{}: {:?} and {:?}", metric, plain, mixed);
        }
    }
}
