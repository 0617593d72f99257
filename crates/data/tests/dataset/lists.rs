//! Lists of numbers in Parquet: one column per number.

use std::fs::File;
use std::sync::Arc;

use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{
    ArrayRef, FixedSizeListArray, Float32Array, ListArray, RecordBatch, StringArray,
};
use parquet::arrow::ArrowWriter;
use rulebound_data::dataset::{Dataset, Source};
use rulebound_data::dataset::{Pipeline, RowBatch, RowOptions, RowReader};
use rulebound_io::scores::{ScoreBatch, ScoreKind, ScoreReader};

use crate::scene::{Scene, cells};

/// A table of these columns.
fn write(scene: &Scene, name: &str, columns: Vec<(&str, ArrayRef)>) -> std::path::PathBuf {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let path = scene.path(name);
    let mut writer =
        ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    path
}

fn numbers(cells: &[f32]) -> ArrayRef {
    Arc::new(Float32Array::from(cells.to_vec()))
}

/// Rows of lists, as lists of any length or of a fixed one.
fn lists(rows: &[&[f32]], is_fixed: bool) -> ArrayRef {
    let items = |row: &&[f32]| Some(row.iter().map(|&item| Some(item)).collect::<Vec<_>>());
    let rows = rows.iter().map(items);
    match is_fixed {
        true => Arc::new(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(rows, 2)),
        false => Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(rows)),
    }
}

#[test]
fn lists_are_features() {
    let rows: [&[f32]; 3] = [&[1.0, 2.0], &[3.5, f32::NAN], &[-1.0, 0.0]];
    for is_fixed in [true, false] {
        let scene = Scene::new();
        let columns = vec![
            ("size", numbers(&[7.0, 8.0, 9.0])),
            ("emb", lists(&rows, is_fixed)),
            ("cat", numbers(&[0.0, 1.0, 1.0])),
        ];
        let path = write(&scene, "t.parquet", columns);
        let data: Dataset = Source::open(&path).labels("cat").read().unwrap();
        let names: Vec<&str> = data.columns().iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["size", "emb[0]", "emb[1]"]);
        assert_eq!(cells(&data, 1), ["8", "3.5", "?"]);
        assert_eq!(data.features(2), [9.0, -1.0, 0.0]);
        // Rows for a fitted pipeline are the same.
        let pipeline = Pipeline::fit(&data, 0..3).unwrap();
        let mut reader = RowReader::open(&path, &pipeline, &RowOptions::default()).unwrap();
        let mut batch = RowBatch::new();
        assert!(reader.read(&mut batch).unwrap());
        assert_eq!((batch.rows(), &batch.cells()[..4]), (3, &[7.0, 1.0, 2.0, 8.0][..]));
    }
}

#[test]
fn lists_of_unequal_length_are_an_error_with_the_row() {
    let scene = Scene::new();
    let unequal = lists(&[&[1.0, 2.0], &[3.0, 4.0], &[5.0]], false);
    let columns = vec![("emb", unequal), ("cat", numbers(&[0.0, 1.0, 1.0]))];
    let path = write(&scene, "t.parquet", columns);
    let error = Source::open(&path).labels("cat").read().unwrap_err();
    let source = std::error::Error::source(&error).map_or(error.to_string(), ToString::to_string);
    assert!(
        source.contains("the list in row 3 has 1 numbers, but the first one has 2"),
        "{source}"
    );
}

#[test]
fn lists_are_scores_with_names() {
    let scene = Scene::new();
    let rows = [vec![Some(0.25f64), Some(0.1)], vec![Some(1.0), Some(0.0)]];
    let scores = ListArray::from_iter_primitive::<Float64Type, _, _>(rows.into_iter().map(Some));
    let ids: ArrayRef = Arc::new(StringArray::from(vec!["p", "q"]));
    let path = write(&scene, "s.parquet", vec![("photo", ids), ("scores", Arc::new(scores))]);
    let classes = ["cat".to_owned(), "animal".to_owned()];
    let names = ["animal".to_owned(), "cat".to_owned()];
    let open = |names: Option<&[String]>| {
        ScoreReader::open_named(&path, ScoreKind::Probability, &classes, Some("photo"), names)
    };
    let mut reader = open(Some(&names)).unwrap();
    let mut batch = ScoreBatch::new();
    assert!(reader.read(&mut batch).unwrap());
    assert_eq!(batch.values(), [0.1, 0.25, 0.0, 1.0]);
    assert_eq!(batch.id(1).as_deref(), Some("q"));
    assert!(!reader.is_f32() && !reader.read(&mut batch).unwrap());
    assert_eq!(open(None).unwrap().class_column(0), None, "without names it is one column");
}
