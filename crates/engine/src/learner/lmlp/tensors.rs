//! Local perceptrons as arrays, and back.

use super::Lmlp;
use super::local::{Local, Weights};
use crate::learner::levels::Levels;
use crate::learner::named_tensors::{NamedTensors, TensorValues};

impl Lmlp {
    /// Its arrays: for each level the weights of hidden units and of outputs, input by input, with
    /// the biases last.
    pub fn tensors(&self) -> NamedTensors {
        let mut tensors = NamedTensors::new();
        let places = self.levels.places().to_vec();
        tensors.insert("levels", &[places.len()], TensorValues::U32(places));
        for (level, local) in self.locals.iter().enumerate() {
            for (name, weights) in [("hidden", &local.hidden), ("output", &local.output)] {
                let shape = [weights.inputs() + 1, weights.outputs];
                let numbers = TensorValues::F32(weights.numbers.clone());
                tensors.insert(format!("{name}.{level}"), &shape, numbers);
            }
        }
        tensors
    }

    /// The perceptrons of these arrays.
    ///
    /// # Errors
    /// A sentence about what does not fit.
    pub fn from_tensors(
        mut tensors: NamedTensors,
        inputs: usize,
        classes: usize,
    ) -> Result<Self, String> {
        let (_, places) = tensors.take_u32("levels", 1)?;
        if places.len() != classes {
            return Err(format!("levels of {} classes instead of {classes}", places.len()));
        }
        let levels = Levels::from_places(places)?;
        let mut take = |name: String, inputs: Option<usize>, outputs: Option<usize>| {
            let (shape, numbers) = tensors.take_f32(&name, 2)?;
            let fits = inputs.is_none_or(|inputs| shape[0] == inputs + 1)
                && outputs.is_none_or(|outputs| shape[1] == outputs);
            if !fits || shape[0] == 0 || shape[1] == 0 {
                return Err(format!("`{name}` does not have the right shape"));
            }
            match numbers.iter().all(|number| number.is_finite()) {
                true => Ok(Weights { outputs: shape[1], numbers }),
                false => Err(format!("`{name}` has a number that is not finite")),
            }
        };
        let mut locals = Vec::new();
        let mut above = 0;
        for (level, members) in levels.iter().enumerate() {
            let hidden = take(format!("hidden.{level}"), Some(inputs + above), None)?;
            let units = Some(hidden.outputs);
            let output = take(format!("output.{level}"), units, Some(members.len()))?;
            locals.push(Local { hidden, output });
            above = members.len();
        }
        Ok(Self { inputs, levels, locals })
    }
}
