//! A few rows at a time, class by class.
//!
//! Rows come and go row-major; inside, a tile holds `LANES` rows with all lanes
//! of a class side by side, so that a rule is a straight loop over lanes that
//! the compiler turns into vector code. A tile of Gene Ontology's size stays
//! in the second-level cache.

use super::cycle::CycleSpace;
use super::plan::{Plan, Step};
use super::scalar::{Reading, View};
use crate::delegate::Delegate;
use crate::margin::Margin;

/// The memory of one tile, kept between batches.
#[derive(Clone, Debug)]
pub(crate) struct Tile<F> {
    /// `[classes × lanes]` margins.
    pub values: Vec<F>,
    /// `[classes × lanes]` codes of delegates.
    pub who: Vec<u32>,
    pub cycle: CycleSpace<F>,
}

/// How many classes are turned at a time: their lanes stay in the first-level
/// cache while the rows pass.
const BLOCK: usize = 64;

impl<F: Margin> Tile<F> {
    pub fn new(plan: &Plan) -> Self {
        Self { values: Vec::new(), who: Vec::new(), cycle: CycleSpace::for_cycles(&plan.cycles) }
    }

    /// Makes room, once; `who` only if somebody asks.
    pub fn reserve(&mut self, plan: &Plan, lanes: usize, delegates: bool) {
        let size = plan.classes * lanes;
        self.values.resize(size, F::default());
        if delegates {
            self.who.resize(size, 0);
        }
    }
}

/// Copies rows into the lanes of a tile through `change`; lanes without a row
/// repeat the last one. Returns whether `is_bad` was true of any value.
#[inline(always)]
pub(crate) fn turn_in<S: Copy, D, const LANES: usize>(
    rows: &[S],
    classes: usize,
    tile: &mut [D],
    change: impl Fn(S) -> D,
    is_bad: impl Fn(S) -> bool,
) -> bool {
    let count = rows.len() / classes;
    let mut bad = false;
    for (block, lanes) in tile.chunks_mut(BLOCK * LANES).enumerate() {
        let first = block * BLOCK;
        for lane in 0..LANES {
            let row = lane.min(count - 1) * classes + first;
            let row = &rows[row..row + lanes.len() / LANES];
            for (value, place) in row.iter().zip(lanes.iter_mut().skip(lane).step_by(LANES)) {
                bad |= is_bad(*value);
                *place = change(*value);
            }
        }
    }
    bad
}

/// Copies the lanes of a tile into rows through `change`.
#[inline(always)]
pub(crate) fn turn_out<S: Copy, D, const LANES: usize>(
    tile: &[S],
    classes: usize,
    rows: &mut [D],
    change: impl Fn(S) -> D,
) {
    let count = rows.len() / classes;
    for (block, lanes) in tile.chunks(BLOCK * LANES).enumerate() {
        let first = block * BLOCK;
        for lane in 0..count {
            let row = lane * classes + first;
            let row = &mut rows[row..row + lanes.len() / LANES];
            for (place, value) in row.iter_mut().zip(lanes.iter().skip(lane).step_by(LANES)) {
                *place = change(*value);
            }
        }
    }
}

/// The lanes of one class.
#[inline(always)]
pub(crate) fn lanes<T: Copy, const LANES: usize>(tile: &[T], class: u32) -> [T; LANES] {
    let start = class as usize * LANES;
    let mut lanes = [tile[start]; LANES];
    lanes.copy_from_slice(&tile[start..start + LANES]);
    lanes
}

/// Writes the lanes of one class.
#[inline(always)]
pub(crate) fn set_lanes<T: Copy, const LANES: usize>(
    tile: &mut [T],
    class: u32,
    lanes: &[T; LANES],
) {
    let start = class as usize * LANES;
    tile[start..start + LANES].copy_from_slice(lanes);
}

/// The values of a literal.
#[inline(always)]
fn literal<F: Margin, const LANES: usize>(values: &[F], code: u32) -> [F; LANES] {
    let values = lanes(values, code >> 1);
    if code & 1 == 1 { values.map(|value| -value) } else { values }
}

/// Raises the values of a tile to the least fixpoint.
#[inline(always)]
pub(crate) fn raise_values<F: Margin, const LANES: usize>(plan: &Plan, tile: &mut Tile<F>) {
    for &step in &plan.steps {
        match step {
            Step::Cycle(cycle) => solve_lanes::<F, LANES>(plan, cycle, tile, false),
            Step::Class { head, start, end } => {
                let mut best: [F; LANES] = lanes(&tile.values, head);
                for body in plan.bodies(start, end) {
                    let Some((&first, rest)) = body.split_first() else {
                        best = [F::TRUE; LANES];
                        continue;
                    };
                    let mut least: [F; LANES] = literal(&tile.values, first);
                    for &code in rest {
                        let next: [F; LANES] = literal(&tile.values, code);
                        for lane in 0..LANES {
                            least[lane] =
                                if next[lane] < least[lane] { next[lane] } else { least[lane] };
                        }
                    }
                    for lane in 0..LANES {
                        best[lane] =
                            if least[lane] > best[lane] { least[lane] } else { best[lane] };
                    }
                }
                set_lanes(&mut tile.values, head, &best);
            }
        }
    }
}

/// The same, and keeps who decided.
#[inline(always)]
pub(crate) fn raise_delegates<F: Margin, const LANES: usize>(plan: &Plan, tile: &mut Tile<F>) {
    for class in 0..plan.classes as u32 {
        set_lanes(&mut tile.who, class, &[class << 1; LANES]);
    }
    for &step in &plan.steps {
        match step {
            Step::Cycle(cycle) => solve_lanes::<F, LANES>(plan, cycle, tile, true),
            Step::Class { head, start, end } => {
                let mut best: [F; LANES] = lanes(&tile.values, head);
                let mut best_who: [u32; LANES] = lanes(&tile.who, head);
                for body in plan.bodies(start, end) {
                    let (mut least, mut who) = ([F::TRUE; LANES], [Delegate::TRUE.code(); LANES]);
                    if let Some((&first, rest)) = body.split_first() {
                        least = literal(&tile.values, first);
                        who =
                            lanes::<u32, LANES>(&tile.who, first >> 1).map(|who| who ^ (first & 1));
                        for &code in rest {
                            let next: [F; LANES] = literal(&tile.values, code);
                            let next_who: [u32; LANES] = lanes(&tile.who, code >> 1);
                            for lane in 0..LANES {
                                let smaller = next[lane] < least[lane];
                                least[lane] = if smaller { next[lane] } else { least[lane] };
                                who[lane] =
                                    if smaller { next_who[lane] ^ (code & 1) } else { who[lane] };
                            }
                        }
                    }
                    for lane in 0..LANES {
                        let larger = least[lane] > best[lane];
                        best[lane] = if larger { least[lane] } else { best[lane] };
                        best_who[lane] = if larger { who[lane] } else { best_who[lane] };
                    }
                }
                set_lanes(&mut tile.values, head, &best);
                set_lanes(&mut tile.who, head, &best_who);
            }
        }
    }
}

/// A cycle, lane by lane.
#[inline(never)]
fn solve_lanes<F: Margin, const LANES: usize>(
    plan: &Plan,
    cycle: u32,
    tile: &mut Tile<F>,
    delegates: bool,
) {
    for lane in 0..LANES {
        let who = if delegates { &mut tile.who[..] } else { &mut [] };
        let mut view = Lane::<F, LANES> { values: &mut tile.values, who, lane };
        plan.cycles[cycle as usize].solve(&mut view, &mut tile.cycle);
    }
}

/// One lane of a tile.
struct Lane<'a, F, const LANES: usize> {
    values: &'a mut [F],
    /// Empty if nobody asks who decided.
    who: &'a mut [u32],
    lane: usize,
}

impl<F: Margin, const LANES: usize> Lane<'_, F, LANES> {
    fn at(&self, label: u32) -> usize {
        label as usize * LANES + self.lane
    }
}

impl<F: Margin, const LANES: usize> View<F> for Lane<'_, F, LANES> {
    fn own(&self, label: u32) -> Reading<F> {
        let at = self.at(label);
        let who = self.who.get(at).copied().unwrap_or(label << 1);
        Reading { value: self.values[at], delegate: Delegate::from_code(who) }
    }

    fn literal(&self, _head: u32, code: u32) -> Reading<F> {
        self.own(code >> 1).flip(code & 1 == 1)
    }

    fn settle(&mut self, label: u32, reading: Reading<F>, _place: usize) {
        let at = self.at(label);
        self.values[at] = reading.value;
        if let Some(who) = self.who.get_mut(at) {
            *who = reading.delegate.code();
        }
    }
}
