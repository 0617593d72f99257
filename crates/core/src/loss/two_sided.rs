//! The two-sided loss: what rules and requirements make of a row, for and against its labels.
//!
//! A requirement settles classes in both directions, so both count. Let v be the logits that the rules
//! select (CM⁺ where the labels affirm a class, CM⁻ where they deny it), s = ±1 the side of the labels,
//! and let a literal be right if the labels agree with it. Over the rules and requirements as clauses,
//!
//! ```text
//! S_A = max(  s_A·v_A, over clauses whose only right literal is A's: min of S_B over the others )
//! T_A = max( −s_A·v_A, over clauses with A's wrong literal: min of T_B over their right literals )
//! loss_A = softplus( −S_A ) if S_A ≥ T_A, else softplus( T_A )
//! ```
//!
//! S is how surely the others put A on its right side, T how surely on the wrong one: least fixpoints.
//! A group is a limit and never becomes clauses. Every term is the softplus of one logit, and its
//! gradient moves that logit towards its own label.
//!
//! What the labels of a row break says nothing about that row and is left out.

use super::batch::{LossTerms, Output, WORTH_A_THREAD};
use super::limits::Limits;
use super::sides::{NOTHING, Side, Sides};
use super::{ConstraintLoss, LossWorkspace};
use crate::delegate::Delegate;
use crate::margin::{FloatMargin, Margin};
use rayon::prelude::*;

/// The memory of one thread.
#[derive(Clone, Debug, Default)]
pub(super) struct RowSpace<F> {
    sides: Sides,
    order: Vec<u32>,
    right: Vec<u32>,
    wrong: Vec<u32>,
    values: Vec<F>,
    delegates: Vec<Delegate>,
}

/// What the rules select for the rows of a batch.
#[derive(Clone, Debug, Default)]
pub(super) struct Selected<F> {
    values: Vec<F>,
    delegates: Vec<Delegate>,
}

impl<F: Margin> RowSpace<F> {
    /// Replaces the values that the rules select, and their delegates, by those of the two sides.
    /// Returns whether the labels break a rule or requirement.
    fn settle(
        &mut self,
        limits: &Limits,
        labels: &[bool],
        values: &mut [F],
        delegates: &mut [Delegate],
    ) -> bool {
        let Self { sides, order, right, wrong, values: before, delegates: who } = self;
        before.clear();
        before.extend_from_slice(values);
        who.clear();
        who.extend_from_slice(delegates);
        let strength = |class: u32| {
            let value = before[class as usize];
            if labels[class as usize] { value } else { -value }
        };
        order.clear();
        order.extend(0..labels.len() as u32);
        order.sort_unstable_by(|&a, &b| {
            // NaN was refused before.
            let falling = strength(b).partial_cmp(&strength(a));
            falling.unwrap_or(std::cmp::Ordering::Equal).then(a.cmp(&b))
        });
        let is_broken = sides.count(limits, labels);
        sides.settle(Side::Right, limits, labels, order.iter().copied(), right);
        sides.settle(Side::Wrong, limits, labels, order.iter().rev().copied(), wrong);
        for class in 0..labels.len() {
            let (right, wrong) = (right[class], wrong[class]);
            if right == NOTHING {
                values[class] = if labels[class] { F::TRUE } else { F::FALSE };
                delegates[class] = Delegate::of_fact(class as u32).flip(!labels[class]);
                continue;
            }
            let is_right = strength(right) >= -strength(wrong);
            let by = if is_right { right } else { wrong } as usize;
            let flips = labels[by] != labels[class];
            values[class] = if flips { -before[by] } else { before[by] };
            delegates[class] = who[by].flip(flips);
        }
        is_broken
    }
}

impl ConstraintLoss {
    /// Runs all rows; returns whether there was a NaN.
    pub(super) fn run_two_sided<F: FloatMargin>(
        &self,
        limits: &Limits,
        terms: LossTerms<'_, F>,
        output: Output<'_, F>,
        workspace: &mut LossWorkspace<F>,
        scale: f64,
    ) -> bool {
        let LossTerms { logits, labels, weights } = terms;
        let mut selected = std::mem::take(&mut workspace.selected);
        selected.values.resize(logits.len(), F::default());
        selected.delegates.resize(logits.len(), Delegate::default());
        let Selected { values, delegates } = &mut selected;
        let by_rules = Output::Selection(values, delegates);
        let bad = self.run_tiles(LossTerms { weights: None, ..terms }, by_rules, workspace, scale);
        if !bad {
            self.settle_rows(limits, labels, &mut selected, workspace);
            match output {
                Output::Selection(values, delegates) => {
                    values.copy_from_slice(&selected.values);
                    delegates.copy_from_slice(&selected.delegates);
                }
                Output::Gradient(gradient) => {
                    let classes = self.plan.classes;
                    let rows = gradient.chunks_mut(classes).zip(&mut workspace.rows);
                    for (row, (gradient, sum)) in rows.enumerate() {
                        let at = row * classes..(row + 1) * classes;
                        let weights = weights.map(|weights| &weights[at.clone()]);
                        let (values, labels) = (&selected.values[at.clone()], &labels[at.clone()]);
                        let delegates = &selected.delegates[at];
                        sum.0 = self.scatter(values, delegates, labels, weights, gradient, scale);
                    }
                }
            }
        }
        workspace.selected = selected;
        bad
    }

    /// The two sides of every row, on several threads if that pays off.
    fn settle_rows<F: FloatMargin>(
        &self,
        limits: &Limits,
        labels: &[bool],
        selected: &mut Selected<F>,
        workspace: &mut LossWorkspace<F>,
    ) {
        let classes = self.plan.classes;
        let rows = workspace.rows.len();
        let worth = (rows * limits.cost() / WORTH_A_THREAD).max(1);
        let threads = workspace.tiles.len().min(rows).min(worth);
        if workspace.spaces.len() < threads {
            workspace.spaces.resize_with(threads, RowSpace::default);
        }
        let share = rows.div_ceil(threads);
        let some = |space: &mut RowSpace<F>,
                    labels: &[bool],
                    values: &mut [F],
                    delegates: &mut [Delegate],
                    rows: &mut [(f64, bool)]| {
            let parts = labels.chunks(classes).zip(values.chunks_mut(classes));
            let parts = parts.zip(delegates.chunks_mut(classes)).zip(rows);
            for (((labels, values), delegates), row) in parts {
                row.1 |= space.settle(limits, labels, values, delegates);
            }
        };
        let Selected { values, delegates } = selected;
        if let [space] = &mut workspace.spaces[..threads] {
            return some(space, labels, values, delegates, &mut workspace.rows);
        }
        let size = share * classes;
        labels
            .par_chunks(size)
            .zip(values.par_chunks_mut(size))
            .zip(delegates.par_chunks_mut(size))
            .zip(workspace.rows.par_chunks_mut(share))
            .zip(&mut workspace.spaces[..threads])
            .for_each(|((((labels, values), delegates), rows), space)| {
                some(space, labels, values, delegates, rows);
            });
    }

    /// The loss of one row; its gradient goes to the delegates.
    fn scatter<F: FloatMargin>(
        &self,
        values: &[F],
        delegates: &[Delegate],
        labels: &[bool],
        weights: Option<&[f32]>,
        gradient: &mut [F],
        scale: f64,
    ) -> f64 {
        let mut sum = 0.0;
        gradient.fill(F::default());
        for class in (0..values.len()).filter(|&class| self.evaluated[class]) {
            let value = values[class];
            let against = if labels[class] { -value } else { value };
            let (mut term, mut pull) = against.softplus_sigmoid();
            if let Some(weights) = weights {
                // Without a weight there is no term, not even an infinite one.
                if weights[class] == 0.0 {
                    continue;
                }
                let weight = F::from_f64(weights[class].into());
                (term, pull) = (term.times(weight), pull.times(weight));
            }
            sum += term.to_f64();
            if let Some(literal) = delegates[class].literal() {
                let back = labels[class] != literal.is_negated();
                let place = &mut gradient[literal.label().index()];
                *place = place.plus(if back { -pull } else { pull });
            }
        }
        let scale = F::from_f64(scale);
        gradient.iter_mut().for_each(|slope| *slope = slope.times(scale));
        sum
    }
}
