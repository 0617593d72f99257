//! A part of a model: a learner with its preprocessing, and its weight among the parts.

use super::Training;
use crate::configuration::Configuration;
use crate::dataset::Pipeline;
use crate::learner::Learner;

/// A learner with all that belongs to it. A model has one part; a blend has several.
#[derive(Clone, Debug)]
pub struct Part {
    pub(crate) configuration: Configuration,
    pub(crate) training: Training,
    pub(crate) pipeline: Pipeline,
    pub(crate) learner: Learner,
    pub(crate) weight: f64,
}

impl Part {
    /// The configuration it was trained with.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// How training went.
    pub fn training(&self) -> &Training {
        &self.training
    }

    /// The preprocessing of features.
    pub fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// What was learned.
    pub fn learner(&self) -> &Learner {
        &self.learner
    }

    /// How much its probabilities count; the weights of all parts sum to 1.
    pub fn weight(&self) -> f64 {
        self.weight
    }
}
