//! Temperature scaling: one number that all logits are divided by (Guo et al.).

use rayon::prelude::*;
use rulebound_core::FloatMargin;

/// The temperatures that are tried: 1/LARGEST to LARGEST.
const LARGEST: f64 = 100.0;

/// Halvings of the range of ln T; the last is below the precision of `f32`.
const HALVINGS: usize = 40;

/// Pairs that one thread sums up at a time, so that sums do not depend on the number of threads.
const TOGETHER: usize = 1 << 14;

/// The temperature with the smallest cross-entropy of finite logits. With β = 1/T its derivative is
/// Σ z·(σ(βz) − y), which grows with β: the root is found by bisection.
pub(super) fn fit(pairs: &[(f64, bool)]) -> f64 {
    let slope = |beta: f64| -> f64 {
        let sums: Vec<f64> = pairs
            .par_chunks(TOGETHER)
            .map(|pairs| {
                let term = |&(logit, is_true): &(f64, bool)| {
                    let (_, probability) = (beta * logit).softplus_sigmoid();
                    logit * (probability - f64::from(u8::from(is_true)))
                };
                pairs.iter().map(term).sum()
            })
            .collect();
        sums.iter().sum()
    };
    let (mut low, mut high) = (-LARGEST.ln(), LARGEST.ln());
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if slope(middle.exp()) < 0.0 { low = middle } else { high = middle }
    }
    (-0.5 * (low + high)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cross_entropy_is_smallest_there() {
        // Four times as sure as it may be: of those with logit 4, σ(1) are true.
        let mut pairs = Vec::new();
        for at in 0..1000 {
            let share = f64::from(at) / 1000.0;
            pairs.push((4.0, share < 1.0f64.softplus_sigmoid().1));
            pairs.push((-8.0, share < (-2.0f64).softplus_sigmoid().1));
        }
        let found = fit(&pairs);
        assert!((found - 4.0).abs() < 0.02, "{found}");
        let loss = |temperature: f64| -> f64 {
            let term = |&(logit, is_true): &(f64, bool)| {
                let z = logit / temperature;
                z.softplus_sigmoid().0 - if is_true { z } else { 0.0 }
            };
            pairs.iter().map(term).sum()
        };
        assert!(loss(found) <= loss(found * 1.01) && loss(found) <= loss(found / 1.01));
    }

    #[test]
    fn what_is_never_wrong_becomes_as_sure_as_allowed() {
        let found = fit(&[(1.0, true), (-1.0, false)]);
        assert!((found - 1.0 / LARGEST).abs() < 1e-6, "{found}");
    }
}
