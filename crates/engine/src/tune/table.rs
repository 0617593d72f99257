//! The table of trials on disk: CSV that grows by a line a trial.
//!
//! A last line without its end is what a kill leaves, and is dropped.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::error::TuneError;
use super::identity::Identity;
use super::point::Point;
use super::trial::{Measured, Trial};
use crate::growing_table::{UnlikeTable, whole_lines};
use crate::train::{Method, Monitor};

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

/// The table of one search, open for more.
pub(super) struct Table {
    path: PathBuf,
    file: File,
    identity: Identity,
}

impl Table {
    /// Opens or starts a table, with the trials that it holds.
    pub fn open(path: &Path, identity: &Identity) -> Result<(Self, Vec<Trial>), TuneError> {
        let unlike = |what| TuneError::NotATable { path: path.to_owned(), what };
        let failed = |source| TuneError::Table { path: path.to_owned(), source };
        if path.metadata().is_ok_and(|known| !known.is_file()) {
            return Err(unlike(UnlikeTable::NotAFile));
        }
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).create(true).open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(TuneError::InUse { path: path.to_owned() });
            }
            // Some network file systems have no locks; they are a courtesy.
            Err(TryLockError::Error(_)) => {}
        }
        let header = format!("{}\n", COLUMNS.join(","));
        // A file of another kind may be large: no more of it is read than shows that.
        let mut start = Vec::new();
        Read::by_ref(&mut file)
            .take(header.len() as u64 + 1)
            .read_to_end(&mut start)
            .map_err(failed)?;
        let found = String::from_utf8_lossy(&start).replacen("\r\n", "\n", 1);
        let mut trials = Vec::new();
        if found.starts_with(&header) {
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(0)).map_err(failed)?;
            file.read_to_end(&mut bytes).map_err(failed)?;
            let whole = whole_lines(&bytes);
            trials = read(whole, path, identity)?;
            file.set_len(whole.len() as u64).map_err(failed)?;
        } else if header.starts_with(&found) {
            file.set_len(0).map_err(failed)?;
            file.write_all(header.as_bytes()).map_err(failed)?;
        } else {
            return Err(unlike(UnlikeTable::Header { of: "trials" }));
        }
        Ok((Self { path: path.to_owned(), file, identity: identity.clone() }, trials))
    }

    /// Adds a trial.
    pub fn append(&mut self, trial: &Trial) -> Result<(), TuneError> {
        let line = self.line(trial);
        // One write a line: a kill leaves whole lines, but for perhaps the last.
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|source: io::Error| TuneError::Table { path: self.path.clone(), source })
    }

    fn line(&self, trial: &Trial) -> String {
        let Point { hidden, learning_rate, dropout, weight_decay, batch } = trial.point;
        let Identity { method, monitor, seed, members, fingerprint } = &self.identity;
        let (outcome, value, deviation, best) = match &trial.measured {
            None => (DIVERGED, String::new(), String::new(), String::new()),
            Some(measured) => {
                let epochs: Vec<String> =
                    measured.best_epochs.iter().map(ToString::to_string).collect();
                let deviation = measured.deviation.map(|deviation| deviation.to_string());
                let deviation = deviation.unwrap_or_default();
                (MEASURED, measured.value.to_string(), deviation, epochs.join(" "))
            }
        };
        // No cell can hold a comma.
        format!(
            "{hidden},{learning_rate},{dropout},{weight_decay},{batch},{outcome},{},{value},\
             {deviation},{best},{},{},{method},{seed},{members},{fingerprint},{}\n",
            monitor.name(),
            trial.epochs,
            trial.seconds,
            env!("CARGO_PKG_VERSION"),
        )
    }
}

/// The trials of whole lines, the first of which is the header.
fn read(bytes: &[u8], path: &Path, identity: &Identity) -> Result<Vec<Trial>, TuneError> {
    let text = String::from_utf8_lossy(bytes);
    let mut trials = Vec::new();
    for (number, line) in (1..).zip(text.lines()).skip(1) {
        let unlike = |what| TuneError::NotATable { path: path.to_owned(), what };
        let cells: Vec<&str> = line.split(',').collect();
        let (found, expected) = (cells.len(), COLUMNS.len());
        if found != expected {
            return Err(unlike(UnlikeTable::Cells { line: number, found, expected }));
        }
        let row = Row { line: number, cells };
        let theirs = row.identity().map_err(unlike)?;
        let differences = identity.differences(&theirs);
        if !differences.is_empty() {
            return Err(TuneError::OtherSearch { path: path.to_owned(), differences });
        }
        trials.push(row.trial().map_err(unlike)?);
    }
    Ok(trials)
}

struct Row<'a> {
    line: u64,
    /// As many as there are columns.
    cells: Vec<&'a str>,
}

impl Row<'_> {
    fn trial(&self) -> Result<Trial, UnlikeTable> {
        let point = Point {
            hidden: self.cell("hidden")?,
            learning_rate: self.number("learning_rate")?,
            dropout: self.number("dropout")?,
            weight_decay: self.number("weight_decay")?,
            batch: self.cell("batch")?,
        };
        let measured = match self.text("outcome") {
            DIVERGED => None,
            MEASURED => {
                let epochs = self.text("best_epoch").split(' ').map(str::parse);
                let epochs: Result<Vec<usize>, _> = epochs.collect();
                let deviation = match self.text("deviation") {
                    "" => None,
                    _ => Some(self.number("deviation")?),
                };
                Some(Measured {
                    value: self.number("value")?,
                    deviation,
                    best_epochs: epochs.map_err(|_| self.wrong("best_epoch"))?,
                })
            }
            _ => return Err(self.wrong("outcome")),
        };
        let (epochs, seconds) = (self.cell("epochs")?, self.number("seconds")?);
        Ok(Trial { point, measured, epochs, seconds })
    }

    fn identity(&self) -> Result<Identity, UnlikeTable> {
        let monitors = [Monitor::Auprc, Monitor::Loss];
        let monitor = monitors.into_iter().find(|one| one.name() == self.text("monitor"));
        Ok(Identity {
            method: self.cell::<Method>("method")?,
            monitor: monitor.ok_or_else(|| self.wrong("monitor"))?,
            seed: self.cell("seed")?,
            members: self.cell("members")?,
            fingerprint: self.text("fingerprint").to_owned(),
        })
    }

    fn text(&self, column: &str) -> &str {
        let at = COLUMNS.iter().position(|name| *name == column);
        at.map_or("", |at| self.cells[at])
    }

    fn cell<T: FromStr>(&self, column: &'static str) -> Result<T, UnlikeTable> {
        self.text(column).parse().map_err(|_| self.wrong(column))
    }

    fn number(&self, column: &'static str) -> Result<f64, UnlikeTable> {
        let number: f64 = self.cell(column)?;
        if number.is_finite() { Ok(number) } else { Err(self.wrong(column)) }
    }

    fn wrong(&self, column: &'static str) -> UnlikeTable {
        let text = self.text(column).to_owned();
        UnlikeTable::Cell { line: self.line, column: column.to_owned(), text }
    }
}
