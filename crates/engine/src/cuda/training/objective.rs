//! The objective of a fleet: the loss of a method, and rows whose labels break rules.

use rulebound_core::logical_violations;

use super::fleet::FleetTask;
use super::terms::Terms;
use crate::configuration::Method;
use crate::cuda::buffer::Buffer;
use crate::cuda::error::CudaError;
use crate::cuda::gpu::Gpu;
use crate::cuda::gpu_rules::GpuRules;
use crate::cuda::rules::Plan;

/// The loss of a method.
pub(in crate::cuda) struct GpuLoss {
    pub rules: GpuRules,
    pub terms: Terms,
    pub how: u32,
    /// Whether labels of some row break a rule.
    pub may_break: bool,
    pub outside: Buffer<u8>,
}

impl GpuLoss {
    pub fn new(
        gpu: &Gpu,
        task: &FleetTask<'_>,
        rows: usize,
        steps: usize,
        may_break: bool,
    ) -> Result<Self, CudaError> {
        let method = task.configuration.method;
        let rules = match method {
            Method::Ccn | Method::Cm => GpuRules::new(gpu, task.program)?,
            _ => GpuRules::new(gpu, &task.program.without_rules())?,
        };
        let members = task.seeds.len();
        let plan = Plan::loss(gpu.limits.of_plans(), rules.outline(), rows, members, may_break);
        Ok(Self {
            terms: Terms::new(gpu, task, steps)?,
            how: u32::from(method == Method::Cm),
            may_break,
            // Fewer members than at first need no more.
            outside: Buffer::zeros(gpu, plan.outside)?,
            rules,
        })
    }

    /// Makes room outside for other plans than that of all rows.
    #[cfg(test)]
    pub fn reserve(&mut self, gpu: &Gpu, bytes: usize) -> Result<(), CudaError> {
        self.outside = Buffer::zeros(gpu, bytes)?;
        Ok(())
    }

    /// How the loss of so many rows of each of so many members is divided. A row's bits do not depend on it.
    pub fn plan(&self, gpu: &Gpu, rows: usize, members: usize) -> Plan {
        Plan::loss(gpu.limits.of_plans(), self.rules.outline(), rows, members, self.may_break)
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
