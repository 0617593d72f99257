//! Training a two-way network.

use rulebound_core::{ConstraintLoss, LossWorkspace};

use super::TwoWay;
use super::problem::{METHOD, TwoWayProblem};
use super::settings::TwoWaySettings;
use crate::learner::epochs::{EpochPlan, FittedMember, TrainedByEpochs, train};
use crate::learner::fitted::Fitted;
use crate::learner::rows::{FitError, FitRows};
use crate::learner::watch::Watch;
use crate::network::{Activation, Adam, Dropout, Network, Shape, Trainee, Workspace, awake};
use crate::random::{Draws, Purpose};

impl TwoWay {
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
        settings: &TwoWaySettings,
        plan: EpochPlan,
        seed: u64,
        watch: &Watch<'_>,
    ) -> Result<FittedMember<Self>, FitError> {
        train(METHOD, TwoWayTrainee::new(rows, settings, seed)?, plan, valid, watch)
    }
}

/// A two-way network during training.
struct TwoWayTrainee<'a> {
    /// Its network is updated after every epoch.
    learner: TwoWay,
    problem: TwoWayProblem,
    trainee: Trainee,
    steps: u64,
    rows: &'a FitRows<'a>,
    settings: &'a TwoWaySettings,
    seed: u64,
    loss: ConstraintLoss,
    space: Space,
}

/// The memory of a step.
struct Space {
    network: Workspace,
    loss: LossWorkspace<f32>,
    logits: Vec<f32>,
    gradient: Vec<f32>,
    labels: Vec<bool>,
    weights: Vec<f32>,
}

impl<'a> TwoWayTrainee<'a> {
    fn new(
        rows: &'a FitRows<'a>,
        settings: &'a TwoWaySettings,
        seed: u64,
    ) -> Result<Self, FitError> {
        let problem = TwoWayProblem::new(rows, settings)?;
        let loss = ConstraintLoss::new(problem.program()).evaluated(problem.evaluated().to_vec());
        let outputs = 2 * rows.classes();
        let shape = Shape { inputs: rows.width(), hidden: settings.hidden.clone(), outputs };
        let network = Network::random(shape, Activation::Relu, seed);
        let space = Space {
            network: Workspace::default(),
            loss: loss.workspace(),
            logits: vec![],
            gradient: vec![],
            labels: vec![],
            weights: problem.weights().repeat(settings.batch.min(rows.rows())),
        };
        let learner = problem.learner(network.clone());
        let trainee = Trainee::new(network);
        Ok(Self { learner, problem, trainee, steps: 0, rows, settings, seed, loss, space })
    }

    /// One step; returns the loss of the batch, NaN if it diverged.
    fn step(&mut self, batch: &[u32], dropout: Dropout) -> f64 {
        let classes = self.rows.classes();
        let size = 2 * classes * batch.len();
        let Space { network, loss, logits, gradient, labels, weights } = &mut self.space;
        logits.resize(size, 0.0);
        gradient.resize(size, 0.0);
        labels.resize(size, false);
        for (&row, labels) in batch.iter().zip(labels.chunks_mut(2 * classes)) {
            self.problem.fill(self.rows, row as usize, labels);
        }
        let inputs = batch.iter().map(|&row| self.rows.row(row as usize));
        network.forward(&self.trainee.network, inputs, Some(dropout), logits);
        let weights = &weights[..size];
        let value = self.loss.forward_backward_weighted(logits, labels, weights, gradient, loss);
        let Ok(value) = value else { return f64::NAN };
        self.steps += 1;
        let (rate, decay) = (self.settings.learning_rate, self.settings.weight_decay);
        network.backward(&mut self.trainee, gradient, Adam::step(self.steps, rate, decay));
        value.value
    }
}

impl TrainedByEpochs for TwoWayTrainee<'_> {
    type Learner = TwoWay;

    fn epoch(&mut self, epoch: u32, watch: &Watch<'_>) -> Result<f64, FitError> {
        let order = Draws::in_epoch(self.seed, Purpose::Shuffle, epoch).shuffle(self.rows.rows());
        let total = awake(|| {
            let mut total = 0.0;
            for (step, batch) in order.chunks(self.settings.batch).enumerate() {
                watch.go_on()?;
                let (rate, seed) = (self.settings.dropout, self.seed);
                let dropout = Dropout { rate, seed, epoch, step: step as u32 };
                total += self.step(batch, dropout) * batch.len() as f64;
            }
            Ok(total)
        })?;
        self.learner.network.clone_from(&self.trainee.network);
        Ok(total / order.len().max(1) as f64)
    }

    fn learner(&self) -> &TwoWay {
        &self.learner
    }

    fn logits(&self, inputs: &[f32], logits: &mut [f32]) {
        self.learner.logits(inputs, logits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::toy::{Toy, expect_any_threads};
    use crate::learner::{NamedTensors, TensorValues};
    use rulebound_core::LabelId;

    fn settings() -> TwoWaySettings {
        TwoWaySettings {
            hidden: vec![24],
            dropout: 0.1,
            batch: 8,
            learning_rate: 3e-3,
            ..TwoWaySettings::default()
        }
    }

    /// Whether a class is another or below it.
    fn is_below(rows: &FitRows<'_>, low: usize, high: usize) -> bool {
        let rules = rows.program().rules_of(LabelId::new(high)).iter();
        let children = rules.map(|&rule| rows.program().rule(rule).body()[0].label().index());
        low == high || children.into_iter().any(|child| is_below(rows, low, child))
    }

    fn logistic(logit: f32) -> f64 {
        1.0 / (1.0 + (-f64::from(logit)).exp())
    }

    /// The largest of some outputs, each times its factor, as the paper writes it.
    fn largest(classes: usize, of: impl Fn(usize) -> Option<f64>) -> f64 {
        (0..classes).filter_map(of).fold(0.0, f64::max)
    }

    #[test]
    fn loss_and_prediction_are_those_of_the_definition() {
        let toy = Toy::new(12, 4);
        let rows = toy.rows();
        let settings = TwoWaySettings { affirmed: 0.7, dropout: 0.0, batch: 12, ..settings() };
        let mut trainee = TwoWayTrainee::new(&rows, &settings, 1).unwrap();
        let (classes, alpha) = (rows.classes(), settings.affirmed);
        let mut raw = vec![0.0; 12 * 2 * classes];
        trainee.trainee.network.forward_pass().logits(rows.inputs(), &mut raw);
        let mut logits = vec![0.0; 12 * classes];
        trainee.learner.logits(rows.inputs(), &mut logits);
        let (mut loss, mut terms) = (0.0, 0.0);
        for row in 0..12 {
            let yes = |class: usize| logistic(raw[row * 2 * classes + class]);
            let no = |class: usize| logistic(raw[row * 2 * classes + classes + class]);
            let label = |class: usize| {
                f64::from(u8::from(rows.labels().contains(row, LabelId::new(class))))
            };
            for class in 0..classes {
                let up = |factor: &dyn Fn(usize) -> f64| {
                    largest(classes, |low| {
                        is_below(&rows, low, class).then(|| factor(low) * yes(low))
                    })
                };
                let down = |factor: &dyn Fn(usize) -> f64| {
                    largest(classes, |high| {
                        is_below(&rows, class, high).then(|| factor(high) * no(high))
                    })
                };
                let expected = alpha * up(&|_| 1.0) + (1.0 - alpha) * (1.0 - down(&|_| 1.0));
                let found = logistic(logits[row * classes + class]);
                assert!((found - expected).abs() < 1e-6, "{row} {class}: {found} {expected}");
                if !rows.is_evaluated(class) {
                    continue;
                }
                let (affirmed, denied) = match label(class) == 1.0 {
                    true => (up(&label), down(&|_| 1.0)),
                    false => (up(&|_| 1.0), down(&|high| 1.0 - label(high))),
                };
                let entropy = |p: f64| if label(class) == 1.0 { -p.ln() } else { -(1.0 - p).ln() };
                loss += alpha * entropy(affirmed) + (1.0 - alpha) * entropy(1.0 - denied);
                terms += 1.0;
            }
        }
        let batch: Vec<u32> = (0..12).collect();
        let dropout = Dropout { rate: 0.0, seed: 1, epoch: 0, step: 0 };
        let found = trainee.step(&batch, dropout);
        assert!((found - loss / terms).abs() < 1e-5, "{found} {}", loss / terms);
    }

    /// The gradient with respect to the outputs is the slope of the loss.
    #[test]
    fn gradients_are_those_of_finite_differences() {
        let toy = Toy::new(6, 4);
        let rows = toy.rows();
        let settings = TwoWaySettings { affirmed: 0.7, batch: 6, ..settings() };
        let mut trainee = TwoWayTrainee::new(&rows, &settings, 1).unwrap();
        let batch: Vec<u32> = (0..6).collect();
        trainee.step(&batch, Dropout { rate: 0.0, seed: 1, epoch: 0, step: 0 });
        let Space { loss: space, logits, gradient, labels, weights, .. } = &mut trainee.space;
        let mut unused = vec![0.0; gradient.len()];
        for at in 0..logits.len() {
            let kept = logits[at];
            let mut value = |step: f32| {
                logits[at] = kept + step;
                let weights = &weights[..labels.len()];
                let loss = &trainee.loss;
                loss.forward_backward_weighted(logits, labels, weights, &mut unused, space)
                    .unwrap()
                    .value
            };
            let slope = (value(1e-3) - value(-1e-3)) / 2e-3;
            logits[at] = kept;
            assert!(
                (slope - f64::from(gradient[at])).abs() < 2e-4,
                "{at}: {slope} {}",
                gradient[at]
            );
        }
    }

    #[test]
    fn it_learns_and_threads_change_nothing() {
        let (train, valid) = (Toy::new(400, 1), Toy::new(200, 2));
        let plan = EpochPlan::Search { patience: 10, most: 40 };
        let fitted = expect_any_threads(|| {
            let (rows, valid) = (train.rows(), valid.rows());
            TwoWay::fit(&rows, Some(&valid), &settings(), plan, 5, &Watch::idle()).unwrap()
        });
        assert!(fitted.best.unwrap() > 0.95, "{:?}", fitted.best);
        let network = fitted.learner;
        let right = valid.accuracy(|inputs, logits| network.logits(inputs, logits));
        assert!(right > 0.9, "{right}");
        valid.expect_rows_alone(|inputs, logits| network.logits(inputs, logits));
        let back = TwoWay::from_tensors(network.tensors(), Toy::WIDTH, 6).unwrap();
        assert_eq!(back, network);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let fit = |toy: &Toy, rate: f64| {
            let settings = TwoWaySettings { learning_rate: rate, ..settings() };
            let (rows, plan) = (toy.rows(), EpochPlan::Exactly(2));
            TwoWay::fit(&rows, None, &settings, plan, 0, &Watch::idle())
        };
        let error = fit(
            &Toy::with_rules(
                "a -> b
not b -> ab",
                10,
                1,
            ),
            1e-3,
        )
        .unwrap_err();
        assert!(matches!(error, FitError::Unsuitable { method: "dhn", .. }), "{error}");
        let error = fit(&Toy::new(30, 1), 1e30).unwrap_err();
        assert!(matches!(error, FitError::Diverged { .. }), "{error}");
        let tensors = fit(&Toy::new(30, 1), 1e-3).unwrap().learner.tensors();
        let read = |tensors| TwoWay::from_tensors(tensors, Toy::WIDTH, 6).map(|_| ());
        assert_eq!(read(tensors.clone()), Ok(()));
        assert!(TwoWay::from_tensors(tensors.clone(), 4, 6).is_err());
        assert!(TwoWay::from_tensors(tensors.clone(), Toy::WIDTH, 7).is_err());
        let with = |name: &str, shape: &[usize], values: TensorValues| {
            let mut changed = NamedTensors::new();
            for (other, shape, values) in tensors.iter().filter(|(other, ..)| *other != name) {
                changed.insert(other, shape, values.clone());
            }
            changed.insert(name, shape, values);
            changed
        };
        let edges = |edges: &[u32]| {
            read(with("edges", &[edges.len() / 2, 2], TensorValues::U32(edges.to_vec())))
        };
        assert!(edges(&[0, 1, 1, 0]).is_err(), "a cycle");
        assert!(edges(&[0, 6]).is_err() && edges(&[2, 2]).is_err() && edges(&[]).is_ok());
        assert!(read(with("affirmed", &[1], TensorValues::F64(vec![1.5]))).is_err());
        assert!(read(with("edges", &[1, 3], TensorValues::U32(vec![0, 1, 2]))).is_err());
        assert!(read(with("layer.1.bias", &[11], TensorValues::F32(vec![0.0; 11]))).is_err());
        assert!(read(with("layer.1.bias", &[12], TensorValues::F32(vec![f32::NAN; 12]))).is_err());
    }
}
