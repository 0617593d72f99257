//! Which rows are trained on, and which are validated on.

use crate::configuration::{Configuration, Stopping};
use crate::dataset::{Dataset, Split};
use crate::random::{Draws, Purpose};
use crate::train::error::TrainError;
use crate::train::state::record::Phase;

/// The seed of the holdout. Not the run's: members with different seeds must share validation rows.
const HOLDOUT_SEED: u64 = 0;

/// The rows of a phase.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::train) struct Rows {
    pub train: Vec<usize>,
    /// Empty if nothing is monitored.
    pub valid: Vec<usize>,
}

impl Rows {
    pub fn new(
        data: &Dataset,
        configuration: &Configuration,
        phase: Phase,
    ) -> Result<Self, TrainError> {
        let missing = |split| TrainError::NoRows { name: data.name().to_owned(), split };
        let train = data.split(Split::Train).filter(|rows| !rows.is_empty());
        let train = train.ok_or_else(|| missing(Split::Train))?;
        let valid = data.split(Split::Valid).unwrap_or_default();
        let early = match (&configuration.stopping, phase) {
            (Stopping::Early(early), Phase::Search) => early,
            (Stopping::Early(_), Phase::Final)
            | (Stopping::Epochs(_) | Stopping::EpochsOfEach(_), _) => {
                return Ok(Self { train: train.chain(valid).collect(), valid: Vec::new() });
            }
        };
        if !valid.is_empty() {
            return Ok(Self { train: train.collect(), valid: valid.collect() });
        }
        let count = train.len();
        let held = ((count as f64 * early.holdout).round() as usize).max(1);
        if held >= count {
            let holdout = early.holdout;
            return Err(TrainError::TooFewRows { rows: count, holdout });
        }
        let order = Draws::new(HOLDOUT_SEED, Purpose::Holdout).shuffle(count);
        let mut order: Vec<usize> = order.into_iter().map(|at| train.start + at as usize).collect();
        let mut valid = order.split_off(count - held);
        order.sort_unstable();
        valid.sort_unstable();
        Ok(Self { train: order, valid })
    }
}
