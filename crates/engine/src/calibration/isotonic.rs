//! Isotonic regression of one class: pool adjacent violators, made strictly increasing.
//!
//! The regression is a staircase: rows are pooled into blocks, each with the share of positives in
//! it. Here the line through the centres of the blocks is used instead, on logits, and beyond the
//! outer centres it goes on with slope 1: so rows within a block keep their ranking. Shares of 0 and
//! 1 are moved inside by half a row, so that no logit is infinite.

use serde::{Deserialize, Serialize};

/// An increasing map of logits: a line through points.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IsotonicMap {
    /// Logits of the network, increasing.
    from: Vec<f64>,
    /// Calibrated logits, increasing.
    to: Vec<f64>,
}

/// Rows that are pooled.
#[derive(Clone, Copy)]
struct Block {
    logits: f64,
    positives: f64,
    rows: f64,
}

impl Block {
    fn share(self) -> f64 {
        self.positives / self.rows
    }
}

impl IsotonicMap {
    /// Fits it to finite logits and truth; there must be at least one.
    pub(super) fn fit(pairs: &[(f64, bool)]) -> Self {
        let mut sorted = pairs.to_vec();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut blocks: Vec<Block> = Vec::new();
        // Equal logits are one block from the start.
        for tied in sorted.chunk_by(|a, b| a.0 == b.0) {
            let positives = tied.iter().filter(|(_, is_true)| *is_true).count();
            let rows = tied.len() as f64;
            let mut block = Block { logits: tied[0].0 * rows, positives: positives as f64, rows };
            while let Some(before) = blocks.last().filter(|before| before.share() >= block.share())
            {
                block.logits += before.logits;
                block.positives += before.positives;
                block.rows += before.rows;
                blocks.pop();
            }
            blocks.push(block);
        }
        let half = 0.5 / pairs.len() as f64;
        let mut map = Self { from: Vec::new(), to: Vec::new() };
        for block in blocks {
            let share = block.share().clamp(half, 1.0 - half);
            let (from, to) = (block.logits / block.rows, (share / (1.0 - share)).ln());
            let grows = |list: &[f64], value: f64| list.last().is_none_or(|last| *last < value);
            if grows(&map.from, from) && grows(&map.to, to) {
                map.from.push(from);
                map.to.push(to);
            }
        }
        map
    }

    /// The calibrated logit.
    pub(super) fn logit(&self, logit: f64) -> f64 {
        let above = self.from.partition_point(|&from| from <= logit);
        let (Some(&first), Some(&last)) = (self.from.first(), self.from.last()) else {
            return logit;
        };
        if above == 0 {
            return self.to[0] + (logit - first);
        }
        if above == self.from.len() {
            return self.to[above - 1] + (logit - last);
        }
        let [left, right] = [self.from[above - 1], self.from[above]];
        let [low, high] = [self.to[above - 1], self.to[above]];
        // Rounding must not leave the segment, or the map could decrease at its ends.
        (low + (logit - left) * ((high - low) / (right - left))).clamp(low, high)
    }

    /// The points that the line goes through: logits of the network, and calibrated ones.
    pub(crate) fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.from.iter().copied().zip(self.to.iter().copied())
    }

    /// What is wrong with it, if anything is.
    pub(super) fn mistake(&self) -> Option<String> {
        let grows = |list: &[f64]| {
            list.iter().all(|value| value.is_finite())
                && list.windows(2).all(|pair| pair[0] < pair[1])
        };
        let is_sound = !self.from.is_empty()
            && self.from.len() == self.to.len()
            && grows(&self.from)
            && grows(&self.to);
        (!is_sound).then(|| "a map that does not increase".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        // Shares 0, 1/2 (two pooled: a positive below a negative), 1; n = 4.
        let pairs = [(-2.0, false), (0.0, true), (1.0, false), (3.0, true)];
        let map = IsotonicMap::fit(&pairs);
        assert_eq!(map.from, [-2.0, 0.5, 3.0]);
        let end = (0.875f64 / 0.125).ln();
        assert!(map.to[1].abs() < 1e-15 && (map.to[2] - end).abs() < 1e-12, "{map:?}");
        assert!((map.to[0] + end).abs() < 1e-12, "{map:?}");
        assert!((map.logit(1.75) - end / 2.0).abs() < 1e-12);
        assert!((map.logit(5.0) - (end + 2.0)).abs() < 1e-12);
        assert!((map.logit(-3.0) - (-end - 1.0)).abs() < 1e-12);
    }

    /// The shares of pool adjacent violators by its definition: the largest, over all beginnings,
    /// of the smallest mean over all ends.
    fn oracle(sorted: &[(f64, bool)]) -> Vec<f64> {
        let mean = |a: usize, b: usize| {
            let positives = sorted[a..=b].iter().filter(|(_, is_true)| *is_true).count();
            positives as f64 / (b - a + 1) as f64
        };
        (0..sorted.len())
            .map(|at| {
                let least =
                    |a: usize| (at..sorted.len()).map(|b| mean(a, b)).fold(f64::INFINITY, f64::min);
                (0..=at).map(least).fold(f64::NEG_INFINITY, f64::max)
            })
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        #[test]
        fn the_centres_are_those_of_the_regression(
            truth in prop::collection::vec(any::<bool>(), 1..30),
        ) {
            let pairs: Vec<(f64, bool)> =
                truth.iter().enumerate().map(|(at, &is_true)| (at as f64, is_true)).collect();
            let map = IsotonicMap::fit(&pairs);
            let half = 0.5 / pairs.len() as f64;
            let shares = oracle(&pairs);
            let mut centres = Vec::new();
            for block in (0..pairs.len()).collect::<Vec<_>>().chunk_by(|&a, &b| shares[a] == shares[b]) {
                let share = shares[block[0]].clamp(half, 1.0 - half);
                centres.push((
                    block.iter().sum::<usize>() as f64 / block.len() as f64,
                    (share / (1.0 - share)).ln(),
                ));
            }
            prop_assert_eq!(map.from.len(), centres.len());
            for ((from, to), (expected_from, expected_to)) in map.from.iter().zip(&map.to).zip(centres) {
                prop_assert!((from - expected_from).abs() < 1e-9 && (to - expected_to).abs() < 1e-9);
            }
        }

        #[test]
        fn it_never_decreases(
            pairs in prop::collection::vec((-20.0..20.0f64, any::<bool>()), 1..40),
            mut logits in prop::collection::vec(-30.0..30.0f64, 2..40),
        ) {
            let map = IsotonicMap::fit(&pairs);
            prop_assert_eq!(map.mistake(), None);
            logits.extend(&map.from);
            logits.extend(map.from.iter().map(|from| from.next_up()));
            logits.sort_by(f64::total_cmp);
            let mapped: Vec<f64> = logits.iter().map(|&logit| map.logit(logit)).collect();
            prop_assert!(mapped.windows(2).all(|pair| pair[0] <= pair[1]));
            prop_assert_eq!(map.logit(f64::INFINITY), f64::INFINITY);
            prop_assert_eq!(map.logit(f64::NEG_INFINITY), f64::NEG_INFINITY);
        }
    }
}
