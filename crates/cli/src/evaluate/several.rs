//! Several models on the same rows, side by side; differences are from the first.

use super::extras::{ExtraArguments, Intervals};
use super::required::{Outcome, expect_met};
use crate::data::RowsUsed;
use crate::failure::Failure;
use crate::text::count;
use crate::unusual;
use rulebound::configuration::LabelPolicy;
use rulebound::dataset::UnusualCells;
use rulebound::evaluate::ModelEvaluation;
use rulebound::labelled_scores::LabelledPredictions;
use rulebound::measure::{Figure, Figures, Interval};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::PathBuf;

/// One of the models.
pub struct MeasuredModel {
    pub path: PathBuf,
    /// What was done with labels that break a rule.
    pub policy: LabelPolicy,
    pub source: RowsUsed,
    /// What the rows have that its training saw nothing like.
    pub unusual: UnusualCells,
    pub evaluation: ModelEvaluation,
    pub rows: LabelledPredictions<'static>,
}

/// All models with their figures.
pub struct Several<'a> {
    models: &'a [MeasuredModel],
    figures: Vec<Figures>,
    intervals: Vec<Option<Intervals>>,
    /// Of each model but the first.
    differences: Vec<Option<Intervals>>,
    /// What became of the bounds, for each model.
    required: Vec<Vec<Outcome>>,
}

impl<'a> Several<'a> {
    /// Measures all of them.
    pub fn measure(models: &'a [MeasuredModel], extra: &ExtraArguments) -> Result<Self, Failure> {
        let figures: Result<Vec<Figures>, _> =
            models.iter().map(|model| model.rows.figures(extra.more())).collect();
        let bootstrap = extra.bootstrap();
        let mut intervals = Vec::new();
        let mut differences = Vec::new();
        for (at, model) in models.iter().enumerate() {
            let Some(bootstrap) = &bootstrap else {
                intervals.push(None);
                differences.push(None);
                continue;
            };
            intervals.push(Some(Intervals::new(bootstrap, bootstrap.intervals(&model.rows)?)));
            differences.push(match at {
                0 => None,
                _ => {
                    let found = bootstrap.differences(&models[0].rows, &model.rows)?;
                    Some(Intervals::new(bootstrap, found))
                }
            });
        }
        let figures = figures?;
        let required = figures.iter().map(|figures| extra.outcomes(figures)).collect();
        Ok(Self { models, figures, intervals, differences, required })
    }

    /// `{"models": […], "differences": […], "source": …}`; a model has the other keys that it has
    /// alone.
    pub fn json(&self, source: &RowsUsed) -> Result<Value, Failure> {
        let mut models = Vec::new();
        let mut differences = Vec::new();
        for (at, model) in self.models.iter().enumerate() {
            let mut entry = Map::new();
            entry.insert("model".to_owned(), json!(model.path.display().to_string()));
            let value = serde_json::to_value(&model.evaluation).map_err(std::io::Error::from)?;
            if let Value::Object(fields) = value {
                entry.extend(fields);
            }
            entry.insert("source".to_owned(), json!(model.source));
            entry.extend(unusual::to_json(&model.unusual));
            if let Some(further) = self.figures[at].further {
                entry.insert("more".to_owned(), json!(further));
            }
            if let Some(intervals) = &self.intervals[at] {
                entry.insert("bootstrap".to_owned(), json!(intervals));
            }
            if !self.required[at].is_empty() {
                entry.insert("required".to_owned(), json!(self.required[at]));
            }
            models.push(Value::Object(entry));
            if at > 0 {
                let mut entry = Map::new();
                entry.insert("model".to_owned(), json!(model.path.display().to_string()));
                for (figure, _) in self.figures[at].iter() {
                    entry.insert(figure.name.to_owned(), json!(self.difference(at, figure)));
                }
                if let Some(intervals) = &self.differences[at] {
                    entry.insert("bootstrap".to_owned(), json!(intervals));
                }
                differences.push(Value::Object(entry));
            }
        }
        Ok(json!({ "models": models, "differences": differences, "source": source }))
    }

    /// The failure for the bounds that do not hold, each with its model.
    pub fn expect_met(&self) -> Result<(), Failure> {
        let of = |(model, outcomes): (&MeasuredModel, &Vec<Outcome>)| {
            let name = model.path.display().to_string();
            outcomes.iter().map(|outcome| (Some(name.clone()), outcome.clone())).collect()
        };
        let each: Vec<Vec<_>> = self.models.iter().zip(&self.required).map(of).collect();
        expect_met(&each.concat())
    }

    /// A column for each model, and the differences below.
    pub fn text(&self) -> String {
        let evaluation = &self.models[0].evaluation.ensemble;
        let mut text = format!(
            "{}, {}\n\n",
            count(evaluation.rows, "row"),
            count(evaluation.classes, "class")
        );
        // Writing to a string cannot fail.
        for (at, model) in self.models.iter().enumerate() {
            let _ = writeln!(text, "  [{}] {}", at + 1, model.path.display());
        }
        let _ = write!(text, "\n  {:22}", "");
        for at in 1..=self.models.len() {
            let _ = write!(text, " {:>8}", format!("[{at}]"));
        }
        for at in 2..=self.models.len() {
            let _ = write!(text, "  {:>9}", format!("[{at}]−[1]"));
        }
        text.push('\n');
        for (figure, _) in self.figures[0].iter() {
            let _ = write!(text, "  {:22}", figure.name);
            for figures in &self.figures {
                let _ = match value_of(figures, figure) {
                    Some(value) => write!(text, " {value:8.4}"),
                    None => write!(text, " {:>8}", "-"),
                };
            }
            for at in 1..self.models.len() {
                let _ = match self.difference(at, figure) {
                    Some(value) => write!(text, "  {value:>+9.4}"),
                    None => write!(text, "  {:>9}", "-"),
                };
                if let Some([low, high]) = self.ends(at, figure) {
                    let _ = write!(text, " [{low:+.4}, {high:+.4}]");
                }
            }
            text.push('\n');
        }
        if let Some(intervals) = self.intervals.iter().flatten().next() {
            let _ = writeln!(text, "\n{} of the difference, on the same rows", intervals.note());
            if let Some(remark) = Intervals::remark(self.differences.iter().flatten()) {
                let _ = writeln!(text, "{remark}");
            }
        }
        text
    }

    fn difference(&self, at: usize, figure: Figure) -> Option<f64> {
        Some(value_of(&self.figures[at], figure)? - value_of(&self.figures[0], figure)?)
    }

    fn ends(&self, at: usize, figure: Figure) -> Option<[f64; 2]> {
        let all = &self.differences[at].as_ref()?.intervals;
        all.iter().find(|interval: &&Interval| interval.figure == figure)?.ends
    }
}

fn value_of(figures: &Figures, figure: Figure) -> Option<f64> {
    figures.iter().find(|(other, _)| *other == figure)?.1
}
