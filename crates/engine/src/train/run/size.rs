//! The size of a run: its networks, and whether there is enough memory for everything.

use crate::configuration::{Configuration, Stopping};
use crate::dataset::{Dataset, Pipeline, Split};
use crate::memory::available;
use crate::model::MOST_LAYERS;
use crate::network::Shape;
use crate::storage::{RESIDENT, Storage};
use crate::train::error::{MemoryNeed, TrainError};

/// Maximum number of parameters per network: 24 GiB of weights and moments.
const MOST_PARAMETERS: usize = 1 << 31;

/// Refuses networks that no machine we know of can train, those that no file can hold, and runs
/// that need more memory than `limit`, or without it than there is, if the system reports it.
pub(in crate::train) fn expect_room(
    data: &Dataset,
    shape: &Shape,
    configuration: &Configuration,
    limit: Option<u64>,
) -> Result<(), TrainError> {
    if shape.parameters() > MOST_PARAMETERS {
        return Err(TrainError::TooLarge { shape: shape.clone() });
    }
    let members = configuration.members;
    let layers = shape.layers().count() * members;
    if layers > MOST_LAYERS {
        return Err(TrainError::TooManyLayers { layers, most: MOST_LAYERS });
    }
    let need = need(data, shape, configuration);
    // The data is there already: it is part of a limit, and no longer of what is available.
    let (needed, limit) = match limit {
        Some(limit) => (need.total(), limit),
        None => (need.total() - need.data, available().unwrap_or(u64::MAX)),
    };
    if needed <= limit {
        return Ok(());
    }
    Err(TrainError::Memory { shape: shape.clone(), members, need, limit })
}

/// What a run needs. Results that are printed are left out: they are small against the rest.
fn need(data: &Dataset, shape: &Shape, configuration: &Configuration) -> MemoryNeed {
    let features = data.feature_matrix();
    let used = |split| data.split(split).map_or(0, |rows| rows.len());
    let rows = (used(Split::Train) + used(Split::Valid)) as u64;
    let members = configuration.members as u64;
    // Of arrays on a disk, only what was read last has to stay in memory.
    let held = |bytes: u64| match features.storage() {
        Storage::Memory => bytes,
        Storage::Disk(_) => bytes.min(RESIDENT as u64),
    };
    let batch = configuration.batch.min(rows as usize).next_multiple_of(4) as u64;
    let layer = |(index, (inputs, outputs)): (usize, (usize, usize))| {
        // The gradient of hidden inputs is summed up in shares.
        let shares = if index == 0 { 0 } else { outputs.div_ceil(32).min(32) as u64 };
        4 * batch * ((1 + shares) * inputs as u64 + 3 * outputs as u64)
    };
    MemoryNeed {
        data: held(features.bytes()),
        encoded: held(rows * row_bytes(data, shape)),
        labels: 2 * data.labels().bytes() + rows * (8 + 4 * members),
        // Weights, two moments, and the best network.
        networks: 16 * shape.parameters() as u64 * members,
        batches: shape.layers().enumerate().map(layer).sum::<u64>() * members,
        logits: 8 * members * validated(data, configuration) * shape.outputs as u64,
    }
}

/// The number of rows that are validated on.
fn validated(data: &Dataset, configuration: &Configuration) -> u64 {
    let used = |split| data.split(split).map_or(0, |rows| rows.len());
    match (&configuration.stopping, used(Split::Valid)) {
        (Stopping::Early(early), 0) => (used(Split::Train) as f64 * early.holdout) as u64,
        (Stopping::Early(_), rows) => rows as u64,
        (Stopping::Epochs(_) | Stopping::EpochsOfEach(_), _) => 0,
    }
}

/// About how many bytes an encoded row has.
pub(in crate::train) fn row_bytes(data: &Dataset, shape: &Shape) -> u64 {
    let features = data.feature_matrix();
    match features.is_sparse() {
        // As many as are stored; the columns that zeros are not zero in are few.
        true => features.bytes().div_ceil(features.rows().max(1) as u64),
        false => 4 * shape.inputs as u64,
    }
}

/// The sizes of the networks of a run.
pub(in crate::train) fn shape(
    data: &Dataset,
    configuration: &Configuration,
) -> Result<Shape, TrainError> {
    // The width of the encoding does not depend on the rows it is fitted on.
    let train = data.split(Split::Train).unwrap_or_default();
    let pipeline = Pipeline::fit(data, train.take(1))?;
    let (inputs, outputs) = (pipeline.width(), data.classes().len());
    Ok(Shape { inputs, hidden: configuration.hidden.clone(), outputs })
}
