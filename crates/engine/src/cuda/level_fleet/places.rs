//! Where everything that a batch needs is in the memory of a member.

use crate::learner::{LevelWiring, Wiring};
use crate::network::Linear;

/// No place.
pub(super) const NOWHERE: u64 = u64::MAX;

/// Places in the memory of a member, as numbers from its start. All signals are stored row by row;
/// inputs of layers are as wide as the weights, with a one after the last input.
#[derive(Debug)]
pub(super) struct Places {
    rows: usize,
    /// For each level, what its state is computed from: the state before, the features.
    pub trunk: Vec<usize>,
    /// For each level, the sums of its cell, then its gates, then the gradients of the sums; of
    /// networks without cells only the last.
    pub gates: Vec<usize>,
    /// For each level, the memory of its cell.
    pub cells: Vec<usize>,
    /// For each level, its state as the layers above see it, and the slopes.
    pub states: Vec<usize>,
    pub state_slopes: Vec<usize>,
    /// For each level, its own hidden units, the slopes, and the gradients of their sums.
    pub hidden: Vec<usize>,
    pub hidden_slopes: Vec<usize>,
    pub hidden_pulls: Vec<usize>,
    /// For each level, the gradient of its state from the layers above.
    pub seen: Vec<usize>,
    /// The gradients of the state and of the memory that come from the next level.
    pub below: usize,
    pub pull: usize,
    /// Logits, later their gradients: of the levels side by side, and of all classes.
    pub local: usize,
    pub global: usize,
    /// Mixed probabilities of all classes.
    pub mixed: usize,
    /// Numbers per member.
    pub size: usize,
}

impl Places {
    /// The places for batches of this many rows.
    pub fn new(wiring: &Wiring, rows: usize) -> Self {
        let (levels, units) = (wiring.levels.len(), wiring.units);
        let mut size = 0;
        let mut place = |width: usize| {
            size += rows * width;
            size - rows * width
        };
        let cells = if wiring.kind == LevelWiring::Recurrent { levels } else { 0 };
        let mut each = |count: usize, width: &dyn Fn(usize) -> usize| -> Vec<usize> {
            (0..count).map(|level| place(width(level))).collect()
        };
        let (own, wide) = (|_| units, |_| Linear::stride(units));
        let places = Self {
            rows,
            trunk: each(levels, &|level| trunk_stride(wiring, level)),
            gates: each(levels, &|_| gate_width(wiring)),
            cells: each(cells, &own),
            states: each(levels, &wide),
            state_slopes: each(levels, &own),
            hidden: each(levels, &wide),
            hidden_slopes: each(levels, &own),
            hidden_pulls: each(levels, &own),
            seen: each(levels, &own),
            below: place(units),
            pull: place(units),
            local: place(wiring.levels.iter().sum()),
            global: place(wiring.classes),
            mixed: place(wiring.classes),
            size: 0,
        };
        Self { size, ..places }
    }

    /// The memory before the first batch: zeros, and the ones whose weights are biases.
    pub fn memory(&self, wiring: &Wiring) -> Vec<f32> {
        let mut memory = vec![0.0; self.size];
        let mut set_ones = |place: usize, stride: usize, column: usize| {
            for row in 0..self.rows {
                memory[place + row * stride + column] = 1.0;
            }
        };
        for level in 0..wiring.levels.len() {
            let column = wiring.state_inputs(level).end;
            set_ones(self.trunk[level], trunk_stride(wiring, level), column);
            set_ones(self.states[level], Linear::stride(wiring.units), wiring.units);
            set_ones(self.hidden[level], Linear::stride(wiring.units), wiring.units);
        }
        memory
    }
}

/// Numbers per row of the inputs of a level's state.
pub(super) fn trunk_stride(wiring: &Wiring, level: usize) -> usize {
    Linear::stride(wiring.state_inputs(level).end)
}

/// Sums per row and level.
pub(super) fn gate_width(wiring: &Wiring) -> usize {
    match wiring.kind {
        LevelWiring::FeedForward => wiring.units,
        LevelWiring::Recurrent => 4 * wiring.units,
    }
}
