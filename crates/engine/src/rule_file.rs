//! A file of rules, with the list of labels that may go with it.
//!
//! Reads, checks and keeps the text, so that whoever shows an error can show
//! the line it is in. `-` is standard input.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rulebound_core::{Dialect, Labels, ParsedRules, RuleErrors, RuleText};

use crate::output::is_standard;

/// Rules that were read, and where from.
#[derive(Debug, Clone)]
pub struct RuleFile {
    /// The file.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// The program in it.
    pub parsed: ParsedRules,
}

/// Why rules could not be read.
#[derive(Debug, thiserror::Error)]
pub enum RuleFileError {
    /// The file is missing or may not be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// The file is no UTF-8 text.
    #[error("{}:{line}:{column}: not UTF-8 text", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The line of the first byte that is none, from 1.
        line: usize,
        /// Its column in characters, from 1.
        column: usize,
    },
    /// The label list has a name twice.
    #[error("{}: {} names stand twice in the label list", path.display(), duplicates.len())]
    Labels {
        /// The label list.
        path: PathBuf,
        /// Every name that stands twice.
        duplicates: Vec<DuplicateLabel>,
    },
    /// The rules have mistakes.
    #[error("{}: {} mistakes in the rules", path.display(), errors.0.len())]
    Rules {
        /// The file.
        path: PathBuf,
        /// Its text.
        text: String,
        /// All mistakes.
        errors: RuleErrors,
    },
}

/// A name that stands twice in a label list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateLabel {
    /// The name.
    pub name: String,
    /// The line where it stands first, from 1.
    pub first: usize,
    /// The line where it stands again, from 1.
    pub second: usize,
}

impl RuleFile {
    /// Reads rules; `labels` is a file with one class name a line, `dialect` of
    /// `None` means: look and see.
    ///
    /// # Errors
    /// If a file cannot be read, or with all mistakes that are in it.
    pub fn read(
        path: &Path,
        labels: Option<&Path>,
        dialect: Option<Dialect>,
    ) -> Result<Self, RuleFileError> {
        let labels = labels.map(read_labels).transpose()?;
        let text = read_text(path)?;
        match RuleText::new(&text).labels(labels).dialect(dialect).parse() {
            Ok(parsed) => Ok(Self { path: path.to_path_buf(), text, parsed }),
            Err(errors) => Err(RuleFileError::Rules { path: path.to_path_buf(), text, errors }),
        }
    }
}

/// Reads a label list: one name a line, surrounding spaces and empty lines
/// left out; a line that is a quoted name of the rule language is that name.
///
/// # Errors
/// If the file cannot be read, or with every name that stands twice.
pub fn read_labels(path: &Path) -> Result<Labels, RuleFileError> {
    let text = read_text(path)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let named = || {
        let lines = text.lines().enumerate();
        let lines = lines.map(|(line, name)| (line + 1, Labels::name_of_line(name)));
        lines.filter(|(_, name)| !name.is_empty())
    };
    let mut first_line = std::collections::HashMap::new();
    let mut duplicates = Vec::new();
    for (line, name) in named() {
        if let Some(&first) = first_line.get(&name) {
            duplicates.push(DuplicateLabel { name: name.into_owned(), first, second: line });
        } else {
            first_line.insert(name, line);
        }
    }
    match Labels::new(named().map(|(_, name)| name)) {
        Ok(labels) => Ok(labels),
        Err(_) => Err(RuleFileError::Labels { path: path.to_path_buf(), duplicates }),
    }
}

/// The text of a file or of standard input.
///
/// # Errors
/// If it cannot be read or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, RuleFileError> {
    let failed = |source| RuleFileError::Read { path: path.to_path_buf(), source };
    let bytes = if is_standard(path) {
        let mut bytes = Vec::new();
        io::stdin().read_to_end(&mut bytes).map_err(failed)?;
        bytes
    } else {
        std::fs::read(path).map_err(failed)?
    };
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
        let last_line = before.rsplit('\n').next().unwrap_or("");
        RuleFileError::NotUtf8 {
            path: path.to_path_buf(),
            line: before.matches('\n').count() + 1,
            column: last_line.chars().count() + 1,
        }
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn file(content: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        file
    }

    #[test]
    fn labels_are_lines() {
        let list = file("\u{feff}a\r\n\n  b c \nd".as_bytes());
        let labels = read_labels(list.path()).unwrap();
        assert_eq!(labels.names().collect::<Vec<_>>(), ["a", "b c", "d"]);
    }

    #[test]
    fn all_repeated_labels_are_named_with_both_lines() {
        let list = file(b"a\nb\n\na\nb\na\n");
        let Err(RuleFileError::Labels { duplicates, .. }) = read_labels(list.path()) else {
            panic!("accepted")
        };
        let lines: Vec<_> =
            duplicates.iter().map(|d| (d.name.as_str(), d.first, d.second)).collect();
        assert_eq!(lines, [("a", 1, 4), ("b", 2, 5), ("a", 1, 6)]);
    }

    #[test]
    fn bytes_that_are_no_text_have_a_place() {
        let rules = file(b"a -> b\n\xc3\xa4 -> \xff\n");
        match RuleFile::read(rules.path(), None, None) {
            Err(RuleFileError::NotUtf8 { line, column, .. }) => assert_eq!((line, column), (2, 6)),
            other => panic!("{other:?}"),
        }
    }
}
