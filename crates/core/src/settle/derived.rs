//! Clauses that follow from the rules and requirements, and from which of them.

use super::knowledge::Source;

#[derive(Clone, Debug)]
pub(super) struct Derived {
    pub clauses: Vec<Vec<u32>>,
    /// For each clause, the rules and requirements it follows from.
    parents: Vec<Vec<Source>>,
    /// How many rules and requirements there are.
    written: usize,
}

impl Derived {
    pub fn new(written: usize) -> Self {
        Self { clauses: Vec::new(), parents: Vec::new(), written }
    }

    /// The number of all sources: what was written, and what was derived.
    pub fn sources(&self) -> usize {
        self.written + self.clauses.len()
    }

    /// All clauses, and from what each of them follows.
    pub fn sourced(&self) -> impl Iterator<Item = (Vec<u32>, Vec<Source>)> + '_ {
        self.clauses.iter().cloned().zip(self.parents.iter().cloned())
    }

    /// Adds a clause; returns its source.
    pub fn push(&mut self, clause: Vec<u32>, parents: Vec<Source>) -> Source {
        self.clauses.push(clause);
        self.parents.push(parents);
        self.sources() as Source - 1
    }

    /// The rules and requirements among the sources that are marked, and those that the others of them
    /// follow from.
    pub fn flatten(&self, used: &[bool]) -> Vec<Source> {
        let mut sources = Vec::new();
        for (source, _) in used.iter().enumerate().filter(|(_, is_used)| **is_used) {
            sources.extend(self.written_of(source as Source));
        }
        sources.sort_unstable();
        sources.dedup();
        sources
    }

    /// What one source stands for.
    pub fn written_of(&self, source: Source) -> Vec<Source> {
        match (source as usize).checked_sub(self.written) {
            Some(derived) => self.parents[derived].clone(),
            None => vec![source],
        }
    }
}
