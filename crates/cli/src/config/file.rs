//! A configuration file: its text, its entries for a command, its mistakes.

use super::entry::{Entry, find, names};
use crate::diagnostic::{Diagnostic, Place};
use crate::failure::Failure;
use clap::Command;
use rulebound_core::{Labels, Span};
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A file that was read.
pub struct ConfigFile {
    path: PathBuf,
    text: String,
}

impl ConfigFile {
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Diagnostic::plain("unreadable", format!("cannot read {}: {error}", path.display()))
        })?;
        Ok(Self { path: path.to_path_buf(), text })
    }

    /// The entries for the last of `commands`: those outside of tables, and those of its table,
    /// which win. The tables of other commands are checked too.
    pub fn entries(&self, root: &Command, commands: &[&Command]) -> Result<Vec<Entry>, Failure> {
        let table = DeTable::parse(&self.text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            Failure::from(self.mistake("config", error.message().to_owned(), &span))
        })?;
        let mut reading = Reading { file: self, entries: Vec::new(), mistakes: Vec::new() };
        let chosen = commands.last().copied().unwrap_or(root);
        reading.options(chosen, table.get_ref(), true);
        reading.tables(root, table.get_ref(), commands);
        match reading.mistakes.is_empty() {
            true => Ok(reading.entries),
            false => {
                reading.mistakes.sort_by_key(|mistake| mistake.places[0].span);
                Err(Failure::Input(reading.mistakes))
            }
        }
    }

    /// A mistake at a place, in bytes.
    pub fn mistake(&self, code: &'static str, message: String, span: &Range<usize>) -> Diagnostic {
        let lines: Vec<&str> = self.text.lines().collect();
        let start = span.start.min(self.text.len());
        let before = &self.text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count();
        let line_end = line_start + lines.get(line).map_or(0, |line| line.len());
        let covered = &self.text[start..span.end.clamp(start, line_end.max(start))];
        let clamp = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let span = Span {
            line: clamp(line + 1),
            column: clamp(before[line_start..].chars().count() + 1),
            length: clamp(covered.chars().count().max(1)),
        };
        let places = vec![Place::new(&self.path.display().to_string(), &lines, span, "")];
        Diagnostic { code, message, places, ..Diagnostic::default() }
    }
}

/// Entries and mistakes so far.
struct Reading<'f> {
    file: &'f ConfigFile,
    entries: Vec<Entry>,
    mistakes: Vec<Diagnostic>,
}

impl Reading<'_> {
    /// The keys of a table that are options of `command`; kept if the command is the one that runs.
    fn options(&mut self, command: &Command, table: &DeTable<'_>, keep: bool) {
        for (key, value) in table.iter().filter(|(_, value)| !value.get_ref().is_table()) {
            let Some(argument) = find(command, key.get_ref()) else {
                self.unknown(command, key.get_ref(), &key.span(), &names(command));
                continue;
            };
            let span = key.span().start..value.span().end;
            match Entry::new(argument, value.get_ref(), span) {
                Err(message) => {
                    self.mistakes.push(self.file.mistake("config", message, &value.span()));
                }
                Ok(entry) if keep => {
                    self.entries.retain(|other| other.id != entry.id);
                    self.entries.push(entry);
                }
                Ok(_) => {}
            }
        }
    }

    /// The tables of commands; `path` is the way to the command that runs.
    fn tables(&mut self, root: &Command, table: &DeTable<'_>, path: &[&Command]) {
        let inner = |value: &Spanned<DeValue<'_>>| value.get_ref().is_table();
        for (key, value) in table.iter().filter(|(_, value)| inner(value)) {
            let Some(table) = value.get_ref().as_table() else { continue };
            let Some(command) = root.find_subcommand(&**key.get_ref()) else {
                let commands: Vec<String> =
                    root.get_subcommands().map(|command| command.get_name().to_owned()).collect();
                self.unknown(root, key.get_ref(), &key.span(), &commands);
                continue;
            };
            let on_path = path.get(1).is_some_and(|next| next.get_name() == command.get_name());
            self.options(command, table, on_path && path.len() == 2);
            self.tables(command, table, if on_path { &path[1..] } else { &[] });
        }
    }

    fn unknown(&mut self, command: &Command, key: &str, span: &Range<usize>, known: &[String]) {
        let whose = match command.get_name() {
            "rulebound" => "a command".to_owned(),
            name => format!("an option of `{name}`"),
        };
        let message = format!("`{key}` is not {whose}");
        let nearest = Labels::new(known.iter().map(String::as_str)).ok();
        let nearest = nearest.as_ref().and_then(|names| names.nearest(key));
        let hint = match nearest {
            Some(name) => format!("did you mean `{name}`?"),
            None => {
                "keys are the long names of options; the options of another command go into a table \
                 with its name, such as [train]"
                    .to_owned()
            }
        };
        self.mistakes.push(self.file.mistake("unknown-key", message, span).with_hint(hint));
    }
}
