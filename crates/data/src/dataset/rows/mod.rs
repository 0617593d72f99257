//! Rows of features for a fitted [`Pipeline`], streamed from a data file of any format.
//!
//! A [`Dataset`] is read as a whole and has labels; a [`RowReader`] streams what a model needs to
//! predict: columns are matched by the names they had in fitting, in any order; all others,
//! including labels, are skipped. The invariants:
//!
//! - **Memory does not grow with the number of rows.** A batch holds at most about a million
//!   encoded cells and about 64 MiB of identifiers.
//! - **A row is the same as in the data set of the same file**, bit for bit once it is encoded. The
//!   same readers accept the same files.
//! - **A value that did not occur in fitting is all zeros**, as a missing one is, and is counted.
//! - **Every mistake has a place**, and all mistakes of a file are reported together, as for data
//!   sets.

mod batch;
mod matched_columns;
mod opened;
mod options;

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::column::Column;
use super::complaint::{Mistakes, ReadNote};
use super::error::DatasetError;
use super::file_rows::FileRows;
use super::pipeline::{Encoder, Pipeline, UnusualCells, UnusualCounts};
use super::set::Dataset;
use super::source::FileFormat;
use rulebound_io::input::is_standard;
use rulebound_io::table::RowKey;

use self::opened::{Opened, RowId};

pub use self::batch::RowBatch;
pub use self::options::RowOptions;

/// The most encoded cells in one batch, unless a single row has more.
const BATCH_CELLS: usize = 1 << 20;

/// The approximate limit on bytes of identifiers in one batch.
const BATCH_BYTES: usize = 1 << 26;

/// Feature rows being read.
///
/// ```
/// use rulebound_data::dataset::{LabelColumns, Pipeline, ReadOptions, RowBatch, RowOptions, RowReader, Source};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let (known, new) = (folder.path().join("known.csv"), folder.path().join("new.csv"));
/// std::fs::write(&known, "weight,fur,cat\n4,yes,1\n6,no,0\n")?;
/// let labels = Some(LabelColumns::Last(1));
/// let data = Source::Path(known).read(&ReadOptions { labels, ..ReadOptions::default() })?;
/// let pipeline = Pipeline::fit(&data, 0..2)?;
///
/// std::fs::write(&new, "id,fur,weight\nTom,yes,6\n")?;
/// let mut reader = RowReader::open(&new, &pipeline, &RowOptions::default())?;
/// let mut batch = RowBatch::new();
/// assert!(reader.read(&mut batch)?);
/// assert_eq!((batch.cells().len(), batch.id(0)), (2, Some("Tom")));
/// let mut encoded = [0.0; 3];
/// pipeline.encoder(reader.columns())?.encode(batch.cells(), &mut encoded);
/// assert_eq!(encoded, [1.0, 1.0, -1.0]);
/// # Ok(())
/// # }
/// ```
pub struct RowReader<'a> {
    path: PathBuf,
    rows: Box<dyn FileRows + 'a>,
    columns: Vec<Column>,
    encoder: Encoder<'a>,
    id: Option<RowId>,
    note: Option<ReadNote>,
    unusual: UnusualCounts,
    /// The largest share of rows that may have a number far outside.
    most_out_of_range: Option<f64>,
    row: u64,
    batch_rows: usize,
    is_done: bool,
}

impl fmt::Debug for RowReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("RowReader");
        shown.field("path", &self.path).field("id", &self.id_name()).finish_non_exhaustive()
    }
}

impl<'a> RowReader<'a> {
    /// Opens a file and finds in it the columns that `pipeline` was fitted on; `-` is standard input,
    /// CSV unless the options say otherwise.
    ///
    /// # Errors
    /// If the file cannot be opened, its header is not valid, fitted columns are missing or of a
    /// different kind (one error names them all), or the requested identifier does not exist.
    pub fn open(
        path: &Path,
        pipeline: &'a Pipeline,
        options: &RowOptions,
    ) -> Result<Self, DatasetError> {
        let format = match options.format {
            Some(format) => format,
            None if is_standard(path) => FileFormat::Csv,
            None => FileFormat::from_path(path)?,
        };
        let opened = match format {
            FileFormat::Arff => Opened::arff(path, pipeline, options)?,
            FileFormat::Svmlight => Opened::svmlight(path, pipeline, options)?,
            FileFormat::Array => Opened::array(path, options)?,
            format => Opened::table(path, format, pipeline, options)?,
        };
        Self::new(path.to_path_buf(), opened, pipeline)
    }

    /// Reads rows of a data set in memory.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    ///
    /// # Panics
    /// If a row is past the end.
    pub fn from_dataset(
        data: &'a Dataset,
        rows: Range<usize>,
        pipeline: &'a Pipeline,
        options: &RowOptions,
    ) -> Result<Self, DatasetError> {
        assert!(rows.end <= data.rows(), "rows up to {} of {}", rows.end, data.rows());
        let opened = Opened::dataset(data, rows, options)?;
        Self::new(data.name().into(), opened, pipeline)
    }

    fn new(
        path: PathBuf,
        opened: Opened<'a>,
        pipeline: &'a Pipeline,
    ) -> Result<Self, DatasetError> {
        let encoder = match pipeline.encoder(&opened.columns) {
            Ok(encoder) => encoder,
            Err(source) => return Err(DatasetError::Columns { path, source }),
        };
        Ok(Self {
            path,
            rows: opened.rows,
            id: opened.id,
            note: opened.note,
            unusual: UnusualCounts::default(),
            most_out_of_range: None,
            row: 0,
            batch_rows: (BATCH_CELLS / encoder.width().max(opened.columns.len()).max(1)).max(1),
            is_done: false,
            encoder,
            columns: opened.columns,
        })
    }

    /// Limits the number of rows in a batch further; at least one.
    #[must_use]
    pub fn with_batch_rows(mut self, rows: usize) -> Self {
        self.batch_rows = self.batch_rows.min(rows).max(1);
        self
    }

    /// Makes it an error, after the last row, if more than this share of the rows have a number that is far
    /// outside of what its column was fitted on.
    #[must_use]
    pub fn with_most_out_of_range(mut self, share: f64) -> Self {
        self.most_out_of_range = Some(share);
        self
    }

    /// The columns of the rows: the fitted ones, and perhaps others.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The name of the column that identifies rows, if there is one.
    pub fn id_name(&self) -> Option<&str> {
        self.id.as_ref().map(|id| id.name.as_str())
    }

    /// What is unusual about the file, if anything.
    pub fn note(&self) -> Option<&ReadNote> {
        self.note.as_ref()
    }

    /// Fills `batch` with the next rows; false, and an empty batch, after the last one.
    ///
    /// # Errors
    /// If the file cannot be read or has mistakes. In the latter case the rest of it is read too,
    /// and [`DatasetError::Broken`] has all mistakes. Do not continue reading after an error.
    pub fn read(&mut self, batch: &mut RowBatch) -> Result<bool, DatasetError> {
        batch.clear(self.row + 1, self.columns.len());
        let mut mistakes = Mistakes::default();
        while !self.is_done {
            // After a mistake nothing is kept; the rest is only searched for more mistakes.
            let is_full = batch.rows() >= self.batch_rows || batch.id_bytes() >= BATCH_BYTES;
            if is_full && mistakes.is_empty() {
                return Ok(true);
            }
            if !self.rows.advance(&mut self.columns, &mut mistakes)? {
                self.is_done = true;
            } else if mistakes.is_empty() {
                let features = self.rows.features();
                let id = match &self.id {
                    Some(RowId { feature: Some(feature), .. }) => {
                        self.columns[*feature].show(features[*feature])
                    }
                    _ => self.rows.identifiers().first().cloned().flatten(),
                };
                let cells = batch.push(id, features);
                self.encoder.count_unusual(cells, &mut self.unusual);
                self.row += 1;
            }
        }
        DatasetError::expect_none(&self.path, mistakes)?;
        if let Some(most) = self.most_out_of_range {
            let found = self.unusual();
            if found.out_of_range_share() > most {
                let path = self.path.clone();
                return Err(DatasetError::OutOfRange { path, most, found });
            }
        }
        Ok(batch.rows() > 0)
    }

    /// Reads up to a row; its place in the batch, or `None` if there is no such row.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn find(
        &mut self,
        key: &RowKey,
        batch: &mut RowBatch,
    ) -> Result<Option<usize>, DatasetError> {
        while self.read(batch)? {
            let is_it = |row: &usize| key.is_row(batch.first_row() + *row as u64, batch.id(*row));
            if let Some(row) = (0..batch.rows()).find(is_it) {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// What one row of a batch has that training saw nothing like.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn unusual_row(&self, batch: &RowBatch, row: usize) -> UnusualCells {
        let mut counts = UnusualCounts::default();
        let cells = &batch.cells()[row * batch.width()..][..batch.width()];
        self.encoder.count_unusual(cells, &mut counts);
        self.encoder.unusual(&counts)
    }

    /// What the rows so far have that training saw nothing like.
    pub fn unusual(&self) -> UnusualCells {
        self.encoder.unusual(&self.unusual)
    }
}
