//! `rulebound data info`: what is in a data set.

use super::SourceArguments;
use crate::failure::Failure;
use crate::screen;
use crate::text::{some_names, thousands};
use clap::Args;
use rulebound::dataset::Summary;
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
            value["name"] = serde_json::json!(data.name());
            screen::json(&value)?;
        } else {
            screen::print(&to_text(data.name(), &summary))?;
        }
        Ok(())
    }
}

fn to_text(name: &str, summary: &Summary) -> String {
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
        format!("{} ({} encoded)", number(summary.features), number(summary.features_encoded)),
    );
    line("missing", format!("{:.2} % of feature cells", 100.0 * summary.missing_share));
    line(
        "classes",
        format!("{} ({} evaluated)", number(summary.classes), number(summary.evaluated_classes)),
    );
    line("classes per row", format!("{:.2} on average", summary.label_cardinality));
    line("rules", number(summary.rules));
    for (split, names) in summary.never_positive.iter().filter(|(_, names)| !names.is_empty()) {
        let shown = some_names(names.iter().map(String::as_str), names.len(), 8);
        line(&format!("never in {split}"), shown);
    }
    for (split, rows) in &summary.incoherent_rows {
        if *rows > 0 {
            line(&format!("rules broken in {split}"), format!("{} rows", number(*rows)));
        }
    }
    if summary.incoherent_rows.values().all(|rows| *rows == 0) {
        line("rules broken", "in no row".to_owned());
    }
    text
}
