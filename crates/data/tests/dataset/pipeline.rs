//! Preprocessing: fitted on the given rows, applied unchanged, columns matched by name.

use rulebound_core::{Labels, Program};
use rulebound_data::dataset::{
    Column, Dataset, DatasetBuilder, FittedColumn, Pipeline, PipelineError, ReadOptions, Source,
    Split,
};

fn table(columns: Vec<Column>, rows: &[&[f32]]) -> Dataset {
    let mut builder = DatasetBuilder::new("t", columns, vec![], 0).unwrap();
    for row in rows {
        builder.push(row, &[]).unwrap();
    }
    builder.finish(Program::new(Labels::default(), vec![]).unwrap()).unwrap()
}

const MISSING: f32 = f32::NAN;

fn columns() -> Vec<Column> {
    vec![
        Column::numeric("n"),
        Column::nominal("c", ["red", "blue", "none"]),
        Column::nominal("bit", ["1", "0"]),
        Column::numeric("constant"),
    ]
}

#[test]
fn the_encoded_values() {
    let data = table(
        columns(),
        &[
            &[1.0, 0.0, 0.0, 7.1],
            &[3.0, 1.0, 1.0, 7.1],
            &[MISSING, MISSING, 1.0, 7.1],
            &[99.0, 2.0, 0.0, 8.0],
        ],
    );
    let pipeline = Pipeline::fit(&data, 0..3).unwrap();
    assert_eq!(pipeline.width(), 6);
    assert_eq!(pipeline.encoded_names(), ["n", "c=red", "c=blue", "c=none", "bit", "constant"]);
    let encoded = pipeline.transform(&data, 0..4).unwrap();
    // n: mean 2; with the missing cell at the mean, the standard deviation is √(2/3).
    let n = |x: f64| ((x - 2.0) / (2.0f64 / 3.0).sqrt()) as f32;
    // red and blue: one of three rows; a missing value is neither.
    let hot = |x: f64| ((x - 1.0 / 3.0) / (2.0f64 / 9.0).sqrt()) as f32;
    // bit: its first value is 1, and one row of three has it.
    assert_eq!(&encoded[..6], [n(1.0), hot(1.0), hot(0.0), 0.0, hot(1.0), 0.0]);
    assert_eq!(&encoded[6..12], [n(3.0), hot(0.0), hot(1.0), 0.0, hot(0.0), 0.0]);
    assert_eq!(&encoded[12..18], [0.0, hot(0.0), hot(0.0), 0.0, hot(0.0), 0.0]);
    // The last row was not fitted: its value of `c` and its differing constant are 0.
    assert_eq!(&encoded[18..], [n(99.0), hot(0.0), hot(0.0), 0.0, hot(1.0), 0.0]);
}

#[test]
fn a_constant_column_is_zero_however_its_sum_rounds() {
    let row: &[f32] = &[0.1];
    let data = table(vec![Column::numeric("n")], &[row; 1001]);
    let pipeline = Pipeline::fit(&data, 0..1001).unwrap();
    assert!(pipeline.transform(&data, 0..1001).unwrap().iter().all(|&value| value == 0.0));
}

#[test]
fn a_column_with_no_known_cell_is_zero() {
    let data = table(vec![Column::numeric("n")], &[&[MISSING], &[MISSING], &[4.0]]);
    let pipeline = Pipeline::fit(&data, 0..2).unwrap();
    assert_eq!(pipeline.transform(&data, 0..3).unwrap(), [0.0; 3]);
}

#[test]
fn sums_are_computed_in_64_bits() {
    // In 32 bits the sum of these loses every second 1.
    let rows: Vec<[f32; 1]> = (0..1000).map(|i| [16_777_216.0 + 2.0 * (i % 2) as f32]).collect();
    let rows: Vec<&[f32]> = rows.iter().map(|row| &row[..]).collect();
    let data = table(vec![Column::numeric("n")], &rows);
    let pipeline = Pipeline::fit(&data, 0..1000).unwrap();
    assert_eq!(pipeline.transform(&data, 0..2).unwrap(), [-1.0, 1.0]);
}

#[test]
fn columns_are_matched_by_name() {
    let data = table(columns(), &[&[1.0, 0.0, 0.0, 7.0], &[3.0, 1.0, 1.0, 9.0]]);
    let pipeline = Pipeline::fit(&data, 0..2).unwrap();
    // Another order, another list of values with an unknown one, a number for a bit, an additional
    // column.
    let other = table(
        vec![
            Column::numeric("bit"),
            Column::numeric("more"),
            Column::nominal("c", ["green", "blue", "red"]),
            Column::numeric("constant"),
            Column::numeric("n"),
        ],
        &[&[1.0, 5.0, 2.0, 7.0, 1.0], &[0.0, 5.0, 1.0, 9.0, 3.0], &[0.0, 5.0, 0.0, 9.0, 3.0]],
    );
    let expected = pipeline.transform(&data, 0..2).unwrap();
    let encoded = pipeline.transform(&other, 0..3).unwrap();
    assert_eq!(encoded[..expected.len()], expected);
    // Green did not occur in fitting: neither red nor blue.
    assert_eq!(encoded[13..15], [-1.0, -1.0]);
}

#[test]
fn missing_columns_are_all_named() {
    let data = table(columns(), &[&[1.0, 0.0, 0.0, 7.0]]);
    let pipeline = Pipeline::fit(&data, 0..1).unwrap();
    let missing = pipeline.encoder(&columns()[1..3]).unwrap_err();
    let names = vec!["n".to_owned(), "constant".to_owned()];
    assert_eq!(missing, PipelineError::MissingColumns { names });
    assert_eq!(missing.to_string(), "2 columns are missing: `n`, `constant`");
    let mut changed = columns();
    changed[0] = Column::nominal("n", ["a", "b"]);
    changed[1] = Column::numeric("c");
    let names = vec!["n".to_owned(), "c".to_owned()];
    assert_eq!(pipeline.encoder(&changed).unwrap_err(), PipelineError::WrongKind { names });
    assert_eq!(Pipeline::fit(&data, 0..0), Err(PipelineError::NoRows));
}

#[test]
fn a_saved_pipeline_is_the_same() {
    let rows: Vec<[f32; 4]> =
        (0..100).map(|i| [(i as f32).sin() * 1e-3, (i % 3) as f32, (i % 2) as f32, 1.0]).collect();
    let rows: Vec<&[f32]> = rows.iter().map(|row| &row[..]).collect();
    let data = table(columns(), &rows);
    let pipeline = Pipeline::fit(&data, 10..100).unwrap();
    let saved = serde_json::to_string(&pipeline).unwrap();
    let back: Pipeline = serde_json::from_str(&saved).unwrap();
    assert_eq!(back, pipeline);
    let bits = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<_>>();
    let (one, other) = (pipeline.transform(&data, 0..100), back.transform(&data, 0..100));
    assert_eq!(bits(one.unwrap()), bits(other.unwrap()));
}

mod needs_data {
    use super::*;
    use rulebound_testing::needs;

    #[test]
    #[ignore = "needs RULEBOUND_DATA"]
    fn the_test_split_has_no_influence() {
        let folder = needs::data();
        let source = Source::Path(folder.join("hmc/seq_FUN"));
        let data = source.read(&ReadOptions::default()).unwrap();
        let train = data.split(Split::Train).unwrap();
        let both = train.clone().chain(data.split(Split::Valid).unwrap());
        let tuned = Pipeline::fit(&data, train.clone()).unwrap();
        let last = Pipeline::fit(&data, both).unwrap();
        assert_ne!(tuned, last);
        assert_eq!(tuned.width(), 529);
        let one_hot = tuned.columns().iter().filter(|c| matches!(c, FittedColumn::OneHot { .. }));
        assert_eq!(one_hot.count(), 5);
        // On the fitted rows every column has mean 0 and standard deviation 1, or is 0.
        let width = tuned.width();
        let encoded = tuned.transform(&data, train.clone()).unwrap();
        for column in 0..width {
            let values = || encoded.iter().skip(column).step_by(width).map(|&v| f64::from(v));
            let mean = values().sum::<f64>() / train.len() as f64;
            let square = values().map(|v| v * v).sum::<f64>() / train.len() as f64;
            assert!(mean.abs() < 1e-6, "{column}: {mean}");
            assert!((square - 1.0).abs() < 1e-5 || square == 0.0, "{column}: {square}");
        }
        assert!(encoded.iter().all(|value| value.is_finite()));
    }
}
