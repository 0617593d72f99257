//! `rulebound data info`: what is in a data set.

use super::SourceArguments;
use super::doubts::{warn_of_doubts, warn_of_refusals};
use crate::failure::Failure;
use crate::screen;
use crate::text::{count, in_line, some_names, thousands};
use clap::Args;
use rulebound::dataset::{ColumnSummary, Summary};
use std::fmt::Write;

/// Describe a data set: features, classes, rows, rules, and anything unusual
#[derive(Args)]
#[command(after_help = "Example:
  rulebound data info rectangles --step 3
  rulebound data info cellcycle_FUN --json
  rulebound data info table.csv --label-columns 'label_*'")]
pub struct Info {
    #[command(flatten)]
    source: SourceArguments,
    /// Print the description as JSON
    #[arg(long)]
    pub json: bool,
}

impl Info {
    pub fn run(&self) -> Result<(), Failure> {
        let data = self.source.read()?;
        let summary = Summary::new(&data);
        if self.json {
            let mut value = serde_json::json!(summary);
            value["unknown_labels"] = serde_json::json!(data.unknown_labels());
            value["name"] = serde_json::json!(data.name());
            value["columns"] = serde_json::json!(ColumnSummary::all(&data));
            let rows =
                |class| (0..data.rows()).filter(|&row| data.labels().contains(row, class)).count();
            let classes = data.classes();
            let label_rows = classes.ids().map(|id| (classes.name(id).to_owned(), rows(id).into()));
            value["label_rows"] = serde_json::Value::Object(label_rows.collect());
            // Under these names there are numbers of all rows everywhere.
            value["split_rows"] = serde_json::json!(summary.rows);
            value["rows"] = serde_json::json!(data.rows());
            value["split_incoherent_rows"] = serde_json::json!(summary.incoherent_rows);
            let incoherent: usize = summary.incoherent_rows.values().sum();
            value["incoherent_rows"] = serde_json::json!(incoherent);
            screen::json(&value)?;
        } else {
            let identifiers = data.identifiers().len();
            let text = to_text(data.name(), &summary, identifiers);
            screen::print(&(text + &columns_text(&ColumnSummary::all(&data))))?;
            warn_of_refusals(&data);
            warn_of_doubts(&data);
        }
        Ok(())
    }
}

fn to_text(name: &str, summary: &Summary, identifiers: usize) -> String {
    let number = |number: usize| thousands(number as u64);
    let rows: Vec<String> =
        summary.rows.iter().map(|(split, rows)| format!("{split} {}", number(*rows))).collect();
    let mut text = format!("{name}\n");
    let mut line = |what: &str, value: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {what:20} {value}");
    };
    line("rows", rows.join(", "));
    line(
        "features",
        format!(
            "{} ({} encoded){}",
            number(summary.features - identifiers),
            number(summary.features_encoded),
            match identifiers {
                0 => String::new(),
                some => format!(", and {}", count(some, "id column")),
            }
        ),
    );
    line("missing", format!("{:.2} % of feature cells", 100.0 * summary.missing_share));
    line(
        "classes",
        format!("{} ({} evaluated)", number(summary.classes), number(summary.evaluated_classes)),
    );
    line("classes per row", format!("{:.2} on average", summary.label_cardinality));
    if summary.unknown_label_cells > 0 {
        let share = 100.0 * summary.unknown_label_cells as f64
            / (summary.classes * summary.rows.values().sum::<usize>()).max(1) as f64;
        let cells = number(summary.unknown_label_cells);
        line("labels not known", format!("{cells} ({share:.2} % of label cells)"));
    }
    line("rules", number(summary.rules));
    if summary.requirements > 0 {
        line("requirements", number(summary.requirements));
    }
    for (split, names) in summary.never_positive.iter().filter(|(_, names)| !names.is_empty()) {
        let shown = some_names(names.iter().map(String::as_str), names.len(), 8);
        line(&format!("never in {split}"), shown);
    }
    let broken = if summary.requirements > 0 { "incoherent" } else { "rules broken" };
    for (split, rows) in &summary.incoherent_rows {
        if *rows > 0 {
            line(&format!("{broken} in {split}"), count(*rows, "row"));
        }
    }
    let breaking = summary.rows_breaking_rules.zip(summary.rows_breaking_requirements);
    if summary.incoherent_rows.values().all(|rows| *rows == 0) {
        line(broken, "in no row".to_owned());
    } else if let Some((rules, requirements)) = breaking {
        let (rules, requirements) = (number(rules), number(requirements));
        line("rows that break", format!("a rule: {rules}, a requirement: {requirements}"));
    }
    text
}

/// Columns listed on the screen.
const SHOWN: usize = 50;

/// Characters of a name or an example that are shown.
const WIDTH: usize = 24;

/// The first columns, one per line.
fn columns_text(columns: &[ColumnSummary]) -> String {
    let cut = |text: &str| match text.char_indices().nth(WIDTH) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    };
    let mut text =
        format!("\n  {:25} {:8} {:>8} {:>9}  example\n", "column", "kind", "missing", "values");
    for column in columns.iter().take(SHOWN) {
        let missing = format!("{:.1} %", 100.0 * column.missing_share);
        let (name, kind) = (cut(&in_line(&column.name)), column.kind.name());
        let (distinct, example) = (thousands(column.distinct as u64), column.example.as_deref());
        let example = cut(&in_line(example.unwrap_or("-")));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name:25} {kind:8} {missing:>8} {distinct:>9}  {example}");
    }
    if columns.len() > SHOWN {
        let more = thousands((columns.len() - SHOWN) as u64);
        let _ = writeln!(text, "  … and {more} more columns (--json lists all)");
    }
    text
}
