//! One entry of a configuration file as words of a command line.

use super::typed::by_long;
use crate::files::{is_path, names_files};
use clap::{Arg, ArgAction, Command, Id};
use std::ops::Range;
use std::path::Path;
use toml::de::DeValue;

/// An option with its value.
#[derive(Debug)]
pub struct Entry {
    /// The argument.
    pub id: Id,
    /// The long name, or the name of a positional argument.
    pub name: String,
    /// The words that say the same on a command line.
    pub words: Vec<String>,
    /// Where it is in the file, in bytes.
    pub span: Range<usize>,
}

/// Options about the run itself, which a file cannot set.
const NOT_IN_FILES: [&str; 3] = ["config", "help", "version"];

impl Entry {
    /// The entry for a key of a command; paths are relative to `folder`.
    ///
    /// # Errors
    /// What is expected instead, if the value does not fit the option.
    pub fn new(
        argument: &Arg,
        value: &DeValue<'_>,
        span: Range<usize>,
        folder: &Path,
    ) -> Result<Self, String> {
        let name = name(argument);
        let words = match argument.get_action() {
            ArgAction::SetTrue => match value {
                DeValue::Boolean(true) => vec![format!("--{name}")],
                DeValue::Boolean(false) => Vec::new(),
                _ => return Err(format!("`{name}` is a switch: true or false")),
            },
            ArgAction::Count => match value {
                DeValue::Boolean(given) => vec![format!("--{name}"); usize::from(*given)],
                _ => return Err(format!("`{name}` is a switch: true or false")),
            },
            action => {
                let values = match value {
                    DeValue::Array(_) if !matches!(action, ArgAction::Append) => {
                        return Err(format!("`{name}` has one value, not a list"));
                    }
                    DeValue::Array(list) => list.iter().map(|one| plain(one.get_ref())).collect(),
                    one => plain(one).map(|one| vec![one]),
                };
                let values: Vec<String> = values
                    .ok_or_else(|| format!("`{name}` is a string, a number or a list of them"))?;
                let positional = argument.is_positional();
                let word = |value| if positional { value } else { format!("--{name}={value}") };
                values.into_iter().map(|value| placed(argument, value, folder)).map(word).collect()
            }
        };
        Ok(Self { id: argument.get_id().clone(), name, words, span })
    }
}

/// A value of the file as it is seen from the current folder.
fn placed(argument: &Arg, value: String, folder: &Path) -> String {
    if !names_files(argument) || !is_path(argument, &value, folder) {
        return value;
    }
    match folder.join(&value).into_os_string().into_string() {
        Ok(placed) => placed,
        // The folder has no name in UTF-8, so that no word can say where the file is.
        Err(_) => value,
    }
}

/// The name of an argument in a file: that of the option, or the id of a positional.
fn name(argument: &Arg) -> String {
    match argument.get_long() {
        Some(long) => long.to_owned(),
        None => argument.get_id().as_str().replace('_', "-"),
    }
}

/// The argument of a command that a key names; `_` counts as `-`.
pub fn find<'c>(command: &'c Command, key: &str) -> Option<&'c Arg> {
    let key = key.replace('_', "-");
    let positional = || command.get_positionals().find(|argument| name(argument) == key);
    let found = by_long(command, &key).or_else(positional)?;
    (!NOT_IN_FILES.contains(&found.get_id().as_str())).then_some(found)
}

/// The names that keys can have.
pub fn names(command: &Command) -> Vec<String> {
    let arguments = command.get_arguments().filter(|argument| !argument.is_hide_set());
    arguments.map(name).filter(|name| !NOT_IN_FILES.contains(&name.as_str())).collect()
}

/// A string or number as a word.
fn plain(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
        DeValue::Integer(number) => {
            i128::from_str_radix(number.as_str(), number.radix()).ok().map(|n| n.to_string())
        }
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(value) => Some(value.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn other_names(command: &Command, found: &mut Vec<String>) {
        for argument in command.get_positionals() {
            let shown = argument.get_value_names().and_then(|names| names.first());
            let shown = shown.map_or(String::new(), |name| name.to_lowercase());
            if shown != name(argument) {
                found.push(format!("{}: {shown} is {}", command.get_name(), name(argument)));
            }
        }
        command.get_subcommands().for_each(|command| other_names(command, found));
    }

    #[test]
    fn a_positional_argument_has_the_name_that_its_help_shows() {
        let mut found = Vec::new();
        other_names(&crate::Cli::command(), &mut found);
        assert!(found.is_empty(), "{found:?}");
    }
}
