//! Training: on a thread of its own, while the thread of Python hands events on and listens for Ctrl-C.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use pyo3::prelude::*;
use rulebound::Trainer;
use rulebound::device::DeviceChoice;
use rulebound::train::{BrokenLabels, Configuration, EpochRecord, Observer, Phase, RunPaths};
use serde_json::{Value, json};

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
    let configuration = configuration(settings)?;
    let choice: DeviceChoice = device.parse().map_err(|error| value_error(&error))?;
    let (device, fallback) =
        py.detach(|| choice.open()).map_err(|error| crate::failure::run_time_error(&error))?;
    if let Some(reason) = fallback {
        callback
            .call1((json!({ "event": "no_gpu", "reason": reason.to_string() }).to_string(),))?;
    }
    let stop = AtomicBool::new(false);
    let paths = RunPaths { checkpoint, resume, log, ..RunPaths::default() };
    let (sender, mut receiver) = channel();
    let trained = std::thread::scope(|scope| {
        let (stop, device) = (&stop, &device);
        let run = scope.spawn(move || {
            let events = Events(sender);
            let trainer = Trainer::new().configuration(configuration).paths(paths);
            let trainer = trainer.device(device).observer(&events).stop(stop);
            threads::run(|| trainer.fit(&data.data))
        });
        let interrupted = hand_on(py, &mut receiver, callback, stop);
        let trained = run.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        interrupted.map_or(Ok(trained), Err)
    });
    match trained? {
        Ok(model) => Ok(PyModel::new(model)),
        Err(error) => Err(train_error(&error)),
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

/// The default configuration with some settings replaced.
fn configuration(settings: &str) -> PyResult<Configuration> {
    let defaults = serde_json::to_value(Configuration::default());
    let mut values = defaults.map_err(|error| value_error(&error))?;
    let given: Value = serde_json::from_str(settings).map_err(|error| value_error(&error))?;
    for (name, value) in given.as_object().into_iter().flatten() {
        values[name] = value.clone();
    }
    serde_json::from_value(values).map_err(|error| value_error(&error))
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
        let BrokenLabels { rows, rules, policy } = broken;
        self.send(json!({
            "event": "broken_labels", "rows": rows, "rules": rules, "policy": policy.to_string()
        }));
    }

    fn resumed(&self, phase: Phase, epoch: usize) {
        self.send(json!({ "event": "resumed", "phase": phase, "epoch": epoch }));
    }
}
