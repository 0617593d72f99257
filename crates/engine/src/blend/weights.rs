//! The weights of a blend, chosen on rows that its learners have not seen.
//!
//! From equal weights, shares move from one learner to another as long as the metric of the
//! coherent blend improves: first large shares, then small ones. The metric of every mixture is that of the
//! predictions the blend would make, layer included.

use std::collections::HashMap;

use rayon::prelude::*;
use rulebound_core::metrics::{
    Columns, Direction, LabelsInMetrics, Metric, Metrics, Ranking, auprc,
};
use rulebound_core::{Program, Thresholds};
use serde::Serialize;

use super::error::BlendError;
use crate::labelled_scores::LabelledScores;
use crate::predict::{BlendSum, Head, Predictions};

/// How much each learner counts.
#[derive(Clone, PartialEq, Debug)]
pub enum BlendWeights {
    /// As much as these shares of 1 say.
    Given(Vec<f64>),
    /// Chosen on rows that the learners have not seen, by a metric.
    Chosen(Metric),
}

impl BlendWeights {
    /// Given weights, as shares of their sum.
    ///
    /// # Errors
    /// A sentence if a weight is negative or not a number, or all are 0.
    pub fn given(weights: &[f64]) -> Result<Self, String> {
        let sum: f64 = weights.iter().sum();
        let are_weights = weights.iter().all(|weight| *weight >= 0.0 && weight.is_finite());
        match are_weights && sum > 0.0 && sum.is_finite() {
            true => Ok(Self::Given(weights.iter().map(|weight| weight / sum).collect())),
            false => Err("weights must be at least 0, and one of them above 0".to_owned()),
        }
    }
}

/// What the search for weights found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WeightSearch {
    /// What was optimised.
    #[serde(serialize_with = "name")]
    pub metric: Metric,
    /// The rows.
    pub rows: usize,
    /// The folds in which they were predicted; none for validation rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folds: Option<usize>,
    /// The best weights.
    pub weights: Vec<f64>,
    /// The metric with these weights.
    pub value: f64,
    /// The metric with equal weights.
    pub equal: f64,
    /// The metric of each learner alone.
    pub alone: Vec<f64>,
    /// How many mixtures were tried.
    pub tried: usize,
}

fn name<S: serde::Serializer>(metric: &Metric, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(metric.name())
}

/// Weights are multiples of one in this many.
const PARTS: u32 = 60;

/// The shares that move, one size after the other.
const MOVES: [u32; 3] = [15, 6, 3];

/// Searches for the weights with which the coherent blend of these logits is best.
pub(super) fn search(
    metric: Metric,
    learners: &[LabelledScores<'_, f32>],
    program: &Program,
) -> Result<WeightSearch, BlendError> {
    let first = learners.first().ok_or(BlendError::NoLearners)?;
    let mixtures =
        Mixtures { metric, learners, program, columns: first.columns(LabelsInMetrics::All)? };
    let count = learners.len() as u32;
    let mut weights = vec![PARTS / count; learners.len()];
    weights[0] += PARTS % count;
    let alone = (0..learners.len()).map(|at| {
        let mut weights = vec![0; learners.len()];
        weights[at] = PARTS;
        weights
    });
    let mut known = HashMap::new();
    let alone: Vec<Vec<u32>> = alone.collect();
    mixtures.measure(alone.clone(), &mut known)?;
    mixtures.measure(vec![weights.clone()], &mut known)?;
    let equal = known[&weights];
    let mut best = equal;
    // One alone may be so much better that no small move finds it.
    for (single, value) in alone.iter().map(|single| (single, known[single])) {
        if mixtures.is_better(value, best) {
            (weights, best) = (single.clone(), value);
        }
    }
    for share in MOVES {
        loop {
            let candidates = moved(&weights, share);
            mixtures.measure(candidates.clone(), &mut known)?;
            let mut found = None;
            for candidate in candidates {
                let value = known[&candidate];
                if mixtures.is_better(value, best) {
                    (best, found) = (value, Some(candidate));
                }
            }
            let Some(found) = found else { break };
            weights = found;
        }
    }
    let shares = |weights: &[u32]| {
        weights.iter().map(|&part| f64::from(part) / f64::from(PARTS)).collect::<Vec<_>>()
    };
    Ok(WeightSearch {
        metric,
        rows: first.rows(),
        folds: None,
        weights: shares(&weights),
        value: best,
        equal,
        alone: alone.iter().map(|single| known[single]).collect(),
        tried: known.len(),
    })
}

/// All weights in which a share has moved from one learner to another.
fn moved(weights: &[u32], share: u32) -> Vec<Vec<u32>> {
    let mut candidates = Vec::new();
    for from in 0..weights.len() {
        for to in 0..weights.len() {
            let share = share.min(weights[from]);
            if from != to && share > 0 {
                let mut candidate = weights.to_vec();
                candidate[from] -= share;
                candidate[to] += share;
                candidates.push(candidate);
            }
        }
    }
    candidates
}

struct Mixtures<'a> {
    metric: Metric,
    /// What each says of the same rows.
    learners: &'a [LabelledScores<'a, f32>],
    program: &'a Program,
    columns: Columns,
}

impl Mixtures<'_> {
    fn is_better(&self, value: f64, than: f64) -> bool {
        match self.metric.direction() {
            Direction::Higher => value > than,
            Direction::Lower => value < than,
        }
    }

    /// Measures the mixtures that are not known yet.
    fn measure(
        &self,
        candidates: Vec<Vec<u32>>,
        known: &mut HashMap<Vec<u32>, f64>,
    ) -> Result<(), BlendError> {
        let new = candidates.into_par_iter().filter(|weights| !known.contains_key(weights));
        let measured = new.map(|weights| Ok((weights.clone(), self.value(&weights)?)));
        known.extend(measured.collect::<Result<Vec<_>, BlendError>>()?);
        Ok(())
    }

    /// The metric of one mixture.
    fn value(&self, weights: &[u32]) -> Result<f64, BlendError> {
        let truth = self.learners[0].truth();
        let cells = truth.len();
        let mut sum = BlendSum::new(cells);
        let parts = self.learners.iter().zip(weights);
        for (learner, &weight) in parts.filter(|(_, part)| **part > 0) {
            sum.add(f64::from(weight) / f64::from(PARTS), learner.scores());
        }
        let mut blended = vec![0.0; cells];
        sum.write(&mut blended);
        let labels = self.program.labels();
        let thresholds = Thresholds::half(labels.len());
        let mut predictions = Predictions::default();
        Head::new(labels, &thresholds, Some(self.program)).predict(&blended, &mut predictions)?;
        let scores = predictions.logits();
        let value = match self.metric {
            Metric::Auprc => auprc(&Ranking::new(&scores, truth, &self.columns)?),
            metric => {
                let decisions = predictions.decisions();
                Metrics::new(&scores, &decisions, truth, &self.columns)?.get(metric)
            }
        };
        value.ok_or(BlendError::Undefined { metric: self.metric })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labelled_scores::ScoresOf;

    fn search_of(logits: &[Vec<f32>], truth: &[bool]) -> WeightSearch {
        let program: Program = "a -> b".parse().unwrap();
        let labels = program.labels();
        let rows = logits.iter().map(|of| LabelledScores::new(labels, of, ScoresOf::Model, truth));
        search(Metric::Auprc, &rows.collect::<Vec<_>>(), &program).unwrap()
    }

    /// One learner knows the first rows, the other the last ones; both together know all.
    #[test]
    fn learners_that_know_different_things_share() {
        let labels = [true, true, false, false, false, true, false, false];
        let first = vec![3.0, 3.0, -3.0, -3.0, 0.0, 0.0, 0.0, 0.0];
        let second = vec![0.0, 0.0, 0.0, 0.0, -3.0, 3.0, -3.0, -3.0];
        let found = search_of(&[first, second], &labels);
        assert_eq!(found.value, 1.0);
        assert!(found.alone.iter().all(|&alone| alone < 1.0), "{found:?}");
        assert!(found.weights.iter().all(|&weight| weight > 0.2), "{found:?}");
        assert_eq!(found.rows, 4);
    }

    /// A learner that only disturbs gets no weight.
    #[test]
    fn a_learner_that_only_disturbs_is_left_out() {
        let labels = [true, true, false, true, false, false, true, true];
        let good: Vec<f32> = labels.iter().map(|&is| if is { 1.0 } else { -1.0 }).collect();
        let bad: Vec<f32> = good.iter().map(|logit| -5.0 * logit).collect();
        for order in [[good.clone(), bad.clone()], [bad, good]] {
            let found = search_of(&order, &labels);
            assert_eq!(found.value, 1.0, "{found:?}");
            let place = found.alone.iter().position(|&alone| alone == 1.0).unwrap();
            assert!(found.weights[place] > 0.8, "{found:?}");
        }
    }

    #[test]
    fn given_weights_are_shares() {
        assert_eq!(
            BlendWeights::given(&[1.0, 3.0]).unwrap(),
            BlendWeights::Given(vec![0.25, 0.75])
        );
        for wrong in [&[0.0, 0.0][..], &[1.0, -1.0], &[f64::NAN, 1.0], &[f64::INFINITY, 1.0]] {
            assert!(BlendWeights::given(wrong).is_err(), "{wrong:?}");
        }
    }
}
