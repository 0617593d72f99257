//! The results on disk: CSV that grows by a line a cell, whoever writes it.
//!
//! Every writer locks the file for the moment of one write, so that any number of processes can
//! share it. A last line without its end is what a kill leaves: the next writer drops it, a reader
//! passes over it. Every other deviation is an error, and the file stays as it was.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::error::ReproduceError;
use super::row::Row;
use rulebound::growing_table::{UnlikeTable, whole_lines};

/// The file of results.
#[derive(Clone, Debug)]
pub struct Results {
    path: PathBuf,
}

impl Results {
    /// The results of a folder.
    pub fn of(folder: &Path) -> Self {
        Self { path: folder.join("results.csv") }
    }

    /// Where they are.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All rows; none if there is no file yet.
    ///
    /// # Errors
    /// When the file cannot be read, or is something else.
    pub fn read(&self) -> Result<Vec<Row>, ReproduceError> {
        match std::fs::read(&self.path) {
            Ok(bytes) => self.rows(&bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(source) => Err(self.failed(source)),
        }
    }

    /// Adds rows, all or none.
    ///
    /// # Errors
    /// When the file cannot be written, or is something else.
    pub fn append(&self, rows: &[Row]) -> Result<(), ReproduceError> {
        let failed = |source| self.failed(source);
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).append(true).create(true).open(&self.path).map_err(failed)?;
        // Some network file systems have no locks; one process is safe there all the same.
        file.lock().ok();
        let whole = self.whole(&mut file)?;
        file.set_len(whole).map_err(failed)?;
        let mut text = String::new();
        if whole == 0 {
            text.push_str(&header());
        }
        for row in rows {
            text.push_str(&row.cells().join(","));
            text.push('\n');
        }
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_data());
        written.map_err(|source| {
            // A full disk may have taken some of them.
            file.set_len(whole).ok();
            failed(source)
        })
    }

    /// How long the file is without a line that was cut off, its content being ours.
    fn whole(&self, file: &mut File) -> Result<u64, ReproduceError> {
        let mut bytes = Vec::new();
        let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes));
        read.map_err(|source| self.failed(source))?;
        if header().as_bytes().starts_with(&bytes) && !bytes.ends_with(b"\n") {
            return Ok(0);
        }
        self.rows(&bytes)?;
        Ok(whole_lines(&bytes).len() as u64)
    }

    fn rows(&self, bytes: &[u8]) -> Result<Vec<Row>, ReproduceError> {
        let unlike = |what| ReproduceError::NotResults { path: self.path.clone(), what };
        let text = String::from_utf8_lossy(whole_lines(bytes)).into_owned();
        let mut lines = text.lines();
        let columns = Row::columns();
        match lines.next() {
            None if bytes.len() <= header().len() => return Ok(Vec::new()),
            Some(first) if first == columns.join(",") => {}
            _ => return Err(unlike(UnlikeTable::Header { of: "results" })),
        }
        let mut rows = Vec::new();
        for (number, line) in (2..).zip(lines) {
            let cells: Vec<&str> = line.split(',').collect();
            let (found, expected) = (cells.len(), columns.len());
            if found != expected {
                return Err(unlike(UnlikeTable::Cells { line: number, found, expected }));
            }
            let row = Row::of_cells(&columns, &cells).map_err(|column| {
                let at = columns.iter().position(|name| *name == column).unwrap_or(0);
                let text = cells[at].to_owned();
                unlike(UnlikeTable::Cell { line: number, column, text })
            });
            rows.push(row?);
        }
        Ok(rows)
    }

    fn failed(&self, source: std::io::Error) -> ReproduceError {
        ReproduceError::File { path: self.path.clone(), source }
    }
}

fn header() -> String {
    format!("{}\n", Row::columns().join(","))
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
        let results = Results::of(folder.path());
        assert_eq!(results.read().unwrap(), []);
        results.append(&[row(0), row(1)]).unwrap();
        let together = Row { seeds: Seeds::Together(0, 1), delegated: Some(0.5), ..row(0) };
        results.append(std::slice::from_ref(&together)).unwrap();
        assert_eq!(results.read().unwrap(), [row(0), row(1), together]);
    }

    #[test]
    fn a_line_that_was_cut_off_is_mended() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::of(folder.path());
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
        let results = Results::of(folder.path());
        results.append(&[row(0)]).unwrap();
        let whole = std::fs::read_to_string(results.path()).unwrap();
        let wrong = [
            ("set,method\n".to_owned(), "not a table of results: its first line is another"),
            (format!("{whole}yeast,ccn\n"), "line 3 has 2 cells instead of 30"),
            (whole.replace("12,1.500", "12,soon"), "line 2: `soon` is no seconds"),
            (whole.replace("ccn,0,", "ccn,x,"), "line 2: `x` is no seed"),
        ];
        for (text, message) in wrong {
            std::fs::write(results.path(), &text).unwrap();
            let error = results.read().unwrap_err().to_string();
            assert!(error.ends_with(message), "{error}");
            assert!(results.append(&[row(1)]).is_err());
            assert_eq!(std::fs::read_to_string(results.path()).unwrap(), text);
        }
    }

    #[test]
    fn many_writers_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::of(folder.path());
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let results = &results;
                scope.spawn(move || {
                    (0..10).for_each(|at| results.append(&[row(writer * 10 + at)]).unwrap());
                });
            }
        });
        let mut seeds: Vec<Seeds> = results.read().unwrap().iter().map(|row| row.seeds).collect();
        seeds.sort();
        assert_eq!(seeds, (0..80).map(Seeds::One).collect::<Vec<_>>());
    }
}
