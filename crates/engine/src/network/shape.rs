//! The sizes of a network.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Inputs, hidden units layer by layer, outputs; written `77-500-500-499`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Shape {
    /// Numbers in a row of inputs.
    pub inputs: usize,
    /// Units of the hidden layers, from the inputs on; none is a linear model.
    pub hidden: Vec<usize>,
    /// Numbers in a row of outputs.
    pub outputs: usize,
}

impl Shape {
    /// Inputs and outputs of each layer, in order.
    pub fn layers(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let from = std::iter::once(self.inputs).chain(self.hidden.iter().copied());
        let to = self.hidden.iter().copied().chain(std::iter::once(self.outputs));
        from.zip(to)
    }

    /// Weights and biases.
    ///
    /// ```
    /// use rulebound::network::Shape;
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
