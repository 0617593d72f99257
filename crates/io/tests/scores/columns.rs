//! Parquet columns: types, nulls and metadata.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder};
use arrow_array::types::{ArrowPrimitiveType, Float16Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray,
    Float16Array, Float32Array, Float64Array, Int8Array, Int32Array, Int64Array, RecordBatch,
    StringArray, StructArray, TimestampMicrosecondArray, UInt8Array, UInt64Array,
};
use arrow_schema::{DataType, Field, Schema};
use rulebound_io::scores::{BadReason, Cell, ScoreError, ScoreKind};
use rulebound_io::table::TableError;

use crate::scene::Scene;

fn f32s(values: &[f32]) -> ArrayRef {
    Arc::new(Float32Array::from(values.to_vec()))
}

fn f64s(values: &[f64]) -> ArrayRef {
    Arc::new(Float64Array::from(values.to_vec()))
}

fn others() -> Vec<(&'static str, ArrayRef)> {
    let mut lists = ListBuilder::new(Int32Builder::new());
    lists.append_value([Some(1), None]);
    lists.append_null();
    lists.append_value([]);
    let part: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(3)]));
    let field = Arc::new(Field::new("part", DataType::Int64, true));
    let time = || TimestampMicrosecondArray::from(vec![Some(0), None, Some(1_500_000)]);
    let dictionary: DictionaryArray<Int32Type> =
        vec![Some("x"), None, Some("x")].into_iter().collect();
    let decimal = Decimal128Array::from(vec![Some(12345), None, Some(-1)]);
    vec![
        ("text", Arc::new(StringArray::from(vec![Some("a"), None, Some("")]))),
        ("flag", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]))),
        ("big", Arc::new(UInt64Array::from(vec![Some(u64::MAX), None, Some(0)]))),
        ("day", Arc::new(Date32Array::from(vec![Some(1), None, Some(20_000)]))),
        ("naive", Arc::new(time())),
        ("utc", Arc::new(time().with_timezone("UTC"))),
        ("zone", Arc::new(time().with_timezone("Europe/Berlin"))),
        ("offset", Arc::new(time().with_timezone("+02:00"))),
        ("kind", Arc::new(dictionary)),
        ("price", Arc::new(decimal.with_precision_and_scale(10, 2).unwrap())),
        ("raw", Arc::new(BinaryArray::from(vec![Some(b"\xff\x00".as_slice()), None, Some(b"")]))),
        ("list", Arc::new(lists.finish())),
        ("record", Arc::new(StructArray::from(vec![(field, part)]))),
        ("nan", Arc::new(Float64Array::from(vec![Some(f64::NAN), None, Some(0.1)]))),
        ("single", Arc::new(Float32Array::from(vec![Some(0.1), None, Some(f32::INFINITY)]))),
    ]
}

#[test]
fn passed_through_columns_keep_type_nulls_and_values() {
    let mut scene = Scene::new();
    let mut columns = others();
    columns.insert(3, ("A", f64s(&[0.1, 0.2, 0.3])));
    scene.put_parquet("in.parquet", &columns);
    let before = scene.rows("in.parquet");
    for cells in [3, 1000] {
        scene.batch_cells = cells;
        scene.keep("in.parquet", "out.parquet").unwrap();
        let after = scene.rows("out.parquet");
        assert_eq!(after.schema(), before.schema());
        // NaN is not equal to itself; the text of all cells is compared below.
        for (name, _) in columns.iter().filter(|(name, _)| *name != "nan") {
            assert_eq!(after.column_by_name(name), before.column_by_name(name), "{name}");
        }
    }
    scene.keep("in.parquet", "before.csv").unwrap();
    scene.keep("out.parquet", "after.csv").unwrap();
    assert_eq!(scene.text("before.csv"), scene.text("after.csv"));
}

#[test]
fn passed_through_columns_as_text() {
    let scene = Scene::new();
    scene.put_parquet("in.parquet", &others());
    scene.keep("in.parquet", "out.csv").unwrap();
    let expected = "\
text,flag,big,day,naive,utc,zone,offset,kind,price,raw,list,record,nan,single
a,true,18446744073709551615,1970-01-02,1970-01-01T00:00:00,1970-01-01T00:00:00Z,1970-01-01T00:00:00Z,1970-01-01T02:00:00+02:00,x,123.45,ff00,\"[1, ]\",{part: 1},NaN,0.10000000149011612
,,,,,,,,,,,,{part: },,
,false,0,2024-10-04,1970-01-01T00:00:01.500,1970-01-01T00:00:01.500Z,1970-01-01T00:00:01.500Z,1970-01-01T02:00:01.500+02:00,x,-0.01,,[],{part: 3},0.1,inf
";
    assert_eq!(scene.text("out.csv"), expected);
}

#[test]
fn all_f32_stays_f32() {
    let mut scene = Scene::new();
    scene.kind = ScoreKind::Logit;
    let columns = [
        ("A", f32s(&[0.1, -0.0, f32::MIN_POSITIVE])),
        ("B", f32s(&[16_777_217.0, f32::NEG_INFINITY, 1.0])),
    ];
    scene.put_parquet("in.parquet", &columns);
    assert!(scene.open("in.parquet").unwrap().is_f32());
    let change = |row, class| match (row, class) {
        (1, 0) => Cell::Changed(f64::from(0.3_f32)),
        (2, 0) => Cell::Copied(1),
        _ => Cell::Kept,
    };
    scene.copy("in.parquet", "out.parquet", change).unwrap();
    let rows = scene.rows("out.parquet");
    assert_eq!(rows.schema(), scene.rows("in.parquet").schema());
    let expected = f32s(&[0.3, f32::NEG_INFINITY, f32::MIN_POSITIVE]);
    assert_eq!(rows.column(0), &expected);
    assert_eq!(rows.column(1), &columns[1].1);
    scene.copy("in.parquet", "out.csv", change).unwrap();
    let expected = "A,B\n0.30000001192092896,16777216.0\n-inf,-inf\n1.1754943508222875e-38,1.0\n";
    assert_eq!(scene.text("out.csv"), expected);
    scene.keep("in.parquet", "out.csv").unwrap();
    assert!(scene.text("out.csv").starts_with("A,B\n0.10000000149011612,16777216.0\n-0.0,-inf\n"));
}

#[test]
fn mixed_numbers_become_f64() {
    let mut scene = Scene::new();
    scene.kind = ScoreKind::Logit;
    scene.classes = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
    let half = Float16Array::from_iter_values(
        [0.5_f32, -2.0].map(<Float16Type as ArrowPrimitiveType>::Native::from_f32),
    );
    scene.put_parquet(
        "in.parquet",
        &[
            ("a", f32s(&[0.1, 0.5])),
            ("b", f64s(&[0.1, 0.7])),
            ("c", Arc::new(Int8Array::from(vec![-1, 1]))),
            ("d", Arc::new(UInt64Array::from(vec![1 << 60, 7]))),
            ("e", Arc::new(half)),
        ],
    );
    assert!(!scene.open("in.parquet").unwrap().is_f32());
    scene
        .copy("in.parquet", "out.parquet", |row, class| match (row, class) {
            (2, 4) => Cell::Changed(0.1),
            _ => Cell::Kept,
        })
        .unwrap();
    let rows = scene.rows("out.parquet");
    let expected: [&[f64]; 5] = [
        &[f64::from(0.1_f32), 0.5],
        &[0.1, 0.7],
        &[-1.0, 1.0],
        &[1_152_921_504_606_846_976.0, 7.0],
        &[0.5, 0.1],
    ];
    for (column, expected) in rows.columns().iter().zip(expected) {
        assert_eq!(column, &f64s(expected));
    }
    scene.keep("in.parquet", "out.csv").unwrap();
    assert_eq!(
        scene.text("out.csv"),
        "a,b,c,d,e\n0.10000000149011612,0.1,-1,1152921504606846976,0.5\n0.5,0.7,1,7,-2\n"
    );
}

#[test]
fn metadata_and_nullability_are_kept() {
    let mut scene = Scene::new();
    let note = |key: &str| HashMap::from([(key.to_owned(), "kept".to_owned())]);
    let fields = vec![
        Field::new("A", DataType::Int32, false).with_metadata(note("field")),
        Field::new("x", DataType::Int32, false).with_metadata(note("other")),
    ];
    let schema = Schema::new_with_metadata(fields, note("table"));
    let ones: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    let rows = RecordBatch::try_new(Arc::new(schema.clone()), vec![ones.clone(), ones]).unwrap();
    scene.put_rows("in.parquet", &rows);
    scene.keep("in.parquet", "out.parquet").unwrap();
    let after = scene.rows("out.parquet").schema();
    assert_eq!(after.metadata(), schema.metadata());
    assert_eq!(after.field(0), &schema.field(0).clone().with_data_type(DataType::Float64));
    assert_eq!(after.field(1), schema.field(1));
    scene.id = Some("x");
    scene.decide("in.parquet", "out.parquet").unwrap();
    assert!(scene.rows("out.parquet").schema().metadata().is_empty());
}

#[test]
fn decisions_and_names_have_their_types() {
    let mut scene = Scene::new();
    let mut columns = others();
    columns.push(("A", f64s(&[0.9, 0.1, 0.6])));
    scene.put_parquet("in.parquet", &columns);
    scene.decide("in.parquet", "d.parquet").unwrap();
    let rows = scene.rows("d.parquet");
    assert_eq!(rows.num_columns(), columns.len());
    let bits: ArrayRef = Arc::new(UInt8Array::from(vec![1, 0, 1]));
    assert_eq!(rows.column_by_name("A"), Some(&bits));
    assert_eq!(rows.column_by_name("list"), scene.rows("in.parquet").column_by_name("list"));
    scene.id = Some("kind");
    scene.name("in.parquet", "n.parquet").unwrap();
    let rows = scene.rows("n.parquet");
    assert_eq!(rows.num_columns(), 2);
    assert_eq!(rows.column(0).data_type(), columns[8].1.data_type());
    assert_eq!(rows.column(1).as_ref(), &StringArray::from(vec!["not B, C"; 3]));
}

#[test]
fn bad_cells_in_parquet() {
    let mut scene = Scene::new();
    scene.id = Some("key");
    let a = Float64Array::from(vec![Some(0.5), None, Some(2.0), Some(f64::NAN), Some(1.0)]);
    let b = Int64Array::from(vec![0, 1, -1, (1 << 53) + 1, 0]);
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["p", "q", "r", "s", "t"]));
    scene.put_parquet("in.parquet", &[("key", keys), ("A", Arc::new(a)), ("B", Arc::new(b))]);
    for cells in [1, 1000] {
        scene.batch_cells = cells;
        let ScoreError::BadCells { cells, total: 5, complete: true, .. } =
            scene.values("in.parquet").unwrap_err()
        else {
            panic!();
        };
        let found: Vec<_> = cells
            .iter()
            .map(|c| (c.row, c.column, c.name.as_str(), c.text.as_str(), c.id.as_deref(), c.reason))
            .collect();
        let expected = [
            (2, 2, "A", "", Some("q"), BadReason::Empty),
            (3, 2, "A", "2.0", Some("r"), BadReason::OutsideUnit),
            (3, 3, "B", "-1", Some("r"), BadReason::OutsideUnit),
            (4, 2, "A", "NaN", Some("s"), BadReason::NaN),
            (4, 3, "B", "9007199254740993", Some("s"), BadReason::Inexact),
        ];
        assert_eq!(found, expected);
        assert!(cells.iter().all(|cell| cell.line.is_none()));
    }
}

#[test]
fn files_that_are_not_parquet() {
    let scene = Scene::new();
    for bytes in [&b""[..], b"PAR", b"A,B\n0.5,0.5\n"] {
        scene.write("in.parquet", bytes);
        let error = scene.values("in.parquet").unwrap_err();
        assert!(matches!(error, ScoreError::Table(TableError::NotParquet { .. })), "{error:?}");
    }
    let path = scene.put_parquet("in.parquet", &[("A", f64s(&[0.5]))]);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 9]).unwrap();
    let error = scene.values("in.parquet").unwrap_err();
    assert!(matches!(error, ScoreError::Table(TableError::Parquet { .. })), "{error:?}");
}

#[test]
fn a_damaged_file_is_read_as_a_table_of_three_rows_or_rejected_by_name() {
    let scene = Scene::new();
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x", "x", "y"]));
    let columns = [("A", f64s(&[0.5, 0.25, 1.0])), ("x", text)];
    let path = scene.put_parquet("in.parquet", &columns);
    let whole = fs::read(&path).unwrap();
    for position in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[position] ^= 1;
        fs::write(&path, damaged).unwrap();
        match scene.keep("in.parquet", "out.csv") {
            Ok(()) => assert_eq!(scene.text("out.csv").lines().count(), 4, "byte {position}"),
            Err(error) => assert!(error.to_string().contains("in.parquet"), "{position}: {error}"),
        }
    }
}

#[test]
fn a_class_that_is_not_numeric() {
    let scene = Scene::new();
    for array in [
        Arc::new(StringArray::from(vec!["0.5"])) as ArrayRef,
        Arc::new(BooleanArray::from(vec![true])),
        Arc::new(Date32Array::from(vec![1])),
    ] {
        let expected = array.data_type().to_string();
        scene.put_parquet("in.parquet", &[("x", f64s(&[0.5])), ("A", array)]);
        match scene.values("in.parquet").unwrap_err() {
            ScoreError::ClassType { column, name, data_type, .. } => {
                assert_eq!((column, name.as_str(), data_type), (2, "A", expected));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn many_rows_in_many_batches() {
    let mut scene = Scene::new();
    let count = 100_000;
    let scores: Vec<f64> = (0..count).map(|n| f64::from(n) / f64::from(count)).collect();
    let ids: ArrayRef = Arc::new(Int32Array::from_iter_values(0..count));
    scene.put_parquet("in.parquet", &[("id", ids), ("A", f64s(&scores))]);
    for cells in [1000, 1 << 20] {
        scene.batch_cells = cells;
        scene.keep("in.parquet", "out.parquet.gz").unwrap();
        assert_eq!(scene.rows("out.parquet.gz"), scene.rows("in.parquet"));
    }
}
