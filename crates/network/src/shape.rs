//! The sizes of a network.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Inputs, hidden units layer by layer, outputs; written `77-500-500-499`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Shape {
    /// The number of inputs.
    pub inputs: usize,
    /// Units per hidden layer, from the inputs on; empty for a linear model.
    pub hidden: Vec<usize>,
    /// The number of outputs.
    pub outputs: usize,
}

impl Shape {
    /// Inputs and outputs of each layer, in order.
    pub fn layers(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let from = std::iter::once(self.inputs).chain(self.hidden.iter().copied());
        let to = self.hidden.iter().copied().chain(std::iter::once(self.outputs));
        from.zip(to)
    }

    /// The number of weights and biases.
    ///
    /// ```
    /// use rulebound_network::Shape;
    /// let shape = Shape { inputs: 3, hidden: vec![4], outputs: 2 };
    /// assert_eq!(shape.parameters(), 3 * 4 + 4 + 4 * 2 + 2);
    /// ```
    pub fn parameters(&self) -> usize {
        let sizes = self.layers().map(|(inputs, outputs)| (inputs + 1).saturating_mul(outputs));
        sizes.fold(0, usize::saturating_add)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.inputs)?;
        self.hidden.iter().try_for_each(|units| write!(f, "-{units}"))?;
        write!(f, "-{}", self.outputs)
    }
}
