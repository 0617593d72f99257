//! One batch through a level network, forwards and backwards.

use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;
use rulebound_core::FloatMargin;

use super::LevelWiring;
use super::wiring::Wiring;
use crate::network::{Dropout, Gradient, LayerDropout, Linear, Signals};

/// Units that one thread processes at a time.
const UNITS: usize = 16;

/// The values of all layers for one batch, and the memory of the way back.
#[derive(Debug, Default)]
pub(super) struct Pass {
    /// For each level, what its state is computed from: the state before, the inputs, ones.
    trunk: Vec<Signals>,
    /// For each level, the sums of its state; in a cell, the four gates after their functions.
    gates: Vec<Signals>,
    /// For each level, the memory of the cell.
    cells: Vec<Signals>,
    /// For each level, its state as the layers above see it, and ones.
    states: Vec<Dropped>,
    /// For each level, its own hidden units, and ones.
    hidden: Vec<Dropped>,
    /// The local logits of each level, later their gradients.
    pub local: Vec<Signals>,
    /// The global logits, later their gradients.
    pub global: Signals,
    sums: Signals,
}

/// What is dropped in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drops {
    /// Hidden units; layer `2 l` are the states of level `l`, layer `2 l + 1` its own hidden units.
    pub units: Dropout,
    /// Inputs, as the layer after those.
    pub inputs: Dropout,
}

/// Units after activation and dropout, the slope of each, and later the gradient.
#[derive(Debug, Default)]
struct Dropped {
    values: Signals,
    slopes: Signals,
}

impl Pass {
    /// Computes all logits; `inputs` are the rows of the batch.
    pub fn forward<'r>(
        &mut self,
        wiring: &Wiring,
        layers: &[Linear],
        inputs: impl ExactSizeIterator<Item = &'r [f32]>,
        drops: Option<Drops>,
    ) {
        let (levels, units, rows) = (wiring.levels.len(), wiring.units, inputs.len());
        for signals in [&mut self.trunk, &mut self.gates, &mut self.cells, &mut self.local] {
            signals.resize_with(levels, Signals::default);
        }
        self.states.resize_with(levels, Dropped::default);
        self.hidden.resize_with(levels, Dropped::default);
        let dropout = drops.map(|drops| drops.units).filter(|dropout| dropout.rate > 0.0);
        let place = wiring.state_inputs(0);
        self.trunk[0].reset(place.end + 1, rows);
        self.trunk[0].fill_rows(place.start, inputs);
        if let Some(dropout) = drops.map(|drops| drops.inputs).filter(|drop| drop.rate > 0.0) {
            self.sums.reset(wiring.inputs, rows);
            fill_factors(&dropout.layer(2 * levels as u8), &mut self.sums);
            let inputs = self.trunk[0].part_mut(place.start, wiring.inputs).iter_mut();
            inputs.zip(self.sums.numbers()).for_each(|(input, factor)| *input *= factor);
        }
        self.trunk[0].set_ones(place.end);
        for level in 0..levels {
            let layer = &layers[wiring.trunk_of(level)];
            layer.sums(&self.trunk[level], &mut self.gates[level]);
            let state = match wiring.kind {
                LevelWiring::FeedForward => &self.gates[level],
                LevelWiring::Recurrent => {
                    let (before, after) = self.cells.split_at_mut(level);
                    let (gates, cell) = (&mut self.gates[level], &mut after[0]);
                    turn(gates, before.last(), cell, &mut self.sums, units);
                    &self.sums
                }
            };
            let relu = wiring.kind == LevelWiring::FeedForward;
            self.states[level].fill(state, units, relu, dropout, 2 * level);
            if level + 1 < levels {
                let (before, after) = self.trunk.split_at_mut(level + 1);
                let (from, to) = (wiring.state_inputs(level), wiring.state_inputs(level + 1));
                after[0].reset(to.end + 1, rows);
                // A cell sees its own state; layers see what the layers above see.
                let seen = match wiring.kind {
                    LevelWiring::FeedForward => self.states[level].values.part(0, units),
                    LevelWiring::Recurrent => self.sums.part(0, units),
                };
                after[0].part_mut(0, units).copy_from_slice(seen);
                let inputs = before[level].part(from.start, wiring.inputs + 1);
                after[0].part_mut(to.start, wiring.inputs + 1).copy_from_slice(inputs);
            }
            layers[wiring.transition(level)].sums(&self.states[level].values, &mut self.sums);
            self.hidden[level].fill(&self.sums, units, true, dropout, 2 * level + 1);
            let hidden = &self.hidden[level].values;
            layers[wiring.head(level)].sums(hidden, &mut self.local[level]);
        }
        layers[wiring.output()].sums(&self.states[levels - 1].values, &mut self.global);
    }

    /// Adds up the gradients of all layers, given those of the logits in `local` and `global`.
    pub fn backward(&mut self, wiring: &Wiring, layers: &[Linear], gradients: &mut [Gradient]) {
        let (levels, units, rows) = (wiring.levels.len(), wiring.units, self.global.rows());
        // The gradients of the state and of the memory that come from the level below.
        let mut below = Signals::default();
        below.reset(units, rows);
        let mut memory = Signals::default();
        memory.reset(units, rows);
        let mut seen = Signals::default();
        for level in (0..levels).rev() {
            let (transition, head) = (wiring.transition(level), wiring.head(level));
            gradients[head].add(&layers[head], &self.hidden[level].values, &self.local[level]);
            self.sums.reset(units, rows);
            let sums = &mut self.sums;
            layers[head].add_input_gradient(&self.local[level], units, sums.numbers_mut());
            self.hidden[level].descend(sums);
            gradients[transition].add(&layers[transition], &self.states[level].values, sums);
            // What the layers above say about the state, before its dropout.
            seen.reset(units, rows);
            layers[transition].add_input_gradient(sums, units, seen.numbers_mut());
            if level + 1 == levels {
                let output = wiring.output();
                gradients[output].add(&layers[output], &self.states[level].values, &self.global);
                layers[output].add_input_gradient(&self.global, units, seen.numbers_mut());
            }
            let trunk = wiring.trunk_of(level);
            let sums = match wiring.kind {
                LevelWiring::FeedForward => {
                    add(&mut seen, &below);
                    self.states[level].descend(&mut seen);
                    &seen
                }
                LevelWiring::Recurrent => {
                    self.states[level].descend(&mut seen);
                    add(&mut seen, &below);
                    let (before, after) = self.cells.split_at(level);
                    let gates = &mut self.gates[level];
                    turn_back(gates, before.last(), &after[0], &seen, &mut memory, units);
                    &self.gates[level]
                }
            };
            gradients[trunk].add(&layers[trunk], &self.trunk[level], sums);
            if level > 0 {
                below.reset(units, rows);
                layers[trunk].add_input_gradient(sums, units, below.numbers_mut());
            }
        }
    }
}

impl Dropped {
    /// The units after their function and dropout `layer`, with their slopes, and ones.
    fn fill(
        &mut self,
        sums: &Signals,
        units: usize,
        relu: bool,
        dropout: Option<Dropout>,
        layer: usize,
    ) {
        let rows = sums.rows();
        self.values.reset(units + 1, rows);
        self.values.set_ones(units);
        self.slopes.reset(units, rows);
        let stride = sums.stride();
        let dropout = dropout.map(|dropout| dropout.layer(layer as u8));
        let size = UNITS * stride;
        let parts = sums.part(0, units).par_chunks(size).enumerate();
        let parts = parts.zip(self.values.part_mut(0, units).par_chunks_mut(size));
        parts.zip(self.slopes.numbers_mut().par_chunks_mut(size)).for_each(
            |(((part, sums), values), slopes)| {
                slopes.fill(1.0);
                if let Some(dropout) = &dropout {
                    drop_units(dropout, part * UNITS / 4, slopes, stride, rows);
                }
                for ((value, slope), &sum) in values.iter_mut().zip(slopes).zip(sums) {
                    // NaN stays NaN, so that a network that has diverged is noticed.
                    if relu && sum <= 0.0 {
                        *slope = 0.0;
                    }
                    *value = sum * *slope;
                }
            },
        );
    }

    /// From the gradient of the values to that of the sums.
    fn descend(&self, gradient: &mut Signals) {
        let cells = gradient.numbers_mut().iter_mut().zip(self.slopes.numbers());
        cells.for_each(|(cell, slope)| *cell *= slope);
    }
}

/// The dropout factors of all units.
fn fill_factors(dropout: &LayerDropout, factors: &mut Signals) {
    let (stride, rows) = (factors.stride(), factors.rows());
    let parts = factors.numbers_mut().par_chunks_mut(UNITS * stride).enumerate();
    parts.for_each(|(part, factors)| drop_units(dropout, part * UNITS / 4, factors, stride, rows));
}

/// The dropout factors of the units from the four with number `first` on.
fn drop_units(
    dropout: &LayerDropout,
    first: usize,
    slopes: &mut [f32],
    stride: usize,
    rows: usize,
) {
    for (quad, slopes) in slopes.chunks_mut(4 * stride).enumerate() {
        let quad = (first + quad) as u32;
        Arch::new().dispatch(DropUnits { dropout, quad, slopes, stride, rows });
    }
}

/// The dropout factors of four units or fewer. A type and not a closure: only its `call` is surely
/// inlined into the function that has the vector instructions.
struct DropUnits<'a> {
    dropout: &'a LayerDropout,
    quad: u32,
    slopes: &'a mut [f32],
    stride: usize,
    rows: usize,
}

impl NullaryFnOnce for DropUnits<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { dropout, quad, slopes, stride, rows } = self;
        if slopes.len() < 4 * stride {
            for row in 0..rows {
                let cells = slopes[row..].iter_mut().step_by(stride);
                let factors = dropout.factors(quad, row as u32);
                cells.zip(factors).for_each(|(cell, factor)| *cell = factor);
            }
            return;
        }
        let (left, right) = slopes.split_at_mut(2 * stride);
        let ((first, second), (third, fourth)) =
            (left.split_at_mut(stride), right.split_at_mut(stride));
        let pairs = first.iter_mut().zip(second).zip(third.iter_mut().zip(fourth));
        // Side by side over rows, which the compiler makes vectors of.
        for (row, ((first, second), (third, fourth))) in pairs.enumerate().take(rows) {
            [*first, *second, *third, *fourth] = dropout.factors(quad, row as u32);
        }
    }
}

fn add(sum: &mut Signals, other: &Signals) {
    sum.numbers_mut().iter_mut().zip(other.numbers()).for_each(|(sum, other)| *sum += other);
}

fn logistic(sum: f32) -> f32 {
    sum.softplus_sigmoid().1
}

fn tanh(sum: f32) -> f32 {
    2.0 * logistic(2.0 * sum) - 1.0
}

/// One step of the cell: gates (forget, input, output, candidate) from sums to values, the memory,
/// and the state.
fn turn(
    gates: &mut Signals,
    before: Option<&Signals>,
    cell: &mut Signals,
    state: &mut Signals,
    units: usize,
) {
    let rows = gates.rows();
    cell.reset(units, rows);
    state.reset(units, rows);
    let size = units * gates.stride();
    let (sigmoids, candidates) = gates.numbers_mut().split_at_mut(3 * size);
    sigmoids.par_chunks_mut(1 << 12).for_each(|part| {
        part.iter_mut().for_each(|gate| *gate = logistic(*gate));
    });
    candidates.par_chunks_mut(1 << 12).for_each(|part| {
        part.iter_mut().for_each(|gate| *gate = tanh(*gate));
    });
    let (forget, others) = sigmoids.split_at(size);
    let (input, output) = others.split_at(size);
    let cells = cell.numbers_mut();
    for at in 0..size {
        let kept = before.map_or(0.0, |before| forget[at] * before.numbers()[at]);
        cells[at] = kept + input[at] * candidates[at];
    }
    let states = state.numbers_mut().par_chunks_mut(1 << 12).zip(cells.par_chunks(1 << 12));
    states.zip(output.par_chunks(1 << 12)).for_each(|((states, cells), output)| {
        for ((state, &cell), output) in states.iter_mut().zip(cells).zip(output) {
            *state = output * tanh(cell);
        }
    });
}

/// The step backwards: turns gates into the gradients of their sums, and the gradient of the memory
/// into that of the memory before.
fn turn_back(
    gates: &mut Signals,
    before: Option<&Signals>,
    cell: &Signals,
    state_gradient: &Signals,
    memory: &mut Signals,
    units: usize,
) {
    let size = units * gates.stride();
    let (forget, others) = gates.numbers_mut().split_at_mut(size);
    let (input, others) = others.split_at_mut(size);
    let (output, candidate) = others.split_at_mut(size);
    let memory = memory.numbers_mut();
    for at in 0..size {
        let (f, i, o, g) = (forget[at], input[at], output[at], candidate[at]);
        let (value, gradient) = (tanh(cell.numbers()[at]), state_gradient.numbers()[at]);
        let inner = memory[at] + gradient * o * (1.0 - value * value);
        let old = before.map_or(0.0, |before| before.numbers()[at]);
        forget[at] = inner * old * f * (1.0 - f);
        input[at] = inner * g * i * (1.0 - i);
        output[at] = gradient * value * o * (1.0 - o);
        candidate[at] = inner * i * (1.0 - g * g);
        memory[at] = inner * f;
    }
}
