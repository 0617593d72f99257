//! Ontologies in OBO format, for example the Gene Ontology, as rules `child -> parent`.
//!
//! A term's parents are its `is_a` and its `relationship: part_of`. A `part_of` from one of the three
//! aspects of the Gene Ontology to another is left out, so that what a protein does says nothing about the
//! process it takes part in (as CAFA evaluates, and as go-basic.obo is made). Obsolete terms and edges to them are
//! left out; an `alt_id`, and an obsolete term that exactly one other replaces, are other names of that
//! term. Invariant: no term is its own ancestor.

mod names;
mod term;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use rulebound_core::{LabelId, Labels, Literal, Program, Rule, Span};
use serde::Serialize;

use self::names::TermNames;
pub(super) use self::names::plain;
use self::term::Term;
use super::complaint::{Mistakes, Problem};
use super::error::DatasetError;
use super::labels::hierarchy::Hierarchy;
use crate::unknown_labels::{FittedRules, UnknownLabels};
use rulebound_io::input::{Fallback, Lines, inner_name, read_text};

/// The terms of an ontology and their parents.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("go.obo");
/// std::fs::write(&path, "[Term]\nid: GO:2\nis_a: GO:1 ! cell\n\n[Term]\nid: GO:1\n")?;
/// let ontology = rulebound_data::dataset::Ontology::read(&path)?;
/// let program = ontology.program()?;
/// assert_eq!(program.rules()[0].display(program.labels()).to_string(), "GO:2 -> GO:1");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Ontology {
    hierarchy: Hierarchy,
    labels: Labels,
    names: TermNames,
    /// The place of each term and each edge.
    term_spans: Vec<Span>,
    edge_spans: Vec<Span>,
    contents: OntologyContents,
}

/// What of an ontology is used, and what is not.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct OntologyContents {
    /// Its `data-version`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Terms that are not obsolete.
    pub terms: usize,
    /// Edges `is_a`.
    pub is_a: usize,
    /// Edges `part_of`.
    pub part_of: usize,
    /// Edges `part_of` from one aspect of the Gene Ontology to another, which are left out.
    pub across_aspects: usize,
    /// Relationships of other types, which are left out.
    pub other_relations: BTreeMap<String, usize>,
    /// Alternative ids, which are understood.
    pub alternatives: usize,
    /// Obsolete terms.
    pub obsolete: usize,
    /// Ids of obsolete terms, of which each stands for the one that replaces it.
    pub replaced: usize,
}

impl Ontology {
    /// Whether a file is an ontology: its name ends in `.obo` (or `.obo.gz`), or its text begins
    /// with `format-version:`, as OBO files do.
    pub fn is_ontology(path: &Path, text: &str) -> bool {
        let first = text.lines().map(str::trim).find(|line| !line.is_empty());
        is_obo(path) || first.is_some_and(|line| line.starts_with("format-version:"))
    }

    /// [Whether a file is an ontology](Self::is_ontology), by its first lines; not one that cannot be read.
    pub fn is_ontology_file(path: &Path) -> bool {
        let begins_so = || {
            let mut lines = Lines::open(path, Fallback::None).ok()?;
            loop {
                let line = lines.next(&mut Mistakes::default()).ok()??;
                if !line.trim().is_empty() {
                    return Some(Self::is_ontology(path, &line));
                }
            }
        };
        is_obo(path) || begins_so().unwrap_or(false)
    }

    /// Reads an OBO file, plain or gzip.
    ///
    /// # Errors
    /// If the file cannot be read, a term has no id or is defined twice, a parent is not defined,
    /// or the terms form a cycle.
    pub fn read(path: &Path) -> Result<Self, DatasetError> {
        Self::from_text(path, &read_text(path)?)
    }

    /// Reads the text of an OBO file; errors refer to it as `path`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn from_text(path: &Path, text: &str) -> Result<Self, DatasetError> {
        let mut mistakes = Mistakes::default();
        let mut terms: Vec<Term> = Vec::new();
        let (mut version, mut namespace) = (None, None);
        let (mut is_term, mut is_header) = (false, true);
        for (number, line) in (1..).zip(text.lines()) {
            let text = line.trim();
            if text.starts_with('[') {
                is_header = false;
                is_term = text.eq_ignore_ascii_case("[Term]");
                if is_term {
                    terms.push(Term { line: number, ..Term::default() });
                }
            } else if is_term && let Some(term) = terms.last_mut() {
                term.line(text, number, &mut mistakes);
            } else if is_header && let Some((tag, value)) = text.split_once(':') {
                match tag {
                    "data-version" => version = Some(value.trim().to_owned()),
                    "default-namespace" => namespace = Some(value.trim().to_owned()),
                    _ => {}
                }
            }
        }
        if let Some(namespace) = namespace {
            for term in &mut terms {
                term.namespace.get_or_insert_with(|| namespace.clone());
            }
        }
        let mut ontology = Self::gather(terms, &mut mistakes);
        ontology.contents.version = version;
        DatasetError::expect_none(path, mistakes)?;
        let path = path.to_path_buf();
        if let Some(classes) = ontology.hierarchy.cycle() {
            return Err(DatasetError::Cycle { path, classes });
        }
        let labels = ontology.hierarchy.labels();
        let labels = labels.map_err(|source| DatasetError::Labels { path, source })?;
        Ok(Self { labels, ..ontology })
    }

    /// How many terms there are, not counting obsolete ones.
    pub fn terms(&self) -> usize {
        self.hierarchy.len()
    }

    /// The id of the term of that name: its id, an `alt_id`, the id of an obsolete term that it replaces, or
    /// one of these spelled otherwise (`GO_0005634`, `GO0005634`, `go:0005634`).
    pub fn resolve(&self, name: &str) -> Option<&str> {
        let term = self.names.find(name, &self.hierarchy)?;
        Some(&self.hierarchy.names()[term])
    }

    /// The ids of its terms, without those that are obsolete.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.hierarchy.names().iter().map(String::as_str)
    }

    /// What the ontology says to consider in place of an obsolete term that nothing replaces; none if the name
    /// is not that of such a term.
    pub fn consider(&self, name: &str) -> Option<&[String]> {
        self.names.consider(name)
    }

    /// What of the file is used, and what is not.
    pub fn contents(&self) -> &OntologyContents {
        &self.contents
    }

    /// A name that is not that of a term, with what the ontology knows about it.
    pub fn describe_unknown(&self, name: &str) -> String {
        match self.consider(name) {
            None => name.to_owned(),
            Some([]) => format!("{name} (obsolete)"),
            Some(consider) => format!("{name} (obsolete; consider {})", consider.join(", ")),
        }
    }

    /// All terms as labels, and one rule `child -> parent` per edge, with its place in the file.
    ///
    /// # Errors
    /// None: rules without negation are stratified.
    pub fn program(&self) -> Result<Program, DatasetError> {
        let (labels, spans) = (self.labels.clone(), self.edge_spans.clone());
        Ok(Program::from_source(labels, self.hierarchy.rules(), spans)?)
    }

    /// The [rules among `labels`](Self::rules_for), with their places in the file: that of the
    /// edge, or that of the term if the path has several edges.
    ///
    /// # Errors
    /// None: rules without negation are stratified.
    pub fn program_for(&self, labels: Labels) -> Result<Program, DatasetError> {
        let edges = self.hierarchy.edges().iter().copied().zip(self.edge_spans.iter().copied());
        let edges: HashMap<(usize, usize), Span> = edges.collect();
        let (mut rules, mut spans) = (Vec::new(), Vec::new());
        for (rule, child, parent) in self.implied(&labels) {
            rules.push(rule);
            let span = edges.get(&(child, parent)).copied();
            spans.push(span.unwrap_or(self.term_spans[child]));
        }
        Ok(Program::from_source(labels, rules, spans)?)
    }

    /// The rules about `labels`, with the terms that are not among them hidden, kept or refused.
    /// In a hierarchy, rules to the nearest ancestors are what hiding all others leaves.
    ///
    /// # Errors
    /// [`DatasetError::UnknownTerms`] if they are an error and there are any.
    pub(crate) fn fit(
        &self,
        path: &Path,
        labels: &Labels,
        treatment: UnknownLabels,
    ) -> Result<FittedRules, DatasetError> {
        let label_of = self.labels_of_terms(labels);
        self.expect_known(path, labels, label_of.len())?;
        let unknown = (0..self.hierarchy.len()).filter(|term| !label_of.contains_key(term));
        let names = self.hierarchy.names();
        let unknown: Vec<String> = unknown.map(|term| names[term].clone()).collect();
        let program = match treatment {
            UnknownLabels::Error if !unknown.is_empty() => {
                return Err(DatasetError::UnknownTerms { path: path.into(), classes: unknown });
            }
            UnknownLabels::Keep => {
                let all = labels.names().chain(unknown.iter().map(String::as_str));
                let all = Labels::new(all)
                    .map_err(|source| DatasetError::Labels { path: path.to_path_buf(), source })?;
                self.program_for(all)?
            }
            UnknownLabels::HideInRules | UnknownLabels::Hide | UnknownLabels::Error => {
                self.program_for(labels.clone())?
            }
        };
        Ok(FittedRules { program, unknown })
    }

    /// An error if none of the labels is a term: then it is another ontology.
    pub(crate) fn expect_any_known(
        &self,
        path: &Path,
        labels: &Labels,
    ) -> Result<(), DatasetError> {
        let known = self.terms_of_labels(labels).iter().flatten().count();
        self.expect_known(path, labels, known)
    }

    fn expect_known(&self, path: &Path, labels: &Labels, known: usize) -> Result<(), DatasetError> {
        if known > 0 || labels.is_empty() || self.terms() == 0 {
            return Ok(());
        }
        let classes = labels.names().map(|name| self.describe_unknown(name)).collect();
        let example = self.hierarchy.names()[0].clone();
        Err(DatasetError::NoTermKnown { path: path.into(), classes, example })
    }

    /// The first label of each term that has one.
    fn labels_of_terms(&self, labels: &Labels) -> HashMap<usize, LabelId> {
        let mut label_of = HashMap::new();
        for (id, term) in labels.ids().zip(self.terms_of_labels(labels)) {
            if let Some(term) = term {
                label_of.entry(term).or_insert(id);
            }
        }
        label_of
    }

    /// The rules among `labels` that the ontology implies: from each label that [is a term](Self::resolve)
    /// to its nearest ancestors that are labels.
    pub fn rules_for(&self, labels: &Labels) -> Vec<Rule> {
        self.implied(labels).into_iter().map(|(rule, ..)| rule).collect()
    }

    /// The rules, each with the terms of its body and of its head.
    fn implied(&self, labels: &Labels) -> Vec<(Rule, usize, usize)> {
        let of_label = self.terms_of_labels(labels);
        let label_of = self.labels_of_terms(labels);
        let mut rules = Vec::new();
        for (id, class) in labels.ids().zip(of_label) {
            let Some(class) = class else {
                continue;
            };
            if label_of[&class] != id {
                // Two labels of the same term are equivalent.
                let (one, other) = (label_of[&class], id);
                rules.push((Rule::new(one, [Literal::positive(other)]), class, class));
                rules.push((Rule::new(other, [Literal::positive(one)]), class, class));
                continue;
            }
            for ancestor in self.hierarchy.nearest(class, |class| label_of.contains_key(&class)) {
                let rule = Rule::new(label_of[&ancestor], [Literal::positive(id)]);
                rules.push((rule, class, ancestor));
            }
        }
        rules
    }

    /// The term of each label, if it is one.
    fn terms_of_labels(&self, labels: &Labels) -> Vec<Option<usize>> {
        labels.names().map(|name| self.names.find(name, &self.hierarchy)).collect()
    }

    /// The terms that are not obsolete, with their edges and other names; not yet as labels.
    fn gather(terms: Vec<Term>, mistakes: &mut Mistakes) -> Self {
        let mut hierarchy = Hierarchy::default();
        let (mut term_spans, mut edge_spans) = (Vec::new(), Vec::new());
        let mut contents = OntologyContents::default();
        let mut aspects: Vec<Option<Aspect>> = Vec::new();
        for term in &terms {
            let Some(id) = &term.id else {
                mistakes.push(term.line, 1, "[Term]", Problem::TermWithoutId);
                continue;
            };
            if term.obsolete {
                contents.obsolete += 1;
                continue;
            }
            if hierarchy.find(id).is_some() {
                mistakes.push(term.line, 1, id, Problem::DuplicateTerm);
                continue;
            }
            hierarchy.class(id);
            term_spans.push(term.span);
            aspects.push(term.namespace.as_deref().and_then(Aspect::of));
            for relation in &term.other_relations {
                *contents.other_relations.entry(relation.clone()).or_default() += 1;
            }
        }
        let names = TermNames::gather(&terms, &hierarchy, mistakes);
        for term in terms.iter().filter(|term| !term.obsolete) {
            let Some((id, child)) = term.id.as_ref().and_then(|id| Some((id, hierarchy.find(id)?)))
            else {
                continue;
            };
            for parent in &term.parents {
                let Some(place) = names.find(&parent.id, &hierarchy) else {
                    if names.consider(&parent.id).is_none() {
                        let (line, column) = (parent.span.line.into(), parent.span.column as usize);
                        mistakes.push(line, column, &parent.id, Problem::UnknownTerm);
                    }
                    continue;
                };
                let is_across = matches!((aspects[child], aspects[place]), (Some(one), Some(other)) if one != other);
                if parent.is_part && is_across {
                    contents.across_aspects += 1;
                    continue;
                }
                let parent_id = hierarchy.names()[place].clone();
                if hierarchy.edge(id, &parent_id) {
                    edge_spans.push(parent.span);
                    *(if parent.is_part { &mut contents.part_of } else { &mut contents.is_a }) += 1;
                }
            }
        }
        contents.terms = hierarchy.len();
        (contents.alternatives, contents.replaced) = (names.alternatives, names.replaced);
        Self { hierarchy, labels: Labels::default(), names, term_spans, edge_spans, contents }
    }
}

/// An aspect of the Gene Ontology.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aspect {
    Process,
    Function,
    Component,
}

impl Aspect {
    fn of(namespace: &str) -> Option<Self> {
        match namespace {
            "biological_process" => Some(Self::Process),
            "molecular_function" => Some(Self::Function),
            "cellular_component" => Some(Self::Component),
            _ => None,
        }
    }
}

/// Whether a file name is that of an OBO file.
pub(super) fn is_obo(path: &Path) -> bool {
    inner_name(path).ends_with(".obo")
}
