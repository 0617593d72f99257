//! The size of the networks of a run, and whether there is enough memory for them.

use crate::configuration::Configuration;
use crate::dataset::{Dataset, Pipeline, Split};
use crate::model::MOST_LAYERS;
use crate::network::Shape;
use crate::train::error::TrainError;

/// Maximum number of parameters per network: 24 GiB of weights and moments.
const MOST_PARAMETERS: usize = 1 << 31;

/// Refuses networks that no machine we know of can train, those that no file can hold, and those
/// that do not fit into free memory, if the system reports it.
pub(in crate::train) fn expect_room(shape: &Shape, members: usize) -> Result<(), TrainError> {
    if shape.parameters() > MOST_PARAMETERS {
        return Err(TrainError::TooLarge { shape: shape.clone() });
    }
    let layers = shape.layers().count() * members;
    if layers > MOST_LAYERS {
        return Err(TrainError::TooManyLayers { layers, most: MOST_LAYERS });
    }
    // Weights, two moments, and the best network.
    let needed = 16 * (shape.parameters() * members) as u64;
    let report = std::fs::read_to_string("/proc/meminfo").ok();
    let line = report
        .as_deref()
        .and_then(|text| text.lines().find_map(|line| line.strip_prefix("MemAvailable:")));
    let kilobytes = line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok());
    match kilobytes.map(|kilobytes| kilobytes * 1024) {
        Some(free) if free < needed => {
            let shape = shape.clone();
            Err(TrainError::Memory { shape, members, needed, free })
        }
        _ => Ok(()),
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
