//! Level networks (HMCN-F and HMCN-R) being trained on a GPU in parallel.
//!
//! A launch has all tiles of the products that do not wait for each other, of all levels and all
//! members: hidden units, outputs and weight gradients are one launch each, only the states go
//! level by level. Nothing waits for the host within an epoch. Sums are taken in an order that
//! depends on the shape alone, so a member's bits do not depend on the other members.

mod launches;
mod outputs;
mod places;
mod uses;

use launches::BatchRows;
use outputs::OutputTables;
use places::Places;
use uses::Uses;

use super::buffer::Buffer;
use super::error::CudaError;
use super::gpu::Gpu;
use super::parameters::{LayerUse, Position, UseTile};
use super::weights::{Layout, Weights};
use crate::learner::{FitRows, LevelNetworkSettings, LevelProblem, Wiring};
use crate::network::{Adam, Linear};
use crate::random::{Draws, Purpose};

/// What a fleet of level networks trains, and on what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LevelFleetTask<'a> {
    /// The hierarchy and the shape of the networks.
    pub problem: &'a LevelProblem,
    /// How they are trained.
    pub settings: &'a LevelNetworkSettings,
    /// The training rows; at least one.
    pub rows: &'a FitRows<'a>,
    /// Rows whose logits are asked for.
    pub valid: Option<&'a FitRows<'a>>,
    /// The seed of each member.
    pub seeds: &'a [u64],
    /// Whether the best network of each member is kept in addition to the current one.
    pub keeps_best: bool,
}

/// Level networks of one shape being trained. A slot is the index of a member.
pub(crate) struct LevelFleet<'a> {
    gpu: &'a Gpu,
    settings: LevelNetworkSettings,
    wiring: Wiring,
    layout: Layout,
    places: Places,
    uses: Uses,
    use_table: Buffer<LayerUse>,
    tile_table: Buffer<UseTile>,
    weights: Weights,
    first: Weights,
    second: Weights,
    best: Option<Weights>,
    memory: Buffer<f32>,
    outputs: OutputTables,
    inputs: Buffer<f32>,
    valid: Option<(Buffer<f32>, usize)>,
    /// Logits of a batch of validation rows: `[active member][row][class]`.
    logits: Buffer<f32>,
    /// Training rows, and rows of a batch.
    rows: usize,
    batch: usize,
    /// For each slot the order of the rows in an epoch, and the loss of each.
    order: Buffer<u32>,
    losses: Buffer<f64>,
    member_seeds: Vec<u64>,
    seeds: Buffer<u64>,
    /// The slots of an epoch, and how many.
    slots: Buffer<u32>,
    active: u32,
}

impl<'a> LevelFleet<'a> {
    /// Allocates memory for all members, whose weights are zeros.
    pub fn new(gpu: &'a Gpu, task: &LevelFleetTask<'_>) -> Result<Self, CudaError> {
        let LevelFleetTask { problem, settings, rows, valid, seeds, .. } = *task;
        let (wiring, members) = (problem.wiring(), seeds.len());
        let batch = settings.batch.min(rows.rows()).max(1);
        let shapes = wiring.shapes();
        let layout =
            Layout::from_layers(shapes.iter().map(|&(_, inputs, outputs)| (inputs, outputs)));
        let places = Places::new(wiring, batch);
        let uses = Uses::new(wiring, &layout, &places, batch);
        let copies = if task.keeps_best { 4 } else { 3 };
        let logits = if valid.is_some() { batch * wiring.classes } else { 0 };
        let each = layout.size * copies + places.size + logits + 3 * rows.rows();
        let shared = rows.inputs().len() + valid.map_or(0, |valid| valid.inputs().len());
        let what = match members {
            1 => "the network and its moments".to_owned(),
            _ => format!("{members} networks and their moments"),
        };
        gpu.expect_room(what, 4 * (each * members + shared) as u64)?;
        let zeros = || Weights::zeros(gpu, &layout, members);
        let mut memory = Buffer::zeros(gpu, places.size * members)?;
        let first = places.memory(wiring);
        for slot in 0..members {
            memory.write(gpu, slot * places.size, &first)?;
        }
        gpu.wait()?;
        Ok(Self {
            weights: zeros()?,
            first: zeros()?,
            second: zeros()?,
            best: if task.keeps_best { Some(zeros()?) } else { None },
            memory,
            outputs: OutputTables::new(gpu, problem, settings, rows, &places)?,
            inputs: Buffer::copy(gpu, rows.inputs())?,
            valid: match valid {
                Some(valid) => Some((Buffer::copy(gpu, valid.inputs())?, valid.rows())),
                None => None,
            },
            logits: Buffer::zeros(gpu, members * logits)?,
            rows: rows.rows(),
            batch,
            order: Buffer::zeros(gpu, members * rows.rows())?,
            losses: Buffer::zeros(gpu, members * rows.rows())?,
            member_seeds: seeds.to_vec(),
            seeds: Buffer::copy(gpu, seeds)?,
            slots: Buffer::zeros(gpu, members)?,
            active: 0,
            gpu,
            settings: settings.clone(),
            wiring: wiring.clone(),
            use_table: Buffer::copy(gpu, &uses.uses)?,
            tile_table: Buffer::copy(gpu, &uses.tiles)?,
            layout,
            places,
            uses,
        })
    }

    /// Steps per epoch.
    pub fn steps(&self) -> usize {
        self.rows.div_ceil(self.batch)
    }

    /// Copies the layers of a member to the GPU.
    pub fn put(&mut self, slot: usize, layers: &[Linear]) -> Result<(), CudaError> {
        self.weights.put(self.gpu, &self.layout, slot, layers)
    }

    /// Copies the layers of a member back: the kept ones, if they are asked for and there.
    pub fn take(&self, slot: usize, kept: bool) -> Result<Vec<Linear>, CudaError> {
        let weights = self.best.as_ref().filter(|_| kept).unwrap_or(&self.weights);
        weights.take(self.gpu, &self.layout, slot)
    }

    /// Adam's first moments of a member.
    #[cfg(test)]
    pub fn moments(&self, slot: usize) -> Result<Vec<Linear>, CudaError> {
        self.first.take(self.gpu, &self.layout, slot)
    }

    /// Keeps the current network of a member as its best.
    pub fn keep(&mut self, slot: usize) -> Result<(), CudaError> {
        let Some(best) = &mut self.best else { return Ok(()) };
        let (size, start) = (self.layout.size, self.layout.size * slot);
        best.numbers.copy_from(self.gpu, &self.weights.numbers, start, start, size)
    }

    /// Prepares an epoch of these slots.
    pub fn begin_epoch(&mut self, slots: &[usize], epoch: u32) -> Result<(), CudaError> {
        for &slot in slots {
            let draws = Draws::in_epoch(self.member_seeds[slot], Purpose::Shuffle, epoch);
            self.order.write(self.gpu, slot * self.rows, &draws.shuffle(self.rows))?;
        }
        let list: Vec<u32> = slots.iter().map(|&slot| slot as u32).collect();
        self.slots.write(self.gpu, 0, &list)?;
        self.active = slots.len() as u32;
        self.gpu.wait()
    }

    /// Launches a step of a prepared epoch; does not wait for it.
    pub fn step(&self, epoch: u32, step: usize) -> Result<(), CudaError> {
        let start = step * self.batch;
        let rows = BatchRows {
            cells: self.inputs.address(),
            order: self.order.address(),
            start: start as u32,
            count: self.batch.min(self.rows - start) as u32,
        };
        let number = u64::from(epoch) * self.steps() as u64 + step as u64 + 1;
        let (rate, decay) = (self.settings.learning_rate, self.settings.weight_decay);
        self.forward(rows, Some(Position { epoch, step: step as u32 }))?;
        self.loss(rows)?;
        self.backward(Adam::step(number, rate, decay))
    }

    /// The mean loss of a member in the epoch that has just been run.
    pub fn loss_of_epoch(&self, slot: usize) -> Result<f64, CudaError> {
        let mut losses = vec![0.0; self.rows];
        self.losses.read(self.gpu, slot * self.rows, &mut losses)?;
        // The losses of a batch add up to its mean loss.
        let batch = |losses: &[f64]| losses.iter().sum::<f64>() * losses.len() as f64;
        Ok(losses.chunks(self.batch).map(batch).sum::<f64>() / self.rows.max(1) as f64)
    }

    /// The logits of the validation rows, for each slot of the epoch that has just been run.
    pub fn logits(&self) -> Result<Vec<Vec<f32>>, CudaError> {
        let Some((cells, rows)) = &self.valid else { return Ok(Vec::new()) };
        let classes = self.wiring.classes;
        let mut logits = vec![Vec::with_capacity(rows * classes); self.active as usize];
        for start in (0..*rows).step_by(self.batch) {
            let count = self.batch.min(rows - start);
            let (first, count) = (start as u32, count as u32);
            let part = BatchRows { cells: cells.address(), order: 0, start: first, count };
            self.forward(part, None)?;
            self.mix(count)?;
            for (index, logits) in logits.iter_mut().enumerate() {
                let end = logits.len();
                logits.resize(end + count as usize * classes, 0.0);
                self.logits.read(self.gpu, index * self.batch * classes, &mut logits[end..])?;
            }
        }
        Ok(logits)
    }
}
