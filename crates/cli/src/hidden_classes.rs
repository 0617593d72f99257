//! The classes of rules that a table or a list does not have, with the lines that name them.

use crate::screen;
use crate::text::hidden_note;
use rulebound::rule_file::RuleFile;
use serde_json::{Value, json};

/// Hidden classes, each with the line where it is first named; 0 where that is not known.
pub struct HiddenClasses(Vec<(String, u32)>);

impl HiddenClasses {
    /// Those that the list of labels lacks, and these that the table does. The classes of `file` are still
    /// those that were read.
    pub fn new(file: &RuleFile, without_column: &[String]) -> Self {
        let labels = file.parsed.program.labels();
        let line = |at: usize| file.parsed.places.get(at).map_or(0, |place| place.line);
        let line_of = |name: &String| labels.find(name).map_or(0, |id| line(id.index()));
        // What a list lacks was read after its names.
        let unlisted = file.unknown.iter().zip(labels.len()..);
        let unlisted = unlisted.map(|(name, at)| (name.clone(), line(at)));
        let columns = without_column.iter().map(|name| (name.clone(), line_of(name)));
        Self(unlisted.chain(columns).collect())
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// A note with their number; with `-v` also their names and lines.
    pub fn tell(&self, what: &str) {
        let Some(note) = hidden_note(self.0.len(), what) else { return };
        screen::note(note);
        screen::detail(|| {
            let named = |(name, line): &(String, u32)| match line {
                0 => format!("`{name}`"),
                line => format!("`{name}` (line {line})"),
            };
            let all: Vec<String> = self.0.iter().map(named).collect();
            format!("hidden: {}", all.join(", "))
        });
    }

    pub fn to_json(&self) -> Value {
        self.0.iter().map(|(name, line)| json!({ "class": name, "line": line })).collect()
    }
}
