//! The rows of a NumPy array: its columns are named `f0`, `f1`, … or as given.

use std::path::Path;

use super::super::array_file::{columns, open_features, to_cells};
use super::super::column::Column;
use super::super::error::DatasetError;
use super::super::mistake::Mistakes;
use super::{Opened, RawRow, RowOptions, Rows};
use rulebound_io::array::ArrayReader;

pub(super) struct ArrayRows {
    array: ArrayReader,
    columns: Vec<Column>,
    numbers: Vec<f64>,
}

impl ArrayRows {
    pub(super) fn open<'a>(path: &Path, options: &RowOptions) -> Result<Opened<'a>, DatasetError> {
        if let Some(name) = options.id_column.clone() {
            return Err(DatasetError::NoColumn { path: path.to_path_buf(), name });
        }
        let array = open_features(path)?;
        let columns = columns(&array, options.column_names.as_deref())?;
        let rows = Self { numbers: vec![0.0; columns.len()], columns: columns.clone(), array };
        Ok(Opened { rows: Box::new(rows), columns, id: None, note: None })
    }
}

impl Rows for ArrayRows {
    fn next(&mut self, row: &mut RawRow, mistakes: &mut Mistakes) -> Result<bool, DatasetError> {
        if !self.array.read(&mut self.numbers)? {
            return Ok(false);
        }
        to_cells(&self.numbers, &mut row.cells, self.array.row(), &self.columns, mistakes);
        row.id = None;
        Ok(true)
    }
}
