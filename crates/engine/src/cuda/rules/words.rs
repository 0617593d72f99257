//! A program as words that can lie in memory of a GPU.

use cudarc::driver::DeviceRepr;
use rulebound_core::{GpuSchedule, Program};

/// A program, level by level, for the kernels: words without an address in them, which the caller keeps
/// wherever it likes, and their outline, which stays on the host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleWords {
    words: Vec<u32>,
    outline: Outline,
}

/// Classes whose delegates have room in 16 bits.
const NARROW: usize = 1 << 14;
/// Literals of a line, and lines of a warp: see `kernels/lines.cu`.
const LINE: usize = 6;
const WARP: usize = 32;

/// How many of what the words hold. They start with these eight numbers; levels, heads, literals and bodies
/// follow, then, after padding to 16 bytes, lines, where levels of lines end, and strata.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub(in crate::cuda) struct Outline {
    classes: u32,
    levels: u32,
    heads: u32,
    literals: u32,
    /// 0 where every body is one literal.
    bodies: u32,
    has_cycles: u32,
    /// 0 where there are no lines.
    line_levels: u32,
    lines: u32,
}

/// The parameter of the kernels, laid out as in `kernels/rules.cu`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(in crate::cuda) struct RulesParameter {
    classes: u32,
    levels: u32,
    level: u64,
    heads: u64,
    bodies: u64,
    literals: u64,
    stratum: u64,
    head_count: u32,
    literal_count: u32,
    room: u32,
    line_levels: u32,
    line_count: u32,
    line_ends: u64,
    lines: u64,
}

// SAFETY: plain numbers in the order and with the alignment of the C struct.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for RulesParameter {}

impl RuleWords {
    /// Compiles a program.
    pub fn new(program: &Program) -> Self {
        let schedule = GpuSchedule::new(program);
        let is_single = schedule.bodies.windows(2).all(|body| body[1] - body[0] == 1);
        let has_lines = is_single && !schedule.has_cycles() && schedule.classes <= NARROW;
        let lines = if has_lines { Lines::new(&schedule) } else { Lines::default() };
        let bodies = if is_single { &[][..] } else { &schedule.bodies[..] };
        let outline = Outline {
            classes: schedule.classes as u32,
            levels: schedule.levels.len() as u32,
            heads: schedule.heads.len() as u32,
            literals: schedule.literals.len() as u32,
            bodies: bodies.len() as u32,
            has_cycles: u32::from(schedule.has_cycles()),
            line_levels: lines.ends.len() as u32,
            lines: lines.lines.len() as u32,
        };
        let mut words = outline.words().to_vec();
        words.extend(
            schedule.levels.iter().flat_map(|level| [level.start, level.cyclic, level.end, 0]),
        );
        let heads = schedule.heads.iter().zip(schedule.rules.windows(2));
        words.extend(heads.flat_map(|(&head, rules)| [head, rules[0], rules[1], 0]));
        words.extend(&schedule.literals);
        words.extend(bodies);
        words.resize(outline.words().len() + outline.room() / 4, 0);
        words.extend(lines.lines.iter().flatten());
        words.extend(&lines.ends);
        words.extend(&schedule.stratum);
        Self { words, outline }
    }

    /// The words. On a GPU they must start at a multiple of 16 bytes.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.outline.classes()
    }

    pub(in crate::cuda) fn outline(&self) -> Outline {
        self.outline
    }
}

/// Heads with their literals, level by level, as `kernels/lines.cu` reads them.
#[derive(Debug, Default)]
struct Lines {
    lines: Vec<[u32; 4]>,
    /// One past the last line of each level.
    ends: Vec<u32>,
}

impl Lines {
    fn new(schedule: &GpuSchedule) -> Self {
        let mut lines = Self::default();
        for level in &schedule.levels {
            let heads = level.start as usize..level.end as usize;
            let literals = |head: usize| {
                &schedule.literals[schedule.rules[head] as usize..schedule.rules[head + 1] as usize]
            };
            // The heads with the most rules come first, so the first has the most parts.
            let parts = heads.clone().map(|head| literals(head).len().div_ceil(LINE * WARP));
            for part in 0..parts.max().unwrap_or(0) {
                let start = lines.lines.len();
                for head in heads.clone() {
                    if let Some(literals) = literals(head).chunks(LINE * WARP).nth(part) {
                        lines.push(start, schedule.heads[head], literals);
                    }
                }
                lines.ends.push(lines.lines.len() as u32);
            }
        }
        lines
    }

    /// The lines of a head, in one warp of the level that starts at line `start`.
    fn push(&mut self, start: usize, head: u32, literals: &[u32]) {
        let count = literals.len().div_ceil(LINE);
        let place = (self.lines.len() - start) % WARP;
        if place + count > WARP {
            self.lines.resize(self.lines.len() + WARP - place, [0; 4]);
        }
        for (index, literals) in literals.chunks(LINE).enumerate() {
            let after = (count - 1 - index) as u32;
            let kind = literals.len() as u32 | after << 3 | u32::from(index == 0) << 8;
            let literal = |at: usize| literals[at.min(literals.len() - 1)];
            let pair = |at: usize| literal(at) | literal(at + 1) << 16;
            self.lines.push([head | kind << 16, pair(0), pair(2), pair(4)]);
        }
    }
}

impl Outline {
    fn words(&self) -> [u32; 8] {
        let Self { classes, levels, heads, literals, bodies, has_cycles, line_levels, lines } =
            *self;
        [classes, levels, heads, literals, bodies, has_cycles, line_levels, lines]
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes as usize
    }

    /// Whether some classes derive each other.
    pub fn has_cycles(&self) -> bool {
        self.has_cycles != 0
    }

    /// Whether delegates have room in 16 bits, which is so only where nothing is in a cycle.
    pub fn is_narrow(&self) -> bool {
        !self.has_cycles() && self.classes() <= NARROW
    }

    /// Whether heads are there with their literals.
    pub fn has_lines(&self) -> bool {
        self.lines > 0
    }

    /// Bytes of levels, heads, literals and bodies.
    pub fn room(&self) -> usize {
        let Self { levels, heads, literals, bodies, .. } = *self;
        (16 * (levels + heads) + 4 * (literals + bodies)).next_multiple_of(16) as usize
    }

    /// The parameter of a kernel, with the words at this address; `copied` if blocks have room for a
    /// copy of the rules.
    pub fn parameter(&self, words: u64, copied: bool) -> RulesParameter {
        let level = words + size_of::<Self>() as u64;
        let heads = level + 16 * u64::from(self.levels);
        let literals = heads + 16 * u64::from(self.heads);
        let bodies = literals + 4 * u64::from(self.literals);
        let lines = level + self.room() as u64;
        let line_ends = lines + 16 * u64::from(self.lines);
        RulesParameter {
            classes: self.classes,
            levels: self.levels,
            level,
            heads,
            bodies: if self.bodies == 0 { 0 } else { bodies },
            literals,
            stratum: line_ends + 4 * u64::from(self.line_levels),
            head_count: self.heads,
            literal_count: self.literals,
            room: if copied { self.room() as u32 } else { 0 },
            line_levels: self.line_levels,
            line_count: self.lines,
            line_ends,
            lines,
        }
    }
}
