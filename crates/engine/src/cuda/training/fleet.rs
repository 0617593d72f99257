//! Members being trained on a GPU in parallel.

use cudarc::driver::CudaGraph;
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use rulebound_core::Program;

use super::batch_kernel::{BatchKernel, chunk};
use super::batch_rows::{BatchRows, BatchRowsTask};
use super::objective::{GpuLoss, broken_rows};
use super::products::{Products, StepProducts};
use super::steps::advance;
use super::terms::{FleetWeights, Terms};
use crate::configuration::Configuration;
use crate::cuda::arithmetic::Arithmetic;
use crate::cuda::buffer::Buffer;
use crate::cuda::error::CudaError;
use crate::cuda::gpu::Gpu;
use crate::cuda::parameters::{Batch, Mask};
use crate::cuda::pass::Pass;
use crate::cuda::weights::{Layout, Weights};
use crate::examples::Examples;
use crate::features::FeatureMatrix;
use crate::network::RowOrder;
use crate::network::{Activation, Adam, Dropout, Linear, Network, Shape, Trainee};
use crate::random::Purpose;

/// Steps per graph.
const GRAPH: usize = 16;

/// Padding after the last step: kernels may read more rows than a batch has.
const SLACK: usize = 8;

/// What a fleet trains, and on what.
#[derive(Clone, Copy, Debug)]
pub struct FleetTask<'a> {
    /// The sizes of every network.
    pub shape: &'a Shape,
    /// The configuration of training.
    pub configuration: &'a Configuration,
    /// The rules.
    pub program: &'a Program,
    /// Which classes have a term in the loss.
    pub evaluated: &'a [bool],
    /// How much each term counts; unset: all the same.
    pub weights: Option<FleetWeights<'a>>,
    /// The training rows.
    pub examples: &'a Examples,
    /// The seed of each member.
    pub seeds: &'a [u64],
    /// Whether the best network of each member is kept in addition to the current one.
    pub keeps_best: bool,
}

/// Networks of one shape being trained. A slot is the index of a member.
pub(crate) struct Fleet<'a> {
    pub(in crate::cuda) gpu: &'a Gpu,
    pub(in crate::cuda) layout: Layout,
    pub(in crate::cuda) activation: Activation,
    pub(in crate::cuda) way: BatchKernel,
    pub(in crate::cuda) batch: usize,
    pub(in crate::cuda) dropout: DropoutRate,
    pub(in crate::cuda) decay: f32,
    pub(in crate::cuda) weights: Weights,
    pub(in crate::cuda) first: Weights,
    pub(in crate::cuda) second: Weights,
    best: Option<Weights>,
    pub(in crate::cuda) hidden: Vec<Hidden>,
    pub(in crate::cuda) logits: Buffer<f32>,
    pub(in crate::cuda) gradient: Buffer<f32>,
    pub(in crate::cuda) objective: GpuLoss,
    pub(in crate::cuda) batch_rows: BatchRows,
    truth: Buffer<u32>,
    broken: Option<Buffer<u8>>,
    words: usize,
    rows: usize,
    /// For each slot the order of rows in an epoch; past its end the row of zeros.
    pub(in crate::cuda) order: Buffer<u32>,
    /// Adam's factors in each step of an epoch.
    pub(in crate::cuda) rates: Buffer<[f32; 2]>,
    pub(in crate::cuda) losses: Buffer<f64>,
    pub(in crate::cuda) bad: Buffer<u32>,
    seeds: Vec<u64>,
    seeds_on_gpu: Buffer<u64>,
    slots: Buffer<u32>,
    position: Buffer<u32>,
    shuffle_buffer: Option<usize>,
    learning_rate: f64,
    weight_decay: f64,
    /// The products on tensor cores, if that is what computes a batch.
    pub(in crate::cuda) products: Option<Products>,
    graph: Option<(usize, CudaGraph)>,
    pass: Option<Pass>,
}

/// The working memory of a hidden layer.
pub(in crate::cuda) struct Hidden {
    /// The inputs of the next layer: `[slot][row][stride]`.
    pub inputs: Buffer<f32>,
    /// Slopes of the activations: `[slot][row][unit]`; not used on tensor cores.
    pub slopes: Buffer<f32>,
    /// The gradient of this layer's sums: `[slot][row][unit]`, with the stride of gradients.
    pub gradient: Buffer<f32>,
    /// Shares of the gradient of `inputs`, one for each block of the layer above; only at few rows.
    pub shares: Buffer<f32>,
}

/// The dropout rate of hidden units.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct DropoutRate(f64);

impl DropoutRate {
    pub fn mask(self, layer: u8) -> Mask {
        let dropout = Dropout { rate: self.0, seed: 0, epoch: 0, step: 0 };
        let (below, scale) = dropout.limits();
        Mask { below, scale, purpose: Purpose::Dropout(layer).code() }
    }
}

impl<'a> Fleet<'a> {
    /// Allocates memory for all members.
    pub fn new(gpu: &'a Gpu, task: &FleetTask<'_>) -> Result<Self, CudaError> {
        let FleetTask { shape, configuration, examples, seeds, .. } = *task;
        let (rows, members) = (examples.rows(), seeds.len());
        let batch = configuration.batch.min(rows);
        let layout = Layout::new(shape);
        let arithmetic = Arithmetic::new(gpu.capability, shape, batch, configuration.precision);
        let way = BatchKernel::for_batch(batch, arithmetic);
        let products = (way == BatchKernel::TensorCores)
            .then(|| StepProducts::new(gpu, &layout, batch, configuration.precision));
        let places = rows.div_ceil(batch) * batch + SLACK;
        let batch_rows = way.rows(batch);
        let copies = if task.keeps_best { 4 } else { 3 };
        let first_layer = BatchRowsTask {
            data: examples.inputs(),
            stride: layout.layers[0].stride,
            batch,
            way,
            members,
            update: configuration.sparse_update,
        };
        let above = layout.layers[1..].iter().map(|layer| layer.stride).sum::<usize>();
        let numbers =
            layout.size * copies + 8 * batch_rows * (above + shape.outputs.next_multiple_of(16));
        let numbers = numbers + products.as_ref().map_or(0, |products| products.numbers(&layout));
        let shared = rows * shape.outputs.div_ceil(32);
        let steps = rows.div_ceil(batch);
        let terms = Terms::bytes(task, steps);
        let needed = 4 * (numbers * members + shared) as u64 + first_layer.bytes() + terms;
        let what = match members {
            1 => "the network and its moments".to_owned(),
            _ => format!("{members} networks and their moments"),
        };
        gpu.expect_room(what, needed)?;

        let mut hidden = Vec::new();
        for pair in layout.layers.windows(2) {
            let (units, above) = (pair[0].outputs, pair[1]);
            let mut row = vec![0.0; above.stride];
            row[units] = 1.0;
            let share = match way {
                BatchKernel::Few(rows) => {
                    above.outputs.div_ceil(chunk(above.outputs, above.stride)) * rows * above.stride
                }
                BatchKernel::Tiled | BatchKernel::TensorCores => 0,
            };
            let slopes = if way == BatchKernel::TensorCores { 0 } else { units };
            let gradient = way.gradient_stride(units);
            hidden.push(Hidden {
                inputs: Buffer::copy(gpu, &row.repeat(members * batch_rows))?,
                slopes: Buffer::zeros(gpu, members * batch_rows * slopes)?,
                gradient: Buffer::zeros(gpu, members * batch_rows * gradient)?,
                shares: Buffer::zeros(gpu, members * share)?,
            });
        }
        let words = shape.outputs.div_ceil(32);
        let labels = examples.labels();
        let half = |row: usize| labels.row(row).iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]);
        let truth: Vec<u32> = (0..rows).flat_map(|row| half(row).take(words)).collect();
        let broken = broken_rows(task);
        let outputs = members * batch_rows * way.gradient_stride(shape.outputs);
        let objective = GpuLoss::new(gpu, task, batch_rows, steps, broken.is_some())?;
        let zeros = |gpu| Weights::zeros(gpu, &layout, members);
        let mut fleet = Self {
            weights: zeros(gpu)?,
            first: zeros(gpu)?,
            second: zeros(gpu)?,
            best: if task.keeps_best { Some(zeros(gpu)?) } else { None },
            hidden,
            logits: Buffer::zeros(gpu, outputs)?,
            gradient: Buffer::zeros(gpu, outputs)?,
            objective,
            batch_rows: BatchRows::new(gpu, &first_layer)?,
            truth: Buffer::copy(gpu, &truth)?,
            broken: broken.map(|broken| Buffer::copy(gpu, &broken)).transpose()?,
            words,
            rows,
            order: Buffer::zeros(gpu, members * places)?,
            rates: Buffer::zeros(gpu, rows.div_ceil(batch))?,
            losses: Buffer::zeros(gpu, members * places)?,
            bad: Buffer::zeros(gpu, members)?,
            seeds: seeds.to_vec(),
            seeds_on_gpu: Buffer::copy(gpu, seeds)?,
            slots: Buffer::zeros(gpu, members)?,
            position: Buffer::zeros(gpu, 2)?,
            shuffle_buffer: configuration.shuffle_buffer,
            learning_rate: configuration.learning_rate,
            weight_decay: configuration.weight_decay,
            products: None,
            graph: None,
            pass: None,
            gpu,
            layout,
            activation: configuration.activation,
            way,
            batch,
            dropout: DropoutRate(configuration.dropout),
            decay: configuration.weight_decay as f32,
        };
        if let Some(products) = products {
            fleet.products = Some(Products::new(&fleet, &products, members)?);
        }
        Ok(fleet)
    }

    /// Steps per epoch.
    pub fn steps(&self) -> usize {
        self.rows.div_ceil(self.batch)
    }

    /// Entries per epoch in the order, including padding.
    pub(in crate::cuda) fn places(&self) -> usize {
        self.steps() * self.batch + SLACK
    }

    /// The addresses of seeds, slots and the position.
    pub(in crate::cuda) fn launch_state(&self) -> (u64, u64, u64) {
        (self.seeds_on_gpu.address(), self.slots.address(), self.position.address())
    }

    pub(in crate::cuda) fn batch_parameters(&self) -> Batch {
        Batch {
            order: self.order.address(),
            order_member: self.places() as u64,
            truth: self.truth.address(),
            broken: self.broken.as_ref().map_or(0, Buffer::address),
            words: self.words as u32,
            rows: self.rows as u32,
            size: self.batch as u32,
        }
    }

    /// Copies a member to the GPU.
    pub fn put(
        &mut self,
        slot: usize,
        trainee: &Trainee,
        best: Option<&Network>,
    ) -> Result<(), CudaError> {
        let moment = |which: usize| trainee.moments.iter().map(move |pair| &pair[which]);
        self.weights.put(self.gpu, &self.layout, slot, trainee.network.layers())?;
        self.first.put(self.gpu, &self.layout, slot, moment(0))?;
        self.second.put(self.gpu, &self.layout, slot, moment(1))?;
        if let (Some(place), Some(best)) = (&mut self.best, best) {
            place.put(self.gpu, &self.layout, slot, best.layers())?;
        }
        Ok(())
    }

    /// Copies a member back.
    pub fn take(&self, slot: usize) -> Result<Trainee, CudaError> {
        let take = |of: &Weights| of.take(self.gpu, &self.layout, slot);
        let network = self.weights.network(self.gpu, &self.layout, slot, self.activation)?;
        let moments: Vec<[Linear; 2]> = take(&self.first)?
            .into_iter()
            .zip(take(&self.second)?)
            .map(<[Linear; 2]>::from)
            .collect();
        Ok(Trainee { network, moments })
    }

    /// Keeps the current network of a member as its best.
    pub fn keep(&mut self, slot: usize) -> Result<(), CudaError> {
        let Some(best) = &mut self.best else { return Ok(()) };
        let (size, start) = (self.layout.size, self.layout.size * slot);
        best.numbers.copy_from(self.gpu, &self.weights.numbers, start, start, size)
    }

    /// Copies the kept network of a member back.
    pub fn kept(&self, slot: usize) -> Result<Option<Network>, CudaError> {
        let of = |best: &Weights| best.network(self.gpu, &self.layout, slot, self.activation);
        self.best.as_ref().map(of).transpose()
    }

    /// Prepares an epoch of these slots, which have completed `before` steps in earlier ones.
    pub fn begin_epoch(
        &mut self,
        slots: &[usize],
        epoch: usize,
        before: u64,
    ) -> Result<(), CudaError> {
        let places = self.places();
        for &slot in slots {
            let order = RowOrder { seed: self.seeds[slot], buffer: self.shuffle_buffer };
            let mut order = order.in_epoch(epoch, self.rows);
            self.objective.terms.begin_epoch(self.gpu, slot, &order, self.batch)?;
            order.resize(places, self.rows as u32);
            self.order.write(self.gpu, slot * places, &order)?;
        }
        let (rate, decay) = (self.learning_rate, self.weight_decay);
        let steps = 1..=self.steps() as u64;
        let rates: Vec<[f32; 2]> =
            steps.map(|step| Adam::step(before + step, rate, decay).rates()).collect();
        self.rates.write(self.gpu, 0, &rates)?;
        self.gpu.wait()
    }

    /// The next step launched is this one of a prepared epoch, of these slots.
    pub(in crate::cuda) fn go_to(
        &mut self,
        slots: &[usize],
        epoch: usize,
        step: usize,
    ) -> Result<(), CudaError> {
        let list: Vec<u32> = slots.iter().map(|&slot| slot as u32).collect();
        self.slots.write(self.gpu, 0, &list)?;
        self.position.write(self.gpu, 0, &[epoch as u32, step as u32])
    }

    /// Runs steps `first..first + count` of a prepared epoch, and waits for them.
    pub fn run(
        &mut self,
        slots: &[usize],
        epoch: usize,
        first: usize,
        count: usize,
    ) -> Result<(), CudaError> {
        self.go_to(slots, epoch, first)?;
        let graphs = count / GRAPH;
        if graphs > 0 {
            if self.graph.as_ref().is_none_or(|(members, _)| *members != slots.len()) {
                self.graph = None;
                self.graph = Some((slots.len(), self.capture(slots.len())?));
            }
            if let Some((_, graph)) = &self.graph {
                for _ in 0..graphs {
                    graph.launch()?;
                }
            }
        }
        for _ in 0..count % GRAPH {
            self.step(slots.len(), 0)?;
            advance(self.gpu, self.position.address(), 1)?;
        }
        self.gpu.wait()
    }

    fn capture(&self, members: usize) -> Result<CudaGraph, CudaError> {
        self.captured(|| {
            (0..GRAPH as u32).try_for_each(|ahead| self.step(members, ahead))?;
            advance(self.gpu, self.position.address(), GRAPH as u32)
        })
    }

    /// Captures the launches of `work` in a graph.
    fn captured(
        &self,
        work: impl FnOnce() -> Result<(), CudaError>,
    ) -> Result<CudaGraph, CudaError> {
        let stream = &self.gpu.stream;
        stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
        let started = work();
        // Ended even on failure: a capturing stream can do nothing else.
        let graph = stream.end_capture(CUgraphInstantiate_flags(0))?;
        started?;
        graph.ok_or_else(|| CudaError::Failed("no graph was captured".to_owned()))
    }

    /// Seconds per part of the first step of a prepared epoch, each run repeatedly on its own.
    pub fn kernel_times(&mut self, slots: &[usize]) -> Result<Vec<(String, f64)>, CudaError> {
        // A run leaves the position behind its last step, where an epoch may have no rows.
        self.go_to(slots, 0, 0)?;
        let mut times = Vec::new();
        for (name, part) in self.parts() {
            times.push((name, self.seconds_of(|| self.part(part, slots.len(), 0))?));
        }
        Ok(times)
    }

    /// Seconds per launch, the least of a few times that many are run after each other.
    pub(in crate::cuda) fn seconds_of(
        &self,
        launch: impl Fn() -> Result<(), CudaError>,
    ) -> Result<f64, CudaError> {
        const TIMES: u32 = 64;
        let graph = self.captured(|| (0..TIMES).try_for_each(|_| launch()))?;
        let mut least = f64::INFINITY;
        for _ in 0..4 {
            self.gpu.wait()?;
            let start = std::time::Instant::now();
            graph.launch()?;
            self.gpu.wait()?;
            least = least.min(start.elapsed().as_secs_f64() / f64::from(TIMES));
        }
        Ok(least)
    }

    /// The loss of each row in steps `first..first + count`, in their order: sums over classes.
    pub fn losses(&self, slot: usize, first: usize, count: usize) -> Result<Vec<f64>, CudaError> {
        let (start, end) = (first * self.batch, ((first + count) * self.batch).min(self.rows));
        let mut losses = vec![0.0; end - start];
        self.losses.read(self.gpu, slot * self.places() + start, &mut losses)?;
        Ok(self.objective.terms.sums(losses))
    }

    /// The mean loss of each of these steps over its terms, and its rows.
    pub fn mean_losses(
        &self,
        slot: usize,
        first: usize,
        count: usize,
    ) -> Result<Vec<(f64, usize)>, CudaError> {
        let losses = self.losses(slot, first, count)?;
        let mean = |(step, rows): (usize, &[f64])| {
            (self.objective.terms.mean(slot, first + step, rows), rows.len())
        };
        Ok(losses.chunks(self.batch).enumerate().map(mean).collect())
    }

    /// The first slot whose outputs are NaN.
    pub fn diverged(&self) -> Result<Option<usize>, CudaError> {
        let mut bad = vec![0; self.seeds.len()];
        self.bad.read(self.gpu, 0, &mut bad)?;
        Ok(bad.iter().position(|&bad| bad != 0))
    }

    /// Logits of a member for rows of inputs, row by row.
    pub fn logits(&mut self, slot: usize, rows: &FeatureMatrix) -> Result<Vec<f32>, CudaError> {
        let members = self.seeds.len();
        let pass = match self.pass.take() {
            Some(pass) => pass,
            None => Pass::new(self.gpu, &self.layout, self.activation, members)?,
        };
        let (gpu, layout, weights) = (self.gpu, &self.layout, &self.weights);
        let logits = match rows {
            FeatureMatrix::Dense { cells, .. } => pass.logits(gpu, layout, weights, slot, cells),
            sparse => dense_parts(sparse).try_fold(Vec::new(), |mut logits, (_, cells)| {
                logits.extend(pass.logits(gpu, layout, weights, slot, &cells)?);
                Ok(logits)
            }),
        };
        self.pass = Some(pass);
        logits
    }
}

/// Rows as dense ones, at most about 64 MiB at a time, with the number of the first.
fn dense_parts(rows: &FeatureMatrix) -> impl Iterator<Item = (usize, Vec<f32>)> + '_ {
    let width = rows.width();
    let at_once = ((1 << 24) / width.max(1)).max(1);
    (0..rows.rows()).step_by(at_once).map(move |first| {
        let part = first..(first + at_once).min(rows.rows());
        let mut cells = vec![0.0; part.len() * width];
        for (row, out) in part.zip(cells.chunks_exact_mut(width.max(1))) {
            rows.row(row).copy_to(out);
        }
        (first, cells)
    })
}
