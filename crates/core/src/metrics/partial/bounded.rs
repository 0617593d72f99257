//! Metrics of rankings from counts per score, with the range that they can have.

use std::ops::AddAssign;

use super::super::mean::Mean;
use super::super::staircase::Step;

/// A metric, and between which values it is. Where nothing is cut, all three are the same.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounded {
    /// The metric with scores that are cut to the same number counted as equal.
    pub value: f64,
    /// It is no lower with the scores as they are.
    pub low: f64,
    /// It is no higher.
    pub high: f64,
}

/// How far bounds are moved outwards, so that they hold in spite of rounding.
const ROUNDING: f64 = 1e-12;

impl Bounded {
    pub(super) fn exact(value: f64) -> Self {
        Self { value, low: value, high: value }
    }

    pub(super) fn within(value: f64, low: f64, high: f64) -> Self {
        let (low, high) = ((low - ROUNDING).max(0.0), (high + ROUNDING).min(1.0));
        Self { value, low: low.min(value), high: high.max(value) }
    }

    /// The mean of values, each of them by itself.
    pub(super) fn mean(all: impl Iterator<Item = Option<Self>> + Clone) -> Option<Self> {
        let mean =
            |of: fn(Self) -> f64| all.clone().map(|one| one.map(of)).collect::<Mean>().value();
        let value = mean(|one| one.value)?;
        Some(Self { value, low: mean(|one| one.low)?, high: mean(|one| one.high)? })
    }
}

/// How many positives and negatives have a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct PairCounts {
    pub positives: u64,
    pub negatives: u64,
}

impl AddAssign for PairCounts {
    fn add_assign(&mut self, other: Self) {
        self.positives += other.positives;
        self.negatives += other.negatives;
    }
}

/// So many parts a score's positives are summed in, at most.
const PARTS: u64 = 1024;

/// The average precision of counts per score, the highest score first; `None` without a positive. With
/// `is_cut` different scores may have been counted as one.
pub(super) fn average_precision(
    scores: impl Iterator<Item = PairCounts>,
    is_cut: bool,
) -> Option<Bounded> {
    let mut above = PairCounts::default();
    let (mut sum, mut low, mut high) = (0.0, 0.0, 0.0);
    for here in scores {
        let before = above;
        above += here;
        if here.positives == 0 {
            continue;
        }
        sum += precision(here.positives, above.positives, above.negatives);
        if is_cut {
            // Best: all positives are equal and above the negatives.
            high += precision(here.positives, above.positives, before.negatives);
            // Worst: one positive after the other, all below the negatives. Of many, each part counts as its first.
            let part = here.positives.div_ceil(PARTS);
            let mut first = 0;
            while first < here.positives {
                let count = part.min(here.positives - first);
                low += precision(count, before.positives + first + 1, above.negatives);
                first += count;
            }
        }
    }
    let all = above.positives as f64;
    (above.positives > 0).then(|| match is_cut {
        false => Bounded::exact(sum / all),
        true => Bounded::within(sum / all, low / all, high / all),
    })
}

/// The precision where so many are at least as high, once for each of `here` positives.
fn precision(here: u64, positives: u64, negatives: u64) -> f64 {
    let [here, positives, negatives] = [here, positives, negatives].map(|count| count as usize);
    Step { here, positives, negatives }.precision()
}
