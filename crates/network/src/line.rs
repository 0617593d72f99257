//! The logits of a network along a straight line of inputs, and their gradients.
//!
//! The sums of the first layer are linear along the line, so the first layer, which is the widest, is
//! multiplied only twice, however many points of the line are looked at. Computed in 64 bits.

use super::linear::Linear;
use super::perceptron::Network;

/// The line from one row of inputs to another.
pub struct Line<'a> {
    network: &'a Network,
    /// The sums of the first layer at the start, and how they change up to the end.
    start: Vec<f64>,
    change: Vec<f64>,
    /// For each layer above the first, its inputs' values and slopes.
    values: Vec<Vec<f64>>,
    slopes: Vec<Vec<f64>>,
}

impl<'a> Line<'a> {
    /// The line through the inputs `from` and `to`.
    ///
    /// # Panics
    /// If the rows are not as wide as the network.
    pub fn new(network: &'a Network, from: &[f32], to: &[f32]) -> Self {
        let first = &network.layers()[0];
        assert!(from.len() == first.inputs() && to.len() == first.inputs());
        let (mut start, mut change) = (Vec::new(), Vec::new());
        for unit in 0..first.outputs() {
            let (weights, bias) = first.row(unit);
            let mut sums = [f64::from(bias), 0.0];
            for ((&weight, &from), &to) in weights.iter().zip(from).zip(to) {
                let (weight, from) = (f64::from(weight), f64::from(from));
                sums[0] += weight * from;
                sums[1] += weight * (f64::from(to) - from);
            }
            start.push(sums[0]);
            change.push(sums[1]);
        }
        let units = || network.layers()[1..].iter().map(|layer| vec![0.0; layer.inputs()]);
        let (values, slopes) = (units().collect(), units().collect());
        Self { network, start, change, values, slopes }
    }

    /// The network.
    pub fn network(&self) -> &'a Network {
        self.network
    }

    /// The logits at a point of the line: 0 is its start, 1 its end.
    pub fn logits(&mut self, at: f64) -> Vec<f64> {
        self.logits_of_sums(|unit, line| line.start[unit] + at * line.change[unit])
    }

    /// The logits at the end of the line, if the sums of the first layer were less by `less`.
    pub fn logits_without(&mut self, less: &[f64]) -> Vec<f64> {
        self.logits_of_sums(|unit, line| line.start[unit] + line.change[unit] - less[unit])
    }

    fn logits_of_sums(&mut self, sum: impl Fn(usize, &Self) -> f64) -> Vec<f64> {
        let sums: Vec<f64> = (0..self.start.len()).map(|unit| sum(unit, self)).collect();
        let mut sums = sums;
        let activation = self.network.activation();
        for (index, layer) in self.network.layers()[1..].iter().enumerate() {
            let (values, slopes) = (&mut self.values[index], &mut self.slopes[index]);
            for ((&sum, value), slope) in sums.iter().zip(values).zip(slopes) {
                (*value, *slope) = activation.value_and_slope_f64(sum);
            }
            let values = &self.values[index];
            sums = (0..layer.outputs()).map(|unit| product(layer, unit, values)).collect();
        }
        sums
    }

    /// The gradient of so much of a logit with respect to the sums of the first layer, at the point of the
    /// last call of [`logits`](Self::logits).
    ///
    /// # Panics
    /// If there is no such output.
    pub fn gradient(&self, output: usize, slope: f64) -> Vec<f64> {
        let last = self.network.layers().len() - 1;
        let outputs = self.network.layers()[last].outputs();
        let mut gradient = vec![0.0; outputs];
        gradient[output] = slope;
        for (index, layer) in self.network.layers()[1..].iter().enumerate().rev() {
            let mut below = through(layer, &gradient);
            below.iter_mut().zip(&self.slopes[index]).for_each(|(below, slope)| *below *= slope);
            gradient = below;
        }
        gradient
    }

    /// A gradient with respect to the sums of the first layer as one with respect to the inputs.
    pub fn of_inputs(&self, gradient: &[f64]) -> Vec<f64> {
        through(&self.network.layers()[0], gradient)
    }
}

impl Network {
    /// The gradient of one logit with respect to the inputs.
    ///
    /// ```
    /// use rulebound_network::{Activation, Network, Shape};
    /// let shape = Shape { inputs: 2, hidden: vec![], outputs: 3 };
    /// let network = Network::random(shape, Activation::Relu, 7);
    /// let gradient = network.input_gradient(&[0.5, -0.5], 1);
    /// let weights: Vec<f32> = network.layers()[0].weights().collect();
    /// assert_eq!(gradient, [f64::from(weights[2]), f64::from(weights[3])]);
    /// ```
    ///
    /// # Panics
    /// If the row is not as wide as the network, or there is no such output.
    pub fn input_gradient(&self, inputs: &[f32], output: usize) -> Vec<f64> {
        let mut line = Line::new(self, inputs, inputs);
        line.logits(0.0);
        line.of_inputs(&line.gradient(output, 1.0))
    }
}

/// A sum of a layer.
fn product(layer: &Linear, unit: usize, values: &[f64]) -> f64 {
    let (weights, bias) = layer.row(unit);
    let sum: f64 = weights.iter().zip(values).map(|(&w, v)| f64::from(w) * v).sum();
    sum + f64::from(bias)
}

/// A gradient of the sums of a layer as one of its inputs.
fn through(layer: &Linear, gradient: &[f64]) -> Vec<f64> {
    let mut below = vec![0.0; layer.inputs()];
    for (unit, &part) in gradient.iter().enumerate().filter(|(_, part)| **part != 0.0) {
        let (weights, _) = layer.row(unit);
        below.iter_mut().zip(weights).for_each(|(below, &w)| *below += part * f64::from(w));
    }
    below
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Activation, Shape};

    #[test]
    fn the_input_gradient_is_that_of_finite_differences() {
        for (activation, hidden) in [
            (Activation::Tanh, vec![7, 5]),
            (Activation::Tanh, vec![]),
            (Activation::Relu, vec![9]),
        ] {
            let shape = Shape { inputs: 4, hidden, outputs: 3 };
            let network = Network::random(shape, activation, 3);
            let inputs = [0.3, -0.8, 0.1, 1.4f32];
            for output in 0..3 {
                let gradient = network.input_gradient(&inputs, output);
                for input in 0..4 {
                    let mut there = inputs;
                    there[input] += 0.5;
                    let mut line = Line::new(&network, &inputs, &there);
                    let [above, below] = [1e-4, -1e-4].map(|at| line.logits(at)[output]);
                    let slope = (above - below) / 2e-4 / 0.5;
                    assert!((slope - gradient[input]).abs() < 1e-6, "{slope} {gradient:?}");
                }
            }
        }
    }

    #[test]
    fn logits_are_those_of_the_forward_pass() {
        let shape = Shape { inputs: 3, hidden: vec![6, 4], outputs: 2 };
        let network = Network::random(shape, Activation::Relu, 5);
        let mut logits = [0.0; 2];
        network.forward_pass().logits(&[1.0, -2.0, 0.5], &mut logits);
        let mut line = Line::new(&network, &[0.0; 3], &[1.0, -2.0, 0.5]);
        assert!((line.logits(1.0)[1] - f64::from(logits[1])).abs() < 1e-6);
    }
}
