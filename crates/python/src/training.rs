//! Training: on a thread of its own, while the thread of Python hands events on and listens for Ctrl-C.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rulebound::blend::{Blend, BlendError, BlendWeights, LearnerChoice, discard_learners};
use rulebound::dataset::SplitRecipe;
use rulebound::device::{Device, DeviceChoice};
use rulebound::train::{
    BrokenLabels, Configuration, EarlyStopping, EpochRecord, Method, Observer, Phase, RunPaths,
    Stopping,
};
use rulebound::{Dataset, Model, Trainer};
use rulebound_core::UnknownName;
use rulebound_core::metrics::Metric;
use rulebound_network::Precision;
use serde_json::{Map, Value, json};

use crate::dataset::PyDataset;
use crate::failure::{train_error, value_error};
use crate::model::PyModel;
use crate::threads;

/// How long Ctrl-C may wait.
const PATIENCE: Duration = Duration::from_millis(100);

/// Trains a model. `settings` is JSON with those settings of the configuration that are not the default ones;
/// `callback` gets each event as JSON.
#[pyfunction]
#[pyo3(signature = (data, settings, device, checkpoint, resume, log, callback))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn train(
    py: Python<'_>,
    data: &PyDataset,
    settings: &str,
    device: &str,
    checkpoint: Option<PathBuf>,
    resume: bool,
    log: Option<PathBuf>,
    callback: &Bound<'_, PyAny>,
) -> PyResult<PyModel> {
    let mut settings: Value =
        serde_json::from_str(settings).map_err(|error| value_error(&error))?;
    let learners = take_learners(&mut settings)?;
    let configuration = configuration(&settings)?;
    let choice: DeviceChoice = device.parse().map_err(|error| value_error(&error))?;
    let (device, fallback) =
        py.detach(|| choice.open()).map_err(|error| crate::failure::run_time_error(&error))?;
    if let Some(reason) = fallback {
        callback
            .call1((json!({ "event": "no_gpu", "reason": reason.to_string() }).to_string(),))?;
    }
    let is_default = configuration.precision == Precision::default();
    if matches!(device, Device::Cpu) && !is_default {
        let (event, precision) = ("precision_ignored", configuration.precision);
        callback.call1((json!({ "event": event, "precision": precision }).to_string(),))?;
    }
    let stop = AtomicBool::new(false);
    let paths = RunPaths { checkpoint, resume, log, ..RunPaths::default() };
    let (sender, mut receiver) = channel();
    let trained = std::thread::scope(|scope| {
        let (stop, device) = (&stop, &device);
        let run = scope.spawn(move || {
            let events = Events(sender);
            let trainer = Trainer::new().configuration(configuration.clone()).paths(paths.clone());
            let trainer = trainer.device(device).observer(&events).stop(stop);
            threads::run(|| match learners {
                None => trainer.fit(&data.data).map_err(|error| train_error(&error)),
                Some(learners) => learners.fit(trainer, &configuration, paths, &data.data),
            })
        });
        let interrupted = hand_on(py, &mut receiver, callback, stop);
        let trained = run.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        interrupted.map_or(Ok(trained), Err)
    });
    trained?.map(PyModel::new)
}

/// The learners of a blend.
struct Learners {
    choices: Vec<LearnerChoice>,
    weights: BlendWeights,
    folds: Option<usize>,
}

/// Takes the learners of a blend out of the settings, with their weights and folds.
fn take_learners(settings: &mut Value) -> PyResult<Option<Learners>> {
    let Some(settings) = settings.as_object_mut() else { return Ok(None) };
    let Some(learners) = settings.remove("learners") else { return Ok(None) };
    let wrong = |text: String| PyValueError::new_err(text);
    let texts: Vec<String> =
        serde_json::from_value(learners).map_err(|error| value_error(&error))?;
    let choices = texts.iter().map(|text| text.parse::<LearnerChoice>());
    let choices = choices.collect::<Result<Vec<_>, _>>().map_err(|error| value_error(&error))?;
    let weights = match settings.remove("weights").unwrap_or(Value::Null) {
        Value::Array(given) => {
            let given: Vec<f64> =
                serde_json::from_value(Value::Array(given)).map_err(|error| value_error(&error))?;
            if given.len() != choices.len() {
                let (found, expected) = (given.len(), choices.len());
                return Err(wrong(format!("{found} weights for {expected} learners")));
            }
            BlendWeights::given(&given).map_err(wrong)?
        }
        Value::String(metric) => {
            BlendWeights::Chosen(metric.parse().map_err(|error: UnknownName| value_error(&error))?)
        }
        _ => BlendWeights::Chosen(Metric::Auprc),
    };
    let folds = settings.remove("blend_folds").and_then(|folds| folds.as_u64());
    Ok(Some(Learners { choices, weights, folds: folds.map(|folds| folds as usize) }))
}

impl Learners {
    /// Trains them and blends them.
    fn fit(
        self,
        trainer: Trainer<'_>,
        base: &Configuration,
        paths: RunPaths,
        data: &Dataset,
    ) -> PyResult<Model> {
        let chosen = self.choices.iter().map(|choice| choice.configuration(base));
        let configurations = chosen.collect::<Result<Vec<_>, _>>();
        let holdout = match &base.stopping {
            Stopping::Early(early) => early.holdout,
            _ => EarlyStopping::default().holdout,
        };
        let blend = Blend {
            trainer,
            configurations: configurations.map_err(|error| value_error(&error))?,
            weights: self.weights,
            paths: paths.clone(),
            folds: self.folds,
            recipe: SplitRecipe::default(),
            holdout,
        };
        let (model, _) = blend.run(data).map_err(|error| match &error {
            BlendError::Train(error) => train_error(error),
            error => value_error(error),
        })?;
        if let Some(checkpoint) = &paths.checkpoint {
            discard_learners(checkpoint, self.choices.len(), self.folds);
        }
        Ok(model)
    }
}

/// Hands events on until training ends. What was raised meanwhile, which also stops the training.
fn hand_on(
    py: Python<'_>,
    receiver: &mut Receiver<Value>,
    callback: &Bound<'_, PyAny>,
    stop: &AtomicBool,
) -> Option<PyErr> {
    let mut raised = None;
    loop {
        let waiting = &mut *receiver;
        let event = py.detach(move || waiting.recv_timeout(PATIENCE));
        let result = match event {
            Err(RecvTimeoutError::Disconnected) => return raised,
            Ok(event) if raised.is_none() => callback.call1((event.to_string(),)).map(drop),
            _ => Ok(()),
        };
        if let Err(error) = result.and_then(|()| py.check_signals()) {
            stop.store(true, Ordering::Relaxed);
            raised.get_or_insert(error);
        }
    }
}

/// The settings of a configuration that every method has; the others are those of networks.
const SHARED: [&str; 9] = [
    "method",
    "seed",
    "members",
    "labels",
    "stopping",
    "scaling",
    "class_weights",
    "plain",
    "learner",
];

/// Settings that are not there unless they are given.
const UNSET: [&str; 5] =
    ["shuffle_buffer", "sparse_update", "precision", "class_weights", "scaling"];

/// What Python has other arguments for.
const HIDDEN: [&str; 3] = ["stopping", "learner", "from"];

/// The settings of a method with their defaults, as JSON.
#[pyfunction]
pub fn default_settings(method: &str) -> PyResult<String> {
    let method: Method = method.parse().map_err(|error| value_error(&error))?;
    let configuration = Configuration { method, ..Configuration::default() };
    let values = serde_json::to_value(&configuration).map_err(|error| value_error(&error))?;
    let Value::Object(mut values) = values else { return Ok("{}".to_owned()) };
    for name in UNSET {
        values.entry(name).or_insert(Value::Null);
    }
    values["class_weights"] = json!(configuration.class_weights);
    values["sparse_update"] = json!(configuration.sparse_update);
    values["precision"] = json!(configuration.precision);
    if let Some(learner) = learner_of(&json!({ "method": method }))? {
        values.retain(|name, _| SHARED.contains(&name.as_str()));
        values.insert("plain".to_owned(), json!(configuration.plain));
        values.extend(learner.settings);
    }
    values.retain(|name, _| !HIDDEN.contains(&name.as_str()));
    Ok(Value::Object(values).to_string())
}

/// The settings of early stopping with their defaults, as JSON.
#[pyfunction]
pub fn default_early_stopping() -> PyResult<String> {
    serde_json::to_string(&EarlyStopping::default()).map_err(|error| value_error(&error))
}

/// The default configuration with some settings replaced. For a method that is not a network, settings by
/// their names are those of its learner.
fn configuration(given: &Value) -> PyResult<Configuration> {
    let defaults = serde_json::to_value(Configuration::default());
    let mut values = defaults.map_err(|error| value_error(&error))?;
    let mut learner = learner_of(given)?;
    for (name, value) in given.as_object().into_iter().flatten() {
        match &mut learner {
            Some(learner) if !SHARED.contains(&name.as_str()) => learner.set(name, value)?,
            _ => values[name] = value.clone(),
        }
    }
    if let Some(Learner { kind, settings, is_changed: true, .. }) = learner {
        values["learner"] = json!({ kind: settings });
    }
    serde_json::from_value(values).map_err(|error| value_error(&error))
}

/// The settings of a learner that is not a network.
struct Learner {
    method: Method,
    kind: String,
    settings: Map<String, Value>,
    is_changed: bool,
}

/// The learner of the method that is given; none for networks.
fn learner_of(given: &Value) -> PyResult<Option<Learner>> {
    let Some(Value::String(name)) = given.get("method") else { return Ok(None) };
    let method: Method = name.parse().map_err(|error| value_error(&error))?;
    let Some(settings) = method.learner_settings() else { return Ok(None) };
    let settings = serde_json::to_value(settings).map_err(|error| value_error(&error))?;
    let Value::Object(kinds) = settings else { return Ok(None) };
    Ok(kinds.into_iter().next().map(|(kind, settings)| {
        let settings = settings.as_object().cloned().unwrap_or_default();
        Learner { method, kind, settings, is_changed: false }
    }))
}

impl Learner {
    fn set(&mut self, name: &str, value: &Value) -> PyResult<()> {
        let Some(place) = self.settings.get_mut(name) else {
            let mut names: Vec<&str> = self.settings.keys().map(String::as_str).collect();
            names.sort_unstable();
            let own = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            let text = format!("{} has no setting {name:?}; its own are: {own}", self.method);
            return Err(PyValueError::new_err(text));
        };
        // What is given as it is already changes nothing: the model is the same file.
        if place != value {
            *place = value.clone();
            self.is_changed = true;
        }
        Ok(())
    }
}

/// Sends what happens to the thread of Python.
struct Events(Sender<Value>);

impl Events {
    /// Nobody listens any more once the run was stopped.
    fn send(&self, event: Value) {
        let _ = self.0.send(event);
    }
}

impl Observer for Events {
    fn phase(&self, phase: Phase, members: usize, examples: usize, epochs: Option<usize>) {
        self.send(json!({
            "event": "phase", "phase": phase, "members": members, "examples": examples, "epochs": epochs
        }));
    }

    fn pieces(&self, pieces: usize, all: usize) {
        self.send(json!({ "event": "pieces", "pieces": pieces, "all": all }));
    }

    fn epoch(&self, record: &EpochRecord) {
        let mut event = json!({ "event": "epoch" });
        if let (Some(event), Ok(Value::Object(record))) =
            (event.as_object_mut(), serde_json::to_value(record))
        {
            event.extend(record);
        }
        self.send(event);
    }

    fn broken_labels(&self, broken: &BrokenLabels) {
        let BrokenLabels { rows, breaking_rules, rules, policy } = broken;
        self.send(json!({
            "event": "broken_labels", "rows": rows, "breaking_rules": breaking_rules, "rules": rules,
            "policy": policy.to_string()
        }));
    }

    fn shuffle_buffer(&self, rows: usize, bytes: u64) {
        self.send(json!({ "event": "shuffle_buffer", "rows": rows, "bytes": bytes }));
    }

    fn resumed(&self, phase: Phase, epoch: usize) {
        self.send(json!({ "event": "resumed", "phase": phase, "epoch": epoch }));
    }
}
