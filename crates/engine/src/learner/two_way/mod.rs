//! DHN ("When Constraints Go Both Ways: Dynamic Hierarchical Multi-label Classification Networks",
//! Di Palma et al.): a perceptron with two outputs per class, one that affirms it (y) and one that
//! denies it (n).
//!
//! What is affirmed goes up the hierarchy, what is denied goes down:
//!
//! ```text
//! Y(c) = max of y over c and its descendants     N(c) = max of n over c and its ancestors
//! P(c) = α Y(c) + (1 − α) (1 − N(c))
//! loss = α CLoss(y, labels, rules) + (1 − α) CLoss(n, ¬ labels, contrapositive rules)
//! ```
//!
//! Both passes and both losses are those of one program with twice the classes, in which a rule
//! `child -> parent` is also `not parent -> not child`: nothing is ever quadratic in the classes.

mod doubled;
mod problem;
mod settings;
mod tensors;
mod training;

#[cfg(feature = "cuda")]
pub(crate) use problem::TwoWayProblem;
pub(super) use settings::METHODS;
pub use settings::TwoWaySettings;

use doubled::Doubled;
use rayon::prelude::*;

use super::fitted::{Fitted, counted};
use super::named_tensors::NamedTensors;
use crate::network::Network;

/// How many rows pass through the network at once in predictions.
const ROWS: usize = 64;

/// A perceptron whose outputs affirm and deny each class of a hierarchy.
#[derive(Clone, PartialEq, Debug)]
pub struct TwoWay {
    /// First the outputs that affirm, then those that deny.
    network: Network,
    affirmed: f64,
    doubled: Doubled,
}

impl TwoWay {
    /// The number of inputs of a row.
    pub fn inputs(&self) -> usize {
        self.network.shape().inputs
    }

    /// The network: for each class an output that affirms it, then for each one that denies it.
    pub fn network(&self) -> &Network {
        &self.network
    }
}

impl Fitted for TwoWay {
    fn describe(&self, members: usize) -> String {
        counted(members, "two-way network")
    }

    fn classes(&self) -> usize {
        self.doubled.classes()
    }

    fn parameters(&self) -> usize {
        self.network.shape().parameters()
    }

    fn logits(&self, inputs: &[f32], logits: &mut [f32]) {
        // Those of `P(c)`.
        let (width, classes) = (self.inputs(), self.classes());
        assert_eq!(inputs.len() * classes, logits.len() * width);
        let parts = logits.par_chunks_mut(ROWS * classes).zip(inputs.par_chunks(ROWS * width));
        parts.for_each(|(logits, inputs)| {
            let mut raw = vec![0.0; 2 * logits.len()];
            self.network.forward_pass().logits(inputs, &mut raw);
            self.doubled.mix(&raw, self.affirmed, logits);
        });
    }

    fn tensors(&self) -> NamedTensors {
        self.tensors()
    }
}
