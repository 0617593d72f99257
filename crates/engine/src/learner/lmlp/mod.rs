//! HMC-LMLP (Cerri, Barros, Carvalho: "Hierarchical multi-label classification using local neural
//! networks", 2014): for each level of the hierarchy a perceptron with one hidden layer, whose
//! inputs are those of the row and the outputs of the perceptron of the level above.
//!
//! All units are logistic, the error is the squared one, and weights are updated after every row.
//! Levels take turns: each trains for some epochs while those above it stay as they are; no error
//! goes up to them. A step repeats a part of the step before it, which is not the sum of all before,
//! as momentum usually is, but that one alone: both are products of two rows, and so no step is
//! ever stored.

mod local;
mod settings;
mod tensors;
mod training;

pub use settings::LmlpSettings;
pub(super) use settings::METHODS;

use local::Local;
use rayon::prelude::*;
use rulebound_core::FloatMargin;

use super::fitted::{Fitted, counted};
use super::levels::Levels;
use super::named_tensors::NamedTensors;

/// How many rows one thread predicts at a time.
const ROWS: usize = 16;

/// A perceptron for each level of a hierarchy.
#[derive(Clone, PartialEq, Debug)]
pub struct Lmlp {
    inputs: usize,
    levels: Levels,
    locals: Vec<Local>,
}

impl Lmlp {
    /// The number of inputs of a row.
    pub fn inputs(&self) -> usize {
        self.inputs
    }
}

impl Fitted for Lmlp {
    fn describe(&self, members: usize) -> String {
        format!("{} of local perceptrons", counted(members, "set"))
    }

    fn classes(&self) -> usize {
        self.levels.places().len()
    }

    fn parameters(&self) -> usize {
        let locals = self.locals.iter();
        locals.map(|local| local.hidden.numbers.len() + local.output.numbers.len()).sum()
    }

    fn logits(&self, inputs: &[f32], logits: &mut [f32]) {
        let (width, classes) = (self.inputs, self.classes());
        assert_eq!(inputs.len() * classes, logits.len() * width);
        let parts = logits.par_chunks_mut(ROWS * classes).zip(inputs.par_chunks(ROWS * width));
        parts.for_each(|(logits, inputs)| {
            let (mut seen, mut hidden, mut sums) = (Vec::new(), Vec::new(), Vec::new());
            for (logits, inputs) in logits.chunks_mut(classes).zip(inputs.chunks(width)) {
                // A class that no level has (a root that is not evaluated) is denied with certainty; the
                // constraint layer raises it to its children.
                logits.fill(f32::NEG_INFINITY);
                seen.clear();
                seen.extend_from_slice(inputs);
                for (local, classes) in self.locals.iter().zip(self.levels.iter()) {
                    local.sums(&seen, &mut hidden, &mut sums);
                    seen.truncate(width);
                    for (&class, sum) in classes.iter().zip(&sums) {
                        logits[class as usize] = *sum;
                        seen.push(sum.softplus_sigmoid().1);
                    }
                }
            }
        });
    }

    fn tensors(&self) -> NamedTensors {
        self.tensors()
    }
}
