//! Linear scores of rows.

use super::super::named_tensors::{NamedTensors, TensorValues};

/// Weights of inputs for a number of outputs, and biases.
///
/// Invariant: weights are finite, and biases are not NaN; a bias of ∓∞ is the score of an output
/// that is always the same.
#[derive(Clone, PartialEq, Debug)]
pub(in super::super) struct Weights {
    inputs: usize,
    outputs: usize,
    /// Input by input.
    weights: Vec<f64>,
    biases: Vec<f64>,
}

impl Weights {
    /// The scores of outputs that know nothing: `−∞`.
    pub fn never(inputs: usize, outputs: usize) -> Self {
        let biases = vec![f64::NEG_INFINITY; outputs];
        Self { inputs, outputs, weights: vec![0.0; inputs * outputs], biases }
    }

    /// Sets the bias and the weights of an output.
    ///
    /// # Panics
    /// If there is no such output, or there are not as many weights as inputs.
    pub fn set(&mut self, output: usize, bias: f64, weights: &[f64]) {
        assert_eq!(weights.len(), self.inputs);
        self.biases[output] = bias;
        for (input, &weight) in weights.iter().enumerate() {
            self.weights[input * self.outputs + output] = weight;
        }
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The number of weights and biases.
    pub fn parameters(&self) -> usize {
        self.weights.len() + self.biases.len()
    }

    /// The bias of an output.
    pub fn bias(&self, output: usize) -> f64 {
        self.biases[output]
    }

    /// The weight of an input for an output.
    pub fn weight(&self, output: usize, input: usize) -> f64 {
        self.weights[input * self.outputs + output]
    }

    /// The scores of a row.
    ///
    /// # Panics
    /// If the sizes do not fit.
    pub fn scores(&self, row: &[f32], scores: &mut [f64]) {
        assert_eq!(row.len(), self.inputs);
        scores.copy_from_slice(&self.biases);
        for (input, &value) in row.iter().enumerate() {
            self.add(input, value, scores);
        }
    }

    /// Adds an input's part to scores.
    pub fn add(&self, input: usize, value: f32, scores: &mut [f64]) {
        if value != 0.0 {
            let weights = &self.weights[input * self.outputs..][..self.outputs];
            let value = f64::from(value);
            scores.iter_mut().zip(weights).for_each(|(score, weight)| *score += value * weight);
        }
    }

    /// Adds the arrays `PREFIXweights` and `PREFIXbiases`.
    pub fn store(&self, tensors: &mut NamedTensors, prefix: &str) {
        let shape = [self.inputs, self.outputs];
        tensors.insert(format!("{prefix}weights"), &shape, TensorValues::F64(self.weights.clone()));
        let biases = TensorValues::F64(self.biases.clone());
        tensors.insert(format!("{prefix}biases"), &[self.outputs], biases);
    }

    /// Takes them out.
    ///
    /// # Errors
    /// A sentence about what is missing or wrong.
    pub fn load(
        tensors: &mut NamedTensors,
        prefix: &str,
        inputs: usize,
        outputs: usize,
    ) -> Result<Self, String> {
        let (shape, weights) = tensors.take_f64(&format!("{prefix}weights"), 2)?;
        if shape != [inputs, outputs] {
            return Err(format!("`{prefix}weights` is not {inputs} × {outputs}"));
        }
        let (shape, biases) = tensors.take_f64(&format!("{prefix}biases"), 1)?;
        if shape != [outputs] {
            return Err(format!("`{prefix}biases` has {} numbers instead of {outputs}", shape[0]));
        }
        if weights.iter().any(|weight| !weight.is_finite()) || biases.iter().any(|b| b.is_nan()) {
            return Err(format!("`{prefix}weights` or biases are not numbers"));
        }
        Ok(Self { inputs, outputs, weights, biases })
    }
}
