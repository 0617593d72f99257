//! How fast a GPU is, compared with its limits.

use std::time::Instant;

use super::buffer::Buffer;
use super::error::CudaError;
use super::gpu::Gpu;
use super::scorer::GpuScorer;
use super::training::fleet::{Fleet, FleetTask};
use crate::network::{Network, Shape, Trainee};

/// The time of a training step.
#[derive(Clone, PartialEq, Debug)]
pub struct StepTime {
    /// The sizes of the networks.
    pub shape: Shape,
    /// The number of networks trained in parallel.
    pub members: usize,
    /// Seconds per step of all of them; the median of several runs.
    pub seconds: f64,
    /// Bytes that a step must move: each weight is read twice and written once, each of its two
    /// moments read and written once.
    pub bytes: u64,
    /// Seconds per kernel, each run repeatedly on its own; empty unless they are wanted.
    pub kernels: Vec<(String, f64)>,
}

/// Bytes moved per parameter and step.
const BYTES: u64 = 28;

impl StepTime {
    /// Measures the step of a task for about so many seconds, and with `each_kernel` every kernel too.
    ///
    /// # Errors
    /// If the networks do not fit, or the GPU fails.
    pub fn measure(
        gpu: &Gpu,
        task: &FleetTask<'_>,
        seconds: f64,
        each_kernel: bool,
    ) -> Result<Self, CudaError> {
        let (shape, members) = (task.shape.clone(), task.seeds.len());
        let mut fleet = Fleet::new(gpu, task)?;
        let slots: Vec<usize> = (0..members).collect();
        // One network for all: times do not depend on the weights.
        let trainee =
            Trainee::new(Network::random(shape.clone(), task.configuration.activation, 0));
        for &slot in &slots {
            fleet.put(slot, &trainee, None)?;
        }
        fleet.begin_epoch(&slots, 0, 0)?;
        let steps = fleet.steps() / 16 * 16;
        fleet.run(&slots, 0, 0, steps.min(64))?;
        let mut times = Vec::new();
        let start = Instant::now();
        while times.len() < 5 || start.elapsed().as_secs_f64() < seconds && times.len() < 200 {
            let start = Instant::now();
            fleet.run(&slots, 0, 0, steps)?;
            times.push(start.elapsed().as_secs_f64() / steps as f64);
        }
        let kernels = if each_kernel { fleet.kernel_times(&slots)? } else { Vec::new() };
        let bytes = BYTES * (shape.parameters() * members) as u64;
        Ok(Self { shape, members, seconds: median(times), bytes, kernels })
    }
}

/// Bytes per second of copying within the GPU's memory, reads plus writes.
///
/// # Errors
/// If the GPU fails.
pub fn copy_speed(gpu: &Gpu) -> Result<f64, CudaError> {
    const COUNT: usize = 1 << 28;
    let source = Buffer::<f32>::zeros(gpu, COUNT)?;
    let mut copy = Buffer::<f32>::zeros(gpu, COUNT)?;
    let mut times = Vec::new();
    for _ in 0..20 {
        gpu.wait()?;
        let start = Instant::now();
        for _ in 0..4 {
            copy.copy_from(gpu, &source, 0, 0, COUNT)?;
        }
        gpu.wait()?;
        times.push(start.elapsed().as_secs_f64() / 4.0);
    }
    Ok((2 * 4 * COUNT) as f64 / median(times))
}

/// Rows per second through network and layer: from rows in host memory to coherent margins in host
/// memory.
///
/// # Errors
/// If the GPU fails.
pub fn prediction_speed(
    scorer: &mut GpuScorer<'_>,
    shape: &Shape,
    rows: usize,
) -> Result<f64, CudaError> {
    let width = shape.inputs;
    let inputs: Vec<f32> = (0..rows * width).map(|at| (at % 17) as f32 / 8.0 - 1.0).collect();
    let mut margins = vec![0.0; rows * shape.outputs];
    scorer.margins(&inputs, &mut margins, None)?;
    let mut times = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        scorer.margins(&inputs, &mut margins, None)?;
        times.push(start.elapsed().as_secs_f64());
    }
    Ok(rows as f64 / median(times))
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
