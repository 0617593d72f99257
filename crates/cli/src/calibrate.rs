//! `rulebound calibrate`: a model whose probabilities are right on average.

use crate::arguments::Overwriting;
use crate::choice::one_of;
use crate::data::{ForModel, LabelRules, TuningRowArguments, write_text};
use crate::failure::Failure;
use crate::note_arguments::NoteArguments;
use crate::screen;
use crate::text::count;
use crate::unusual;
use clap::Args;
use clap::builder::PossibleValue;
use rulebound::calibration::{Calibration, CalibrationMethod};
use rulebound::dataset::UnusualCells;
use rulebound::measure::reliability_chart;
use rulebound::model::Model;
use rulebound_core::metrics::{FurtherMetric, FurtherMetrics, LabelsInMetrics};
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;

/// Make the probabilities of a model right on average
///
/// Fits a map of the model's own scores, before the rules, on rows that the model
/// was not trained on, and writes a model that applies it before thresholds and
/// rules. Predictions still never break a rule, and the ranking of rows within a
/// class stays. Prints the Brier score and the calibration error of the predictions
/// before and after.
#[derive(Args)]
#[command(after_help = "Example:
  rulebound train rectangles --hidden 16 --epochs 50 --out boxes.rulebound
  rulebound calibrate --model boxes.rulebound rectangles --split test --out sure.rulebound

Thresholds of 0.5 stay 0.5. If the model has others, they are mapped so that its decisions
stay the same. What is fitted and measured: docs/thresholds.md.")]
pub struct Calibrate {
    /// Data to fit on: a name from `rulebound data list`, or a path
    #[arg(value_name = "SOURCE")]
    source: String,
    /// Model file
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    #[command(flatten)]
    rules: LabelRules,
    #[command(flatten)]
    rows: TuningRowArguments,
    /// How to calibrate
    #[arg(long, value_name = "METHOD", default_value = "temperature", value_parser = method())]
    method: CalibrationMethod,
    /// Model file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    overwriting: Overwriting,
    #[command(flatten)]
    notes: NoteArguments,
    /// Draw the reliability before and after to an .svg file
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

fn method() -> impl clap::builder::TypedValueParser<Value = CalibrationMethod> {
    one_of(CalibrationMethod::ALL.map(|method| {
        PossibleValue::new(method.name()).help(match method {
            CalibrationMethod::Temperature => "Divide all scores (logits) by one number",
            CalibrationMethod::Isotonic => {
                "Isotonic regression of each class with at least 10 positives and 10 negatives, \
                 the temperature for the others"
            }
        })
    }))
}

/// Fewer rows than this say little about calibration.
const FEW_ROWS: usize = 50;

impl Calibrate {
    pub fn run(&self) -> Result<(), Failure> {
        self.overwriting.permits(&self.out)?;
        let is_svg = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "svg");
        if let Some(path) = self.picture.as_ref().filter(|path| !is_svg(path)) {
            let message = format!("--picture {}: a picture is an .svg file", path.display());
            return Err(Failure::Usage(message));
        }
        let model = Model::load(&self.model)?;
        if model.calibration().is_some() {
            return Err(rulebound::calibration::CalibrationError::Calibrated.into());
        }
        let read = self.rows.read(&self.source, self.rules.path(), None, &model)?;
        let policy = read.policy(&model);
        let ForModel { data, rows, .. } = read;
        if rows.len() < FEW_ROWS {
            let rows = count(rows.len(), "row");
            screen::note(format_args!(
                "warning: {rows} are few to calibrate on; do not rely on the result"
            ));
        }
        let unusual = unusual::of_rows(&model, &data, rows.clone())?;
        unusual::note(&unusual);
        let scored = model.score_under(policy, &data, rows.clone())?;
        let before = model.measured(&scored, LabelsInMetrics::All)?;
        let calibration = Calibration::fit(self.method, &scored)?;
        let calibrated = self.notes.add_to(model.clone().with_calibration(calibration)?)?;
        let scored = calibrated.score_under(policy, &data, rows)?;
        let after = calibrated.measured(&scored, LabelsInMetrics::All)?;
        if let Some(path) = &self.picture {
            let bins = [("before", before.reliability()?), ("after", after.reliability()?)];
            write_text(path, &reliability_chart(&bins).draw())?;
        }
        calibrated.save_as(&self.out, self.overwriting.existing())?;
        let [before, after] = [before.figures(true)?.further, after.figures(true)?.further]
            .map(Option::unwrap_or_default);
        self.print(&model, &calibrated, [before, after], &unusual)
    }

    fn print(
        &self,
        model: &Model,
        calibrated: &Model,
        [before, after]: [FurtherMetrics; 2],
        unusual: &UnusualCells,
    ) -> Result<(), Failure> {
        let Some(calibration) = calibrated.calibration() else { return Ok(()) };
        let figures = [FurtherMetric::Brier, FurtherMetric::CalibrationError];
        let mapped = model.has_own_thresholds();
        if self.json {
            let of = |metrics: FurtherMetrics| json!({ "brier": metrics.get(figures[0]), "ece": metrics.get(figures[1]) });
            let mut value = json!({
                "method": calibration.method().name(),
                "rows": calibration.rows(),
                "split": self.rows.split(),
                "temperature": calibration.temperature(),
                "isotonic_classes": calibration.isotonic_classes(),
                "classes": calibrated.labels().len(),
                "thresholds_mapped": mapped,
                "before": of(before),
                "after": of(after),
                "out": self.out.display().to_string(),
            });
            if let Some(object) = value.as_object_mut() {
                object.extend(unusual::to_json(unusual));
            }
            return Ok(screen::json(&value)?);
        }
        let mut text = format!(
            "{}: {} of {} ({})\n\n",
            self.out.display(),
            calibration.method(),
            count(calibration.rows(), "row"),
            self.rows.split()
        );
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  temperature {:.4}", calibration.temperature());
        if calibration.method() == CalibrationMethod::Isotonic {
            let own = calibration.isotonic_classes();
            let classes = count(calibrated.labels().len(), "class");
            let _ = writeln!(text, "  isotonic regression for {own} of {classes}");
        }
        let _ = writeln!(text, "\n  {:8} {:>8} {:>8}", "", "before", "after");
        for figure in figures {
            let cell = |metrics: FurtherMetrics| match metrics.get(figure) {
                Some(value) => format!("{value:.4}"),
                None => "-".to_owned(),
            };
            let (before, after) = (cell(before), cell(after));
            let _ = writeln!(text, "  {figure:8} {before:>8} {after:>8}  lower is better");
        }
        text.push_str(
            "\nMeasured after the rules, on the rows it was fitted on: other rows will do worse.\n",
        );
        if mapped {
            text.push_str("The thresholds were mapped: decisions stay the same.\n");
        }
        Ok(screen::print(&text)?)
    }
}
