//! The result of `evaluate` as text.

use crate::text::{count, thousands};
use rulebound::evaluate::{Evaluation, ModelEvaluation};
use rulebound_core::metrics::{Direction, LabelsInMetrics};
use std::fmt::Write;

/// The ensemble, then the mean and standard deviation of its members.
pub fn with_members(evaluation: &ModelEvaluation, choice: LabelsInMetrics) -> String {
    let mut text = of_one(&evaluation.ensemble, choice);
    let Some(members) = &evaluation.members else { return text };
    let count = members.each.len();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "\nAbove: the ensemble. Its {count} members individually:\n");
    let pairs = members.mean.iter().zip(members.deviation.iter());
    for ((metric, mean), (_, deviation)) in pairs {
        let _ = match (mean, deviation) {
            (Some(mean), Some(deviation)) => {
                writeln!(text, "  {metric:20} {mean:8.4}  ± {deviation:.4}")
            }
            _ => writeln!(text, "  {metric:20} {:>8}  undefined here", "-"),
        };
    }
    let broken: usize = members.each.iter().filter_map(|e| e.violations).map(|v| v.rows).sum();
    let _ = writeln!(text, "\n  {:20} {:>8}", "rows breaking a rule", thousands(broken as u64));
    text
}

/// All metrics of one evaluation, and how many rows break a rule.
pub fn of_one(evaluation: &Evaluation, choice: LabelsInMetrics) -> String {
    let which = match choice {
        LabelsInMetrics::Present => " with a positive",
        LabelsInMetrics::All => "",
    };
    let mut text = format!(
        "{}, {}{which}\n\n",
        count(evaluation.rows, "row"),
        count(evaluation.classes, "class")
    );
    for (metric, value) in evaluation.metrics.iter() {
        let better = match metric.direction() {
            Direction::Lower => "lower",
            Direction::Higher => "higher",
        };
        // Writing to a string cannot fail.
        let _ = match value {
            Some(value) => writeln!(text, "  {metric:20} {value:8.4}  {better} is better"),
            None => writeln!(text, "  {metric:20} {:>8}  undefined here", "-"),
        };
    }
    if let Some(broken) = evaluation.violations {
        let share = 100.0 * broken.rate.unwrap_or(0.0);
        let rows = thousands(broken.rows as u64);
        let _ = writeln!(text, "\n  {:20} {rows:>8}  {share:.1} % of all", "rows breaking a rule");
    }
    text
}
