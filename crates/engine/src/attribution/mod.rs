//! Which columns of a row moved one logit of a model.
//!
//! Invariant of integrated gradients: the parts of all columns add up to the logit of the row minus
//! that of the baseline, up to [`Attribution::gap`]. Occlusion has no such sum.

mod class_score;

use rulebound_core::LabelId;
use serde::Serialize;

use crate::dataset::Column;
use crate::features::FeatureRow;
use crate::model::Model;
use crate::predict::{FeatureRows, PredictError};
use class_score::ClassScore;

rulebound_core::named_enum! {
    /// How the part of a column is measured.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub enum AttributionMethod: "an attribution method" {
        /// Integrated gradients on the straight line from the baseline to the row (Sundararajan, Taly
        /// and Yan, 2017).
        #[default]
        Gradients = "gradients",
        /// How much the logit falls if the column alone is replaced by its baseline.
        Occlusion = "occlusion",
    }
}

/// What moved the logit of a class in a row, away from the baseline: the row whose encoded cells are
/// all 0, which under standard scaling is the mean of the training rows.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Attribution {
    /// The logit of the row: what the rules see of the class, before calibration.
    pub logit: f64,
    /// The logit of the baseline.
    pub baseline: f64,
    /// What the parts of integrated gradients leave unexplained; 0 for occlusion.
    pub gap: f64,
    /// The columns of the model with a part that is not 0, the largest part first.
    pub columns: Vec<ColumnPart>,
}

/// The part of one column.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ColumnPart {
    /// The name of the column.
    pub column: String,
    /// The cell of the row, as text.
    pub value: String,
    /// How far it moved the logit.
    pub part: f64,
}

/// The points on the line to begin with, and at most.
const STEPS: usize = 64;
const MOST_STEPS: usize = 4096;

/// The gap that is good enough, as a share of the difference.
const GAP: f64 = 1e-4;

impl Model {
    /// Attributes the logit of a class in a row, whose columns are matched to the model's by name.
    /// A model that is not of networks alone is measured by occlusion, with missing cells in place
    /// of those of the row.
    ///
    /// ```
    /// use rulebound::Trainer;
    /// use rulebound::core::LabelId;
    /// use rulebound::dataset::{Builtin, Step};
    /// use rulebound::attribution::AttributionMethod;
    /// let data = Builtin::ThreeClasses.generate(Step::HALFWAY, 0)?;
    /// let model = Trainer::new().hidden([4]).epochs(1).fit(&data)?;
    /// let method = AttributionMethod::Gradients;
    /// let found = model.attribution(data.columns(), data.features(0), LabelId::new(1), method)?;
    /// let sum: f64 = found.columns.iter().map(|column| column.part).sum();
    /// assert!((sum + found.gap - (found.logit - found.baseline)).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If columns of the model are missing or of another kind.
    ///
    /// # Panics
    /// If there is no such class, or the row does not have one cell per column.
    pub fn attribution(
        &self,
        columns: &[Column],
        row: FeatureRow<'_>,
        class: LabelId,
        method: AttributionMethod,
    ) -> Result<Attribution, PredictError> {
        if self.members().is_empty() {
            return self.without_each_column(columns, row, class);
        }
        let encoder = self.pipeline().encoder(columns)?;
        let mut inputs = vec![0.0; encoder.width()];
        encoder.encode(row, &mut inputs);
        let zeros = vec![0.0; inputs.len()];
        let mut score = ClassScore::new(self, class, &zeros, &inputs);
        let (baseline, logit) = (score.logit(0.0), score.logit(1.0));
        let mut found = Attribution { logit, baseline, gap: 0.0, columns: Vec::new() };
        let of_inputs: Vec<f64> = match method {
            AttributionMethod::Gradients => integrated(&mut score, &inputs, logit - baseline),
            AttributionMethod::Occlusion => Vec::new(),
        };
        let mut parts = vec![0.0; self.pipeline().columns().len()];
        let mut start = 0;
        for (part, column) in parts.iter_mut().zip(self.pipeline().columns()) {
            let place = start..start + column.width();
            start = place.end;
            *part = match method {
                AttributionMethod::Gradients => of_inputs[place].iter().sum::<f64>(),
                AttributionMethod::Occlusion => {
                    let cells = &inputs[place.clone()];
                    if cells.iter().all(|cell| *cell == 0.0) {
                        continue;
                    }
                    logit
                        - score.logit_without(|network| {
                            let first = &network.layers()[0];
                            (0..first.outputs())
                                .map(|unit| first.part_of_sum(unit, place.start, cells))
                                .collect()
                        })
                }
            };
        }
        if method == AttributionMethod::Gradients {
            found.gap = found.logit - found.baseline - parts.iter().sum::<f64>();
        }
        found.columns = self.named(columns, row, &parts);
        Ok(found)
    }

    /// How the logit of a class falls when one column after the other is missing, whatever the
    /// learner. The baseline is the row without any column.
    fn without_each_column(
        &self,
        columns: &[Column],
        row: FeatureRow<'_>,
        class: LabelId,
    ) -> Result<Attribution, PredictError> {
        let mut scorer = self.scorer(columns)?;
        let classes = self.labels().len();
        let mut logit_of = |cells: &[f32]| -> Result<f64, PredictError> {
            let mut logits = vec![f32::NAN; classes];
            scorer.logits(FeatureRows::dense(cells, columns.len())?, &mut logits)?;
            Ok(f64::from(logits[class.index()]))
        };
        let mut cells = row.to_vec();
        let logit = logit_of(&cells)?;
        let baseline = logit_of(&vec![f32::NAN; columns.len()])?;
        let mut parts = Vec::with_capacity(self.pipeline().columns().len());
        for fitted in self.pipeline().columns() {
            let place = columns.iter().position(|column| column.name == fitted.name());
            let Some(place) = place.filter(|&place| !cells[place].is_nan()) else {
                parts.push(0.0);
                continue;
            };
            let cell = std::mem::replace(&mut cells[place], f32::NAN);
            let part = logit - logit_of(&cells)?;
            // Both may be infinite: then the column makes no difference.
            parts.push(if part.is_nan() { 0.0 } else { part });
            cells[place] = cell;
        }
        let columns = self.named(columns, row, &parts);
        Ok(Attribution { logit, baseline, gap: 0.0, columns })
    }

    /// How columns are measured when this method is asked for: gradients exist for networks only.
    pub fn attribution_method(&self, asked: AttributionMethod) -> AttributionMethod {
        if self.members().is_empty() { AttributionMethod::Occlusion } else { asked }
    }

    /// The parts with the names of their columns, the largest first; ties in the order of columns.
    fn named(&self, columns: &[Column], row: FeatureRow<'_>, parts: &[f64]) -> Vec<ColumnPart> {
        let fitted = self.pipeline().columns().iter().zip(parts).filter(|(_, part)| **part != 0.0);
        let mut named: Vec<ColumnPart> = fitted
            .map(|(fitted, &part)| {
                let place = columns.iter().position(|column| column.name == fitted.name());
                let value = place.map_or(String::new(), |at| text(&columns[at], cell(row, at)));
                ColumnPart { column: fitted.name().to_owned(), value, part }
            })
            .collect();
        named.sort_by(|a, b| b.part.abs().total_cmp(&a.part.abs()));
        named
    }
}

/// Integrated gradients from zeros, with more points until they add up.
fn integrated(score: &mut ClassScore<'_>, inputs: &[f32], difference: f64) -> Vec<f64> {
    let mut steps = STEPS;
    loop {
        let gradient = score.mean_gradient(steps);
        let parts: Vec<f64> =
            gradient.iter().zip(inputs).map(|(slope, &input)| slope * f64::from(input)).collect();
        let gap = difference - parts.iter().sum::<f64>();
        if gap.abs() <= GAP * difference.abs().max(1e-3) || steps >= MOST_STEPS {
            return parts;
        }
        steps *= 4;
    }
}

fn cell(row: FeatureRow<'_>, at: usize) -> f32 {
    match row {
        FeatureRow::Dense(cells) => cells[at],
        sparse => sparse.stored().find(|(place, _)| *place == at).map_or(0.0, |(_, cell)| cell),
    }
}

/// A cell as text: a number, the name of a value, or `missing`.
fn text(column: &Column, cell: f32) -> String {
    match column.values() {
        _ if cell.is_nan() => "missing".to_owned(),
        Some(values) => {
            values.get(cell as usize).cloned().unwrap_or_else(|| "not seen in training".to_owned())
        }
        None => cell.to_string(),
    }
}
