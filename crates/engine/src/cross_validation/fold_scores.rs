//! Out-of-fold scores: for each row, those of the network that has not seen it.

use std::path::Path;

use crate::dataset::{Dataset, Folds};
use crate::scores::{Cell, NewTable, ScoreBatch, ScoreError, ScoreWriter};

/// Cells written at once, at most about.
const BATCH_CELLS: usize = 1 << 18;

/// The probabilities of the rows that are in a fold, in the order of the data.
#[derive(Clone, PartialEq, Debug)]
pub struct FoldScores {
    /// The rows of the data, in order.
    rows: Vec<usize>,
    /// The place of each row of the data among them.
    places: Vec<Option<usize>>,
    classes: Vec<String>,
    probabilities: Vec<f32>,
    raw: Vec<f32>,
}

impl FoldScores {
    /// No scores yet for the rows of these folds.
    pub(super) fn new(data: &Dataset, folds: &Folds) -> Self {
        let rows: Vec<usize> =
            (0..data.rows()).filter(|&row| folds.fold_of(row).is_some()).collect();
        let mut places = vec![None; data.rows()];
        rows.iter().enumerate().for_each(|(place, &row)| places[row] = Some(place));
        let classes: Vec<String> = data.classes().names().map(str::to_owned).collect();
        let probabilities = vec![f32::NAN; rows.len() * classes.len()];
        Self { rows, places, classes, raw: probabilities.clone(), probabilities }
    }

    /// Notes the probabilities of these rows under the rules, and before them; row-major.
    pub(super) fn fill(
        &mut self,
        rows: impl Iterator<Item = usize>,
        probabilities: &[f32],
        raw: &[f32],
    ) {
        let width = self.classes.len();
        let scores = probabilities.chunks(width.max(1)).zip(raw.chunks(width.max(1)));
        for (row, (coherent, raw)) in rows.zip(scores) {
            if let Some(place) = self.places[row] {
                self.probabilities[place * width..][..width].copy_from_slice(coherent);
                self.raw[place * width..][..width].copy_from_slice(raw);
            }
        }
    }

    /// The rows of the data that have scores, in order.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Their probabilities, row-major, in the order of the classes.
    pub fn probabilities(&self) -> &[f32] {
        &self.probabilities
    }

    /// Writes them as `predict` writes probabilities; `id` is the identifier of `data` to copy.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path, data: &Dataset, id: Option<&str>) -> Result<(), ScoreError> {
        self.write_table(&self.probabilities, path, data, id)
    }

    /// Writes what the networks said by themselves, before the rules: what thresholds are tuned on.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_raw(
        &self,
        path: &Path,
        data: &Dataset,
        id: Option<&str>,
    ) -> Result<(), ScoreError> {
        self.write_table(&self.raw, path, data, id)
    }

    fn write_table(
        &self,
        scores: &[f32],
        path: &Path,
        data: &Dataset,
        id: Option<&str>,
    ) -> Result<(), ScoreError> {
        let id = data.identifiers().iter().find(|identifier| Some(identifier.name.as_str()) == id);
        let table = NewTable::new(id.map(|id| id.name.as_str()), self.classes.iter().cloned());
        let mut writer = ScoreWriter::create_new(path, &table)?;
        let mut batch = ScoreBatch::new();
        let width = self.classes.len().max(1);
        let most = (BATCH_CELLS / width).max(1);
        let parts = self.rows.chunks(most).zip(scores.chunks(most * width));
        for (part, (rows, scores)) in parts.enumerate() {
            let value = |&row: &usize| id.and_then(|id| id.values[row].as_deref());
            table.fill(&mut batch, (part * most) as u64 + 1, rows.iter().map(value), scores);
            let cells: Vec<Cell> =
                batch.values().iter().map(|&value| Cell::Changed(value)).collect();
            writer.write(&batch, &cells)?;
        }
        writer.commit()
    }
}
