//! How a launch is divided: threads, rows side by side, shared memory.

use super::number::TensorNumber;
use super::words::Outline;

/// Limits of a GPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::cuda) struct Limits {
    /// Multiprocessors.
    pub processors: usize,
    /// Bytes of shared memory that a block may have.
    pub block: usize,
    /// Bytes of shared memory of a multiprocessor.
    pub processor: usize,
}

/// Static shared memory of a kernel, and what the driver keeps of a block's.
const KEPT: usize = 2048;
/// Threads of most kernels that the registers of a multiprocessor suffice for; as their sources bound them.
const THREADS: usize = 1024;
const NARROW_2_THREADS: usize = 2048;
const LINES_2_THREADS: usize = 1536;
/// The most threads of a block of most kernels, and of those for several rows.
const BLOCK: usize = 1024;
const LINES_BLOCK: usize = 512;
/// The least threads of a block that has enough classes for them.
const LEAST: usize = 256;
/// Blocks of a multiprocessor up to which each has one row of the layer.
const FEW: usize = 4;

/// How the rows of a block are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::cuda) enum Form {
    /// A thread has a line: a head with its first literals.
    Lines,
    /// Delegates have 16 bits in shared memory.
    Narrow,
    /// Delegates have 32 bits.
    Wide,
}

/// One launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::cuda) struct Plan {
    pub form: Form,
    /// Rows side by side in a block.
    pub lanes: usize,
    /// Blocks, for the loss of training those of one member.
    pub blocks: usize,
    pub threads: usize,
    /// Bytes of shared memory of a block.
    pub shared: usize,
    /// Bytes of a block's own numbers, in shared memory or outside.
    pub room: usize,
    /// Whether the rules are copied to shared memory.
    pub copied: bool,
    /// Bytes of memory outside.
    pub outside: usize,
}

/// A way to divide a launch, before it is known whether it fits.
#[derive(Clone, Copy)]
struct Division {
    form: Form,
    lanes: usize,
    /// Bytes of a block's own numbers.
    room: usize,
    copied: bool,
    /// The most threads of a block.
    block: usize,
    /// Threads that the registers of a multiprocessor suffice for.
    at_once: usize,
}

impl Plan {
    /// The layer.
    pub fn layer(limits: Limits, rules: &Outline, number: TensorNumber, rows: usize) -> Self {
        let narrow = if number == TensorNumber::Double || !rules.is_narrow() {
            None
        } else if rules.has_lines() {
            let divisions = [1, 2].map(|lanes| Division {
                form: Form::Lines,
                lanes,
                room: 6 * rules.classes() * lanes,
                copied: false,
                block: if lanes == 1 { BLOCK } else { LINES_BLOCK },
                at_once: if lanes == 1 { THREADS } else { LINES_2_THREADS },
            });
            Self::with_most_rows(limits, rules, divisions, rows, 1)
        } else {
            Self::narrow_layer(limits, rules, rows)
        };
        narrow.unwrap_or_else(|| Self::wide_layer(limits, rules, number, rows))
    }

    /// The layer with delegates of 16 bits where bodies have several literals. A row has its own block as long
    /// as few blocks share a multiprocessor; with more rows, a block has two, and reads the rules where they
    /// are if that leaves room for more blocks.
    fn narrow_layer(limits: Limits, rules: &Outline, rows: usize) -> Option<Self> {
        let plan = |lanes: usize, copied: bool| {
            let division = Division {
                form: Form::Narrow,
                lanes,
                room: 6 * rules.classes() * lanes,
                copied,
                block: BLOCK,
                at_once: if lanes == 1 { THREADS } else { NARROW_2_THREADS },
            };
            Self::divided(limits, rules, division, rows, 1)
        };
        let one = plan(1, true).or_else(|| plan(1, false))?;
        if rows <= one.blocks && rows <= FEW * limits.processors {
            return Some(one);
        }
        // One block with two rows is slower than two blocks.
        let two = |copied| {
            plan(2, copied)
                .filter(|plan| plan.blocks_at_once(limits, NARROW_2_THREADS) > limits.processors)
        };
        let rows_at_once = |plan: &Self| plan.blocks * plan.lanes;
        let others = [two(true), two(false), plan(1, false)];
        // The first of those with the most rows at once.
        others.into_iter().flatten().chain([one]).reduce(|best, next| {
            if rows_at_once(&next) > rows_at_once(&best) { next } else { best }
        })
    }

    /// The first of the divisions that has the most rows at once, of those that fit.
    fn with_most_rows(
        limits: Limits,
        rules: &Outline,
        divisions: impl IntoIterator<Item = Division>,
        rows: usize,
        members: usize,
    ) -> Option<Self> {
        let plan = |division: Division| {
            let plan = Self::divided(limits, rules, division, rows, members)?;
            let blocks = (rows.div_ceil(plan.lanes) * members)
                .min(plan.blocks_at_once(limits, division.at_once));
            Some((blocks * plan.lanes, plan))
        };
        let plans = divisions.into_iter().filter_map(plan);
        let best = plans.reduce(|best, next| {
            // Rows that do not exist count for nothing.
            let most = |plan: (usize, Self)| plan.0.min(rows * members);
            if most(next) > most(best) { next } else { best }
        });
        best.map(|(_, plan)| plan)
    }

    /// A division if it fits: the threads are divided among the blocks that a multiprocessor has.
    fn divided(
        limits: Limits,
        rules: &Outline,
        division: Division,
        rows: usize,
        members: usize,
    ) -> Option<Self> {
        let Division { form, lanes, room, copied, block, at_once } = division;
        let room = room.next_multiple_of(256);
        let shared = room + if copied { rules.room() } else { 0 };
        let by_memory = limits.processor / (shared + KEPT);
        if by_memory == 0 || shared + KEPT > limits.block {
            return None;
        }
        let blocks = rows.div_ceil(lanes);
        let neighbours = by_memory.min((blocks * members).div_ceil(limits.processors)).max(1);
        let most = rules.classes().next_multiple_of(32).clamp(64, block);
        let threads = ((at_once / neighbours).max(LEAST) / 32 * 32).min(most);
        let mut plan = Self { form, lanes, blocks, threads, shared, room, copied, outside: 0 };
        plan.blocks = blocks.min(plan.blocks_at_once(limits, at_once));
        Some(plan)
    }

    /// The loss of training: every row of every member has its place in a block; `may_break` if labels of
    /// some row break a rule.
    pub fn loss(
        limits: Limits,
        rules: &Outline,
        rows: usize,
        members: usize,
        may_break: bool,
    ) -> Self {
        let side = |lanes: usize| if may_break { lanes.max(2) } else { lanes };
        let room = |lanes| Self::signed_room(rules, TensorNumber::Single, lanes, side(lanes));
        let form = if rules.has_lines() { Form::Lines } else { Form::Wide };
        let divisions = Self::signed_divisions(form, room, LINES_2_THREADS);
        let plan = Self::with_most_rows(limits, rules, divisions, rows, members);
        let plan = plan.unwrap_or_else(|| Self::new(limits, rules, room(1), rows, 1));
        plan.of_members(rows, members)
    }

    /// With a place for every row of every member.
    fn of_members(self, rows: usize, members: usize) -> Self {
        let blocks = rows.div_ceil(self.lanes);
        let outside = if self.outside > 0 { self.room * blocks * members } else { 0 };
        Self { blocks, outside, ..self }
    }

    /// Every other way to launch the same loss: lines and heads, rows per block, and threads.
    #[cfg(test)]
    pub fn losses(
        limits: Limits,
        rules: &Outline,
        rows: usize,
        members: usize,
        may_break: bool,
    ) -> Vec<Self> {
        let room = |lanes: usize| {
            let side = if may_break { lanes.max(2) } else { lanes };
            Self::signed_room(rules, TensorNumber::Single, lanes, side)
        };
        let forms = [Form::Lines, Form::Wide].into_iter();
        let forms = forms.filter(|form| *form == Form::Wide || rules.has_lines());
        let divisions = forms.flat_map(|form| Self::signed_divisions(form, room, LINES_2_THREADS));
        let mut plans = Vec::new();
        for division in divisions {
            let Some(plan) = Self::divided(limits, rules, division, rows, members) else {
                continue;
            };
            let threads = [32, 64, 128, 192, 256, 320, 384, 512, 640, 768, 1024];
            let threads = threads.into_iter().filter(|threads| *threads <= division.block);
            plans.extend(threads.map(|threads| Self { threads, ..plan }.of_members(rows, members)));
        }
        plans
    }

    /// The loss in memory outside, as for programs with very many classes.
    #[cfg(test)]
    pub fn loss_outside(rules: &Outline, rows: usize, members: usize) -> Self {
        let none = Limits { processors: 1, block: 0, processor: 0 };
        let room = Self::signed_room(rules, TensorNumber::Single, 1, 2);
        Self::new(none, rules, room, rows, 1).of_members(rows, members)
    }

    /// The selection of the loss.
    pub fn select(limits: Limits, rules: &Outline, number: TensorNumber, rows: usize) -> Self {
        let room = |lanes: usize| Self::signed_room(rules, number, lanes, lanes.max(2));
        let is_double = number == TensorNumber::Double;
        let form = if rules.has_lines() && !is_double { Form::Lines } else { Form::Wide };
        let divisions = Self::signed_divisions(form, room, THREADS);
        let most = if is_double { 1 } else { 2 };
        let divisions = divisions.into_iter().filter(|division| division.lanes <= most);
        let plan = Self::with_most_rows(limits, rules, divisions, rows, 1);
        plan.unwrap_or_else(|| Self::new(limits, rules, room(1), rows, 1))
    }

    /// Bytes of a block of the loss or the selection: `Space` in `kernels/labels.cu`.
    fn signed_room(rules: &Outline, number: TensorNumber, lanes: usize, side: usize) -> usize {
        let (classes, size) = (rules.classes(), number.computed());
        let cycles = if rules.has_cycles() { size * lanes * classes } else { 0 };
        (classes * (side * (size + 4) + 1)).next_multiple_of(16) + cycles
    }

    /// How the loss and the selection may be divided: few rows first, and a copy of the rules if it fits.
    fn signed_divisions(
        form: Form,
        room: impl Fn(usize) -> usize,
        lines_2_threads: usize,
    ) -> Vec<Division> {
        let division = |lanes, copied| Division {
            form,
            lanes,
            room: room(lanes),
            copied,
            block: if lanes == 1 { BLOCK } else { LINES_BLOCK },
            at_once: if (form, lanes) == (Form::Lines, 2) { lines_2_threads } else { THREADS },
        };
        match form {
            Form::Lines => [1, 2, 4].map(|lanes| division(lanes, false)).to_vec(),
            _ => [1, 2].map(|lanes| [true, false].map(|copied| division(lanes, copied))).concat(),
        }
    }

    fn wide_layer(limits: Limits, rules: &Outline, number: TensorNumber, rows: usize) -> Self {
        let size = number.computed();
        let lanes_of = |lanes: usize| {
            let cells = rules.classes() * lanes;
            // What a cycle needs in addition starts at a multiple of 16 bytes.
            let cycles = if rules.has_cycles() { size * cells + 16 } else { 0 };
            Self::new(limits, rules, (size + 4) * cells + cycles, rows.div_ceil(lanes), lanes)
        };
        let one = lanes_of(1);
        if number == TensorNumber::Double || one.outside > 0 {
            return one;
        }
        // A row has its own block as long as all blocks run at once; with more rows, what a block reads
        // of the rules serves several.
        let at_once = one.blocks_at_once(limits, THREADS);
        let most = if rows <= at_once {
            1
        } else if rows <= 2 * at_once {
            2
        } else {
            4
        };
        let fits = |lanes: &usize| {
            *lanes <= most && {
                let plan = lanes_of(*lanes);
                plan.outside == 0 && plan.copied == one.copied
            }
        };
        [4, 2, 1].into_iter().find(fits).map_or(one, lanes_of)
    }

    /// The scatter to delegates: one warp per row.
    pub fn scatter(limits: Limits, classes: usize, number: TensorNumber, rows: usize) -> Self {
        let room = classes * number.computed();
        let inside = room + KEPT <= limits.block;
        let blocks = rows.min(limits.processors * if inside { 32 } else { 8 });
        Self {
            form: Form::Wide,
            lanes: 1,
            blocks,
            threads: 32,
            shared: if inside { room } else { 0 },
            room,
            copied: false,
            outside: if inside { 0 } else { room * blocks },
        }
    }

    fn new(limits: Limits, rules: &Outline, room: usize, groups: usize, lanes: usize) -> Self {
        let room = room.next_multiple_of(256);
        let threads = rules.classes().next_multiple_of(32).clamp(64, BLOCK);
        let copied = room + rules.room() + KEPT <= limits.block;
        let inside = room + KEPT <= limits.block;
        let shared = match (inside, copied) {
            (false, _) => 0,
            (true, false) => room,
            (true, true) => room + rules.room(),
        };
        let (form, outside, blocks) = (Form::Wide, 0, groups);
        let mut plan = Self { form, lanes, blocks, threads, shared, room, copied, outside };
        plan.blocks = groups.min(plan.blocks_at_once(limits, THREADS));
        if !inside {
            plan.outside = room * plan.blocks;
        }
        plan
    }

    /// Blocks that run at the same time, where registers suffice for so many threads of a multiprocessor.
    fn blocks_at_once(&self, limits: Limits, threads: usize) -> usize {
        let by_memory = limits.processor / (self.shared + KEPT);
        limits.processors * by_memory.min(threads / self.threads).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::rules::RuleWords;
    use rulebound_core::{LabelId, Labels, Literal, Program, Rule};

    const H200: Limits = Limits { processors: 132, block: 232_448, processor: 233_472 };

    fn chain(classes: usize) -> RuleWords {
        let labels = Labels::new((0..classes).map(|class| format!("c{class}"))).unwrap();
        let edge = |class: usize| {
            Rule::new(LabelId::new(class), [Literal::positive(LabelId::new(class + 1))])
        };
        RuleWords::new(&Program::new(labels, (0..classes - 1).map(edge).collect()).unwrap())
    }

    #[test]
    fn large_batches_have_rows_side_by_side() {
        let rules = chain(2000);
        let lanes = |rows| Plan::layer(H200, &rules.outline(), TensorNumber::Single, rows).lanes;
        assert_eq!([lanes(1), lanes(64), lanes(1024)], [1, 1, 2]);
        let wide = Plan::wide_layer(H200, &rules.outline(), TensorNumber::Single, 1024);
        assert_eq!(wide.lanes, 4);
        let double = Plan::layer(H200, &rules.outline(), TensorNumber::Double, 1024);
        assert_eq!(double.lanes, 1);
    }

    /// A hierarchy of the Gene Ontology's size: what was fastest on an H200.
    #[test]
    fn the_fastest_launches_are_planned() {
        let children: Vec<usize> = (300..4126).collect();
        let labels = Labels::new((0..4126).map(|class| format!("c{class}"))).unwrap();
        let edge = |class: &usize| {
            let parent = LabelId::new(class / 14);
            Rule::new(parent, [Literal::positive(LabelId::new(*class))])
        };
        let rules =
            RuleWords::new(&Program::new(labels, children.iter().map(edge).collect()).unwrap());
        let planned = |rows| {
            let plan = Plan::layer(H200, &rules.outline(), TensorNumber::Single, rows);
            (plan.lanes, plan.form, plan.threads, plan.blocks)
        };
        assert_eq!(planned(1), (1, Form::Lines, 1024, 1));
        assert_eq!(planned(132), (1, Form::Lines, 1024, 132));
        assert_eq!(planned(256), (1, Form::Lines, 512, 256));
        assert_eq!(planned(1024), (2, Form::Lines, 384, 512));
        assert_eq!(planned(16384), (2, Form::Lines, 384, 528));
        let loss = |rows, members| {
            let plan = Plan::loss(H200, &rules.outline(), rows, members, false);
            (plan.lanes, plan.form, plan.threads, plan.blocks)
        };
        assert_eq!(loss(4, 1), (1, Form::Lines, 1024, 4));
        assert_eq!(loss(128, 1), (1, Form::Lines, 1024, 128));
        assert_eq!(loss(512, 1), (1, Form::Lines, 256, 512));
        assert_eq!(loss(2048, 1), (2, Form::Lines, 512, 1024));
        assert_eq!(loss(4, 10), (1, Form::Lines, 1024, 4));
    }

    #[test]
    fn no_block_has_more_shared_memory_than_there_is() {
        for classes in [2, 500, 4000, 9000, 15_000, 30_000, 100_000] {
            let rules = chain(classes);
            let outline = rules.outline();
            for number in [TensorNumber::Half, TensorNumber::Single, TensorNumber::Double] {
                for rows in [1, 64, 200, 1024, 100_000] {
                    let layer = Plan::layer(H200, &outline, number, rows);
                    let select = Plan::select(H200, &outline, number, rows);
                    let scatter = Plan::scatter(H200, classes, number, rows);
                    let loss = Plan::loss(H200, &outline, rows, 3, classes % 2 == 0);
                    assert!(loss.blocks * loss.lanes >= rows, "{loss:?}");
                    for plan in [layer, select, scatter, loss] {
                        assert!(plan.shared + 1024 <= H200.block, "{classes} {plan:?}");
                        assert!(plan.blocks * plan.lanes < rows + plan.lanes, "{plan:?}");
                        assert!(plan.shared >= plan.room || plan.outside >= plan.room, "{plan:?}");
                    }
                }
            }
        }
    }
}
