//! A program as words that can lie in a tensor on a GPU.

use cudarc::driver::DeviceRepr;
use rulebound_core::{GpuSchedule, Program};

use crate::cuda::schedule_table::ScheduleTable;

/// A program, level by level, for the kernels: words without an address in them, which the caller keeps
/// wherever it likes, and their outline, which stays on the host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TensorRules {
    words: Vec<u32>,
    outline: Outline,
}

/// Number of rules of a class from which threads share them; as in `kernels/rules.cu`.
const SHARED: u32 = 24;
/// Classes whose delegates have room in 16 bits.
const NARROW: usize = 1 << 14;

/// How many of what the words hold: levels, heads, literals, bodies, then, after padding to 16 bytes,
/// strata, and after padding briefs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Outline {
    pub classes: usize,
    pub has_cycles: bool,
    levels: usize,
    heads: usize,
    literals: usize,
    /// 0 where every body is one literal.
    bodies: usize,
    /// 0, or one for each head: see `kernels/brief.cu`.
    briefs: usize,
}

/// The parameter of the kernels, laid out as in `kernels/rules.cu`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct RulesParameter {
    classes: u32,
    levels: u32,
    level: u64,
    head: u64,
    bodies: u64,
    literals: u64,
    stratum: u64,
    head_count: u32,
    literal_count: u32,
    room: u32,
    briefs: u64,
}

// SAFETY: plain numbers in the order and with the alignment of the C struct.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for RulesParameter {}

impl TensorRules {
    /// Compiles a program.
    pub fn new(program: &Program) -> Self {
        let schedule = GpuSchedule::new(program);
        let ScheduleTable { mut levels, heads, is_single } = ScheduleTable::new(&schedule);
        for [start, light, cyclic, _] in &mut levels {
            let heads = &heads[*start as usize..*cyclic as usize];
            let shared = heads.partition_point(|[_, first, end, _]| end - first >= SHARED);
            *light = *start + shared as u32;
        }
        let bodies = if is_single { &[][..] } else { &schedule.bodies[..] };
        let outline = Outline {
            classes: schedule.classes,
            has_cycles: schedule.has_cycles(),
            levels: schedule.levels.len(),
            heads: heads.len(),
            literals: schedule.literals.len(),
            bodies: bodies.len(),
            briefs: 0,
        };
        let briefs = if is_single && outline.is_narrow() { heads.len() } else { 0 };
        let outline = Outline { briefs, ..outline };
        let mut words: Vec<u32> = levels.iter().chain(&heads).flatten().copied().collect();
        words.extend(&schedule.literals);
        words.extend(bodies);
        words.resize(outline.room() / 4, 0);
        words.extend(&schedule.stratum);
        words.resize(outline.briefs_at() / 4, 0);
        let briefs = heads.iter().take(outline.briefs);
        words.extend(briefs.flat_map(|head| brief(head, &schedule.literals)));
        Self { words, outline }
    }

    /// The words. In a tensor they must start at a multiple of 16 bytes.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.outline.classes
    }

    pub(super) fn outline(&self) -> Outline {
        self.outline
    }
}

/// A head with its first four literals, of 16 bits each.
fn brief([class, first, end, _]: &[u32; 4], literals: &[u32]) -> [u32; 4] {
    let literals = &literals[*first as usize..*end as usize];
    let literal = |at: usize| literals.get(at).copied().unwrap_or(0);
    let pair = |at: usize| literal(at) | literal(at + 1) << 16;
    [class | (end - first) << 16, *first, pair(0), pair(2)]
}

impl Outline {
    /// Whether delegates have room in 16 bits, which is so only where nothing is in a cycle.
    pub fn is_narrow(&self) -> bool {
        !self.has_cycles && self.classes <= NARROW
    }

    /// Whether heads are there with their literals.
    pub fn has_briefs(&self) -> bool {
        self.briefs > 0
    }

    /// Where briefs start, in bytes.
    fn briefs_at(&self) -> usize {
        let strata = self.room() + 4 * self.classes;
        if self.has_briefs() { strata.next_multiple_of(16) } else { strata }
    }

    /// Bytes of everything but strata and briefs.
    pub fn room(&self) -> usize {
        let Self { levels, heads, literals, bodies, .. } = self;
        (16 * (levels + heads) + 4 * (literals + bodies)).next_multiple_of(16)
    }

    /// The parameter of a kernel, with the words at this address; `copied` if blocks have room for a
    /// copy of them.
    pub fn parameter(&self, words: u64, copied: bool) -> RulesParameter {
        let head = words + 16 * self.levels as u64;
        let literals = head + 16 * self.heads as u64;
        let bodies = literals + 4 * self.literals as u64;
        RulesParameter {
            classes: self.classes as u32,
            levels: self.levels as u32,
            level: words,
            head,
            bodies: if self.bodies == 0 { 0 } else { bodies },
            literals,
            stratum: words + self.room() as u64,
            head_count: self.heads as u32,
            literal_count: self.literals as u32,
            room: if copied { self.room() as u32 } else { 0 },
            briefs: if self.has_briefs() { words + self.briefs_at() as u64 } else { 0 },
        }
    }
}
