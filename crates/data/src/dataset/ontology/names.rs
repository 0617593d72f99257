//! What names the terms of an ontology have: ids, alternative ids, ids of obsolete terms that another one
//! replaces, and each of them in other spellings. All of the product understands terms by this one table.

use std::collections::HashMap;

use super::term::Term;
use crate::dataset::complaint::{Mistakes, Problem};
use crate::dataset::labels::hierarchy::Hierarchy;

/// The most steps from an obsolete term to the one that replaces it.
const MOST_STEPS: usize = 100;

/// The names that terms have beside their ids.
#[derive(Clone, Debug, Default)]
pub(super) struct TermNames {
    /// The terms that other ids stand for.
    others: HashMap<String, usize>,
    /// The terms by their names without punctuation and in capitals; none where several are alike.
    plain: HashMap<String, Option<usize>>,
    /// The obsolete ids that stand for no term, with those to consider.
    obsolete: HashMap<String, Vec<String>>,
    /// How many alternative ids and replaced ids there are.
    pub(super) alternatives: usize,
    pub(super) replaced: usize,
}

impl TermNames {
    /// The names of all terms, of which those that are not obsolete are in the hierarchy.
    pub(super) fn gather(terms: &[Term], hierarchy: &Hierarchy, mistakes: &mut Mistakes) -> Self {
        let mut names = Self::default();
        let mut leads: HashMap<&str, &str> = HashMap::new();
        for term in terms.iter().filter(|term| !term.obsolete) {
            for (span, other) in &term.alternatives {
                let Some(id) = &term.id else { continue };
                if leads.insert(other, id).is_some_and(|before| before != id) {
                    let (line, column) = (span.line.into(), span.column as usize);
                    mistakes.push(line, column, other, Problem::AlternativeTwice);
                }
            }
        }
        names.alternatives = leads.len();
        for term in terms.iter().filter(|term| term.obsolete) {
            let Some(id) = &term.id else { continue };
            let ids = std::iter::once(id).chain(term.alternatives.iter().map(|(_, id)| id));
            for id in ids {
                match &term.replaced_by[..] {
                    [by] => {
                        leads.entry(id).or_insert(by);
                    }
                    several => {
                        let consider = several.iter().chain(&term.consider).cloned().collect();
                        names.obsolete.insert(id.clone(), consider);
                    }
                }
            }
        }
        for &other in leads.keys() {
            let mut name = other;
            for _ in 0..MOST_STEPS {
                if let Some(term) = hierarchy.find(name) {
                    if name != other {
                        names.others.insert(other.to_owned(), term);
                    }
                    break;
                }
                match leads.get(name) {
                    Some(next) => name = next,
                    None => break,
                }
            }
            if hierarchy.find(other).is_none() && !names.others.contains_key(other) {
                names.obsolete.entry(other.to_owned()).or_default();
            }
        }
        names
            .obsolete
            .retain(|id, _| hierarchy.find(id).is_none() && !names.others.contains_key(id));
        names.replaced = names.others.len().saturating_sub(names.alternatives);
        let ids = hierarchy.names().iter().enumerate().map(|(term, id)| (id, term));
        for (id, term) in ids.chain(names.others.iter().map(|(id, &term)| (id, term))) {
            let place = names.plain.entry(plain(id)).or_insert(Some(term));
            if *place != Some(term) {
                *place = None;
            }
        }
        names
    }

    /// The term of that name: its id, another id of it, or either spelled otherwise (`GO_0005634`, `go:0005634`).
    pub(super) fn find(&self, name: &str, hierarchy: &Hierarchy) -> Option<usize> {
        let exactly = hierarchy.find(name).or_else(|| self.others.get(name).copied());
        exactly.or_else(|| self.plain.get(&plain(name)).copied().flatten())
    }

    /// What to consider in place of a name that is obsolete and that nothing replaces.
    pub(super) fn consider(&self, name: &str) -> Option<&[String]> {
        self.obsolete.get(name).map(Vec::as_slice)
    }
}

/// A name without punctuation and in capitals.
pub(in crate::dataset) fn plain(name: &str) -> String {
    let kept = name.trim().chars().filter(|c| !matches!(c, ':' | '_' | '-'));
    kept.map(|c| c.to_ascii_uppercase()).collect()
}
