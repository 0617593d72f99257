//! Which classes of a coherent row are kept.

use std::cmp::Reverse;

use rulebound_core::{Program, ProgramKind, SparseLayer};

use super::applier::ListedScore;
use super::error::CutError;
use rulebound_io::scores::Scale;

/// Which classes of a coherent row are kept. What is kept breaks no rule: whoever reads the rest as impossible
/// has coherent rows still.
///
/// For a rule with the body B₁ … Bₙ and the head A let Bⱼ be the one that comes last in the order below. The
/// margin of A is at least the least of the body's, so at least that of Bⱼ:
///
/// - `above`: scores are ordered as margins are, since the thresholds are the same. If all Bᵢ are above, so is A.
/// - `top`: classes that hold by facts first, then by margin, then heads before bodies. If all Bᵢ hold by facts, so
///   does A. Otherwise Bⱼ does not, and A either does, or has a higher margin, or the same and comes before
///   Bⱼ, or is tied with Bⱼ in a cycle. Facts and those tied in a cycle are not cut apart, even if that makes
///   more than `top`. So if all Bᵢ are kept, A is.
///
/// Requirements that only exclude hold of every part of a row that they hold of. What they settle may lie below its body,
/// but only where it is not predicted: among predicted classes the order above holds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Cut {
    /// At most so many, the highest.
    pub top: Option<usize>,
    /// Only scores above this.
    pub above: Option<f64>,
}

impl Cut {
    /// Whether anything is cut.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }

    /// Whether rows of these rules and thresholds can be cut so.
    pub(super) fn check(self, program: &Program, scale: &Scale) -> Result<(), CutError> {
        if !self.is_none() && program.kind() != ProgramKind::Definite {
            return Err(CutError::Negation);
        }
        let only_exclude = program.requirements().iter().all(|one| one.only_excludes());
        if !self.is_none() && !only_exclude {
            return Err(CutError::Requirements);
        }
        if self.above.is_some() && !scale.is_uniform() {
            return Err(CutError::Thresholds);
        }
        Ok(())
    }

    /// Leaves out what is not kept; the row stays in the order of the classes.
    pub(super) fn run(self, layer: &SparseLayer, row: &mut Vec<ListedScore>) {
        if let Some(least) = self.above {
            row.retain(|one| one.score > least);
        }
        let Some(top) = self.top.filter(|&top| top < row.len()) else { return };
        let rank = |one: &ListedScore| (layer.holds_always(one.label), one.margin);
        row.sort_unstable_by(|a, b| {
            let by_margin = rank(b).partial_cmp(&rank(a)).unwrap_or(std::cmp::Ordering::Equal);
            by_margin.then(Reverse(layer.place(a.label)).cmp(&Reverse(layer.place(b.label))))
        });
        let mut kept = top;
        while let Some(next) = row.get(kept) {
            let tied = kept.checked_sub(1).map(|last| row[last]).is_some_and(|last| {
                let cycle = layer.cycle(next.label);
                cycle.is_some() && cycle == layer.cycle(last.label) && rank(&last) == rank(next)
            });
            if !tied && !layer.holds_always(next.label) {
                break;
            }
            kept += 1;
        }
        row.truncate(kept);
        row.sort_unstable_by_key(|one| one.label);
    }
}
