//! Rows whose labels break a rule: both channels, as they are defined.
//!
//! P is the value of a class if it is affirmed, M if it is denied:
//!
//! ```text
//! leaf:  P_A = h_A·y_A        M_A = h_A·(1−y_A) + y_A
//! rule:  P_A ← max(P_A, min( P_B [if B is in A's stratum or y_B=1, else 0], (1−M_B) [if y_B=0, else 0] for not B ))
//!        M_A ← max(M_A, min( M_B [if B is in A's stratum or y_B=0, else 1], (1−P_B) [if y_B=1, else 1] for not B ))
//! ```
//!
//! M of a denied class is the constant 1 where the labels themselves imply the
//! class by the rules; such a class falls back to its own logit.

use crate::delegate::Delegate;
use crate::layer::{CpuPlan, CycleSpace, Reading, View, evaluate};
use crate::margin::{FloatMargin, Margin};

/// A logit, or the largest finite number instead of an infinite one.
#[inline(always)]
pub(super) fn finite<F: FloatMargin>(logit: F) -> F {
    let logit = if logit > F::LARGEST { F::LARGEST } else { logit };
    if logit < -F::LARGEST { -F::LARGEST } else { logit }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Channels<F> {
    affirmed: Vec<Reading<F>>,
    denied: Vec<Reading<F>>,
}

impl<F: FloatMargin> Channels<F> {
    pub fn evaluate(
        &mut self,
        plan: &CpuPlan,
        logits: &[F],
        labels: &[bool],
        space: &mut CycleSpace<F>,
    ) {
        let own = |class: usize| Reading {
            value: finite(logits[class]),
            delegate: Delegate::from_code((class as u32) << 1),
        };
        let leaves = |truth: bool| {
            (0..labels.len()).map(move |class| {
                if labels[class] == truth { own(class) } else { Reading::constant(!truth) }
            })
        };
        self.affirmed.clear();
        self.affirmed.extend(leaves(true));
        self.denied.clear();
        self.denied.extend(leaves(false));
        for &step in &plan.steps {
            for truth in [true, false] {
                let mut view = Channel { plan, channels: self, labels, truth };
                evaluate(plan, step, &mut view, space);
            }
        }
    }

    /// The reading that the loss of a class uses.
    pub fn selected(&self, class: usize, logits: &[F], labels: &[bool]) -> Reading<F> {
        if labels[class] {
            return self.affirmed[class];
        }
        let denied = self.denied[class];
        if denied.delegate.literal().is_some() {
            return denied;
        }
        Reading { value: logits[class], delegate: Delegate::from_code((class as u32) << 1) }
    }
}

/// One of the two channels while it is computed.
struct Channel<'a, F> {
    plan: &'a CpuPlan,
    channels: &'a mut Channels<F>,
    labels: &'a [bool],
    truth: bool,
}

impl<F: Margin> Channel<'_, F> {
    fn of(&self, truth: bool, label: u32) -> Reading<F> {
        let channel = if truth { &self.channels.affirmed } else { &self.channels.denied };
        channel[label as usize]
    }
}

impl<F: Margin> View<F> for Channel<'_, F> {
    fn own(&self, label: u32) -> Reading<F> {
        self.of(self.truth, label)
    }

    fn literal(&self, head: u32, code: u32) -> Reading<F> {
        let (label, negated) = (code >> 1, code & 1 == 1);
        let stratum = &self.plan.stratum;
        let holds = self.labels[label as usize] != negated;
        let same_stratum = !negated && stratum[label as usize] == stratum[head as usize];
        if same_stratum || holds == self.truth {
            // Negation swaps the channels.
            self.of(self.truth != negated, label).flip(negated)
        } else {
            Reading::constant(!self.truth)
        }
    }

    fn settle(&mut self, label: u32, reading: Reading<F>, _place: usize) {
        let channel =
            if self.truth { &mut self.channels.affirmed } else { &mut self.channels.denied };
        channel[label as usize] = reading;
    }
}
