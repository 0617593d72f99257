//! Starting from the networks of a model instead of random ones.

use sha2::{Digest, Sha256};

use super::error::TrainError;
use crate::configuration::Configuration;
use crate::dataset::{Dataset, Pipeline};
use crate::model::Model;
use crate::network::Shape;

/// A digest of the weights of a model, in hexadecimal.
pub(super) fn weights_digest(model: &Model) -> String {
    let mut hash = Sha256::new();
    for layer in model.members().iter().flat_map(|network| network.layers()) {
        layer.weights().chain(layer.biases()).for_each(|weight| hash.update(weight.to_le_bytes()));
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Refuses a model whose networks are not those of the run.
pub(super) fn expect_same(
    model: &Model,
    data: &Dataset,
    configuration: &Configuration,
    shape: &Shape,
) -> Result<(), TrainError> {
    let mut differences = Vec::new();
    let theirs = model.members().first().map(|network| network.shape().clone());
    if theirs.as_ref() != Some(shape) {
        let theirs = theirs.map_or("none".to_owned(), |shape| shape.to_string());
        differences.push(format!("it has the layers {theirs}, the run {shape}"));
    }
    if !model.labels().names().eq(data.classes().names()) {
        differences.push("it has other classes, or in another order".to_owned());
    }
    let names = |pipeline: &Pipeline| -> Vec<String> {
        pipeline.columns().iter().map(|column| column.name().to_owned()).collect()
    };
    let ours = Pipeline::fit(data, 0..data.rows().min(1))?;
    if names(model.pipeline()) != names(&ours) {
        differences.push("it has other features, or in another order".to_owned());
    }
    let (theirs, ours) = (model.configuration().activation, configuration.activation);
    if theirs != ours {
        differences.push(format!("its activation function is {theirs}, that of the run {ours}"));
    }
    let (theirs, ours) = (model.members().len(), configuration.members);
    if theirs != ours {
        differences.push(format!("its number of members is {theirs}, that of the run {ours}"));
    }
    match differences.is_empty() {
        true => Ok(()),
        false => Err(TrainError::OtherStart { differences }),
    }
}
