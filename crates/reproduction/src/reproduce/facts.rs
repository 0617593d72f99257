//! What is known of a row beyond the columns that networks have.

use rulebound_core::metrics::{Metric, Metrics};

use rulebound_io::table::NamedCells;

rulebound_core::named_enum! {
    /// What chose the settings that were not known before training.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum ChosenOn: "a choice of settings" {
        /// Nothing: all of them were published.
        Published = "published",
        /// Nothing: all of them were fixed before.
        Fixed = "fixed",
        /// Validation rows: epochs, or the weights of a blend.
        Validation = "validation",
        /// All rows but test rows, each predicted by learners fitted on other folds: the weights of
        /// a blend.
        Folds = "folds",
    }
}

/// What is known of a row of a system that is not a network of the paper.
#[derive(Clone, PartialEq, Debug)]
pub struct SystemFacts {
    /// The metrics over the classes that some training rows have and some do not.
    pub seen: Metrics,
    /// The weight of each learner of a blend; empty for everything else.
    pub weights: Vec<f64>,
    /// What chose its settings.
    pub chosen_on: ChosenOn,
}

/// The suffix of the names of metrics over the classes seen in training.
const SEEN: &str = "_seen";

impl SystemFacts {
    /// The names of its columns.
    pub(super) fn columns() -> Vec<String> {
        let seen = Metric::NAMES.iter().map(|name| format!("{name}{SEEN}"));
        seen.chain(["weights", "chosen_on"].map(str::to_owned)).collect()
    }

    /// The cells of its columns.
    pub(super) fn cells(&self) -> Vec<String> {
        let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        let mut cells: Vec<String> = self.seen.iter().map(|(_, value)| number(value)).collect();
        let weights: Vec<String> =
            self.weights.iter().map(|weight| format!("{weight:.4}")).collect();
        cells.extend([weights.join(";"), self.chosen_on.to_string()]);
        cells
    }

    /// Parses the cells.
    pub(super) fn from_cells(cells: &NamedCells<'_>) -> Result<Self, String> {
        let name = |metric: Metric| format!("{metric}{SEEN}");
        for metric in Metric::ALL {
            cells.number(&name(metric))?;
        }
        let weight = |text: &str| {
            let weight = text.parse().ok().filter(|weight| (0.0..=1.0).contains(weight));
            weight.ok_or_else(|| "weights".to_owned())
        };
        let weights = cells.text("weights").split(';').filter(|text| !text.is_empty());
        Ok(Self {
            seen: Metrics::from_fn(|metric| cells.number(&name(metric)).ok().flatten()),
            weights: weights.map(weight).collect::<Result<_, _>>()?,
            chosen_on: cells.parse("chosen_on")?,
        })
    }
}
