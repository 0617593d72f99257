//! Losses fall, and no prediction breaks a rule.

use std::sync::Mutex;

use rulebound::dataset::{Builtin, Split};
use rulebound::model::Model;
use rulebound::predict::{FeatureRows, Predictions};
use rulebound::train::{Configuration, EpochRecord, Method, Observer, Stopping, Trainer};
use rulebound_core::Violations;

use super::scene::{problem, quick};

#[derive(Default)]
struct Losses(Mutex<Vec<f64>>);

impl Observer for Losses {
    fn epoch(&self, record: &EpochRecord) {
        self.0.lock().unwrap().push(record.loss);
    }
}

/// The predictions of the model for the test rows, class by class.
fn decisions(model: &Model, data: &rulebound::dataset::Dataset) -> Vec<bool> {
    let rows = data.split(Split::Test).unwrap();
    let cells: Vec<f32> = rows.flat_map(|row| data.features(row)).copied().collect();
    let rows = FeatureRows::dense(&cells, data.columns().len()).unwrap();
    let mut predictions = Predictions::default();
    model.predictor(data.columns()).unwrap().predict(rows, &mut predictions).unwrap();
    predictions.decisions()
}

#[test]
fn losses_fall_on_every_problem_with_every_method() {
    for builtin in Builtin::ALL {
        let data = problem(builtin);
        for method in Method::NETWORKS {
            let configuration = Configuration {
                hidden: vec![16],
                dropout: 0.0,
                learning_rate: 2e-2,
                stopping: Stopping::Epochs(30),
                ..quick(method)
            };
            let losses = Losses::default();
            let model = Trainer::new()
                .configuration(configuration.clone())
                .observer(&losses)
                .fit(&data)
                .unwrap();
            let losses = losses.0.into_inner().unwrap();
            let (first, last) = (losses[0], losses[losses.len() - 1]);
            assert!(last < 0.7 * first, "{builtin} {method}: {first} to {last}");
            let predicted = decisions(&model, &data);
            assert!(predicted.contains(&true), "{builtin} {method} predicts nothing");
            let violations = Violations::logical(data.program(), &predicted);
            if method.is_coherent() {
                assert_eq!(violations.rows(), 0, "{builtin} {method}");
            }
        }
    }
}

#[test]
fn a_plain_network_breaks_rules_and_a_bound_one_does_not() {
    let data = problem(Builtin::ThreeClasses);
    let of = |method| {
        let configuration =
            Configuration { hidden: vec![4], stopping: Stopping::Epochs(20), ..quick(method) };
        let model = super::scene::run(&data, &configuration).unwrap();
        Violations::logical(data.program(), &decisions(&model, &data)).rows()
    };
    assert!(of(Method::None) > 0);
    assert_eq!(of(Method::Ccn), 0);
}
