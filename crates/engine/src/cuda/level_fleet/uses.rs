//! Which products a step has: every layer where it is used, and the launches they are divided into.

use super::places::{NOWHERE, Places, gate_width, trunk_stride};
use crate::cuda::parameters::{LayerUse, UseTile};
use crate::cuda::weights::Layout;
use crate::learner::{LevelWiring, Wiring};
use crate::network::Linear;
use crate::random::Purpose;

/// Rows and columns of a tile.
const TILE: usize = 64;

/// The tiles of one launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Launch {
    pub first: u32,
    pub tiles: u32,
}

/// All products of a step.
#[derive(Debug)]
pub(super) struct Uses {
    /// Those that compute states come first, level by level.
    pub uses: Vec<LayerUse>,
    pub tiles: Vec<UseTile>,
    /// Forwards: the state of each level; then hidden units and outputs of all levels.
    pub states: Vec<Launch>,
    pub transitions: Launch,
    pub outputs: Launch,
    /// Backwards: outputs and hidden units of all levels; then the state of each level but the
    /// first.
    pub below_outputs: Launch,
    pub below_transitions: Launch,
    pub below_states: Vec<Launch>,
    /// The gradients of all layers.
    pub update: Launch,
}

impl Uses {
    pub fn new(wiring: &Wiring, layout: &Layout, places: &Places, rows: usize) -> Self {
        let levels = wiring.levels.len();
        let uses = layer_uses(wiring, layout, places, rows);
        let mut tiles = Vec::new();
        let output = 3 * levels;
        let heads = || [output].into_iter().chain(2 * levels..output);
        let forward = |of: &LayerUse| (of.rows, of.outputs);
        let below = |of: &LayerUse| (of.rows, of.units);
        let update = |of: &LayerUse| (of.outputs, of.stride);
        let mut launch = |range: &mut dyn Iterator<Item = usize>, size: Size| {
            let first = tiles.len();
            for index in range {
                let (m, n) = size(&uses[index]);
                let count = |numbers: u32| numbers.div_ceil(TILE as u32);
                let tile = |m, n| UseTile { layer_use: index as u32, m, n };
                tiles.extend((0..count(m)).flat_map(|m| (0..count(n)).map(move |n| tile(m, n))));
            }
            Launch { first: first as u32, tiles: (tiles.len() - first) as u32 }
        };
        let mut updated: Vec<usize> = match wiring.kind {
            LevelWiring::FeedForward => (0..levels).collect(),
            LevelWiring::Recurrent => vec![output + 1],
        };
        updated.extend(levels..=output);
        let states = (0..levels).map(|level| launch(&mut (level..=level), &forward)).collect();
        let below_states = (1..levels).map(|level| launch(&mut (level..=level), &below)).collect();
        let transitions = launch(&mut (levels..2 * levels), &forward);
        let outputs = launch(&mut heads(), &forward);
        let below_outputs = launch(&mut heads(), &below);
        let below_transitions = launch(&mut (levels..2 * levels), &below);
        let update = launch(&mut updated.into_iter(), &update);
        Self {
            uses,
            tiles,
            states,
            transitions,
            outputs,
            below_outputs,
            below_transitions,
            below_states,
            update,
        }
    }
}

/// The rows and columns of a product.
type Size<'a> = &'a dyn Fn(&LayerUse) -> (u32, u32);

/// The states of all levels, their transitions, their heads, the global outputs, and last the layer
/// that all states share, with the rows of all levels.
fn layer_uses(wiring: &Wiring, layout: &Layout, places: &Places, rows: usize) -> Vec<LayerUse> {
    let (levels, units) = (wiring.levels.len(), wiring.units);
    let is_recurrent = wiring.kind == LevelWiring::Recurrent;
    let layer = |index: usize, inputs: usize, sums: usize, sum_stride: usize| {
        let place = layout.layers[index];
        LayerUse {
            weights: place.start as u64,
            inputs: inputs as u64,
            sums: sums as u64,
            values: NOWHERE,
            copy: NOWHERE,
            slopes: NOWHERE,
            below: NOWHERE,
            added: NOWHERE,
            factors: NOWHERE,
            outputs: place.outputs as u32,
            stride: place.stride as u32,
            sum_stride: sum_stride as u32,
            value_stride: Linear::stride(units) as u32,
            copy_stride: 0,
            purpose: 0,
            units: units as u32,
            column: 0,
            rows: rows as u32,
            unused: 0,
        }
    };
    let state = |level: usize| {
        let trunk = wiring.trunk_of(level);
        let mut state = layer(trunk, places.trunk[level], places.gates[level], gate_width(wiring));
        state.column = wiring.state_inputs(level).start as u32;
        if is_recurrent {
            state.below = places.below as u64;
            return state;
        }
        state.purpose = Purpose::Dropout(2 * level as u8).code();
        state.values = places.states[level] as u64;
        state.slopes = places.state_slopes[level] as u64;
        if level + 1 < levels {
            state.copy = places.trunk[level + 1] as u64;
            state.copy_stride = trunk_stride(wiring, level + 1) as u32;
        }
        if let Some(before) = level.checked_sub(1) {
            state.below = places.gates[before] as u64;
            state.added = places.seen[before] as u64;
            state.factors = places.state_slopes[before] as u64;
        }
        state
    };
    let transition = |level: usize| {
        let is_last = level + 1 == levels;
        let (inputs, sums) = (places.states[level], places.hidden_pulls[level]);
        let below = if is_last && !is_recurrent { &places.gates } else { &places.seen };
        let slopes = (is_last || is_recurrent).then_some(places.state_slopes[level] as u64);
        LayerUse {
            purpose: Purpose::Dropout(2 * level as u8 + 1).code(),
            values: places.hidden[level] as u64,
            slopes: places.hidden_slopes[level] as u64,
            below: below[level] as u64,
            // What the global outputs say, which came first.
            added: if is_last { places.seen[level] as u64 } else { NOWHERE },
            factors: slopes.unwrap_or(NOWHERE),
            ..layer(wiring.transition(level), inputs, sums, units)
        }
    };
    let width = wiring.levels.iter().sum();
    let head = |level: usize| {
        let sums = places.local + wiring.levels[..level].iter().sum::<usize>();
        LayerUse {
            below: places.hidden_pulls[level] as u64,
            factors: places.hidden_slopes[level] as u64,
            ..layer(wiring.head(level), places.hidden[level], sums, width)
        }
    };
    let last = levels - 1;
    let output = LayerUse {
        below: places.seen[last] as u64,
        ..layer(wiring.output(), places.states[last], places.global, wiring.classes)
    };
    let shared = LayerUse { rows: (levels * rows) as u32, ..state(0) };
    let uses = (0..levels).map(state).chain((0..levels).map(transition));
    let uses = uses.chain((0..levels).map(head)).chain([output]);
    uses.chain(is_recurrent.then_some(shared)).collect()
}
