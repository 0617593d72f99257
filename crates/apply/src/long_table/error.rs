//! Why rules cannot be applied to a long table.

use std::collections::HashMap;
use std::path::PathBuf;

use rulebound_core::{Labels, SparseError};

use crate::sparse::{CutError, SparseRowError};
use rulebound_data::dataset::Ontology;
use rulebound_io::scores::ScoreError;

/// Why rules cannot be applied to a long table. Rows are counted from 1, without the header.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names of the fields say it")]
pub enum LongTableError {
    /// The tables could not be read or written.
    #[error(transparent)]
    Scores(#[from] ScoreError),
    /// A column is missing.
    #[error("{}: no column `{name}`", path.display())]
    NoColumn { path: PathBuf, name: String, columns: Vec<String> },
    /// Classes are not among those of the rules.
    #[error("{}: row {row}: `{class}` is not a class of the rules{}", path.display(), also(others))]
    UnknownClass {
        path: PathBuf,
        /// The first row with such a class.
        row: u64,
        /// The class, with what the ontology knows about it.
        class: String,
        /// The others, in the order of their first rows.
        others: Vec<String>,
        /// A class of the rules with nearly that name.
        near: Option<String>,
    },
    /// A row has no id.
    #[error("{}: row {row} has no id", path.display())]
    NoId { path: PathBuf, row: u64 },
    /// An id comes back after others.
    #[error("{}: row {row}: the id `{id}` was there before; the rows of an id must be one after the other", path.display())]
    Returned { path: PathBuf, row: u64, id: String },
    /// Ids are not sorted although they should be.
    #[error("{}: row {row}: the id `{id}` comes after `{before}`; the ids are not sorted", path.display())]
    Unsorted { path: PathBuf, row: u64, id: String, before: String },
    /// The rows of an id cannot be made coherent.
    #[error("{}: row {row}, id `{id}`: {source}", path.display())]
    Group { path: PathBuf, row: u64, id: String, source: SparseRowError },
    /// Rows cannot be cut.
    #[error(transparent)]
    Cut(#[from] CutError),
    /// The rules cannot be applied to lists.
    #[error(transparent)]
    Rules(#[from] SparseError),
    /// The caller asked to stop.
    #[error("stopped; nothing was written")]
    Stopped,
}

/// The most names in a message.
const NAMED: usize = 20;

fn also(others: &[String]) -> String {
    let shown = others[..others.len().min(NAMED - 1)].join("`, `");
    match others.len() {
        0 => String::new(),
        few if few < NAMED => format!(", nor are `{shown}`"),
        many => format!(", nor are `{shown}` and {} more", many - NAMED + 1),
    }
}

impl LongTableError {
    /// The error for unknown classes with the rows that they were first met in.
    pub(super) fn unknown(
        path: PathBuf,
        met: HashMap<String, u64>,
        ontology: Option<&Ontology>,
        labels: &Labels,
    ) -> Self {
        let mut met: Vec<(u64, String)> =
            met.into_iter().map(|(class, row)| (row, class)).collect();
        met.sort_unstable();
        let row = met.first().map_or(0, |(row, _)| *row);
        // An ontology knows what is obsolete; nearly the same digits say nothing.
        let nearest = |(_, class): &(u64, String)| labels.nearest(class).map(str::to_owned);
        let near = if ontology.is_some() { None } else { met.first().and_then(nearest) };
        let described = met.into_iter().map(|(_, class)| match ontology {
            Some(ontology) => ontology.describe_unknown(&class),
            None => class,
        });
        let mut described: Vec<String> = described.collect();
        let others = if described.is_empty() { Vec::new() } else { described.split_off(1) };
        let class = described.pop().unwrap_or_default();
        Self::UnknownClass { path, row, class, others, near }
    }
}
