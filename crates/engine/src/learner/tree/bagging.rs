//! Rows drawn with replacement.

use crate::random::{Draws, Purpose};

/// How often each row is drawn when as many are drawn with replacement as there are.
pub(in crate::learner) fn bootstrap(rows: usize, seed: u64, tree: u32) -> Vec<f64> {
    let draws = Draws::in_epoch(seed, Purpose::Bagging, tree);
    let mut counts = vec![0.0; rows];
    for draw in 0..rows {
        let [low, high, ..] = draws.four(0, draw as u32, 0);
        let wide = u64::from(high) << 32 | u64::from(low);
        counts[((u128::from(wide) * rows as u128) >> 64) as usize] += 1.0;
    }
    counts
}
