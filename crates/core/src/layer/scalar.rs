//! One example at a time: the evaluation as the definitions read.
//!
//! A [`View`] gives the value of a literal in the rules of a head; the order
//! of the classes and the choice of rules are the same for all views. The
//! tiles use it for cycles, the loss for examples whose labels break a rule,
//! and the derivations for explanations.

use super::cycle::CycleSpace;
use super::plan::{CpuPlan, Step};
use crate::delegate::Delegate;
use crate::margin::Margin;

/// A value and where it comes from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Reading<F> {
    pub value: F,
    pub delegate: Delegate,
}

impl<F: Margin> Reading<F> {
    /// The constant that always holds, or never.
    pub fn constant(holds: bool) -> Self {
        Self {
            value: if holds { F::TRUE } else { F::FALSE },
            delegate: Delegate::TRUE.flip(!holds),
        }
    }

    /// The reading of the negated literal, if `negated`.
    pub fn flip(self, negated: bool) -> Self {
        Self {
            value: if negated { -self.value } else { self.value },
            delegate: self.delegate.flip(negated),
        }
    }
}

/// The values of one example, as the rules of each head see them.
pub(crate) trait View<F: Margin> {
    /// The value of the class by itself, before any rule.
    fn own(&self, label: u32) -> Reading<F>;

    /// The value of the literal in a rule of `head`; its class is settled.
    fn literal(&self, head: u32, code: u32) -> Reading<F>;

    /// Whether a rule of `head` has to wait for this literal of its own
    /// component: not if its value there is a constant.
    fn waits(&self, _head: u32, _code: u32) -> bool {
        true
    }

    /// The class gets its value from its rule at `place`, in the order written
    /// and without the rules that support themselves.
    fn settle(&mut self, label: u32, reading: Reading<F>, place: usize);
}

/// Settles the classes of one step, where a rule raises them.
pub(crate) fn evaluate<F: Margin>(
    plan: &CpuPlan,
    step: Step,
    view: &mut impl View<F>,
    space: &mut CycleSpace<F>,
) {
    match step {
        Step::Cycle(cycle) => plan.cycles[cycle as usize].solve(view, space),
        Step::Edges { start, end } => {
            let edges = &plan.stream[start as usize..end as usize];
            let mut place = 0;
            for (index, edge) in edges.chunks_exact(2).enumerate() {
                let same_head = index > 0 && edges[2 * index - 2] == edge[0];
                place = if same_head { place + 1 } else { 0 };
                let reading = view.literal(edge[0], edge[1]);
                if reading.value > view.own(edge[0]).value {
                    view.settle(edge[0], reading, place);
                }
            }
        }
        Step::Class { head, start, end } => {
            let mut best = view.own(head);
            let mut place = None;
            let (mut at, mut index) = (start as usize, 0);
            while at < end as usize {
                let least = least(view, head, plan.body(&mut at));
                if least.value > best.value {
                    best = least;
                    place = Some(index);
                }
                index += 1;
            }
            if let Some(place) = place {
                view.settle(head, best, place);
            }
        }
    }
}

/// The smallest literal of a body, the first of them if there are several.
fn least<F: Margin>(view: &impl View<F>, head: u32, body: &[u32]) -> Reading<F> {
    let Some((&first, rest)) = body.split_first() else {
        return Reading { value: F::TRUE, delegate: Delegate::of_fact(head) };
    };
    let mut least = view.literal(head, first);
    for &code in rest {
        let reading = view.literal(head, code);
        if reading.value < least.value {
            least = reading;
        }
    }
    least
}
