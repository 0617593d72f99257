//! A network during training.

use super::linear::Linear;
use super::perceptron::Network;

/// A network during training: its weights and their moments.
#[derive(Clone, PartialEq, Debug)]
pub struct Trainee {
    /// The network as it is now.
    pub network: Network,
    /// For each layer, the running means of gradients and of their squares, in its shape.
    pub moments: Vec<[Linear; 2]>,
}

impl Trainee {
    /// A network at the beginning of training.
    pub fn new(network: Network) -> Self {
        let zeros = |layer: &Linear| Linear::zeros(layer.inputs(), layer.outputs());
        let moments = network.layers().iter().map(|layer| [zeros(layer), zeros(layer)]).collect();
        Self { network, moments }
    }
}
