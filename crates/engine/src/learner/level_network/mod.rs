//! HMCN-F and HMCN-R (Wehrmann, Cerri, Barros: "Hierarchical Multi-Label Classification Networks",
//! ICML 2018): a state per level of the hierarchy, local outputs from each state for the classes of
//! its level, global outputs for all classes from the last.
//!
//! ```text
//! x ──> A¹ ──> A² ── … ──> Aᴴ ──> global logits        F: Aʰ = relu(W (Aʰ⁻¹ ‖ x)), W of its own level
//!       │      │           │                           R: one LSTM cell with input x for all levels
//!       └ relu └ relu      └ relu
//!         └ local logits of level 1, 2, …, H
//! ```
//!
//! A prediction is the mean of the local and the global probability with the weights β and 1 − β.
//! The loss is the sum of the mean cross-entropies of the outputs of each level and of the global
//! outputs, and of λ times the mean of `max(0, P(child) − P(parent))²` over the rules.

mod loss;
mod pass;
mod problem;
mod settings;
mod tensors;
mod training;
mod wiring;

#[cfg(feature = "cuda")]
pub(crate) use problem::LevelProblem;
pub use settings::LevelNetworkSettings;
pub(super) use settings::METHODS;
pub(crate) use wiring::Wiring;

use pass::Pass;
use rayon::prelude::*;

use super::fitted::{Fitted, counted};
use super::levels::Levels;
use super::mixture::mixed;
use super::named_tensors::NamedTensors;
use crate::network::Linear;

/// How many rows pass through the network at once in predictions.
const ROWS: usize = 128;

/// How the states of the levels are computed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum LevelWiring {
    /// A layer for each level: HMCN-F.
    #[default]
    FeedForward,
    /// One cell for all levels: HMCN-R.
    Recurrent,
}

impl LevelWiring {
    /// The name of the method.
    pub fn method(self) -> &'static str {
        match self {
            Self::FeedForward => "hmcn-f",
            Self::Recurrent => "hmcn-r",
        }
    }
}

/// A network with outputs for each level of a hierarchy and for all of it.
#[derive(Clone, PartialEq, Debug)]
pub struct LevelNetwork {
    wiring: Wiring,
    levels: Levels,
    /// The share of local outputs.
    local: f64,
    /// In the order of [`Wiring::shapes`].
    layers: Vec<Linear>,
}

impl LevelNetwork {
    /// The number of inputs of a row.
    pub fn inputs(&self) -> usize {
        self.wiring.inputs
    }

    /// How its states are computed.
    pub fn wiring(&self) -> LevelWiring {
        self.wiring.kind
    }

    /// Mixes local and global outputs, row-major.
    fn mix(&self, pass: &Pass, logits: &mut [f32]) {
        let classes = self.classes();
        let stride = pass.global.stride();
        for (class, sums) in pass.global.numbers().chunks_exact(stride).enumerate() {
            for (row, &sum) in sums[..pass.global.rows()].iter().enumerate() {
                logits[row * classes + class] = sum;
            }
        }
        for (level, local) in self.levels.iter().zip(&pass.local) {
            for (&class, sums) in level.iter().zip(local.numbers().chunks_exact(stride)) {
                for (row, &sum) in sums[..local.rows()].iter().enumerate() {
                    let logit = &mut logits[row * classes + class as usize];
                    *logit = mixed(f64::from(sum), f64::from(*logit), self.local) as f32;
                }
            }
        }
    }
}

impl Fitted for LevelNetwork {
    fn describe(&self, members: usize) -> String {
        counted(members, "level network")
    }

    fn classes(&self) -> usize {
        self.levels.places().len()
    }

    fn parameters(&self) -> usize {
        self.layers.iter().map(|layer| (layer.inputs() + 1) * layer.outputs()).sum()
    }

    fn logits(&self, inputs: &[f32], logits: &mut [f32]) {
        // Those of the mixed probabilities.
        let (width, classes) = (self.inputs(), self.classes());
        assert_eq!(inputs.len() * classes, logits.len() * width);
        let parts = logits.par_chunks_mut(ROWS * classes).enumerate();
        parts.for_each_init(Pass::default, |pass, (index, logits)| {
            let rows = logits.len() / classes;
            let inputs = &inputs[index * ROWS * width..][..rows * width];
            let inputs = (0..rows).map(|row| &inputs[row * width..][..width]);
            pass.forward(&self.wiring, &self.layers, inputs, None);
            self.mix(pass, logits);
        });
    }

    fn tensors(&self) -> NamedTensors {
        self.tensors()
    }
}
