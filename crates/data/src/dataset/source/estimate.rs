//! What reading files takes, estimated from their sizes and their first rows before they are read.
//!
//! A text file is sampled up to about a megabyte of rows; others say how many there are. The estimate counts the features as they are
//! kept; it is meant to be right to a factor of two, and a file too short to be sampled costs
//! nothing either way.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::file_format::FileFormat;
use super::folder::Files;
use crate::dataset::array_file::open_features;
use crate::dataset::builder::MOST_COLUMNS;
use crate::dataset::complaint::Mistakes;
use crate::dataset::error::DatasetError;
use rulebound_io::features::SparseMatrix;
use rulebound_io::input::{Fallback, Lines, is_gzip};
use rulebound_io::memory::available;
#[cfg(not(feature = "parquet"))]
use rulebound_io::table::TableError;
#[cfg(feature = "parquet")]
use rulebound_io::table::parquet::ParquetTable;

/// The bytes of rows that are sampled.
const SAMPLE: u64 = 1 << 20;

/// The size of a data set before it is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadEstimate {
    /// About how many rows there are.
    pub rows: u64,
    /// How many columns; of svmlight files about how many.
    pub columns: u64,
    /// About how many cells are stored.
    pub stored: u64,
    /// About how many bytes of memory reading takes.
    pub bytes: u64,
}

/// The beginning of a file, and its size.
#[derive(Default)]
struct Sample {
    header_bytes: u64,
    columns: u64,
    rows: u64,
    bytes: u64,
    cells: u64,
    is_sparse: bool,
    is_whole: bool,
}

impl Files {
    /// Refuses files whose data needs more memory than `limit`, or without it than there is, if
    /// the system reports it.
    pub(super) fn expect_room(&self, limit: Option<u64>) -> Result<(), DatasetError> {
        let Some(limit) = limit.or_else(available) else { return Ok(()) };
        let Some(estimate) = self.estimate()? else { return Ok(()) };
        if estimate.bytes <= limit {
            return Ok(());
        }
        let path = self.splits[0].path.clone();
        Err(DatasetError::Memory { path, estimate, limit })
    }

    /// Estimates all files together; `None` if nothing can be said about one of them.
    pub(super) fn estimate(&self) -> Result<Option<ReadEstimate>, DatasetError> {
        let (mut rows, mut columns, mut cells) = (0, 0, 0);
        let mut is_sparse = true;
        for file in &self.splits {
            // Before anything is read: a pipe can be read only once.
            let Some(size) = unpacked_size(&file.path) else { return Ok(None) };
            let Some(sample) = Sample::take(&file.path, self.format)? else { return Ok(None) };
            let whole = size.saturating_sub(sample.header_bytes);
            let all = |count: u64| match sample.is_whole {
                true => count,
                false => (count as f64 * whole as f64 / sample.bytes.max(1) as f64) as u64,
            };
            rows += all(sample.rows);
            cells += all(sample.cells);
            columns = columns.max(sample.columns);
            is_sparse &= sample.is_sparse;
        }
        let dense = rows.saturating_mul(columns);
        let is_sparse = is_sparse && SparseMatrix::is_worthwhile_for(dense, cells);
        let stored = if is_sparse { cells } else { dense };
        // Sparse cells are a column and a value, and arrays that grow may take twice as much.
        let bytes = if is_sparse { 16 * stored } else { 4 * stored };
        Ok(Some(ReadEstimate { rows, columns, stored, bytes: bytes + 200 * columns }))
    }
}

impl Sample {
    fn take(path: &Path, format: FileFormat) -> Result<Option<Self>, DatasetError> {
        let exact = |rows: u64, columns: usize| {
            let columns = columns as u64;
            let cells = rows.saturating_mul(columns);
            Ok(Some(Self { columns, rows, cells, is_whole: true, ..Self::default() }))
        };
        let (delimiter, has_header) = match format {
            FileFormat::Csv => (',', true),
            FileFormat::Tsv => ('\t', true),
            FileFormat::Arff => (',', true),
            FileFormat::Svmlight => (' ', false),
            #[cfg(not(feature = "parquet"))]
            FileFormat::Parquet => return Err(TableError::no_parquet(path).into()),
            #[cfg(feature = "parquet")]
            FileFormat::Parquet => {
                let table = ParquetTable::open(path)?.expanded()?;
                return exact(table.row_count(), table.names().len());
            }
            FileFormat::Array => {
                let array = open_features(path)?;
                return exact(array.rows(), array.columns());
            }
        };
        let mut lines = Lines::open(path, Fallback::Latin1)?;
        let mut ignored = Mistakes::default();
        let mut sample = Self { is_sparse: true, ..Self::default() };
        let mut is_header = has_header;
        while sample.bytes < SAMPLE {
            let Some(line) = lines.next(&mut ignored)? else {
                sample.is_whole = true;
                break;
            };
            let (length, text) = (line.len() as u64 + 1, line.trim());
            if is_header {
                sample.header_bytes += length;
                is_header = sample.header(text, format, delimiter);
                continue;
            }
            sample.bytes += length;
            if text.is_empty() || text.starts_with(['%', '#']) {
                continue;
            }
            sample.rows += 1;
            sample.row(text, format);
        }
        Ok(Some(sample))
    }

    /// Counts the columns in a line of the header; false after its last line.
    fn header(&mut self, text: &str, format: FileFormat, delimiter: char) -> bool {
        let starts_with = |word: &str| {
            text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
        };
        match format {
            FileFormat::Arff => {
                self.columns += u64::from(starts_with("@attribute"));
                !starts_with("@data")
            }
            _ => {
                self.columns = 1 + text.matches(delimiter).count() as u64;
                false
            }
        }
    }

    fn row(&mut self, text: &str, format: FileFormat) {
        let is_sparse = format == FileFormat::Svmlight || text.starts_with('{');
        self.is_sparse &= is_sparse;
        self.cells += match format {
            FileFormat::Svmlight => {
                let numbers = text.split_ascii_whitespace().rev();
                let mut numbers = numbers.filter_map(|word| word.split_once(':')?.0.parse().ok());
                let last: u64 = numbers.next().unwrap_or(0);
                // More are a mistake, which is found when the file is read.
                self.columns = self.columns.max(last.min(MOST_COLUMNS as u64));
                text.matches(':').count() as u64
            }
            _ if is_sparse => 1 + text.matches(',').count() as u64,
            _ => self.columns,
        };
    }
}

/// The size of a file; of a compressed one, what its last bytes say.
fn unpacked_size(path: &Path) -> Option<u64> {
    let mut file = std::fs::File::open(path).ok()?;
    let size = file.metadata().ok().filter(|about| about.is_file())?.len();
    if !is_gzip(path) {
        return Some(size);
    }
    let mut last = [0; 4];
    file.seek(SeekFrom::End(-4)).ok()?;
    file.read_exact(&mut last).ok()?;
    Some(u64::from(u32::from_le_bytes(last)).max(size))
}
