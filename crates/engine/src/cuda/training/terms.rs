//! The terms of the loss: how much each counts, which are left out, and how many a step has.
//!
//! A term's weight is that of its row times that of its class, which may depend on whether the row has
//! the class; labels that are not known have no term. As on the CPU, the loss of a step is the mean over the
//! terms whose weight is not 0. On the GPU the largest weight is at most 1, a power of two away from what
//! was given, so that sums in fixed point have room.

use super::fleet::FleetTask;
use crate::cuda::buffer::Buffer;
use crate::cuda::error::CudaError;
use crate::cuda::gpu::Gpu;

/// The weights of a run's terms.
#[derive(Clone, Copy, Debug)]
pub struct FleetWeights<'a> {
    /// Of each class, where a row has it.
    pub positive: &'a [f32],
    /// Of each class, where a row lacks it.
    pub negative: &'a [f32],
    /// Of each row; unset: 1.
    pub rows: Option<&'a [f32]>,
}

/// The terms on a GPU.
pub(in crate::cuda) struct Terms {
    having: Buffer<f32>,
    lacking: Option<Buffer<f32>>,
    rows: Option<Buffer<f32>>,
    unknown: Option<Buffer<u32>>,
    /// `[slot][step]`: from sums to means.
    scales: Buffer<f64>,
    /// The same, here.
    of_steps: Vec<f64>,
    steps: usize,
    /// Terms of each row; none of the one past the last.
    counts: Vec<u32>,
    /// What weights on the GPU have been divided by.
    unit: f64,
}

/// The addresses that the kernel of the loss reads.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct TermAddresses {
    pub having: u64,
    pub lacking: u64,
    pub rows: u64,
    pub unknown: u64,
    pub scales: u64,
}

impl Terms {
    /// Copies the weights to the GPU.
    pub fn new(gpu: &Gpu, task: &FleetTask<'_>, steps: usize) -> Result<Self, CudaError> {
        let labels = task.examples.labels();
        let ones = vec![1.0; labels.classes()];
        let FleetWeights { positive, negative, rows } =
            task.weights.unwrap_or(FleetWeights { positive: &ones, negative: &ones, rows: None });
        let (row_unit, class_unit) =
            (rows.map_or(1.0, unit_of), unit_of(positive).max(unit_of(negative)));
        let of_class = |weights: &[f32]| -> Vec<f32> {
            let weight = |(&weight, &is): (&f32, &bool)| if is { weight / class_unit } else { 0.0 };
            weights.iter().zip(task.evaluated).map(weight).collect()
        };
        let (having, lacking) = (of_class(positive), of_class(negative));
        let counts = counts(task, &having, &lacking);
        let lacking = (lacking != having).then_some(lacking);
        let of_row = |rows: &[f32]| rows.iter().map(|weight| weight / row_unit).collect::<Vec<_>>();
        let rows = rows.map(of_row);
        Ok(Self {
            having: Buffer::copy(gpu, &having)?,
            lacking: lacking.map(|lacking| Buffer::copy(gpu, &lacking)).transpose()?,
            rows: rows.map(|rows| Buffer::copy(gpu, &rows)).transpose()?,
            unknown: unknown(task).map(|unknown| Buffer::copy(gpu, &unknown)).transpose()?,
            scales: Buffer::zeros(gpu, task.seeds.len() * steps)?,
            of_steps: vec![0.0; task.seeds.len() * steps],
            steps,
            counts,
            unit: f64::from(row_unit) * f64::from(class_unit),
        })
    }

    /// Bytes of GPU memory.
    pub fn bytes(task: &FleetTask<'_>, steps: usize) -> u64 {
        let (rows, classes) = (task.examples.rows(), task.shape.outputs);
        let of_rows =
            if task.weights.is_some_and(|weights| weights.rows.is_some()) { rows } else { 0 };
        let has_unknown = task.examples.labels().unknown_cells() > 0;
        let unknown = if has_unknown { (rows + 1) * classes.div_ceil(32) } else { 0 };
        (4 * (2 * classes + of_rows + unknown) + 8 * task.seeds.len() * steps) as u64
    }

    /// Prepares an epoch of a slot, given the order of its rows.
    pub fn begin_epoch(
        &mut self,
        gpu: &Gpu,
        slot: usize,
        order: &[u32],
        batch: usize,
    ) -> Result<(), CudaError> {
        let places = slot * self.steps..(slot + 1) * self.steps;
        for (place, rows) in places.clone().zip(order.chunks(batch)) {
            let terms: u64 = rows.iter().map(|&row| u64::from(self.counts[row as usize])).sum();
            self.of_steps[place] = if terms == 0 { 0.0 } else { self.unit / terms as f64 };
        }
        self.scales.write(gpu, places.start, &self.of_steps[places])
    }

    /// The mean of a step of the epoch that was prepared last, from the losses of its rows.
    pub fn mean(&self, slot: usize, step: usize, losses: &[f64]) -> f64 {
        losses.iter().sum::<f64>() * self.of_steps[slot * self.steps + step] / self.unit
    }

    /// Losses of rows, from the sums that the GPU has.
    pub fn sums(&self, mut sums: Vec<f64>) -> Vec<f64> {
        sums.iter_mut().for_each(|sum| *sum *= self.unit);
        sums
    }

    pub fn addresses(&self) -> TermAddresses {
        let or_none = |buffer: &Option<Buffer<f32>>| buffer.as_ref().map_or(0, Buffer::address);
        TermAddresses {
            having: self.having.address(),
            lacking: or_none(&self.lacking),
            rows: or_none(&self.rows),
            unknown: self.unknown.as_ref().map_or(0, Buffer::address),
            scales: self.scales.address(),
        }
    }

    /// Steps of an epoch.
    pub fn steps(&self) -> usize {
        self.steps
    }
}

/// The power of two that divides weights so that none is above 1.
fn unit_of(weights: &[f32]) -> f32 {
    let largest = weights.iter().copied().fold(0.0, f32::max);
    if largest > 0.0 { largest.log2().ceil().exp2() } else { 1.0 }
}

/// The number of terms of each row, and of none.
fn counts(task: &FleetTask<'_>, having: &[f32], lacking: &[f32]) -> Vec<u32> {
    let labels = task.examples.labels();
    let rows = task.weights.and_then(|weights| weights.rows);
    let differ = having.iter().zip(lacking).any(|(a, b)| (*a == 0.0) != (*b == 0.0));
    let all = lacking.iter().filter(|&&weight| weight != 0.0).count() as u32;
    let mut truth = vec![false; labels.classes()];
    let mut of_row = |row: usize| {
        if rows.is_some_and(|rows| rows[row] == 0.0) {
            return 0;
        }
        if !differ && labels.unknown(row).next().is_none() {
            return all;
        }
        labels.unpack(row, &mut truth);
        let sides = truth.iter().zip(having.iter().zip(lacking));
        let counts =
            |(&has, (a, b)): (&bool, (&f32, &f32))| if has { *a != 0.0 } else { *b != 0.0 };
        let mut counted: Vec<bool> = sides.map(counts).collect();
        labels.unknown(row).for_each(|class| counted[class.index()] = false);
        counted.into_iter().filter(|&is| is).count() as u32
    };
    let mut counts: Vec<u32> = (0..labels.rows()).map(&mut of_row).collect();
    counts.push(0);
    counts
}

/// The labels that are not known, as bits row by row; none if all are known.
fn unknown(task: &FleetTask<'_>) -> Option<Vec<u32>> {
    let labels = task.examples.labels();
    let words = labels.classes().div_ceil(32);
    (labels.unknown_cells() > 0).then(|| {
        let mut bits = vec![0; (labels.rows() + 1) * words];
        for row in 0..labels.rows() {
            for class in labels.unknown(row) {
                bits[row * words + class.index() / 32] |= 1 << (class.index() % 32);
            }
        }
        bits
    })
}
