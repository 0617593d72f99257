//! What is tuned, and what all points share.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use rulebound::network::Activation;
use rulebound::train::{Configuration, EarlyStopping, LabelPolicy, Method, Monitor, Stopping};
use rulebound::tune::{Grid, Point};

#[derive(Args)]
#[command(next_help_heading = "Axes, with commas between the values [default: the paper's]")]
pub struct Axes {
    /// Units of each of the two hidden layers
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    hidden: Option<Vec<usize>>,
    /// Learning rates of Adam
    #[arg(long, value_name = "RATES", value_delimiter = ',', visible_alias = "lrs")]
    learning_rates: Option<Vec<f64>>,
    /// Shares of hidden units left out in training
    #[arg(long, value_name = "SHARES", value_delimiter = ',')]
    dropouts: Option<Vec<f64>>,
    /// L2 weight decays, added to the gradient
    #[arg(long, value_name = "WEIGHTS", value_delimiter = ',')]
    weight_decays: Option<Vec<f64>>,
    /// Examples a step
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    batches: Option<Vec<usize>>,
}

impl Axes {
    /// The grid with the axes that were given.
    pub fn replace(&self, grid: Grid) -> Grid {
        Grid {
            hidden: self.hidden.clone().unwrap_or(grid.hidden),
            learning_rates: self.learning_rates.clone().unwrap_or(grid.learning_rates),
            dropouts: self.dropouts.clone().unwrap_or(grid.dropouts),
            weight_decays: self.weight_decays.clone().unwrap_or(grid.weight_decays),
            batches: self.batches.clone().unwrap_or(grid.batches),
        }
    }
}

/// As for `train`, with the same defaults.
#[derive(Args)]
#[command(next_help_heading = "What all points share")]
pub struct Protocol {
    /// What the loss and the predictions know of the rules
    #[arg(long, value_name = "METHOD", default_value = "ccn", value_parser = method())]
    method: Method,
    /// What hidden units do
    #[arg(long, value_name = "NAME", default_value = "relu", value_parser = ["relu", "tanh"])]
    activation: String,
    /// Seed of the random points, weights, shuffles and dropout; members have those that follow
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// Networks trained for each point, whose mean counts
    #[arg(long, value_name = "K", default_value = "1")]
    members: usize,
    /// What to do with rows whose labels break a rule
    #[arg(long, value_name = "POLICY", default_value = "keep", value_parser = ["keep", "complete", "strict"])]
    labels: String,
    /// What early stopping watches on the validation rows, and points are compared by
    #[arg(long, value_name = "VALUE", default_value = "auprc", value_parser = ["auprc", "loss"])]
    monitor: String,
    /// Stop after N epochs that were not better
    #[arg(long, value_name = "N", default_value = "20")]
    patience: usize,
    /// Stop after N epochs in any case
    #[arg(long, value_name = "N", default_value = "1000")]
    max_epochs: usize,
    /// Share of the training rows to validate on where the data has no valid rows
    #[arg(long, value_name = "P", default_value = "0.15")]
    holdout: f64,
}

fn method() -> impl TypedValueParser<Value = Method> {
    let names = Method::ALL.map(Method::name);
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Method>())
}

impl Protocol {
    pub fn early(&self) -> EarlyStopping {
        EarlyStopping {
            monitor: if self.monitor == "loss" { Monitor::Loss } else { Monitor::Auprc },
            patience: self.patience,
            most: Some(self.max_epochs),
            holdout: self.holdout,
            retrain: false,
        }
    }

    pub fn configuration(&self, early: EarlyStopping) -> Configuration {
        Configuration {
            method: self.method,
            activation: if self.activation == "tanh" { Activation::Tanh } else { Activation::Relu },
            seed: self.seed,
            members: self.members,
            labels: match self.labels.as_str() {
                "complete" => LabelPolicy::Complete,
                "strict" => LabelPolicy::Strict,
                _ => LabelPolicy::Keep,
            },
            stopping: Stopping::Early(early),
            ..Configuration::default()
        }
    }
}

/// The arguments of `train` for a point; what is its default is left out.
pub fn words(point: &Point, base: &Configuration, early: &EarlyStopping) -> Vec<String> {
    let Point { hidden, learning_rate, dropout, weight_decay, batch } = point;
    let mut words = Vec::new();
    let mut say = |option: &str, value: String| words.extend([format!("--{option}"), value]);
    say("hidden", vec![hidden.to_string(); Point::LAYERS].join(","));
    say("learning-rate", learning_rate.to_string());
    say("dropout", dropout.to_string());
    say("weight-decay", weight_decay.to_string());
    say("batch", batch.to_string());
    let (usual, usual_early) = (Configuration::default(), EarlyStopping::default());
    let mut differs = |differs: bool, option: &str, value: String| {
        if differs {
            say(option, value);
        }
    };
    differs(base.method != usual.method, "method", base.method.to_string());
    let activation = base.activation;
    differs(activation != usual.activation, "activation", activation.name().to_owned());
    differs(base.seed != usual.seed, "seed", base.seed.to_string());
    differs(base.members != usual.members, "members", base.members.to_string());
    let labels = match base.labels {
        LabelPolicy::Keep => "keep",
        LabelPolicy::Complete => "complete",
        LabelPolicy::Strict => "strict",
    };
    differs(base.labels != usual.labels, "labels", labels.to_owned());
    let monitor = early.monitor;
    differs(monitor != usual_early.monitor, "monitor", monitor.name().to_owned());
    differs(early.patience != usual_early.patience, "patience", early.patience.to_string());
    if let Some(most) = early.most {
        differs(early.most != usual_early.most, "max-epochs", most.to_string());
    }
    differs(early.holdout != usual_early.holdout, "holdout", early.holdout.to_string());
    words
}
