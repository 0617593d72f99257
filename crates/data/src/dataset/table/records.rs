//! The rows of a table of any format, one by one.
//!
//! A caller says which columns it wants and how, and refers to them by their index in that list; a
//! column may be wanted twice. Invariant: one row of text, or one batch of Parquet, is held.

use std::path::{Path, PathBuf};

use super::super::complaint::{Mistakes, ReadNote};
use super::super::error::DatasetError;
use super::super::source::FileFormat;
use super::cell::Cell;
use super::parquet::check_feature;
use super::text::{Delimiter, TextTable};
use rulebound_io::table::comma_number;
use rulebound_io::table::parquet::{As, ParquetCell, ParquetRows, ParquetTable};

/// A table whose header has been read.
pub(in super::super) enum Table {
    Text(Box<TextTable>),
    Parquet(Box<ParquetTable>, PathBuf),
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
            FileFormat::Parquet => {
                Self::Parquet(Box::new(ParquetTable::open(path)?.expanded()?), path.to_path_buf())
            }
            _ => Self::Text(Box::new(TextTable::open(path, format, delimiter)?)),
        })
    }

    /// The names of the columns.
    pub(in super::super) fn names(&self) -> &[String] {
        match self {
            Self::Text(table) => table.names(),
            Self::Parquet(table, _) => table.names(),
        }
    }

    /// What is unusual about the file, if anything.
    pub(in super::super) fn note(&self) -> Option<ReadNote> {
        match self {
            Self::Text(table) => table.note(),
            Self::Parquet(..) => None,
        }
    }

    /// Returns an error if a column cannot be a feature.
    pub(in super::super) fn check_feature(&self, column: usize) -> Result<(), DatasetError> {
        match self {
            Self::Text(_) => Ok(()),
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
            Self::Parquet(rows) => rows.row(),
        }
    }
}
