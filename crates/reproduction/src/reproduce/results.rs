//! The results on disk: a table that grows by one row per cell, shared by all processes.
//!
//! Every writer locks the file for the duration of one write, so that any number of processes can
//! share it; see [`GrowingTable`].

use std::path::{Path, PathBuf};

use super::error::ReproduceError;
use super::row::Row;
use rulebound::table::{GrowingRow, GrowingTable, GrowingTableError, NamedCells};

/// The file of results.
#[derive(Clone, Debug)]
pub struct Results {
    path: PathBuf,
}

impl Results {
    /// The results of a folder.
    pub fn in_folder(folder: &Path) -> Self {
        Self { path: folder.join("results.csv") }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All rows; empty if there is no file yet.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a table of results.
    pub fn read(&self) -> Result<Vec<Row>, ReproduceError> {
        Ok(GrowingTable::shared(&self.path).read()?)
    }

    /// Appends rows, all or none.
    ///
    /// # Errors
    /// If the file cannot be written, or is not a table of results.
    pub fn append(&self, rows: &[Row]) -> Result<(), ReproduceError> {
        Ok(GrowingTable::shared(&self.path).append(rows)?)
    }
}

impl GrowingRow for Row {
    const PLURAL: &'static str = "results";

    fn columns() -> Vec<String> {
        Self::columns()
    }

    fn cells(&self) -> Vec<String> {
        self.cells()
    }

    fn from_cells(cells: &NamedCells<'_>) -> Result<Self, String> {
        Self::from_cells(cells)
    }
}

impl From<GrowingTableError> for ReproduceError {
    fn from(error: GrowingTableError) -> Self {
        match error {
            GrowingTableError::Mismatch { path, what } => Self::NotResults { path, what },
            GrowingTableError::File { path, source } => Self::File { path, source },
            other => {
                let path = other.path().to_path_buf();
                Self::File { path, source: std::io::Error::other(other) }
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::row::Seeds;
    use super::*;
    use rulebound_core::metrics::{Metric, Metrics};

    fn row(seed: u64) -> Row {
        Row {
            set: "yeast".to_owned(),
            method: "ccn".to_owned(),
            seeds: Seeds::One(seed),
            present: Metrics::from_fn(|metric| (metric == Metric::Auprc).then_some(0.1 + 0.2)),
            all: Metrics::from_fn(|metric| (metric == Metric::OneError).then_some(0.25)),
            broken_rows: 0,
            delegated: None,
            epochs: 12.0,
            seconds: 1.5,
            device: "cpu".to_owned(),
            configuration: "0123456789abcdef".to_owned(),
            version: "0.1.0".to_owned(),
        }
    }

    #[test]
    fn rows_come_back_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::in_folder(folder.path());
        assert_eq!(results.read().unwrap(), []);
        results.append(&[row(0), row(1)]).unwrap();
        let together = Row { seeds: Seeds::Ensemble(0, 1), delegated: Some(0.5), ..row(0) };
        results.append(std::slice::from_ref(&together)).unwrap();
        assert_eq!(results.read().unwrap(), [row(0), row(1), together]);
    }

    #[test]
    fn a_line_that_was_cut_off_is_mended() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::in_folder(folder.path());
        results.append(&[row(0)]).unwrap();
        let whole = std::fs::read_to_string(results.path()).unwrap();
        for cut in [whole.len() - 1, whole.len() - 9, 5, 0] {
            std::fs::write(results.path(), &whole[..cut]).unwrap();
            assert_eq!(results.read().unwrap(), [], "{cut}");
            results.append(&[row(0)]).unwrap();
            assert_eq!(std::fs::read_to_string(results.path()).unwrap(), whole, "{cut}");
        }
    }

    #[test]
    fn other_files_are_refused_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::in_folder(folder.path());
        results.append(&[row(0)]).unwrap();
        let whole = std::fs::read_to_string(results.path()).unwrap();
        let wrong = [
            ("set,method\n".to_owned(), "not a table of results: unexpected header"),
            (format!("{whole}yeast,ccn\n"), "line 3 has 2 cells instead of 30"),
            (
                whole.replace("12,1.500", "12,soon"),
                "line 2: `soon` is not a valid value of `seconds`",
            ),
            (whole.replace("ccn,0,", "ccn,x,"), "line 2: `x` is not a valid value of `seed`"),
        ];
        for (text, message) in wrong {
            std::fs::write(results.path(), &text).unwrap();
            let error = results.read().unwrap_err().to_string();
            assert!(error.ends_with(message), "{error}");
            assert!(results.append(&[row(1)]).is_err());
            assert_eq!(std::fs::read_to_string(results.path()).unwrap(), text);
        }
    }
}
