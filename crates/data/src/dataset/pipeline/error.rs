//! Why features cannot be prepared.

use rulebound_io::features::FeatureMatrix;
use rulebound_io::storage::StorageError;

/// How many names of columns an error lists; the others are counted.
const MOST_NAMES: usize = 20;

/// Why features cannot be prepared.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum PipelineError {
    /// There is nothing to fit on.
    #[error("there are no rows to fit the preprocessing on")]
    NoRows,
    /// Columns that the pipeline was fitted on are missing.
    #[error("{} missing: {}", columns(names.len()), listed(names))]
    MissingColumns { names: Vec<String> },
    /// Columns are nominal that were numeric in fitting, or the other way round.
    #[error("{} of a different kind than in training: {}", columns(names.len()), listed(names))]
    WrongKind { names: Vec<String> },
    /// Sparse features cannot be centred: no cell would be 0 any more.
    #[error(
        "standard scaling subtracts the mean of each column, and of these sparse features no cell \
         would remain 0: {rows} rows × {columns} columns would take {bytes} bytes instead of {stored}"
    )]
    CentredSparse {
        /// The number of rows to fit on.
        rows: usize,
        columns: usize,
        /// The bytes of all cells.
        bytes: u64,
        /// The bytes of the cells that are not 0.
        stored: u64,
    },
    /// There is no room for the encoded rows.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl PipelineError {
    pub(super) fn centred(features: &FeatureMatrix, rows: usize) -> Self {
        let columns = features.width();
        let bytes = 4 * rows as u64 * columns as u64;
        // The share of the cells that are in these rows is that of the rows.
        let stored = 8 * (features.stored() as u64) * rows as u64 / features.rows().max(1) as u64;
        Self::CentredSparse { rows, columns, bytes, stored }
    }
}

fn columns(count: usize) -> String {
    if count == 1 { "1 column is".to_owned() } else { format!("{count} columns are") }
}

fn listed(names: &[String]) -> String {
    let first = &names[..names.len().min(MOST_NAMES)];
    let listed = format!("`{}`", first.join("`, `"));
    match names.len() - first.len() {
        0 => listed,
        others => format!("{listed} and {others} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_twenty_columns_are_named() {
        let missing = |count: usize| {
            let names = (0..count).map(|place| place.to_string()).collect();
            PipelineError::MissingColumns { names }.to_string()
        };
        assert_eq!(missing(1), "1 column is missing: `0`");
        assert!(missing(20).ends_with("`18`, `19`"));
        assert!(missing(49_992).starts_with("49992 columns are missing: `0`, `1`"));
        assert!(missing(49_992).ends_with("`18`, `19` and 49972 more"));
    }
}
