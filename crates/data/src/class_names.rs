//! Classes by the names that people write: what they are called, or another name that an ontology knows for the term.
//!
//! Files of thresholds, weights and costs, options that name a class, and the columns of two tables all find their
//! classes here, so that a name means the same class in all of them.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use rulebound_core::{LabelId, Labels, Program};

use crate::dataset::{Ontology, RulesMemory};
use crate::unknown_labels::{UnmatchedClasses, numbered_as_columns};

/// Names of classes.
///
/// ```
/// use rulebound_data::class_names::ClassNames;
/// use rulebound_core::Labels;
/// let labels = Labels::new(["stomach", "abdomen"])?;
/// let names = ClassNames::new(&labels);
/// assert!(names.find("abdomen").is_some());
/// let error = names.expect("abdomne").unwrap_err().to_string();
/// assert_eq!(error, "there is no class \"abdomne\"; did you mean \"abdomen\"?");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ClassNames<'a> {
    labels: &'a Labels,
    terms: Terms<'a>,
    elsewhere: HashSet<String>,
    /// The class of each term that classes are called by otherwise.
    by_term: OnceCell<HashMap<String, LabelId>>,
}

/// The ontology of classes.
#[derive(Debug)]
enum Terms<'a> {
    None,
    Known(&'a Ontology),
    /// Read when a name is not that of a class; none if it cannot be.
    File(RulesPath<'a>, OnceCell<Option<Box<Ontology>>>),
}

/// Where the rules of classes are.
#[derive(Debug)]
enum RulesPath<'a> {
    Given(PathBuf),
    Remembered(&'a RulesMemory),
}

/// What a name in a file about classes means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameMeaning {
    /// A class.
    Class(LabelId),
    /// `*`: all classes that are not listed.
    AllOthers,
    /// Something that is known and none of the classes.
    Elsewhere,
}

/// A name that is none of the classes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no class {name:?}{hint}")]
pub struct UnknownClass {
    /// The name.
    pub name: String,
    /// What is known about it.
    pub hint: NameHint,
}

/// What is known about a name that is none of the classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameHint {
    /// Nothing.
    None,
    /// The class with the most similar name.
    Nearest(String),
    /// It is an obsolete term, with those to consider in its place.
    Obsolete(Vec<String>),
    /// It is a term that is none of the classes.
    OtherTerm(String),
    /// The ontology has no such term.
    NoTerm,
}

/// The most names in one message.
const NAMED: usize = 20;

impl std::fmt::Display for NameHint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::Nearest(name) => write!(f, "; did you mean {name:?}?"),
            Self::Obsolete(consider) if consider.is_empty() => f.write_str(" (obsolete)"),
            Self::Obsolete(consider) => {
                let shown = consider[..consider.len().min(NAMED)].join(", ");
                write!(f, " (obsolete; consider {shown})")
            }
            Self::OtherTerm(term) => write!(f, "; the term {term:?} is none of the classes here"),
            Self::NoTerm => f.write_str(", and the ontology has no such term"),
        }
    }
}

/// Two names for one class where one is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} already has {what}, on line {first}{}", if name == before { String::new() } else { format!(" as {before:?}: both are one class") })]
pub struct RepeatedClass {
    /// The name.
    pub name: String,
    /// What the class was called before.
    pub before: String,
    /// The line where it was.
    pub first: usize,
    /// What it has: `a threshold`, `a weight`, `costs`.
    pub what: &'static str,
}

impl<'a> ClassNames<'a> {
    /// The names that the classes have.
    pub fn new(labels: &'a Labels) -> Self {
        let (terms, elsewhere) = (Terms::None, HashSet::new());
        Self { labels, terms, elsewhere, by_term: OnceCell::new() }
    }

    /// And those that an ontology knows for them.
    #[must_use]
    pub fn with_ontology(self, ontology: Option<&'a Ontology>) -> Self {
        Self { terms: ontology.map_or(Terms::None, Terms::Known), ..self }
    }

    /// And those that the ontology in a file of rules knows for them, if it is one. The file is read when it is needed.
    #[must_use]
    pub fn with_rules_of(self, path: Option<PathBuf>) -> Self {
        self.with_path(path.map(RulesPath::Given))
    }

    /// The same with the rules that a model was trained with, if they are there and unchanged.
    #[must_use]
    pub fn with_rules_of_training(self, rules: Option<&'a RulesMemory>) -> Self {
        self.with_path(rules.map(RulesPath::Remembered))
    }

    fn with_path(self, path: Option<RulesPath<'a>>) -> Self {
        Self { terms: path.map_or(Terms::None, |path| Terms::File(path, OnceCell::new())), ..self }
    }

    /// Names that mean something, but none of the classes: other columns of a table, hidden classes.
    #[must_use]
    pub fn with_others<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.elsewhere.extend(names.into_iter().map(Into::into));
        self
    }

    /// The classes.
    pub fn labels(&self) -> &'a Labels {
        self.labels
    }

    /// The class of that name; spaces around it are only meant where a class has them.
    pub fn find(&self, name: &str) -> Option<LabelId> {
        let exactly = self.labels.find(name).or_else(|| self.labels.find(name.trim()));
        exactly.or_else(|| {
            let term = self.ontology()?.resolve(name.trim())?;
            self.labels.find(term).or_else(|| self.by_term()?.get(term).copied())
        })
    }

    /// What a name in a file about classes means. Finding a similar name looks at every class, so it is only done if
    /// it is wanted.
    ///
    /// # Errors
    /// If it means nothing.
    pub fn meaning(&self, name: &str, suggest: bool) -> Result<NameMeaning, UnknownClass> {
        let term = || self.ontology()?.resolve(name.trim());
        match (self.find(name), name.trim()) {
            (Some(class), _) => Ok(NameMeaning::Class(class)),
            (None, "*") => Ok(NameMeaning::AllOthers),
            (None, name) if self.elsewhere.contains(name) => Ok(NameMeaning::Elsewhere),
            (None, _) if term().is_some_and(|term| self.elsewhere.contains(term)) => {
                Ok(NameMeaning::Elsewhere)
            }
            (None, name) => Err(self.unknown_with(name, suggest)),
        }
    }

    /// The class of that name.
    ///
    /// # Errors
    /// If there is none, with what is known about the name.
    pub fn expect(&self, name: &str) -> Result<LabelId, UnknownClass> {
        self.find(name).ok_or_else(|| self.unknown(name))
    }

    /// The error for a name that is none of the classes. Looks at every class.
    pub fn unknown(&self, name: &str) -> UnknownClass {
        self.unknown_with(name, true)
    }

    fn unknown_with(&self, name: &str, suggest: bool) -> UnknownClass {
        let name = name.trim();
        let nearest = || {
            // Identifiers that are nearly the same are different terms.
            let is_wanted = suggest && !is_term_id(name);
            let nearest = is_wanted.then(|| self.labels.nearest(name)).flatten();
            nearest.map_or(NameHint::None, |nearest| NameHint::Nearest(nearest.to_owned()))
        };
        let hint = match self.ontology() {
            None => nearest(),
            Some(ontology) => match (ontology.consider(name), ontology.resolve(name)) {
                (Some(consider), _) => NameHint::Obsolete(consider.to_vec()),
                (None, Some(term)) => NameHint::OtherTerm(term.to_owned()),
                (None, None) if is_term_id(name) => NameHint::NoTerm,
                (None, None) => nearest(),
            },
        };
        UnknownClass { name: name.to_owned(), hint }
    }

    /// What the columns of a table call the classes: of each its column by any of its names, or its own name where
    /// there is none.
    ///
    /// # Errors
    /// If two columns are one class.
    pub fn columns(&self, columns: &[String]) -> Result<Vec<String>, UnmatchedClasses> {
        let mut column_of: HashMap<LabelId, &str> = HashMap::new();
        for column in columns {
            let Some(class) = self.find(column) else { continue };
            if let Some(one) = column_of.insert(class, column)
                && one != column
            {
                let term = self.labels.name(class).to_owned();
                let (one, other) = (one.to_owned(), column.clone());
                return Err(UnmatchedClasses::SameTerm { one, other, term });
            }
        }
        let name = |id: LabelId| column_of.get(&id).copied().unwrap_or(self.labels.name(id));
        Ok(self.labels.ids().map(|id| name(id).to_owned()).collect())
    }

    fn ontology(&self) -> Option<&Ontology> {
        match &self.terms {
            Terms::None => None,
            Terms::Known(ontology) => Some(ontology),
            Terms::File(path, read) => {
                let read = read.get_or_init(|| {
                    let path = match path {
                        RulesPath::Given(path) => path.clone(),
                        RulesPath::Remembered(rules) => rules.unchanged()?,
                    };
                    let is_one = Ontology::is_ontology_file(&path);
                    is_one.then(|| Ontology::read(&path).ok().map(Box::new)).flatten()
                });
                read.as_deref()
            }
        }
    }

    fn by_term(&self) -> Option<&HashMap<String, LabelId>> {
        let ontology = self.ontology()?;
        Some(self.by_term.get_or_init(|| {
            let classes = self.labels.ids().zip(self.labels.names());
            let terms =
                classes.filter_map(|(id, name)| Some((ontology.resolve(name)?.to_owned(), id)));
            terms.collect()
        }))
    }
}

/// The program with its classes named as the columns of a table name them, if any is named otherwise.
///
/// # Errors
/// If two columns are one class.
pub fn named_as_columns(
    program: &Program,
    ontology: Option<&Ontology>,
    columns: &[String],
) -> Result<Option<Program>, UnmatchedClasses> {
    if ontology.is_none() {
        return Ok(numbered_as_columns(program, columns));
    }
    let labels = program.labels();
    let names = ClassNames::new(labels).with_ontology(ontology).columns(columns)?;
    if labels.names().eq(names.iter().map(String::as_str)) {
        return Ok(None);
    }
    Ok(Labels::new(names).ok().map(|names| program.renumbered(names, |id| id)))
}

/// Names of classes, of which those of terms are as the ontology calls them.
///
/// # Errors
/// If two of them are one term.
pub fn called_as_terms(names: &Labels, ontology: &Ontology) -> Result<Labels, UnmatchedClasses> {
    let mut first: HashMap<&str, &str> = HashMap::new();
    for name in names.names() {
        let Some(term) = ontology.resolve(name) else { continue };
        if let Some(one) = first.insert(term, name) {
            let (one, other, term) = (one.to_owned(), name.to_owned(), term.to_owned());
            return Err(UnmatchedClasses::SameTerm { one, other, term });
        }
    }
    let called = names.names().map(|name| ontology.resolve(name).unwrap_or(name));
    Ok(Labels::new(called).unwrap_or_else(|_| names.clone()))
}

/// Whether a name looks like the identifier of a term: `GO:0008150`, `go_0008150`, `GO0008150`.
fn is_term_id(name: &str) -> bool {
    /// The least digits behind letters without anything between them.
    const DIGITS: usize = 5;
    let letters = name.bytes().take_while(u8::is_ascii_alphabetic).count();
    let rest = &name[letters..];
    let digits = rest.strip_prefix([':', '_']).unwrap_or(rest);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    letters > 0 && is_number && (rest.starts_with(':') || digits.len() >= DIGITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const OBO: &str = "[Term]\nid: GO:0000040\nalt_id: GO:0000099\n\n[Term]\nid: GO:0000041\n\n\
        [Term]\nid: GO:0000007\nis_obsolete: true\nconsider: GO:0000041\n";

    #[test]
    fn a_class_has_all_names_of_its_term() {
        let ontology = Ontology::from_text(Path::new("go.obo"), OBO).unwrap();
        for own in ["GO:0000040", "GO_0000040", "GO:0000099"] {
            let labels = Labels::new(["heart", own]).unwrap();
            let names = ClassNames::new(&labels).with_ontology(Some(&ontology));
            for name in ["GO:0000040", "go_0000040", "GO0000040", "GO:0000099", " GO:0000099 "] {
                assert_eq!(names.find(name), labels.find(own), "{own} {name}");
            }
            assert_eq!(names.find("GO:0000041"), None);
        }
    }

    #[test]
    fn a_term_is_never_taken_for_one_with_similar_digits() {
        let ontology = Ontology::from_text(Path::new("go.obo"), OBO).unwrap();
        let labels = Labels::new(["heart", "GO:0000040"]).unwrap();
        let bare = ClassNames::new(&labels);
        let names = ClassNames::new(&labels).with_ontology(Some(&ontology));
        for (names, name, hint) in [
            (&names, "GO:0000041", NameHint::OtherTerm("GO:0000041".into())),
            (&names, "GO:0000007", NameHint::Obsolete(vec!["GO:0000041".into()])),
            (&names, "GO:0000042", NameHint::NoTerm),
            (&bare, "GO:0000042", NameHint::None),
            (&names, "haert", NameHint::Nearest("heart".into())),
            (&bare, "haert", NameHint::Nearest("heart".into())),
        ] {
            assert_eq!(names.unknown(name).hint, hint, "{name}");
        }
        let told = names.unknown("GO:0000007").to_string();
        assert_eq!(told, "there is no class \"GO:0000007\" (obsolete; consider GO:0000041)");
    }

    #[test]
    fn other_names_are_not_mistakes() {
        let ontology = Ontology::from_text(Path::new("go.obo"), OBO).unwrap();
        let labels = Labels::new(["GO:0000041"]).unwrap();
        let names = ClassNames::new(&labels).with_ontology(Some(&ontology));
        let names = names.with_others(["GO:0000040", "note"]);
        let class = labels.ids().next().unwrap();
        for (name, meaning) in [
            ("GO:0000099", NameMeaning::Elsewhere),
            ("note", NameMeaning::Elsewhere),
            ("GO_0000041", NameMeaning::Class(class)),
            ("*", NameMeaning::AllOthers),
        ] {
            assert_eq!(names.meaning(name, true), Ok(meaning), "{name}");
        }
        assert!(names.meaning("GO:0000042", true).is_err());
    }
}
