//! The loss of a few rows at a time, class by class.
//!
//! Where the labels break no rule, one channel is enough: a literal has a part
//! in a rule iff its truth is that of the rule's head. If the head is affirmed,
//! a false literal kills the rule (CM⁺); if it is denied, a true one is taken
//! for granted (CM⁻). A denied head whose whole body is granted is a broken
//! rule: those rows are done again with both channels, one by one.

use super::broken::Channels;
use super::{Output, Part};
use crate::delegate::Delegate;
use crate::layer::{CycleSpace, Plan, Reading, Step, View, lanes, set_lanes, turn_in, turn_out};
use crate::margin::{Margin, Real};

/// All bits set: the truth of an affirmed class.
const AFFIRMED: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(super) struct LossTile<F> {
    values: Vec<F>,
    who: Vec<u32>,
    truth: Vec<u32>,
    gradient: Vec<F>,
    cycle: CycleSpace<F>,
    channels: Channels<F>,
}

impl<F: Margin> LossTile<F> {
    pub fn new(plan: &Plan) -> Self {
        Self {
            values: Vec::new(),
            who: Vec::new(),
            truth: Vec::new(),
            gradient: Vec::new(),
            cycle: CycleSpace::for_cycles(&plan.cycles),
            channels: Channels::default(),
        }
    }

    pub fn reserve(&mut self, plan: &Plan, lanes: usize) {
        let size = plan.classes * lanes;
        self.values.resize(size, F::default());
        self.who.resize(size, 0);
        self.truth.resize(size, 0);
        self.gradient.resize(size, F::default());
    }
}

/// Runs the rows of a part; whether there was a NaN.
#[inline(always)]
pub(super) fn run_rows<F: Real, const LANES: usize>(
    plan: &Plan,
    evaluated: &[bool],
    mut part: Part<'_, F>,
    scale: f64,
    tile: &mut LossTile<F>,
) -> bool {
    let classes = plan.classes;
    let mut bad = false;
    for (index, rows) in part.rows.chunks_mut(LANES).enumerate() {
        let start = index * LANES * classes;
        let at = start..start + rows.len() * classes;
        let (logits, labels) = (&part.logits[at.clone()], &part.labels[at.clone()]);
        bad |= turn_in::<F, F, LANES>(logits, classes, &mut tile.values, |v| v, F::is_nan);
        let mask = |label| if label { AFFIRMED } else { 0 };
        turn_in::<bool, u32, LANES>(labels, classes, &mut tile.truth, mask, |_| false);
        raise::<F, LANES>(plan, tile);
        mend_broken::<F, LANES>(plan, logits, labels, rows, tile);
        let losses = gather::<F, LANES>(evaluated, tile);
        for (row, loss) in rows.iter_mut().zip(losses) {
            row.0 = loss;
        }
        match &mut part.output {
            Output::Gradient(gradient) => {
                let scale = F::from_f64(scale);
                turn_out::<F, F, LANES>(&tile.gradient, classes, &mut gradient[at], |g| {
                    g.times(scale)
                });
            }
            Output::Selection(selected, delegates) => {
                turn_out::<F, F, LANES>(&tile.values, classes, &mut selected[at.clone()], |v| v);
                turn_out::<u32, Delegate, LANES>(
                    &tile.who,
                    classes,
                    &mut delegates[at],
                    Delegate::from_code,
                );
            }
        }
    }
    bad
}

/// Raises the values of a tile to CM⁺ or CM⁻, and keeps who decided.
#[inline(always)]
fn raise<F: Margin, const LANES: usize>(plan: &Plan, tile: &mut LossTile<F>) {
    for class in 0..plan.classes as u32 {
        set_lanes(&mut tile.who, class, &[class << 1; LANES]);
    }
    for &step in &plan.steps {
        match step {
            Step::Cycle(cycle) => solve_lanes::<F, LANES>(plan, cycle, tile),
            Step::Class { head, start, end } => {
                let mut best: [F; LANES] = lanes(&tile.values, head);
                let mut best_who: [u32; LANES] = lanes(&tile.who, head);
                let truth: [u32; LANES] = lanes(&tile.truth, head);
                // What a literal is worth that has no part in a rule of this head.
                let apart = truth.map(|truth| if truth == 0 { F::TRUE } else { F::FALSE });
                for body in plan.bodies(start, end) {
                    let (mut least, mut who) = ([F::TRUE; LANES], [Delegate::TRUE.code(); LANES]);
                    for &code in body {
                        let next: [F; LANES] = lanes(&tile.values, code >> 1);
                        let next_who: [u32; LANES] = lanes(&tile.who, code >> 1);
                        let next_truth: [u32; LANES] = lanes(&tile.truth, code >> 1);
                        let negated = code & 1 == 1;
                        let flip = if negated { AFFIRMED } else { 0 };
                        for lane in 0..LANES {
                            let value = if negated { -next[lane] } else { next[lane] };
                            let takes_part = (next_truth[lane] ^ flip) == truth[lane];
                            let value = if takes_part { value } else { apart[lane] };
                            let smaller = value < least[lane];
                            least[lane] = if smaller { value } else { least[lane] };
                            who[lane] =
                                if smaller { next_who[lane] ^ (code & 1) } else { who[lane] };
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

/// Rows in which a denied class is demanded by the labels themselves: once
/// more, with both channels.
#[inline(always)]
fn mend_broken<F: Margin, const LANES: usize>(
    plan: &Plan,
    logits: &[F],
    labels: &[bool],
    rows: &mut [(f64, bool)],
    tile: &mut LossTile<F>,
) {
    let mut broken = [0u32; LANES];
    for (who, truth) in tile.who.chunks_exact(LANES).zip(tile.truth.chunks_exact(LANES)) {
        for lane in 0..LANES {
            broken[lane] |= u32::from(who[lane] == Delegate::TRUE.code()) & !truth[lane];
        }
    }
    for (lane, row) in rows.iter_mut().enumerate() {
        row.1 = broken[lane] != 0;
        if row.1 {
            let at = lane * plan.classes..(lane + 1) * plan.classes;
            let (logits, labels) = (&logits[at.clone()], &labels[at]);
            tile.channels.evaluate(plan, logits, labels, &mut tile.cycle);
            for class in 0..plan.classes {
                let reading = tile.channels.selected(class, logits, labels);
                tile.values[class * LANES + lane] = reading.value;
                tile.who[class * LANES + lane] = reading.delegate.code();
            }
        }
    }
}

/// The loss of every lane; the gradient is scattered to the delegates.
#[inline(always)]
fn gather<F: Real, const LANES: usize>(evaluated: &[bool], tile: &mut LossTile<F>) -> [f64; LANES] {
    let mut losses = [0.0; LANES];
    tile.gradient.fill(F::default());
    for (class, _) in evaluated.iter().enumerate().filter(|(_, evaluated)| **evaluated) {
        let values: [F; LANES] = lanes(&tile.values, class as u32);
        let who: [u32; LANES] = lanes(&tile.who, class as u32);
        let truth: [u32; LANES] = lanes(&tile.truth, class as u32);
        let mut terms = [(F::default(), F::default()); LANES];
        for lane in 0..LANES {
            let affirmed = truth[lane] != 0;
            let (loss, pull) =
                (if affirmed { -values[lane] } else { values[lane] }).softplus_sigmoid();
            // σ(s) − 1 is −σ(−s).
            terms[lane] = (loss, if affirmed { -pull } else { pull });
        }
        for lane in 0..LANES {
            losses[lane] += terms[lane].0.to_f64();
            if who[lane] < Delegate::TRUE.code() {
                let pull = terms[lane].1;
                let place = &mut tile.gradient[(who[lane] >> 1) as usize * LANES + lane];
                *place = place.plus(if who[lane] & 1 == 1 { -pull } else { pull });
            }
        }
    }
    losses
}

/// A cycle, lane by lane.
#[inline(never)]
fn solve_lanes<F: Margin, const LANES: usize>(plan: &Plan, cycle: u32, tile: &mut LossTile<F>) {
    for lane in 0..LANES {
        let mut view = Lane::<F, LANES> {
            values: &mut tile.values,
            who: &mut tile.who,
            truth: &tile.truth,
            lane,
        };
        plan.cycles[cycle as usize].solve(&mut view, &mut tile.cycle);
    }
}

/// One lane of a tile.
struct Lane<'a, F, const LANES: usize> {
    values: &'a mut [F],
    who: &'a mut [u32],
    truth: &'a [u32],
    lane: usize,
}

impl<F: Margin, const LANES: usize> Lane<'_, F, LANES> {
    fn at(&self, label: u32) -> usize {
        label as usize * LANES + self.lane
    }

    fn affirmed(&self, label: u32) -> bool {
        self.truth[self.at(label)] != 0
    }
}

impl<F: Margin, const LANES: usize> View<F> for Lane<'_, F, LANES> {
    fn own(&self, label: u32) -> Reading<F> {
        let at = self.at(label);
        Reading { value: self.values[at], delegate: Delegate::from_code(self.who[at]) }
    }

    fn literal(&self, head: u32, code: u32) -> Reading<F> {
        if self.waits(head, code) {
            self.own(code >> 1).flip(code & 1 == 1)
        } else {
            Reading::constant(!self.affirmed(head))
        }
    }

    fn waits(&self, head: u32, code: u32) -> bool {
        (self.affirmed(code >> 1) != (code & 1 == 1)) == self.affirmed(head)
    }

    fn settle(&mut self, label: u32, reading: Reading<F>, _place: usize) {
        let at = self.at(label);
        self.values[at] = reading.value;
        self.who[at] = reading.delegate.code();
    }
}
