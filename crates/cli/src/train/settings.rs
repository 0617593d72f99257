//! The settings of a run: the preset or our defaults, overridden by the given options.

use super::learner_arguments::{Given, GivenValue, LearnerArguments};
use crate::choice::{self, one_of};
use crate::config::RunRecord;
use crate::failure::Failure;
use clap::{Args, ValueEnum};
use rulebound::blend::LearnerChoice;
use rulebound::dataset::Scaling;
use rulebound::train::{Configuration, EarlyStopping, LabelPolicy, Method, Monitor, Stopping};
use rulebound_network::{Activation, Precision, SparseUpdate};
use rulebound_reproduction::{DataSource, paper_configuration, paper_learner};

#[derive(Args)]
#[command(next_help_heading = "Network and training")]
pub struct Settings {
    /// How the loss and the predictions use the rules [default: ccn]
    #[arg(long, value_name = "METHOD", value_parser = choice::method())]
    method: Option<Method>,
    /// Preset hyperparameters; other options override them
    #[arg(long, value_name = "NAME")]
    preset: Option<Preset>,
    /// Units of each hidden layer, comma-separated (0: no hidden layer) [default: 500,500]
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    hidden: Option<Vec<usize>>,
    /// Activation function of the hidden layers [default: relu]
    #[arg(long, value_name = "NAME", value_parser = one_of::<Activation>(Activation::NAMES))]
    activation: Option<Activation>,
    /// Dropout rate [default: 0.5]
    #[arg(long, value_name = "P")]
    dropout: Option<f64>,
    /// Learning rate of Adam [default: 0.001]
    #[arg(long, value_name = "R", visible_alias = "lr")]
    learning_rate: Option<f64>,
    /// L2 weight decay, added to the gradient [default: 0.00001]
    #[arg(long, value_name = "W")]
    weight_decay: Option<f64>,
    /// Batch size [default: 32]
    #[arg(long, value_name = "N")]
    batch: Option<usize>,
    /// Weights of the first layer that a step updates where features are sparse [default: exact]
    #[arg(long, value_name = "KIND", value_parser = choice::sparse_update())]
    sparse_update: Option<SparseUpdate>,
    /// Precision of a GPU's products at batch sizes above 8; a CPU always computes in fp32 [default: fp32]
    #[arg(long, value_name = "NAME", value_parser = choice::precision())]
    precision: Option<Precision>,
    /// Random seed of weights, shuffling and dropout; members use consecutive seeds
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// Independent networks trained in one run, which form an ensemble
    #[arg(long, value_name = "K", default_value = "1")]
    members: usize,
    /// Scaling of the features [default: standard; scale if they are sparse]
    #[arg(long, value_name = "KIND", value_parser = choice::scaling())]
    scaling: Option<Scaling>,
    /// Train for N epochs on the training and validation rows, without early stopping
    #[arg(long, value_name = "N", conflicts_with_all = ["monitor", "patience", "max_epochs", "holdout", "retrain"])]
    epochs: Option<usize>,
    /// Validation quantity that decides early stopping [default: auprc]
    #[arg(long, value_name = "VALUE", value_parser = choice::monitor())]
    monitor: Option<Monitor>,
    /// Stop after N epochs without improvement; the best epoch is kept [default: 20]
    #[arg(long, value_name = "N")]
    patience: Option<usize>,
    /// Maximum number of epochs [default: 1000]
    #[arg(long, value_name = "N")]
    max_epochs: Option<usize>,
    /// Fraction of the training rows that early stopping holds out where there are no validation rows
    /// [default: 0.15]
    #[arg(long, value_name = "P", conflicts_with_all = ["valid_share", "group_column"])]
    holdout: Option<f64>,
    /// Then retrain from scratch on training and validation rows for the best number of epochs
    #[arg(long)]
    retrain: bool,
    #[command(flatten)]
    learner: LearnerArguments,
}

#[derive(Clone, Copy, ValueEnum)]
enum Preset {
    /// The hyperparameters that the paper reports for this data set
    Paper,
}

impl Settings {
    pub fn configuration(
        &self,
        source: &DataSource,
        labels: LabelPolicy,
    ) -> Result<Configuration, Failure> {
        let method = self.method.unwrap_or_default();
        let base = match self.preset {
            None => Configuration::default(),
            Some(Preset::Paper) if method.is_network() => paper_configuration(source, self.retrain)
                .ok_or_else(|| {
                    Failure::Usage(format!(
                        "--preset paper: `{source}` is not in the paper (rulebound data list)"
                    ))
                })?,
            Some(Preset::Paper) => paper_learner(method, source).ok_or_else(|| {
                Failure::Usage(format!("--preset paper: the paper has no settings of `{method}`"))
            })?,
        };
        self.expect_meaningful(method)?;
        let learner = self.learner.settings(method, base.learner, &self.shared())?;
        let hidden = match &self.hidden {
            Some(sizes) if sizes == &[0] => Vec::new(),
            Some(sizes) => sizes.clone(),
            None => base.hidden,
        };
        Ok(Configuration {
            method: self.method.unwrap_or(base.method),
            hidden,
            activation: self.activation.unwrap_or(base.activation),
            dropout: self.dropout.unwrap_or(base.dropout),
            learning_rate: self.learning_rate.unwrap_or(base.learning_rate),
            weight_decay: self.weight_decay.unwrap_or(base.weight_decay),
            batch: self.batch.unwrap_or(base.batch),
            shuffle_buffer: base.shuffle_buffer,
            sparse_update: self.sparse_update.unwrap_or(base.sparse_update),
            precision: self.precision.unwrap_or(base.precision),
            seed: self.seed,
            members: self.members,
            labels,
            class_weights: base.class_weights,
            from: None,
            stopping: self.stopping(base.stopping),
            scaling: self.scaling.or(base.scaling),
            learner,
            plain: self.learner.plain,
        })
    }

    /// Options of networks that other methods may have, too, if they were given.
    fn shared(&self) -> Vec<Given> {
        let number = |name, given: Option<f64>| (name, given.map(GivenValue::Number));
        let given = [
            ("hidden", self.hidden.clone().map(GivenValue::Counts)),
            number("dropout", self.dropout),
            number("learning-rate", self.learning_rate),
            number("weight-decay", self.weight_decay),
            ("batch", self.batch.map(GivenValue::Count)),
        ];
        given.into_iter().filter_map(|(name, given)| Some((name, given?))).collect()
    }

    /// The configurations of the learners of a blend. Networks have the settings of `base`; others
    /// have their own, or those of the paper if they are asked for and there are any.
    pub fn of_learners(
        &self,
        source: &DataSource,
        base: &Configuration,
        learners: &[LearnerChoice],
    ) -> Result<Vec<Configuration>, Failure> {
        let configuration = |choice: &LearnerChoice| {
            let mut base = base.clone();
            if !choice.method.is_network() {
                let paper = match self.preset {
                    Some(Preset::Paper) => paper_learner(choice.method, source),
                    None => None,
                };
                base.learner = paper.as_ref().and_then(|paper| paper.learner.clone());
                base.scaling = paper.and_then(|paper| paper.scaling);
            }
            let chosen = choice.configuration(&base);
            chosen.map_err(|error| Failure::Usage(format!("--learners {choice}: {error}")))
        };
        learners.iter().map(configuration).collect()
    }

    /// An option that means nothing to the method is a mistake, not silence.
    fn expect_meaningful(&self, method: Method) -> Result<(), Failure> {
        let is_network = method.is_network();
        let own = method.learner().map_or(&[][..], |learner| learner.options);
        let has = |name| is_network || own.iter().any(|option| option.name == name);
        let has_epochs = method.has_epochs();
        let given = [
            ("--hidden", self.hidden.is_some(), has("hidden")),
            ("--activation", self.activation.is_some(), is_network),
            ("--dropout", self.dropout.is_some(), has("dropout")),
            ("--learning-rate", self.learning_rate.is_some(), has("learning-rate")),
            ("--weight-decay", self.weight_decay.is_some(), has("weight-decay")),
            ("--batch", self.batch.is_some(), has("batch")),
            ("--sparse-update", self.sparse_update.is_some(), is_network),
            ("--precision", self.precision.is_some(), is_network),
            ("--epochs", self.epochs.is_some(), has_epochs),
            ("--monitor", self.monitor.is_some(), is_network),
            ("--patience", self.patience.is_some(), has_epochs),
            ("--max-epochs", self.max_epochs.is_some(), has_epochs),
            ("--holdout", self.holdout.is_some(), has_epochs),
            ("--retrain", self.retrain, has_epochs),
        ];
        let useless = given.iter().filter(|(_, is_given, is_used)| *is_given && !is_used);
        let useless: Vec<&str> = useless.map(|(name, ..)| *name).collect();
        match useless.is_empty() {
            true => Ok(()),
            false => Err(Failure::Usage(format!(
                "{}: for networks only, not for --method {method}",
                useless.join(", ")
            ))),
        }
    }

    fn stopping(&self, base: Stopping) -> Stopping {
        if let Some(epochs) = self.epochs {
            return Stopping::Epochs(epochs);
        }
        let asked = self.monitor.is_some()
            || self.patience.is_some()
            || self.max_epochs.is_some()
            || self.holdout.is_some()
            || self.retrain;
        let base = match base {
            Stopping::Epochs(epochs) if !asked => return Stopping::Epochs(epochs),
            Stopping::Epochs(_) | Stopping::EpochsOfEach(_) => EarlyStopping::default(),
            Stopping::Early(early) => early,
        };
        Stopping::Early(EarlyStopping {
            monitor: self.monitor.unwrap_or(base.monitor),
            patience: self.patience.unwrap_or(base.patience),
            most: self.max_epochs.or(base.most),
            holdout: self.holdout.unwrap_or(base.holdout),
            retrain: self.retrain || base.retrain,
        })
    }
}

/// Records every setting of a configuration as an option of `train`.
pub fn record(configuration: &Configuration, record: &mut RunRecord) {
    if !configuration.method.is_network() {
        // Settings of networks mean nothing to it; its own have been recorded as they were given.
        record.resolved("method", configuration.method);
        record.resolved("seed", configuration.seed);
        record.resolved("label-policy", configuration.labels);
        return;
    }
    let hidden: Vec<String> = configuration.hidden.iter().map(ToString::to_string).collect();
    let hidden = if hidden.is_empty() { "0".to_owned() } else { hidden.join(",") };
    record.resolved("hidden", hidden);
    record.resolved("learning-rate", configuration.learning_rate);
    record.resolved("dropout", configuration.dropout);
    record.resolved("weight-decay", configuration.weight_decay);
    record.resolved("batch", configuration.batch);
    if configuration.sparse_update != SparseUpdate::default() {
        record.resolved("sparse-update", configuration.sparse_update);
    }
    if configuration.precision != Precision::default() {
        record.resolved("precision", configuration.precision);
    }
    record_protocol(configuration, record);
}

/// Records what `train` and `tune` have in common.
pub fn record_protocol(configuration: &Configuration, record: &mut RunRecord) {
    record.resolved("method", configuration.method);
    record.resolved("activation", configuration.activation.name());
    record.resolved("seed", configuration.seed);
    record.resolved("members", configuration.members);
    record.resolved("label-policy", configuration.labels);
    match &configuration.stopping {
        Stopping::Epochs(epochs) => record.resolved("epochs", epochs),
        // Written by blends only, whose options are recorded as they were given.
        Stopping::EpochsOfEach(_) => {}
        Stopping::Early(early) => {
            record.resolved("monitor", early.monitor.name());
            record.resolved("patience", early.patience);
            if let Some(most) = early.most {
                record.resolved("max-epochs", most);
            }
            record.resolved("holdout", early.holdout);
            if early.retrain {
                record.resolved("retrain", true);
            }
        }
    }
}
