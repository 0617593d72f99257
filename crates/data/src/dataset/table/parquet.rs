//! The columns of a Parquet table in a data set.
//!
//! Numbers and booleans are numeric (rounded to 32 bits), text is nominal, null and NaN are
//! missing. A column of lists of numbers is one column per number. Other types are rejected unless the column is an identifier.

use std::path::Path;

use super::super::column_choice::Chosen;
use super::super::error::DatasetError;
use super::Choice;
use rulebound_io::table::parquet::ParquetTable;

/// The columns of a table, and which of them hold text.
pub(super) fn columns(
    path: &Path,
    choice: Choice<'_>,
) -> Result<(Vec<String>, Vec<bool>), DatasetError> {
    let table = ParquetTable::open(path)?.expanded()?;
    let names = table.names();
    let labels = choice.labels.places(names, path)?;
    let mut is_text = Vec::with_capacity(names.len());
    for (place, name) in names.iter().enumerate() {
        let is_free = labels.binary_search(&place).is_ok()
            || matches!(choice.of(name), Some(Chosen::Identifier | Chosen::Ignored));
        if !is_free {
            check_feature(&table, path, place)?;
        }
        is_text.push(table.is_text(place));
    }
    Ok((names.to_vec(), is_text))
}

/// Returns an error if a column cannot be a feature.
pub(super) fn check_feature(
    table: &ParquetTable,
    path: &Path,
    column: usize,
) -> Result<(), DatasetError> {
    if table.is_number(column) || table.is_text(column) {
        return Ok(());
    }
    Err(DatasetError::ColumnType {
        path: path.to_path_buf(),
        column: column + 1,
        name: table.names()[column].clone(),
        data_type: table.type_name(column),
    })
}
