//! Ontologies in OBO format, for example the Gene Ontology, as rules `child -> parent`.
//!
//! A term's parents are its `is_a` and its `relationship: part_of`. Obsolete terms and edges to
//! them are left out; an `alt_id` is another name of its term. Invariant: no term is its own
//! ancestor.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::str::SplitWhitespace;

use rulebound_core::{LabelId, Labels, Literal, Program, Rule, Span};

use super::error::DatasetError;
use super::labels::hierarchy::Hierarchy;
use super::mistake::{Mistakes, Problem};
use crate::input::{inner_name, read_text};
use crate::unknown_labels::{FittedRules, UnknownLabels};

/// The terms of an ontology and their parents.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("go.obo");
/// std::fs::write(&path, "[Term]\nid: GO:2\nis_a: GO:1 ! cell\n\n[Term]\nid: GO:1\n")?;
/// let ontology = rulebound::dataset::Ontology::read(&path)?;
/// let program = ontology.program()?;
/// assert_eq!(program.rules()[0].display(program.labels()).to_string(), "GO:2 -> GO:1");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Ontology {
    hierarchy: Hierarchy,
    labels: Labels,
    /// Alternative names of terms.
    alternatives: HashMap<String, String>,
    /// The place of each term and each edge.
    term_spans: Vec<Span>,
    edge_spans: Vec<Span>,
}

/// A term while its lines are read.
#[derive(Default)]
struct Term {
    line: u64,
    id: Option<String>,
    span: Span,
    parents: Vec<(Span, String)>,
    alternatives: Vec<String>,
    obsolete: bool,
}

impl Ontology {
    /// Whether a file is an ontology: its name ends in `.obo` (or `.obo.gz`), or its text begins
    /// with `format-version:`, as OBO files do.
    pub fn is_ontology(path: &Path, text: &str) -> bool {
        let first = text.lines().map(str::trim).find(|line| !line.is_empty());
        is_obo(path) || first.is_some_and(|line| line.starts_with("format-version:"))
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
        let mut is_term = false;
        for (number, line) in (1..).zip(text.lines()) {
            let text = line.trim();
            if text.starts_with('[') {
                is_term = text.eq_ignore_ascii_case("[Term]");
                if is_term {
                    terms.push(Term { line: number, ..Term::default() });
                }
            } else if is_term && let Some(term) = terms.last_mut() {
                term.line(text, number, &mut mistakes);
            }
        }
        let ontology = Self::gather(terms, &mut mistakes);
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

    /// The id of the term whose id or `alt_id` is `id`.
    pub fn resolve<'a>(&'a self, id: &'a str) -> Option<&'a str> {
        match self.hierarchy.find(id) {
            Some(_) => Some(id),
            None => self.alternatives.get(id).map(String::as_str),
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

    /// The rules among `labels` that the ontology implies: from each label that is a term (or an
    /// `alt_id`, or either with `_` or nothing in place of the colon) to its nearest ancestors that
    /// are labels.
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
        let plain = |id: &str| id.replace([':', '_'], "");
        let by_plain: HashMap<String, &str> = self
            .hierarchy
            .names()
            .iter()
            .map(String::as_str)
            .chain(self.alternatives.keys().map(String::as_str))
            .map(|id| (plain(id), id))
            .collect();
        let term = |name: &str| {
            let known = self.resolve(name);
            let known = known.or_else(|| self.resolve(by_plain.get(&plain(name))?));
            known.and_then(|known| self.hierarchy.find(known))
        };
        labels.names().map(term).collect()
    }

    /// The terms that are not obsolete, with their edges and alternative names; not yet as labels.
    fn gather(terms: Vec<Term>, mistakes: &mut Mistakes) -> Self {
        let mut hierarchy = Hierarchy::default();
        let (mut term_spans, mut edge_spans) = (Vec::new(), Vec::new());
        let mut alternatives = HashMap::new();
        let mut obsolete = HashSet::new();
        for term in &terms {
            let Some(id) = &term.id else {
                mistakes.push(term.line, 1, "[Term]", Problem::TermWithoutId);
                continue;
            };
            if term.obsolete {
                obsolete.insert(id.clone());
                continue;
            }
            if hierarchy.find(id).is_some() {
                mistakes.push(term.line, 1, id, Problem::DuplicateTerm);
                continue;
            }
            hierarchy.class(id);
            term_spans.push(term.span);
            for other in &term.alternatives {
                alternatives.insert(other.clone(), id.clone());
            }
        }
        for term in terms.iter().filter(|term| !term.obsolete) {
            let Some(id) = &term.id else {
                continue;
            };
            for (span, parent) in &term.parents {
                let parent = match hierarchy.find(parent) {
                    Some(_) => parent,
                    None => match alternatives.get(parent) {
                        Some(known) => known,
                        None if obsolete.contains(parent) => continue,
                        None => {
                            let (line, column) = (span.line.into(), span.column as usize);
                            mistakes.push(line, column, parent, Problem::UnknownTerm);
                            continue;
                        }
                    },
                };
                if hierarchy.edge(id, parent) {
                    edge_spans.push(*span);
                }
            }
        }
        let labels = Labels::default();
        Self { hierarchy, labels, alternatives, term_spans, edge_spans }
    }
}

/// Whether a file name is that of an OBO file.
pub(super) fn is_obo(path: &Path) -> bool {
    inner_name(path).ends_with(".obo")
}

impl Term {
    /// Adds one line `tag: value ! comment`.
    fn line(&mut self, text: &str, line: u64, mistakes: &mut Mistakes) {
        let Some((tag, value)) = text.split_once(':') else {
            return;
        };
        let mut words = value.split_whitespace();
        let mut id = |words: &mut SplitWhitespace<'_>| match words.next() {
            Some(id) if !id.starts_with(['!', '{']) => Some(id.to_owned()),
            _ => {
                mistakes.push(line, 1, text, Problem::NoTerm);
                None
            }
        };
        let span = |id: &str| Span {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(tag.chars().count()).unwrap_or(u32::MAX).saturating_add(3),
            length: u32::try_from(id.chars().count()).unwrap_or(u32::MAX),
        };
        let mut place = |words: &mut SplitWhitespace<'_>| id(words).map(|id| (span(&id), id));
        match tag {
            "id" => {
                if let Some((span, id)) = place(&mut words) {
                    (self.span, self.id) = (span, Some(id));
                }
            }
            "alt_id" => self.alternatives.extend(place(&mut words).map(|(_, id)| id)),
            "is_a" => self.parents.extend(place(&mut words)),
            "relationship" if words.next() == Some("part_of") => {
                self.parents.extend(place(&mut words));
            }
            "is_obsolete" => self.obsolete = words.next() == Some("true"),
            _ => {}
        }
    }
}
