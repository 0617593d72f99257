//! The staircase of a ranking: what lies above each positive.
//!
//! Going down the scores, every distinct score of a positive is a step; a step knows how many
//! positives have that score, and how many positives and negatives have it or a higher one. All
//! metrics of rankings are sums over the steps, so ties are treated alike in all of them: whatever
//! is tied counts as ranked above.

/// One distinct score of positives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    /// Positives with this score.
    pub(super) here: usize,
    /// Positives with this score or a higher one.
    pub(super) positives: usize,
    /// Negatives with this score or a higher one.
    pub(super) negatives: usize,
}

/// Keys of scores, parted into positives and negatives; filled again and again.
#[derive(Default, Debug)]
pub(super) struct Staircase<K> {
    /// The positives at the front, the negatives behind them.
    keys: Vec<K>,
    positives: usize,
}

impl<K: Ord + Copy + Default> Staircase<K> {
    /// With room for `size` scores, so that filling it needs no more memory than they do.
    pub(super) fn with_room(size: usize) -> Self {
        Self { keys: Vec::with_capacity(size), positives: 0 }
    }

    /// Removes all scores, keeps the memory.
    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.positives = 0;
    }

    /// Adds a score.
    #[inline(always)]
    pub(super) fn push(&mut self, key: K, is_positive: bool) {
        self.keys.push(key);
        if is_positive {
            let last = self.keys.len() - 1;
            self.keys.swap(self.positives, last);
            self.positives += 1;
        }
    }

    /// The number of positives.
    pub(super) fn positives(&self) -> usize {
        self.positives
    }

    /// The number of negatives.
    pub(super) fn negatives(&self) -> usize {
        self.keys.len() - self.positives
    }

    /// The steps, from the highest score down.
    pub(super) fn steps(&mut self) -> impl Iterator<Item = Step> + '_ {
        let (positives, negatives) = self.keys.split_at_mut(self.positives);
        positives.sort_unstable();
        negatives.sort_unstable();
        let (positives, negatives) = (&*positives, &*negatives);
        let (mut left, mut above) = (positives, negatives);
        std::iter::from_fn(move || {
            let &score = left.last()?;
            let before = left.len();
            while left.last() == Some(&score) {
                left = &left[..left.len() - 1];
            }
            while above.last().is_some_and(|negative| *negative >= score) {
                above = &above[..above.len() - 1];
            }
            Some(Step {
                here: before - left.len(),
                positives: positives.len() - left.len(),
                negatives: negatives.len() - above.len(),
            })
        })
    }

    /// The probability that a random positive has a higher score than a random negative, where a
    /// tie counts half. `None` without a positive or without a negative.
    pub(super) fn roc_auc(&mut self) -> Option<f64> {
        let pairs = self.positives() as u128 * self.negatives() as u128;
        let (positives, negatives) = self.keys.split_at_mut(self.positives);
        positives.sort_unstable();
        negatives.sort_unstable();
        let (mut below, mut up_to, mut halves) = (0, 0, 0u128);
        for positive in &*positives {
            while negatives.get(below).is_some_and(|negative| negative < positive) {
                below += 1;
            }
            while negatives.get(up_to).is_some_and(|negative| negative <= positive) {
                up_to += 1;
            }
            halves += (below + up_to) as u128;
        }
        (pairs > 0).then(|| halves as f64 / (2 * pairs) as f64)
    }

    /// The mean precision at the positives: Σ (Rₙ − Rₙ₋₁) Pₙ over the steps. `None` without a
    /// positive.
    pub(super) fn average_precision(&mut self) -> Option<f64> {
        let positives = self.positives;
        let sum: f64 = self.steps().map(Step::precision).sum();
        (positives > 0).then(|| sum / positives as f64)
    }
}

impl Step {
    /// The precision at this score, once for each positive that has it.
    pub(super) fn precision(self) -> f64 {
        let above = self.positives + self.negatives;
        self.here as f64 * (self.positives as f64 / above as f64)
    }
}
