//! A hierarchy of classes: the parents of each class.
//!
//! The Clus form is one list in two spellings. In *paths* (`01,01/01,01/01/03`) every prefix is an
//! ancestor, and top-level classes are children of a class `root` that is added. In *edges*
//! (`root/a,a/b,c/b`) an entry is a parent and its child. A list is one of edges if every entry has
//! exactly one `/` and a parent is a known root or some child is itself a parent. Invariant after
//! [`Hierarchy::cycle`] has returned `None`: no class is its own ancestor.

use std::collections::{HashMap, HashSet};

use rulebound_core::{LabelError, LabelId, Labels, Literal, Rule};

use super::matrix::LabelMatrix;
use crate::dataset::complaint::Problem;

/// The classes that every example has: part of the hierarchy, excluded from the loss and the
/// metrics.
pub const ROOTS: [&str; 4] = ["root", "GO0003674", "GO0005575", "GO0008150"];

/// The most levels of a path: every prefix is a class, so a deep path takes memory quadratic in its
/// length.
const DEEPEST: usize = 64;

/// Classes and the edges between them.
#[derive(Clone, PartialEq, Debug, Default)]
pub(in crate::dataset) struct Hierarchy {
    names: Vec<String>,
    ids: HashMap<String, usize>,
    parents: Vec<Vec<usize>>,
    edges: Vec<(usize, usize)>,
    known: HashSet<(usize, usize)>,
}

impl Hierarchy {
    /// Reads a Clus list; bad entries are passed to `bad` with their byte offset.
    pub(in crate::dataset) fn from_list(
        list: &str,
        mut bad: impl FnMut(usize, &str, Problem),
    ) -> Self {
        let mut hierarchy = Self::default();
        let place = |entry: &str| entry.as_ptr() as usize - list.as_ptr() as usize;
        let entries = list.split(',').map(str::trim);
        let mut good: Vec<&str> = Vec::new();
        for entry in entries {
            if entry.split('/').any(str::is_empty) {
                bad(place(entry), entry, Problem::EmptyClass);
            } else if entry.split('/').count() > DEEPEST {
                bad(place(entry), entry, Problem::TooDeep { limit: DEEPEST });
            } else {
                good.push(entry);
            }
        }
        if is_edge_list(&good) {
            for (parent, child) in good.iter().filter_map(|entry| entry.split_once('/')) {
                hierarchy.edge(child, parent);
            }
            return hierarchy;
        }
        hierarchy.class(ROOTS[0]);
        for entry in good {
            hierarchy.path(entry);
        }
        hierarchy
    }

    fn path(&mut self, entry: &str) {
        let mut child = entry;
        while let Some((parent, _)) = child.rsplit_once('/') {
            self.edge(child, parent);
            child = parent;
        }
        if child != ROOTS[0] {
            self.edge(child, ROOTS[0]);
        }
    }

    /// The class with this name, added if it is new.
    pub(in crate::dataset) fn class(&mut self, name: &str) -> usize {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        self.ids.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        self.parents.push(Vec::new());
        self.names.len() - 1
    }

    /// Makes `parent` a parent of `child`; false if it already was.
    pub(in crate::dataset) fn edge(&mut self, child: &str, parent: &str) -> bool {
        let parent = self.class(parent);
        let child = self.class(child);
        let is_new = self.known.insert((child, parent));
        if is_new {
            self.parents[child].push(parent);
            self.edges.push((child, parent));
        }
        is_new
    }

    /// The edges from child to parent, in insertion order.
    pub(in crate::dataset) fn edges(&self) -> &[(usize, usize)] {
        &self.edges
    }

    pub(in crate::dataset) fn len(&self) -> usize {
        self.names.len()
    }

    /// The names of the classes, in order.
    pub(in crate::dataset) fn names(&self) -> &[String] {
        &self.names
    }

    /// The nearest ancestors of a class that are `wanted`: the first one on each path upwards.
    pub(in crate::dataset) fn nearest(
        &self,
        class: usize,
        wanted: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let mut found = Vec::new();
        let mut met = HashSet::new();
        let mut waiting: Vec<usize> = self.parents[class].iter().rev().copied().collect();
        while let Some(class) = waiting.pop() {
            if !met.insert(class) {
                continue;
            }
            match wanted(class) {
                true => found.push(class),
                false => waiting.extend(self.parents[class].iter().rev()),
            }
        }
        found
    }

    pub(in crate::dataset) fn find(&self, name: &str) -> Option<usize> {
        self.ids.get(name).copied()
    }

    /// Gives a row the class and all its ancestors; `waiting` is a scratch buffer.
    pub(in crate::dataset) fn insert(
        &self,
        labels: &mut LabelMatrix,
        row: usize,
        class: usize,
        waiting: &mut Vec<usize>,
    ) {
        waiting.push(class);
        while let Some(class) = waiting.pop() {
            if labels.insert(row, LabelId::new(class)) {
                waiting.extend(&self.parents[class]);
            }
        }
    }

    /// The names of a cycle from child to parent, if there is one; the first name is repeated at
    /// the end.
    pub(in crate::dataset) fn cycle(&self) -> Option<Vec<String>> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.len()];
        for start in 0..self.len() {
            if marks[start] != Mark::New {
                continue;
            }
            marks[start] = Mark::Open;
            // A class on the current path, and how many of its parents have been visited.
            let mut way = vec![(start, 0)];
            while let Some((class, next)) = way.last_mut() {
                let Some(&parent) = self.parents[*class].get(*next) else {
                    marks[*class] = Mark::Done;
                    way.pop();
                    continue;
                };
                *next += 1;
                match marks[parent] {
                    Mark::Done => {}
                    Mark::New => {
                        marks[parent] = Mark::Open;
                        way.push((parent, 0));
                    }
                    Mark::Open => {
                        let on_cycle = way.iter().skip_while(|(class, _)| *class != parent);
                        let on_cycle = on_cycle.map(|(class, _)| *class).chain([parent]);
                        return Some(on_cycle.map(|class| self.names[class].clone()).collect());
                    }
                }
            }
        }
        None
    }

    /// The classes as labels, in order of first occurrence.
    pub(in crate::dataset) fn labels(&self) -> Result<Labels, LabelError> {
        Labels::new(self.names.iter().cloned())
    }

    /// One rule `child -> parent` per edge.
    pub(in crate::dataset) fn rules(&self) -> Vec<Rule> {
        let rule = |&(child, parent): &(usize, usize)| {
            Rule::new(LabelId::new(parent), [Literal::positive(LabelId::new(child))])
        };
        self.edges.iter().map(rule).collect()
    }

    /// For each class, whether it is not one of the [`ROOTS`].
    pub(in crate::dataset) fn evaluated(&self) -> Vec<bool> {
        self.names.iter().map(|name| !ROOTS.contains(&name.as_str())).collect()
    }
}

fn is_edge_list(entries: &[&str]) -> bool {
    let pairs: Option<Vec<_>> = entries.iter().map(|entry| entry.split_once('/')).collect();
    let Some(pairs) = pairs else {
        return false;
    };
    if pairs.is_empty() || pairs.iter().any(|(_, child)| child.contains('/')) {
        return false;
    }
    let parents: HashSet<&str> = pairs.iter().map(|(parent, _)| *parent).collect();
    ROOTS.iter().any(|root| parents.contains(root))
        || pairs.iter().any(|(_, child)| parents.contains(child))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(list: &str) -> Hierarchy {
        Hierarchy::from_list(list, |_, entry, _| panic!("{entry}"))
    }

    fn rules(list: &str) -> Vec<String> {
        let hierarchy = read(list);
        let labels = hierarchy.labels().unwrap();
        hierarchy.rules().iter().map(|rule| rule.display(&labels).to_string()).collect()
    }

    #[test]
    fn both_spellings() {
        assert_eq!(
            rules("01/01/03, 01,02"),
            ["01/01/03 -> 01/01", "01/01 -> 01", "01 -> root", "02 -> root"]
        );
        assert_eq!(
            rules("root/a,a/b,root/c,c/b,a/b"),
            ["a -> root", "b -> a", "c -> root", "b -> c"]
        );
        assert_eq!(rules("a/b,a/c"), ["a/b -> a", "a -> root", "a/c -> a"]);
    }

    #[test]
    fn the_whole_cycle_is_reported() {
        assert_eq!(read("root/a,a/b,b/c,c/a").cycle().unwrap(), ["a", "c", "b", "a"]);
        assert_eq!(read("root/a,a/a").cycle().unwrap(), ["a", "a"]);
        assert_eq!(read("root/a,a/b,root/b,b/c,a/c").cycle(), None);
    }

    #[test]
    fn empty_names_are_reported_with_their_place() {
        let mut bad = Vec::new();
        Hierarchy::from_list("a,,b//c,d/", |place, entry, _| bad.push((place, entry.to_owned())));
        assert_eq!(bad, [(2, String::new()), (3, "b//c".into()), (8, "d/".into())]);
    }
}
