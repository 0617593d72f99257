//! The rows of a table of any format, one by one.
//!
//! A caller says which columns it wants and how, and refers to them by their index in that list; a
//! column may be wanted twice. Invariant: one row of text, or one batch of Parquet, is held.

use std::path::Path;

use super::super::complaint::{Mistakes, ReadNote};
use super::super::error::DatasetError;
use super::super::source::FileFormat;
use super::cell::Cell;
#[cfg(feature = "parquet")]
use super::parquet::check_feature;
use super::text::{Delimiter, TextTable};
#[cfg(not(feature = "parquet"))]
use rulebound_io::table::TableError;
#[cfg(feature = "parquet")]
use rulebound_io::table::parquet::{ParquetCell, ParquetRows, ParquetTable};
use rulebound_io::table::{As, comma_number};

/// A table whose header has been read.
pub(in super::super) enum Table {
    Text(Box<TextTable>),
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetTable>, std::path::PathBuf),
}

/// The rows of a table.
pub(in super::super) enum Records {
    Text {
        table: Box<TextTable>,
        columns: Vec<usize>,
        /// The columns, each once, in file order.
        sorted: Vec<usize>,
        missing: Vec<String>,
        /// Which of the columns may have decimal commas.
        commas: Vec<bool>,
    },
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetRows>),
}

impl Table {
    /// Opens a table and reads its header.
    pub(in super::super) fn open(
        path: &Path,
        format: FileFormat,
        delimiter: Delimiter,
    ) -> Result<Self, DatasetError> {
        Ok(match format {
            #[cfg(feature = "parquet")]
            FileFormat::Parquet => {
                Self::Parquet(Box::new(ParquetTable::open(path)?.expanded()?), path.to_path_buf())
            }
            #[cfg(not(feature = "parquet"))]
            FileFormat::Parquet => return Err(TableError::no_parquet(path).into()),
            _ => Self::Text(Box::new(TextTable::open(path, format, delimiter)?)),
        })
    }

    /// The names of the columns.
    pub(in super::super) fn names(&self) -> &[String] {
        match self {
            Self::Text(table) => table.names(),
            #[cfg(feature = "parquet")]
            Self::Parquet(table, _) => table.names(),
        }
    }

    /// What is unusual about the file, if anything.
    pub(in super::super) fn note(&self) -> Option<ReadNote> {
        match self {
            Self::Text(table) => table.note(),
            #[cfg(feature = "parquet")]
            Self::Parquet(..) => None,
        }
    }

    /// Returns an error if a column cannot be a feature.
    #[cfg_attr(not(feature = "parquet"), allow(unused_variables))]
    pub(in super::super) fn check_feature(&self, column: usize) -> Result<(), DatasetError> {
        match self {
            Self::Text(_) => Ok(()),
            #[cfg(feature = "parquet")]
            Self::Parquet(table, path) => check_feature(table, path, column),
        }
    }

    /// The rows, with these columns; a text cell that is one of `missing` is missing.
    pub(in super::super) fn records(
        self,
        wanted: &[(usize, As)],
        missing: &[&str],
    ) -> Result<Records, DatasetError> {
        Ok(match self {
            Self::Text(table) => {
                let columns: Vec<usize> = wanted.iter().map(|(column, _)| *column).collect();
                let mut sorted = columns.clone();
                sorted.sort_unstable();
                sorted.dedup();
                let missing = missing.iter().map(|text| (*text).to_owned()).collect();
                let has_commas = table.has_decimal_commas();
                let commas = wanted.iter().map(|(_, kind)| has_commas && *kind == As::Number);
                Records::Text { table, columns, sorted, missing, commas: commas.collect() }
            }
            #[cfg(feature = "parquet")]
            Self::Parquet(table, _) => Records::Parquet(Box::new(table.rows(wanted)?)),
        })
    }
}

impl Records {
    /// Advances to the next valid row; false after the last one. Invalid rows are added to
    /// `mistakes`.
    pub(in super::super) fn advance(
        &mut self,
        mistakes: &mut Mistakes,
    ) -> Result<bool, DatasetError> {
        match self {
            Self::Text { table, sorted, .. } => table.advance(sorted.iter().copied(), mistakes),
            #[cfg(feature = "parquet")]
            Self::Parquet(rows) => Ok(rows.advance()?),
        }
    }

    /// A cell of the row, by its index in the list of wanted columns.
    pub(in super::super) fn cell(&self, wanted: usize) -> Cell<'_> {
        match self {
            Self::Text { table, columns, missing, commas, .. } => {
                let text = table.text(columns[wanted]);
                if missing.iter().any(|missing| missing == text) {
                    return Cell::Missing;
                }
                match commas[wanted].then(|| comma_number(text.trim())).flatten() {
                    Some(number) => Cell::Number(number),
                    None => Cell::Text(text),
                }
            }
            #[cfg(feature = "parquet")]
            Self::Parquet(rows) => match rows.cell(wanted) {
                ParquetCell::Missing => Cell::Missing,
                ParquetCell::Number(number) => Cell::Number(number),
                ParquetCell::Text(text) => Cell::Text(text),
            },
        }
    }

    /// The line on which the row starts, from 1; in Parquet the row.
    pub(in super::super) fn line(&self) -> u64 {
        match self {
            Self::Text { table, .. } => table.line(),
            #[cfg(feature = "parquet")]
            Self::Parquet(rows) => rows.row(),
        }
    }
}
