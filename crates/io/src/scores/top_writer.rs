//! Writes the highest classes of each row, one per line: a long table, where the others are wide.

use std::fmt;

use super::error::ScoreError;
use crate::output::{FinishedFile, OutputFile};
#[cfg(feature = "parquet")]
use crate::table::parquet::{ColumnType, NewColumn, NewSchema, ParquetFile};
use crate::table::{Format, TableError, TableTarget, TextFile, push_f64, unique_name};

const COLUMNS: [&str; 3] = ["rank", "class", "probability"];

/// One line of a long table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TopCell<'a> {
    /// The row, from 1.
    pub row: u64,
    /// The id of the row, if there is one.
    pub id: Option<&'a str>,
    /// The rank of the class in its row, from 1.
    pub rank: u32,
    /// The class.
    pub class: &'a str,
    /// Its probability.
    pub probability: f32,
}

/// Writes a table with the columns `row` (or the name of the id), `rank`, `class` and
/// `probability`.
///
/// In Parquet they are `UInt64` (`Utf8` for an id), `UInt32`, `Utf8` and `Float32`; in text a
/// probability is written as the double of the same value.
pub struct TopWriter {
    file: File,
    has_id: bool,
}

enum File {
    Text(Box<TextFile>),
    #[cfg(feature = "parquet")]
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
    /// If the format is unknown or the file cannot be created.
    pub fn create<'t>(
        target: impl Into<TableTarget<'t>>,
        id: Option<&str>,
    ) -> Result<Self, ScoreError> {
        let target = target.into();
        let delimiter = Format::of(target)?.layout.delimiter();
        let output = OutputFile::create(target.path)?;
        let has_id = id.is_some();
        let first = unique_name(id.unwrap_or("row"), COLUMNS.map(str::to_owned));
        let [rank, class, probability] = COLUMNS;
        let file = match delimiter {
            Some(delimiter) => {
                let mut file = TextFile::new(output, delimiter, false);
                file.row([first.as_str(), rank, class, probability])?;
                File::Text(Box::new(file))
            }
            #[cfg(feature = "parquet")]
            None => {
                let mut schema = NewSchema::default();
                schema.push(&first, if has_id { ColumnType::Text } else { ColumnType::U64 }, false);
                schema.push(rank, ColumnType::U32, false);
                schema.push(class, ColumnType::Text, false);
                schema.push(probability, ColumnType::F32, false);
                File::Parquet(Box::new(ParquetFile::create(output, schema, [probability])?))
            }
            #[cfg(not(feature = "parquet"))]
            None => return Err(TableError::no_parquet(output.path()).into()),
        };
        Ok(Self { file, has_id })
    }

    /// Writes lines.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn write(&mut self, cells: &[TopCell<'_>]) -> Result<(), ScoreError> {
        match &mut self.file {
            File::Text(file) => Ok(write_text(file, cells, self.has_id)?),
            #[cfg(feature = "parquet")]
            File::Parquet(file) => {
                let first = match self.has_id {
                    true => NewColumn::texts(cells.iter().map(|cell| cell.id.unwrap_or_default())),
                    false => NewColumn::u64s(cells.iter().map(|cell| cell.row)),
                };
                let ranks = NewColumn::u32s(cells.iter().map(|cell| cell.rank));
                let classes = NewColumn::texts(cells.iter().map(|cell| cell.class));
                let values = NewColumn::f32s(cells.iter().map(|cell| cell.probability));
                Ok(file.append(vec![first, ranks, classes, values])?)
            }
        }
    }

    /// Finishes writing without publishing the file.
    ///
    /// # Errors
    /// If the last bytes cannot be written.
    pub fn finish(self) -> Result<FinishedFile, ScoreError> {
        match self.file {
            File::Text(file) => Ok(file.finish()?),
            #[cfg(feature = "parquet")]
            File::Parquet(file) => Ok(file.finish()?),
        }
    }
}

fn write_text(file: &mut TextFile, cells: &[TopCell<'_>], has_id: bool) -> Result<(), TableError> {
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
