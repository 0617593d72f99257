//! Applies rules to a table of scores: the scores of any model become coherent.
//!
//! Batch by batch: scores → margins → layer → delegates → cells. The tables are published together,
//! when all of them are complete.

mod applier;
mod batch_error;
mod open;
mod part;
mod selection;

pub use self::applier::Applier;
pub use self::batch_error::BatchError;
#[doc(hidden)]
pub use self::open::{OpenScores, ScoredRow};
pub use rulebound_io::scores::{BadReason, ScoreKind};

use std::path::PathBuf;
use std::sync::Arc;

use rulebound_core::{
    ConstraintLayer, Delegate, HidingError, LabelId, LayerError, LayerWorkspace, Margin, Program,
    Thresholds,
};

use crate::tables::{PredictionPaths, ScoreChanges, Unsettled};
pub use rulebound_data::broken_lines::{BrokenLines, BrokenRequirement, BrokenRule};
use rulebound_data::dataset::Ontology;
use rulebound_data::unknown_labels::{UnknownLabels, UnmatchedClasses};
use rulebound_io::scores::{Cell, RankedMargin, Scale, ScoreBatch, ScoreError};
use rulebound_io::table::RowKey;

/// A table of scores to read.
#[derive(Debug, Clone)]
pub struct ScoreSource {
    /// The table of scores.
    pub scores: PathBuf,
    /// What the scores are.
    pub kind: ScoreKind,
    /// The column that identifies rows.
    pub id_column: Option<String>,
    /// The names of the columns of a table that has none: an array, or lists of numbers.
    pub names: Option<Vec<String>>,
    /// The ontology of the rules: columns may be called by any name that it knows for a term.
    pub ontology: Option<Arc<Ontology>>,
}

/// Counts of what `apply` found and changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApplySummary {
    /// How many rows.
    pub rows: u64,
    /// The rules and requirements that rows broke before they were applied.
    pub broken: BrokenLines,
    /// How many rows have at least one score that the rules changed.
    pub changed_rows: u64,
    /// How many scores the rules changed.
    pub changed_scores: u64,
    /// What became of scores and decisions, which requirements change in both directions; none if there are
    /// no requirements.
    pub changes: Option<ScoreChanges>,
    /// Rows that could not be settled, and were marked or passed on.
    pub unsettled: Unsettled,
}

/// Why rules could not be applied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum ApplyError {
    /// The tables could not be read or written.
    #[error(transparent)]
    Scores(#[from] ScoreError),
    /// Classes of the rules have no column.
    #[error("{}: {} classes of the rules have no column", path.display(), classes.len())]
    NoColumn { path: PathBuf, classes: Vec<String>, columns: Vec<String> },
    /// A class of the rules has no column, but nearly one.
    #[error("{}: no column for the class `{class}` of the rules, but one called `{column}`", path.display())]
    NearColumn { path: PathBuf, class: String, column: String },
    /// The classes of the rules are not those of the table.
    #[error("{}: {source}", path.display())]
    Unmatched { path: PathBuf, source: UnmatchedClasses },
    /// Classes without a column cannot be hidden.
    #[error("{}: a class of the rules has no column: {source}", path.display())]
    CannotHide { path: PathBuf, source: HidingError },
    /// There is no such row in the table.
    #[error("{}: no {row}; the table has {rows} rows", path.display())]
    NoRow { path: PathBuf, row: RowKey, rows: u64 },
    /// The layer could not run.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// The caller asked to stop.
    #[error("stopped; nothing was written")]
    Stopped,
}

/// Applies the rules to a table. `progress` gets the number of rows after every batch and returns
/// whether to continue.
///
/// # Errors
/// If a table cannot be read or written, a class has no column, or `progress` returns false. No
/// output is published then.
pub fn apply(
    program: &Program,
    thresholds: &Thresholds,
    source: &ScoreSource,
    paths: &PredictionPaths,
    progress: impl FnMut(u64) -> bool,
) -> Result<ApplySummary, ApplyError> {
    let scores = OpenScores::open(program, thresholds, source, UnknownLabels::Error)?;
    scores.apply(paths, progress)
}

/// The buffers, reused for every batch.
struct Step {
    margins: Vec<RankedMargin>,
    coherent: Vec<RankedMargin>,
    delegates: Vec<Delegate>,
    cells: Vec<Cell>,
    /// What the scores as they came predict, and what the coherent ones do.
    before: Vec<bool>,
    predicted: Vec<bool>,
    workspace: LayerWorkspace<RankedMargin>,
}

impl Step {
    fn new(layer: &ConstraintLayer) -> Self {
        Self {
            margins: Vec::new(),
            coherent: Vec::new(),
            delegates: Vec::new(),
            cells: Vec::new(),
            before: Vec::new(),
            predicted: Vec::new(),
            workspace: layer.workspace(),
        }
    }

    fn run(
        &mut self,
        program: &Program,
        layer: &ConstraintLayer,
        scale: &Scale,
        batch: &mut ScoreBatch,
        marks: bool,
        summary: &mut ApplySummary,
    ) -> Result<(), ApplyError> {
        let classes = layer.classes();
        batch.leave_blank(Vec::new());
        let values = batch.values();
        let labelled = || values.iter().zip((0..classes).cycle().map(LabelId::new));
        self.predicted.clear();
        self.predicted.extend(labelled().map(|(&score, label)| scale.predicts(label, score)));
        self.margins.clear();
        self.margins.extend(labelled().map(|(&score, label)| scale.margin(label, score)));
        self.coherent.resize(values.len(), RankedMargin::default());
        self.delegates.resize(values.len(), Delegate::default());
        let (coherent, delegates) = (&mut self.coherent, &mut self.delegates);
        let result =
            layer.forward_with_delegates(&self.margins, coherent, delegates, &mut self.workspace);
        result.map_err(|error| match error {
            LayerError::Unsettled { row, limit, lines } => {
                // As the table counts its rows: from 1.
                let row = batch.first_row() as usize + row;
                LayerError::Unsettled { row, limit, lines }
            }
            other => other,
        })?;

        let unsettled = summary.unsettled.add(batch.first_row(), &self.workspace.unsettled());
        if marks {
            batch.leave_blank(unsettled);
        }
        let batch = &*batch;
        let values = batch.values();
        summary.rows += batch.rows() as u64;
        summary.broken.add(program, &self.predicted);
        self.cells.clear();
        std::mem::swap(&mut self.before, &mut self.predicted);
        self.predicted.clear();
        for row in 0..batch.rows() {
            let at = row * classes..(row + 1) * classes;
            let scores = &values[at.clone()];
            let first = self.cells.len();
            let labels = (0..classes).map(LabelId::new);
            self.cells.extend(
                labels
                    .zip(&self.delegates[at.clone()])
                    .map(|(label, &delegate)| scale.cell(label, delegate, scores)),
            );
            let decisions = self.coherent[at.clone()].iter().map(|margin| margin.is_predicted());
            self.predicted.extend(decisions);
            let cells = &self.cells[first..];
            if let Some(changes) = &mut summary.changes {
                let after = cells.iter().enumerate().map(|(class, cell)| cell.value(scores, class));
                changes.add(
                    self.before[at.clone()].iter().copied().zip(scores.iter().copied()),
                    self.predicted[at].iter().copied().zip(after),
                );
            }
            let changed = cells.iter().filter(|cell| **cell != Cell::Kept).count() as u64;
            summary.changed_scores += changed;
            summary.changed_rows += u64::from(changed > 0);
        }
        Ok(())
    }
}
