//! What requirements changed in scores and decisions, as text and as JSON.

use crate::text::thousands;
use rulebound::predict::ScoreChanges;
use serde_json::{Map, Value, json};

/// One line, without its end.
pub fn to_text(changes: &ScoreChanges) -> String {
    format!(
        "scores: {} raised, {} lowered; classes: {} newly predicted, {} no longer",
        thousands(changes.raised_scores),
        thousands(changes.lowered_scores),
        thousands(changes.newly_predicted),
        thousands(changes.no_longer_predicted),
    )
}

/// The entries of a summary.
pub fn to_json(changes: &ScoreChanges) -> Map<String, Value> {
    let entries = [
        ("raised_scores", changes.raised_scores),
        ("lowered_scores", changes.lowered_scores),
        ("newly_predicted", changes.newly_predicted),
        ("no_longer_predicted", changes.no_longer_predicted),
    ];
    entries.into_iter().map(|(name, number)| (name.to_owned(), json!(number))).collect()
}
