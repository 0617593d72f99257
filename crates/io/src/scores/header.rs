//! The columns of a table: which hold a class, which identifies the rows, which are passed through.
//!
//! Invariant: every class has at most one column, every column at most one class, and the id
//! column has none.

use std::collections::HashMap;
use std::path::Path;

use super::bad_cell::{BadCell, BadReason};
use super::error::ScoreError;
use crate::input::{Excerpt, cut};

/// One column of a table, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The name, exactly as in the file.
    pub name: String,
    /// What the column holds.
    pub role: ColumnRole,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnRole {
    /// Scores of a class, given by its index among the requested classes.
    Class(usize),
    /// Something else, which is passed through.
    Other,
}

/// The columns of a table, and lookups for them.
#[derive(Debug, Clone)]
pub(super) struct Header {
    columns: Vec<Column>,
    class_columns: Vec<Option<usize>>,
    id: Option<usize>,
}

impl Header {
    /// Finds `classes` and the id column among `names`; surrounding spaces do not matter.
    pub(super) fn new(
        path: &Path,
        names: Vec<String>,
        classes: &[String],
        id_column: Option<&str>,
    ) -> Result<Self, ScoreError> {
        let id_column = id_column.map(str::trim);
        let mut class_of: HashMap<&str, usize> = HashMap::with_capacity(classes.len());
        for (class, name) in classes.iter().enumerate() {
            class_of.entry(name.trim()).or_insert(class);
        }
        let two = |name: &str, first: usize, second: usize| ScoreError::TwoColumns {
            path: path.to_path_buf(),
            name: name.to_owned(),
            first: first + 1,
            second: second + 1,
        };

        let mut columns = Vec::with_capacity(names.len());
        let mut class_columns = vec![None; classes.len()];
        let mut id = None;
        for (position, name) in names.into_iter().enumerate() {
            let trimmed = name.trim();
            let mut role = ColumnRole::Other;
            if Some(trimmed) == id_column {
                if let Some(first) = id.replace(position) {
                    return Err(two(trimmed, first, position));
                }
            } else if let Some(&class) = class_of.get(trimmed) {
                role = ColumnRole::Class(class);
                if let Some(first) = class_columns[class].replace(position) {
                    return Err(two(trimmed, first, position));
                }
            }
            columns.push(Column { name, role });
        }
        if let (Some(name), None) = (id_column, id) {
            return Err(ScoreError::NoIdColumn {
                path: path.to_path_buf(),
                name: name.to_owned(),
                columns: columns.into_iter().map(|column| column.name).collect(),
            });
        }
        Ok(Self { columns, class_columns, id })
    }

    /// The columns of a table that is not based on another: the id, if there is one, then the
    /// classes.
    pub(super) fn for_new(id: Option<&str>, classes: &[String]) -> Self {
        let id_column = id.map(|name| Column { name: name.to_owned(), role: ColumnRole::Other });
        let class = |(class, name): (usize, &String)| Column {
            name: name.clone(),
            role: ColumnRole::Class(class),
        };
        let first = usize::from(id.is_some());
        Self {
            class_columns: (first..first + classes.len()).map(Some).collect(),
            id: id.map(|_| 0),
            columns: id_column.into_iter().chain(classes.iter().enumerate().map(class)).collect(),
        }
    }

    pub(super) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// How many classes were requested.
    pub(super) fn classes(&self) -> usize {
        self.class_columns.len()
    }

    /// Keeps the marked classes, renumbered; those that go must have no column.
    pub(super) fn keep_classes(&mut self, keep: &[bool]) {
        let mut place = 0;
        self.class_columns.retain(|_| {
            place += 1;
            keep[place - 1]
        });
        let next = |class: usize| keep[..class].iter().filter(|&&kept| kept).count();
        for column in &mut self.columns {
            if let ColumnRole::Class(class) = column.role {
                column.role = ColumnRole::Class(next(class));
            }
        }
    }

    pub(super) fn class_column(&self, class: usize) -> Option<usize> {
        self.class_columns.get(class).copied().flatten()
    }

    /// Each class that has a column, with that column.
    pub(super) fn class_columns(&self) -> impl Iterator<Item = (usize, usize)> {
        let pairs = self.class_columns.iter().enumerate();
        pairs.filter_map(|(class, column)| column.map(|column| (class, column)))
    }

    pub(super) fn id(&self) -> Option<usize> {
        self.id
    }

    /// Adds a bad cell; `describe` returns its text and its row's id, and is called only if they
    /// are kept.
    pub(super) fn note(
        &self,
        bad: &mut Excerpt<BadCell>,
        place: Place,
        reason: BadReason,
        describe: impl FnOnce() -> (String, Option<String>),
    ) {
        bad.push_with(|| {
            let (text, id) = describe();
            BadCell {
                row: place.row,
                line: place.line,
                column: place.column + 1,
                name: self.columns[place.column].name.trim().to_owned(),
                text: cut(&text),
                id: id.map(|id| cut(&id)),
                reason,
            }
        });
    }
}

/// The place of a bad cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The data row, from 1.
    pub(super) row: u64,
    /// The line, where known.
    pub(super) line: Option<u64>,
    /// The column, from 0.
    pub(super) column: usize,
}

/// The error that lists bad cells; `complete` if the whole file was read.
pub(super) fn bad_cells(path: &Path, bad: Excerpt<BadCell>, complete: bool) -> ScoreError {
    let (cells, total) = bad.into_parts();
    ScoreError::BadCells { path: path.to_path_buf(), cells, total, complete }
}
