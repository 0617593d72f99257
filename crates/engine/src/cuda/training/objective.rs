//! The objective of a fleet: the loss of a method, and rows whose labels break rules.

use rulebound_core::logical_violations;

use super::fleet::FleetTask;
use crate::configuration::Method;
use crate::cuda::buffer::Buffer;
use crate::cuda::error::CudaError;
use crate::cuda::gpu::Gpu;
use crate::cuda::gpu_rules::{GpuRules, allow_shared, room};
use crate::cuda::parameters::Rules;

/// The loss of a method.
pub(in crate::cuda) struct GpuLoss {
    pub rules: GpuRules,
    /// The weight of the term of each class; 0 if it has none.
    pub weights: Buffer<f32>,
    pub terms: f32,
    pub how: u32,
    pub parameters: Rules,
    pub inside: bool,
    pub room: usize,
    /// Bytes of shared memory per block.
    pub shared: usize,
    pub outside: Buffer<u8>,
}

impl GpuLoss {
    pub fn new(
        gpu: &Gpu,
        task: &FleetTask<'_>,
        blocks: usize,
        has_broken: bool,
    ) -> Result<Self, CudaError> {
        let method = task.configuration.method;
        let rules = match method {
            Method::Ccn | Method::Cm => GpuRules::new(gpu, task.program)?,
            _ => GpuRules::new(gpu, &task.program.without_rules())?,
        };
        let classes = rules.classes();
        let arrays = if has_broken { 6 } else { 4 };
        let room = room(4 * (arrays * classes + classes.div_ceil(32)));
        // The kernel also uses some static shared memory.
        let inside = room + 1024 <= gpu.limits.shared;
        let (parameters, shared) = rules.parameters(gpu, room);
        let shared = if inside { shared } else { 0 };
        if inside {
            allow_shared(&gpu.kernels.loss_inside, shared)?;
        }
        let weight = |(class, &is): (usize, &bool)| match is {
            true => task.class_weights.map_or(1.0, |weights| weights[class]),
            false => 0.0,
        };
        let weights: Vec<f32> = task.evaluated.iter().enumerate().map(weight).collect();
        let terms = weights.iter().filter(|&&weight| weight != 0.0).count() as f32;
        Ok(Self {
            rules,
            weights: Buffer::copy(gpu, &weights)?,
            terms,
            how: u32::from(method == Method::Cm),
            parameters,
            inside,
            room,
            shared,
            outside: Buffer::zeros(gpu, if inside { 0 } else { room * blocks })?,
        })
    }
}

/// Marks rows whose labels break a rule used by the loss; `None` if there are none.
pub(in crate::cuda) fn broken_rows(task: &FleetTask<'_>) -> Option<Vec<u8>> {
    if task.configuration.method != Method::Ccn {
        return None;
    }
    let labels = task.examples.labels();
    let mut truth = vec![false; labels.classes()];
    let breaks = |row| {
        labels.unpack(row, &mut truth);
        u8::from(logical_violations(task.program, &truth).next().is_some())
    };
    let broken: Vec<u8> = (0..labels.rows()).map(breaks).collect();
    broken.contains(&1).then_some(broken)
}
