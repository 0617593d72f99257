//! A fixed order instead of sureness, as CCN+ has it: for comparison, and where some classes are the
//! authority.
//!
//! Classes are eliminated from the last to the first: every clause with the class is resolved with
//! every clause with its negation (directional resolution). What is left for a class is a set of
//! clauses over earlier classes, which bound its margin from below and from above; class by class,
//! margins are moved into their bounds. If the bounds cross, they are swapped: the signs never do,
//! because the resolvents hold for the earlier classes. A bound is a minimum of margins or their
//! negations, so every value is still ± one margin.

use super::implicates::{all_clauses, is_inside, resolve};
use crate::delegate::Delegate;
use crate::flat::Flat;
use crate::label::LabelId;
use crate::margin::Margin;
use crate::requirement::Requirement;
use crate::rule::Rule;

/// The maximum number of clauses, and of comparisons between them.
const CLAUSES: usize = 200_000;
const COMPARISONS: usize = 300_000_000;

/// Settling in a fixed order takes more clauses than is reasonable.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "settling in a fixed order takes more than {most} clauses, or too long to find them; settle by sureness, or list classes in another order"
)]
pub struct OrderedTooLarge {
    /// The maximum number of clauses.
    pub most: usize,
}

/// The bounds of every class, in the order in which they are settled.
#[derive(Clone, Debug)]
pub(crate) struct Ordered {
    order: Vec<u32>,
    /// For each literal, the numbers of the bodies from which it follows.
    heads: Flat<u32>,
    bodies: Flat<u32>,
}

#[derive(Clone, Copy)]
struct Bound<F> {
    value: F,
    delegate: Delegate,
}

impl Ordered {
    /// Compiles rules and requirements; the preferred classes come first, then all others as listed.
    pub fn new(
        classes: usize,
        rules: &[Rule],
        requirements: &[Requirement],
        preferred: &[LabelId],
    ) -> Result<Self, OrderedTooLarge> {
        let too_large = OrderedTooLarge { most: CLAUSES };
        let mut budget = COMPARISONS;
        let mut left = all_clauses(rules, requirements, CLAUSES).ok_or(too_large.clone())?;
        let mut order: Vec<u32> = preferred.iter().map(|class| class.index() as u32).collect();
        order.extend(
            (0..classes as u32).filter(|&class| !preferred.contains(&LabelId::new(class as usize))),
        );
        let (mut heads, mut bodies) = (Vec::new(), Vec::new());
        let mut count = 0u32;
        let mut fix = |head: u32, clause: &[u32]| {
            heads.push((head, count));
            let body = clause.iter().filter(|&&literal| literal != head);
            bodies.extend(body.map(|&literal| (count, literal ^ 1)));
            count += 1;
        };
        left.sort_unstable();
        left.dedup();
        // As CCN+ has it, the clauses of the last class are those that were written.
        let mut is_compact = false;
        for &class in order.iter().rev() {
            let (affirming, rest): (Vec<_>, Vec<_>) =
                left.into_iter().partition(|clause| clause.binary_search(&(class << 1)).is_ok());
            let (denying, mut rest): (Vec<_>, Vec<_>) = rest
                .into_iter()
                .partition(|clause| clause.binary_search(&(class << 1 | 1)).is_ok());
            affirming.iter().for_each(|clause| fix(class << 1, clause));
            denying.iter().for_each(|clause| fix(class << 1 | 1, clause));
            let is_last = !std::mem::replace(&mut is_compact, true);
            let before = rest.len();
            for one in &affirming {
                for other in &denying {
                    rest.extend(resolve(one, other, class));
                    if rest.len() > CLAUSES {
                        return Err(too_large);
                    }
                }
            }
            left = match rest.len() == before && !is_last {
                true => rest,
                false => compacted(rest, &mut budget).ok_or(too_large.clone())?,
            };
        }
        Ok(Self {
            order,
            heads: Flat::new(2 * classes, heads),
            bodies: Flat::new(count as usize, bodies),
        })
    }

    /// Settles one row of margins in place; `delegates` of the same row, or empty.
    pub fn settle<F: Margin>(&self, values: &mut [F], delegates: &mut [Delegate]) {
        for &class in &self.order {
            let at = class as usize;
            let mut lower = self.strongest(class << 1, values, delegates);
            let mut upper = self
                .strongest(class << 1 | 1, values, delegates)
                .map(|bound| Bound { value: -bound.value, delegate: bound.delegate.flip(true) });
            if let (Some(low), Some(high)) = (lower, upper)
                && low.value > high.value
            {
                (lower, upper) = (upper, lower);
            }
            let mut moved = None;
            if let Some(bound) = upper.filter(|bound| values[at] > bound.value) {
                moved = Some(bound);
            }
            let now = moved.map_or(values[at], |bound| bound.value);
            if let Some(bound) = lower.filter(|bound| now < bound.value) {
                moved = Some(bound);
            }
            if let Some(bound) = moved {
                values[at] = bound.value;
                if let Some(delegate) = delegates.get_mut(at) {
                    *delegate = bound.delegate;
                }
            }
        }
    }

    /// The largest of the smallest literals of the bodies of a head.
    fn strongest<F: Margin>(
        &self,
        head: u32,
        values: &[F],
        delegates: &[Delegate],
    ) -> Option<Bound<F>> {
        let mut best: Option<Bound<F>> = None;
        for &body in self.heads.list(head) {
            let mut least = Bound { value: F::TRUE, delegate: Delegate::of_fact(head >> 1) };
            for &literal in self.bodies.list(body) {
                let (class, negated) = (literal as usize >> 1, literal & 1 == 1);
                let value = if negated { -values[class] } else { values[class] };
                if value < least.value {
                    let delegate = delegates.get(class).copied().unwrap_or_default().flip(negated);
                    least = Bound { value, delegate };
                }
            }
            if best.is_none_or(|best| least.value > best.value) {
                best = Some(least);
            }
        }
        best
    }
}

/// The clauses without those that contain another one.
fn compacted(mut clauses: Vec<Vec<u32>>, budget: &mut usize) -> Option<Vec<Vec<u32>>> {
    clauses.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    clauses.dedup();
    let classes = clauses.iter().flatten().max().map_or(0, |&literal| literal as usize + 1);
    // Kept clauses wait under their first literal.
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); classes];
    let mut kept: Vec<Vec<u32>> = Vec::with_capacity(clauses.len());
    for clause in clauses {
        let mut is_covered = false;
        for &literal in &clause {
            let others = &waiting[literal as usize];
            *budget = budget.checked_sub(others.len())?;
            is_covered |= others.iter().any(|&other| is_inside(&kept[other], &clause));
            if is_covered {
                break;
            }
        }
        if !is_covered {
            if let Some(&first) = clause.first() {
                waiting[first as usize].push(kept.len());
            }
            kept.push(clause);
        }
    }
    Some(kept)
}
