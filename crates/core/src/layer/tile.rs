//! A few rows at a time, class by class.
//!
//! Rows come and go row-major; inside, a tile holds `LANES` rows with all lanes
//! of a class side by side, so that a rule is a straight loop over lanes that
//! the compiler turns into vector code. A tile of Gene Ontology's size stays
//! in the second-level cache.

use super::aligned::Aligned;
use super::cycle::CycleSpace;
use super::error::LayerError;
use super::plan::{CpuPlan, Step};
use super::scalar::{Reading, View};
use super::settling::{Settling, SettlingSpace};
use crate::delegate::Delegate;
use crate::margin::Margin;

/// The memory of one tile, kept between batches.
#[derive(Debug)]
pub(crate) struct Tile<F> {
    /// `[classes × lanes]` margins.
    pub values: Aligned<F>,
    /// `[classes × lanes]` codes of delegates.
    pub who: Aligned<u32>,
    pub cycle: CycleSpace<F>,
    /// Where there are requirements.
    pub settle: Option<SettlingSpace<F>>,
    /// Rows of the batch that could not be settled and were passed on.
    pub unsettled: Vec<LayerError>,
}

impl<F: Margin> Tile<F> {
    pub fn new(plan: &CpuPlan, settling: Option<&Settling>) -> Self {
        Self {
            values: Aligned::new(),
            who: Aligned::new(),
            cycle: CycleSpace::for_cycles(&plan.cycles),
            settle: settling.map(|settling| settling.space(plan)),
            unsettled: Vec::new(),
        }
    }

    /// Allocates, once; `who` only if delegates are wanted.
    pub fn reserve(&mut self, plan: &CpuPlan, lanes: usize, delegates: bool) {
        let size = plan.classes * lanes;
        self.values.resize(size);
        if delegates {
            self.who.resize(size);
        }
    }
}

// In all loops below: fixed arrays and plain loops only. `map` and the like are
// functions of their own, compiled without the vector instructions that these
// are inlined for.

/// The lanes of one class.
#[inline(always)]
pub(crate) fn lanes<T, const LANES: usize>(tile: &[T], class: u32) -> &[T; LANES] {
    tile[class as usize * LANES..].first_chunk().expect("a tile has all lanes of a class")
}

/// The lanes of one class, to write.
#[inline(always)]
pub(crate) fn lanes_mut<T, const LANES: usize>(tile: &mut [T], class: u32) -> &mut [T; LANES] {
    tile[class as usize * LANES..].first_chunk_mut().expect("a tile has all lanes of a class")
}

/// The lanes of a literal.
#[inline(always)]
pub(crate) fn literal<F: Margin, const LANES: usize>(values: &[F], code: u32) -> [F; LANES] {
    let mut literal = *lanes(values, code >> 1);
    if code & 1 == 1 {
        for value in &mut literal {
            *value = -*value;
        }
    }
    literal
}

/// `yes` or `no`, as arithmetic: a choice between integers that hangs on a
/// comparison of floats becomes a jump otherwise, and ends the vector code.
#[inline(always)]
fn choose(condition: bool, yes: u32, no: u32) -> u32 {
    let mask = u32::from(condition).wrapping_neg();
    (yes & mask) | (no & !mask)
}

/// Takes `next` where it is smaller, with its delegate.
#[inline(always)]
pub(crate) fn take_smaller<F: Margin, const LANES: usize>(
    least: &mut [F; LANES],
    least_who: &mut [u32; LANES],
    next: &[F; LANES],
    next_who: &[u32; LANES],
    flip: u32,
) {
    for lane in 0..LANES {
        let smaller = next[lane] < least[lane];
        least[lane] = if smaller { next[lane] } else { least[lane] };
        least_who[lane] = choose(smaller, next_who[lane] ^ flip, least_who[lane]);
    }
}

/// Takes `next` where it is larger, with its delegate.
#[inline(always)]
pub(crate) fn take_larger<F: Margin, const LANES: usize>(
    best: &mut [F; LANES],
    best_who: &mut [u32; LANES],
    next: &[F; LANES],
    next_who: &[u32; LANES],
) {
    for lane in 0..LANES {
        let larger = next[lane] > best[lane];
        best[lane] = if larger { next[lane] } else { best[lane] };
        best_who[lane] = choose(larger, next_who[lane], best_who[lane]);
    }
}

/// How far ahead in the stream of rules, in numbers, the values are prefetched. Odd:
/// in a hierarchy every second number is a literal, the others are lengths.
const AHEAD: usize = 33;

/// Asks for the lanes of a literal that comes soon, so that a program larger
/// than the caches does not wait for every one of them. `code` may also be the
/// length of a body; then the wrong lanes are fetched and nothing is harmed.
#[inline(always)]
pub(crate) fn fetch_ahead<T, const LANES: usize>(tile: &[T], stream: &[u32], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(lanes) =
        stream.get(at + AHEAD).and_then(|&code| tile.get((code >> 1) as usize * LANES))
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing, and the address is that of a live reference.
        #[allow(unsafe_code)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(lanes).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (tile, stream, at);
}

/// Raises the values of a tile to the least fixpoint.
#[inline(always)]
pub(crate) fn raise_values<F: Margin, const LANES: usize>(plan: &CpuPlan, tile: &mut Tile<F>) {
    for &step in &plan.steps {
        match step {
            Step::Cycle(cycle) => solve_lanes::<F, LANES>(plan, cycle, tile, false),
            Step::Edges { start, end } => {
                for at in (start as usize..end as usize).step_by(2) {
                    fetch_ahead::<F, LANES>(&tile.values, &plan.stream, at);
                    let next: [F; LANES] = literal(&tile.values, plan.stream[at + 1]);
                    let best = lanes_mut::<F, LANES>(&mut tile.values, plan.stream[at]);
                    for lane in 0..LANES {
                        best[lane] = if next[lane] > best[lane] { next[lane] } else { best[lane] };
                    }
                }
            }
            Step::Class { head, start, end } => {
                let values = &tile.values[..];
                let mut best: [F; LANES] = *lanes(values, head);
                let mut at = start as usize;
                while at < end as usize {
                    fetch_ahead::<F, LANES>(values, &plan.stream, at);
                    let body = plan.body(&mut at);
                    let mut least = [F::TRUE; LANES];
                    for &code in body {
                        let next: [F; LANES] = literal(values, code);
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
                *lanes_mut(&mut tile.values, head) = best;
            }
        }
    }
}

/// The same, and records the delegates.
#[inline(always)]
pub(crate) fn raise_delegates<F: Margin, const LANES: usize>(plan: &CpuPlan, tile: &mut Tile<F>) {
    for class in 0..plan.classes as u32 {
        *lanes_mut(&mut tile.who, class) = [class << 1; LANES];
    }
    for &step in &plan.steps {
        match step {
            Step::Cycle(cycle) => solve_lanes::<F, LANES>(plan, cycle, tile, true),
            Step::Edges { start, end } => {
                for at in (start as usize..end as usize).step_by(2) {
                    let (head, code) = (plan.stream[at], plan.stream[at + 1]);
                    fetch_ahead::<F, LANES>(&tile.values, &plan.stream, at);
                    fetch_ahead::<u32, LANES>(&tile.who, &plan.stream, at);
                    let next: [F; LANES] = literal(&tile.values, code);
                    let mut next_who: [u32; LANES] = *lanes(&tile.who, code >> 1);
                    for who in &mut next_who {
                        *who ^= code & 1;
                    }
                    let best = lanes_mut(&mut tile.values, head);
                    take_larger(best, lanes_mut(&mut tile.who, head), &next, &next_who);
                }
            }
            Step::Class { head, start, end } => {
                let (values, who) = (&tile.values[..], &tile.who[..]);
                let mut best: [F; LANES] = *lanes(values, head);
                let mut best_who: [u32; LANES] = *lanes(who, head);
                let mut at = start as usize;
                while at < end as usize {
                    fetch_ahead::<F, LANES>(values, &plan.stream, at);
                    fetch_ahead::<u32, LANES>(who, &plan.stream, at);
                    let body = plan.body(&mut at);
                    let mut least = [F::TRUE; LANES];
                    let mut least_who = [Delegate::of_fact(head).code(); LANES];
                    for (place, &code) in body.iter().enumerate() {
                        let next: [F; LANES] = literal(values, code);
                        let next_who: &[u32; LANES] = lanes(who, code >> 1);
                        // The first literal also where it is TRUE itself.
                        if place == 0 {
                            least = next;
                            for lane in 0..LANES {
                                least_who[lane] = next_who[lane] ^ (code & 1);
                            }
                            continue;
                        }
                        take_smaller(&mut least, &mut least_who, &next, next_who, code & 1);
                    }
                    take_larger(&mut best, &mut best_who, &least, &least_who);
                }
                *lanes_mut(&mut tile.values, head) = best;
                *lanes_mut(&mut tile.who, head) = best_who;
            }
        }
    }
}

/// A cycle, lane by lane.
#[inline(never)]
fn solve_lanes<F: Margin, const LANES: usize>(
    plan: &CpuPlan,
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
    /// Empty if no delegates are wanted.
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
