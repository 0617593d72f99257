//! The perceptron of one level: one hidden layer, all units logistic, trained row by row.
//!
//! Every number is one sum in a fixed order, or sixteen that are added in a fixed order, with fused
//! multiply-adds: vectors of any width give the same bits.

use pulp::{Arch, NullaryFnOnce};
use rulebound_core::FloatMargin;

use super::settings::LmlpSettings;
use crate::random::{Draws, Purpose, unit};

/// Partial sums of a product of two rows.
const LANES: usize = 16;

/// A matrix with the weights of each input side by side; those of the last input are biases.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Weights {
    pub outputs: usize,
    pub numbers: Vec<f32>,
}

impl Weights {
    /// Uniform between ±0.1.
    fn random(inputs: usize, outputs: usize, seed: u64, layer: u8) -> Self {
        let draws = Draws::new(seed, Purpose::Weights(layer));
        let number = |at: usize| {
            let four = draws.four((at % outputs / 4) as u32, (at / outputs) as u32, 0);
            0.2 * unit(four[at % outputs % 4]) - 0.1
        };
        Self { outputs, numbers: (0..(inputs + 1) * outputs).map(number).collect() }
    }

    pub fn inputs(&self) -> usize {
        self.numbers.len() / self.outputs - 1
    }
}

/// A perceptron with one hidden layer.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Local {
    pub hidden: Weights,
    pub output: Weights,
}

/// What a step remembers of the one before: values and gradients of both layers.
#[derive(Clone, Debug, Default)]
pub(super) struct Before {
    inputs: Vec<f32>,
    hidden: Vec<f32>,
    hidden_gradient: Vec<f32>,
    output_gradient: Vec<f32>,
}

/// Rates of both layers, and how much of the step before is repeated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rates {
    rates: [f32; 2],
    repeated: [f32; 2],
}

impl Rates {
    pub fn new(settings: &LmlpSettings) -> Self {
        let [first, second] = settings.learning_rates;
        let [hidden, output] = settings.momentum;
        Self {
            rates: [first as f32, second as f32],
            repeated: [(first * hidden) as f32, (second * output) as f32],
        }
    }
}

impl Local {
    pub fn random(inputs: usize, hidden: usize, outputs: usize, seed: u64, level: usize) -> Self {
        Self {
            hidden: Weights::random(inputs, hidden, seed, 2 * level as u8),
            output: Weights::random(hidden, outputs, seed, 2 * level as u8 + 1),
        }
    }

    /// The sums of the outputs of a row, and the values of its hidden units.
    pub fn sums(&self, inputs: &[f32], hidden: &mut Vec<f32>, sums: &mut Vec<f32>) {
        Arch::new().dispatch(Sums { local: self, inputs, hidden, sums });
    }

    /// Learns a row: the labels of its classes are in `truth`. Returns the squared error.
    pub fn learn(
        &mut self,
        inputs: &[f32],
        truth: &[f32],
        rates: Rates,
        before: &mut Before,
    ) -> f64 {
        Arch::new().dispatch(Learn { local: self, inputs, truth, rates, before })
    }

    #[inline(always)]
    fn learn_row(
        &mut self,
        inputs: &[f32],
        truth: &[f32],
        rates: Rates,
        before: &mut Before,
    ) -> f64 {
        let (mut hidden, mut output) = (Vec::new(), Vec::new());
        product(&self.hidden, inputs, &mut hidden);
        activate(&mut hidden);
        product(&self.output, &hidden, &mut output);
        activate(&mut output);
        let mut squared = 0.0;
        for (value, truth) in output.iter_mut().zip(truth) {
            let error = truth - *value;
            squared += f64::from(error * error);
            *value = error * *value * (1.0 - *value);
        }
        let [rate, again] = [rates.rates[1], rates.repeated[1]];
        update(
            &mut self.output,
            &hidden,
            &output,
            rate,
            &before.hidden,
            &before.output_gradient,
            again,
        );
        // As published, the error goes down through the weights that were just updated.
        let mut gradient = hidden.clone();
        let rows = self.output.numbers.chunks_exact(self.output.outputs);
        for (value, row) in gradient.iter_mut().zip(rows) {
            *value = *value * (1.0 - *value) * dot(row, &output);
        }
        let [rate, again] = [rates.rates[0], rates.repeated[0]];
        update(
            &mut self.hidden,
            inputs,
            &gradient,
            rate,
            &before.inputs,
            &before.hidden_gradient,
            again,
        );
        before.inputs.clear();
        before.inputs.extend_from_slice(inputs);
        before.hidden = hidden;
        before.hidden_gradient = gradient;
        before.output_gradient = output;
        squared
    }
}

/// The arguments of [`Local::sums`]. A type and not a closure: only its `call` is surely inlined into
/// the function that has the vector instructions.
struct Sums<'a> {
    local: &'a Local,
    inputs: &'a [f32],
    hidden: &'a mut Vec<f32>,
    sums: &'a mut Vec<f32>,
}

impl NullaryFnOnce for Sums<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        product(&self.local.hidden, self.inputs, self.hidden);
        activate(self.hidden);
        product(&self.local.output, self.hidden, self.sums);
    }
}

/// The arguments of [`Local::learn`].
struct Learn<'a> {
    local: &'a mut Local,
    inputs: &'a [f32],
    truth: &'a [f32],
    rates: Rates,
    before: &'a mut Before,
}

impl NullaryFnOnce for Learn<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        self.local.learn_row(self.inputs, self.truth, self.rates, self.before)
    }
}

impl Before {
    /// Forgets the step before: the first row of an epoch repeats nothing.
    pub fn forget(&mut self) {
        self.inputs.clear();
        self.hidden.clear();
    }
}

/// The sums of all outputs.
#[inline(always)]
fn product(weights: &Weights, inputs: &[f32], sums: &mut Vec<f32>) {
    let mut rows = weights.numbers.chunks_exact(weights.outputs);
    sums.clear();
    sums.resize(weights.outputs, 0.0);
    for (&input, row) in inputs.iter().zip(&mut rows) {
        for (sum, &weight) in sums.iter_mut().zip(row) {
            *sum = weight.mul_add(input, *sum);
        }
    }
    if let Some(biases) = rows.next() {
        sums.iter_mut().zip(biases).for_each(|(sum, bias)| *sum += bias);
    }
}

#[inline(always)]
fn activate(sums: &mut [f32]) {
    sums.iter_mut().for_each(|sum| *sum = sum.softplus_sigmoid().1);
}

/// `w += rate · value · gradient + again · value before · gradient before`.
#[inline(always)]
fn update(
    weights: &mut Weights,
    values: &[f32],
    gradient: &[f32],
    rate: f32,
    before: &[f32],
    gradient_before: &[f32],
    again: f32,
) {
    let rows = weights.numbers.chunks_exact_mut(weights.outputs);
    let ones = std::iter::once(&1.0);
    if before.is_empty() {
        for (row, &value) in rows.zip(values.iter().chain(ones)) {
            let factor = rate * value;
            for (weight, &gradient) in row.iter_mut().zip(gradient) {
                *weight = factor.mul_add(gradient, *weight);
            }
        }
        return;
    }
    let values = values.iter().zip(before).chain([(&1.0, &1.0)]);
    for (row, (&value, &before)) in rows.zip(values) {
        let (factor, again) = (rate * value, again * before);
        let gradients = gradient.iter().zip(gradient_before);
        for (weight, (&gradient, &earlier)) in row.iter_mut().zip(gradients) {
            *weight = again.mul_add(earlier, factor.mul_add(gradient, *weight));
        }
    }
}

/// The product of two rows: sixteen sums, added pairwise.
#[inline(always)]
fn dot(left: &[f32], right: &[f32]) -> f32 {
    let mut sums = [0.0f32; LANES];
    let (lefts, left_rest) = left.as_chunks::<LANES>();
    let (rights, right_rest) = right.as_chunks::<LANES>();
    for (left, right) in lefts.iter().zip(rights) {
        for lane in 0..LANES {
            sums[lane] = left[lane].mul_add(right[lane], sums[lane]);
        }
    }
    for (lane, (left, right)) in left_rest.iter().zip(right_rest).enumerate() {
        sums[lane] = left.mul_add(*right, sums[lane]);
    }
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published update in 64 bits, with the steps stored: each is added to its weight together
    /// with a part of the step before; the error goes down through updated weights.
    struct Slow {
        weights: [Vec<Vec<f64>>; 2],
        steps: [Vec<Vec<f64>>; 2],
        is_first: bool,
    }

    impl Slow {
        fn new(local: &Local) -> Self {
            let matrix = |weights: &Weights| -> Vec<Vec<f64>> {
                let rows = weights.numbers.chunks(weights.outputs);
                rows.map(|row| row.iter().map(|&weight| f64::from(weight)).collect()).collect()
            };
            let weights = [matrix(&local.hidden), matrix(&local.output)];
            Self { steps: weights.clone(), weights, is_first: true }
        }

        fn values(&self, layer: usize, inputs: &[f64]) -> Vec<f64> {
            let inputs: Vec<f64> = inputs.iter().copied().chain([1.0]).collect();
            let sum = |output: usize| -> f64 {
                inputs.iter().zip(&self.weights[layer]).map(|(x, row)| x * row[output]).sum()
            };
            (0..self.weights[layer][0].len())
                .map(|output| 1.0 / (1.0 + (-sum(output)).exp()))
                .collect()
        }

        fn update(&mut self, layer: usize, inputs: &[f64], pulls: &[f64], rate: f64, again: f64) {
            for (input, x) in inputs.iter().copied().chain([1.0]).enumerate() {
                for (output, pull) in pulls.iter().enumerate() {
                    let step = rate * pull * x;
                    let repeated =
                        if self.is_first { 0.0 } else { self.steps[layer][input][output] };
                    self.weights[layer][input][output] += again * repeated + step;
                    self.steps[layer][input][output] = step;
                }
            }
        }

        fn learn(&mut self, inputs: &[f64], truth: &[f64], settings: &LmlpSettings) {
            let hidden = self.values(0, inputs);
            let output = self.values(1, &hidden);
            let pull = |(value, truth): (&f64, &f64)| (truth - value) * value * (1.0 - value);
            let pulls: Vec<f64> = output.iter().zip(truth).map(pull).collect();
            self.update(1, &hidden, &pulls, settings.learning_rates[1], settings.momentum[1]);
            let down = |(unit, value): (usize, &f64)| {
                let sum: f64 = pulls.iter().zip(&self.weights[1][unit]).map(|(p, w)| p * w).sum();
                value * (1.0 - value) * sum
            };
            let below: Vec<f64> = hidden.iter().enumerate().map(down).collect();
            self.update(0, inputs, &below, settings.learning_rates[0], settings.momentum[0]);
            self.is_first = false;
        }
    }

    #[test]
    fn steps_are_the_published_ones() {
        let settings = LmlpSettings {
            learning_rates: [0.7, 0.4],
            momentum: [0.3, 0.6],
            ..LmlpSettings::default()
        };
        // Wider than the lanes of a product, so that all of its parts are used.
        let mut local = Local::random(4, 21, 19, 7, 0);
        let mut slow = Slow::new(&local);
        let mut before = Before::default();
        let draws = Draws::new(2, Purpose::Points);
        for row in 0..60 {
            if row == 30 {
                before.forget();
                slow.is_first = true;
            }
            let number = |at: u32| 2.0 * unit(draws.four(at, row, 0)[0]) - 1.0;
            let inputs: Vec<f32> = (0..4).map(number).collect();
            let truth: Vec<f32> =
                (0..19).map(|at| f32::from(u8::from(number(4 + at) > 0.3))).collect();
            local.learn(&inputs, &truth, Rates::new(&settings), &mut before);
            let wide =
                |numbers: &[f32]| numbers.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>();
            slow.learn(&wide(&inputs), &wide(&truth), &settings);
        }
        for (fast, slow) in [&local.hidden, &local.output].into_iter().zip(&slow.weights) {
            for (fast, slow) in fast.numbers.iter().zip(slow.iter().flatten()) {
                assert!((f64::from(*fast) - slow).abs() < 1e-5, "{fast} {slow}");
            }
        }
    }
}
