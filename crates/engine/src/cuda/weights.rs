//! The weights of several networks of one shape, member by member.
//!
//! A member's layers are stored in order, each with the same layout as on the host: output by
//! output, the bias in the column after the last input, zeros up to a multiple of sixteen; zero
//! outputs up to a multiple of four.

use super::buffer::Buffer;
use super::error::CudaError;
use super::gpu::Gpu;
use super::parameters::Layer;
use crate::network::{Activation, Linear, Network, Shape};

/// The memory layout of a member.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub layers: Vec<LayerPlace>,
    /// Numbers per member.
    pub size: usize,
}

/// The position of a layer within a member.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayerPlace {
    pub inputs: usize,
    pub outputs: usize,
    pub stride: usize,
    pub start: usize,
}

impl Layout {
    pub fn new(shape: &Shape) -> Self {
        Self::from_layers(shape.layers())
    }

    /// The layout of layers with these numbers of inputs and outputs.
    pub fn from_layers(layers: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut size = 0;
        let place = |(inputs, outputs)| {
            let (stride, start) = (Linear::stride(inputs), size);
            size += Linear::numbers_for(inputs, outputs);
            LayerPlace { inputs, outputs, stride, start }
        };
        let layers = layers.map(place).collect();
        Self { layers, size }
    }

    /// The layer, for kernels.
    pub fn layer(&self, index: usize) -> Layer {
        let LayerPlace { outputs, stride, .. } = self.layers[index];
        Layer { outputs: outputs as u32, stride: stride as u32, member: self.size as u64 }
    }
}

/// One number per weight of each member.
pub(super) struct Weights {
    pub numbers: Buffer<f32>,
}

impl Weights {
    pub fn zeros(gpu: &Gpu, layout: &Layout, members: usize) -> Result<Self, CudaError> {
        Ok(Self { numbers: Buffer::zeros(gpu, layout.size * members)? })
    }

    /// The address of a layer of the first member.
    pub fn address(&self, layout: &Layout, layer: usize) -> u64 {
        self.numbers.address_of(layout.layers[layer].start)
    }

    /// Writes the layers of a member.
    pub fn put<'a>(
        &mut self,
        gpu: &Gpu,
        layout: &Layout,
        member: usize,
        layers: impl IntoIterator<Item = &'a Linear>,
    ) -> Result<(), CudaError> {
        for (place, layer) in layout.layers.iter().zip(layers) {
            let start = member * layout.size + place.start;
            self.numbers.write(gpu, start, layer.numbers())?;
        }
        gpu.wait()
    }

    /// Reads the layers of a member.
    pub fn take(
        &self,
        gpu: &Gpu,
        layout: &Layout,
        member: usize,
    ) -> Result<Vec<Linear>, CudaError> {
        let read = |place: &LayerPlace| {
            let mut layer = Linear::zeros(place.inputs, place.outputs);
            let start = member * layout.size + place.start;
            self.numbers.read(gpu, start, layer.numbers_mut())?;
            Ok(layer)
        };
        layout.layers.iter().map(read).collect()
    }

    /// Reads a member as a network.
    pub fn network(
        &self,
        gpu: &Gpu,
        layout: &Layout,
        member: usize,
        activation: Activation,
    ) -> Result<Network, CudaError> {
        Ok(Network::from_layers(activation, self.take(gpu, layout, member)?))
    }
}
