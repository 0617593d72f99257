//! The memory of the sparse layer for one caller.

use super::marks::Marks;
use super::plan::SparsePlan;
use super::required::WholeRow;
use crate::delegate::Delegate;
use crate::label::LabelId;
use crate::layer::{CycleSpace, Reading};
use crate::margin::Margin;

/// A class of a row, with its coherent margin and what decided it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SparseMargin<F> {
    /// The class.
    pub label: LabelId,
    /// Its coherent margin, above −∞.
    pub value: F,
    /// What decided it.
    pub delegate: Delegate,
}

/// What a class has in the present row. Everything is of the past unless the stamp is the row's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touched<F> {
    pub value: F,
    pub delegate: Delegate,
    /// The rule that gave the value, plus 1; 0 for the class itself. Ties go to the lowest.
    pub rule: u32,
    pub stamp: u32,
}

/// The memory of the sparse layer for one caller: some bytes per class and rule, stamped with the number of
/// the row and never cleared. After the first rows the layer allocates nothing.
#[derive(Debug)]
pub struct SparseWorkspace<F> {
    pub(super) touched: Vec<Touched<F>>,
    /// For each rule the stamp, and how many of its blockers have changed.
    pub(super) unblocked: Vec<(u32, u32)>,
    /// For each slot the stamp, and the first rule without blockers left; then the next of each rule.
    pub(super) ready: Vec<(u32, u32)>,
    pub(super) next_ready: Vec<u32>,
    /// Slots to be looked at.
    pub(super) open: Marks,
    /// Classes above −∞.
    pub(super) listed: Marks,
    pub(super) stamp: u32,
    pub(super) cycles: CycleSpace<F>,
    pub(super) result: Vec<SparseMargin<F>>,
    /// Where there are requirements.
    pub(super) whole: Option<WholeRow<F>>,
}

impl<F: Margin> SparseWorkspace<F> {
    pub(super) fn new(plan: &SparsePlan, whole: Option<WholeRow<F>>) -> Self {
        let classes = plan.nodes.len();
        let of_rules = if plan.is_plain { 0 } else { classes };
        let never = Touched { value: F::FALSE, delegate: Delegate::default(), rule: 0, stamp: 0 };
        Self {
            touched: vec![never; classes],
            unblocked: vec![(0, 0); plan.rules.len()],
            ready: vec![(0, 0); of_rules],
            next_ready: vec![0; plan.rules.len()],
            open: Marks::new(classes),
            listed: Marks::new(classes),
            stamp: 0,
            cycles: CycleSpace::for_cycles(&plan.cycles),
            result: Vec::new(),
            whole,
        }
    }

    /// Starts a row.
    pub(super) fn start(&mut self) {
        self.result.clear();
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.touched.iter_mut().for_each(|touched| touched.stamp = 0);
            self.unblocked.fill((0, 0));
            self.ready.fill((0, 0));
            self.stamp = 1;
        }
    }

    /// Gives up a row: nothing of it is left over.
    pub(super) fn abandon(&mut self) {
        self.open.take_all(|_| ());
    }

    pub(super) fn is_touched(&self, slot: u32) -> bool {
        self.touched[slot as usize].stamp == self.stamp
    }

    /// The class as it is by itself, if it is not listed: −∞.
    #[inline(always)]
    pub(super) fn touch(&mut self, plan: &SparsePlan, slot: u32) -> &mut Touched<F> {
        let touched = &mut self.touched[slot as usize];
        if touched.stamp != self.stamp {
            let delegate = Delegate::own(plan.label(slot));
            *touched = Touched { value: F::FALSE, delegate, rule: 0, stamp: self.stamp };
        }
        touched
    }

    /// What a slot has now, or in the base if nothing of this row reaches it.
    #[inline(always)]
    pub(super) fn reading(&self, plan: &SparsePlan, slot: u32) -> Reading<F> {
        let touched = &self.touched[slot as usize];
        if touched.stamp == self.stamp {
            return Reading { value: touched.value, delegate: touched.delegate };
        }
        let (holds, delegate) = plan.base[slot as usize];
        Reading { value: if holds { F::TRUE } else { F::FALSE }, delegate }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Program, SparseLayer};

    #[test]
    fn rows_past_the_last_stamp_are_like_the_first() {
        let program: Program = "a, b -> c\nc -> d\nnot a -> e".parse().unwrap();
        let layer = SparseLayer::new(&program).unwrap();
        let [a, b] = [0, 1].map(LabelId::new);
        let mut workspace = layer.workspace();
        let expected = layer.forward([(a, 1.0), (b, 2.0)], &mut workspace).unwrap().to_vec();
        workspace.stamp = u32::MAX - 1;
        for row in [&[(a, 1.0), (b, 2.0)][..], &[(b, 3.0)], &[(a, 1.0)], &[(a, 1.0), (b, 2.0)]] {
            let found = layer.forward(row.iter().copied(), &mut workspace).unwrap();
            assert_eq!(found == expected, row.len() == 2);
        }
        assert_eq!(workspace.stamp, 3);
    }
}
