//! A program on a card: the constraint layer there.

use cudarc::driver::sys::CUfunction_attribute;
use cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg};
use rulebound_core::{Delegate, Program, Schedule};

use super::buffer::Buffer;
use super::card::Card;
use super::error::CudaError;
use super::parameters::Rules;

/// Rules in a card's memory, level by level.
///
/// Its layer gives the same margins and delegates as [`rulebound_core::ConstraintLayer`], to the
/// last bit.
pub struct RulesOnCard {
    parameters: Rules,
    has_cycles: bool,
    classes: usize,
    /// Read by the kernels through `parameters`.
    _parts: [Buffer<u32>; 6],
}

impl RulesOnCard {
    /// Copies a program to a card.
    ///
    /// # Errors
    /// When the card fails.
    pub fn new(card: &Card, program: &Program) -> Result<Self, CudaError> {
        let schedule = Schedule::new(program);
        let level = |level: &rulebound_core::Level| [level.start, level.cyclic, level.end];
        let levels: Vec<u32> = schedule.levels.iter().flat_map(level).collect();
        let parts = [
            Buffer::copy(card, &levels)?,
            Buffer::copy(card, &schedule.heads)?,
            Buffer::copy(card, &schedule.rules)?,
            Buffer::copy(card, &schedule.bodies)?,
            Buffer::copy(card, &schedule.literals)?,
            Buffer::copy(card, &schedule.stratum)?,
        ];
        let [level, heads, rules, bodies, literals, stratum] =
            [0, 1, 2, 3, 4, 5].map(|part: usize| parts[part].address());
        let parameters = Rules {
            classes: schedule.classes as u32,
            levels: schedule.levels.len() as u32,
            level,
            heads,
            rules,
            bodies,
            literals,
            stratum,
        };
        let (has_cycles, classes) = (schedule.has_cycles(), schedule.classes);
        Ok(Self { parameters, has_cycles, classes, _parts: parts })
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.classes
    }

    pub(super) fn parameters(&self) -> &Rules {
        &self.parameters
    }

    /// Coherent margins of rows, and who decided each.
    ///
    /// # Errors
    /// [`CudaError::NotANumber`] if a margin is none, and when the card fails.
    pub fn layer(
        &self,
        card: &Card,
        margins: &[f32],
    ) -> Result<(Vec<f32>, Vec<Delegate>), CudaError> {
        let rows = margins.len() / self.classes.max(1);
        let given = Buffer::copy(card, margins)?;
        let coherent = Buffer::<f32>::zeros(card, margins.len())?;
        let delegates = Buffer::<u32>::zeros(card, margins.len())?;
        let launch = self.layer_launch(card)?;
        launch.run(card, self, rows, [&given, &coherent], Some(&delegates))?;
        let (mut values, mut codes) = (vec![0.0; margins.len()], vec![0; margins.len()]);
        coherent.read(card, 0, &mut values)?;
        delegates.read(card, 0, &mut codes)?;
        launch.check(card)?;
        Ok((values, codes.into_iter().map(Delegate::from_code).collect()))
    }

    /// Memory and size of a launch of the layer.
    pub(super) fn layer_launch(&self, card: &Card) -> Result<LayerLaunch, CudaError> {
        let arrays = if self.has_cycles { 3 } else { 2 };
        let room = room(4 * arrays * self.classes);
        let inside = room <= card.limits.shared;
        let blocks = card.limits.processors * if inside { 64 } else { 2 };
        let outside = if inside { 0 } else { room * blocks };
        if inside {
            allow_shared(&card.kernels.layer_inside, room)?;
        }
        Ok(LayerLaunch {
            room,
            inside,
            blocks,
            outside: Buffer::zeros(card, outside)?,
            bad: Buffer::zeros(card, 1)?,
        })
    }
}

/// What launches of the layer need.
pub(super) struct LayerLaunch {
    room: usize,
    inside: bool,
    blocks: usize,
    outside: Buffer<u8>,
    bad: Buffer<u32>,
}

impl LayerLaunch {
    /// Starts the layer on rows of margins.
    pub fn run(
        &self,
        card: &Card,
        rules: &RulesOnCard,
        rows: usize,
        [margins, coherent]: [&Buffer<f32>; 2],
        delegates: Option<&Buffer<u32>>,
    ) -> Result<(), CudaError> {
        if rows == 0 || rules.classes == 0 {
            return Ok(());
        }
        let kernels = &card.kernels;
        let kernel = if self.inside { &kernels.layer_inside } else { &kernels.layer_outside };
        let configuration = LaunchConfig {
            grid_dim: (rows.min(self.blocks) as u32, 1, 1),
            block_dim: (threads(rules.classes), 1, 1),
            shared_mem_bytes: if self.inside { self.room as u32 } else { 0 },
        };
        let (margins, coherent) = (margins.address(), coherent.address());
        let delegates = delegates.map_or(0, Buffer::address);
        let (rows, outside, room) = (rows as u32, self.outside.address(), self.room as u64);
        let bad = self.bad.address();
        let mut launch = card.stream.launch_builder(kernel);
        launch.arg(&rules.parameters).arg(&margins).arg(&coherent).arg(&delegates);
        launch.arg(&rows).arg(&outside).arg(&room).arg(&bad);
        // SAFETY: arguments as in rules.cu; every buffer holds `rows` rows of classes.
        #[allow(unsafe_code)]
        unsafe {
            launch.launch(configuration)?;
        }
        Ok(())
    }

    /// Whether everything was a number.
    pub fn check(&self, card: &Card) -> Result<(), CudaError> {
        let mut bad = [0];
        self.bad.read(card, 0, &mut bad)?;
        if bad[0] == 0 { Ok(()) } else { Err(CudaError::NotANumber) }
    }
}

/// Threads of a block that has an example of so many classes.
pub(super) fn threads(classes: usize) -> u32 {
    (classes.next_multiple_of(32)).clamp(64, 1024) as u32
}

/// Bytes, with the end on a boundary that suits every number.
pub(super) fn room(bytes: usize) -> usize {
    bytes.next_multiple_of(256)
}

/// Lets a kernel have more shared memory than it would without asking.
pub(super) fn allow_shared(kernel: &CudaFunction, bytes: usize) -> Result<(), CudaError> {
    let which = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    Ok(kernel.set_attribute(which, bytes as i32)?)
}
