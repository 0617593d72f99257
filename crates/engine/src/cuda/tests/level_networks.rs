//! Level networks: a step and whole trainings on the GPU against the CPU.

use std::sync::atomic::AtomicBool;

use super::{gpu, set};
use crate::cuda::{LevelFleet, LevelFleetTask};
use crate::dataset::{Builtin, Dataset, Split, Step};
use crate::device::Device;
use crate::learner::toy::Toy;
use crate::learner::{
    EpochPlan, FitError, LevelNetwork, LevelNetworkSettings, LevelProblem, LevelWiring, Watch,
};
use crate::model::Model;
use crate::train::{
    Configuration, EarlyStopping, Method, Stopping, TrainError, Trainer, fit_level_networks,
};

const WIRINGS: [LevelWiring; 2] = [LevelWiring::FeedForward, LevelWiring::Recurrent];

/// Gradients are tenths in the first moments, and the first step of Adam is as long as the learning
/// rate, in their direction.
#[test]
#[ignore = "needs a GPU"]
fn a_step_has_the_loss_and_the_gradients_of_the_cpu() {
    let (gpu, toy) = (gpu(), Toy::new(100, 1));
    let rows = toy.rows();
    // More than one tile of rows and units, and a penalty whose part of the gradient shows.
    let settings = LevelNetworkSettings {
        units: 70,
        dropout: 0.3,
        input_dropout: 0.2,
        batch: 80,
        penalty: 20.0,
        local: 0.3,
        ..LevelNetworkSettings::default()
    };
    let seeds = [3, 8];
    for wiring in WIRINGS {
        let settings = LevelNetworkSettings { wiring, ..settings.clone() };
        let problem = LevelProblem::new(&rows, &settings).unwrap();
        let task = LevelFleetTask {
            problem: &problem,
            settings: &settings,
            rows: &rows,
            valid: None,
            seeds: &seeds,
            keeps_best: false,
        };
        let mut fleet = LevelFleet::new(&gpu, &task).unwrap();
        for (slot, &seed) in seeds.iter().enumerate() {
            fleet.put(slot, &problem.wiring().random(seed)).unwrap();
        }
        fleet.begin_epoch(&[0, 1], 0).unwrap();
        fleet.step(0, 0).unwrap();
        for (slot, &seed) in seeds.iter().enumerate() {
            let first = LevelNetwork::first_batch(&rows, &settings, seed);
            let (loss, gradients) = first.unwrap();
            // 80 of 100 rows.
            let found = fleet.loss_of_epoch(slot).unwrap() * 100.0 / 80.0;
            assert!((found - loss).abs() < 1e-5 * loss, "{wiring:?}: {found} {loss}");
            let (moments, layers) =
                (fleet.moments(slot).unwrap(), fleet.take(slot, false).unwrap());
            let before = problem.wiring().random(seed);
            for (layer, (name, ..)) in problem.wiring().shapes().iter().enumerate() {
                let most = gradients[layer].iter().fold(0.0, |most: f32, g| most.max(g.abs()));
                assert!(most > 1e-4, "{wiring:?} {name}: {most}");
                for (at, &gradient) in gradients[layer].iter().enumerate() {
                    let moment = 10.0 * moments[layer].numbers()[at];
                    let far = (moment - gradient).abs();
                    assert!(far < 1e-5 * most, "{wiring:?} {name} {at}: {moment} {gradient}");
                    let moved = layers[layer].numbers()[at] - before[layer].numbers()[at];
                    if gradient.abs() > 1e-3 * most {
                        let far = (moved + 1e-3 * gradient.signum()).abs();
                        assert!(far < 2e-5, "{wiring:?} {name} {at}: {moved} {gradient}");
                    }
                }
            }
        }
    }
}

fn data() -> Dataset {
    Builtin::NineRectangles.generate(Step::HALFWAY, 3).unwrap()
}

fn configuration(wiring: LevelWiring, settings: LevelNetworkSettings) -> Configuration {
    let method = Method::Learner(wiring.method());
    let learner = Some(LevelNetworkSettings { wiring, ..settings }.into());
    Configuration { method, learner, ..Configuration::default() }
}

fn small(wiring: LevelWiring) -> Configuration {
    let settings = LevelNetworkSettings {
        units: 24,
        dropout: 0.2,
        batch: 100,
        ..LevelNetworkSettings::default()
    };
    let stopping = Stopping::Epochs(2);
    Configuration { members: 2, stopping, ..configuration(wiring, settings) }
}

fn fit(data: &Dataset, configuration: &Configuration, device: &Device) -> Model {
    Trainer::new().configuration(configuration.clone()).device(device).fit(data).unwrap()
}

fn losses(model: &Model) -> Vec<f64> {
    model.training().members.iter().map(|member| member.loss).collect()
}

fn best(model: &Model) -> Vec<f64> {
    model.training().members.iter().map(|member| member.best.unwrap().1).collect()
}

fn assert_near(found: &[f64], expected: &[f64], bound: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < bound, "{found} {expected}");
    }
}

/// The losses and logits of the CPU up to rounding, members as if each were alone, and nearly the
/// same values on validation rows.
#[test]
#[ignore = "needs a GPU"]
fn level_networks_are_those_of_the_cpu() {
    let (device, data) = (Device::Cuda(Box::new(gpu())), data());
    let logits = |model: &Model| {
        let inputs = model.pipeline().transform(&data, data.split(Split::Test).unwrap()).unwrap();
        let rows = data.split(Split::Test).unwrap().len();
        model.parts()[0].learner().member_logits(&inputs, rows)
    };
    for wiring in WIRINGS {
        let configuration = small(wiring);
        let (here, there) =
            (fit(&data, &configuration, &Device::Cpu), fit(&data, &configuration, &device));
        assert_near(&losses(&there), &losses(&here), 1e-4);
        for (here, there) in logits(&here).iter().zip(&logits(&there)) {
            let far = here.iter().zip(there).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(far < 1e-2, "{wiring:?}: {far}");
        }
        let second =
            Configuration { members: 1, seed: configuration.seed + 1, ..configuration.clone() };
        assert_eq!(logits(&fit(&data, &second, &device))[0], logits(&there)[1]);
        let early = EarlyStopping { patience: 2, most: Some(5), ..Default::default() };
        let early = Configuration { stopping: Stopping::Early(early), ..configuration };
        let (here, there) = (fit(&data, &early, &Device::Cpu), fit(&data, &early, &device));
        assert_near(&best(&there), &best(&here), 1e-3);
    }
}

#[test]
#[ignore = "needs a GPU"]
fn what_fails_on_the_cpu_fails_on_the_gpu() {
    let device = Device::Cuda(Box::new(gpu()));
    let Device::Cuda(gpu) = &device else { unreachable!() };
    let stop = AtomicBool::new(true);
    let small = LevelNetworkSettings { units: 24, batch: 16, ..LevelNetworkSettings::default() };
    let wild = LevelNetworkSettings { learning_rate: 1e30, ..small.clone() };
    let fit = |toy: &Toy, wiring: LevelWiring, settings: &LevelNetworkSettings| {
        let plan = (1, EpochPlan::Exactly(3), Watch::idle());
        let settings = LevelNetworkSettings { wiring, ..settings.clone() };
        fit_level_networks(gpu, &settings, &toy.rows(), None, &[plan]).map(|_| ())
    };
    for wiring in WIRINGS {
        let trainer = Trainer::new().configuration(self::small(wiring)).device(&device);
        let error = trainer.stop(&stop).fit(&data()).unwrap_err();
        assert!(matches!(error, TrainError::Stopped { .. }), "{error}");
        assert!(fit(&Toy::new(30, 1), wiring, &small).is_ok());
        let error = fit(&Toy::new(30, 1), wiring, &wild).unwrap_err();
        assert!(matches!(error, TrainError::Fit(FitError::Diverged { .. })), "{error}");
        let error = fit(&Toy::with_rules("a, b -> ab", 10, 1), wiring, &small).unwrap_err();
        assert!(matches!(error, TrainError::Fit(FitError::Unsuitable { .. })), "{error}");
    }
}

/// A data set of the paper with the published settings: both devices follow each other.
#[test]
#[ignore = "needs a GPU and RULEBOUND_DATA"]
fn needs_data_level_networks_follow_those_of_the_cpu() {
    let (device, data) = (Device::Cuda(Box::new(gpu())), set("cellcycle_FUN"));
    for wiring in WIRINGS {
        for epochs in 1..=3 {
            let stopping = Stopping::Epochs(epochs);
            let of = configuration(wiring, LevelNetworkSettings::default());
            let of = Configuration { stopping, ..of };
            let (here, there) =
                (losses(&fit(&data, &of, &Device::Cpu)), losses(&fit(&data, &of, &device)));
            assert_near(&there, &here, 1e-4 * here[0]);
        }
        let early = EarlyStopping { patience: 4, most: Some(4), ..Default::default() };
        let of = configuration(wiring, LevelNetworkSettings::default());
        let of = Configuration { stopping: Stopping::Early(early), ..of };
        let (here, there) = (fit(&data, &of, &Device::Cpu), fit(&data, &of, &device));
        assert_near(&best(&there), &best(&here), 1e-3);
    }
}
