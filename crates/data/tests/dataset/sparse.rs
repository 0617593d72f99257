//! Sparse features: the same cells, encoded to the same bits as dense ones.

use proptest::prelude::*;
use rulebound_core::{Labels, Program};
use rulebound_data::dataset::{Column, Dataset, DatasetBuilder, DatasetError, Pipeline, Scaling};
use rulebound_data::dataset::{PipelineError, ReadOptions};

use crate::scene::Scene;

/// Two numbers, indicators of both kinds, a nominal column and one that is never set.
fn columns() -> Vec<Column> {
    vec![
        Column::numeric("n"),
        Column::nominal("bit", ["0", "1"]),
        Column::nominal("turned", ["1", "0"]),
        Column::nominal("colour", ["red", "green", "blue"]),
        Column::numeric("m"),
        Column::numeric("never"),
    ]
}

/// Cells for each column; most of them 0.
fn rows() -> impl Strategy<Value = Vec<[f32; 6]>> {
    let number =
        prop_oneof![4 => Just(0.0), 1 => Just(-0.0f32), 1 => Just(f32::NAN), 3 => -9.0..9.0f32];
    let index = |count: u8| {
        let index = (0..count).prop_map(f32::from);
        prop_oneof![3 => Just(0.0), 1 => Just(f32::NAN), 2 => index]
    };
    let row = (number.clone(), index(2), index(2), index(3), number)
        .prop_map(|(n, bit, turned, colour, m)| [n, bit, turned, colour, m, 0.0]);
    prop::collection::vec(row, 1..20)
}

fn build(rows: &[[f32; 6]], sparse: bool) -> Dataset {
    let mut builder = DatasetBuilder::new("t", columns(), vec![], 0).unwrap();
    rows.iter().for_each(|row| {
        builder.push(row, &[]).unwrap();
    });
    let data = builder.finish(Program::new(Labels::default(), vec![]).unwrap()).unwrap();
    data.stored_sparse(sparse)
}

fn bits(cells: &[f32]) -> Vec<u32> {
    cells.iter().map(|cell| cell.to_bits()).collect()
}

proptest! {
    #[test]
    fn sparse_and_dense_rows_are_fitted_and_encoded_to_the_same_bits(rows in rows()) {
        let (dense, sparse) = (build(&rows, false), build(&rows, true));
        prop_assert!(dense == sparse && !dense.feature_matrix().is_sparse());
        let all = 0..rows.len();
        for scaling in [Scaling::Scale, Scaling::None] {
            let pipeline = Pipeline::fit_scaled(&dense, all.clone(), scaling).unwrap();
            let same = Pipeline::fit_scaled(&sparse, all.clone(), scaling).unwrap();
            prop_assert_eq!(&pipeline, &same, "{}", scaling);
        }
        // Also what is not fitted on sparse rows can encode them.
        for scaling in Scaling::ALL {
            let pipeline = Pipeline::fit_scaled(&dense, all.clone(), scaling).unwrap();
            let expected = pipeline.transform(&dense, all.clone()).unwrap();
            let encoded = pipeline.transform(&sparse, all.clone()).unwrap();
            prop_assert_eq!(bits(&encoded), bits(&expected), "{}", scaling);
            let matrix = pipeline.encoded(&sparse, all.clone()).unwrap();
            let cells: Vec<f32> = all.clone().flat_map(|row| matrix.row(row)).copied().collect();
            prop_assert_eq!(bits(&cells), bits(&expected), "{}", scaling);
        }
    }
}

#[test]
fn each_scaling_in_numbers() {
    let mut builder = DatasetBuilder::new("t", vec![Column::numeric("n")], vec![], 0).unwrap();
    for cell in [0.0, 4.0, f32::NAN, 2.0] {
        builder.push(&[cell], &[]).unwrap();
    }
    let data = builder.finish(Program::new(Labels::default(), vec![]).unwrap()).unwrap();
    // The mean is 2, which also replaces the missing cell; the deviation is √(8/4).
    let encoded = |scaling| {
        let pipeline = Pipeline::fit_scaled(&data, 0..4, scaling).unwrap();
        pipeline.transform(&data, 0..4).unwrap()
    };
    let root = |x: f64| (x / 2f64.sqrt()) as f32;
    assert_eq!(encoded(Scaling::Standard), [root(-2.0), root(2.0), 0.0, 0.0]);
    assert_eq!(encoded(Scaling::Scale), [0.0, root(4.0), root(2.0), root(2.0)]);
    assert_eq!(encoded(Scaling::MinMax), [0.0, 1.0, 0.5, 0.5]);
    assert_eq!(encoded(Scaling::None), [0.0, 4.0, 2.0, 2.0]);
}

#[test]
fn sparse_columns_are_not_centred() {
    let sparse = build(&[[0.0, 1.0, 0.0, 0.0, -3.0, 0.0], [2.0, 0.0, 0.0, 1.0, 0.0, 0.0]], true);
    let error = Pipeline::fit_scaled(&sparse, 0..2, Scaling::Standard).unwrap_err();
    assert!(matches!(error, PipelineError::CentredSparse { rows: 2, columns: 6, bytes: 48, .. }));
    assert_eq!(
        Pipeline::fit(&sparse, 0..2).unwrap(),
        Pipeline::fit_scaled(&sparse, 0..2, Scaling::Scale).unwrap()
    );
    // From 0 to 1 would move zeros where there are negative numbers.
    let pipeline = Pipeline::fit_scaled(&sparse, 0..2, Scaling::MinMax).unwrap();
    let encoded = pipeline.transform(&sparse, 0..2).unwrap();
    assert_eq!((encoded[0], encoded[6], encoded[8], encoded[14]), (0.0, -1.0, 1.0, 0.0));
}

#[test]
fn a_wide_file_with_few_values_is_kept_sparse_and_others_are_not() {
    let read = |columns: usize, text: String| {
        let scene = Scene::new();
        scene.write("s.svm", text + &format!(" {columns}:1\n"));
        scene.read_with(&ReadOptions::default()).unwrap()
    };
    let lines = |rows: usize| {
        (0..rows).fold(String::new(), |text, row| text + &format!("1 {}:0.5\n", row + 1))
    };
    // 65 rows of a million columns: 260 MB.
    let wide = read(1_000_000, lines(64) + "2");
    assert!(wide.feature_matrix().is_sparse());
    assert_eq!((wide.rows(), wide.features(3)[3], wide.features(3)[4]), (65, 0.5, 0.0));
    assert_eq!(wide.features(64)[999_999], 1.0);
    assert!(!read(1000, lines(64) + "2").feature_matrix().is_sparse(), "it is small");
}

#[test]
fn sparse_arff_is_kept_sparse_with_the_first_value_where_nothing_is_listed() {
    let width = 300_000;
    let mut text = String::from("@relation 'x: -C 1'\n@attribute y {0,1}\n@attribute c {u,v}\n");
    (0..width).for_each(|place| text += &format!("@attribute a{place} numeric\n"));
    text += "@attribute last {k,'l m',?}\n@data\n";
    (0..60).for_each(|row| text += &format!("{{{} {row}.5}}\n", row + 2));
    text += &format!("{{0 1,1 v,{} 'l m'}}\n{{1 ?}}\n", width + 2);
    let scene = Scene::new();
    scene.write("x.arff", text);
    let data = scene.read().unwrap();
    assert!(data.feature_matrix().is_sparse());
    use rulebound_data::dataset::Value::{Missing, Nominal, Number};
    assert_eq!(data.value(7, 0), Nominal("u"));
    assert_eq!((data.value(7, 8), data.value(7, 9)), (Number(7.5), Number(0.0)));
    assert_eq!((data.value(60, 0), data.value(60, width + 1)), (Nominal("v"), Nominal("l m")));
    assert_eq!((data.value(61, 0), data.value(61, width + 1)), (Missing, Nominal("k")));
    assert!(data.labels().contains(60, rulebound_core::LabelId::new(0)));
    // What is written to MULAN's format is sparse again.
    let folder = tempfile::tempdir().unwrap();
    let mulan = rulebound_data::dataset::ConvertFormat::Mulan;
    rulebound_data::dataset::convert(&data, mulan, folder.path()).unwrap();
    let back = rulebound_data::dataset::Source::open(folder.path()).read().unwrap();
    assert!(back.feature_matrix().is_sparse() && back == data);
    let size = std::fs::metadata(folder.path().join("train.arff")).unwrap().len();
    assert!(size < 40 * width as u64, "{size} bytes");
}

#[test]
fn sparse_rows_must_be_in_order() {
    let push = |columns: &[u32], cells: &[f32]| {
        let mut builder = DatasetBuilder::new("t", self::columns(), vec![], 0).unwrap();
        builder.push_sparse(columns, cells, &[]).map(drop)
    };
    assert!(push(&[0, 4], &[1.0, 2.0]).is_ok());
    for columns in [[4, 0], [1, 1], [0, 6]] {
        let error = push(&columns, &[1.0, 1.0]).unwrap_err();
        assert!(matches!(error, DatasetError::BadColumns { row: 0, width: 6 }), "{error}");
    }
    assert!(matches!(push(&[0], &[]).unwrap_err(), DatasetError::BadLength { .. }));
    assert!(matches!(push(&[3], &[3.0]).unwrap_err(), DatasetError::BadValue { .. }));
    // A nominal column without values has no first one.
    let none: [&str; 0] = [];
    let columns = vec![Column::nominal("none", none), Column::numeric("n")];
    let mut builder = DatasetBuilder::new("t", columns, vec![], 0).unwrap();
    builder.push_sparse(&[1], &[1.0], &[]).unwrap();
    let program = Program::new(Labels::default(), vec![]).unwrap();
    assert!(matches!(builder.finish(program).unwrap_err(), DatasetError::BadValue { .. }));
}
