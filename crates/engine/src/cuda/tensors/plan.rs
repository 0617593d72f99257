//! How a launch is divided: threads, rows side by side, shared memory.

use super::number::TensorNumber;
use super::rules::Outline;

/// Limits of a GPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Limits {
    /// Multiprocessors.
    pub processors: usize,
    /// Bytes of shared memory that a block may have.
    pub block: usize,
    /// Bytes of shared memory of a multiprocessor.
    pub processor: usize,
}

/// Static shared memory of a kernel, and what the driver keeps of a block's.
const KEPT: usize = 2048;
/// Threads that the registers of a multiprocessor suffice for; as `layer.cu` bounds its kernels.
const THREADS: usize = 1024;
const NARROW_2_THREADS: usize = 2048;
const BRIEF_THREADS: usize = 1536;
/// Blocks of a multiprocessor up to which each has one row.
const FEW: usize = 4;
/// The most threads of a block of the kernel for briefs; as in `layer.cu`.
const BRIEF_BLOCK: usize = 384;

/// One launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Plan {
    /// Rows side by side in a block.
    pub lanes: usize,
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
    /// Whether delegates have 16 bits in shared memory.
    pub is_narrow: bool,
    /// Whether heads are read with their literals.
    pub is_brief: bool,
}

impl Plan {
    /// The layer.
    pub fn layer(limits: Limits, rules: &Outline, number: TensorNumber, rows: usize) -> Self {
        Self::narrow_layer(limits, rules, number, rows)
            .unwrap_or_else(|| Self::wide_layer(limits, rules, number, rows))
    }

    /// The layer with delegates of 16 bits, where that is possible. A row has its own block as long as
    /// few blocks share a multiprocessor; with more rows, a block has two, and reads the rules where
    /// they are if they are briefs or if that leaves room for more blocks.
    fn narrow_layer(
        limits: Limits,
        rules: &Outline,
        number: TensorNumber,
        rows: usize,
    ) -> Option<Self> {
        if number == TensorNumber::Double || !rules.is_narrow() {
            return None;
        }
        let plan = |lanes: usize, copied: bool| {
            let room = (6 * rules.classes * lanes).next_multiple_of(256);
            let shared = room + if copied { rules.room() } else { 0 };
            let at_once = limits.processor / (shared + KEPT);
            if at_once == 0 || shared + KEPT > limits.block {
                return None;
            }
            let is_brief = lanes == 2 && !copied && rules.has_briefs();
            let (blocks, is_narrow, outside) = (rows.div_ceil(lanes), true, 0);
            // The threads are divided among the blocks that a multiprocessor has.
            let neighbours = at_once.min(blocks.div_ceil(limits.processors));
            let largest = if is_brief { BRIEF_BLOCK } else { 1024 };
            let threads = (threads_at_once(lanes, is_narrow, is_brief) / neighbours).max(256);
            let most = rules.classes.next_multiple_of(32).clamp(64, largest);
            let threads = (threads / 32 * 32).min(most);
            let mut plan =
                Self { lanes, blocks, threads, shared, room, copied, outside, is_narrow, is_brief };
            plan.blocks = blocks.min(plan.blocks_at_once(limits));
            Some(plan)
        };
        let one = plan(1, true).or_else(|| plan(1, false))?;
        if rows <= one.blocks && rows <= FEW * limits.processors {
            return Some(one);
        }
        // One block with two rows is slower than two blocks.
        let two =
            |copied| plan(2, copied).filter(|plan| plan.blocks_at_once(limits) > limits.processors);
        let rows_at_once = |plan: &Self| plan.blocks * plan.lanes;
        if rules.has_briefs()
            && let Some(brief) = two(false)
        {
            return Some(brief);
        }
        let others = [two(true), two(false), plan(1, false)];
        // The first of those with the most rows at once.
        others.into_iter().flatten().chain([one]).reduce(|best, next| {
            if rows_at_once(&next) > rows_at_once(&best) { next } else { best }
        })
    }

    fn wide_layer(limits: Limits, rules: &Outline, number: TensorNumber, rows: usize) -> Self {
        let size = number.computed();
        let lanes_of = |lanes: usize| {
            let cells = rules.classes * lanes;
            // What a cycle needs in addition starts at a multiple of 16 bytes.
            let cycles = if rules.has_cycles { size * cells + 16 } else { 0 };
            Self::new(limits, rules, (size + 4) * cells + cycles, rows.div_ceil(lanes), lanes)
        };
        let one = lanes_of(1);
        if number == TensorNumber::Double || one.outside > 0 {
            return one;
        }
        // A row has its own block as long as all blocks run at once; with more rows, what a block reads
        // of the rules serves several.
        let at_once = one.blocks_at_once(limits);
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

    /// The selection of the loss.
    pub fn select(limits: Limits, rules: &Outline, number: TensorNumber, rows: usize) -> Self {
        let cell = 3 * number.computed() + 2 * 4 + 1;
        Self::new(limits, rules, cell * rules.classes, rows, 1)
    }

    /// The scatter to delegates: one warp per row.
    pub fn scatter(limits: Limits, classes: usize, number: TensorNumber, rows: usize) -> Self {
        let room = classes * number.computed();
        let inside = room + KEPT <= limits.block;
        let blocks = rows.min(limits.processors * if inside { 32 } else { 8 });
        Self {
            lanes: 1,
            blocks,
            threads: 32,
            shared: if inside { room } else { 0 },
            room,
            copied: false,
            outside: if inside { 0 } else { room * blocks },
            is_narrow: false,
            is_brief: false,
        }
    }

    fn new(limits: Limits, rules: &Outline, room: usize, groups: usize, lanes: usize) -> Self {
        let room = room.next_multiple_of(256);
        let threads = rules.classes.next_multiple_of(32).clamp(64, 1024);
        let copied = room + rules.room() + KEPT <= limits.block;
        let inside = room + KEPT <= limits.block;
        let shared = match (inside, copied) {
            (false, _) => 0,
            (true, false) => room,
            (true, true) => room + rules.room(),
        };
        let (is_narrow, is_brief, outside, blocks) = (false, false, 0, groups);
        let mut plan =
            Self { lanes, blocks, threads, shared, room, copied, outside, is_narrow, is_brief };
        plan.blocks = groups.min(plan.blocks_at_once(limits));
        if !inside {
            plan.outside = room * plan.blocks;
        }
        plan
    }

    /// Blocks that run at the same time.
    fn blocks_at_once(&self, limits: Limits) -> usize {
        let by_memory = limits.processor / (self.shared + KEPT);
        let threads = threads_at_once(self.lanes, self.is_narrow, self.is_brief);
        limits.processors * by_memory.min(threads / self.threads).max(1)
    }
}

/// Threads of a kernel of the layer that the registers of a multiprocessor suffice for.
fn threads_at_once(lanes: usize, is_narrow: bool, is_brief: bool) -> usize {
    match (lanes, is_narrow, is_brief) {
        (_, _, true) => BRIEF_THREADS,
        (2, true, _) => NARROW_2_THREADS,
        _ => THREADS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::tensors::rules::TensorRules;
    use rulebound_core::{LabelId, Labels, Literal, Program, Rule};

    const H200: Limits = Limits { processors: 132, block: 232_448, processor: 233_472 };

    fn chain(classes: usize) -> TensorRules {
        let labels = Labels::new((0..classes).map(|class| format!("c{class}"))).unwrap();
        let edge = |class: usize| {
            Rule::new(LabelId::new(class), [Literal::positive(LabelId::new(class + 1))])
        };
        TensorRules::new(&Program::new(labels, (0..classes - 1).map(edge).collect()).unwrap())
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
            TensorRules::new(&Program::new(labels, children.iter().map(edge).collect()).unwrap());
        let planned = |rows| {
            let plan = Plan::layer(H200, &rules.outline(), TensorNumber::Single, rows);
            (plan.lanes, plan.is_brief, plan.copied, plan.threads, plan.blocks)
        };
        assert_eq!(planned(1), (1, false, true, 1024, 1));
        assert_eq!(planned(132), (1, false, true, 1024, 132));
        assert_eq!(planned(256), (1, false, true, 512, 256));
        assert_eq!(planned(1024), (2, true, false, 384, 512));
        assert_eq!(planned(16384), (2, true, false, 384, 528));
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
                    for plan in [layer, select, scatter] {
                        assert!(plan.shared + 1024 <= H200.block, "{classes} {plan:?}");
                        assert!(plan.blocks * plan.lanes < rows + plan.lanes, "{plan:?}");
                        assert!(plan.shared >= plan.room || plan.outside >= plan.room, "{plan:?}");
                    }
                }
            }
        }
    }
}
