//! A whole file of rows to tables of predictions, batch by batch.

use super::error::PredictError;
use super::predictions::Predictions;
use super::predictor::Predictor;
use super::rows::FeatureRows;
use crate::dataset::{RowBatch, RowReader, UnusualCells};
use crate::scores::{Cell, NewTable, ScoreBatch};
use crate::tables::PredictionPaths;
use crate::tables::PredictionTables;
use crate::tables::ScoreChanges;
use crate::tables::Unsettled;
use rulebound_core::{LayerError, Margin, Program};

/// Cells of logits in one batch, at most, unless a single row has more.
const BATCH_CELLS: usize = 1 << 18;

/// What was predicted.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PredictionSummary {
    /// How many rows.
    pub rows: u64,
    /// How many classes were predicted in all rows together.
    pub predicted: u64,
    /// How many rows have at least one score that the rules changed.
    pub changed_rows: u64,
    /// How many scores the rules changed.
    pub changed_scores: u64,
    /// What became of scores and decisions, which requirements change in both directions; none if there are
    /// no requirements.
    pub changes: Option<ScoreChanges>,
    /// Rows that could not be settled, and were marked or passed on.
    pub unsettled: Unsettled,
    /// What the rows had that training saw nothing like.
    pub unusual: UnusualCells,
}

impl Predictor<'_> {
    /// Predicts all rows of a reader and writes the tables. `progress` is called with the number of
    /// rows after every batch and returns whether to continue.
    ///
    /// ```
    /// use rulebound::dataset::{Builtin, RowOptions, RowReader, Split, Step};
    /// use rulebound::predict::PredictionPaths;
    /// use rulebound::Trainer;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let out = folder.path().join("out.csv");
    /// let data = Builtin::ThreeClasses.generate(Step::HALFWAY, 1)?;
    /// let model = Trainer::new().hidden([4]).epochs(1).fit(&data)?;
    /// let test = data.split(Split::Test).unwrap();
    /// let rows = RowReader::from_dataset(&data, test, model.pipeline(), &RowOptions::default())?;
    /// let mut predictor = model.predictor(rows.columns())?;
    /// let summary = predictor.write(rows, &PredictionPaths::new(&out), |_| true)?;
    /// assert_eq!(summary.rows, 2500);
    /// assert!(std::fs::read_to_string(&out)?.lines().count() == 2501);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the rows cannot be read, an output cannot be written, a logit is not a number, the GPU
    /// fails, or `progress` says stop. Then no output appears.
    pub fn write(
        &mut self,
        rows: RowReader<'_>,
        paths: &PredictionPaths,
        mut progress: impl FnMut(u64) -> bool,
    ) -> Result<PredictionSummary, PredictError> {
        let labels = self.labels();
        let mut rows = rows.with_batch_rows(BATCH_CELLS / labels.len().max(1));
        let table = NewTable::new(rows.id_name(), labels.names());
        let mut tables =
            PredictionTables::for_new(&table, rows.id_name(), paths, labels, self.rules())?;
        let mut buffers = Buffers::default();
        let has_requirements = self.rules().is_some_and(Program::has_requirements);
        let mut summary = PredictionSummary {
            changes: has_requirements.then(ScoreChanges::default),
            ..PredictionSummary::default()
        };
        while rows.read(&mut buffers.rows)? {
            buffers.run(self, &table, &mut tables, &mut summary)?;
            if !progress(summary.rows) {
                return Err(PredictError::Stopped);
            }
        }
        // Also where there was no row at all.
        if !progress(summary.rows) {
            return Err(PredictError::Stopped);
        }
        tables.commit()?;
        summary.unusual = rows.unusual();
        Ok(summary)
    }
}

/// The memory of one batch after the other.
#[derive(Default)]
struct Buffers {
    rows: RowBatch,
    predictions: Predictions,
    batch: ScoreBatch,
    cells: Vec<Cell>,
}

impl Buffers {
    fn run(
        &mut self,
        predictor: &mut Predictor<'_>,
        table: &NewTable,
        tables: &mut PredictionTables<'_>,
        summary: &mut PredictionSummary,
    ) -> Result<(), PredictError> {
        let Self { rows, predictions, batch, cells } = self;
        let features = FeatureRows::dense(rows.cells(), rows.width())?;
        predictor.predict(features, predictions).map_err(|error| at_place(error, rows))?;
        let decisions = predictions.decisions();
        let ids = (0..rows.rows()).map(|row| rows.id(row));
        table.fill(batch, rows.first_row(), ids, &predictions.probabilities());
        if let Some(changes) = &mut summary.changes {
            let margins = predictions.margins();
            let with_decision = |&margin: &f32| (margin.is_predicted(), f64::from(margin));
            let raw = predictor.raw_margins().iter().map(with_decision);
            changes.add(raw, margins.iter().map(with_decision));
        }
        let unsettled = summary.unsettled.add(rows.first_row(), &predictor.unsettled());
        batch.leave_blank(if predictor.marks_unsettled() { unsettled } else { Vec::new() });
        cells.clear();
        cells.extend(batch.values().iter().map(|&value| Cell::Changed(value)));
        tables.write(batch, cells, &decisions, predictions.delegates(), |row| rows.id(row))?;
        if tables.has_raw() {
            batch.leave_blank(Vec::new());
            let ids = (0..rows.rows()).map(|row| rows.id(row));
            table.fill(batch, rows.first_row(), ids, &predictor.raw_probabilities(features)?);
            cells.clear();
            cells.extend(batch.values().iter().map(|&value| Cell::Changed(value)));
            tables.write_raw(batch, cells)?;
        }
        summary.rows += rows.rows() as u64;
        summary.predicted += decisions.iter().filter(|is_it| **is_it).count() as u64;
        for changed in predictions.changes() {
            summary.changed_scores += changed as u64;
            summary.changed_rows += u64::from(changed > 0);
        }
        Ok(())
    }
}

/// The error with the row of the file and its identifier.
#[cold]
fn at_place(error: PredictError, rows: &RowBatch) -> PredictError {
    match error {
        PredictError::NotANumber { row, class, is_infinite, .. } => PredictError::NotANumber {
            row: rows.first_row() + row - 1,
            id: rows.id(row as usize - 1).map(str::to_owned),
            class,
            is_infinite,
        },
        PredictError::Layer(LayerError::Unsettled { row, limit, lines }) => {
            let row = rows.first_row() as usize + row;
            PredictError::Layer(LayerError::Unsettled { row, limit, lines })
        }
        other => other,
    }
}
