//! The forward pass of rows through networks, without dropout.

use cudarc::driver::PushKernelArg;

use super::buffer::Buffer;
use super::error::CudaError;
use super::gpu::Gpu;
use super::parameters::{Mask, Rows, Sums};
use super::training::steps::{THREADS, block};
use super::weights::{Layout, Weights};
use crate::network::Activation;

/// Rows per pass through the network.
const ROWS: usize = 8192;
/// Rows and columns of a tile.
const TILE: usize = 64;

/// The forward pass of rows through networks, and its working memory.
pub(super) struct Pass {
    activation: Activation,
    hidden: Vec<Buffer<f32>>,
    pub inputs: Buffer<f32>,
    pub logits: Buffer<f32>,
    slots: Buffer<u32>,
    seeds: Buffer<u64>,
    position: Buffer<u32>,
    pub rows: usize,
}

impl Pass {
    pub fn new(
        gpu: &Gpu,
        layout: &Layout,
        activation: Activation,
        members: usize,
    ) -> Result<Self, CudaError> {
        let widest = layout.layers.iter().map(|layer| layer.stride.max(layer.outputs)).max();
        // At most a gigabyte per layer.
        let rows = ((1 << 28) / widest.unwrap_or(1)).clamp(1, ROWS);
        let mut hidden = Vec::new();
        for pair in layout.layers.windows(2) {
            let mut row = vec![0.0; pair[1].stride];
            row[pair[0].outputs] = 1.0;
            hidden.push(Buffer::copy(gpu, &row.repeat(rows))?);
        }
        let outputs = layout.layers.last().map_or(0, |layer| layer.outputs);
        let slots: Vec<u32> = (0..members as u32).collect();
        Ok(Self {
            activation,
            hidden,
            inputs: Buffer::zeros(gpu, rows * layout.layers[0].stride)?,
            logits: Buffer::zeros(gpu, rows * outputs)?,
            slots: Buffer::copy(gpu, &slots)?,
            seeds: Buffer::zeros(gpu, members)?,
            position: Buffer::zeros(gpu, 2)?,
            rows,
        })
    }

    /// Logits of one member.
    pub fn logits(
        &self,
        gpu: &Gpu,
        layout: &Layout,
        weights: &Weights,
        slot: usize,
        rows: &[f32],
    ) -> Result<Vec<f32>, CudaError> {
        let (width, stride) = (layout.layers[0].inputs, layout.layers[0].stride);
        let outputs = layout.layers.last().map_or(0, |layer| layer.outputs);
        let mut logits = Vec::with_capacity(rows.len() / width * outputs);
        for rows in rows.chunks(self.rows * width) {
            let count = rows.len() / width;
            let copy = Buffer::copy(gpu, &padded(rows, width, stride))?;
            let (inputs, to) = (copy.address(), self.logits.address());
            self.run(gpu, layout, weights, MemberPass { slot, count, inputs, logits: to })?;
            let start = logits.len();
            logits.resize(start + count * outputs, 0.0);
            self.logits.read(gpu, 0, &mut logits[start..])?;
        }
        Ok(logits)
    }

    /// Launches the products of one member; rows of inputs are padded.
    pub fn run(
        &self,
        gpu: &Gpu,
        layout: &Layout,
        weights: &Weights,
        MemberPass { slot, count, inputs, logits }: MemberPass,
    ) -> Result<(), CudaError> {
        let slots = self.slots.address_of(slot);
        let (seeds, position) = (self.seeds.address(), self.position.address());
        let none = Mask::NONE;
        let (ahead, batch, count) = (0u32, 0u32, count as u32);
        for (index, place) in layout.layers.iter().enumerate() {
            let cells = if index == 0 { inputs } else { self.hidden[index - 1].address() };
            let rows = Rows { cells, order: 0, member: 0, stride: place.stride as u32 };
            let (values, stride, activation) = match self.hidden.get(index) {
                Some(hidden) => {
                    (hidden.address(), layout.layers[index + 1].stride, self.activation as u32)
                }
                None => (logits, place.outputs, 2),
            };
            let sums = Sums {
                values,
                slopes: 0,
                member: 0,
                slope_member: 0,
                stride: stride as u32,
                slope_stride: 0,
                activation,
            };
            let (weights, layer) = (weights.address(layout, index), layout.layer(index));
            let mut launch = gpu.stream.launch_builder(&gpu.kernels.forward_tiled);
            launch.arg(&weights).arg(&layer).arg(&rows).arg(&sums).arg(&none).arg(&seeds);
            launch.arg(&slots).arg(&position).arg(&ahead).arg(&batch).arg(&count);
            let grid = (count.div_ceil(TILE as u32), place.outputs.div_ceil(TILE) as u32, 1);
            // SAFETY: arguments as in tiled.cu; the buffers hold at least `count` rows.
            #[allow(unsafe_code)]
            unsafe {
                launch.launch(block(grid, THREADS, 0))?;
            }
        }
        Ok(())
    }
}

/// The rows of one member's pass: how many, from where, to where.
#[derive(Clone, Copy)]
pub(super) struct MemberPass {
    pub slot: usize,
    pub count: usize,
    pub inputs: u64,
    pub logits: u64,
}

/// Rows with the column of ones, and zeros up to the stride.
pub(super) fn padded(rows: &[f32], width: usize, stride: usize) -> Vec<f32> {
    let mut padded = vec![0.0; rows.len() / width.max(1) * stride];
    for (row, place) in rows.chunks_exact(width.max(1)).zip(padded.chunks_exact_mut(stride)) {
        place[..width].copy_from_slice(row);
        place[width] = 1.0;
    }
    padded
}
