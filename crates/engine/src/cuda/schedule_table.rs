//! The heads and levels of a program as the kernels read them: four numbers each.

use rulebound_core::{GpuSchedule, ScheduleLevel};

/// Number of rules of a class from which several threads share them.
const HEAVY: u32 = 3;

/// The heads and levels of a schedule; `kernels/rules.cu` and `tensors/kernels/rules.cu` have the layout.
#[derive(Debug)]
pub(super) struct ScheduleTable {
    /// Start; where heads have few rules; where they are in cycles; end.
    pub levels: Vec<[u32; 4]>,
    /// Class, first rule, one past the last.
    pub heads: Vec<[u32; 4]>,
    /// Whether every body is one literal: then a rule's number is its literal's index.
    pub is_single: bool,
}

impl ScheduleTable {
    pub(super) fn new(schedule: &GpuSchedule) -> Self {
        let rules_of = schedule.heads.iter().zip(schedule.rules.windows(2));
        let heads: Vec<[u32; 4]> =
            rules_of.map(|(&head, rules)| [head, rules[0], rules[1], 0]).collect();
        // Within a level the classes with the most rules come first.
        let level = |level: &ScheduleLevel| {
            let heads = &heads[level.start as usize..level.cyclic as usize];
            let heavy = heads.partition_point(|[_, start, end, _]| end - start >= HEAVY) as u32;
            [level.start, level.start + heavy, level.cyclic, level.end]
        };
        let levels = schedule.levels.iter().map(level).collect();
        let is_single = schedule.bodies.windows(2).all(|body| body[1] - body[0] == 1);
        Self { levels, heads, is_single }
    }
}
