//! The columns that moved a deciding class.

use crate::text::{count, in_line};
use rulebound::attribution::{Attribution, AttributionMethod, ColumnPart};
use rulebound::explain::Explanation;
use rulebound_core::{LabelId, Labels};
use serde_json::{Value, json};
use std::fmt::Write;

/// A class whose score decided others, and what moved it.
pub struct Deciding {
    pub class: LabelId,
    /// The explained classes that it decided.
    pub decided: Vec<LabelId>,
    pub found: Attribution,
}

impl Deciding {
    /// The largest parts, and the others.
    fn split(&self, most: usize) -> (&[ColumnPart], &[ColumnPart]) {
        self.found.columns.split_at(most.min(self.found.columns.len()))
    }

    pub fn to_json(&self, labels: &Labels, most: usize) -> Value {
        let (shown, others) = self.split(most);
        let decided: Vec<&str> = self.decided.iter().map(|&label| labels.name(label)).collect();
        json!({
            "class": labels.name(self.class),
            "decided": decided,
            "logit": self.found.logit,
            "baseline_logit": self.found.baseline,
            "gap": self.found.gap,
            "columns": shown,
            "other_columns": others.len(),
            "other_columns_part": sum(others),
        })
    }
}

/// The columns as text.
pub fn describe(
    deciding: &Deciding,
    row: &Explanation<'_>,
    method: AttributionMethod,
    most: usize,
) -> String {
    let labels = row.program().labels();
    let (class, found) = (in_line(labels.name(deciding.class)), &deciding.found);
    let how = match method {
        AttributionMethod::Gradients => "integrated gradients",
        AttributionMethod::Occlusion => "one column at a time replaced by its baseline",
    };
    // Writing to a string cannot fail.
    let mut text = format!(
        "\nwhat moved `{class}`: logit {:.4}, baseline {:.4}, difference {:+.4} ({how})\n",
        found.logit,
        found.baseline,
        found.logit - found.baseline,
    );
    let (shown, others) = deciding.split(most);
    for ColumnPart { column, value, part } in shown {
        let _ = writeln!(text, "  {part:>+10.4}  {} = {value}", in_line(column));
    }
    if !others.is_empty() {
        let _ = writeln!(text, "  {:>+10.4}  {}", sum(others), count(others.len(), "other column"));
    }
    let difference = found.logit - found.baseline;
    if method == AttributionMethod::Gradients && found.gap.abs() > 0.01 * difference.abs() {
        let _ = writeln!(text, "  {:>+10.4}  not attributed", found.gap);
    }
    text
}

fn sum(parts: &[ColumnPart]) -> f64 {
    parts.iter().map(|part| part.part).sum()
}
