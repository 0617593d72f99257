//! Classifier chains (Read, Pfahringer, Holmes and Frank, 2009): the regression of a class sees the
//! inputs and the classes before it in an order; the true ones in training, its own decisions later.
//!
//! With true labels as inputs all regressions of a chain are independent, and share one matrix of
//! which each sees a prefix. Several chains in random orders are averaged as probabilities.

mod settings;

use super::fitted::Fitted;
use super::logistic::{
    Design, LogisticSettings, Pieces, Regression, Weights, certain, constant, each_row, fit,
    targets,
};
use super::mean_probability::MeanProbability;
use super::named_tensors::{NamedTensors, TensorValues};
use super::rows::{FitError, FitRows};
use super::watch::Watch;
use crate::random::{Draws, Purpose};
pub use settings::ChainSettings;
pub(super) use settings::METHODS;

/// Chains whose probabilities are averaged.
#[derive(Clone, PartialEq, Debug)]
pub struct Chains {
    chains: Vec<Chain>,
}

impl Chains {
    /// Fits the chains one after the other.
    ///
    /// # Errors
    /// [`FitError`]: stopped, or inputs that are not finite.
    pub fn fit(
        rows: &FitRows<'_>,
        settings: &ChainSettings,
        seed: u64,
        watch: &Watch<'_>,
    ) -> Result<Self, FitError> {
        let free: Vec<usize> =
            (0..rows.classes()).filter(|&class| constant(rows, class).is_none()).collect();
        let all = free.len() * settings.chains;
        let chain = |chain: usize| {
            let order = if settings.random_order {
                let draws = Draws::in_epoch(seed, Purpose::ChainOrder, chain as u32);
                draws.shuffle(free.len()).into_iter().map(|at| free[at as usize]).collect()
            } else {
                free.clone()
            };
            let pieces = Pieces { before: chain * free.len(), all };
            Chain::fit(rows, order, &settings.logistic, watch, pieces)
        };
        Ok(Self { chains: (0..settings.chains).map(chain).collect::<Result<_, _>>()? })
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.chains[0].weights.inputs()
    }

    /// The number of chains.
    pub fn chains(&self) -> usize {
        self.chains.len()
    }

    /// Reads the arrays of a model file.
    ///
    /// # Errors
    /// A sentence about what is missing or wrong.
    pub fn from_tensors(
        mut tensors: NamedTensors,
        inputs: usize,
        classes: usize,
    ) -> Result<Self, String> {
        let mut chains = Vec::new();
        while chains.is_empty() || tensors.contains(&format!("{}.order", chains.len())) {
            let prefix = format!("{}.", chains.len());
            chains.push(Chain::load(&mut tensors, &prefix, inputs, classes)?);
        }
        Ok(Self { chains })
    }
}

impl Fitted for Chains {
    fn describe(&self, _members: usize) -> String {
        match self.chains() {
            1 => "a chain of logistic regressions".to_owned(),
            several => format!("{several} chains of logistic regressions"),
        }
    }

    fn classes(&self) -> usize {
        self.chains[0].weights.outputs()
    }

    fn parameters(&self) -> usize {
        self.chains.iter().map(|chain| chain.weights.parameters() + chain.links.len()).sum()
    }

    fn logits(&self, inputs: &[f32], logits: &mut [f32]) {
        let classes = self.classes();
        each_row(inputs, self.inputs(), logits, classes, |row, out| {
            let mut scores = vec![0.0; classes];
            if let [chain] = &self.chains[..] {
                chain.scores(row, &mut scores);
                out.iter_mut().zip(scores).for_each(|(out, score)| *out = score as f32);
                return;
            }
            let mut mean = MeanProbability::new(classes);
            for chain in &self.chains {
                chain.scores(row, &mut scores);
                (0..classes).for_each(|class| mean.add_logit(class, scores[class]));
            }
            mean.logits(out);
        });
    }

    fn tensors(&self) -> NamedTensors {
        let mut tensors = NamedTensors::new();
        for (number, chain) in self.chains.iter().enumerate() {
            chain.store(&mut tensors, &format!("{number}."));
        }
        tensors
    }
}

/// One chain.
///
/// Invariant: the order has no class twice; classes that are not in it are constant.
#[derive(Clone, PartialEq, Debug)]
struct Chain {
    order: Vec<u32>,
    weights: Weights,
    /// For each class of the order, its weights for all later ones.
    links: Vec<f64>,
}

impl Chain {
    fn fit(
        rows: &FitRows<'_>,
        order: Vec<usize>,
        settings: &LogisticSettings,
        watch: &Watch<'_>,
        pieces: Pieces,
    ) -> Result<Self, FitError> {
        let design = Design::new(rows, &order)?;
        let inputs = 1 + rows.width();
        let regressions: Vec<Regression> = order
            .iter()
            .enumerate()
            .map(|(place, &class)| Regression {
                targets: targets(rows, class),
                classes: 2,
                visible: inputs + place,
            })
            .collect();
        let coefficients = fit(&design, &regressions, settings, watch, pieces)?;
        let mut weights = Weights::never(rows.width(), rows.classes());
        let none = vec![0.0; rows.width()];
        for class in 0..rows.classes() {
            if let Some(is_true) = constant(rows, class) {
                weights.set(class, certain(is_true), &none);
            }
        }
        for (&class, coefficients) in order.iter().zip(&coefficients) {
            weights.set(class, coefficients[0], &coefficients[1..inputs]);
        }
        let later = |place: usize| coefficients[place + 1..].iter().map(move |c| c[inputs + place]);
        let links = (0..order.len()).flat_map(later).collect();
        let order = order.into_iter().map(|class| class as u32).collect();
        Ok(Self { order, weights, links })
    }

    fn scores(&self, row: &[f32], scores: &mut [f64]) {
        self.weights.scores(row, scores);
        let mut links = &self.links[..];
        for (place, &class) in self.order.iter().enumerate() {
            let later = &self.order[place + 1..];
            let (own, rest) = links.split_at(later.len());
            links = rest;
            if scores[class as usize] > 0.0 {
                for (&class, link) in later.iter().zip(own) {
                    scores[class as usize] += link;
                }
            }
        }
    }

    fn store(&self, tensors: &mut NamedTensors, prefix: &str) {
        self.weights.store(tensors, prefix);
        let order = TensorValues::U32(self.order.clone());
        tensors.insert(format!("{prefix}order"), &[self.order.len()], order);
        let links = TensorValues::F64(self.links.clone());
        tensors.insert(format!("{prefix}links"), &[self.links.len()], links);
    }

    fn load(
        tensors: &mut NamedTensors,
        prefix: &str,
        inputs: usize,
        classes: usize,
    ) -> Result<Self, String> {
        let weights = Weights::load(tensors, prefix, inputs, classes)?;
        let (_, order) = tensors.take_u32(&format!("{prefix}order"), 1)?;
        let mut is_there = vec![false; classes];
        for &class in &order {
            let is_there = is_there
                .get_mut(class as usize)
                .ok_or_else(|| format!("`{prefix}order` has class {class} of {classes}"))?;
            if std::mem::replace(is_there, true) {
                return Err(format!("`{prefix}order` has class {class} twice"));
            }
        }
        let (_, links) = tensors.take_f64(&format!("{prefix}links"), 1)?;
        let expected = order.len() * order.len().saturating_sub(1) / 2;
        if links.len() != expected {
            return Err(format!(
                "`{prefix}links` has {} numbers instead of {expected}",
                links.len()
            ));
        }
        if links.iter().any(|link| !link.is_finite()) {
            return Err(format!("`{prefix}links` has numbers that are not finite"));
        }
        Ok(Self { order, weights, links })
    }
}

#[cfg(test)]
mod tests {
    use super::super::logistic::LogisticSet;
    use super::super::reference_problem::{ReferenceProblem, damaged};
    use super::*;

    fn fitted(problem: &ReferenceProblem, settings: &ChainSettings, seed: u64) -> Chains {
        problem.fit(|rows| Chains::fit(rows, settings, seed, &Watch::idle()).unwrap())
    }

    #[test]
    fn a_chain_has_the_logits_of_regressions_that_see_decisions() {
        let problem = ReferenceProblem::read();
        let chains = fitted(&problem, &ChainSettings::single(), 0);
        let logits = problem.logits(|inputs, logits| chains.logits(inputs, logits));
        for (row, logits) in logits.chunks(problem.classes).enumerate() {
            for (&class, expected) in &problem.chain {
                let (found, expected) = (f64::from(logits[class]), expected[row]);
                assert!((found - expected).abs() < 1e-5, "row {row}: {found} {expected}");
            }
            assert_eq!(logits[3], f32::NEG_INFINITY);
        }
    }

    /// The first class of a chain sees the inputs alone.
    #[test]
    fn the_first_of_a_chain_is_a_plain_regression() {
        let problem = ReferenceProblem::read();
        let chains = fitted(&problem, &ChainSettings::default(), 5);
        let settings = LogisticSettings::default();
        let plain = problem.fit(|rows| LogisticSet::fit(rows, &settings, &Watch::idle()).unwrap());
        for chain in &chains.chains {
            let first = chain.order[0] as usize;
            assert!((chain.weights.bias(first) - plain.intercept(first)).abs() < 1e-6);
        }
    }

    #[test]
    fn several_chains_are_the_mean_of_their_probabilities() {
        let problem = ReferenceProblem::read();
        let several = ChainSettings { chains: 3, ..ChainSettings::default() };
        let chains = fitted(&problem, &several, 1);
        let orders: Vec<&[u32]> = chains.chains.iter().map(|chain| &chain.order[..]).collect();
        assert!(orders[0] != orders[1] || orders[1] != orders[2], "{orders:?}");
        let all = problem.logits(|inputs, logits| chains.logits(inputs, logits));
        let each: Vec<Vec<f32>> = chains
            .chains
            .iter()
            .map(|chain| {
                let one = Chains { chains: vec![chain.clone()] };
                problem.logits(|inputs, logits| one.logits(inputs, logits))
            })
            .collect();
        let probability = |logit: f32| 1.0 / (1.0 + f64::from(-logit).exp());
        for (at, &logit) in all.iter().enumerate() {
            let mean = each.iter().map(|logits| probability(logits[at])).sum::<f64>() / 3.0;
            assert!((probability(logit) - mean).abs() < 1e-6);
        }
        assert_ne!(fitted(&problem, &several, 1), fitted(&problem, &several, 2));
    }

    #[test]
    fn arrays_are_not_believed() {
        let problem = ReferenceProblem::read();
        let chains = fitted(&problem, &ChainSettings { chains: 2, ..ChainSettings::paper() }, 0);
        let (width, classes) = (problem.width, problem.classes);
        assert_eq!(Chains::from_tensors(chains.tensors(), width, classes), Ok(chains.clone()));
        for (what, arrays) in damaged(&chains.tensors()) {
            // Without the order of the last chain there are fewer chains.
            let fewer = what == "1.order missing";
            let read = Chains::from_tensors(arrays, width, classes);
            assert!(read.is_err() || fewer, "{what}");
        }
        let mut twice = chains.clone();
        twice.chains[0].order[1] = twice.chains[0].order[0];
        let error = Chains::from_tensors(twice.tensors(), width, classes).unwrap_err();
        assert_eq!(error, "`0.order` has class 0 twice");
    }
}
