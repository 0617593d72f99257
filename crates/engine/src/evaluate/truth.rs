//! The ground truth of rows with scores: every row of one table is a row of the other.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rulebound_core::{LabelId, Labels};

use super::error::{EvaluateError, NotBinary};
use crate::scores::{ScoreBatch, ScoreReader};

/// Maximum number of cells in an error.
const KEPT: usize = 20;

/// The rows whose scores have been read.
pub(super) struct Known {
    path: PathBuf,
    rows: usize,
    /// The row of each id, from 0; empty without an id column.
    by_id: HashMap<String, usize>,
}

impl Known {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_path_buf(), rows: 0, by_id: HashMap::new() }
    }

    /// Notes the rows of the next batch.
    pub(super) fn add(&mut self, batch: &ScoreBatch) -> Result<(), EvaluateError> {
        for row in 0..batch.rows() {
            let Some(id) = batch.id(row) else { break };
            let place = self.rows + row;
            if let Some(first) = self.by_id.insert(id.into_owned(), place) {
                let id = batch.id(row).unwrap_or_default();
                return Err(same_id(&self.path, &id, first, place));
            }
        }
        self.rows += batch.rows();
        Ok(())
    }
}

/// The ground truth, row-major.
pub(super) struct Truth {
    pub(super) labels: Vec<bool>,
    /// Which labels are known; none if all are.
    pub(super) known: Option<Vec<bool>>,
}

/// Reads the ground truth of all known rows, in the order of the scores.
pub(super) fn read_truth(
    reader: &mut ScoreReader,
    path: &Path,
    labels: &Labels,
    known: &Known,
) -> Result<Truth, EvaluateError> {
    let classes = labels.len();
    let mut truth = vec![false; known.rows * classes];
    let mut known_labels = vec![true; truth.len()];
    // The row of ground truth that each row of scores is matched with, from 1; 0 for none yet.
    let mut matched = vec![0u64; known.rows];
    let mut bad = Vec::new();
    let (mut total, mut rows) = (0, 0);
    let mut batch = ScoreBatch::new();
    while reader.read(&mut batch)? {
        for row in 0..batch.rows() {
            rows += 1;
            let id = batch.id(row);
            let place = match &id {
                Some(id) => Some(known.by_id.get(id.as_ref()).copied().ok_or_else(|| {
                    let (id, other) = (id.to_string(), path.to_path_buf());
                    EvaluateError::NoSuchId { path: known.path.clone(), id, other, row: rows }
                })?),
                // Rows past the last known one are only counted.
                None => usize::try_from(rows - 1).ok().filter(|&place| place < known.rows),
            };
            let values = &batch.values()[row * classes..][..classes];
            for (class, &value) in values.iter().enumerate() {
                if value != 0.0 && value != 1.0 && !value.is_nan() {
                    total += 1;
                    if bad.len() < KEPT {
                        let class = labels.name(LabelId::new(class)).to_owned();
                        let id = id.as_ref().map(ToString::to_string);
                        bad.push(NotBinary { row: rows, id, class, value });
                    }
                }
            }
            let Some(place) = place else { continue };
            if let (Some(id), 1..) = (&id, matched[place]) {
                let (first, second) = (matched[place] as usize - 1, rows as usize - 1);
                return Err(same_id(path, id, first, second));
            }
            matched[place] = rows;
            for (class, &value) in values.iter().enumerate() {
                truth[place * classes + class] = value == 1.0;
                known_labels[place * classes + class] = !value.is_nan();
            }
        }
    }
    if !bad.is_empty() {
        return Err(EvaluateError::NotBinary { path: path.to_path_buf(), cells: bad, total });
    }
    expect_all(path, known, &matched, rows)?;
    let known = known_labels.contains(&false).then_some(known_labels);
    Ok(Truth { labels: truth, known })
}

/// Fails if the ground truth is not of exactly the rows with scores.
fn expect_all(path: &Path, known: &Known, matched: &[u64], rows: u64) -> Result<(), EvaluateError> {
    let lost = known.by_id.iter().filter(|(_, place)| matched[**place] == 0);
    if let Some((id, &place)) = lost.min_by_key(|(_, place)| **place) {
        return Err(EvaluateError::NoSuchId {
            path: path.to_path_buf(),
            id: id.clone(),
            other: known.path.clone(),
            row: place as u64 + 1,
        });
    }
    if rows != known.rows as u64 {
        return Err(EvaluateError::RowCount {
            path: known.path.clone(),
            rows: known.rows as u64,
            other: path.to_path_buf(),
            other_rows: rows,
        });
    }
    Ok(())
}

/// Two rows, from 0, with the same id.
fn same_id(path: &Path, id: &str, first: usize, second: usize) -> EvaluateError {
    EvaluateError::SameId {
        path: path.to_path_buf(),
        id: id.to_owned(),
        first: first as u64 + 1,
        second: second as u64 + 1,
    }
}
