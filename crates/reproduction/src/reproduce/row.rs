//! A line of the results: the test metrics of one network or of an ensemble.

use std::fmt;
use std::str::FromStr;

use rulebound_core::metrics::{Metric, Metrics};

use super::facts::SystemFacts;
use rulebound_io::table::NamedCells;

/// The seeds of a line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Seeds {
    /// A single network; of a blend, all networks but this one, and the forest with this seed.
    One(u64),
    /// The ensemble of all networks from the first to the last seed, averaged as prediction does; of a
    /// blend, the blend with all of them.
    Ensemble(u64, u64),
}

impl fmt::Display for Seeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(seed) => write!(f, "{seed}"),
            Self::Ensemble(first, last) => write!(f, "{first}-{last}"),
        }
    }
}

/// A text that is not a valid seed or range of seeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseSeedsError;

impl FromStr for Seeds {
    type Err = ParseSeedsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let seed = |text: &str| text.parse().map_err(|_| ParseSeedsError);
        match text.split_once('-') {
            None => Ok(Self::One(seed(text)?)),
            Some((first, last)) => Ok(Self::Ensemble(seed(first)?, seed(last)?)),
        }
    }
}

/// The result of a network, another system or an ensemble on the test rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The data set.
    pub set: String,
    /// The system; for an ensemble it ends in [`ENSEMBLE`].
    pub method: String,
    /// The seeds of the networks.
    pub seeds: Seeds,
    /// The metrics over the classes of at least one test row.
    pub present: Metrics,
    /// The metrics over all evaluated classes.
    pub all: Metrics,
    /// Test rows whose predictions break a rule.
    pub broken_rows: usize,
    /// The fraction of the test points in A1 for which the prediction on A was delegated to A1; for
    /// the rectangles only.
    pub delegated: Option<f64>,
    /// Epochs of the network; for an ensemble, their mean.
    pub epochs: f64,
    /// Seconds that its epochs took, including the search. Networks trained together share them.
    pub seconds: f64,
    /// The kind of device: `cpu` or `cuda`.
    pub device: String,
    /// The digest of the configuration.
    pub configuration: String,
    /// The version of rulebound.
    pub version: String,
    /// What else is known of it; none for the networks of the paper.
    pub facts: Option<SystemFacts>,
}

/// The suffix of the name of a method for an ensemble.
pub const ENSEMBLE: &str = "-ensemble";

/// The suffix of the names of metrics over all classes.
const ALL: &str = "_all";

impl Row {
    /// The names of the columns.
    pub fn columns() -> Vec<String> {
        let metrics = Metric::NAMES;
        let texts = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let mut columns = texts(&["set", "method", "seed"]);
        columns.extend(metrics.map(str::to_owned));
        columns.extend(metrics.map(|name| format!("{name}{ALL}")));
        columns.extend(texts(&["broken_rows", "delegated", "epochs", "seconds"]));
        columns.extend(texts(&["device", "configuration", "version"]));
        columns
    }

    /// The cells of the columns. None holds a comma or a quote.
    pub fn cells(&self) -> Vec<String> {
        let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        let mut cells = vec![self.set.clone(), self.method.clone(), self.seeds.to_string()];
        cells.extend(self.present.iter().map(|(_, value)| number(value)));
        cells.extend(self.all.iter().map(|(_, value)| number(value)));
        cells.extend([self.broken_rows.to_string(), number(self.delegated)]);
        cells.extend([self.epochs.to_string(), format!("{:.3}", self.seconds)]);
        cells.extend([self.device.clone(), self.configuration.clone(), self.version.clone()]);
        cells
    }

    /// Parses a row from its cells.
    ///
    /// # Errors
    /// The name of the first column with an invalid cell.
    pub fn from_cells(cells: &NamedCells<'_>) -> Result<Self, String> {
        let of_all = |name: &str| format!("{name}{ALL}");
        for name in Metric::NAMES {
            cells.number(name)?;
            cells.number(&of_all(name))?;
        }
        Ok(Self {
            set: cells.text("set").to_owned(),
            method: cells.text("method").to_owned(),
            seeds: cells.parse("seed")?,
            present: Metrics::from_fn(|metric| cells.number(metric.name()).ok().flatten()),
            all: Metrics::from_fn(|metric| cells.number(&of_all(metric.name())).ok().flatten()),
            broken_rows: cells.parse("broken_rows")?,
            delegated: cells.number("delegated")?,
            epochs: cells.needed_number("epochs")?,
            seconds: cells.needed_number("seconds")?,
            device: cells.text("device").to_owned(),
            configuration: cells.text("configuration").to_owned(),
            version: cells.text("version").to_owned(),
            facts: None,
        })
    }
}
