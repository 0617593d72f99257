//! Training a level network.

use super::LevelNetwork;
use super::loss::{LevelLoss, LossSpace};
use super::pass::{Drops, Pass};
use super::problem::LevelProblem;
use super::settings::LevelNetworkSettings;
use crate::learner::epochs::{EpochPlan, FittedMember, TrainedByEpochs, train};
use crate::learner::fitted::Fitted;
use crate::learner::rows::{FitError, FitRows};
use crate::learner::watch::Watch;
use crate::network::{Adam, Dropout, Gradient, Linear};
use crate::random::{Draws, Purpose};

impl LevelNetwork {
    /// Trains a network on `rows`, as long as the plan says.
    ///
    /// # Errors
    /// If the rules are not a hierarchy, the loss is no longer a number, or the fit is stopped.
    ///
    /// # Panics
    /// If the plan is a search and there are no validation rows.
    pub fn fit(
        rows: &FitRows<'_>,
        valid: Option<&FitRows<'_>>,
        settings: &LevelNetworkSettings,
        plan: EpochPlan,
        seed: u64,
        watch: &Watch<'_>,
    ) -> Result<FittedMember<Self>, FitError> {
        let trainee = Trainee::new(rows, settings, seed)?;
        train(settings.wiring.method(), trainee, plan, valid, watch)
    }
}

#[cfg(all(test, feature = "cuda"))]
impl LevelNetwork {
    /// The loss and the gradients of the first batch, as [`Linear::numbers`] has the weights.
    pub(crate) fn first_batch(
        rows: &FitRows<'_>,
        settings: &LevelNetworkSettings,
        seed: u64,
    ) -> Result<(f64, Vec<Vec<f32>>), FitError> {
        let mut trainee = Trainee::new(rows, settings, seed)?;
        let order = Draws::in_epoch(seed, Purpose::Shuffle, 0).shuffle(rows.rows());
        let drops = trainee.drops(0, 0);
        let loss = trainee.loss(&order[..settings.batch.min(order.len())], drops);
        Ok((loss, trainee.gradients.iter().map(|of| of.numbers().to_vec()).collect()))
    }
}

/// A level network during training.
struct Trainee<'a> {
    network: LevelNetwork,
    moments: Vec<[Linear; 2]>,
    gradients: Vec<Gradient>,
    steps: u64,
    rows: &'a FitRows<'a>,
    settings: &'a LevelNetworkSettings,
    seed: u64,
    loss: LevelLoss,
    space: LossSpace,
    pass: Pass,
}

impl<'a> Trainee<'a> {
    fn new(
        rows: &'a FitRows<'a>,
        settings: &'a LevelNetworkSettings,
        seed: u64,
    ) -> Result<Self, FitError> {
        let problem = LevelProblem::new(rows, settings)?;
        let layers = problem.wiring().random(seed);
        let zeros = |layer: &Linear| Linear::zeros(layer.inputs(), layer.outputs());
        let moments = layers.iter().map(|layer| [zeros(layer), zeros(layer)]).collect();
        let gradients = layers.iter().map(Gradient::new).collect();
        let loss = LevelLoss::new(&problem, settings);
        Ok(Self {
            network: problem.learner(layers),
            moments,
            gradients,
            steps: 0,
            rows,
            settings,
            seed,
            loss,
            space: LossSpace::default(),
            pass: Pass::default(),
        })
    }

    /// What a step drops.
    fn drops(&self, epoch: u32, step: u32) -> Drops {
        let (seed, settings) = (self.seed, self.settings);
        let of = |rate| Dropout { rate, seed, epoch, step };
        Drops { units: of(settings.dropout), inputs: of(settings.input_dropout) }
    }

    /// The loss of a batch; its gradients are added to those of the layers.
    fn loss(&mut self, batch: &[u32], drops: Drops) -> f64 {
        let Self { network, pass, gradients, .. } = self;
        let inputs = batch.iter().map(|&row| self.rows.row(row as usize));
        pass.forward(&network.wiring, &network.layers, inputs, Some(drops));
        let loss = self.loss.loss(pass, self.rows, batch, &mut self.space);
        pass.backward(&network.wiring, &network.layers, gradients);
        loss
    }

    /// One step; returns the loss of the batch.
    fn step(&mut self, batch: &[u32], drops: Drops) -> f64 {
        let loss = self.loss(batch, drops);
        let Self { network, gradients, .. } = self;
        self.steps += 1;
        let adam = Adam::step(self.steps, self.settings.learning_rate, self.settings.weight_decay);
        let layers = network.layers.iter_mut().zip(&mut self.moments);
        for ((layer, moments), gradient) in layers.zip(gradients) {
            gradient.apply(layer, moments, adam);
        }
        loss
    }
}

impl TrainedByEpochs for Trainee<'_> {
    type Learner = LevelNetwork;

    fn epoch(&mut self, epoch: u32, watch: &Watch<'_>) -> Result<f64, FitError> {
        let order = Draws::in_epoch(self.seed, Purpose::Shuffle, epoch).shuffle(self.rows.rows());
        let mut total = 0.0;
        for (step, batch) in order.chunks(self.settings.batch).enumerate() {
            watch.go_on()?;
            let drops = self.drops(epoch, step as u32);
            total += self.step(batch, drops) * batch.len() as f64;
        }
        Ok(total / order.len().max(1) as f64)
    }

    fn learner(&self) -> &LevelNetwork {
        &self.network
    }

    fn logits(&self, inputs: &[f32], logits: &mut [f32]) {
        self.network.logits(inputs, logits);
    }
}

#[cfg(test)]
mod tests {
    use super::super::LevelWiring;
    use super::*;
    use crate::learner::toy::{Toy, expect_any_threads};

    const WIRINGS: [LevelWiring; 2] = [LevelWiring::FeedForward, LevelWiring::Recurrent];

    fn settings() -> LevelNetworkSettings {
        LevelNetworkSettings {
            units: 24,
            dropout: 0.1,
            batch: 16,
            learning_rate: 1e-2,
            ..LevelNetworkSettings::default()
        }
    }

    /// Each layer's gradient in a random direction is the slope of the loss in it.
    #[test]
    fn gradients_are_those_of_finite_differences() {
        let toy = Toy::new(20, 1);
        let rows = toy.rows();
        // A large penalty, so that its part of the gradient shows.
        let (dropout, input_dropout) = (0.3, 0.2);
        let settings = LevelNetworkSettings { penalty: 20.0, dropout, input_dropout, ..settings() };
        let batch: Vec<u32> = (0..20).collect();
        for wiring in WIRINGS {
            let settings = LevelNetworkSettings { wiring, ..settings.clone() };
            let mut trainee = Trainee::new(&rows, &settings, 3).unwrap();
            trainee.loss(&batch, trainee.drops(0, 0));
            let gradients: Vec<Vec<f32>> =
                trainee.gradients.iter().map(|of| of.numbers().to_vec()).collect();
            let shapes = trainee.network.wiring.shapes();
            for (layer, (name, inputs, outputs)) in shapes.into_iter().enumerate() {
                let stride = Linear::stride(inputs);
                let gradient = &gradients[layer];
                let draws = Draws::new(layer as u64, Purpose::Points);
                let direction: Vec<f32> = (0..outputs * stride)
                    .map(|at| match at % stride <= inputs {
                        true => crate::random::unit(draws.four(at as u32, 0, 0)[0]) - 0.5,
                        false => 0.0,
                    })
                    .collect();
                let expected: f64 =
                    gradient.iter().zip(&direction).map(|(g, d)| f64::from(g * d)).sum();
                let mut at = |step: f32| {
                    let layers = &mut trainee.network.layers;
                    let kept = layers[layer].clone();
                    let numbers = layers[layer].numbers_mut().iter_mut();
                    numbers.zip(&direction).for_each(|(number, d)| *number += step * d);
                    let loss = trainee.loss(&batch, trainee.drops(0, 0));
                    trainee.network.layers[layer] = kept;
                    loss
                };
                let slope = (at(1e-3) - at(-1e-3)) / 2e-3;
                let bound = 2e-3 * (1.0 + expected.abs());
                assert!((slope - expected).abs() < bound, "{wiring:?} {name}: {slope} {expected}");
                assert!(expected.abs() > 1e-4, "{wiring:?} {name}: {expected}");
            }
        }
    }

    #[test]
    fn it_learns_and_threads_change_nothing() {
        let (train, valid) = (Toy::new(400, 1), Toy::new(200, 2));
        for wiring in WIRINGS {
            let plan = EpochPlan::Search { patience: 15, most: 60 };
            let fitted = expect_any_threads(|| {
                let (rows, valid) = (train.rows(), valid.rows());
                let watch = Watch::idle();
                let settings = LevelNetworkSettings { wiring, ..settings() };
                LevelNetwork::fit(&rows, Some(&valid), &settings, plan, 5, &watch).unwrap()
            });
            assert!(fitted.best.unwrap() > 0.95, "{wiring:?}: {:?}", fitted.best);
            let network = fitted.learner;
            let right = valid.accuracy(|inputs, logits| network.logits(inputs, logits));
            assert!(right > 0.9, "{wiring:?}: {right}");
            valid.expect_rows_alone(|inputs, logits| network.logits(inputs, logits));
            let back = LevelNetwork::from_tensors(network.tensors(), Toy::WIDTH, 6).unwrap();
            assert_eq!(back, network);
        }
    }

    #[test]
    fn an_exact_plan_ends_where_a_search_found_its_best() {
        let (train, valid) = (Toy::new(60, 1), Toy::new(40, 2));
        let (rows, valid) = (train.rows(), valid.rows());
        let fit = |valid, plan| {
            LevelNetwork::fit(&rows, valid, &settings(), plan, 5, &Watch::idle()).unwrap()
        };
        let searched = fit(Some(&valid), EpochPlan::Search { patience: 5, most: 30 });
        let exact = fit(None, EpochPlan::Exactly(searched.epochs));
        assert_eq!(exact.learner, searched.learner);
        assert_eq!(exact.best, None);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let toy = Toy::with_rules("a, b -> ab", 10, 1);
        let fit = |rows: &FitRows<'_>, settings: &LevelNetworkSettings| {
            let plan = EpochPlan::Exactly(3);
            LevelNetwork::fit(rows, None, settings, plan, 0, &Watch::idle())
        };
        let error = fit(&toy.rows(), &settings()).unwrap_err();
        assert!(matches!(error, FitError::Unsuitable { method: "hmcn-f", .. }), "{error}");
        let toy = Toy::new(30, 1);
        let wild = LevelNetworkSettings { learning_rate: 1e30, ..settings() };
        let error = fit(&toy.rows(), &wild).unwrap_err();
        assert!(matches!(error, FitError::Diverged { .. }), "{error}");
        let stop = std::sync::atomic::AtomicBool::new(true);
        let (watch, plan) = (Watch::new(&stop, &|_, _| {}), EpochPlan::Exactly(3));
        let recurrent = LevelNetworkSettings { wiring: LevelWiring::Recurrent, ..settings() };
        let stopped = LevelNetwork::fit(&toy.rows(), None, &recurrent, plan, 0, &watch);
        assert_eq!(stopped.unwrap_err(), FitError::Stopped);
    }
}
