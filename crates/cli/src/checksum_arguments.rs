//! `--checksum WHAT=SHA256`: whether the files of a run are those of the run that it repeats.
//!
//! The record of a run has the checksum of every file that it read, so that repeating it with data that has
//! changed since then is an error and not another model.

use crate::data::SourceArguments;
use crate::diagnostic::Diagnostic;
use crate::failure::Failure;
use clap::Args;
use rulebound::dataset::checksum;
use rulebound_io::input::is_standard;
use std::path::Path;

#[derive(Args)]
pub struct ChecksumArguments {
    /// SHA-256 that a file must have, by the option that names it: `source=03f0...`, `rules=...`
    /// (repeatable; the record of a run has them); `any` takes the files as they are
    #[arg(long = "checksum", value_name = "WHAT=SHA256", value_parser = expected)]
    checksums: Vec<Expected>,
}

#[derive(Clone, Debug, PartialEq)]
enum Expected {
    Any,
    Of { what: String, checksum: String },
}

/// The files of a run: the option that names each, and where it is.
pub type ReadFiles<'a> = Vec<(&'static str, &'a Path)>;

fn expected(text: &str) -> Result<Expected, String> {
    if text == "any" {
        return Ok(Expected::Any);
    }
    let (what, checksum) = text.split_once('=').ok_or("expected WHAT=SHA256, or any")?;
    let is_digest = checksum.len() == 64 && checksum.chars().all(|c| c.is_ascii_hexdigit());
    match is_digest {
        true => Ok(Expected::Of { what: what.to_owned(), checksum: checksum.to_ascii_lowercase() }),
        false => Err(format!("`{checksum}` is not a SHA-256 of 64 hexadecimal digits")),
    }
}

impl ChecksumArguments {
    /// Compares what was expected with the files, before they are read.
    pub fn expect(&self, source: &SourceArguments, files: &ReadFiles<'_>) -> Result<(), Failure> {
        if self.checksums.contains(&Expected::Any) {
            return Ok(());
        }
        let mut changed = Vec::new();
        for one in &self.checksums {
            let Expected::Of { what, checksum: expected } = one else { continue };
            let (name, found) = if what == "source" {
                match source.checksum()? {
                    Some(found) => found,
                    None => continue,
                }
            } else {
                let Some((_, path)) = files.iter().find(|(name, _)| name == what) else {
                    let known: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
                    let known = [&["source"][..], &known[..]].concat().join(", ");
                    let message =
                        format!("--checksum {what}: this run reads no such file ({known})");
                    return Err(Failure::Usage(message));
                };
                match of_file(path)? {
                    Some(found) => (path.display().to_string(), found),
                    None => continue,
                }
            };
            if found != *expected {
                let message = format!(
                    "{name} has changed: its SHA-256 is {found}, and --checksum {what} expects {expected}"
                );
                changed.push(Diagnostic::plain("changed", message));
            }
        }
        match changed.pop() {
            None => Ok(()),
            Some(last) => {
                let hint =
                    "--checksum any takes the files as they are; the record then has what they are";
                changed.push(last.with_hint(hint));
                Err(Failure::Input(changed))
            }
        }
    }

    /// What the record says about the files.
    pub fn of(source: Option<&str>, files: &ReadFiles<'_>) -> Result<Vec<String>, Failure> {
        let mut all: Vec<String> =
            source.map(|found| format!("source={found}")).into_iter().collect();
        for (what, path) in files {
            all.extend(of_file(path)?.map(|found| format!("{what}={found}")));
        }
        Ok(all)
    }
}

/// The checksum of a file; none of what can be read only once.
fn of_file(path: &Path) -> Result<Option<String>, Failure> {
    if is_standard(path) || !path.is_file() {
        return Ok(None);
    }
    Ok(Some(checksum(path)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_has_64_digits() {
        let digits = "0A".repeat(32);
        let of = Expected::Of { what: "source".to_owned(), checksum: digits.to_ascii_lowercase() };
        assert_eq!(expected(&format!("source={digits}")), Ok(of));
        assert_eq!(expected("any"), Ok(Expected::Any));
        assert!(expected("source=abc").is_err() && expected("source").is_err());
    }
}
