//! The kernels of a training step, in order.

use cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg};

use super::batch_kernel::{BatchKernel, Part, chunk, update_threads};
use super::batch_rows::GatherLaunch;
use super::fleet::Fleet;
use super::groups::Way;
use super::products::Products;
use crate::cuda::error::CudaError;
use crate::cuda::gpu::Gpu;
use crate::cuda::parameters::{LossTask, Mask, Rows, Sums};
use crate::cuda::rules::Plan;

/// Threads per block that works on weights.
pub(in crate::cuda) const THREADS: u32 = 256;
/// Rows and columns of a tile.
const TILE: usize = 64;
/// Number of outputs of all members from which a warp processes four at a time.
const MANY_OUTPUTS: usize = 4096;

/// Number of inputs from which the warps of a block share them. It determines the order of
/// summation.
const WIDE: usize = 2048;

impl Fleet<'_> {
    /// The parts of a step in order, with their names.
    pub(in crate::cuda) fn parts(&self) -> Vec<(String, Part)> {
        let layers = self.layout.layers.len();
        let gather = self.batch_rows.gathers().then_some(Part::Gather);
        let forward = (0..layers).map(Part::Forward);
        let back = (0..layers).rev().flat_map(|layer| {
            let is_few = matches!(self.way, BatchKernel::Few(_));
            let below = (!is_few && layer > 0).then_some(Part::Below(layer));
            let descend = (is_few && layer + 1 < layers).then_some(Part::Descend(layer));
            below.into_iter().chain(descend).chain([Part::Update(layer)])
        });
        let named = |part: Part| {
            let name = match part {
                Part::Gather => "gather".to_owned(),
                Part::Forward(layer) => format!("forward {}", layer + 1),
                Part::Loss => "loss".to_owned(),
                Part::Below(layer) => format!("below {}", layer + 1),
                Part::Descend(layer) => format!("descend {}", layer + 1),
                Part::Update(layer) => format!("update {}", layer + 1),
            };
            (name, part)
        };
        let parts = gather.into_iter().chain(forward).chain([Part::Loss]).chain(back);
        parts.map(named).collect()
    }

    /// Launches the step `ahead` steps after the position, for the first `members` slots listed.
    pub(in crate::cuda) fn step(&self, members: usize, ahead: u32) -> Result<(), CudaError> {
        self.parts()
            .into_iter()
            .try_for_each(|(_, part)| self.launch_part(part, members, ahead))?;
        self.products.as_ref().map_or(Ok(()), |products| products.join(self.gpu))
    }

    /// Launches one part of a step; what follows comes after it, in the stream that is captured too.
    pub(in crate::cuda) fn part(
        &self,
        part: Part,
        members: usize,
        ahead: u32,
    ) -> Result<(), CudaError> {
        self.launch_part(part, members, ahead)?;
        match (&self.products, part) {
            (Some(products), Part::Update(layer)) if layer > 0 => products.join(self.gpu),
            _ => Ok(()),
        }
    }

    fn launch_part(&self, part: Part, members: usize, ahead: u32) -> Result<(), CudaError> {
        if let Some(products) = &self.products {
            let product = match part {
                Part::Forward(layer) => Some((Way::Forward, layer)),
                Part::Below(layer) => Some((Way::Below, layer)),
                Part::Update(layer) => Some((Way::Update, layer)),
                _ => None,
            };
            if let Some((way, layer)) = product {
                return products.run(self, way, layer, members, ahead);
            }
        }
        match (part, self.way) {
            (Part::Gather, _) => self.gather(members, ahead),
            (Part::Forward(layer), _) => self.forward(layer, members, ahead),
            (Part::Loss, _) => self.loss(members, ahead),
            (Part::Below(layer), _) => self.below_tiled(layer, members),
            (Part::Descend(layer), _) => self.descend(layer, self.way.rows(self.batch), members),
            (Part::Update(layer), BatchKernel::Few(rows)) => {
                self.update_few(layer, rows, members, ahead)
            }
            (Part::Update(layer), _) => self.update_tiled(layer, members, ahead),
        }
    }

    fn gather(&self, members: usize, ahead: u32) -> Result<(), CudaError> {
        let (order, order_member) = (self.order.address(), self.places() as u64);
        let (_, slots, position) = self.launch_state();
        let launch = GatherLaunch { order, order_member, slots, position, members, ahead };
        self.batch_rows.gather(self.gpu, launch)
    }

    /// The columns that an update of a layer is confined to; see `BatchRows`.
    pub(in crate::cuda) fn present(&self, layer: usize) -> (u64, u64) {
        if layer == 0 { self.batch_rows.present() } else { (0, 0) }
    }

    /// The inputs of layer `layer`.
    fn rows(&self, layer: usize) -> Rows {
        let stride = self.layout.layers[layer].stride as u32;
        if layer == 0 {
            return self.batch_rows.rows(self.order.address(), self.places() as u64);
        }
        let cells = self.hidden[layer - 1].inputs.address();
        let member = self.way.rows(self.batch) as u64 * u64::from(stride);
        Rows { cells, order: 0, member, stride }
    }

    /// Where the sums of a layer go, and which units are dropped there.
    fn sums(&self, layer: usize) -> (Sums, Mask) {
        let outputs = self.layout.layers[layer].outputs;
        let rows = self.way.rows(self.batch) as u64;
        let Some(hidden) = self.hidden.get(layer) else {
            let stride = outputs as u32;
            let (values, member) = (self.logits.address(), rows * u64::from(stride));
            let none = Mask::NONE;
            let sums = Sums {
                values,
                slopes: 0,
                member,
                slope_member: 0,
                stride,
                slope_stride: 0,
                activation: 2,
            };
            return (sums, none);
        };
        let stride = self.layout.layers[layer + 1].stride as u32;
        let sums = Sums {
            values: hidden.inputs.address(),
            slopes: hidden.slopes.address(),
            member: rows * u64::from(stride),
            slope_member: rows * outputs as u64,
            stride,
            slope_stride: outputs as u32,
            activation: self.activation as u32,
        };
        (sums, self.dropout.mask(layer as u8))
    }

    fn forward(&self, layer: usize, members: usize, ahead: u32) -> Result<(), CudaError> {
        let kernels = &self.gpu.kernels;
        let outputs = self.layout.layers[layer].outputs;
        let many = outputs * members >= MANY_OUTPUTS;
        let at_once = if many { 4 } else { 1 };
        let is_wide = self.layout.layers[layer].stride >= WIDE && self.way == BatchKernel::Few(4);
        let (kernel, grid) = match (self.way, at_once) {
            _ if is_wide => (&kernels.forward_4_wide, None),
            (BatchKernel::Few(4), 1) => (&kernels.forward_4_1, None),
            (BatchKernel::Few(4), _) => (&kernels.forward_4_4, None),
            (BatchKernel::Few(_), 1) => (&kernels.forward_8_1, None),
            (BatchKernel::Few(_), _) => (&kernels.forward_8_4, None),
            (_, _) => {
                let tiles = (self.batch.div_ceil(TILE), outputs.div_ceil(TILE));
                (&kernels.forward_tiled, Some(tiles))
            }
        };
        let warps = THREADS as usize / 32;
        let grid_dim = match grid {
            None if is_wide => (outputs.div_ceil(4) as u32, members as u32, 1),
            None => (outputs.div_ceil(warps * at_once) as u32, members as u32, 1),
            Some((rows, outputs)) => (rows as u32, outputs as u32, members as u32),
        };
        let (weights, place) =
            (self.weights.address(&self.layout, layer), self.layout.layer(layer));
        let (rows, (sums, mask)) = (self.rows(layer), self.sums(layer));
        let (seeds, slots, position) = self.launch_state();
        let (batch, count) = (self.batch as u32, self.batch as u32);
        let mut launch = self.gpu.stream.launch_builder(kernel);
        launch.arg(&weights).arg(&place).arg(&rows).arg(&sums).arg(&mask);
        launch.arg(&seeds).arg(&slots).arg(&position).arg(&ahead).arg(&batch);
        if grid.is_some() {
            launch.arg(&count);
        }
        // SAFETY: arguments as in network.cu and tiled.cu; the buffers were made for this shape.
        #[allow(unsafe_code)]
        unsafe {
            launch.launch(block(grid_dim, THREADS, 0))?;
        }
        Ok(())
    }

    fn loss(&self, members: usize, ahead: u32) -> Result<(), CudaError> {
        let rows = self.way.rows(self.batch);
        self.loss_by(&self.objective.plan(self.gpu, rows, members), members, ahead)
    }

    /// Launches the loss as planned.
    pub(in crate::cuda) fn loss_by(
        &self,
        plan: &Plan,
        members: usize,
        ahead: u32,
    ) -> Result<(), CudaError> {
        let loss = &self.objective;
        let rows = self.way.rows(self.batch);
        let stride = self.way.gradient_stride(loss.rules.classes());
        let (_, slots, position) = self.launch_state();
        let terms = loss.terms.addresses();
        let task = LossTask {
            weights: terms.having,
            lacking: terms.lacking,
            rows: terms.rows,
            unknown: terms.unknown,
            scales: terms.scales,
            scale_member: loss.terms.steps() as u64,
            logits: self.logits.address(),
            gradient: self.gradient.address(),
            rests: self.products.as_ref().map_or(0, Products::gradient_rests),
            member: (rows * stride) as u64,
            losses: self.losses.address(),
            loss_member: self.places() as u64,
            bad: self.bad.address(),
            slots,
            // Behind the epoch.
            step: position + size_of::<u32>() as u64,
            stride: stride as u32,
            height: rows as u32,
            how: loss.how,
        };
        let (parameter, batch) = (loss.rules.parameter(plan.copied), self.batch_parameters());
        let (outside, room) = (loss.outside.address(), plan.room as u64);
        let mut launch = self.launch(self.gpu.kernels.rules.loss(plan));
        launch.arg(&parameter).arg(&task).arg(&batch).arg(&ahead).arg(&outside).arg(&room);
        let grid = (plan.blocks as u32, members as u32, 1);
        // SAFETY: arguments as in rules/kernels/loss.cu; the buffers were made for this shape.
        #[allow(unsafe_code)]
        unsafe {
            launch.launch(block(grid, plan.threads as u32, plan.shared as u32))?;
        }
        Ok(())
    }

    fn update_few(
        &self,
        layer: usize,
        rows: usize,
        members: usize,
        ahead: u32,
    ) -> Result<(), CudaError> {
        let kernels = &self.gpu.kernels;
        let (present, present_member) = self.present(layer);
        let kernel = match (rows, layer > 0, present != 0) {
            (4, true, _) => &kernels.update_4_below,
            (4, _, false) => &kernels.update_4,
            (4, _, true) => &kernels.update_4_lazy,
            (_, true, _) => &kernels.update_8_below,
            (_, _, false) => &kernels.update_8,
            (_, _, true) => &kernels.update_8_lazy,
        };
        let place = self.layout.layers[layer];
        let chunk = chunk(place.outputs, place.stride);
        let chunks = place.outputs.div_ceil(chunk);
        let (below, below_member) = match layer.checked_sub(1) {
            None => (0, 0),
            Some(under) => {
                (self.hidden[under].shares.address(), (chunks * rows * place.stride) as u64)
            }
        };
        let threads = update_threads(place.stride);
        let columns = (place.stride / 4).div_ceil(threads);
        let grid = (columns as u32, chunks as u32, members as u32);
        let [weights, first, second] =
            [&self.weights, &self.first, &self.second].map(|w| w.address(&self.layout, layer));
        let (parameters, inputs) = (self.layout.layer(layer), self.rows(layer));
        let (gradient, member) = (self.gradient_of(layer), (rows * place.outputs) as u64);
        let shared = (4 * chunk * rows) as u32;
        let (chunk, rates, decay) = (chunk as u32, self.rates.address(), self.decay);
        let (_, slots, position) = self.launch_state();
        let batch = self.batch as u32;
        let mut launch = self.launch(kernel);
        launch.arg(&weights).arg(&first).arg(&second).arg(&parameters).arg(&inputs).arg(&gradient);
        launch.arg(&member).arg(&below).arg(&below_member).arg(&chunk).arg(&rates).arg(&decay);
        launch.arg(&slots).arg(&position).arg(&ahead).arg(&batch);
        launch.arg(&present).arg(&present_member);
        // SAFETY: arguments as in network.cu; the buffers were made for this shape.
        #[allow(unsafe_code)]
        unsafe {
            launch.launch(block(grid, threads as u32, shared))?;
        }
        Ok(())
    }

    /// The gradient of the sums of a hidden layer, from the shares of the layer above.
    fn descend(&self, layer: usize, rows: usize, members: usize) -> Result<(), CudaError> {
        let (hidden, above) = (&self.hidden[layer], self.layout.layers[layer + 1]);
        let units = above.inputs;
        let count = above.outputs.div_ceil(chunk(above.outputs, above.stride));
        let (shares, share_member) =
            (hidden.shares.address(), (count * rows * above.stride) as u64);
        let (share_stride, count) = (above.stride as u32, count as u32);
        let (slopes, gradient) = (hidden.slopes.address(), hidden.gradient.address());
        let (member, units) = ((rows * units) as u64, units as u32);
        let (_, slots, _) = self.launch_state();
        let mut launch = self.launch(&self.gpu.kernels.descend);
        launch.arg(&shares).arg(&share_member).arg(&share_stride).arg(&count).arg(&slopes);
        launch.arg(&gradient).arg(&member).arg(&units).arg(&slots);
        let grid = (units.div_ceil(32), rows as u32, members as u32);
        // SAFETY: arguments as in network.cu; the buffers were made for this shape.
        #[allow(unsafe_code)]
        unsafe {
            launch.launch(block(grid, 1024, 0))?;
        }
        Ok(())
    }

    /// Numbers from one row of gradients of a layer's sums to the next.
    pub(in crate::cuda) fn gradient_stride(&self, layer: usize) -> usize {
        self.way.gradient_stride(self.layout.layers[layer].outputs)
    }

    /// Where the gradient of a layer's sums is, row by row.
    pub(in crate::cuda) fn gradient_of(&self, layer: usize) -> u64 {
        match self.hidden.get(layer) {
            None => self.gradient.address(),
            Some(hidden) => hidden.gradient.address(),
        }
    }

    fn below_tiled(&self, layer: usize, members: usize) -> Result<(), CudaError> {
        let place = self.layout.layers[layer];
        let hidden = &self.hidden[layer - 1];
        let (weights, parameters) =
            (self.weights.address(&self.layout, layer), self.layout.layer(layer));
        let (gradient, member) = (self.gradient_of(layer), (self.batch * place.outputs) as u64);
        let (slopes, below) = (hidden.slopes.address(), hidden.gradient.address());
        let (below_member, inputs) = ((self.batch * place.inputs) as u64, place.inputs as u32);
        let (_, slots, _) = self.launch_state();
        let count = self.batch as u32;
        let grid =
            (self.batch.div_ceil(TILE) as u32, place.inputs.div_ceil(TILE) as u32, members as u32);
        let mut launch = self.launch(&self.gpu.kernels.below_tiled);
        launch.arg(&weights).arg(&parameters).arg(&gradient).arg(&member).arg(&slopes).arg(&below);
        launch.arg(&below_member).arg(&inputs).arg(&slots).arg(&count);
        // SAFETY: arguments as in tiled.cu; the buffers were made for this shape.
        #[allow(unsafe_code)]
        unsafe {
            launch.launch(block(grid, THREADS, 0))?;
        }
        Ok(())
    }

    fn update_tiled(&self, layer: usize, members: usize, ahead: u32) -> Result<(), CudaError> {
        let place = self.layout.layers[layer];
        let [weights, first, second] =
            [&self.weights, &self.first, &self.second].map(|w| w.address(&self.layout, layer));
        let (parameters, rows) = (self.layout.layer(layer), self.rows(layer));
        let (present, present_member) = self.present(layer);
        let (gradient, member) = (self.gradient_of(layer), (self.batch * place.outputs) as u64);
        let (rates, decay) = (self.rates.address(), self.decay);
        let (_, slots, position) = self.launch_state();
        let batch = self.batch as u32;
        let grid = (
            place.outputs.div_ceil(TILE) as u32,
            place.stride.div_ceil(TILE) as u32,
            members as u32,
        );
        let mut launch = self.launch(&self.gpu.kernels.update_tiled);
        launch.arg(&weights).arg(&first).arg(&second).arg(&parameters).arg(&rows).arg(&gradient);
        launch.arg(&member).arg(&rates).arg(&decay).arg(&slots).arg(&position).arg(&ahead);
        launch.arg(&batch).arg(&present).arg(&present_member);
        // SAFETY: arguments as in tiled.cu; the buffers were made for this shape.
        #[allow(unsafe_code)]
        unsafe {
            launch.launch(block(grid, THREADS, 0))?;
        }
        Ok(())
    }

    fn launch<'a>(&'a self, kernel: &'a CudaFunction) -> cudarc::driver::LaunchArgs<'a> {
        self.gpu.stream.launch_builder(kernel)
    }
}

/// Advances the position.
pub(in crate::cuda) fn advance(gpu: &Gpu, position: u64, steps: u32) -> Result<(), CudaError> {
    let mut launch = gpu.stream.launch_builder(&gpu.kernels.advance);
    launch.arg(&position).arg(&steps);
    // SAFETY: arguments as in network.cu.
    #[allow(unsafe_code)]
    unsafe {
        launch.launch(block((1, 1, 1), 1, 0))?;
    }
    Ok(())
}

pub(in crate::cuda) fn block(grid_dim: (u32, u32, u32), threads: u32, shared: u32) -> LaunchConfig {
    LaunchConfig { grid_dim, block_dim: (threads, 1, 1), shared_mem_bytes: shared }
}
