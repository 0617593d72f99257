//! Reads rows of scores without names: a NumPy array, or the lists in one column of a Parquet
//! table.
//!
//! The header has the other columns of the table, then one column for each given name. A batch
//! keeps the cells as text, as those of a text table.

use std::path::{Path, PathBuf};

use crate::array::{ArrayError, ArrayReader, Element};
use crate::input::Excerpt;
use crate::scores::BATCH_CELLS;
use crate::scores::bad_cell::BadCell;
use crate::scores::batch::ScoreBatch;
use crate::scores::error::ScoreError;
use crate::scores::header::{Header, Place, bad_cells};
use crate::scores::kind::Accepts;
use crate::scores::reader::ReadScores;
#[cfg(feature = "parquet")]
use crate::table::parquet::{ParquetLists, ParquetTable};
use crate::table::{TextRows, push_f64};

/// The member of a `.npz` with the scores, unless there is only one. Labels are never taken for scores: `y` holds them
/// wherever data has an `X`.
const SCORES: [&str; 1] = ["scores"];
/// The member with the labels.
const LABELS: [&str; 1] = ["y"];

/// An array or a column of lists being read.
pub(in crate::scores) struct NamelessReader {
    path: PathBuf,
    accepts: Accepts,
    header: Header,
    source: Source,
    /// The columns of the table before the scores.
    others: usize,
    numbers: Vec<f64>,
    text: String,
    is_f32: bool,
    row: u64,
    batch_cells: usize,
}

enum Source {
    Array(ArrayReader),
    #[cfg(feature = "parquet")]
    Lists(Box<ParquetLists>),
}

impl NamelessReader {
    pub(in crate::scores) fn open_array(
        path: &Path,
        accepts: Accepts,
        classes: &[String],
        names: Option<&[String]>,
    ) -> Result<Self, ScoreError> {
        let Some(names) = names else {
            return Err(ArrayError::NoNames { path: path.to_path_buf() }.into());
        };
        let wanted = if accepts == Accepts::Labels { LABELS } else { SCORES };
        let array = ArrayReader::open(path, &wanted)?;
        let columns = array.columns();
        let is_f32 = matches!(array.element(), Element::F16 | Element::F32);
        Self::new(path, accepts, classes, None, &[], names, columns, is_f32, Source::Array(array))
    }

    /// The lists of a table, if it has one column of lists and none that is named as a class.
    #[cfg(feature = "parquet")]
    pub(in crate::scores) fn open_lists(
        path: &Path,
        accepts: Accepts,
        classes: &[String],
        id_column: Option<&str>,
        names: &[String],
    ) -> Result<Option<Self>, ScoreError> {
        let table = ParquetTable::open(path)?;
        let is_class = |name: &String| classes.iter().any(|class| class.trim() == name.trim());
        if table.names().iter().any(is_class) {
            return Ok(None);
        }
        let Some(lists) = ParquetLists::open(table)? else { return Ok(None) };
        let (columns, is_f32) = (lists.length(), lists.is_f32());
        let others = lists.other_names().to_vec();
        let source = Source::Lists(Box::new(lists));
        Self::new(path, accepts, classes, id_column, &others, names, columns, is_f32, source)
            .map(Some)
    }

    #[expect(clippy::too_many_arguments, reason = "the fields, once for each kind of source")]
    fn new(
        path: &Path,
        accepts: Accepts,
        classes: &[String],
        id_column: Option<&str>,
        others: &[String],
        names: &[String],
        columns: usize,
        is_f32: bool,
        source: Source,
    ) -> Result<Self, ScoreError> {
        let path = path.to_path_buf();
        if columns != names.len() {
            return Err(ArrayError::NameCount { path, columns, names: names.len() }.into());
        }
        let all = [others, names].concat();
        let header = Header::new(&path, all, classes, id_column)?;
        let (others, numbers) = (others.len(), vec![0.0; columns]);
        Ok(Self {
            path,
            accepts,
            header,
            source,
            others,
            numbers,
            text: String::new(),
            is_f32,
            row: 0,
            batch_cells: BATCH_CELLS,
        })
    }

    fn next_row(
        &mut self,
        rows: &mut TextRows,
        values: &mut Vec<f64>,
        bad: &mut Excerpt<BadCell>,
    ) -> Result<bool, ScoreError> {
        let is_read = match &mut self.source {
            Source::Array(array) => array.read(&mut self.numbers)?,
            #[cfg(feature = "parquet")]
            Source::Lists(lists) => lists.read(&mut self.numbers)?,
        };
        if !is_read {
            return Ok(false);
        }
        #[cfg(feature = "parquet")]
        if let Source::Lists(lists) = &self.source {
            (0..self.others).for_each(|other| rows.push_cell(lists.text(other).as_bytes()));
        }
        for &number in &self.numbers {
            // A shorter text of a 32-bit number could be on the other side of a threshold.
            self.text.clear();
            push_f64(number, &mut self.text);
            rows.push_cell(self.text.as_bytes());
        }
        self.row += 1;
        let first = values.len();
        values.resize(first + self.header.classes(), 0.0);
        for (class, column) in self.header.class_columns() {
            let number = self.numbers[column - self.others];
            values[first + class] = number;
            if let Some(reason) = self.accepts.rejects(number) {
                let place = Place { row: self.row, line: None, column };
                self.header.note(bad, place, reason, || {
                    let cell = |column| rows.cell(rows.rows() - 1, column);
                    let text = |column| String::from_utf8_lossy(cell(column)).into_owned();
                    (text(column), self.header.id().map(text))
                });
            }
        }
        Ok(true)
    }
}

impl ReadScores for NamelessReader {
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
        self.is_f32
    }

    fn read(&mut self, batch: &mut ScoreBatch) -> Result<bool, ScoreError> {
        let classes = self.header.classes();
        let most = (self.batch_cells / self.header.columns().len().max(1)).max(1);
        let mut values = std::mem::take(&mut batch.values);
        values.clear();
        (batch.rows, batch.first_row) = (0, self.row + 1);
        (batch.classes, batch.id) = (classes, self.header.id());
        let rows = batch.text_rows(self.header.columns().len());
        let mut bad = Excerpt::default();
        let mut is_complete = true;
        // After a bad score nothing is kept; the rest is only searched for more of them.
        while !bad.is_empty() || rows.rows() < most {
            if !bad.is_empty() {
                rows.clear(self.header.columns().len());
                values.clear();
            }
            match self.next_row(rows, &mut values, &mut bad) {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) if !bad.is_empty() => {
                    is_complete = false;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        if !bad.is_empty() {
            return Err(bad_cells(&self.path, bad, is_complete));
        }
        batch.rows = rows.rows();
        batch.values = values;
        Ok(batch.rows > 0)
    }
}
