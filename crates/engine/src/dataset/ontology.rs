//! An ontology in OBO form, for example the Gene Ontology, as rules `child -> parent`.
//!
//! A term's parents are its `is_a` and its `relationship: part_of`. Obsolete terms are left out,
//! and so are edges to them; an `alt_id` is another name of its term. Invariant: no term is its
//! own ancestor.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use rulebound_core::{LabelId, Labels, Literal, Program, Rule};

use super::error::DatasetError;
use super::hierarchy::Hierarchy;
use super::lines::{Fallback, Lines};
use super::mistake::{Mistakes, Problem};

/// Terms and who is whose parent.
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
    /// Other names of terms.
    alternatives: HashMap<String, String>,
}

/// A term while its lines are read.
#[derive(Default)]
struct Term {
    line: u64,
    id: Option<String>,
    parents: Vec<(u64, usize, String)>,
    alternatives: Vec<String>,
    obsolete: bool,
}

impl Ontology {
    /// Reads an OBO file, plain or gzip.
    ///
    /// # Errors
    /// When the file cannot be read, a term has no id or stands twice, a parent is nowhere
    /// defined, or the terms form a cycle.
    pub fn read(path: &Path) -> Result<Self, DatasetError> {
        let mut lines = Lines::open(path, Fallback::None)?;
        let mut mistakes = Mistakes::default();
        let mut terms: Vec<Term> = Vec::new();
        let mut is_term = false;
        loop {
            let number = lines.number() + 1;
            let Some(line) = lines.next(&mut mistakes)? else {
                break;
            };
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
        let (hierarchy, alternatives) = gather(terms, &mut mistakes);
        lines.check(mistakes)?;
        let path = path.to_path_buf();
        if let Some(classes) = hierarchy.cycle() {
            return Err(DatasetError::Cycle { path, classes });
        }
        let labels = hierarchy.labels();
        let labels = labels.map_err(|source| DatasetError::Labels { path, source })?;
        Ok(Self { hierarchy, labels, alternatives })
    }

    /// How many terms there are, obsolete ones left out.
    pub fn terms(&self) -> usize {
        self.hierarchy.len()
    }

    /// The id of the term that `id` names, itself or as an `alt_id`.
    pub fn resolve<'a>(&'a self, id: &'a str) -> Option<&'a str> {
        match self.hierarchy.find(id) {
            Some(_) => Some(id),
            None => self.alternatives.get(id).map(String::as_str),
        }
    }

    /// All terms as labels, and one rule `child -> parent` an edge.
    ///
    /// # Errors
    /// None: rules without negation are stratified.
    pub fn program(&self) -> Result<Program, DatasetError> {
        Ok(Program::new(self.labels.clone(), self.hierarchy.rules())?)
    }

    /// The rules among `labels` that the ontology implies: from each label that is a term (or an
    /// `alt_id`, or either with `_` or nothing for the colon) to its nearest ancestors that are
    /// labels.
    pub fn rules_for(&self, labels: &Labels) -> Vec<Rule> {
        let mut label_of: HashMap<usize, LabelId> = HashMap::new();
        let plain = |id: &str| id.replace([':', '_'], "");
        let by_plain: HashMap<String, &str> = self
            .hierarchy
            .names()
            .iter()
            .map(String::as_str)
            .chain(self.alternatives.keys().map(String::as_str))
            .map(|id| (plain(id), id))
            .collect();
        let mut of_label: Vec<Option<usize>> = Vec::with_capacity(labels.len());
        for id in labels.ids() {
            let name = labels.name(id);
            let known = self.resolve(name);
            let known = known.or_else(|| self.resolve(by_plain.get(&plain(name))?));
            let class = known.and_then(|known| self.hierarchy.find(known));
            of_label.push(class);
            if let Some(class) = class {
                label_of.entry(class).or_insert(id);
            }
        }
        let mut rules = Vec::new();
        for (id, class) in labels.ids().zip(of_label) {
            let Some(class) = class else {
                continue;
            };
            if label_of[&class] != id {
                // Two labels of one term hold together.
                rules.push(Rule::new(label_of[&class], [Literal::positive(id)]));
                rules.push(Rule::new(id, [Literal::positive(label_of[&class])]));
                continue;
            }
            for ancestor in self.hierarchy.nearest(class, |class| label_of.contains_key(&class)) {
                rules.push(Rule::new(label_of[&ancestor], [Literal::positive(id)]));
            }
        }
        rules
    }
}

/// The terms that are not obsolete with their edges, and their other names.
fn gather(terms: Vec<Term>, mistakes: &mut Mistakes) -> (Hierarchy, HashMap<String, String>) {
    let mut hierarchy = Hierarchy::default();
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
            mistakes.push(term.line, 1, id, Problem::TermTwice);
        }
        hierarchy.class(id);
        for other in &term.alternatives {
            alternatives.insert(other.clone(), id.clone());
        }
    }
    for term in terms.iter().filter(|term| !term.obsolete) {
        let Some(id) = &term.id else {
            continue;
        };
        for (line, column, parent) in &term.parents {
            let parent = match hierarchy.find(parent) {
                Some(_) => parent,
                None => match alternatives.get(parent) {
                    Some(known) => known,
                    None if obsolete.contains(parent) => continue,
                    None => {
                        mistakes.push(*line, *column, parent, Problem::UnknownTerm);
                        continue;
                    }
                },
            };
            hierarchy.edge(id, parent);
        }
    }
    (hierarchy, alternatives)
}

impl Term {
    /// Takes over one line `tag: value ! comment`.
    fn line(&mut self, text: &str, line: u64, mistakes: &mut Mistakes) {
        let Some((tag, value)) = text.split_once(':') else {
            return;
        };
        let mut words = value.split_whitespace();
        let mut id = |words: &mut std::str::SplitWhitespace<'_>| match words.next() {
            Some(id) if !id.starts_with(['!', '{']) => Some(id.to_owned()),
            _ => {
                mistakes.push(line, 1, text, Problem::NoTerm);
                None
            }
        };
        let column = tag.chars().count() + 3;
        match tag {
            "id" => self.id = id(&mut words).or(self.id.take()),
            "alt_id" => self.alternatives.extend(id(&mut words)),
            "is_a" => self.parents.extend(id(&mut words).map(|id| (line, column, id))),
            "relationship" if words.next() == Some("part_of") => {
                self.parents.extend(id(&mut words).map(|id| (line, column, id)));
            }
            "is_obsolete" => self.obsolete = words.next() == Some("true"),
            _ => {}
        }
    }
}
