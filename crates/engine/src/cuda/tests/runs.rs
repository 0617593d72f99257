//! Whole runs on a GPU: stopped and resumed, and the predictions of their models.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rulebound_core::{Delegate, Program, Violations};

use super::gpu;
use crate::calibration::{Calibration, CalibrationMethod};
use crate::cuda::{Gpu, GpuScorer};
use crate::dataset::{Builtin, Column, Dataset, DatasetBuilder, Pipeline, Scaling, Split, Step};
use crate::device::Device;
use crate::learner::TwoWaySettings;
use crate::model::Model;
use crate::network::SparseUpdate;
use crate::predict::{FeatureRows, Predictions};
use crate::random::{Draws, Purpose, unit};
use crate::train::{
    ClassWeights, Configuration, EarlyStopping, Method, Observer, RunPaths, Stopping, TrainError,
    Trainer,
};

fn device() -> Device {
    Device::Cuda(Box::new(gpu()))
}

fn data() -> Dataset {
    Builtin::NineRectangles.generate(Step::HALFWAY, 3).unwrap()
}

fn configuration() -> Configuration {
    let early = EarlyStopping { patience: 3, most: Some(12), retrain: true, ..Default::default() };
    Configuration {
        hidden: vec![40, 30],
        members: 3,
        batch: 8,
        dropout: 0.2,
        stopping: Stopping::Early(early),
        ..Configuration::default()
    }
}

#[test]
#[ignore = "needs a GPU"]
fn sparse_features_train_the_same_model_as_dense_ones() {
    let device = device();
    let dense = data();
    let sparse = dense.clone().stored_sparse(true);
    let scaling = Some(Scaling::None);
    let configuration = Configuration { scaling, ..configuration() };
    let fit = |data: &Dataset| {
        let trainer = Trainer::new().configuration(configuration.clone()).device(&device);
        trainer.fit(data).unwrap()
    };
    assert!(fit(&dense).members() == fit(&sparse).members());
}

/// Rows of several hundred columns that list a few; a class for each third of the columns.
fn words() -> Dataset {
    let program: Program = "a -> b\nb -> c".parse().unwrap();
    let width = 300;
    let columns = (0..width).map(|place| Column::numeric(place.to_string())).collect();
    let mut builder = DatasetBuilder::new("words", columns, vec![], 3).unwrap();
    builder.begin(Split::Train).unwrap();
    let draws = Draws::new(5, Purpose::Points);
    for row in 0..200 {
        let mut cells = vec![0.0; width];
        let four = draws.four(row, 0, 0).map(|bits| bits as usize % width);
        four.iter().for_each(|&column| cells[column] = 1.0 + (column % 3) as f32);
        let row = builder.push(&cells, &[]).unwrap();
        let third = four.iter().min().unwrap() / 100;
        for class in program.labels().ids().skip(third) {
            builder.labels_mut().insert(row, class);
        }
    }
    builder.finish(program).unwrap().stored_sparse(true)
}

#[test]
#[ignore = "needs a GPU"]
fn lazy_updates_train_as_on_the_cpu() {
    let (device, data) = (device(), words());
    for batch in [4, 40] {
        let configuration = Configuration {
            scaling: Some(Scaling::Scale),
            hidden: vec![30],
            dropout: 0.0,
            members: 2,
            batch,
            learning_rate: 1e-3,
            stopping: Stopping::Epochs(3),
            sparse_update: SparseUpdate::Lazy,
            ..Configuration::default()
        };
        let fit = |configuration: &Configuration, device: &Device| {
            let trainer = Trainer::new().configuration(configuration.clone()).device(device);
            trainer.fit(&data).unwrap()
        };
        let (here, there) = (fit(&configuration, &Device::Cpu), fit(&configuration, &device));
        assert_near(&here, &there, &format!("batch {batch}"));
    }
}

/// The same networks, up to rounding.
fn assert_near(here: &Model, there: &Model, what: &str) {
    for (here, there) in here.members().iter().zip(there.members()) {
        for (here, there) in here.layers().iter().zip(there.layers()) {
            let pairs = here.weights().zip(there.weights());
            let far = pairs.map(|(here, there)| (here - there).abs()).fold(0.0, f32::max);
            assert!(far < 5e-3, "{what}: {far}");
        }
    }
}

/// Rows with weights, of which every fifth has none, and labels that are not known or break a rule.
#[test]
#[ignore = "needs a GPU"]
fn weights_and_unknown_labels_train_as_on_the_cpu() {
    let device = device();
    let program: Program = "a -> b\nc, not a -> d\nb -> e".parse().unwrap();
    let columns = (0..6).map(|place| Column::numeric(place.to_string())).collect();
    let mut builder = DatasetBuilder::new("weights", columns, vec![], 5).unwrap();
    builder.begin(Split::Train).unwrap();
    let draws = Draws::new(8, Purpose::Points);
    let mut weights = Vec::new();
    for row in 0..240 {
        let cells = [0, 1].map(|part| draws.four(row, part, 0).map(unit)).concat();
        let place = builder.push(&cells[..6], &[]).unwrap();
        for (class, cell) in program.labels().ids().zip(&cells) {
            if *cell > 0.5 {
                builder.labels_mut().insert(place, class);
            }
            if cells[7] * 10.0 % 1.0 < 0.2 {
                builder.labels_mut().set_unknown(place, class);
            }
        }
        weights.push(if row % 5 == 0 { 0.0 } else { 40.0 * cells[6] });
    }
    let data = builder.finish(program).unwrap();
    let weighted = data.clone().with_weights(weights).unwrap();
    for (data, class_weights) in [
        (&data, ClassWeights::Equal),
        (&weighted, ClassWeights::Balanced),
        (&weighted, ClassWeights::Each(vec![1.0, 0.0, 300.0, 0.01, 2.0])),
    ] {
        for (method, batch) in [(Method::Ccn, 4), (Method::Ccn, 40), (Method::Cm, 16)] {
            let configuration = Configuration {
                method,
                batch,
                hidden: vec![30],
                dropout: 0.0,
                members: 2,
                class_weights: class_weights.clone(),
                stopping: Stopping::Epochs(3),
                ..Configuration::default()
            };
            let fit = |device: &Device| {
                let trainer = Trainer::new().configuration(configuration.clone()).device(device);
                trainer.fit(data).unwrap()
            };
            let what = format!("{method} batch {batch} {class_weights:?}");
            let (here, there) = (fit(&Device::Cpu), fit(&device));
            assert_near(&here, &there, &what);
            for (here, there) in here.training().members.iter().zip(&there.training().members) {
                let (here, there) = (here.loss, there.loss);
                assert!((here - there).abs() < 1e-4 * here.abs(), "{what}: {here} {there}");
            }
        }
    }
}

/// A checkpoint in the folder, written as often as possible, and resumed from.
fn resumed_in(folder: &Path) -> RunPaths {
    let checkpoint = Some(folder.join("c"));
    RunPaths {
        checkpoint,
        resume: true,
        checkpoint_interval: Duration::ZERO,
        ..RunPaths::default()
    }
}

/// Stops a run after this many examples.
struct After {
    left: AtomicUsize,
    stop: AtomicBool,
}

impl Observer for After {
    fn examples(&self, count: usize) {
        let left = self.left.load(Ordering::Relaxed).saturating_sub(count);
        self.left.store(left, Ordering::Relaxed);
        self.stop.store(left == 0, Ordering::Relaxed);
    }
}

#[test]
#[ignore = "needs a GPU"]
fn a_run_that_was_stopped_ends_where_it_would_have() {
    let (device, data) = (device(), data());
    for (hidden, batch) in [(vec![40, 30], 8), (vec![40, 30], 40), (vec![2101, 2102], 150)] {
        let configuration = Configuration { hidden, batch, ..configuration() };
        let fit = |paths: RunPaths, watch: &After| {
            Trainer::new()
                .configuration(configuration.clone())
                .device(&device)
                .paths(paths)
                .observer(watch)
                .stop(&watch.stop)
                .fit(&data)
        };
        let after =
            |examples| After { left: AtomicUsize::new(examples), stop: AtomicBool::new(false) };
        let whole = fit(RunPaths::default(), &after(usize::MAX)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let places = resumed_in(folder.path());
        let mut stops = 0;
        let resumed = loop {
            match fit(places.clone(), &after(9000)) {
                Ok(model) => break model,
                Err(TrainError::Stopped { .. }) => stops += 1,
                Err(error) => panic!("{error}"),
            }
        };
        assert!(stops > 2, "batch {batch}: {stops}");
        assert_eq!(resumed.members(), whole.members(), "batch {batch}");
        assert_eq!(resumed.training(), whole.training(), "batch {batch}");
    }
}

/// Short epochs, many of them.
#[test]
#[ignore = "needs a GPU"]
fn a_long_run_of_a_small_network_ends() {
    let device = device();
    let configuration = Configuration {
        hidden: vec![4],
        batch: 250,
        stopping: Stopping::Epochs(200),
        ..Configuration::default()
    };
    let places = RunPaths::default();
    let model = Trainer::new()
        .configuration(configuration.clone())
        .device(&device)
        .paths(places.clone())
        .fit(&data())
        .unwrap();
    assert_eq!(model.training().members[0].epochs, 200);
}

#[test]
#[ignore = "needs a GPU"]
fn another_device_does_not_go_on_with_a_checkpoint() {
    let device = device();
    let (data, configuration) = (data(), configuration());
    let folder = tempfile::tempdir().unwrap();
    let places = resumed_in(folder.path());
    let watch = After { left: AtomicUsize::new(3000), stop: AtomicBool::new(false) };
    let stopped = Trainer::new()
        .configuration(configuration.clone())
        .device(&device)
        .paths(places.clone())
        .observer(&watch)
        .stop(&watch.stop)
        .fit(&data);
    assert!(matches!(stopped, Err(TrainError::Stopped { .. })));
    let refused = Trainer::new()
        .configuration(configuration.clone())
        .paths(places.clone())
        .fit(&data)
        .unwrap_err();
    assert!(refused.to_string().contains("device was cuda, now cpu"), "{refused}");
}

fn trained(data: &Dataset, members: usize) -> Model {
    let configuration = Configuration { members, ..configuration() };
    Trainer::new().configuration(configuration.clone()).fit(data).unwrap()
}

fn rows(data: &Dataset, pipeline: &Pipeline) -> Vec<f32> {
    pipeline.transform(data, data.split(Split::Test).unwrap()).unwrap()
}

#[test]
#[ignore = "needs a GPU"]
fn predictions_are_those_of_the_processor() {
    let gpu = gpu();
    assert_same_predictions(&gpu, &[1, 3]);
}

pub(super) fn assert_same_predictions(gpu: &Gpu, members: &[usize]) {
    let data = data();
    for &members in members {
        let model = trained(&data, members);
        let rows = rows(&data, model.pipeline());
        let size = rows.len() / model.pipeline().width() * model.labels().len();
        let mut ours = vec![0.0; size];
        let mut scorer =
            GpuScorer::new(gpu, model.members(), model.thresholds(), Some(model.program()))
                .unwrap();
        let near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-4 * b.abs().max(1.0);
        // The first comes last: the layer below takes its logits.
        for member in (0..members).rev() {
            let mut host = vec![0.0; size];
            model.members()[member].forward_pass().logits(&rows, &mut host);
            scorer.logits(member, &rows, &mut ours).unwrap();
            assert!(ours.iter().zip(&host).all(near));
        }
        // The layer on the GPU is the layer on the host, given the same logits.
        let mut expected = Predictions::default();
        model.head().predict(&ours, &mut expected).unwrap();
        let mut margins = vec![0.0; size];
        let mut delegates = vec![Delegate::default(); size];
        scorer.margins(&rows, &mut margins, Some(&mut delegates)).unwrap();
        assert_eq!(margins, expected.margins());
        assert_eq!(delegates, expected.delegates());
    }
}

#[test]
#[ignore = "needs a GPU"]
fn a_predictor_on_the_gpu_decides_as_on_the_cpu() {
    let gpu = gpu();
    let data = data();
    let model = trained(&data, 3);
    let rows = data.split(Split::Test).unwrap();
    let cells: Vec<f32> = rows.flat_map(|row| data.features(row)).copied().collect();
    let rows = FeatureRows::dense(&cells, data.columns().len()).unwrap();
    let device = Device::Cuda(Box::new(gpu));
    let mut predictions = [Predictions::default(), Predictions::default()];
    model.predictor(data.columns()).unwrap().predict(rows, &mut predictions[0]).unwrap();
    let mut predictor = model.predictor_on(&device, data.columns()).unwrap();
    predictor.predict(rows, &mut predictions[1]).unwrap();
    assert_eq!(predictions[0].decisions(), predictions[1].decisions());
    let near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-4 * b.abs().max(1.0);
    assert!(predictions[0].margins().iter().zip(predictions[1].margins()).all(near));
    // NaN is reported as on the CPU.
    let bad = [f32::INFINITY, 0.5];
    let bad = FeatureRows::dense(&bad, 2).unwrap();
    let here = model.predictor(data.columns()).unwrap().predict(bad, &mut predictions[0]);
    let there = predictor.predict(bad, &mut predictions[1]);
    assert_eq!(here.unwrap_err().to_string(), there.unwrap_err().to_string());
}

/// The network runs on the GPU, calibration and layer on the CPU.
#[test]
#[ignore = "needs a GPU"]
fn a_calibrated_model_on_the_gpu_decides_as_on_the_cpu() {
    let data = data();
    let model = trained(&data, 2);
    let rows = data.split(Split::Train).unwrap();
    let scored = model.score(&data, rows).unwrap();
    let method = CalibrationMethod::Isotonic;
    let fitted = Calibration::fit(method, &scored).unwrap();
    let model = model.clone().with_calibration(fitted).unwrap();
    let rows = data.split(Split::Test).unwrap();
    let cells: Vec<f32> = rows.flat_map(|row| data.features(row)).copied().collect();
    let rows = FeatureRows::dense(&cells, data.columns().len()).unwrap();
    let device = Device::Cuda(Box::new(gpu()));
    let mut predictions = [Predictions::default(), Predictions::default()];
    model.predictor(data.columns()).unwrap().predict(rows, &mut predictions[0]).unwrap();
    let mut predictor = model.predictor_on(&device, data.columns()).unwrap();
    predictor.predict(rows, &mut predictions[1]).unwrap();
    let [here, there] = predictions;
    let near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-3 * b.abs().max(1.0);
    assert!(here.margins().iter().zip(there.margins()).all(near));
    assert_eq!(Violations::logical(model.program(), &there.decisions()).total(), 0);
    let differ = here.decisions().iter().zip(there.decisions()).filter(|(a, b)| **a != *b).count();
    assert!(differ <= 2, "{differ} decisions differ");
}

/// Two-way networks: the logits of the CPU up to rounding, members as if each were alone, and the
/// same numbers of epochs wherever they are searched.
#[test]
#[ignore = "needs a GPU"]
fn two_way_networks_are_those_of_the_cpu() {
    let (device, data) = (device(), data());
    let settings = TwoWaySettings {
        hidden: vec![40, 30],
        dropout: 0.2,
        batch: 8,
        learning_rate: 1e-3,
        ..TwoWaySettings::default()
    };
    let configuration = Configuration {
        method: Method::Learner("dhn"),
        learner: Some(settings.into()),
        members: 2,
        stopping: Stopping::Epochs(2),
        ..Configuration::default()
    };
    let fit = |configuration: &Configuration, device: &Device| {
        Trainer::new().configuration(configuration.clone()).device(device).fit(&data).unwrap()
    };
    let logits = |model: &Model| {
        let inputs = model.pipeline().transform(&data, data.split(Split::Test).unwrap()).unwrap();
        let rows = data.split(Split::Test).unwrap().len();
        model.parts()[0].learner().member_logits(&inputs, rows)
    };
    let (here, there) = (fit(&configuration, &Device::Cpu), fit(&configuration, &device));
    for (here, there) in logits(&here).iter().zip(&logits(&there)) {
        let far = here.iter().zip(there).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(far < 1e-2, "{far}");
    }
    let second =
        Configuration { members: 1, seed: configuration.seed + 1, ..configuration.clone() };
    assert_eq!(logits(&fit(&second, &device))[0], logits(&there)[1]);
    let early = EarlyStopping { patience: 2, most: Some(6), ..Default::default() };
    let early = Configuration { stopping: Stopping::Early(early), ..configuration };
    let best = |model: Model| model.training().members.iter().map(|of| of.best).collect::<Vec<_>>();
    for (here, there) in best(fit(&early, &Device::Cpu)).iter().zip(best(fit(&early, &device))) {
        let (Some((_, here)), Some((_, there))) = (here, there) else { panic!("no best") };
        assert!((here - there).abs() < 1e-2, "{here} {there}");
    }
}
