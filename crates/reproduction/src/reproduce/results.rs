//! The results on disk: tables that grow by one row per cell, shared by all processes. Networks of
//! the paper have one, all other systems another with more columns.
//!
//! Every writer locks the file for the duration of one write, so that any number of processes can
//! share it; see [`GrowingTable`].

use std::path::{Path, PathBuf};

use super::error::ReproduceError;
use super::facts::SystemFacts;
use super::row::Row;
use rulebound_io::table::{GrowingRow, GrowingTable, GrowingTableError, NamedCells};

/// The files of results.
#[derive(Clone, Debug)]
pub struct Results {
    networks: PathBuf,
    systems: PathBuf,
}

impl Results {
    /// The results of a folder.
    pub fn in_folder(folder: &Path) -> Self {
        Self { networks: folder.join("results.csv"), systems: folder.join("systems.csv") }
    }

    /// The path of the file of networks.
    pub fn path(&self) -> &Path {
        &self.networks
    }

    /// The path of the file of all other systems.
    pub fn systems_path(&self) -> &Path {
        &self.systems
    }

    /// All rows, of networks first; empty if there is no file yet.
    ///
    /// # Errors
    /// If a file cannot be read, or is not a table of results.
    pub fn read(&self) -> Result<Vec<Row>, ReproduceError> {
        let mut rows: Vec<Row> = GrowingTable::shared(&self.networks).read()?;
        let systems: Vec<SystemRow> = GrowingTable::shared(&self.systems).read()?;
        rows.extend(systems.into_iter().map(SystemRow::into_row));
        Ok(rows)
    }

    /// Appends rows to their files; those of one file all or none.
    ///
    /// # Errors
    /// If a file cannot be written, or is not a table of results.
    pub fn append(&self, rows: &[Row]) -> Result<(), ReproduceError> {
        let (mut networks, mut systems) = (Vec::new(), Vec::new());
        for row in rows {
            match &row.facts {
                None => networks.push(row.clone()),
                Some(facts) => systems.push(SystemRow { row: row.clone(), facts: facts.clone() }),
            }
        }
        if !networks.is_empty() {
            GrowingTable::shared(&self.networks).append(&networks)?;
        }
        if !systems.is_empty() {
            GrowingTable::shared(&self.systems).append(&systems)?;
        }
        Ok(())
    }
}

/// A line of the systems that are not networks of the paper.
#[derive(Clone, PartialEq, Debug)]
struct SystemRow {
    row: Row,
    facts: SystemFacts,
}

impl SystemRow {
    fn into_row(self) -> Row {
        Row { facts: Some(self.facts), ..self.row }
    }
}

impl GrowingRow for SystemRow {
    const PLURAL: &'static str = "results";

    fn columns() -> Vec<String> {
        Row::columns().into_iter().chain(SystemFacts::columns()).collect()
    }

    fn cells(&self) -> Vec<String> {
        self.row.cells().into_iter().chain(self.facts.cells()).collect()
    }

    fn from_cells(cells: &NamedCells<'_>) -> Result<Self, String> {
        Ok(Self { row: Row::from_cells(cells)?, facts: SystemFacts::from_cells(cells)? })
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
mod tests {
    use super::super::facts::ChosenOn;
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
            facts: None,
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
    fn systems_have_a_file_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::in_folder(folder.path());
        let facts = SystemFacts {
            seen: Metrics::from_fn(|metric| (metric == Metric::OneError).then_some(0.125)),
            weights: vec![0.55, 0.0, 0.45],
            chosen_on: ChosenOn::Validation,
        };
        let blend = Row { method: "blend".to_owned(), facts: Some(facts), ..row(0) };
        results.append(&[blend.clone(), row(1)]).unwrap();
        assert_eq!(results.read().unwrap(), [row(1), blend]);
        let text = std::fs::read_to_string(results.systems_path()).unwrap();
        assert!(text.ends_with(",0.5500;0.0000;0.4500,validation\n"), "{text}");
        std::fs::write(results.systems_path(), text.replace("0.5500;", "0.5500;x;")).unwrap();
        let error = results.read().unwrap_err().to_string();
        assert!(
            error.ends_with("line 2: `0.5500;x;0.0000;0.4500` is not a valid value of `weights`"),
            "{error}"
        );
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
