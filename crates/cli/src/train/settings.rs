//! The settings of a run: the paper's or our own, with what the user says instead.

use crate::failure::Failure;
use clap::{Args, ValueEnum};
use rulebound::network::Activation;
use rulebound::train::{Configuration, EarlyStopping, LabelPolicy, Method, Monitor, Stopping};
use rulebound_reproduction::{DataSource, paper_configuration};

#[derive(Args)]
#[command(next_help_heading = "Network and training")]
pub struct Settings {
    /// What the loss and the predictions know of the rules [default: ccn]
    #[arg(long, value_name = "METHOD")]
    method: Option<MethodName>,
    /// `paper`: the hyperparameters it prints for this source; what else is given comes before them
    #[arg(long, value_name = "NAME")]
    preset: Option<Preset>,
    /// Units of the hidden layers, with commas between; 0 for none [default: 500,500]
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    hidden: Option<Vec<usize>>,
    /// What hidden units do [default: relu]
    #[arg(long, value_name = "NAME", value_parser = ["relu", "tanh"])]
    activation: Option<String>,
    /// Share of hidden units left out in training [default: 0.5]
    #[arg(long, value_name = "P")]
    dropout: Option<f64>,
    /// Learning rate of Adam [default: 0.001]
    #[arg(long, value_name = "R", visible_alias = "lr")]
    learning_rate: Option<f64>,
    /// L2 weight decay, added to the gradient [default: 0.00001]
    #[arg(long, value_name = "W")]
    weight_decay: Option<f64>,
    /// Examples a step [default: 32]
    #[arg(long, value_name = "N")]
    batch: Option<usize>,
    /// Seed of weights, shuffles and dropout; members have the seeds that follow
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// Independent models trained in one run; together they are an ensemble
    #[arg(long, value_name = "K", default_value = "1")]
    members: usize,
    /// What to do with rows whose labels break a rule
    #[arg(long, value_name = "POLICY", default_value = "keep")]
    labels: Policy,
    /// Train on train and valid for N epochs, without validation
    #[arg(long, value_name = "N", conflicts_with_all = ["monitor", "patience", "max_epochs", "holdout", "retrain"])]
    epochs: Option<usize>,
    /// What early stopping watches on the validation rows [default: auprc]
    #[arg(long, value_name = "VALUE")]
    monitor: Option<MonitorName>,
    /// Stop after N epochs that were not better; the best is kept [default: 20]
    #[arg(long, value_name = "N")]
    patience: Option<usize>,
    /// Stop after N epochs in any case [default: 1000]
    #[arg(long, value_name = "N")]
    max_epochs: Option<usize>,
    /// Share of the training rows to validate on where the data has no valid rows [default: 0.15]
    #[arg(long, value_name = "P")]
    holdout: Option<f64>,
    /// Then train afresh on train and valid for as many epochs as were best
    #[arg(long)]
    retrain: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Preset {
    /// The paper's hyperparameters
    Paper,
}

#[derive(Clone, Copy, ValueEnum)]
enum MethodName {
    /// Constraint layer and constraint loss: CCN(h), on hierarchies C-HMCNN(h)
    Ccn,
    /// Constraint layer and plain cross-entropy: h + CM
    Cm,
    /// A plain network; the layer only at prediction
    Post,
    /// A plain network, whose predictions may break rules
    None,
    /// An output for each class without those that imply it; the layer at prediction
    Complement,
}

#[derive(Clone, Copy, ValueEnum)]
enum Policy {
    /// Keep them as they are, and say how many there are
    Keep,
    /// Add what follows from them
    Complete,
    /// Refuse them
    Strict,
}

#[derive(Clone, Copy, ValueEnum)]
enum MonitorName {
    /// Area under the precision-recall curve
    Auprc,
    /// The loss that is trained
    Loss,
}

impl Settings {
    pub fn configuration(&self, source: &DataSource) -> Result<Configuration, Failure> {
        let base = match self.preset {
            None => Configuration::default(),
            Some(Preset::Paper) => paper_configuration(source, self.retrain).ok_or_else(|| {
                let message =
                    format!("--preset paper: `{source}` is not in the paper (rulebound data list)");
                Failure::Usage(message)
            })?,
        };
        let method = match self.method {
            None => base.method,
            Some(MethodName::Ccn) => Method::Ccn,
            Some(MethodName::Cm) => Method::Cm,
            Some(MethodName::Post) => Method::Post,
            Some(MethodName::None) => Method::None,
            Some(MethodName::Complement) => Method::Complement,
        };
        let hidden = match &self.hidden {
            Some(sizes) if sizes == &[0] => Vec::new(),
            Some(sizes) => sizes.clone(),
            None => base.hidden,
        };
        Ok(Configuration {
            method,
            hidden,
            activation: match self.activation.as_deref() {
                None => base.activation,
                Some("tanh") => Activation::Tanh,
                Some(_) => Activation::Relu,
            },
            dropout: self.dropout.unwrap_or(base.dropout),
            learning_rate: self.learning_rate.unwrap_or(base.learning_rate),
            weight_decay: self.weight_decay.unwrap_or(base.weight_decay),
            batch: self.batch.unwrap_or(base.batch),
            seed: self.seed,
            members: self.members,
            labels: match self.labels {
                Policy::Keep => LabelPolicy::Keep,
                Policy::Complete => LabelPolicy::Complete,
                Policy::Strict => LabelPolicy::Strict,
            },
            stopping: self.stopping(base.stopping),
        })
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
            Stopping::Epochs(_) => EarlyStopping::default(),
            Stopping::Early(early) => early,
        };
        Stopping::Early(EarlyStopping {
            monitor: match self.monitor {
                None => base.monitor,
                Some(MonitorName::Auprc) => Monitor::Auprc,
                Some(MonitorName::Loss) => Monitor::Loss,
            },
            patience: self.patience.unwrap_or(base.patience),
            most: self.max_epochs.or(base.most),
            holdout: self.holdout.unwrap_or(base.holdout),
            retrain: self.retrain || base.retrain,
        })
    }
}
