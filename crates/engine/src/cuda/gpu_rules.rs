//! A program on a GPU, and its constraint layer.

use cudarc::driver::sys::CUfunction_attribute;
use cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg};
use rulebound_core::{Delegate, Program};

use super::buffer::Buffer;
use super::error::CudaError;
use super::gpu::Gpu;
use super::rules::{Outline, Plan, RuleWords, RulesParameter, ScoreScale, TensorNumber};

/// Rules in a GPU's memory, level by level.
///
/// Its layer gives the same margins and delegates as [`rulebound_core::ConstraintLayer`], to the
/// last bit.
pub struct GpuRules {
    outline: Outline,
    words: Buffer<u32>,
}

impl GpuRules {
    /// Copies a program to a GPU.
    ///
    /// # Errors
    /// If the GPU fails.
    pub fn new(gpu: &Gpu, program: &Program) -> Result<Self, CudaError> {
        let words = RuleWords::new(program);
        Ok(Self { outline: words.outline(), words: Buffer::copy(gpu, words.words())? })
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.outline.classes()
    }

    pub(super) fn outline(&self) -> &Outline {
        &self.outline
    }

    /// The parameter of the kernels; `copied` if blocks have room for a copy of the rules.
    pub(super) fn parameter(&self, copied: bool) -> RulesParameter {
        self.outline.parameter(self.words.address(), copied)
    }

    /// Coherent margins of rows, and who decided each.
    ///
    /// # Errors
    /// [`CudaError::NotANumber`] if a margin is NaN; also if the GPU fails.
    pub fn layer(
        &self,
        gpu: &Gpu,
        margins: &[f32],
    ) -> Result<(Vec<f32>, Vec<Delegate>), CudaError> {
        let rows = margins.len() / self.classes().max(1);
        let given = Buffer::copy(gpu, margins)?;
        let coherent = Buffer::<f32>::zeros(gpu, margins.len())?;
        let delegates = Buffer::<u32>::zeros(gpu, margins.len())?;
        let launch = self.layer_launch(gpu)?;
        launch.run(gpu, self, rows, [&given, &coherent], Some(&delegates))?;
        let (mut values, mut codes) = (vec![0.0; margins.len()], vec![0; margins.len()]);
        coherent.read(gpu, 0, &mut values)?;
        delegates.read(gpu, 0, &mut codes)?;
        launch.check(gpu)?;
        Ok((values, codes.into_iter().map(Delegate::from_code).collect()))
    }

    /// Memory of launches of the layer.
    pub(super) fn layer_launch(&self, gpu: &Gpu) -> Result<LayerLaunch, CudaError> {
        // No launch has more blocks than one of very many rows.
        let plan = Plan::layer(gpu.limits.of_plans(), &self.outline, TensorNumber::Single, 1 << 20);
        Ok(LayerLaunch { outside: Buffer::zeros(gpu, plan.outside)?, bad: Buffer::zeros(gpu, 1)? })
    }
}

/// What launches of the layer need.
pub(super) struct LayerLaunch {
    outside: Buffer<u8>,
    bad: Buffer<u32>,
}

impl LayerLaunch {
    /// Starts the layer on rows of margins.
    pub fn run(
        &self,
        gpu: &Gpu,
        rules: &GpuRules,
        rows: usize,
        [margins, coherent]: [&Buffer<f32>; 2],
        delegates: Option<&Buffer<u32>>,
    ) -> Result<(), CudaError> {
        if rows == 0 || rules.classes() == 0 {
            return Ok(());
        }
        let number = TensorNumber::Single;
        let plan = Plan::layer(gpu.limits.of_plans(), &rules.outline, number, rows);
        let configuration = LaunchConfig {
            grid_dim: (plan.blocks as u32, 1, 1),
            block_dim: (plan.threads as u32, 1, 1),
            shared_mem_bytes: plan.shared as u32,
        };
        let parameter = rules.parameter(plan.copied);
        let (margins, coherent) = (margins.address(), coherent.address());
        let delegates = delegates.map_or(0, Buffer::address);
        let (scale, number) = (ScoreScale::Margins as u32, number as u32);
        let outside = if plan.outside == 0 { 0 } else { self.outside.address() };
        let (rows, room, bad) = (rows as u32, plan.room as u64, self.bad.address());
        let kernel = gpu.kernels.rules.layer(TensorNumber::Single, &plan);
        let mut launch = gpu.stream.launch_builder(kernel);
        launch.arg(&parameter).arg(&margins).arg(&coherent).arg(&delegates).arg(&rows);
        launch.arg(&scale).arg(&number).arg(&bad).arg(&outside).arg(&room);
        // SAFETY: arguments as in rules/kernels/layer.cu; every buffer holds `rows` rows of classes.
        #[allow(unsafe_code)]
        unsafe {
            launch.launch(configuration)?;
        }
        Ok(())
    }

    /// Fails if any value was NaN.
    pub fn check(&self, gpu: &Gpu) -> Result<(), CudaError> {
        let mut bad = [0];
        self.bad.read(gpu, 0, &mut bad)?;
        if bad[0] == 0 { Ok(()) } else { Err(CudaError::NotANumber) }
    }
}

/// Raises the limit of a kernel's shared memory above the default.
pub(super) fn allow_shared(kernel: &CudaFunction, bytes: usize) -> Result<(), CudaError> {
    let which = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    Ok(kernel.set_attribute(which, bytes as i32)?)
}
