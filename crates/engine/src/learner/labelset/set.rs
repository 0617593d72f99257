//! One label set: which combinations of its classes there are, and the probabilities of the classes.

use super::super::mean_probability::MeanProbability;

/// Some classes, and their combinations in training.
///
/// Invariant: there is a combination; bit `i` of one is class `i` of the set.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Labelset {
    pub labels: Vec<u32>,
    pub combinations: Vec<u32>,
}

impl Labelset {
    /// Two combinations share one score, that of the second; one has none.
    pub fn columns(&self) -> usize {
        match self.combinations.len() {
            1 => 0,
            2 => 1,
            more => more,
        }
    }

    /// Adds the probabilities of its classes.
    pub fn add(&self, scores: &[f64], mean: &mut MeanProbability) {
        let mut scores = match scores {
            [] => vec![0.0],
            [second] => vec![0.0, *second],
            scores => scores.to_vec(),
        };
        let most = scores.iter().fold(f64::NEG_INFINITY, |most, &score| most.max(score));
        scores.iter_mut().for_each(|score| *score = (*score - most).exp());
        let all: f64 = scores.iter().sum();
        for (bit, &label) in self.labels.iter().enumerate() {
            let (mut yes, mut no) = (0.0, 0.0);
            for (combination, score) in self.combinations.iter().zip(&scores) {
                *(if combination >> bit & 1 == 1 { &mut yes } else { &mut no }) += score / all;
            }
            mean.add(label as usize, yes, no);
        }
    }
}
