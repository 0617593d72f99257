//! The loss of a level network, and its gradient.

use rulebound_core::FloatMargin;

use super::pass::Pass;
use super::problem::LevelProblem;
use super::settings::LevelNetworkSettings;
use crate::learner::rows::FitRows;
use crate::network::Signals;

/// Mean cross-entropies of all outputs, and a penalty for children above their parents.
#[derive(Clone, Debug)]
pub(super) struct LevelLoss {
    problem: LevelProblem,
    terms: Vec<usize>,
    share: f32,
    penalty: f32,
}

/// The memory of the loss.
#[derive(Debug, Default)]
pub(super) struct LossSpace {
    labels: Signals,
    /// Probabilities of the mixed outputs, and the gradients of the penalty.
    mixed: Signals,
    pulls: Signals,
}

impl LevelLoss {
    pub fn new(problem: &LevelProblem, settings: &LevelNetworkSettings) -> Self {
        let (problem, terms) = (problem.clone(), problem.terms());
        let (share, penalty) = (settings.local as f32, settings.penalty as f32);
        Self { problem, terms, share, penalty }
    }

    /// The loss of the batch whose logits are in `pass`; the gradients take their place.
    pub fn loss(
        &self,
        pass: &mut Pass,
        rows: &FitRows<'_>,
        batch: &[u32],
        space: &mut LossSpace,
    ) -> f64 {
        let classes = self.problem.evaluated().len();
        space.labels.reset(classes, batch.len());
        let stride = space.labels.stride();
        for (place, &row) in batch.iter().enumerate() {
            for class in rows.labels().positives(row as usize) {
                space.labels.numbers_mut()[class.index() * stride + place] = 1.0;
            }
        }
        let mut total = 0.0;
        if !self.problem.edges().is_empty() {
            total += self.penalize(pass, batch.len(), space);
        }
        let evaluated = self.problem.evaluated().iter().filter(|&&is| is).count();
        for class in 0..classes {
            let labels = space.labels.part(class, 1);
            let pulls = (!self.problem.edges().is_empty()).then(|| space.pulls.part(class, 1));
            let counts = self.problem.evaluated()[class];
            let mut head = |logits: &mut [f32], terms: usize, share: f32| {
                if !counts {
                    return logits.fill(0.0);
                }
                let scale = 1.0 / (terms * batch.len()) as f32;
                total += entropy(&mut logits[..batch.len()], labels, pulls, scale, share);
            };
            head(pass.global.part_mut(class, 1), evaluated, 1.0 - self.share_of(class));
            if let Some((level, place)) = self.problem.places()[class] {
                head(pass.local[level].part_mut(place, 1), self.terms[level], self.share);
            }
        }
        total
    }

    /// The share of the local output of a class.
    fn share_of(&self, class: usize) -> f32 {
        if self.problem.places()[class].is_some() { self.share } else { 0.0 }
    }

    /// The penalty, and in `space.pulls` its gradient with respect to the mixed probabilities.
    fn penalize(&self, pass: &Pass, rows: usize, space: &mut LossSpace) -> f64 {
        let classes = self.problem.evaluated().len();
        space.mixed.reset(classes, rows);
        space.pulls.reset(classes, rows);
        let logistic = |logit: f32| logit.softplus_sigmoid().1;
        for class in 0..classes {
            let share = self.share_of(class);
            let mixed = space.mixed.part_mut(class, 1);
            let global = pass.global.part(class, 1);
            for (mixed, &logit) in mixed.iter_mut().zip(global) {
                *mixed = (1.0 - share) * logistic(logit);
            }
            if let Some((level, place)) = self.problem.places()[class] {
                for (mixed, &logit) in mixed.iter_mut().zip(pass.local[level].part(place, 1)) {
                    *mixed += share * logistic(logit);
                }
            }
        }
        let stride = space.mixed.stride();
        let scale = self.penalty / (self.problem.edges().len() * rows) as f32;
        let mut total = 0.0;
        let (mixed, pulls) = (space.mixed.numbers(), space.pulls.numbers_mut());
        for &(child, parent) in self.problem.edges() {
            for row in 0..rows {
                let over = mixed[child * stride + row] - mixed[parent * stride + row];
                if over > 0.0 {
                    total += f64::from(scale * over * over);
                    pulls[child * stride + row] += 2.0 * scale * over;
                    pulls[parent * stride + row] -= 2.0 * scale * over;
                }
            }
        }
        total
    }
}

/// The cross-entropy of the logits of a class, which become its gradient; `pulls` are the gradients
/// of the probability whose part `share` these logits are.
fn entropy(
    logits: &mut [f32],
    labels: &[f32],
    pulls: Option<&[f32]>,
    scale: f32,
    share: f32,
) -> f64 {
    let mut total = 0.0;
    for (row, logit) in logits.iter_mut().enumerate() {
        let (softplus, probability) = logit.softplus_sigmoid();
        total += f64::from(softplus - labels[row] * *logit);
        let pull = pulls.map_or(0.0, |pulls| pulls[row]) * share;
        *logit = scale * (probability - labels[row]) + pull * probability * (1.0 - probability);
    }
    total * f64::from(scale)
}
