//! `--config FILE.toml`: options from a file, as if they had been typed.
//!
//! The file becomes words of a command line, which clap parses with the others, so every option of
//! every command can be in it. Invariant: what is typed wins; an entry of the file is left out when
//! its option, or one that excludes it, is typed too.

mod entry;
mod file;
mod record;
mod typed;

pub use record::RunRecord;

use crate::failure::Failure;
use clap::Command;
use entry::Entry;
use file::ConfigFile;
use std::ffi::OsString;
use typed::Typed;

/// The words to parse, and where those from a file came from.
pub struct Words {
    pub all: Vec<OsString>,
    file: Option<(ConfigFile, Vec<Entry>)>,
}

impl Words {
    /// The typed words, and those of the `--config` file among them; `root` is completely built.
    pub fn new(root: &Command, typed: Vec<OsString>) -> Result<Self, Failure> {
        let place = Typed::scan(root, &typed);
        let Some(path) = &place.config else { return Ok(Self { all: typed, file: None }) };
        let file = ConfigFile::read(path)?;
        let mut entries = file.entries(root, &place.commands)?;
        entries.retain(|entry| !place.overrides(&entry.id));
        let mut all = typed;
        let added = entries.iter().flat_map(|entry| entry.words.iter().map(OsString::from));
        all.splice(place.after..place.after, added.collect::<Vec<_>>());
        Ok(Self { all, file: Some((file, entries)) })
    }

    /// The failure for an error of clap: drawn in the file, if an entry of the file caused it.
    pub fn failure(&self, error: &clap::Error) -> Option<Failure> {
        use clap::error::{ContextKind, ContextValue};
        let (file, entries) = self.file.as_ref()?;
        let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
            return None;
        };
        let name = argument.split([' ', '=']).next()?.trim_start_matches('-');
        let entry = entries.iter().find(|entry| entry.name == name)?;
        let text = error.render().to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        let end = text.find("\n\n").unwrap_or(text.len());
        Some(file.mistake("config", text[..end].trim_end().to_owned(), &entry.span).into())
    }
}
