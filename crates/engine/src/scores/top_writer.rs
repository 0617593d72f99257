//! Writes the highest classes of each row, one a line: a long table where the others are wide.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema};

use super::error::ScoreError;
use super::format::{Format, Layout};
use super::new_table::apart;
use super::number::push_f64;
use super::parquet_file::ParquetFile;
use super::text_file::TextFile;
use crate::output::{CompleteFile, OutputFile};

const COLUMNS: [&str; 3] = ["rank", "class", "probability"];

/// One line of a long table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TopCell<'a> {
    /// The row, from 1.
    pub row: u64,
    /// What identifies the row, if anything does.
    pub id: Option<&'a str>,
    /// The place of the class among the highest of its row, from 1.
    pub rank: u32,
    /// The class.
    pub class: &'a str,
    /// Its probability.
    pub probability: f32,
}

/// Writes a table of the columns `row` (or the name of the id), `rank`, `class` and `probability`.
///
/// In Parquet they are `UInt64` (`Utf8` for an id), `UInt32`, `Utf8` and `Float32`; in text a
/// probability is the double that it is.
pub struct TopWriter {
    file: File,
    has_id: bool,
}

enum File {
    Text(Box<TextFile>),
    Parquet(Box<ParquetFile>),
}

impl fmt::Debug for TopWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TopWriter").finish_non_exhaustive()
    }
}

impl TopWriter {
    /// Starts the table at `target`; `id` is the name of the column that identifies rows.
    ///
    /// # Errors
    /// When the format is unknown or the file cannot be created.
    pub fn create(target: &Path, id: Option<&str>) -> Result<Self, ScoreError> {
        let layout = Format::of(target)?.layout;
        let output = OutputFile::create(target)?;
        let has_id = id.is_some();
        let first = apart(id.unwrap_or("row"), COLUMNS.map(str::to_owned)).unwrap_or_default();
        let text = |output, delimiter| -> Result<File, ScoreError> {
            let mut file = TextFile::new(output, delimiter);
            for name in [first.as_str()].into_iter().chain(COLUMNS) {
                file.push(name)?;
            }
            file.end_row()?;
            Ok(File::Text(Box::new(file)))
        };
        let file = match layout {
            Layout::Csv => text(output, b',')?,
            Layout::Tsv => text(output, b'\t')?,
            Layout::Parquet => {
                let [rank, class, probability] = COLUMNS;
                let of_first = if has_id { DataType::Utf8 } else { DataType::UInt64 };
                let schema = Schema::new(vec![
                    Field::new(&first, of_first, false),
                    Field::new(rank, DataType::UInt32, false),
                    Field::new(class, DataType::Utf8, false),
                    Field::new(probability, DataType::Float32, false),
                ]);
                File::Parquet(Box::new(ParquetFile::create(output, schema, [probability])?))
            }
        };
        Ok(Self { file, has_id })
    }

    /// Writes some lines.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn write(&mut self, cells: &[TopCell<'_>]) -> Result<(), ScoreError> {
        match &mut self.file {
            File::Text(file) => write_text(file, cells, self.has_id),
            File::Parquet(file) => {
                let ids = || cells.iter().map(|cell| cell.id.unwrap_or_default());
                let rows = || cells.iter().map(|cell| cell.row);
                let first: ArrayRef = match self.has_id {
                    true => Arc::new(StringArray::from_iter_values(ids())),
                    false => Arc::new(UInt64Array::from_iter_values(rows())),
                };
                let ranks = UInt32Array::from_iter_values(cells.iter().map(|cell| cell.rank));
                let classes = StringArray::from_iter_values(cells.iter().map(|cell| cell.class));
                let values = cells.iter().map(|cell| cell.probability);
                let values = Float32Array::from_iter_values(values);
                file.append(vec![first, Arc::new(ranks), Arc::new(classes), Arc::new(values)])
            }
        }
    }

    /// Completes the file, which does not yet appear.
    ///
    /// # Errors
    /// When the last bytes cannot be written.
    pub fn complete(self) -> Result<CompleteFile, ScoreError> {
        match self.file {
            File::Text(file) => file.complete(),
            File::Parquet(file) => file.complete(),
        }
    }
}

fn write_text(file: &mut TextFile, cells: &[TopCell<'_>], has_id: bool) -> Result<(), ScoreError> {
    let mut number = String::new();
    for cell in cells {
        match has_id {
            true => file.push(cell.id.unwrap_or_default())?,
            false => file.push(cell.row.to_string())?,
        }
        file.push(cell.rank.to_string())?;
        file.push(cell.class)?;
        number.clear();
        push_f64(cell.probability.into(), &mut number);
        file.push(&number)?;
        file.end_row()?;
    }
    Ok(())
}
