//! Reads a CSV or TSV table, batch by batch, checking every class cell.

use std::path::Path;

use crate::input::{Bytes, Excerpt, LONGEST};
use crate::scores::bad_cell::BadCell;
use crate::scores::batch::ScoreBatch;
use crate::scores::error::ScoreError;
use crate::scores::header::{Header, Place, bad_cells};
use crate::scores::kind::Accepts;
use crate::scores::reader::ReadScores;
use crate::scores::{BATCH_BYTES, BATCH_CELLS};
use crate::table::{RecordError, RecordReader, TextRows};

/// A text table being read.
pub(in crate::scores) struct TextReader {
    accepts: Accepts,
    header: Header,
    records: RecordReader,
    row: u64,
    batch_cells: usize,
}

impl TextReader {
    pub(in crate::scores) fn open(
        path: &Path,
        delimiter: u8,
        accepts: Accepts,
        classes: &[String],
        id_column: Option<&str>,
    ) -> Result<Self, ScoreError> {
        let mut records = RecordReader::new(Bytes::open(path)?, delimiter);
        let names = names(&mut records)?;
        let header = Header::new(path, names, classes, id_column)?;
        Ok(Self { accepts, header, records, row: 0, batch_cells: BATCH_CELLS })
    }

    fn path(&self) -> &Path {
        self.records.input().path()
    }

    /// Counts the bad cells of the remaining rows. Returns whether the end of the file was reached.
    fn check_rest(&mut self, rows: &mut TextRows, bad: &mut Excerpt<BadCell>) -> bool {
        let mut values = Vec::new();
        loop {
            rows.clear(self.header.columns().len());
            values.clear();
            match self.next_row(rows, &mut values, bad) {
                Ok(true) => {}
                Ok(false) => return true,
                Err(_) => return false,
            }
        }
    }

    /// Appends a row and its scores; false at the end. A bad cell is added to `bad` and its score
    /// is 0.
    fn next_row(
        &mut self,
        rows: &mut TextRows,
        values: &mut Vec<f64>,
        bad: &mut Excerpt<BadCell>,
    ) -> Result<bool, ScoreError> {
        let expected = self.header.columns().len();
        let read = self.records.read(expected, rows);
        let Some(record) =
            read.map_err(|error| explain(self.records.input(), self.row + 1, error))?
        else {
            return Ok(false);
        };
        self.row += 1;
        let wrong = |line, found| ScoreError::FieldCount {
            path: self.path().to_path_buf(),
            row: self.row,
            line,
            expected,
            found,
        };
        if record.blank > 0 && expected == 1 {
            // Some programs write a single empty cell as an empty line; skipping it would lose a
            // row.
            let line = record.line.saturating_sub(record.blank).max(1);
            return Err(wrong(line, 0));
        }
        if record.fields != expected {
            return Err(wrong(record.line, record.fields));
        }
        let row = rows.rows() - 1;
        let first = values.len();
        values.resize(first + self.header.classes(), 0.0);
        for (class, column) in self.header.class_columns() {
            match self.accepts.parse(rows.cell(row, column)) {
                Ok(value) => values[first + class] = value,
                Err(reason) => {
                    let place = Place { row: self.row, line: Some(record.line), column };
                    self.header.note(bad, place, reason, || {
                        let id = self.header.id().map(|id| lossy(rows.cell(row, id)));
                        (lossy(rows.cell(row, column)), id)
                    });
                }
            }
        }
        Ok(true)
    }
}

impl ReadScores for TextReader {
    fn header(&self) -> &Header {
        &self.header
    }

    fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }

    fn set_batch_cells(&mut self, cells: usize) {
        self.batch_cells = cells;
    }

    fn is_f32(&self) -> bool {
        false
    }

    fn read(&mut self, batch: &mut ScoreBatch) -> Result<bool, ScoreError> {
        let classes = self.header.classes();
        let most = (self.batch_cells / classes.max(1)).max(1);
        let mut values = std::mem::take(&mut batch.values);
        values.clear();
        batch.rows = 0;
        batch.first_row = self.row + 1;
        batch.classes = classes;
        batch.id = self.header.id();
        let rows = batch.text_rows(self.header.columns().len());
        let mut bad = Excerpt::default();
        while rows.rows() < most && rows.size() < BATCH_BYTES {
            match self.next_row(rows, &mut values, &mut bad) {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) if !bad.is_empty() => return Err(bad_cells(self.path(), bad, false)),
                Err(error) => return Err(error),
            }
        }
        if !bad.is_empty() {
            let complete = self.check_rest(rows, &mut bad);
            return Err(bad_cells(self.path(), bad, complete));
        }
        batch.rows = rows.rows();
        batch.values = values;
        Ok(batch.rows > 0)
    }
}

fn names(records: &mut RecordReader) -> Result<Vec<String>, ScoreError> {
    let mut rows = TextRows::default();
    let read = records.read(usize::MAX, &mut rows);
    let path = || records.input().path().to_path_buf();
    let Some(record) = read.map_err(|error| explain(records.input(), 0, error))? else {
        return Err(ScoreError::NoHeader { path: path() });
    };
    let name = |column| {
        let cell = rows.cell(0, column);
        String::from_utf8(cell.to_vec()).map_err(|_| ScoreError::HeaderNotUtf8 {
            path: path(),
            column: column + 1,
            text: lossy(cell),
        })
    };
    (0..record.fields).map(name).collect()
}

fn explain(input: &Bytes, row: u64, error: RecordError) -> ScoreError {
    let path = input.path().to_path_buf();
    match error {
        RecordError::Io { line, source } => input.failed(line.saturating_sub(1), source).into(),
        RecordError::OpenQuote { line, .. } => ScoreError::OpenQuote { path, row, line },
        RecordError::TooLong { line, .. } => {
            ScoreError::RowTooLong { path, row, line, limit: LONGEST }
        }
    }
}

fn lossy(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell).into_owned()
}
