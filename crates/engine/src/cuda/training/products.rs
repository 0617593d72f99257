//! The products of a step on tensor cores: one launch each.

use cudarc::driver::{CudaFunction, DeviceRepr, PushKernelArg};

use super::division::Tile;
use super::fleet::Fleet;
use super::steps::block;
use crate::configuration::Precision;
use crate::cuda::buffer::Buffer;
use crate::cuda::error::CudaError;
use crate::cuda::gpu::Gpu;
use crate::cuda::gpu_rules::allow_shared;
use crate::cuda::kernels::TensorCoreKernels;
use crate::cuda::parameters::{Division, Mask, Matrix, Product, Step, Update};
use crate::cuda::weights::Layout;

/// The products of every layer.
pub(in crate::cuda) struct Products {
    forward: Vec<Launch<Product>>,
    /// Of every layer but the first.
    below: Vec<Launch<Product>>,
    update: Vec<Launch<Update>>,
    /// The parts of divided tiles, and how many of each are there.
    _shares: Buffer<f32>,
    _arrived: Buffer<u32>,
}

/// A product with its kernel.
struct Launch<P> {
    kernel: CudaFunction,
    tile: Tile,
    parameters: P,
}

impl Products {
    /// The products of a fleet whose memory has been allocated.
    pub fn new(
        fleet: &Fleet<'_>,
        kernels: &TensorCoreKernels,
        precision: Precision,
        members: usize,
    ) -> Result<Self, CudaError> {
        let gpu = fleet.gpu;
        let need = Need::of(gpu, &fleet.layout, fleet.batch);
        let shares = Buffer::zeros(gpu, need.shares * members)?;
        let arrived = Buffer::zeros(gpu, need.workers * members)?;
        let (parts, counts) = (shares.address(), arrived.address());
        let divide = |tile: Tile, [m, n, k]: [usize; 3]| {
            let by = tile.divide(m, n, k);
            Division { shares: parts, arrived: counts, ..by }
        };
        let mut all = Self {
            forward: vec![],
            below: vec![],
            update: vec![],
            _shares: shares,
            _arrived: arrived,
        };
        for (layer, sizes) in Sizes::of(gpu, &fleet.layout, fleet.batch).into_iter().enumerate() {
            let forward = fleet.forward_product(layer, divide(sizes.product, sizes.forward));
            let kernel = kernels.forward(sizes.product, precision);
            all.forward.push(Launch::new(kernel, sizes.product, forward)?);
            if layer > 0 {
                let below = fleet.below_product(layer, divide(sizes.product, sizes.below));
                let kernel = kernels.below(sizes.product, precision);
                all.below.push(Launch::new(kernel, sizes.product, below)?);
            }
            let update = fleet.update_product(layer, divide(sizes.update, sizes.own));
            let kernel = kernels.update(sizes.update, precision);
            all.update.push(Launch::new(kernel, sizes.update, update)?);
        }
        Ok(all)
    }
}

/// The tiles and sizes of a layer's products.
struct Sizes {
    product: Tile,
    update: Tile,
    forward: [usize; 3],
    below: [usize; 3],
    own: [usize; 3],
}

impl Sizes {
    fn of(gpu: &Gpu, layout: &Layout, rows: usize) -> Vec<Self> {
        let of_layer = |place: &crate::cuda::weights::LayerPlace| Self {
            product: Tile::of_product(rows),
            update: Tile::of_update(rows, place.outputs * place.inputs, gpu.limits.shared),
            forward: [rows, place.outputs, place.stride],
            below: [rows, place.inputs, place.outputs],
            own: [place.stride, place.outputs, rows],
        };
        layout.layers.iter().map(of_layer).collect()
    }
}

/// Working memory per member.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::cuda) struct Need {
    /// Numbers.
    pub shares: usize,
    /// Counters.
    pub workers: usize,
}

impl Need {
    pub fn of(gpu: &Gpu, layout: &Layout, rows: usize) -> Self {
        let mut need = Self::default();
        for sizes in Sizes::of(gpu, layout, rows) {
            let products = [
                (sizes.product, sizes.forward),
                (sizes.product, sizes.below),
                (sizes.update, sizes.own),
            ];
            for (tile, [m, n, k]) in products {
                let by = tile.divide(m, n, k);
                need.shares = need.shares.max(tile.shares(&by));
                need.workers = need.workers.max(by.workers as usize);
            }
        }
        need
    }
}

fn in_precision<T>(precision: Precision, [fp32, tf32]: [T; 2]) -> T {
    match precision {
        Precision::Fp32 => fp32,
        Precision::Tf32 => tf32,
    }
}

impl TensorCoreKernels {
    fn forward(&self, tile: Tile, precision: Precision) -> &CudaFunction {
        in_precision(
            precision,
            match tile {
                Tile::FORWARD_32 => [&self.forward_32x64_fp32, &self.forward_32x64_tf32],
                _ => [&self.forward_64x64_fp32, &self.forward_64x64_tf32],
            },
        )
    }

    fn below(&self, tile: Tile, precision: Precision) -> &CudaFunction {
        in_precision(
            precision,
            match tile {
                Tile::FORWARD_32 => [&self.below_32x64_fp32, &self.below_32x64_tf32],
                _ => [&self.below_64x64_fp32, &self.below_64x64_tf32],
            },
        )
    }

    fn update(&self, tile: Tile, precision: Precision) -> &CudaFunction {
        in_precision(
            precision,
            match tile {
                Tile::UPDATE_32 => [&self.update_64x64_32_fp32, &self.update_64x64_32_tf32],
                Tile::UPDATE_96 => [&self.update_64x64_96_fp32, &self.update_64x64_96_tf32],
                Tile::UPDATE_128 => [&self.update_64x64_128_fp32, &self.update_64x64_128_tf32],
                Tile::UPDATE_LARGE_32 => [&self.update_128x32_32_fp32, &self.update_128x32_32_tf32],
                _ => [&self.update_64x64_fp32, &self.update_64x64_tf32],
            },
        )
    }
}

impl<P: Work> Launch<P> {
    fn new(kernel: &CudaFunction, tile: Tile, parameters: P) -> Result<Self, CudaError> {
        allow_shared(kernel, tile.shared())?;
        Ok(Self { kernel: kernel.clone(), tile, parameters })
    }

    fn run(&self, gpu: &Gpu, step: &Step, members: usize) -> Result<(), CudaError> {
        let grid = (self.parameters.division().workers, members as u32, 1);
        let mut launch = gpu.stream.launch_builder(&self.kernel);
        launch.arg(&self.parameters).arg(step);
        // SAFETY: arguments as in products.cu and updates.cu; the buffers were made for this shape.
        #[allow(unsafe_code)]
        unsafe {
            launch.launch(block(grid, Tile::THREADS, self.tile.shared() as u32))?;
        }
        Ok(())
    }
}

/// What kernels of this file are given.
trait Work: DeviceRepr {
    fn division(&self) -> &Division;
}

impl Work for Product {
    fn division(&self) -> &Division {
        &self.by
    }
}

impl Work for Update {
    fn division(&self) -> &Division {
        &self.by
    }
}

impl Fleet<'_> {
    /// The inputs of a layer, one row after another.
    fn input_matrix(&self, layer: usize) -> Matrix {
        let stride = self.layout.layers[layer].stride;
        let cells = match layer.checked_sub(1) {
            None => self.batch_rows.rows(0, 0).cells,
            Some(below) => self.hidden[below].inputs.address(),
        };
        Matrix { cells, member: (self.batch * stride) as u64, stride: stride as u32 }
    }

    /// The gradient of a layer's sums.
    fn gradient_matrix(&self, layer: usize) -> Matrix {
        let stride = self.gradient_stride(layer);
        let cells = self.gradient_of(layer);
        Matrix { cells, member: (self.batch * stride) as u64, stride: stride as u32 }
    }

    fn weight_matrix(&self, layer: usize) -> Matrix {
        let cells = self.weights.address(&self.layout, layer);
        let stride = self.layout.layers[layer].stride as u32;
        Matrix { cells, member: self.layout.size as u64, stride }
    }

    fn forward_product(&self, layer: usize, by: Division) -> Product {
        let place = self.layout.layers[layer];
        let is_hidden = layer < self.hidden.len();
        let stride = self.gradient_stride(layer);
        let logits = Matrix {
            cells: self.logits.address(),
            member: (self.batch * stride) as u64,
            stride: stride as u32,
        };
        Product {
            a: self.input_matrix(layer),
            weights: self.weight_matrix(layer),
            to: if is_hidden { self.input_matrix(layer + 1) } else { logits },
            units: logits,
            rows: self.batch as u32,
            columns: place.outputs as u32,
            k: place.stride as u32,
            activation: if is_hidden { self.activation as u32 } else { 2 },
            dropout: if is_hidden { self.dropout.mask(layer as u8) } else { Mask::NONE },
            by,
        }
    }

    fn below_product(&self, layer: usize, by: Division) -> Product {
        let place = self.layout.layers[layer];
        Product {
            a: self.gradient_matrix(layer),
            weights: self.weight_matrix(layer),
            to: self.gradient_matrix(layer - 1),
            units: self.input_matrix(layer),
            rows: self.batch as u32,
            columns: place.inputs as u32,
            k: place.outputs as u32,
            activation: self.activation as u32,
            dropout: self.dropout.mask(layer as u8 - 1),
            by,
        }
    }

    fn update_product(&self, layer: usize, by: Division) -> Update {
        let place = self.layout.layers[layer];
        let (present, present_member) = self.present(layer);
        Update {
            inputs: self.input_matrix(layer),
            gradient: self.gradient_matrix(layer),
            weights: self.weights.address(&self.layout, layer),
            first: self.first.address(&self.layout, layer),
            second: self.second.address(&self.layout, layer),
            member: self.layout.size as u64,
            outputs: place.outputs as u32,
            stride: place.stride as u32,
            rows: self.batch as u32,
            decay: self.decay,
            rates: self.rates.address(),
            present,
            present_member,
            by,
        }
    }

    fn step_parameters(&self, ahead: u32) -> Step {
        let (seeds, slots, position) = self.launch_state();
        Step { seeds, slots, position, ahead }
    }
}

impl Products {
    pub fn forward(
        &self,
        fleet: &Fleet<'_>,
        layer: usize,
        members: usize,
        ahead: u32,
    ) -> Result<(), CudaError> {
        self.forward[layer].run(fleet.gpu, &fleet.step_parameters(ahead), members)
    }

    pub fn below(
        &self,
        fleet: &Fleet<'_>,
        layer: usize,
        members: usize,
        ahead: u32,
    ) -> Result<(), CudaError> {
        self.below[layer - 1].run(fleet.gpu, &fleet.step_parameters(ahead), members)
    }

    pub fn update(
        &self,
        fleet: &Fleet<'_>,
        layer: usize,
        members: usize,
        ahead: u32,
    ) -> Result<(), CudaError> {
        self.update[layer].run(fleet.gpu, &fleet.step_parameters(ahead), members)
    }
}
