//! Which layers a level network has, and what they are connected to.

use std::ops::Range;

use super::LevelWiring;
use crate::network::Linear;

/// The shape of a level network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Wiring {
    pub kind: LevelWiring,
    pub inputs: usize,
    /// Units of a state, and of the hidden layer between a state and its local outputs.
    pub units: usize,
    /// The number of classes of each level.
    pub levels: Vec<usize>,
    pub classes: usize,
}

impl Wiring {
    /// How many layers compute states.
    pub fn trunk(&self) -> usize {
        match self.kind {
            LevelWiring::FeedForward => self.levels.len(),
            LevelWiring::Recurrent => 1,
        }
    }

    /// The layer that computes the state of a level.
    pub fn trunk_of(&self, level: usize) -> usize {
        level.min(self.trunk() - 1)
    }

    /// The layer from the state of a level to its own hidden units.
    pub fn transition(&self, level: usize) -> usize {
        self.trunk() + level
    }

    /// The layer from these to its local outputs.
    pub fn head(&self, level: usize) -> usize {
        self.trunk() + self.levels.len() + level
    }

    /// The layer from the last state to the global outputs.
    pub fn output(&self) -> usize {
        self.trunk() + 2 * self.levels.len()
    }

    /// Inputs of the layer that computes the state of a level: the state before comes first.
    pub fn state_inputs(&self, level: usize) -> Range<usize> {
        match (self.kind, level) {
            (LevelWiring::FeedForward, 0) => 0..self.inputs,
            _ => self.units..self.units + self.inputs,
        }
    }

    /// The name, inputs and outputs of each layer.
    pub fn shapes(&self) -> Vec<(String, usize, usize)> {
        let units = self.units;
        let gates = match self.kind {
            LevelWiring::FeedForward => 1,
            LevelWiring::Recurrent => 4,
        };
        let trunk = (0..self.trunk())
            .map(|level| (format!("state.{level}"), self.state_inputs(level).end, gates * units));
        let transitions =
            (0..self.levels.len()).map(|level| (format!("transition.{level}"), units, units));
        let heads = self.levels.iter().enumerate();
        let heads = heads.map(|(level, &classes)| (format!("local.{level}"), units, classes));
        let output = [("global".to_owned(), units, self.classes)];
        trunk.chain(transitions).chain(heads).chain(output).collect()
    }

    /// Layers with random weights.
    pub fn random(&self, seed: u64) -> Vec<Linear> {
        let shapes = self.shapes().into_iter().enumerate();
        shapes
            .map(|(layer, (_, inputs, outputs))| Linear::random(inputs, outputs, seed, layer as u8))
            .collect()
    }
}
