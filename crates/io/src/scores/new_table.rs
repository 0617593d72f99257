//! Tables that are not based on another table: the predictions of a model.
//!
//! Invariant: column names are unique; an id column with the name of a class is renamed, as columns
//! of a data set are.

use super::batch::ScoreBatch;
use super::header::Header;
use crate::table::unique_name;

/// The columns of a table of predictions: the id of a row, if there is one, then one column per
/// class.
///
/// ```
/// use rulebound_io::scores::{Cell, NewTable, ScoreBatch, ScoreWriter};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("out.csv");
/// let table = NewTable::new(Some("photo"), ["animal", "cat"]);
/// let mut writer = ScoreWriter::create_new(&target, &table)?;
/// let mut batch = ScoreBatch::new();
/// table.fill(&mut batch, 1, [Some("p1")], &[0.5, 0.25]);
/// writer.write(&batch, &[Cell::Changed(0.5), Cell::Changed(0.25)])?;
/// writer.commit()?;
/// assert_eq!(std::fs::read_to_string(&target)?, "photo,animal,cat\np1,0.5,0.25\n");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTable {
    id: Option<String>,
    classes: Vec<String>,
}

impl NewTable {
    /// A table with these classes; `id` is the name of the column that identifies rows.
    pub fn new<N: Into<String>>(id: Option<&str>, classes: impl IntoIterator<Item = N>) -> Self {
        let classes: Vec<String> = classes.into_iter().map(Into::into).collect();
        let id = id.map(|id| unique_name(id, classes.iter().cloned()));
        Self { id, classes }
    }

    /// The name of the id column, as it is written.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Fills `batch` with rows, the first of which has the number `first_row` (from 1): an id for
    /// each (ignored if the table has no id column; `None` is written as an empty cell) and the
    /// `scores`, row by row in the order of the classes. For tables that do not hold scores, these
    /// may be anything.
    ///
    /// # Panics
    /// If the scores are not whole rows, or a table with an id column gets fewer ids than rows.
    pub fn fill<'i>(
        &self,
        batch: &mut ScoreBatch,
        first_row: u64,
        ids: impl IntoIterator<Item = Option<&'i str>>,
        scores: &[f32],
    ) {
        let classes = self.classes.len();
        let rows = scores.len().checked_div(classes).unwrap_or(0);
        assert_eq!(scores.len(), rows * classes, "whole rows");
        let texts = batch.text_rows(usize::from(self.id.is_some()));
        if self.id.is_some() {
            let mut ids = ids.into_iter();
            for _ in 0..rows {
                let id = ids.next();
                assert!(id.is_some(), "an id for each row");
                texts.push_cell(id.flatten().unwrap_or_default().as_bytes());
            }
        }
        batch.first_row = first_row;
        batch.rows = rows;
        batch.classes = classes;
        batch.values.clear();
        batch.values.extend(scores.iter().map(|&score| f64::from(score)));
        batch.id = self.id.as_ref().map(|_| 0);
    }

    pub(super) fn header(&self) -> Header {
        Header::for_new(self.id(), &self.classes)
    }
}
