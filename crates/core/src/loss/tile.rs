//! The loss of a few rows at a time, class by class.
//!
//! Where the labels break no rule, one channel is enough: a literal has a part
//! in a rule iff its truth is that of the rule's head. If the head is affirmed,
//! a false literal kills the rule (CM⁺); if it is denied, a true one is taken
//! for granted (CM⁻). A denied head whose whole body is granted is a broken
//! rule: those rows are done again with both channels, one by one.
//!
//! What is granted is a constant, and larger than any logit: an infinite one is the largest number until it is
//! selected.

use super::batch::{Output, Part};
use super::broken::{Channels, finite};
use crate::delegate::Delegate;
use crate::layer::{
    Aligned, CpuPlan, CycleSpace, Reading, Step, View, lanes, lanes_mut, literal, take_larger,
    take_smaller, transpose_in, transpose_out,
};
use crate::margin::{FloatMargin, Margin};
use pulp::NullaryFnOnce;

/// All bits set: the truth of an affirmed class.
const AFFIRMED: u32 = u32::MAX;

#[derive(Debug)]
pub(super) struct LossTile<F> {
    values: Aligned<F>,
    who: Aligned<u32>,
    truth: Aligned<u32>,
    gradient: Aligned<F>,
    /// Empty unless terms have weights.
    weights: Aligned<F>,
    cycle: CycleSpace<F>,
    channels: Channels<F>,
}

impl<F: Margin> LossTile<F> {
    pub fn new(plan: &CpuPlan) -> Self {
        Self {
            values: Aligned::new(),
            who: Aligned::new(),
            truth: Aligned::new(),
            gradient: Aligned::new(),
            weights: Aligned::new(),
            cycle: CycleSpace::for_cycles(&plan.cycles),
            channels: Channels::default(),
        }
    }

    pub fn reserve(&mut self, plan: &CpuPlan, lanes: usize) {
        let size = plan.classes * lanes;
        self.values.resize(size);
        self.who.resize(size);
        self.truth.resize(size);
        self.gradient.resize(size);
    }
}

/// The rows of a part. A type and not a closure: only its `call` is surely
/// inlined into the function that has the vector instructions.
pub(super) struct Rows<'a, F, const LANES: usize> {
    pub plan: &'a CpuPlan,
    pub evaluated: &'a [bool],
    pub part: Part<'a, F>,
    pub scale: f64,
    pub tile: &'a mut LossTile<F>,
}

impl<F: FloatMargin, const LANES: usize> NullaryFnOnce for Rows<'_, F, LANES> {
    /// Whether there was a NaN.
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let Self { plan, evaluated, mut part, scale, tile } = self;
        let classes = plan.classes;
        let mut bad = false;
        for (index, rows) in part.rows.chunks_mut(LANES).enumerate() {
            let start = index * LANES * classes;
            let at = start..start + rows.len() * classes;
            let (logits, labels) = (&part.logits[at.clone()], &part.labels[at.clone()]);
            let is_odd =
                transpose_in::<F, F, LANES>(logits, classes, &mut tile.values, finite, is_odd);
            bad |= is_odd && logits.iter().any(|logit| logit.is_nan());
            let mask = |label| if label { AFFIRMED } else { 0 };
            transpose_in::<bool, u32, LANES>(labels, classes, &mut tile.truth, mask, |_| false);
            raise::<F, LANES>(plan, tile);
            mend_broken::<F, LANES>(plan, logits, labels, rows, tile);
            if is_odd {
                restore_infinite::<F, LANES>(classes, logits, tile);
            }
            if let Some(weights) = part.weights {
                tile.weights.resize(classes * LANES);
                let weights = &weights[at.clone()];
                let widen = |weight: f32| F::from_f64(weight.into());
                transpose_in::<f32, F, LANES>(
                    weights,
                    classes,
                    &mut tile.weights,
                    widen,
                    f32::is_nan,
                );
            }
            let losses = gather::<F, LANES>(evaluated, tile, part.weights.is_some());
            for (row, loss) in rows.iter_mut().zip(losses) {
                row.0 = loss;
            }
            match &mut part.output {
                Output::Gradient(gradient) => {
                    let (scale, gradient) = (F::from_f64(scale), &mut gradient[at]);
                    transpose_out::<F, F, LANES>(&tile.gradient, classes, gradient, |g| {
                        g.times(scale)
                    });
                }
                Output::Selection(selected, delegates) => {
                    let (selected, delegates) = (&mut selected[at.clone()], &mut delegates[at]);
                    transpose_out::<F, F, LANES>(&tile.values, classes, selected, |value| value);
                    let named = Delegate::from_code;
                    transpose_out::<u32, Delegate, LANES>(&tile.who, classes, delegates, named);
                }
            }
        }
        bad
    }
}

/// Raises the values of a tile to CM⁺ or CM⁻, and records the delegates.
#[inline(always)]
fn raise<F: Margin, const LANES: usize>(plan: &CpuPlan, tile: &mut LossTile<F>) {
    for class in 0..plan.classes as u32 {
        *lanes_mut(&mut tile.who, class) = [class << 1; LANES];
    }
    for &step in &plan.steps {
        match step {
            Step::Cycle(cycle) => solve_lanes::<F, LANES>(plan, cycle, tile),
            Step::Edges { start, end } => {
                for at in (start as usize..end as usize).step_by(2) {
                    let (head, code) = (plan.stream[at], plan.stream[at + 1]);
                    let truth: &[u32; LANES] = lanes(&tile.truth, head);
                    let next_truth: &[u32; LANES] = lanes(&tile.truth, code >> 1);
                    let mut next: [F; LANES] = literal(&tile.values, code);
                    let mut next_who: [u32; LANES] = *lanes(&tile.who, code >> 1);
                    let flip = if code & 1 == 1 { AFFIRMED } else { 0 };
                    for lane in 0..LANES {
                        // Granted, the literal is the constant; false, it is nothing.
                        let takes_part = (next_truth[lane] ^ flip) == truth[lane];
                        let apart = if truth[lane] == 0 { F::TRUE } else { F::FALSE };
                        next[lane] = if takes_part { next[lane] } else { apart };
                    }
                    for lane in 0..LANES {
                        let takes_part = (next_truth[lane] ^ flip) == truth[lane];
                        let who = next_who[lane] ^ (code & 1);
                        next_who[lane] = if takes_part { who } else { Delegate::TRUE.code() };
                    }
                    let best = lanes_mut(&mut tile.values, head);
                    take_larger(best, lanes_mut(&mut tile.who, head), &next, &next_who);
                }
            }
            Step::Class { head, start, end } => {
                let mut best: [F; LANES] = *lanes(&tile.values, head);
                let mut best_who: [u32; LANES] = *lanes(&tile.who, head);
                let truth: [u32; LANES] = *lanes(&tile.truth, head);
                // The value of a literal that has no part in a rule of this head.
                let mut apart = [F::TRUE; LANES];
                for lane in 0..LANES {
                    apart[lane] = if truth[lane] == 0 { F::TRUE } else { F::FALSE };
                }
                let mut at = start as usize;
                while at < end as usize {
                    let body = plan.body(&mut at);
                    let mut least = [F::TRUE; LANES];
                    let mut least_who = [Delegate::TRUE.code(); LANES];
                    for &code in body {
                        let mut next: [F; LANES] = literal(&tile.values, code);
                        let next_who: &[u32; LANES] = lanes(&tile.who, code >> 1);
                        let next_truth: &[u32; LANES] = lanes(&tile.truth, code >> 1);
                        let flip = if code & 1 == 1 { AFFIRMED } else { 0 };
                        for lane in 0..LANES {
                            let takes_part = (next_truth[lane] ^ flip) == truth[lane];
                            next[lane] = if takes_part { next[lane] } else { apart[lane] };
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

/// Rows in which a denied class is demanded by the labels themselves: once
/// more, with both channels.
#[inline(always)]
fn mend_broken<F: FloatMargin, const LANES: usize>(
    plan: &CpuPlan,
    logits: &[F],
    labels: &[bool],
    rows: &mut [(f64, bool)],
    tile: &mut LossTile<F>,
) {
    let mut broken = [0u32; LANES];
    for (who, truth) in tile.who.chunks_exact(LANES).zip(tile.truth.chunks_exact(LANES)) {
        for lane in 0..LANES {
            broken[lane] |= u32::from(who[lane] >= Delegate::CONSTANT) & !truth[lane];
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

/// Whether a logit is infinite or NaN.
#[inline(always)]
fn is_odd<F: FloatMargin>(logit: F) -> bool {
    !(logit <= F::LARGEST && logit >= -F::LARGEST)
}

/// Takes every value from its delegate once more, infinite or not.
#[inline(never)]
fn restore_infinite<F: FloatMargin, const LANES: usize>(
    classes: usize,
    logits: &[F],
    tile: &mut LossTile<F>,
) {
    for (lane, logits) in logits.chunks(classes).enumerate() {
        for class in 0..classes {
            let at = class * LANES + lane;
            if let Some(literal) = Delegate::from_code(tile.who[at]).literal() {
                let logit = logits[literal.label().index()];
                tile.values[at] = if literal.is_negated() { -logit } else { logit };
            }
        }
    }
}

/// The number of classes whose exponentials are computed at a time: a loop long enough
/// to be vector code, in the first-level cache.
const BLOCK: usize = 32;

/// The loss of every lane; the gradient is scattered to the delegates.
#[inline(always)]
fn gather<F: FloatMargin, const LANES: usize>(
    evaluated: &[bool],
    tile: &mut LossTile<F>,
    weighted: bool,
) -> [f64; LANES] {
    let mut losses = [0.0; LANES];
    tile.gradient.fill(F::default());
    let (mut terms, mut pulls) = ([[F::default(); LANES]; BLOCK], [[F::default(); LANES]; BLOCK]);
    for (block, evaluated) in evaluated.chunks(BLOCK).enumerate() {
        let size = evaluated.len() * LANES;
        let at = block * BLOCK * LANES..block * BLOCK * LANES + size;
        let (values, truth) = (&tile.values[at.clone()], &tile.truth[at.clone()]);
        let weights = if weighted { &tile.weights[at.clone()] } else { &[] };
        let (who, terms) = (&tile.who[at], &mut terms.as_flattened_mut()[..size]);
        let pulls = &mut pulls.as_flattened_mut()[..size];
        for at in 0..size {
            let affirmed = truth[at] != 0;
            let s = if affirmed { -values[at] } else { values[at] };
            (terms[at], pulls[at]) = s.softplus_sigmoid();
        }
        for at in 0..weights.len() {
            // Without a weight there is no term, not even an infinite one.
            let none = weights[at] == F::default();
            terms[at] = if none { F::default() } else { terms[at].times(weights[at]) };
            pulls[at] = if none { F::default() } else { pulls[at].times(weights[at]) };
        }
        // σ(s) − 1 is −σ(−s), and a negated delegate takes the opposite.
        for at in 0..size {
            let back = (truth[at] & 1) != (who[at] & 1);
            pulls[at] = if back { -pulls[at] } else { pulls[at] };
        }
        let lanes =
            terms.chunks_exact(LANES).zip(pulls.chunks_exact(LANES)).zip(who.chunks_exact(LANES));
        for (((terms, pulls), who), _) in lanes.zip(evaluated).filter(|(_, evaluated)| **evaluated)
        {
            for lane in 0..LANES {
                losses[lane] += terms[lane].to_f64();
            }
            for lane in 0..LANES {
                if who[lane] < Delegate::CONSTANT {
                    let place = &mut tile.gradient[(who[lane] >> 1) as usize * LANES + lane];
                    *place = place.plus(pulls[lane]);
                }
            }
        }
    }
    losses
}

/// A cycle, lane by lane.
#[inline(never)]
fn solve_lanes<F: Margin, const LANES: usize>(plan: &CpuPlan, cycle: u32, tile: &mut LossTile<F>) {
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
