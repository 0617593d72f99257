//! The result of trying a point.

use std::cmp::Ordering;

use rulebound_core::metrics::mean_and_deviation;
use serde::Serialize;

use super::point::Point;
use crate::train::Monitor;

/// A point that was tried.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Trial {
    /// The point.
    #[serde(flatten)]
    pub point: Point,
    /// The measurements; none if the network diverged.
    #[serde(flatten)]
    pub measured: Option<Measured>,
    /// Total epochs of all members; for a network that diverged, the epoch in which it did.
    pub epochs: usize,
    /// Seconds it took; for a resumed trial, since it was resumed.
    pub seconds: f64,
}

/// The value of a trial.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Measured {
    /// The mean over the members of the monitored value at their best epochs.
    pub value: f64,
    /// The standard deviation of the members' values (dividing by one less than their number); none
    /// for a single member.
    pub deviation: Option<f64>,
    /// The best epoch of each member.
    #[serde(rename = "best_epoch")]
    pub best_epochs: Vec<usize>,
}

impl Measured {
    /// Computed from the best epochs of the members and their values.
    pub(super) fn of(best_epochs: Vec<usize>, values: &[f64]) -> Self {
        let (value, deviation) = mean_and_deviation(values);
        Self { value, deviation, best_epochs }
    }
}

/// Sorts trials, the best first; those that diverged come last. Among equal values the smaller
/// network comes first, so that the order does not depend on when trials finished.
pub fn rank(trials: &mut [Trial], monitor: Monitor) {
    trials.sort_by(|a, b| {
        let by_value = match (&a.measured, &b.measured) {
            (Some(a), Some(b)) if monitor.is_better(a.value, b.value) => Ordering::Less,
            (Some(a), Some(b)) if monitor.is_better(b.value, a.value) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            _ => Ordering::Equal,
        };
        // The bits of non-negative floats are ordered like their values.
        by_value.then_with(|| a.point.key().cmp(&b.point.key()))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(hidden: usize, value: Option<f64>) -> Trial {
        let point = Point { hidden, learning_rate: 0.1, dropout: 0.0, weight_decay: 0.0, batch: 1 };
        let measured = value.map(|value| Measured::of(vec![1], &[value]));
        Trial { point, measured, epochs: 1, seconds: 0.0 }
    }

    #[test]
    fn the_best_comes_first_and_what_diverged_last() {
        let mut trials =
            [trial(1, None), trial(5, Some(0.5)), trial(3, Some(0.7)), trial(4, Some(0.5))];
        let order = |trials: &[Trial]| trials.iter().map(|t| t.point.hidden).collect::<Vec<_>>();
        rank(&mut trials, Monitor::Auprc);
        assert_eq!(order(&trials), [3, 4, 5, 1]);
        rank(&mut trials, Monitor::Loss);
        assert_eq!(order(&trials), [4, 5, 3, 1]);
    }

    #[test]
    fn mean_and_deviation_by_hand() {
        let measured = Measured::of(vec![1, 2, 3], &[1.0, 2.0, 6.0]);
        assert_eq!(measured.value, 3.0);
        // (4 + 1 + 9) / 2 = 7
        assert_eq!(measured.deviation, Some(7.0_f64.sqrt()));
        assert_eq!(Measured::of(vec![4], &[0.5]).deviation, None);
    }
}
