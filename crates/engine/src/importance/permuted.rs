//! The scores of rows with one column shuffled among them.

use std::ops::Range;

use rulebound_core::LabelId;
use rulebound_core::metrics::{ClassMetrics, Columns, LabelsInMetrics, Ranking, auprc};

use crate::dataset::Dataset;
use crate::evaluate::EvaluateError;
use crate::labelled_scores::LabelledScores;
use crate::model::Model;
use crate::predict::{FeatureRows, PredictError, Predictions};
use crate::random::{Draws, Purpose};

/// Encoded cells that are held at once, unless a single row has more.
const CELLS: usize = 1 << 20;

/// The metrics that importance is measured by.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// The micro-averaged area under the precision-recall curve; `None` without a positive.
    pub micro: Option<f64>,
    /// The average precision of each class of the model; `None` without a positive, and for classes
    /// that are not evaluated.
    pub classes: Vec<Option<f64>>,
}

/// Rows of a data set, ready to be shuffled.
pub(super) struct Permuter<'a> {
    model: &'a Model,
    data: &'a Dataset,
    rows: Range<usize>,
    truth: &'a [bool],
    evaluated: Columns,
}

impl<'a> Permuter<'a> {
    pub(super) fn new(
        model: &'a Model,
        data: &'a Dataset,
        rows: Range<usize>,
        scored: &'a LabelledScores<'_, f32>,
    ) -> Result<Self, EvaluateError> {
        let evaluated = scored.columns(LabelsInMetrics::All)?;
        Ok(Self { model, data, rows, truth: scored.truth(), evaluated })
    }

    /// The metrics of the predictions from these logits.
    pub(super) fn measure(&self, logits: &[f32]) -> Result<Measured, EvaluateError> {
        let mut predictions = Predictions::default();
        self.model.head().predict(logits, &mut predictions)?;
        let scores = predictions.logits();
        let micro = auprc(&Ranking::new(&scores, self.truth, &self.evaluated)?);
        let decisions = predictions.decisions();
        let each = ClassMetrics::of_each(&scores, &decisions, self.truth, &self.evaluated)?;
        let mut classes = vec![None; self.model.labels().len()];
        each.iter().for_each(|class| classes[class.class] = class.average_precision);
        Ok(Measured { micro, classes })
    }

    /// The metrics with a column shuffled; every column and repeat has a shuffle of its own.
    pub(super) fn shuffled(
        &self,
        column: usize,
        repeat: usize,
        seed: u64,
    ) -> Result<Measured, EvaluateError> {
        let seed = seed.wrapping_add((column as u64) << 32);
        let draws = Draws::in_epoch(seed, Purpose::Importance, repeat as u32);
        let order = draws.shuffle(self.rows.len());
        let name = self.model.pipeline().columns()[column].name();
        let place = self.data.columns().iter().position(|of| of.name == name);
        let mut scorer = self.model.scorer(self.data.columns())?;
        let classes = self.model.labels().len();
        let mut logits = vec![0.0; self.rows.len() * classes];
        let width = self.data.columns().len();
        let at_once = (CELLS / width.max(1)).max(1);
        let mut cells = Vec::new();
        for (batch, logits) in logits.chunks_mut((at_once * classes).max(1)).enumerate() {
            let first = batch * at_once;
            let count = logits.len() / classes.max(1);
            cells.resize(count * width, 0.0);
            for (row, out) in cells.chunks_exact_mut(width.max(1)).enumerate() {
                self.data.features(self.rows.start + first + row).copy_to(out);
                let from = self.data.features(self.rows.start + order[first + row] as usize);
                if let Some(place) = place {
                    out[place] = from.get(place).copied().unwrap_or(0.0);
                }
            }
            scorer
                .logits(FeatureRows::dense(&cells, width).map_err(PredictError::from)?, logits)?;
        }
        self.measure(&logits)
    }
}

impl Measured {
    /// The metric of a class, or the micro average.
    pub fn of(&self, class: Option<LabelId>) -> Option<f64> {
        match class {
            Some(class) => self.classes[class.index()],
            None => self.micro,
        }
    }
}
