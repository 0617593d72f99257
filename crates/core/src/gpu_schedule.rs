//! A program compiled for the GPU: which classes can be evaluated in parallel. The CPU has a plan of
//! its own, in `layer`.
//!
//! Classes are ordered level by level; the rules of a class depend only on earlier levels or, in a
//! positive cycle, on their own component. Everything is flat, so that it can be copied to GPU memory
//! as it is.

use crate::label::LabelId;
use crate::program::Program;

/// The rules of a program in compressed rows, level by level. Rules that support themselves and
/// classes without rules are omitted.
///
/// ```
/// use rulebound_core::{GpuSchedule, Program};
/// let program: Program = "a -> b\nb -> c\nd -> c".parse()?;
/// let schedule = GpuSchedule::new(&program);
/// assert_eq!(schedule.levels.len(), 2);
/// assert_eq!(schedule.literals.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GpuSchedule {
    /// The number of classes.
    pub classes: usize,
    /// The levels, in order: ranges of `heads`.
    pub levels: Vec<ScheduleLevel>,
    /// Classes that have rules.
    pub heads: Vec<u32>,
    /// The rules of `heads[k]` are `rules[k]..rules[k + 1]`, in the order written.
    pub rules: Vec<u32>,
    /// The literals of rule `r` are `bodies[r]..bodies[r + 1]`.
    pub bodies: Vec<u32>,
    /// Literals: twice the class, plus 1 for a negated one, plus [`GpuSchedule::WITHIN`] for one of
    /// the head's own component.
    pub literals: Vec<u32>,
    /// The stratum of every class.
    pub stratum: Vec<u32>,
}

/// Classes that can be evaluated in parallel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScheduleLevel {
    /// The first index into `heads`.
    pub start: u32,
    /// From this index on classes are in cycles and are iterated together until nothing changes.
    pub cyclic: u32,
    /// One past the last index.
    pub end: u32,
}

impl GpuSchedule {
    /// Marks a literal of the head's own component.
    pub const WITHIN: u32 = 1 << 31;

    /// The schedule of a program.
    pub fn new(program: &Program) -> Self {
        let labels = program.labels();
        let components = program.components();
        // Components come bodies before heads.
        let mut level_of = vec![0usize; components.len()];
        let mut levels: Vec<[Vec<u32>; 2]> = Vec::new();
        for component in 0..components.len() {
            let members = components.members(component);
            let rules = || members.iter().flat_map(|&head| program.rules_of(head));
            if rules().next().is_none() {
                continue;
            }
            let bodies = rules().flat_map(|&rule| program.rule(rule).body());
            let below = bodies.map(|literal| components.component_of(literal.label()));
            let below = below.filter(|&other| other != component).map(|other| level_of[other]);
            let level = 1 + below.max().unwrap_or(0);
            level_of[component] = level;
            if levels.len() < level {
                levels.resize(level, Default::default());
            }
            let group = usize::from(members.len() > 1);
            levels[level - 1][group].extend(members.iter().map(|member| member.index() as u32));
        }
        let mut schedule = Self {
            classes: labels.len(),
            levels: Vec::with_capacity(levels.len()),
            heads: Vec::new(),
            rules: vec![0],
            bodies: vec![0],
            literals: Vec::new(),
            stratum: labels.ids().map(|label| program.strata().stratum_of(label) as u32).collect(),
        };
        for mut level in levels {
            // Neighbours have about the same amount of work.
            let count = |&head: &u32| program.rules_of(LabelId::new(head as usize)).len();
            level[0].sort_by_key(|head| (std::cmp::Reverse(count(head)), *head));
            let start = schedule.heads.len() as u32;
            let cyclic = start + level[0].len() as u32;
            level.iter().flatten().for_each(|&head| schedule.push(program, head));
            let end = schedule.heads.len() as u32;
            schedule.levels.push(ScheduleLevel { start, cyclic, end });
        }
        schedule
    }

    fn push(&mut self, program: &Program, head: u32) {
        let label = LabelId::new(head as usize);
        let components = program.components();
        self.heads.push(head);
        for &rule in program.rules_of(label) {
            let rule = program.rule(rule);
            if rule.supports_itself() {
                continue;
            }
            for literal in rule.body() {
                let within =
                    components.component_of(literal.label()) == components.component_of(label);
                let mark = if within { Self::WITHIN } else { 0 };
                self.literals.push(literal.code() | mark);
            }
            self.bodies.push(self.literals.len() as u32);
        }
        self.rules.push(self.bodies.len() as u32 - 1);
    }

    /// Whether some classes derive each other.
    pub fn has_cycles(&self) -> bool {
        self.levels.iter().any(|level| level.cyclic < level.end)
    }
}
