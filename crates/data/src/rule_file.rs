//! Rule files, with an optional list of labels.
//!
//! Reads and checks the rules and keeps their text, so that an error can be shown with its line.
//! The text is in a dialect of the rule language or an ontology (OBO), plain or gzip; `-` is
//! standard input.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rulebound_core::{Dialect, Labels, ParsedRules, RuleErrors, RuleText, RulesAs, SettleLimit};

use crate::class_names::ClassNames;
use crate::dataset::{DatasetError, Ontology};
use crate::unknown_labels::{UnknownLabels, fit};
#[doc(inline)]
pub use rulebound_io::input::FileText;
use rulebound_io::input::{DisplayPath, InputError, read_text};

/// Rules that were read from a file.
#[derive(Debug, Clone)]
pub struct RuleFile {
    /// The file.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// The format of the rules.
    pub format: RuleFormat,
    /// The program in it. For an ontology the dialect is `edges`.
    pub parsed: ParsedRules,
    /// The classes that it knows and the label list does not.
    pub unknown: Vec<String>,
    /// The ontology, if it is one.
    pub ontology: Option<Arc<Ontology>>,
}

/// The format of a rule file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleFormat {
    /// In a dialect of the rule language.
    Text(Dialect),
    /// As an ontology: `is_a` and `part_of` lead from a term to its parent.
    Obo,
}

impl RuleFormat {
    /// The name of the dialect, or `obo`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text(dialect) => dialect.name(),
            Self::Obo => "obo",
        }
    }
}

impl fmt::Display for RuleFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why rules could not be read.
///
/// ```
/// use rulebound_data::rule_file::RuleFile;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("bad.rules");
/// std::fs::write(&path, "cat -> animal\ncat -> -> pet\n")?;
/// let error = RuleFile::read(&path, None, None).unwrap_err();
/// assert!(error.to_string().ends_with("1 mistake in the rules\n2:8: a rule has only one arrow"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum RuleFileError {
    /// The file cannot be opened, read, decompressed or decoded.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The label list has duplicate names.
    #[error("{}: {}", DisplayPath::input(path), repeated(duplicates))]
    Labels {
        path: PathBuf,
        /// Every name that occurs again.
        duplicates: Vec<DuplicateLabel>,
    },
    /// The rules have mistakes; the error lists the first twenty, with their lines and columns.
    #[error("{}: {}\n{errors}", DisplayPath::input(path), mistakes(errors))]
    Rules {
        path: PathBuf,
        text: FileText,
        #[source]
        errors: RuleErrors,
    },
    /// The ontology has mistakes.
    #[error(transparent)]
    Ontology(DatasetError),
}

fn mistakes(errors: &RuleErrors) -> String {
    match errors.0.len() {
        1 => "1 mistake in the rules".to_owned(),
        several => format!("{several} mistakes in the rules"),
    }
}

/// The most duplicates in one text.
const SHOWN: usize = 20;

fn repeated(duplicates: &[DuplicateLabel]) -> String {
    let mut text = match duplicates.len() {
        1 => "1 duplicate name in the label list".to_owned(),
        several => format!("{several} duplicate names in the label list"),
    };
    for label in duplicates.iter().take(SHOWN) {
        let DuplicateLabel { name, first, second } = label;
        text += &format!("\n{second}: duplicate label `{name}` (first on line {first})");
    }
    match duplicates.len().saturating_sub(SHOWN) {
        0 => text,
        more => format!("{text}\n… and {more} more"),
    }
}

/// A duplicate name in a label list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateLabel {
    /// The name.
    pub name: String,
    /// The line of its first occurrence, from 1.
    pub first: usize,
    /// The line of the duplicate, from 1.
    pub second: usize,
}

impl RuleFile {
    /// The names of its classes; also those that it knows for them, if it is an ontology.
    pub fn class_names(&self) -> ClassNames<'_> {
        ClassNames::new(self.parsed.program.labels()).with_ontology(self.ontology.as_deref())
    }

    /// Reads rules; `labels` is a file with one class name per line. Unless a `dialect` is given,
    /// the format is detected. For an ontology, `labels` selects terms: there is a rule from each
    /// of them to its nearest ancestors among them.
    ///
    /// # Errors
    /// If a file cannot be read, or with all mistakes in it.
    pub fn read(
        path: &Path,
        labels: Option<&Path>,
        dialect: Option<Dialect>,
    ) -> Result<Self, RuleFileError> {
        Self::read_for(path, labels, dialect, UnknownLabels::Error)
    }

    /// As [`read`](Self::read), with a choice of what to do with classes that are not in the list.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_for(
        path: &Path,
        labels: Option<&Path>,
        dialect: Option<Dialect>,
        unknown: UnknownLabels,
    ) -> Result<Self, RuleFileError> {
        Self::read_as(path, labels, dialect, unknown, RulesAs::Rules)
    }

    /// As [`read_for`](Self::read_for), with a choice of what rules are read as.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_as(
        path: &Path,
        labels: Option<&Path>,
        dialect: Option<Dialect>,
        unknown: UnknownLabels,
        rules_as: RulesAs,
    ) -> Result<Self, RuleFileError> {
        Self::read_within(path, labels, dialect, unknown, rules_as, SettleLimit::default())
    }

    /// As [`read_as`](Self::read_as), with a limit on what is spent on requirements.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_within(
        path: &Path,
        labels: Option<&Path>,
        dialect: Option<Dialect>,
        unknown: UnknownLabels,
        rules_as: RulesAs,
        limit: SettleLimit,
    ) -> Result<Self, RuleFileError> {
        let labels = labels.map(read_labels).transpose()?;
        let text = read_text(path)?;
        let path = path.to_path_buf();
        if dialect.is_none() && Ontology::is_ontology(&path, &text) {
            let ontology = Ontology::from_text(&path, &text).map_err(RuleFileError::Ontology)?;
            let (mut parsed, unknown) =
                fit_ontology(&path, &ontology, labels, unknown).map_err(RuleFileError::Ontology)?;
            parsed.program = parsed.program.with_settle_limit(limit);
            if rules_as == RulesAs::Clauses {
                let clauses = parsed.program.rules_as_clauses();
                parsed.program = clauses.map_err(|error| RuleFileError::Ontology(error.into()))?;
            }
            let (format, ontology) = (RuleFormat::Obo, Some(Arc::new(ontology)));
            return Ok(Self { path, text, format, parsed, unknown, ontology });
        }
        match read_rules(&text, labels, dialect, unknown, rules_as, limit) {
            Ok((parsed, unknown)) => {
                let format = RuleFormat::Text(parsed.dialect);
                Ok(Self { path, text, format, parsed, unknown, ontology: None })
            }
            Err(errors) => Err(RuleFileError::Rules { path, text: FileText(text), errors }),
        }
    }
}

fn fit_ontology(
    path: &Path,
    ontology: &Ontology,
    labels: Option<Labels>,
    unknown: UnknownLabels,
) -> Result<(ParsedRules, Vec<String>), DatasetError> {
    let (program, unknown) = match (labels, unknown) {
        // A list has always selected the terms of an ontology.
        (Some(labels), UnknownLabels::Error) => {
            ontology.expect_any_known(path, &labels)?;
            (ontology.program_for(labels)?, Vec::new())
        }
        (Some(labels), unknown) => {
            let fitted = ontology.fit(path, &labels, unknown)?;
            (fitted.program, fitted.unknown)
        }
        (None, _) => (ontology.program()?, Vec::new()),
    };
    let (repeated_literals, places) = (Vec::new(), Vec::new());
    Ok((ParsedRules { program, dialect: Dialect::Edges, repeated_literals, places }, unknown))
}

fn read_rules(
    text: &str,
    labels: Option<Labels>,
    dialect: Option<Dialect>,
    unknown: UnknownLabels,
    rules_as: RulesAs,
    limit: SettleLimit,
) -> Result<(ParsedRules, Vec<String>), RuleErrors> {
    let rules = RuleText::new(text).dialect(dialect).rules_as(rules_as).settle_limit(limit);
    let Some(labels) = labels else { return Ok((rules.parse()?, Vec::new())) };
    let mut parsed = rules.labels(labels.clone()).open_labels().parse()?;
    let fitted = fit(&parsed, &labels, unknown)?;
    if parsed.program.rules().len() != fitted.program.rules().len() || !fitted.unknown.is_empty() {
        // They are numbers of rules as they were written.
        parsed.repeated_literals.clear();
    }
    parsed.program = fitted.program;
    Ok((parsed, fitted.unknown))
}

/// Reads a label list: one name per line, ignoring surrounding spaces and empty lines; a line that
/// is a quoted name of the rule language is that name.
///
/// # Errors
/// If the file cannot be read, or with every duplicate name.
pub fn read_labels(path: &Path) -> Result<Labels, RuleFileError> {
    let text = read_text(path)?;
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

#[cfg(test)]
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
    fn rules_may_be_compressed_and_have_a_byte_order_mark() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), Default::default());
        std::io::Write::write_all(&mut packed, "\u{feff}a -> b\n".as_bytes()).unwrap();
        let rules = file(&packed.finish().unwrap());
        let read = RuleFile::read(rules.path(), None, None).unwrap();
        assert_eq!((read.text.as_str(), read.format.name()), ("a -> b\n", "rules"));
    }

    #[test]
    fn an_error_says_its_mistakes_with_their_places_and_not_the_file() {
        let text = "cat -> animal\n".to_owned() + &"cat -> -> pet\n".repeat(30);
        let rules = file(text.as_bytes());
        let error = RuleFile::read(rules.path(), None, None).unwrap_err();
        let told = error.to_string();
        assert!(
            told.contains("30 mistakes in the rules\n2:8: a rule has only one arrow\n3:8:"),
            "{told}"
        );
        assert!(told.ends_with("\n… and 10 more"), "{told}");
        assert_eq!(told.lines().count(), 22);
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert!(source.starts_with("2:8: a rule has only one arrow\n3:8:"), "{source}");
        let shown = format!("{error:?}");
        assert!(
            shown.contains("2:8: a rule has only one arrow") && !shown.contains("cat"),
            "{shown}"
        );
        let list = file(b"a\nb\na\n");
        let told = read_labels(list.path()).unwrap_err().to_string();
        assert!(told.ends_with("list\n3: duplicate label `a` (first on line 1)"), "{told}");
    }

    const OBO: &[u8] =
        b"format-version: 1.2\n\n[Term]\nid: X:1\n\n[Term]\nid: X:2\nis_a: X:1 ! one\n\n\
        [Term]\nid: X:3\nrelationship: part_of X:2\n";

    #[test]
    fn an_ontology_is_detected_by_its_first_line_and_its_rules_have_places() {
        let rules = file(OBO);
        let read = RuleFile::read(rules.path(), None, None).unwrap();
        let program = &read.parsed.program;
        assert_eq!(read.format, RuleFormat::Obo);
        assert_eq!(program.to_text(), "X:2 -> X:1\nX:3 -> X:2\n");
        let places: Vec<_> =
            program.rule_ids().map(|id| program.span(id)).map(|s| (s.line, s.column)).collect();
        assert_eq!(places, [(8, 7), (12, 15)]);
        // A dialect that is given is not overruled.
        assert!(RuleFile::read(rules.path(), None, Some(Dialect::Rules)).is_err());
    }

    #[test]
    fn labels_choose_the_terms_of_an_ontology() {
        let (rules, labels) = (file(OBO), file(b"X:1\nX:3\nother\n"));
        let read = RuleFile::read(rules.path(), Some(labels.path()), None).unwrap();
        let program = &read.parsed.program;
        assert_eq!(program.labels().len(), 3);
        assert_eq!(program.rules()[0].display(program.labels()).to_string(), "X:3 -> X:1");
        assert_eq!(program.span(program.rule_ids().next().unwrap()).line, 11);
    }
}
