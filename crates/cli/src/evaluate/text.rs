//! The result of `evaluate` as text.

use super::extras::{ClassEntry, Extras, Intervals};
use crate::text::{count, in_line, thousands};
use rulebound::configuration::LabelPolicy;
use rulebound::evaluate::{Evaluation, ModelEvaluation};
use rulebound::measure::{Figure, ranked_classes};
use rulebound_core::metrics::{ClassMetrics, Direction, LabelsInMetrics};
use std::fmt::Write;

/// The most rules that are listed, and the most requirements, those that are broken most often first.
const LISTED: usize = 20;

/// How many of the worst and of the best classes are shown.
const SHOWN: usize = 5;

/// The ensemble, then the mean and standard deviation of its members.
pub fn with_members(
    evaluation: &ModelEvaluation,
    extras: &Extras,
    choice: LabelsInMetrics,
) -> String {
    let mut text = of_one(&evaluation.ensemble, extras, choice);
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
pub fn of_one(evaluation: &Evaluation, extras: &Extras, choice: LabelsInMetrics) -> String {
    let which = match choice {
        LabelsInMetrics::Present => " with a positive",
        LabelsInMetrics::All => "",
        LabelsInMetrics::Seen => " seen in training",
    };
    let mut text = format!(
        "{}, {}{which}\n\n",
        count(evaluation.rows, "row"),
        count(evaluation.classes, "class")
    );
    for (metric, value) in evaluation.metrics.iter() {
        metric_line(&mut text, metric.into(), value, extras);
    }
    if let Some(more) = extras.more {
        text.push('\n');
        for (metric, value) in more.iter() {
            metric_line(&mut text, metric.into(), value, extras);
        }
    }
    if let Some(broken) = evaluation.violations {
        let share = 100.0 * broken.rate.unwrap_or(0.0);
        let rows = thousands(broken.rows as u64);
        let what = match evaluation.rows_breaking_requirements {
            Some(_) => "incoherent rows",
            None => "rows breaking a rule",
        };
        let of = match (evaluation.rows_breaking_rules, evaluation.rows_breaking_requirements) {
            (Some(rules), Some(requirements)) => {
                let (rules, requirements) = (thousands(rules), thousands(requirements));
                format!("; {rules} a rule, {requirements} a requirement")
            }
            _ => String::new(),
        };
        let _ = writeln!(text, "\n  {what:20} {rows:>8}  {share:.1} % of all{of}");
    }
    let rules = evaluation.broken_rules.iter().map(|one| (&one.rule, one.line, one.rows));
    broken_lines(&mut text, rules, "more rule");
    let requirements =
        evaluation.broken_requirements.iter().map(|one| (&one.requirement, one.line, one.rows));
    broken_lines(&mut text, requirements, "more requirement");
    if let Some(truth) = evaluation.truth.filter(|truth| truth.incoherent_truth_rows > 0) {
        let rows = thousands(truth.incoherent_truth_rows as u64);
        let done = match (truth.label_policy, truth.rows_breaking_rules) {
            // A requirement does not say which label is wrong.
            (_, 0) => "kept as they are: they break requirements",
            (LabelPolicy::Complete, _) => "completed by the rules",
            _ => "kept as they are; --label-policy complete adds what follows",
        };
        let _ = writeln!(text, "  {:20} {rows:>8}  {done}", "… in the truth");
    }
    if evaluation.unknown_label_cells > 0 {
        let labels = thousands(evaluation.unknown_label_cells as u64);
        let _ =
            writeln!(text, "\n  {:20} {labels:>8}  left out of all metrics", "labels not known");
    }
    if let Some(bootstrap) = &extras.bootstrap {
        let _ = writeln!(text, "\n{}", bootstrap.note());
        if let Some(remark) = Intervals::remark(std::iter::once(bootstrap)) {
            let _ = writeln!(text, "{remark}");
        }
    }
    if let Some(classes) = &extras.per_class {
        text.push_str(&worst_and_best(classes));
    }
    text
}

/// The lines that are broken most often, each with its line in the file and its number of rows.
fn broken_lines<'a>(
    text: &mut String,
    broken: impl ExactSizeIterator<Item = (&'a String, u32, u64)>,
    more: &str,
) {
    let left = broken.len().saturating_sub(LISTED);
    for (line_text, line, rows) in broken.take(LISTED) {
        let rows = thousands(rows);
        let place = if line > 0 { format!("  (line {line})") } else { String::new() };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {:20} {rows:>8}  {line_text}{place}", "…");
    }
    if left > 0 {
        let more = count(left, more);
        let _ = writeln!(text, "  {:20} {:>8}  {more} (--json lists all)", "…", "");
    }
}

fn metric_line(text: &mut String, figure: Figure, value: Option<f64>, extras: &Extras) {
    let better = match figure.direction {
        Direction::Lower => "lower",
        Direction::Higher => "higher",
    };
    let width = if extras.more.is_some() { 22 } else { 20 };
    let name = figure.name;
    let interval = match extras.interval(name) {
        Some([low, high]) => format!("  [{low:.4}, {high:.4}]"),
        None => String::new(),
    };
    // Writing to a string cannot fail.
    let _ = match value {
        Some(value) => writeln!(text, "  {name:width$} {value:8.4}{interval}  {better} is better"),
        None => writeln!(text, "  {name:width$} {:>8}  undefined here", "-"),
    };
}

/// The classes with the lowest and with the highest average precision.
fn worst_and_best(classes: &[ClassEntry]) -> String {
    let all: Vec<ClassMetrics> = classes.iter().map(|entry| entry.metrics).collect();
    let ranked = ranked_classes(&all);
    let find =
        |metrics: &ClassMetrics| classes.iter().find(|entry| entry.metrics.class == metrics.class);
    let lines = |text: &mut String, ranked: &[ClassMetrics]| {
        ranked.iter().filter_map(find).for_each(|entry| text.push_str(&class_line(entry)));
    };
    let mut text = format!(
        "\n  {:24} {:>8} {:>9} {:>7} {:>7} {:>7} {:>7}\n",
        "class", "support", "precision", "recall", "f1", "ap", "auc"
    );
    if ranked.len() <= 2 * SHOWN {
        lines(&mut text, &ranked);
    } else {
        lines(&mut text, &ranked[..SHOWN]);
        let left = ranked.len() - 2 * SHOWN;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  … {} between them", count(left, "class"));
        lines(&mut text, &ranked[ranked.len() - SHOWN..]);
    }
    let absent = classes.len() - ranked.len();
    if absent > 0 {
        let _ = writeln!(text, "  {} without a positive", count(absent, "class"));
    }
    text
}

fn class_line(entry: &ClassEntry) -> String {
    let counts = entry.metrics.counts;
    let optional = |value: Option<f64>| match value {
        Some(value) => format!("{value:.4}"),
        None => "-".to_owned(),
    };
    let name: String = in_line(&entry.class).chars().take(24).collect();
    format!(
        "  {name:24} {:>8} {:>9.4} {:>7.4} {:>7.4} {:>7} {:>7}\n",
        thousands(counts.support()),
        counts.precision(),
        counts.recall(),
        counts.f1(),
        optional(entry.metrics.average_precision),
        optional(entry.metrics.auc)
    )
}
