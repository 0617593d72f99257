//! The columns of an output table and what they hold.

use super::cell::Holds;
use super::header::{ColumnRole, Header};
use super::new_table::NewTable;
use super::reader::ScoreReader;
#[cfg(feature = "parquet")]
use crate::table::parquet::ParquetSchema;

/// The columns of an output table.
#[derive(Debug)]
pub(super) struct Outline {
    pub(super) header: Header,
    pub(super) holds: Holds,
    /// Positions in the header of the columns to write, in file order.
    pub(super) written: Vec<usize>,
    /// Whether scores are 32-bit floating point.
    pub(super) is_f32: bool,
    /// The schema of the input table, if it has one.
    #[cfg(feature = "parquet")]
    pub(super) schema: Option<ParquetSchema>,
}

impl Outline {
    /// A table of scores has all columns of the input; other tables have only the id column and the
    /// classes if there is an id column.
    pub(super) fn new(reader: &ScoreReader, holds: Holds) -> Self {
        let header = reader.header().clone();
        let brief = holds != Holds::Scores && header.id().is_some();
        let columns = header.columns().iter().enumerate();
        let written = columns
            .filter(|(position, column)| {
                let is_class = matches!(column.role, ColumnRole::Class(_));
                !brief || is_class || header.id() == Some(*position)
            })
            .map(|(position, _)| position)
            .collect();
        Self {
            header,
            holds,
            written,
            is_f32: reader.is_f32(),
            #[cfg(feature = "parquet")]
            schema: reader.schema().cloned(),
        }
    }

    /// All columns of a table that is not based on another; its scores are 32-bit.
    pub(super) fn for_new(table: &NewTable, holds: Holds) -> Self {
        let header = table.header();
        let written = (0..header.columns().len()).collect();
        Self {
            header,
            holds,
            written,
            is_f32: true,
            #[cfg(feature = "parquet")]
            schema: None,
        }
    }
}
