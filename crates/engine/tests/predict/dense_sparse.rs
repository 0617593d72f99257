//! The same rows, dense and sparse, one by one and in batches: the same predictions.

use rulebound::dataset::{Builtin, Dataset, Split, Step};
use rulebound::predict::{FeatureRows, Predictions};
use rulebound::{Model, Trainer};

fn trained() -> (Dataset, Model) {
    let data = Builtin::ThreeClasses.generate(Step::HALFWAY, 2).unwrap();
    let model = Trainer::new().hidden([9, 5]).epochs(1).members(3).fit(&data).unwrap();
    (data, model)
}

/// Cells with zeros and missing ones among them.
fn cells(data: &Dataset, rows: usize) -> Vec<f32> {
    let test = data.split(Split::Test).unwrap().take(rows);
    let mut cells: Vec<f32> = test.flat_map(|row| data.features(row)).copied().collect();
    cells.iter_mut().step_by(3).for_each(|cell| *cell = 0.0);
    cells.iter_mut().skip(1).step_by(7).for_each(|cell| *cell = f32::NAN);
    cells
}

fn predict(model: &Model, data: &Dataset, rows: FeatureRows<'_>) -> Predictions {
    let mut predictions = Predictions::default();
    model.predictor(data.columns()).unwrap().predict(rows, &mut predictions).unwrap();
    predictions
}

#[test]
fn sparse_rows_are_predicted_as_dense_ones() {
    let (data, model) = trained();
    let (cells, width) = (cells(&data, 50), data.columns().len());
    let dense = predict(&model, &data, FeatureRows::dense(&cells, width).unwrap());
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in cells.chunks(width) {
        // A cell that is not listed is 0.
        for (column, &cell) in row.iter().enumerate().filter(|(_, cell)| **cell != 0.0) {
            columns.push(column as u32);
            values.push(cell);
        }
        starts.push(values.len());
    }
    assert!(values.len() < cells.len());
    let sparse = FeatureRows::sparse(&starts, &columns, &values, width).unwrap();
    let sparse = predict(&model, &data, sparse);
    assert_eq!(dense.margins(), sparse.margins());
    assert_eq!(dense.delegates(), sparse.delegates());
    assert_eq!(dense.probabilities(), sparse.probabilities());
}

#[test]
fn a_row_does_not_depend_on_its_batch() {
    let (data, model) = trained();
    let (cells, width) = (cells(&data, 130), data.columns().len());
    let all = predict(&model, &data, FeatureRows::dense(&cells, width).unwrap());
    for batch in [1, 7, 64, 65] {
        let mut predictor = model.predictor(data.columns()).unwrap();
        let (mut predictions, mut margins) = (Predictions::default(), Vec::new());
        for some in cells.chunks(batch * width) {
            let rows = FeatureRows::dense(some, width).unwrap();
            predictor.predict(rows, &mut predictions).unwrap();
            margins.extend_from_slice(predictions.margins());
        }
        assert_eq!(margins, all.margins(), "{batch}");
    }
}

#[test]
fn a_row_is_explained_as_it_is_predicted() {
    let (data, model) = trained();
    let (cells, width) = (cells(&data, 20), data.columns().len());
    let rows = FeatureRows::dense(&cells, width).unwrap();
    let predictions = predict(&model, &data, rows);
    let mut predictor = model.predictor(data.columns()).unwrap();
    for (row, decisions) in predictions.decisions().chunks(3).enumerate() {
        let explanation = predictor.explain(rows, row).unwrap();
        for (label, &decision) in data.classes().ids().zip(decisions) {
            assert_eq!(explanation.is_predicted(label), decision, "row {row}");
        }
    }
}
