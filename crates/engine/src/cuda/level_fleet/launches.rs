//! The kernels of a batch, in order.

use cudarc::driver::{CudaFunction, LaunchArgs, PushKernelArg};

use super::LevelFleet;
use super::places::{NOWHERE, trunk_stride};
use super::uses::Launch;
use crate::cuda::error::CudaError;
use crate::cuda::parameters::{AdamStep, LevelCell, LevelMembers, Mask, Position};
use crate::cuda::training::steps::{THREADS, block};
use crate::learner::LevelWiring;
use crate::network::{Adam, Dropout, Linear};
use crate::random::Purpose;

/// Where the rows of a batch are from, and which of them.
#[derive(Clone, Copy)]
pub(super) struct BatchRows {
    /// The features of all rows.
    pub cells: u64,
    /// The order of each member; 0: rows are in order.
    pub order: u64,
    /// The first row of the batch, and how many it has.
    pub start: u32,
    pub count: u32,
}

impl LevelFleet<'_> {
    /// All outputs of a batch; `at` is the position whose units are dropped.
    pub(super) fn forward(&self, rows: BatchRows, at: Option<Position>) -> Result<(), CudaError> {
        let mask = |rate, purpose| {
            let rate = if at.is_some() { rate } else { 0.0 };
            let (below, scale) = Dropout { rate, seed: 0, epoch: 0, step: 0 }.limits();
            Mask { below, scale, purpose }
        };
        let inputs = Purpose::Dropout(2 * self.wiring.levels.len() as u8).code();
        let inputs = mask(self.settings.input_dropout, inputs);
        let mask = mask(self.settings.dropout, 0);
        let at = at.unwrap_or(Position { epoch: 0, step: 0 });
        self.gather(rows, inputs, at)?;
        let product = |of: Launch| {
            let mut launch = self.launch(&self.gpu.kernels.level_forward);
            let members = self.members();
            launch.arg(&members).arg(&of.first).arg(&mask).arg(&at);
            run(launch, (of.tiles, self.active, 1))
        };
        for (level, &of) in self.uses.states.iter().enumerate() {
            product(of)?;
            if self.wiring.kind == LevelWiring::Recurrent {
                let (members, cell) = (self.members(), self.cell(level));
                let mut launch = self.launch(&self.gpu.kernels.level_cell);
                launch.arg(&members).arg(&cell).arg(&mask).arg(&at);
                run(launch, (self.blocks(self.wiring.units), self.active, 1))?;
            }
        }
        product(self.uses.transitions)?;
        product(self.uses.outputs)
    }

    /// The loss of a batch whose outputs are there; their gradients take their place.
    pub(super) fn loss(&self, rows: BatchRows) -> Result<(), CudaError> {
        let (members, outputs) = (self.members(), self.outputs.parameters);
        let (order_member, losses) = (self.rows as u64, self.losses.address());
        let mut launch = self.launch(&self.gpu.kernels.level_loss);
        launch.arg(&members).arg(&outputs).arg(&rows.order).arg(&order_member).arg(&rows.start);
        launch.arg(&rows.count).arg(&losses);
        run(launch, (self.batch as u32, self.active, 1))
    }

    /// The way back from the gradients of all outputs to new weights.
    pub(super) fn backward(&self, adam: Adam) -> Result<(), CudaError> {
        let product = |of: Launch| {
            let members = self.members();
            let mut launch = self.launch(&self.gpu.kernels.level_below);
            launch.arg(&members).arg(&of.first);
            run(launch, (of.tiles, self.active, 1))
        };
        product(self.uses.below_outputs)?;
        product(self.uses.below_transitions)?;
        for level in (0..self.wiring.levels.len()).rev() {
            if self.wiring.kind == LevelWiring::Recurrent {
                let (members, cell) = (self.members(), self.cell(level));
                let mut launch = self.launch(&self.gpu.kernels.level_cell_back);
                launch.arg(&members).arg(&cell);
                run(launch, (self.blocks(self.wiring.units), self.active, 1))?;
            }
            if let Some(before) = level.checked_sub(1) {
                product(self.uses.below_states[before])?;
            }
        }
        let [rate, root] = adam.rates();
        let adam = AdamStep { decay: self.settings.weight_decay as f32, rate, root };
        let [first, second] = [&self.first, &self.second].map(|of| of.numbers.address());
        let members = self.members();
        let update = self.uses.update;
        let mut launch = self.launch(&self.gpu.kernels.level_update);
        launch.arg(&members).arg(&update.first).arg(&first).arg(&second).arg(&adam);
        run(launch, (update.tiles, self.active, 1))
    }

    /// The logits of mixed probabilities, for the first `count` rows of a batch.
    pub(super) fn mix(&self, count: u32) -> Result<(), CudaError> {
        let (members, outputs) = (self.members(), self.outputs.parameters);
        let (share, to) = (self.settings.local, self.logits.address());
        let mut launch = self.launch(&self.gpu.kernels.level_mix);
        launch.arg(&members).arg(&outputs).arg(&share).arg(&count).arg(&to);
        run(launch, (self.blocks(self.wiring.classes), self.active, 1))
    }

    fn gather(&self, rows: BatchRows, mask: Mask, at: Position) -> Result<(), CudaError> {
        if self.wiring.inputs == 0 {
            return Ok(());
        }
        let (members, width) = (self.members(), self.wiring.inputs as u32);
        let order_member = self.rows as u64;
        let mut launch = self.launch(&self.gpu.kernels.level_gather);
        launch.arg(&members).arg(&rows.cells).arg(&width).arg(&rows.order).arg(&order_member);
        launch.arg(&rows.start).arg(&rows.count).arg(&mask).arg(&at);
        let levels = self.wiring.levels.len() as u32;
        run(launch, (self.blocks(self.wiring.inputs), levels, self.active))
    }

    /// Blocks for this many numbers per row of a batch.
    fn blocks(&self, width: usize) -> u32 {
        (self.batch * width).div_ceil(THREADS as usize) as u32
    }

    fn members(&self) -> LevelMembers {
        LevelMembers {
            uses: self.use_table.address(),
            tiles: self.tile_table.address(),
            slots: self.slots.address(),
            seeds: self.seeds.address(),
            weights: self.weights.numbers.address(),
            weight_member: self.layout.size as u64,
            memory: self.memory.address(),
            memory_member: self.places.size as u64,
            rows: self.batch as u32,
            units: self.wiring.units as u32,
        }
    }

    fn cell(&self, level: usize) -> LevelCell {
        let places = &self.places;
        let is_last = level + 1 == self.wiring.levels.len();
        let next = if is_last { NOWHERE } else { places.trunk[level + 1] as u64 };
        LevelCell {
            gates: places.gates[level] as u64,
            memory: places.cells[level] as u64,
            before: level.checked_sub(1).map_or(NOWHERE, |before| places.cells[before] as u64),
            states: places.states[level] as u64,
            slopes: places.state_slopes[level] as u64,
            next,
            seen: places.seen[level] as u64,
            below: if is_last { NOWHERE } else { places.below as u64 },
            pull: places.pull as u64,
            state_stride: Linear::stride(self.wiring.units) as u32,
            next_stride: trunk_stride(&self.wiring, level) as u32,
            purpose: Purpose::Dropout(2 * level as u8).code(),
            unused: 0,
        }
    }

    fn launch<'a>(&'a self, kernel: &'a CudaFunction) -> LaunchArgs<'a> {
        self.gpu.stream.launch_builder(kernel)
    }
}

fn run(mut launch: LaunchArgs<'_>, grid: (u32, u32, u32)) -> Result<(), CudaError> {
    // SAFETY: arguments as in level_network.cu, level_cell.cu and level_loss.cu; the buffers were
    // made for these networks and batches.
    #[allow(unsafe_code)]
    unsafe {
        launch.launch(block(grid, THREADS, 0))?;
    }
    Ok(())
}
