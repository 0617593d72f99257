//! What is typed, before clap parses it: the command, the options given, the `--config` file.

use clap::{Arg, ArgAction, Command, Id};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// A scan of the typed words. Wrong words are left to clap.
pub struct Typed<'c> {
    /// The command and its subcommands, from the root.
    pub commands: Vec<&'c Command>,
    /// The place of the first word after the names of the commands.
    pub after: usize,
    /// The file given with `--config`.
    pub config: Option<PathBuf>,
    given: Vec<Id>,
}

impl<'c> Typed<'c> {
    pub fn scan(root: &'c Command, words: &[OsString]) -> Self {
        let mut typed = Self { commands: vec![root], after: 1, config: None, given: Vec::new() };
        let mut rest = words.iter().enumerate().skip(1);
        let mut only_positionals = false;
        while let Some((place, word)) = rest.next() {
            let command = typed.command();
            let text = word.to_string_lossy();
            if !only_positionals && text == "--" {
                only_positionals = true;
            } else if !only_positionals && text.len() > 1 && text.starts_with('-') {
                let (name, value) = match text.split_once('=') {
                    Some((name, value)) => (name, Some(OsStr::new(value).to_owned())),
                    None => (&*text, None),
                };
                for argument in options(command, name) {
                    let value = match takes_value(argument) {
                        true => value.clone().or_else(|| rest.next().map(|(_, word)| word.clone())),
                        false => None,
                    };
                    if argument.get_id() == "config" {
                        typed.config = value.map(PathBuf::from);
                    }
                    typed.given.push(argument.get_id().clone());
                }
            } else if let Some(inner) = command.find_subcommand(&*text)
                && !only_positionals
            {
                typed.commands.push(inner);
                typed.after = place + 1;
            } else {
                typed.count_positional();
            }
        }
        typed
    }

    fn command(&self) -> &'c Command {
        self.commands[self.commands.len() - 1]
    }

    /// The next positional argument is given.
    fn count_positional(&mut self) {
        let mut positionals = self.command().get_positionals();
        let next = positionals.find(|argument| !self.given.contains(argument.get_id()));
        if let Some(argument) = next {
            self.given.push(argument.get_id().clone());
        }
    }

    /// Whether what is typed replaces an argument: the same one, or one that excludes it.
    pub fn overrides(&self, id: &Id) -> bool {
        let command = self.command();
        self.given.iter().any(|given| given == id || excludes(command, given, id))
    }
}

/// Whether two arguments of a command exclude each other.
pub fn excludes(command: &Command, first: &Id, second: &Id) -> bool {
    let one_way = |from: &Id, to: &Id| {
        let from = command.get_arguments().find(|argument| argument.get_id() == from);
        from.is_some_and(|from| {
            command.get_arg_conflicts_with(from).iter().any(|argument| argument.get_id() == to)
        })
    };
    one_way(first, second) || one_way(second, first)
}

fn takes_value(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::Set | ArgAction::Append)
}

/// The options that a word names: `--long`, or `-qv` for two.
fn options<'c>(command: &'c Command, word: &str) -> Vec<&'c Arg> {
    if let Some(long) = word.strip_prefix("--") {
        return by_long(command, long).into_iter().collect();
    }
    let short = |letter: char| command.get_arguments().find(|a| a.get_short() == Some(letter));
    word.chars().skip(1).filter_map(short).collect()
}

/// The option with a long name, or with that alias.
pub fn by_long<'c>(command: &'c Command, name: &str) -> Option<&'c Arg> {
    command.get_arguments().find(|argument| {
        argument.get_long() == Some(name)
            || argument.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
    })
}
