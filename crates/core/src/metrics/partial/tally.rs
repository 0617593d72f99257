//! Counts by key that can be added up.

use std::borrow::Cow;
use std::ops::AddAssign;

/// A value per key; values of the same key are added.
#[derive(Clone, Debug)]
pub(super) struct Tally<K, V> {
    /// Ascending, each key once.
    settled: Vec<(K, V)>,
    /// In any order.
    pending: Vec<(K, V)>,
}

/// So many are added before they are sorted in, or a part of what there is.
const PENDING: usize = 1 << 16;

impl<K, V> Default for Tally<K, V> {
    fn default() -> Self {
        Self { settled: Vec::new(), pending: Vec::new() }
    }
}

impl<K: Ord + Copy, V: Copy + AddAssign> Tally<K, V> {
    /// Of entries that are ascending, each key once.
    pub fn from_settled(settled: Vec<(K, V)>) -> Self {
        debug_assert!(settled.is_sorted_by(|a, b| a.0 < b.0));
        Self { settled, pending: Vec::new() }
    }

    pub fn add(&mut self, key: K, value: V) {
        self.pending.push((key, value));
        if self.pending.len() >= PENDING.max(self.settled.len() / 2) {
            self.settle();
        }
    }

    pub fn merge(&mut self, other: &Self) {
        self.settle();
        self.settled = merged(&self.settled, &other.entries());
    }

    /// All entries, ascending, each key once.
    pub fn entries(&self) -> Cow<'_, [(K, V)]> {
        if self.pending.is_empty() {
            return Cow::Borrowed(&self.settled);
        }
        Cow::Owned(merged(&self.settled, &sorted(self.pending.clone())))
    }

    fn settle(&mut self) {
        if !self.pending.is_empty() {
            let pending = sorted(std::mem::take(&mut self.pending));
            self.settled = merged(&self.settled, &pending);
        }
    }
}

/// Entries in ascending order, those of a key added up.
fn sorted<K: Ord + Copy, V: Copy + AddAssign>(mut entries: Vec<(K, V)>) -> Vec<(K, V)> {
    entries.sort_unstable_by_key(|entry| entry.0);
    entries.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    entries
}

fn merged<K: Ord + Copy, V: Copy + AddAssign>(a: &[(K, V)], b: &[(K, V)]) -> Vec<(K, V)> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    while let (Some(&&(left, value)), Some(&&(right, other))) = (a.peek(), b.peek()) {
        match left.cmp(&right) {
            std::cmp::Ordering::Less => all.extend(a.next()),
            std::cmp::Ordering::Greater => all.extend(b.next()),
            std::cmp::Ordering::Equal => {
                let mut sum = value;
                sum += other;
                all.push((left, sum));
                a.next();
                b.next();
            }
        }
    }
    all.extend(a);
    all.extend(b);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_key_are_added_up() {
        let (mut one, mut other) = (Tally::default(), Tally::default());
        for key in 0..200_000u64 {
            one.add(key * 7 % 1000, 1u64);
            other.add(key % 3 + 999, 2);
        }
        one.merge(&other);
        let entries = one.entries();
        assert_eq!(entries.len(), 1002);
        assert!(entries.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(entries.iter().map(|entry| entry.1).sum::<u64>(), 600_000);
        assert_eq!(entries[999], (999, 200 + 2 * 66_667));
    }
}
