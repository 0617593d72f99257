//! `rulebound apply --layout long`: tables with one row per id and class.

use crate::choice::one_of;
use crate::failure::Failure;
use crate::text::{count, thousands};
use clap::Args;
use rulebound::long_table::{IdOrder, LongSource, LongSummary};
use rulebound::sparse::Cut;
use rulebound_core::UnsettledRows;
use rulebound_io::scores::ScoreKind;
use serde_json::json;
use std::path::{Path, PathBuf};

rulebound_core::named_enum! {
    /// How a table of scores is laid out.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub enum TableLayout: "a layout" {
        /// One column per class.
        #[default]
        Wide = "wide",
        /// One row per id and class.
        Long = "long",
    }
}

/// Options of long tables.
#[derive(Args)]
#[command(next_help_heading = "Long tables")]
pub struct LongArguments {
    /// `wide`: one column per class; `long`: one row per id and class, and what is not listed is impossible
    #[arg(long, value_name = "LAYOUT", default_value = "wide", value_parser = one_of::<TableLayout>(TableLayout::NAMES))]
    pub layout: TableLayout,
    /// Column of class names [default: class]
    #[arg(long, value_name = "NAME")]
    class_column: Option<String>,
    /// Column of scores [default: score]
    #[arg(long, value_name = "NAME")]
    score_column: Option<String>,
    /// Order of ids: `grouped`, where rows of an id are together (20 to 40 bytes of memory per id), or `sorted` by their bytes (none) [default: grouped]
    #[arg(long, value_name = "ORDER", value_parser = one_of::<IdOrder>(IdOrder::NAMES))]
    ids: Option<IdOrder>,
    /// Write the N highest classes of each id; parents of what is written are among them
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Write only classes with a score above this; parents of what is written are among them
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true)]
    above: Option<f64>,
}

impl LongArguments {
    /// Refuses what only long tables have.
    pub fn expect_none(&self) -> Result<(), Failure> {
        let given = [
            ("--class-column", self.class_column.is_some()),
            ("--score-column", self.score_column.is_some()),
            ("--ids", self.ids.is_some()),
            ("--top", self.top.is_some()),
            ("--above", self.above.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(Failure::Usage(format!("{name} needs --layout long"))),
            None => Ok(()),
        }
    }

    /// The table to read.
    pub fn source(
        &self,
        scores: PathBuf,
        kind: ScoreKind,
        id: Option<&str>,
        unsettled: UnsettledRows,
    ) -> LongSource {
        let or = |name: Option<&str>, default: &str| name.unwrap_or(default).to_owned();
        LongSource {
            scores,
            kind,
            id_column: or(id, "id"),
            class_column: or(self.class_column.as_deref(), "class"),
            score_column: or(self.score_column.as_deref(), "score"),
            ids: self.ids.unwrap_or_default(),
            cut: Cut { top: self.top, above: self.above },
            unsettled,
        }
    }
}

/// What was done, as JSON.
pub fn to_json(summary: &LongSummary, out: &Path) -> serde_json::Value {
    json!({
        "out": out.display().to_string(),
        "ids": summary.ids,
        "rows": summary.lines,
        "rows_written": summary.written,
        "changed_scores": summary.changed,
        "added_classes": summary.added,
        "unsettled": { "ids": summary.unsettled, "first": summary.unsettled_ids },
    })
}

/// A note on ids whose requirements could not be settled; none if there are none.
pub fn unsettled_note(summary: &LongSummary, what: UnsettledRows) -> Option<String> {
    let more = summary.unsettled - summary.unsettled_ids.len() as u64;
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let became = match what {
        UnsettledRows::Raw => "written as read, which may break rules and requirements",
        UnsettledRows::Mark | UnsettledRows::Error => "left out",
    };
    let ids = summary.unsettled_ids.join(", ");
    (summary.unsettled > 0).then(|| {
        format!(
            "warning: ids that could not be settled within --settle-limit, {became}: {ids}{more}"
        )
    })
}

/// What was done, as text.
pub fn to_text(summary: &LongSummary, out: &Path) -> String {
    format!(
        "{} of {}: {} changed, {} added\n{} written to {}\n",
        count(summary.lines as usize, "row"),
        count(summary.ids as usize, "id"),
        count(summary.changed as usize, "score"),
        thousands(summary.added),
        count(summary.written as usize, "row"),
        out.display()
    )
}
