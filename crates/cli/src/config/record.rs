//! The configuration of a run as a file that runs it again.

use super::entry::names;
use super::typed::{by_long, excludes};
use crate::data::write_text;
use crate::failure::Failure;
use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Command, Id};
use std::fmt::Write;
use std::path::Path;
use toml::de::DeValue;

/// Options that say how a run is reported or repeated, not what it does.
const NOT_RECORDED: [&str; 7] =
    ["config", "json", "quiet", "verbose", "resume", "restart", "force"];

/// What was given to a command, and what it was resolved to.
pub struct RunRecord {
    command: Command,
    entries: Vec<(Id, String, Value)>,
}

enum Value {
    Switch,
    One(String),
    Many(Vec<String>),
    /// Not text, so that it cannot be written down.
    NotText,
}

impl RunRecord {
    /// The options given to the command of `root` that runs, typed or in a file.
    pub fn new(root: &Command, matches: &ArgMatches) -> Self {
        let (command, matches) = match matches.subcommand() {
            Some((name, inner)) => (root.find_subcommand(name).unwrap_or(root), inner),
            None => (root, matches),
        };
        let mut record = Self { command: command.clone(), entries: Vec::new() };
        for argument in command.get_arguments() {
            let id = argument.get_id();
            let given = matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
            if !given || NOT_RECORDED.contains(&id.as_str()) {
                continue;
            }
            let raw: Vec<_> = matches.get_raw(id.as_str()).into_iter().flatten().collect();
            let texts: Option<Vec<String>> =
                raw.iter().map(|word| word.to_str().map(str::to_owned)).collect();
            let value = match (argument.get_action(), texts) {
                (ArgAction::SetTrue | ArgAction::Count, _) => Value::Switch,
                (_, None) => Value::NotText,
                (_, Some(mut texts)) if texts.len() == 1 => Value::One(texts.remove(0)),
                (_, Some(texts)) => Value::Many(texts),
            };
            let name = argument.get_long().unwrap_or(id.as_str()).replace('_', "-");
            record.entries.push((id.clone(), name, value));
        }
        record
    }

    /// Adds a setting that was not given, unless one that was given excludes it.
    pub fn resolved(&mut self, name: &str, value: impl ToString) {
        let Some(argument) = by_long(&self.command, name) else {
            debug_assert!(false, "{name} is not one of {:?}", names(&self.command));
            return;
        };
        let id = argument.get_id();
        let same = |other: &Id| other == id || excludes(&self.command, other, id);
        if self.entries.iter().any(|(other, ..)| same(other)) {
            return;
        }
        let switch = matches!(argument.get_action(), ArgAction::SetTrue);
        let value = if switch { Value::Switch } else { Value::One(value.to_string()) };
        self.entries.push((id.clone(), name.to_owned(), value));
    }

    /// Writes the record to `OUT.toml`, beside a plain file `OUT`.
    pub fn write_beside(&self, out: &Path) -> Result<(), Failure> {
        if !is_plain(out) {
            return Ok(());
        }
        let mut path = out.as_os_str().to_owned();
        path.push(".toml");
        write_text(Path::new(&path), &self.to_toml())
    }

    /// The record as TOML.
    pub fn to_toml(&self) -> String {
        let name = self.command.get_name();
        let mut text = format!(
            "# rulebound {}: what this run was given and what that was resolved to.\n\
             # `rulebound {name} --config THIS_FILE --out OTHER` repeats it.\n[{name}]\n",
            env!("CARGO_PKG_VERSION"),
        );
        for (_, name, value) in &self.entries {
            // Writing to a string cannot fail.
            let _ = match value {
                Value::Switch => writeln!(text, "{name} = true"),
                Value::One(value) => writeln!(text, "{name} = {}", literal(value)),
                Value::Many(values) => {
                    let values: Vec<String> = values.iter().map(|value| literal(value)).collect();
                    writeln!(text, "{name} = [{}]", values.join(", "))
                }
                Value::NotText => writeln!(text, "# {name} is not UTF-8: give it again"),
            };
        }
        text
    }
}

/// Whether a path is, or would be, a file of its own: not a device or a pipe.
fn is_plain(path: &Path) -> bool {
    std::fs::metadata(path).map_or(true, |existing| existing.is_file())
}

/// A value in TOML: a number stays one if it is written as TOML writes it.
fn literal(value: &str) -> String {
    let number = DeValue::parse(value).is_ok_and(|parsed| match parsed.get_ref() {
        DeValue::Integer(number) => number.radix() == 10 && number.as_str() == value,
        DeValue::Float(number) => number.as_str() == value,
        _ => false,
    });
    if number {
        return value.to_owned();
    }
    let mut quoted = String::from('"');
    for character in value.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_valid_toml() {
        assert_eq!(literal("0.01"), "0.01");
        assert_eq!(literal("1e-05"), "1e-05");
        assert_eq!(literal("007"), "\"007\"");
        assert_eq!(literal("true"), "\"true\"");
        for text in ["a\"b\\c", "tab\tnew\nline", "GO:*", "", "ä", "nan", "1_000"] {
            let written = literal(text);
            let read = DeValue::parse(&written).unwrap_or_else(|error| panic!("{error}"));
            let read = match read.get_ref() {
                DeValue::String(read) => read.to_string(),
                DeValue::Float(read) => read.as_str().to_owned(),
                other => panic!("{text}: {}", other.type_str()),
            };
            assert_eq!(read, text);
        }
    }
}
