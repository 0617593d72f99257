//! The entry point of training: a builder for all settings of a run.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::error::TrainError;
use super::observer::{Observer, Silent};
use super::paths::RunPaths;
use super::run::{Conditions, train};
use super::start::weights_digest;
use crate::configuration::{Configuration, Method, Precision, Stopping};
use crate::dataset::{Dataset, Scaling};
use crate::device::Device;
use crate::model::Model;

/// Trains models. Everything has a default; [`fit`](Self::fit) does the work.
///
/// ```
/// use rulebound::dataset::{Builtin, Step};
/// use rulebound::Trainer;
/// let data = Builtin::Rectangles.generate(Step::INSIDE, 0)?;
/// let model = Trainer::new().hidden([8]).epochs(2).members(3).fit(&data)?;
/// assert_eq!(model.members().len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Trainer<'a> {
    configuration: Configuration,
    paths: RunPaths,
    device: &'a Device,
    observer: &'a dyn Observer,
    stop: Option<&'a AtomicBool>,
    memory_limit: Option<u64>,
    from: Option<&'a Model>,
}

impl Default for Trainer<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> Trainer<'a> {
    /// A trainer with the default [`Configuration`], on the CPU, that keeps nothing on disk.
    pub fn new() -> Self {
        Self {
            configuration: Configuration::default(),
            paths: RunPaths::default(),
            device: &Device::Cpu,
            observer: &Silent,
            stop: None,
            memory_limit: None,
            from: None,
        }
    }

    /// Replaces the whole configuration.
    #[must_use]
    pub fn configuration(mut self, configuration: Configuration) -> Self {
        self.configuration = configuration;
        self
    }

    /// How the loss and the predictions use the rules [default: CCN(h)].
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.configuration.method = method;
        self
    }

    /// Units per hidden layer; empty for a linear model [default: 500, 500].
    #[must_use]
    pub fn hidden(mut self, units: impl Into<Vec<usize>>) -> Self {
        self.configuration.hidden = units.into();
        self
    }

    /// The learning rate of Adam; above 0 [default: 0.001].
    #[must_use]
    pub fn learning_rate(mut self, rate: f64) -> Self {
        self.configuration.learning_rate = rate;
        self
    }

    /// The dropout rate of the hidden layers; from 0 to below 1 [default: 0.5].
    #[must_use]
    pub fn dropout(mut self, rate: f64) -> Self {
        self.configuration.dropout = rate;
        self
    }

    /// The batch size; at least 1 [default: 32].
    #[must_use]
    pub fn batch_size(mut self, rows: usize) -> Self {
        self.configuration.batch = rows;
        self
    }

    /// In which precision a GPU multiplies matrices [default: fp32].
    #[must_use]
    pub fn precision(mut self, precision: Precision) -> Self {
        self.configuration.precision = precision;
        self
    }

    /// The number of rows to shuffle among; at least 1 [default: all, or as many as 1 GiB holds of rows that are
    /// on a disk].
    #[must_use]
    pub fn shuffle_buffer(mut self, rows: usize) -> Self {
        self.configuration.shuffle_buffer = Some(rows);
        self
    }

    /// The seed of the first member; the others use the numbers that follow [default: 0].
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.configuration.seed = seed;
        self
    }

    /// Networks trained independently, which are averaged once each obeys the rules; at least 1 [default: 1].
    #[must_use]
    pub fn members(mut self, members: usize) -> Self {
        self.configuration.members = members;
        self
    }

    /// Trains for exactly this many epochs on train and valid [default: early stopping].
    #[must_use]
    pub fn epochs(mut self, epochs: usize) -> Self {
        self.configuration.stopping = Stopping::Epochs(epochs);
        self
    }

    /// How features are scaled [default: standard; sparse features are not centred].
    #[must_use]
    pub fn scaling(mut self, scaling: Scaling) -> Self {
        self.configuration.scaling = Some(scaling);
        self
    }

    /// Paths of checkpoint and log, and whether to resume [default: none].
    #[must_use]
    pub fn paths(mut self, paths: RunPaths) -> Self {
        self.paths = paths;
        self
    }

    /// Keeps a checkpoint at `path` while training, and resumes from it if it exists.
    #[must_use]
    pub fn checkpoint(mut self, path: impl Into<PathBuf>, interval: Duration) -> Self {
        self.paths.checkpoint = Some(path.into());
        self.paths.checkpoint_interval = interval;
        self.paths.resume = true;
        self
    }

    /// The device to train on [default: the CPU]. All devices draw the same dropout masks and row
    /// orders; results differ by rounding.
    #[must_use]
    pub fn device(mut self, device: &'a Device) -> Self {
        self.device = device;
        self
    }

    /// Receives events during training [default: none].
    #[must_use]
    pub fn observer(mut self, observer: &'a dyn Observer) -> Self {
        self.observer = observer;
        self
    }

    /// Training stops soon after this flag is set, with [`TrainError::Stopped`] [default: never].
    #[must_use]
    pub fn stop(mut self, stop: &'a AtomicBool) -> Self {
        self.stop = Some(stop);
        self
    }

    /// The bytes that the run may take in all, including the data; a run that needs more is
    /// refused [default: what is available].
    #[must_use]
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.memory_limit = Some(bytes);
        self
    }

    /// Starts from the networks of a model with the same features, classes, layers and members,
    /// instead of random ones [default: none]. Preprocessing is fitted to the new data.
    #[must_use]
    pub fn start_from(mut self, model: &'a Model) -> Self {
        self.from = Some(model);
        self
    }

    /// Trains a model on the rows of a data set.
    ///
    /// # Errors
    /// If configuration, data or paths cannot be used, a network diverges, the device fails, or the
    /// run is stopped; see [`TrainError`].
    pub fn fit(&self, data: &Dataset) -> Result<Model, TrainError> {
        let never = AtomicBool::new(false);
        let stop = self.stop.unwrap_or(&never);
        let mut configuration = self.configuration.clone();
        configuration.from = self.from.map(weights_digest);
        let conditions = Conditions { from: self.from, memory_limit: self.memory_limit };
        let (paths, observer) = (&self.paths, self.observer);
        train(self.device, data, &configuration, paths, observer, stop, conditions)
    }
}

impl std::fmt::Debug for Trainer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trainer")
            .field("configuration", &self.configuration)
            .field("paths", &self.paths)
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}
