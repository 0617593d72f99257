//! The table of trials: one row each, with the identity of its search.

use std::path::Path;

use super::error::TuneError;
use super::identity::Identity;
use super::point::Point;
use super::trial::{Measured, Trial};
use crate::table::{GrowingRow, GrowingTable, GrowingTableError, NamedCells};
use crate::train::Monitor;

const COLUMNS: [&str; 17] = [
    "hidden",
    "learning_rate",
    "dropout",
    "weight_decay",
    "batch",
    "outcome",
    "monitor",
    "value",
    "deviation",
    "best_epoch",
    "epochs",
    "seconds",
    "method",
    "seed",
    "members",
    "fingerprint",
    "version",
];

const MEASURED: &str = "measured";
const DIVERGED: &str = "diverged";

/// The table of one search, open for appending.
pub(super) struct Table {
    rows: GrowingTable<TrialRow>,
    identity: Identity,
}

impl Table {
    /// Opens or creates a table; returns the trials it already holds.
    pub fn open(path: &Path, identity: &Identity) -> Result<(Self, Vec<Trial>), TuneError> {
        let (rows, held) = GrowingTable::<TrialRow>::open(path)?;
        for row in &held {
            let differences = identity.differences(&row.identity);
            if !differences.is_empty() {
                return Err(TuneError::OtherSearch { path: path.to_owned(), differences });
            }
        }
        let trials = held.into_iter().map(|row| row.trial).collect();
        Ok((Self { rows, identity: identity.clone() }, trials))
    }

    /// Appends a trial.
    pub fn append(&mut self, trial: &Trial) -> Result<(), TuneError> {
        let row = TrialRow { identity: self.identity.clone(), trial: trial.clone() };
        Ok(self.rows.append(&[row])?)
    }
}

impl From<GrowingTableError> for TuneError {
    fn from(error: GrowingTableError) -> Self {
        match error {
            GrowingTableError::Mismatch { path, what } => Self::NotATable { path, what },
            GrowingTableError::InUse { path } => Self::InUse { path },
            GrowingTableError::File { path, source } => Self::Table { path, source },
        }
    }
}

/// A trial and the identity of its search.
struct TrialRow {
    identity: Identity,
    trial: Trial,
}

impl GrowingRow for TrialRow {
    const PLURAL: &'static str = "trials";

    fn columns() -> Vec<String> {
        COLUMNS.map(str::to_owned).to_vec()
    }

    fn cells(&self) -> Vec<String> {
        let Point { hidden, learning_rate, dropout, weight_decay, batch } = self.trial.point;
        let Identity { method, monitor, seed, members, fingerprint } = &self.identity;
        let (outcome, value, deviation, best) = match &self.trial.measured {
            None => (DIVERGED, String::new(), String::new(), String::new()),
            Some(measured) => {
                let epochs: Vec<String> =
                    measured.best_epochs.iter().map(ToString::to_string).collect();
                let deviation = measured.deviation.map(|deviation| deviation.to_string());
                let deviation = deviation.unwrap_or_default();
                (MEASURED, measured.value.to_string(), deviation, epochs.join(" "))
            }
        };
        vec![
            hidden.to_string(),
            learning_rate.to_string(),
            dropout.to_string(),
            weight_decay.to_string(),
            batch.to_string(),
            outcome.to_owned(),
            monitor.name().to_owned(),
            value,
            deviation,
            best,
            self.trial.epochs.to_string(),
            self.trial.seconds.to_string(),
            method.to_string(),
            seed.to_string(),
            members.to_string(),
            fingerprint.clone(),
            env!("CARGO_PKG_VERSION").to_owned(),
        ]
    }

    fn from_cells(cells: &NamedCells<'_>) -> Result<Self, String> {
        let monitor = Monitor::ALL.into_iter().find(|one| one.name() == cells.text("monitor"));
        let identity = Identity {
            method: cells.parse("method")?,
            monitor: monitor.ok_or("monitor")?,
            seed: cells.parse("seed")?,
            members: cells.parse("members")?,
            fingerprint: cells.text("fingerprint").to_owned(),
        };
        let point = Point {
            hidden: cells.parse("hidden")?,
            learning_rate: cells.needed_number("learning_rate")?,
            dropout: cells.needed_number("dropout")?,
            weight_decay: cells.needed_number("weight_decay")?,
            batch: cells.parse("batch")?,
        };
        let measured = match cells.text("outcome") {
            DIVERGED => None,
            MEASURED => {
                let epochs = cells.text("best_epoch").split(' ').map(str::parse);
                let epochs: Result<Vec<usize>, _> = epochs.collect();
                Some(Measured {
                    value: cells.needed_number("value")?,
                    deviation: cells.number("deviation")?,
                    best_epochs: epochs.map_err(|_| "best_epoch")?,
                })
            }
            _ => return Err("outcome".to_owned()),
        };
        let (epochs, seconds) = (cells.parse("epochs")?, cells.needed_number("seconds")?);
        Ok(Self { identity, trial: Trial { point, measured, epochs, seconds } })
    }
}
