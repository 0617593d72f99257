//! A program on a GPU, and its constraint layer.

use cudarc::driver::sys::CUfunction_attribute;
use cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg};
use rulebound_core::{Delegate, GpuSchedule, Program};

use super::buffer::Buffer;
use super::error::CudaError;
use super::gpu::Gpu;
use super::parameters::Rules;
use super::schedule_table::ScheduleTable;

/// Rules in a GPU's memory, level by level.
///
/// Its layer gives the same margins and delegates as [`rulebound_core::ConstraintLayer`], to the
/// last bit.
pub struct GpuRules {
    parameters: Rules,
    has_cycles: bool,
    classes: usize,
    /// Read by the kernels through `parameters`.
    _heads: [Buffer<[u32; 4]>; 2],
    _parts: [Buffer<u32>; 3],
}

impl GpuRules {
    /// Copies a program to a GPU.
    ///
    /// # Errors
    /// If the GPU fails.
    pub fn new(gpu: &Gpu, program: &Program) -> Result<Self, CudaError> {
        let schedule = GpuSchedule::new(program);
        let ScheduleTable { levels, heads, is_single } = ScheduleTable::new(&schedule);
        let heads = [Buffer::copy(gpu, &levels)?, Buffer::copy(gpu, &heads)?];
        let parts = [
            Buffer::copy(gpu, &schedule.bodies)?,
            Buffer::copy(gpu, &schedule.literals)?,
            Buffer::copy(gpu, &schedule.stratum)?,
        ];
        let parameters = Rules {
            classes: schedule.classes as u32,
            levels: schedule.levels.len() as u32,
            level: heads[0].address(),
            heads: heads[1].address(),
            bodies: if is_single { 0 } else { parts[0].address() },
            literals: parts[1].address(),
            stratum: parts[2].address(),
            head_count: schedule.heads.len() as u32,
            body_count: schedule.bodies.len() as u32,
            literal_count: schedule.literals.len() as u32,
            room: 0,
        };
        let (has_cycles, classes) = (schedule.has_cycles(), schedule.classes);
        Ok(Self { parameters, has_cycles, classes, _heads: heads, _parts: parts })
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The parameters of kernels whose blocks need `room` bytes in addition to the rules, and the
    /// total shared memory of a block: with the rules in shared memory if they fit.
    pub(super) fn parameters(&self, gpu: &Gpu, room: usize) -> (Rules, usize) {
        let Rules { levels, head_count, body_count, literal_count, bodies, .. } = self.parameters;
        let bodies = if bodies == 0 { 0 } else { body_count };
        let own = 16 * (levels + head_count) + 4 * (literal_count + bodies);
        // Kernels also use a little static shared memory.
        if room + own as usize + 1024 <= gpu.limits.shared {
            (Rules { room: own, ..self.parameters }, room + own as usize)
        } else {
            (self.parameters, room)
        }
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
        let rows = margins.len() / self.classes.max(1);
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

    /// Memory and size of a launch of the layer.
    pub(super) fn layer_launch(&self, gpu: &Gpu) -> Result<LayerLaunch, CudaError> {
        let arrays = if self.has_cycles { 3 } else { 2 };
        let room = room(4 * arrays * self.classes);
        let inside = room + 1024 <= gpu.limits.shared;
        let (parameters, shared) = self.parameters(gpu, room);
        let (shared, outside) = if inside { (shared, 0) } else { (0, room) };
        if inside {
            allow_shared(&gpu.kernels.layer_inside, shared)?;
        }
        // As many blocks as run concurrently, several times that if each is small.
        let blocks = gpu.limits.processors * if inside { 8 } else { 2 };
        let outside = outside * blocks;
        Ok(LayerLaunch {
            parameters,
            room,
            shared,
            inside,
            blocks,
            outside: Buffer::zeros(gpu, outside)?,
            bad: Buffer::zeros(gpu, 1)?,
        })
    }
}

/// What launches of the layer need.
pub(super) struct LayerLaunch {
    parameters: Rules,
    room: usize,
    shared: usize,
    inside: bool,
    blocks: usize,
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
        if rows == 0 || rules.classes == 0 {
            return Ok(());
        }
        let kernels = &gpu.kernels;
        let kernel = if self.inside { &kernels.layer_inside } else { &kernels.layer_outside };
        let configuration = LaunchConfig {
            grid_dim: (rows.min(self.blocks) as u32, 1, 1),
            block_dim: (threads(rules.classes), 1, 1),
            shared_mem_bytes: self.shared as u32,
        };
        let (margins, coherent) = (margins.address(), coherent.address());
        let delegates = delegates.map_or(0, Buffer::address);
        let (rows, outside, room) = (rows as u32, self.outside.address(), self.room as u64);
        let bad = self.bad.address();
        let mut launch = gpu.stream.launch_builder(kernel);
        launch.arg(&self.parameters).arg(&margins).arg(&coherent).arg(&delegates);
        launch.arg(&rows).arg(&outside).arg(&room).arg(&bad);
        // SAFETY: arguments as in layer.cu; every buffer holds `rows` rows of classes.
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

/// Threads per block that processes an example of this many classes.
pub(super) fn threads(classes: usize) -> u32 {
    (classes.next_multiple_of(32)).clamp(64, 1024) as u32
}

/// A size in bytes, rounded up so that its end is aligned for every number.
pub(super) fn room(bytes: usize) -> usize {
    bytes.next_multiple_of(256)
}

/// Raises the limit of a kernel's shared memory above the default.
pub(super) fn allow_shared(kernel: &CudaFunction, bytes: usize) -> Result<(), CudaError> {
    let which = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    Ok(kernel.set_attribute(which, bytes as i32)?)
}
