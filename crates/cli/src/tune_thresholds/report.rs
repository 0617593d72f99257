//! What was found, before and after, as text and JSON.

use crate::text::{count, some_names};
use crate::unusual;
use rulebound::dataset::UnusualCells;
use rulebound::labelled_scores::LabelledScores;
use rulebound::threshold_search::{Objective, ThresholdSearch, Tuned};
use rulebound_core::Thresholds;
use rulebound_core::metrics::Counts;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::Path;

/// What was searched and found.
pub struct Report<'a> {
    pub rows: &'a LabelledScores<'a>,
    pub before: &'a Thresholds,
    pub tuned: &'a Tuned,
    pub search: &'a ThresholdSearch,
    /// What the rows have that the training of the model saw nothing like.
    pub unusual: Option<&'a UnusualCells>,
    pub out: Option<&'a Path>,
    pub out_model: Option<&'a Path>,
}

impl Report<'_> {
    pub fn json(&self) -> Value {
        let figures = |counts: &[Counts]| -> Value {
            let all = self.figures(counts).into_iter();
            Value::Object(all.map(|(name, value)| (name.to_owned(), json!(value))).collect())
        };
        let labels = self.rows.labels();
        let thresholds: Map<String, Value> = labels
            .ids()
            .zip(labels.names())
            .map(|(label, name)| (name.to_owned(), json!(self.tuned.thresholds.value(label))))
            .collect();
        let mut value = json!({
            "rows": self.rows.rows(),
            "classes": self.tuned.after.len(),
            "objective": self.objective(),
            "one": self.search.one,
            "passes": self.tuned.passes,
            "at_half": figures(&self.tuned.half),
            "before": figures(&self.tuned.before),
            "after": figures(&self.tuned.after),
            "thresholds": thresholds,
            "out": self.out.map(|path| path.display().to_string()),
            "out_model": self.out_model.map(|path| path.display().to_string()),
        });
        if let (Some(unusual), Some(object)) = (self.unusual, value.as_object_mut()) {
            object.extend(unusual::to_json(unusual));
        }
        if matches!(self.search.objective, Objective::MinPrecision(_)) {
            let below = self.below_floor().into_iter();
            let below = below.map(|(name, precision)| (name.to_owned(), json!(precision)));
            value["below_min_precision"] = Value::Object(below.collect());
        }
        value
    }

    /// The classes whose precision is below the floor that was asked for.
    fn below_floor(&self) -> Vec<(&str, f64)> {
        let Objective::MinPrecision(least) = self.search.objective else { return Vec::new() };
        let evaluated =
            self.rows.labels().names().zip(self.rows.evaluated()).filter(|(_, is)| **is);
        evaluated
            .zip(&self.tuned.after)
            .filter(|(_, counts)| counts.predicted() > 0 && counts.precision() < least)
            .map(|((name, _), counts)| (name, counts.precision()))
            .collect()
    }

    pub fn text(&self) -> String {
        let labels = self.rows.labels();
        let moved = labels
            .ids()
            .filter(|&label| self.tuned.thresholds.value(label) != self.before.value(label))
            .count();
        let (rows, all) = (count(self.rows.rows(), "row"), count(labels.len(), "class"));
        let mut text =
            format!("{rows}; thresholds of {moved} of {all} moved, for {}\n\n", self.objective());
        let has_own = labels.ids().any(|label| self.before.value(label) != 0.5);
        // Writing to a string cannot fail.
        let _ = write!(text, "  {:16} {:>8}", "", "at 0.5");
        if has_own {
            let _ = write!(text, " {:>8}", "before");
        }
        let _ = writeln!(text, " {:>8}", "tuned");
        let columns = [&self.tuned.half, &self.tuned.before, &self.tuned.after];
        let [half, before, after] = columns.map(|counts| self.figures(counts));
        for (at, (name, value)) in half.into_iter().enumerate() {
            let _ = write!(text, "  {name:16} {value:8.4}");
            if has_own {
                let _ = write!(text, " {:8.4}", before[at].1);
            }
            let _ = writeln!(text, " {:8.4}", after[at].1);
        }
        let below = self.below_floor();
        if !below.is_empty() {
            let shown: Vec<String> =
                below.iter().map(|(name, found)| format!("`{name}` ({found:.4})")).collect();
            let shown = some_names(shown.iter().map(String::as_str), shown.len(), 20);
            let _ = writeln!(
                text,
                "\nwarning: no thresholds were found that keep the precision of {shown}; rules imply them from \
                 other classes, or no threshold reaches it"
            );
        }
        text.push_str(
            "\nMeasured on the rows that the thresholds were tuned on: other rows will do worse.\n",
        );
        for path in self.out.into_iter().chain(self.out_model) {
            let _ = writeln!(text, "written to {}", path.display());
        }
        text
    }

    fn objective(&self) -> String {
        match &self.search.objective {
            Objective::MacroF1 => "macro F1".to_owned(),
            Objective::MicroF1 => "micro F1".to_owned(),
            Objective::MinPrecision(least) => format!("recall with a precision of {least}"),
            Objective::Costs(_) => "costs".to_owned(),
        }
    }

    /// Macro and micro figures of the classes that are evaluated, and the costs if there are any.
    fn figures(&self, counts: &[Counts]) -> Vec<(&'static str, f64)> {
        let total = counts.iter().fold(Counts::default(), |sum, counts| Counts {
            true_positives: sum.true_positives + counts.true_positives,
            false_positives: sum.false_positives + counts.false_positives,
            false_negatives: sum.false_negatives + counts.false_negatives,
        });
        let mean = |of: fn(Counts) -> f64| {
            let sum: f64 = counts.iter().map(|&counts| of(counts)).sum();
            if counts.is_empty() { 0.0 } else { sum / counts.len() as f64 }
        };
        let mut figures = vec![
            ("macro_f1", mean(Counts::f1)),
            ("macro_precision", mean(Counts::precision)),
            ("macro_recall", mean(Counts::recall)),
            ("micro_f1", total.f1()),
            ("micro_precision", total.precision()),
            ("micro_recall", total.recall()),
        ];
        if let Objective::Costs(costs) = &self.search.objective {
            let evaluated = costs.iter().zip(self.rows.evaluated()).filter(|(_, is_it)| **is_it);
            let sum = evaluated.zip(counts).map(|((costs, _), counts)| {
                costs.false_positive * counts.false_positives as f64
                    + costs.false_negative * counts.false_negatives as f64
            });
            figures.push(("costs", sum.sum()));
        }
        figures
    }
}
