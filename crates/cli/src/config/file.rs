//! A configuration file: its text, its entries for a command, its mistakes.

use super::entry::{Entry, find, names};
use crate::diagnostic::{Diagnostic, Place};
use crate::failure::Failure;
use clap::Command;
use rulebound_core::{Labels, Span};
use rulebound_io::input::read_short_text;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A file that was read.
pub struct ConfigFile {
    path: PathBuf,
    text: String,
    /// Where each line starts, in bytes: a file can have as many mistakes as lines.
    starts: Vec<usize>,
}

/// The most bytes of a file with options.
const LONGEST: u64 = 1 << 24;

/// How many mistakes are listed; nobody reads more.
const MOST: usize = 100;

impl ConfigFile {
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let text = read_short_text(path, LONGEST)?;
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        Ok(Self { path: path.to_path_buf(), starts, text })
    }

    /// The entries for the last of `commands`: those outside of tables, and those of its table,
    /// which win. The tables of other commands are checked too.
    pub fn entries(&self, root: &Command, commands: &[&Command]) -> Result<Vec<Entry>, Failure> {
        let table = DeTable::parse(&self.text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            Failure::from(self.mistake("config", error.message().to_owned(), &span))
        })?;
        let folder = self.path.parent().unwrap_or(Path::new("")).to_path_buf();
        let mut reading = Reading { folder, entries: Vec::new(), mistakes: Vec::new() };
        let chosen = commands.last().copied().unwrap_or(root);
        reading.options(chosen, table.get_ref(), true);
        reading.tables(root, table.get_ref(), commands);
        if reading.mistakes.is_empty() {
            return Ok(reading.entries);
        }
        reading.mistakes.sort_by_key(|mistake| mistake.span.start);
        let more = reading.mistakes.len().saturating_sub(MOST);
        let mut drawn: Vec<Diagnostic> =
            reading.mistakes.iter().take(MOST).map(|mistake| mistake.draw(self)).collect();
        if more > 0 {
            let message = format!("{}: {more} more mistakes", self.path.display());
            drawn.push(Diagnostic::plain("config", message));
        }
        Err(Failure::Input(drawn))
    }

    /// A mistake at a place, in bytes.
    pub fn mistake(&self, code: &'static str, message: String, span: &Range<usize>) -> Diagnostic {
        let start = span.start.min(self.text.len());
        let line = self.starts.partition_point(|&line| line <= start).saturating_sub(1);
        let line_start = self.starts[line];
        let text = self.text[line_start..].lines().next().unwrap_or("");
        let line_end = line_start + text.len();
        let covered = &self.text[start..span.end.clamp(start, line_end.max(start))];
        let clamp = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let span = Span {
            line: clamp(line + 1),
            column: clamp(self.text[line_start..start].chars().count() + 1),
            length: clamp(covered.chars().count().max(1)),
        };
        let text = text.trim_start_matches('\u{feff}').to_owned();
        let file = self.path.display().to_string();
        let places = vec![Place { file, span, text, note: String::new() }];
        Diagnostic { code, message, places, ..Diagnostic::default() }
    }
}

/// What an option of one command is called in another.
const OTHER_NAMES: [(&str, &str); 2] = [("source", "input"), ("input", "source")];

/// Entries and mistakes so far.
struct Reading {
    /// What paths are relative to.
    folder: PathBuf,
    entries: Vec<Entry>,
    mistakes: Vec<Mistake>,
}

/// What is wrong with an entry; only the first ones of a file are drawn.
struct Mistake {
    span: Range<usize>,
    problem: Problem,
}

enum Problem {
    /// In words.
    Value(String),
    /// A key that nothing has; whose it would be, and what there is.
    UnknownKey { key: String, whose: String, known: Rc<[String]> },
}

impl Mistake {
    fn draw(&self, file: &ConfigFile) -> Diagnostic {
        let (key, whose, known) = match &self.problem {
            Problem::Value(message) => return file.mistake("config", message.clone(), &self.span),
            Problem::UnknownKey { key, whose, known } => (key, whose, known),
        };
        let nearest = Labels::new(known.iter().map(String::as_str)).ok();
        let nearest = nearest.as_ref().and_then(|names| names.nearest(key));
        let other = OTHER_NAMES
            .iter()
            .find(|(wrong, right)| key == wrong && known.iter().any(|name| name == right));
        let hint = match nearest.or(other.map(|(_, right)| *right)) {
            Some(name) => format!("did you mean `{name}`?"),
            None => {
                "keys are the long names of options; the options of another command go into a table \
                 with its name, such as [train]"
                    .to_owned()
            }
        };
        let message = format!("`{key}` is not {whose}");
        file.mistake("unknown-key", message, &self.span).with_hint(hint)
    }
}

impl Reading {
    /// The keys of a table that are options of `command`; kept if the command is the one that runs.
    fn options(&mut self, command: &Command, table: &DeTable<'_>, keep: bool) {
        let known: Rc<[String]> = names(command).into();
        for (key, value) in table.iter().filter(|(_, value)| !value.get_ref().is_table()) {
            let Some(argument) = find(command, key.get_ref()) else {
                self.unknown(command, key.get_ref(), key.span(), &known);
                continue;
            };
            let span = key.span().start..value.span().end;
            match Entry::new(argument, value.get_ref(), span, &self.folder) {
                Err(message) => {
                    let problem = Problem::Value(message);
                    self.mistakes.push(Mistake { span: value.span(), problem });
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
        let commands: Rc<[String]> =
            root.get_subcommands().map(|command| command.get_name().to_owned()).collect();
        for (key, value) in table.iter().filter(|(_, value)| inner(value)) {
            let Some(table) = value.get_ref().as_table() else { continue };
            let Some(command) = root.find_subcommand(&**key.get_ref()) else {
                self.unknown(root, key.get_ref(), key.span(), &commands);
                continue;
            };
            let on_path = path.get(1).is_some_and(|next| next.get_name() == command.get_name());
            self.options(command, table, on_path && path.len() == 2);
            self.tables(command, table, if on_path { &path[1..] } else { &[] });
        }
    }

    fn unknown(&mut self, command: &Command, key: &str, span: Range<usize>, known: &Rc<[String]>) {
        let whose = match command.get_name() {
            "rulebound" => "a command".to_owned(),
            name => format!("an option of `{name}`"),
        };
        let (key, known) = (key.to_owned(), Rc::clone(known));
        self.mistakes.push(Mistake { span, problem: Problem::UnknownKey { key, whose, known } });
    }
}
