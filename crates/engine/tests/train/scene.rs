//! What the tests share.

use rulebound::dataset::{Builtin, Dataset, Step};
use rulebound::model::{Model, ModelError};
use rulebound::train::{
    Configuration, EarlyStopping, Method, Monitor, Stopping, TrainError, Trainer,
};

pub fn problem(problem: Builtin) -> Dataset {
    problem.generate(Step::HALFWAY, 3).unwrap()
}

/// A small network that is trained for a few epochs.
pub fn quick(method: Method) -> Configuration {
    Configuration {
        method,
        hidden: vec![12, 9],
        dropout: 0.2,
        learning_rate: 5e-3,
        batch: 50,
        seed: 7,
        stopping: Stopping::Epochs(6),
        ..Configuration::default()
    }
}

/// Early stopping with a second training.
pub fn early(monitor: Monitor, retrain: bool) -> Stopping {
    let holdout = 0.15;
    Stopping::Early(EarlyStopping { monitor, patience: 3, most: Some(8), holdout, retrain })
}

pub fn run(data: &Dataset, configuration: &Configuration) -> Result<Model, TrainError> {
    Trainer::new().configuration(configuration.clone()).fit(data)
}

/// The bytes of a model file.
pub fn bytes(model: &Model) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.rulebound");
    model.save(&path).unwrap();
    std::fs::read(path).unwrap()
}

/// Loads a model from the bytes of a file.
pub fn load(bytes: &[u8]) -> Result<Model, ModelError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.rulebound");
    std::fs::write(&path, bytes).unwrap();
    Model::load(&path)
}
