//! The axes of the grid, and the settings that all points share.

use crate::choice::{self, one_of};
use crate::config::RunRecord;
use crate::train::record_protocol;
use clap::Args;
use rulebound::dataset::Scaling;
use rulebound::train::{Configuration, EarlyStopping, LabelPolicy, Method, Monitor, Stopping};
use rulebound::tune::{Grid, Point};
use rulebound_network::Activation;

#[derive(Args)]
#[command(next_help_heading = "Axes: comma-separated values [default: the paper's]")]
pub struct Axes {
    /// Units of each of the two hidden layers
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    hidden: Option<Vec<usize>>,
    /// Learning rates of Adam
    #[arg(long, value_name = "RATES", value_delimiter = ',', visible_alias = "lrs")]
    learning_rates: Option<Vec<f64>>,
    /// Dropout rates
    #[arg(long, value_name = "RATES", value_delimiter = ',')]
    dropouts: Option<Vec<f64>>,
    /// L2 weight decays, added to the gradient
    #[arg(long, value_name = "WEIGHTS", value_delimiter = ',')]
    weight_decays: Option<Vec<f64>>,
    /// Batch sizes
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    batches: Option<Vec<usize>>,
}

impl Axes {
    /// The grid with the given axes in place of its own.
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
#[command(next_help_heading = "Settings shared by all points")]
pub struct Protocol {
    /// How the loss and the predictions use the rules
    #[arg(long, value_name = "METHOD", default_value = "ccn", value_parser = choice::network_method())]
    method: Method,
    /// Activation function of the hidden layers
    #[arg(long, value_name = "NAME", default_value = "relu", value_parser = one_of::<Activation>(Activation::NAMES))]
    activation: Activation,
    /// Random seed of points, weights, shuffling and dropout; members use consecutive seeds
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// Networks trained per point; a point is judged by their mean
    #[arg(long, value_name = "K", default_value = "1")]
    members: usize,
    /// Scaling of the features [default: standard; scale if they are sparse]
    #[arg(long, value_name = "KIND", value_parser = choice::scaling())]
    scaling: Option<Scaling>,
    /// Validation quantity that decides early stopping and ranks the points
    #[arg(long, value_name = "VALUE", default_value = "auprc", value_parser = choice::monitor())]
    monitor: Monitor,
    /// Stop after N epochs without improvement
    #[arg(long, value_name = "N", default_value = "20")]
    patience: usize,
    /// Maximum number of epochs
    #[arg(long, value_name = "N", default_value = "1000")]
    max_epochs: usize,
    /// Fraction of the training rows that early stopping holds out where there are no validation rows
    #[arg(long, value_name = "P", default_value = "0.15", conflicts_with_all = ["valid_share", "group_column"])]
    holdout: f64,
}

impl Protocol {
    pub fn early(&self) -> EarlyStopping {
        EarlyStopping {
            monitor: self.monitor,
            patience: self.patience,
            most: Some(self.max_epochs),
            holdout: self.holdout,
            retrain: false,
        }
    }

    pub fn configuration(&self, early: EarlyStopping, labels: LabelPolicy) -> Configuration {
        Configuration {
            method: self.method,
            activation: self.activation,
            seed: self.seed,
            members: self.members,
            labels,
            stopping: Stopping::Early(early),
            scaling: self.scaling,
            ..Configuration::default()
        }
    }
}

/// Records every setting of a search as an option of `tune`.
pub fn record(grid: &Grid, base: &Configuration, record: &mut RunRecord) {
    record.resolved("hidden", list(&grid.hidden));
    record.resolved("learning-rates", list(&grid.learning_rates));
    record.resolved("dropouts", list(&grid.dropouts));
    record.resolved("weight-decays", list(&grid.weight_decays));
    record.resolved("batches", list(&grid.batches));
    record_protocol(base, record);
}

fn list(values: &[impl ToString]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// The arguments of `train` for a point, without those that equal their default.
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
    if let Some(scaling) = base.scaling {
        differs(true, "scaling", scaling.to_string());
    }
    let monitor = early.monitor;
    differs(monitor != usual_early.monitor, "monitor", monitor.name().to_owned());
    differs(early.patience != usual_early.patience, "patience", early.patience.to_string());
    if let Some(most) = early.most {
        differs(early.most != usual_early.most, "max-epochs", most.to_string());
    }
    differs(early.holdout != usual_early.holdout, "holdout", early.holdout.to_string());
    words
}
