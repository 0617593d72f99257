//! The loss of a level network, and its gradient.

use rulebound_core::{FloatMargin, Program};

use super::pass::Pass;
use crate::learner::levels::Levels;
use crate::learner::rows::FitRows;
use crate::network::Signals;

/// Mean cross-entropies of all outputs, and a penalty for children above their parents.
#[derive(Clone, Debug)]
pub(super) struct LevelLoss {
    /// Each class: whether it is evaluated, and its place in the local outputs of a level.
    evaluated: Vec<bool>,
    local: Vec<Option<(usize, usize)>>,
    /// Child and parent of each rule between evaluated classes.
    edges: Vec<(usize, usize)>,
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
    pub fn new(
        program: &Program,
        rows: &FitRows<'_>,
        levels: &Levels,
        share: f64,
        penalty: f64,
    ) -> Self {
        let classes = rows.classes();
        let evaluated: Vec<bool> = (0..classes).map(|class| rows.is_evaluated(class)).collect();
        let mut local = vec![None; classes];
        for (level, members) in levels.iter().enumerate() {
            for (place, &class) in members.iter().enumerate() {
                local[class as usize] = Some((level, place));
            }
        }
        let pairs = program.rules().iter().flat_map(|rule| {
            rule.body().iter().map(|child| (child.label().index(), rule.head().index()))
        });
        let edges = pairs.filter(|&(child, parent)| evaluated[child] && evaluated[parent]);
        let edges = if penalty > 0.0 { edges.collect() } else { Vec::new() };
        Self { evaluated, local, edges, share: share as f32, penalty: penalty as f32 }
    }

    /// The loss of the batch whose logits are in `pass`; the gradients take their place.
    pub fn loss(
        &self,
        pass: &mut Pass,
        rows: &FitRows<'_>,
        batch: &[u32],
        space: &mut LossSpace,
    ) -> f64 {
        let classes = self.evaluated.len();
        space.labels.reset(classes, batch.len());
        let stride = space.labels.stride();
        for (place, &row) in batch.iter().enumerate() {
            for class in rows.labels().positives(row as usize) {
                space.labels.numbers_mut()[class.index() * stride + place] = 1.0;
            }
        }
        let mut total = 0.0;
        if !self.edges.is_empty() {
            total += self.penalize(pass, batch.len(), space);
        }
        let mut terms = vec![0; pass.local.len()];
        for class in (0..classes).filter(|&class| self.evaluated[class]) {
            if let Some((level, _)) = self.local[class] {
                terms[level] += 1;
            }
        }
        let evaluated = self.evaluated.iter().filter(|&&is| is).count();
        for class in 0..classes {
            let labels = space.labels.part(class, 1);
            let pulls = (!self.edges.is_empty()).then(|| space.pulls.part(class, 1));
            let counts = self.evaluated[class];
            let mut head = |logits: &mut [f32], terms: usize, share: f32| {
                if !counts {
                    return logits.fill(0.0);
                }
                let scale = 1.0 / (terms * batch.len()) as f32;
                total += entropy(&mut logits[..batch.len()], labels, pulls, scale, share);
            };
            head(pass.global.part_mut(class, 1), evaluated, 1.0 - self.share_of(class));
            if let Some((level, place)) = self.local[class] {
                head(pass.local[level].part_mut(place, 1), terms[level], self.share);
            }
        }
        total
    }

    /// The share of the local output of a class.
    fn share_of(&self, class: usize) -> f32 {
        if self.local[class].is_some() { self.share } else { 0.0 }
    }

    /// The penalty, and in `space.pulls` its gradient with respect to the mixed probabilities.
    fn penalize(&self, pass: &Pass, rows: usize, space: &mut LossSpace) -> f64 {
        let classes = self.evaluated.len();
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
            if let Some((level, place)) = self.local[class] {
                for (mixed, &logit) in mixed.iter_mut().zip(pass.local[level].part(place, 1)) {
                    *mixed += share * logistic(logit);
                }
            }
        }
        let stride = space.mixed.stride();
        let scale = self.penalty / (self.edges.len() * rows) as f32;
        let mut total = 0.0;
        let (mixed, pulls) = (space.mixed.numbers(), space.pulls.numbers_mut());
        for &(child, parent) in &self.edges {
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
