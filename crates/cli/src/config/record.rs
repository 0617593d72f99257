//! The configuration of a run as a file that runs it again.

use super::entry::names;
use super::typed::{by_long, excludes};
use crate::data::write_text;
use crate::failure::Failure;
use crate::files::{is_path, is_same, names_files};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, Id};
use rulebound::dataset::checksum_of_bytes;
use rulebound_io::output::{Existing, OutputError};
use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use toml::de::DeValue;

/// Options that say how a run is reported or repeated, not what it does; checksums are those of this run.
const NOT_RECORDED: [&str; 9] =
    ["config", "json", "quiet", "verbose", "timestamps", "resume", "restart", "force", "checksums"];

/// How a record begins, around the version.
const TITLE: &str = "# rulebound";
const WHAT: &str = ": what this run was given and what that was resolved to.";

/// What a record says of an option whose value is not text.
const NOT_TEXT: &str = " is not UTF-8: give it again";

/// More bytes than a record has.
const LONGEST: u64 = 1 << 24;

/// The comment before the checksum of the record itself, its last line.
const SEAL: &str = "# SHA-256 of the lines above: ";

/// The comment before the checksums.
const CHECKSUMS: &str = "# The files as they were; --checksum any takes them as they are.";

/// What was given to a command, and what it was resolved to.
pub struct RunRecord {
    command: Command,
    entries: Vec<(Id, String, Value)>,
    /// The file of `--config`.
    config: Option<PathBuf>,
    checksums: Vec<String>,
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
        let config = matches.try_get_one::<PathBuf>("config").ok().flatten().cloned();
        let (entries, checksums) = (Vec::new(), Vec::new());
        let mut record = Self { command: command.clone(), entries, config, checksums };
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

    /// Adds what the files that were read contained.
    pub fn read(&mut self, checksums: Vec<String>) {
        self.checksums = checksums;
    }

    /// The same record for a file in another folder: paths are relative to that.
    fn moved_to(&self, folder: &Path) -> Self {
        let here = Path::new("");
        let entry = |(id, name, value): &(Id, String, Value)| {
            let argument = self.command.get_arguments().find(|argument| argument.get_id() == id);
            let moved = |text: &String| match argument {
                Some(argument) if names_files(argument) && is_path(argument, text, here) => {
                    seen_from(folder, text).unwrap_or_else(|| text.clone())
                }
                _ => text.clone(),
            };
            let value = match value {
                Value::Switch => Value::Switch,
                Value::NotText => Value::NotText,
                Value::One(text) => Value::One(moved(text)),
                Value::Many(texts) => Value::Many(texts.iter().map(moved).collect()),
            };
            (id.clone(), name.clone(), value)
        };
        let entries = self.entries.iter().map(entry).collect();
        let (config, checksums) = (self.config.clone(), self.checksums.clone());
        Self { command: self.command.clone(), entries, config, checksums }
    }

    /// Refuses a record `OUT.toml` that would be written over a file of the user: the `--config` of this
    /// run, unless nothing about it changes, or one that is no record, unless existing files are replaced.
    pub fn expect_place(&self, out: &Path, existing: Existing) -> Result<(), Failure> {
        let path = beside(out);
        let Some(there) = there(out, &path) else { return Ok(()) };
        if self.config.as_deref().is_some_and(|config| is_same(config, &path)) {
            if says_the_same(&there, &self.text_beside(out)) {
                return Ok(());
            }
            let path = path.display();
            return Err(Failure::Usage(format!(
                "--config and the record of this run's settings are the same file, {path}; give another --out"
            )));
        }
        match existing == Existing::Keep && !is_record(&there) {
            true => Err(OutputError::Exists { path }.into()),
            false => Ok(()),
        }
    }

    /// Writes the record to `OUT.toml`, beside a plain file `OUT`.
    pub fn write_beside(&self, out: &Path, existing: Existing) -> Result<(), Failure> {
        self.expect_place(out, existing)?;
        let path = beside(out);
        let text = self.text_beside(out);
        let is_there = || std::fs::read_to_string(&path).is_ok_and(|there| there == text);
        match is_plain(out) && !is_there() {
            true => write_text(&path, &text),
            false => Ok(()),
        }
    }

    /// The record as it is written beside `out`.
    fn text_beside(&self, out: &Path) -> String {
        self.moved_to(out.parent().unwrap_or(Path::new(""))).to_toml()
    }

    /// The record as TOML, in the order of the command's options, whoever gave them.
    pub fn to_toml(&self) -> String {
        let name = self.command.get_name();
        let mut text = format!(
            "{TITLE} {}{WHAT}\n\
             # `rulebound {name} --config THIS_FILE --out OTHER` repeats it. Paths are relative to this file.\n\
             [{name}]\n",
            env!("CARGO_PKG_VERSION"),
        );
        let order: Vec<&Id> = self.command.get_arguments().map(Arg::get_id).collect();
        let place = |id: &Id| order.iter().position(|other| *other == id);
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_by_key(|(id, ..)| place(id));
        for (_, name, value) in entries {
            // Writing to a string cannot fail.
            let _ = match value {
                Value::Switch => writeln!(text, "{name} = true"),
                Value::One(value) => writeln!(text, "{name} = {}", literal(value)),
                Value::Many(values) => {
                    let values: Vec<String> = values.iter().map(|value| literal(value)).collect();
                    writeln!(text, "{name} = [{}]", values.join(", "))
                }
                Value::NotText => writeln!(text, "# {name}{NOT_TEXT}"),
            };
        }
        if !self.checksums.is_empty() {
            let each: Vec<String> = self.checksums.iter().map(|one| literal(one)).collect();
            let _ = writeln!(text, "{CHECKSUMS}\nchecksum = [\n  {},\n]", each.join(",\n  "));
        }
        let seal = checksum_of_bytes(text.as_bytes());
        text + SEAL + &seal + "\n"
    }
}

/// The place of the record of a run that writes `out`.
fn beside(out: &Path) -> PathBuf {
    let mut path = out.as_os_str().to_owned();
    path.push(".toml");
    path.into()
}

/// The text of a file in the place of a record that would be written there.
fn there(out: &Path, path: &Path) -> Option<String> {
    if !is_plain(out) || !path.is_file() {
        return None;
    }
    let file = File::open(path).ok()?;
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a text is a record as it was written, to the last character.
fn is_record(text: &str) -> bool {
    let Some((lines, seal)) = text.rsplit_once(SEAL) else { return false };
    text.starts_with(TITLE) && seal == checksum_of_bytes(lines.as_bytes()) + "\n"
}

/// Whether a text has the settings of a record, and nothing else but checksums.
fn says_the_same(text: &str, record: &str) -> bool {
    // What the files contain is not known before they are read.
    let settings = |text: &str| -> String {
        let end = [CHECKSUMS, SEAL].into_iter().filter_map(|mark| text.find(mark)).min();
        text[..end.unwrap_or(text.len())].to_owned()
    };
    let end = settings(text).len();
    let is_of_record = |line: &str| {
        line == CHECKSUMS
            || line.starts_with(SEAL)
            || ["checksum = [", "]"].contains(&line)
            || (line.starts_with("  \"") && line.ends_with("\","))
    };
    settings(text) == settings(record) && text[end..].lines().all(is_of_record)
}

/// A relative path as it is seen from another folder; none if there is no such way, or no need for one.
fn seen_from(folder: &Path, path: &str) -> Option<String> {
    let relative = Path::new(path);
    if relative.is_absolute() || folder.as_os_str().is_empty() {
        return None;
    }
    let from = folder.canonicalize().ok()?;
    let parent = relative.parent().filter(|parent| !parent.as_os_str().is_empty());
    let to = parent.unwrap_or(Path::new(".")).canonicalize().ok()?;
    let shared = from.components().zip(to.components()).take_while(|(one, other)| one == other);
    let shared = shared.count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    let mut way: PathBuf = up.chain(to.components().skip(shared)).collect();
    way.push(relative.file_name()?);
    way.into_os_string().into_string().ok()
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
