//! The rows of the first layer: the data on the GPU, and the rows of each step's batch.
//!
//! Sparse rows stay sparse (CSR): 8 bytes per listed cell. A batch of them is written into a small
//! dense buffer, `[slot][row][stride]`, and every kernel reads that. An exact step moves 28 bytes
//! per weight of the first layer anyway, and reads the buffer's 4 bytes per row and column instead
//! of lists that each block would have to search: with 500 hidden units, 14,000 bytes per column
//! beside 4 per row. The buffer is not even cleared: each row erases the cells of the row before
//! it, so filling it moves some 80 bytes per listed cell, however wide rows are.
//!
//! Dense rows are read where they are by kernels for few rows, through the order of the epoch;
//! other kernels read them several times, and get them gathered in order too.
//!
//! Lazy updates leave columns alone that no row of the batch lists: a mask, a bit per column, says
//! which are listed. As on the CPU, the biases are always updated, a listed cell counts whatever
//! its value, and a batch that lists more than one cell in sixteen is updated like dense rows.
//!
//! Invariant: a row of the buffer holds the cells of the row of the data named in `held`.

use std::ops::Range;

use cudarc::driver::{DeviceRepr, PushKernelArg, ValidAsZeroBits};

use super::batch_kernel::BatchKernel;
use super::steps::block;
use crate::cuda::buffer::Buffer;
use crate::cuda::error::CudaError;
use crate::cuda::gpu::Gpu;
use crate::cuda::parameters::{Gathered, Rows, SparseRows};
use crate::features::{FeatureMatrix, SparseMatrix};
use crate::network::SparseUpdate;

/// Numbers copied to the GPU at a time: 64 MiB.
const AT_ONCE: usize = 1 << 24;

/// Words of the mask that one block writes: 32 KiB of shared memory, for 262,144 columns.
const WORDS: usize = 1 << 13;

/// Threads of a block that copies dense rows, and the groups of four numbers that each of them
/// copies.
const THREADS: usize = 256;
const COPIES: usize = 8;

/// Which rows are trained on, and how the batches are computed.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct BatchRowsTask<'a> {
    pub data: &'a FeatureMatrix,
    /// Numbers per row of the first layer, with the column of ones.
    pub stride: usize,
    pub batch: usize,
    pub way: BatchKernel,
    pub members: usize,
    pub update: SparseUpdate,
}

impl BatchRowsTask<'_> {
    /// Whether batches are gathered; otherwise kernels read the data through the order.
    fn gathers(&self) -> bool {
        self.data.is_sparse() || !matches!(self.way, BatchKernel::Few(_))
    }

    fn is_lazy(&self) -> bool {
        self.data.is_sparse() && self.update == SparseUpdate::Lazy
    }

    /// Words of a member's mask.
    fn words(&self) -> usize {
        self.stride.div_ceil(32)
    }

    /// Bytes of GPU memory for the data and the batches of all members.
    pub fn bytes(&self) -> u64 {
        let (rows, members) = (self.data.rows() as u64, self.members as u64);
        let data = match self.data {
            FeatureMatrix::Dense { .. } => 4 * (rows + 1) * self.stride as u64,
            FeatureMatrix::Sparse(sparse) => 8 * (rows + 2 + sparse.stored() as u64),
        };
        let row = if self.gathers() { 4 * (self.stride as u64 + 1) } else { 0 };
        let mask = if self.is_lazy() { 4 * self.words() as u64 } else { 0 };
        data + members * (row * self.way.rows(self.batch) as u64 + mask)
    }
}

/// The rows of the data, and those of the current batch of each member.
pub(in crate::cuda) struct BatchRows {
    data: Data,
    /// `[slot][row][stride]`, where batches are gathered.
    gathered: Option<Buffer<f32>>,
    /// The columns that a member's batch lists, a bit each, where updates are lazy.
    present: Option<Buffer<u32>>,
    batch: usize,
    /// Rows of the buffer per member; those past the batch stay zeros.
    rows: usize,
    stride: usize,
    words: usize,
}

/// The rows of the data, then one without cells, for places past the end of an epoch.
enum Data {
    Dense(Buffer<f32>),
    Sparse {
        starts: Buffer<u64>,
        columns: Buffer<u32>,
        values: Buffer<f32>,
        /// `[slot][row]`: the row of the data whose cells are in the buffer.
        held: Buffer<u32>,
        rows: u32,
        width: u32,
    },
}

/// Which members' batches of which step.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct GatherLaunch {
    /// The orders of all members, and entries from one to the next.
    pub order: u64,
    pub order_member: u64,
    pub slots: u64,
    pub position: u64,
    pub members: usize,
    pub ahead: u32,
}

impl BatchRows {
    /// Copies the data to the GPU, and allocates memory for the batches.
    pub fn new(gpu: &Gpu, task: &BatchRowsTask<'_>) -> Result<Self, CudaError> {
        let BatchRowsTask { data, stride, batch, members, .. } = *task;
        let rows = task.way.rows(batch);
        let gathered = match task.gathers() {
            true => Some(Buffer::zeros(gpu, members * rows * stride)?),
            false => None,
        };
        let present = match task.is_lazy() {
            true => Some(Buffer::zeros(gpu, members * task.words())?),
            false => None,
        };
        let data = match data {
            FeatureMatrix::Dense { .. } => Data::Dense(dense(gpu, data, stride)?),
            FeatureMatrix::Sparse(sparse) => Data::sparse(gpu, sparse, members * batch)?,
        };
        gpu.wait()?;
        Ok(Self { data, gathered, present, batch, rows, stride, words: task.words() })
    }

    /// Whether a step gathers its rows before it reads them.
    pub fn gathers(&self) -> bool {
        self.gathered.is_some()
    }

    /// The rows of a batch, for kernels of the first layer.
    pub fn rows(&self, order: u64, order_member: u64) -> Rows {
        let stride = self.stride as u32;
        match (&self.gathered, &self.data) {
            (None, Data::Dense(cells)) => {
                Rows { cells: cells.address(), order, member: order_member, stride }
            }
            (gathered, _) => {
                let cells = gathered.as_ref().map_or(0, Buffer::address);
                Rows { cells, order: 0, member: (self.rows * self.stride) as u64, stride }
            }
        }
    }

    /// The mask of columns that lazy updates need, and numbers from one member to the next; 0 where
    /// all columns are updated.
    pub fn present(&self) -> (u64, u64) {
        self.present.as_ref().map_or((0, 0), |present| (present.address(), self.words as u64))
    }

    /// Launches what fills the buffer, where there is one.
    pub fn gather(&self, gpu: &Gpu, launch: GatherLaunch) -> Result<(), CudaError> {
        match (&self.gathered, &self.data) {
            (None, _) => Ok(()),
            (Some(to), Data::Dense(cells)) => self.gather_dense(gpu, cells, to, launch),
            (Some(to), Data::Sparse { starts, columns, values, held, rows, width }) => {
                let [starts, columns, values, held] =
                    [starts.address(), columns.address(), values.address(), held.address()];
                let data = SparseRows { starts, columns, values, rows: *rows, width: *width };
                self.gather_sparse(gpu, data, to, held, launch)
            }
        }
    }

    fn gather_dense(
        &self,
        gpu: &Gpu,
        cells: &Buffer<f32>,
        to: &Buffer<f32>,
        GatherLaunch { order, order_member, slots, position, members, ahead }: GatherLaunch,
    ) -> Result<(), CudaError> {
        let stride = self.stride as u32;
        let data = Rows { cells: cells.address(), order, member: order_member, stride };
        let (to, member) = (to.address(), (self.rows * self.stride) as u64);
        let fours = self.stride / 4;
        let threads = fours.next_power_of_two().min(THREADS);
        let at_once = THREADS / threads;
        let parts = fours.div_ceil(threads * COPIES);
        let grid = (self.batch.div_ceil(at_once) as u32, parts as u32, members as u32);
        let (batch, threads) = (self.batch as u32, threads as u32);
        let mut launch = gpu.stream.launch_builder(&gpu.kernels.gather_dense);
        launch.arg(&data).arg(&to).arg(&member).arg(&batch).arg(&threads);
        launch.arg(&slots).arg(&position).arg(&ahead);
        // SAFETY: arguments as in gather.cu; the buffers were made for this stride and batch.
        #[allow(unsafe_code)]
        unsafe {
            launch.launch(block(grid, THREADS as u32, 0))?;
        }
        Ok(())
    }

    fn gather_sparse(
        &self,
        gpu: &Gpu,
        data: SparseRows,
        to: &Buffer<f32>,
        held: u64,
        GatherLaunch { order, order_member, slots, position, members, ahead }: GatherLaunch,
    ) -> Result<(), CudaError> {
        let (present, present_member) = self.present();
        let words = self.words.min(WORDS);
        let markers = if self.present.is_some() { self.words.div_ceil(WORDS) } else { 0 };
        let gathered = Gathered {
            rows: to.address(),
            held,
            present,
            member: (self.rows * self.stride) as u64,
            present_member,
            stride: self.stride as u32,
            batch: self.batch as u32,
            markers: markers as u32,
            words: words as u32,
        };
        // A warp for each row.
        let threads = (32 * self.batch).clamp(128, 1024);
        let blocks = markers + self.batch.div_ceil(threads / 32);
        let shared = if markers > 0 { 4 * words } else { 0 };
        let mut launch = gpu.stream.launch_builder(&gpu.kernels.gather_sparse);
        launch.arg(&data).arg(&order).arg(&order_member).arg(&gathered);
        launch.arg(&slots).arg(&position).arg(&ahead);
        let grid = (blocks as u32, members as u32, 1);
        // SAFETY: arguments as in gather.cu; the buffers were made for this stride and batch, and
        // the columns of sparse rows are below their width.
        #[allow(unsafe_code)]
        unsafe {
            launch.launch(block(grid, threads as u32, shared as u32))?;
        }
        Ok(())
    }
}

impl Data {
    /// Copies sparse rows as they are; nothing of the batches is held yet.
    fn sparse(gpu: &Gpu, rows: &SparseMatrix, held: usize) -> Result<Self, CudaError> {
        let (count, stored) = (rows.rows(), rows.stored());
        let (starts, ..) = rows.parts();
        let starts: Vec<u64> = starts.iter().chain([&stored]).map(|&start| start as u64).collect();
        Ok(Self::Sparse {
            starts: Buffer::copy(gpu, &starts)?,
            columns: in_parts(gpu, stored, |part| rows.cells(part).0)?,
            values: in_parts(gpu, stored, |part| rows.cells(part).1)?,
            held: Buffer::copy(gpu, &vec![count as u32; held])?,
            rows: count as u32,
            width: rows.width() as u32,
        })
    }
}

/// Copies numbers a part at a time: those on a disk need not be in memory all at once.
fn in_parts<'a, T: DeviceRepr + ValidAsZeroBits + 'a>(
    gpu: &Gpu,
    count: usize,
    part: impl Fn(Range<usize>) -> &'a [T],
) -> Result<Buffer<T>, CudaError> {
    let mut copy = Buffer::zeros(gpu, count)?;
    for first in (0..count).step_by(AT_ONCE) {
        copy.write(gpu, first, part(first..(first + AT_ONCE).min(count)))?;
    }
    Ok(copy)
}

/// Copies rows with the column of ones, a part at a time, and one row of zeros.
fn dense(gpu: &Gpu, rows: &FeatureMatrix, stride: usize) -> Result<Buffer<f32>, CudaError> {
    let (count, width) = (rows.rows(), rows.width());
    let mut copy = Buffer::zeros(gpu, (count + 1) * stride)?;
    let at_once = (AT_ONCE / stride).max(1);
    for first in (0..count).step_by(at_once) {
        let part = first..(first + at_once).min(count);
        let mut cells = vec![0.0; part.len() * stride];
        for (row, place) in part.zip(cells.chunks_exact_mut(stride)) {
            rows.row(row).copy_to(&mut place[..width]);
            place[width] = 1.0;
        }
        copy.write(gpu, first * stride, &cells)?;
    }
    Ok(copy)
}
