//! Selected columns of a table, row by row, each as numbers or as text.
//!
//! Numbers are rounded to 32 bits, booleans are 0 and 1; null is missing, and so is NaN. Invariant:
//! one batch is held, of about a million cells.

use std::path::PathBuf;

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;

use super::column::{ColumnCells, ParquetCell};
use super::guard::guarded;
use super::lists::flat_lists;
use super::printer::NoText;
use super::{ParquetTable, Part};
use crate::table::{As, TableError};

/// Cells of one batch, approximately at most.
const BATCH_CELLS: usize = 1 << 20;

/// The rows of a Parquet table.
pub struct ParquetRows {
    path: PathBuf,
    reader: ParquetRecordBatchReader,
    /// The wanted columns of a batch, and how to read them; of a column of lists, which number.
    wanted: Vec<(usize, As, Option<usize>)>,
    /// The columns of lists of a batch, with the length of each list.
    lists: Vec<(usize, usize)>,
    /// How many rows are in earlier batches.
    earlier: u64,
    /// The wanted columns of the current batch.
    columns: Vec<ColumnCells>,
    rows: usize,
    /// The number of the current row, in the batch and in the table.
    at: usize,
    row: u64,
}

/// Why a column could not be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read column {name:?}")]
struct UnreadColumn {
    name: String,
    source: NoText,
}

impl ParquetRows {
    pub(super) fn new(table: ParquetTable, wanted: &[(usize, As)]) -> Result<Self, TableError> {
        let part = |column: usize| table.parts[column];
        let mut places: Vec<usize> = wanted.iter().map(|(column, _)| part(*column).root).collect();
        let count = wanted.len();
        let of_root = |root: usize| table.parts.iter().filter(|part| part.root == root).count();
        let is_list = |(column, _): &&(usize, As)| part(*column).item.is_some();
        let mut roots: Vec<usize> =
            wanted.iter().filter(is_list).map(|(column, _)| part(*column).root).collect();
        roots.dedup();
        places.sort_unstable();
        places.dedup();
        let wanted = wanted.iter().map(|(column, kind)| {
            let kind = if table.is_number(*column) { *kind } else { As::Text };
            let Part { root, item } = part(*column);
            // Batches have only the columns that are read, in file order.
            (places.partition_point(|place| *place < root), kind, item)
        });
        let wanted = wanted.collect();
        let place = |root: &usize| places.partition_point(|place| place < root);
        let lists = roots.iter().map(|root| (place(root), of_root(*root))).collect();
        let rows = (BATCH_CELLS / count.max(1)).clamp(1, 1 << 14);
        let mask = ProjectionMask::roots(table.builder.parquet_schema(), places);
        let builder = table.builder.with_batch_size(rows).with_projection(mask);
        let reader = guarded(&table.path, || builder.build())?;
        Ok(Self {
            path: table.path,
            reader,
            wanted,
            lists,
            earlier: 0,
            columns: Vec::new(),
            rows: 0,
            at: 0,
            row: 0,
        })
    }

    /// Advances to the next row; false after the last one.
    pub fn advance(&mut self) -> Result<bool, TableError> {
        while self.at == self.rows {
            let Some(batch) = guarded(&self.path, || self.reader.next().transpose())? else {
                return Ok(false);
            };
            let mut lists = Vec::with_capacity(self.lists.len());
            for &(place, length) in &self.lists {
                let flat = flat_lists(batch.column(place), length, self.earlier);
                let failed = |source| TableError::Parquet {
                    path: self.path.clone(),
                    source: Box::new(source),
                };
                lists.push((place, length, flat.map_err(failed)?));
            }
            self.earlier += batch.num_rows() as u64;
            let columns = self.wanted.iter().map(|(place, kind, item)| {
                let column = batch.column(*place);
                let list = lists.iter().find(|(list, ..)| list == place);
                let cells = match (kind, item.zip(list)) {
                    (_, Some((item, (_, length, flat)))) => {
                        let numbers = flat.iter().skip(item).step_by(*length);
                        Ok(ColumnCells::Numbers(numbers.copied().collect()))
                    }
                    (As::Number, None) => ColumnCells::numbers(column),
                    (As::Text, None) => ColumnCells::texts(column),
                };
                cells.map_err(|source| UnreadColumn {
                    name: batch.schema_ref().field(*place).name().clone(),
                    source,
                })
            });
            let columns: Result<_, _> = columns.collect();
            self.columns = columns.map_err(|error: UnreadColumn| TableError::Parquet {
                path: self.path.clone(),
                source: Box::new(error),
            })?;
            (self.rows, self.at) = (batch.num_rows(), 0);
        }
        self.at += 1;
        self.row += 1;
        Ok(true)
    }

    /// A cell of the row, by its index in the list of wanted columns.
    pub fn cell(&self, wanted: usize) -> ParquetCell<'_> {
        self.columns[wanted].cell(self.at - 1)
    }

    /// The number of the row, from 1.
    pub fn row(&self) -> u64 {
        self.row
    }
}
