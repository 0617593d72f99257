//! A level network as arrays, and back.

use super::wiring::Wiring;
use super::{LevelNetwork, LevelWiring};
use crate::learner::levels::Levels;
use crate::learner::named_tensors::{NamedTensors, TensorValues};
use crate::network::Linear;

impl LevelNetwork {
    /// Its arrays.
    pub fn tensors(&self) -> NamedTensors {
        let mut tensors = NamedTensors::new();
        let kind = u32::from(self.wiring.kind == LevelWiring::Recurrent);
        tensors.insert("recurrent", &[1], TensorValues::U32(vec![kind]));
        tensors.insert("share", &[1], TensorValues::F64(vec![self.local]));
        let places = self.levels.places().to_vec();
        tensors.insert("levels", &[places.len()], TensorValues::U32(places));
        for ((name, inputs, outputs), layer) in self.wiring.shapes().iter().zip(&self.layers) {
            let weights = TensorValues::F32(layer.weights().collect());
            tensors.insert(format!("{name}.weight"), &[*outputs, *inputs], weights);
            let biases = TensorValues::F32(layer.biases().collect());
            tensors.insert(format!("{name}.bias"), &[*outputs], biases);
        }
        tensors
    }

    /// The network of these arrays.
    ///
    /// # Errors
    /// A sentence about what does not fit.
    pub fn from_tensors(
        mut tensors: NamedTensors,
        inputs: usize,
        classes: usize,
    ) -> Result<Self, String> {
        let kind = match tensors.take_u32("recurrent", 1)?.1[..] {
            [0] => LevelWiring::FeedForward,
            [1] => LevelWiring::Recurrent,
            _ => return Err("`recurrent` is not 0 or 1".to_owned()),
        };
        let local = match tensors.take_f64("share", 1)?.1[..] {
            [share] if (0.0..=1.0).contains(&share) => share,
            _ => return Err("`share` is not a number from 0 to 1".to_owned()),
        };
        let (_, places) = tensors.take_u32("levels", 1)?;
        if places.len() != classes {
            return Err(format!("levels of {} classes instead of {classes}", places.len()));
        }
        let levels = Levels::from_places(places)?;
        let (shape, weights) = tensors.take_f32("global.weight", 2)?;
        tensors.insert("global.weight", &shape, TensorValues::F32(weights));
        let units = shape[1];
        if units == 0 || units > 1 << 14 {
            return Err(format!("{units} units"));
        }
        let sizes = levels.iter().map(<[u32]>::len).collect();
        let wiring = Wiring { kind, inputs, units, levels: sizes, classes };
        let mut layers = Vec::new();
        for (name, inputs, outputs) in wiring.shapes() {
            let (shape, weights) = tensors.take_f32(&format!("{name}.weight"), 2)?;
            let (_, biases) = tensors.take_f32(&format!("{name}.bias"), 1)?;
            if shape != [outputs, inputs] || biases.len() != outputs {
                return Err(format!("`{name}` does not have {inputs} inputs, {outputs} outputs"));
            }
            if !weights.iter().chain(&biases).all(|number| number.is_finite()) {
                return Err(format!("`{name}` has a number that is not finite"));
            }
            layers.push(Linear::from_parts(inputs, outputs, &weights, &biases));
        }
        Ok(Self { wiring, levels, local, layers })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::toy::Toy;
    use crate::learner::{EpochPlan, LevelNetworkSettings, Watch};

    #[test]
    fn arrays_that_do_not_fit_are_refused() {
        let toy = Toy::new(20, 1);
        let settings = LevelNetworkSettings { units: 3, ..LevelNetworkSettings::recurrent() };
        let (rows, plan) = (toy.rows(), EpochPlan::Exactly(1));
        let fitted = LevelNetwork::fit(&rows, None, &settings, plan, 0, &Watch::idle());
        let tensors = fitted.unwrap().learner.tensors();
        let read = |tensors| LevelNetwork::from_tensors(tensors, Toy::WIDTH, 6).map(|_| ());
        assert_eq!(read(tensors.clone()), Ok(()));
        assert!(LevelNetwork::from_tensors(tensors.clone(), 4, 6).is_err());
        assert!(LevelNetwork::from_tensors(tensors.clone(), Toy::WIDTH, 7).is_err());
        for (name, shape, values) in tensors.iter() {
            let with = |shape: &[usize], values: TensorValues| {
                let mut changed = NamedTensors::new();
                for (other, shape, values) in tensors.iter().filter(|(other, ..)| *other != name) {
                    changed.insert(other, shape, values.clone());
                }
                changed.insert(name, shape, values);
                changed
            };
            let longer = [&[shape[0] + 1], &shape[1..]].concat();
            let size = longer.iter().product();
            let longer_values = match values {
                TensorValues::F32(_) => TensorValues::F32(vec![0.0; size]),
                TensorValues::F64(_) => TensorValues::F64(vec![0.0; size]),
                TensorValues::U32(_) => TensorValues::U32(vec![0; size]),
            };
            assert!(read(with(&longer, longer_values)).is_err(), "{name} longer");
            let bad = match values {
                TensorValues::F32(values) => TensorValues::F32(vec![f32::NAN; values.len()]),
                TensorValues::F64(values) => TensorValues::F64(vec![f64::NAN; values.len()]),
                TensorValues::U32(values) => TensorValues::U32(vec![u32::MAX - 1; values.len()]),
            };
            assert!(read(with(shape, bad)).is_err(), "{name} bad");
        }
    }
}
