//! Which columns of a table are classes, and which classes have none.

use std::collections::HashSet;
use std::path::Path;

use rulebound_core::Labels;

use super::error::{EvaluateError, NeededBy};
use crate::scores::{ColumnRole, ScoreKind, ScoreReader};

/// The columns of a table that can be classes: all but the id.
pub(super) fn classes_of(path: &Path, id: Option<&str>) -> Result<Labels, EvaluateError> {
    let reader = ScoreReader::open(path, ScoreKind::Logit, &[], id)?;
    if let Some(column) = others_with_place(&reader).find(|(_, name)| name.is_empty()) {
        return Err(EvaluateError::NoName { path: path.to_path_buf(), column: column.0 + 1 });
    }
    let mut seen = HashSet::new();
    // Duplicate names are reported when the table is opened for reading.
    let names = others(&reader).filter(|name| seen.insert(name.clone()));
    Labels::new(names).map_err(|_| EvaluateError::NoClasses { path: path.to_path_buf() })
}

/// The columns that are neither a class nor the id, with their indices from 0.
fn others_with_place(reader: &ScoreReader) -> impl Iterator<Item = (usize, &str)> {
    let columns = reader.columns().iter().enumerate();
    columns
        .filter(|(place, column)| {
            column.role == ColumnRole::Other && Some(*place) != reader.id_column()
        })
        .map(|(place, column)| (place, column.name.trim()))
}

/// The names of the columns that are neither a class nor the id.
pub(super) fn others(reader: &ScoreReader) -> impl Iterator<Item = String> {
    others_with_place(reader).map(|(_, name)| name.to_owned())
}

/// The columns of a table that is read again, all but the id; `given` names those of a table without names.
pub(super) fn names_in(
    path: &Path,
    classes: &[String],
    id: Option<&str>,
    given: Option<&[String]>,
) -> Result<Vec<String>, EvaluateError> {
    let reader = ScoreReader::open_named(path, ScoreKind::Logit, classes, id, given)?;
    Ok(columns(&reader).into_iter().filter(|name| Some(name.as_str()) != id).collect())
}

/// The names of all columns.
pub(super) fn columns(reader: &ScoreReader) -> Vec<String> {
    reader.columns().iter().map(|column| column.name.trim().to_owned()).collect()
}

/// Fails if a class has no column in the table.
pub(super) fn expect_columns(
    path: &Path,
    reader: &ScoreReader,
    names: &[String],
    needed_by: NeededBy,
) -> Result<(), EvaluateError> {
    let missing = (0..names.len()).filter(|&class| reader.class_column(class).is_none());
    let classes: Vec<String> = missing.map(|class| names[class].clone()).collect();
    if classes.is_empty() {
        return Ok(());
    }
    let (path, columns) = (path.to_path_buf(), columns(reader));
    Err(EvaluateError::NoColumn { path, classes, needed_by, columns })
}
