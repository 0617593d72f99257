//! Which module of a crate uses which, read from its sources.
//!
//! A module here is a file or folder directly under `src`. Every path from `crate::` or `super::`
//! that leads into another such module is an edge, in `use` lines and elsewhere; a name that the
//! root re-exports leads to where it is defined. Code compiled only for tests does not count, and
//! neither does the root itself, whose job is to know all modules.

mod token;
mod uses;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::path::{Path, PathBuf};

use uses::{Uses, uses};

/// The modules of a crate and where they use each other.
#[derive(Debug, Default)]
pub struct ModuleGraph {
    /// Module, module it uses, places (`file:line`) where it does.
    edges: BTreeMap<String, BTreeMap<String, Vec<String>>>,
}

/// One module uses another.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// The module that uses.
    pub from: String,
    /// The module that is used.
    pub to: String,
    /// Where, as `file:line` under `src`.
    pub places: Vec<String>,
}

/// Modules none of which can be understood, or moved, without the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Cycle {
    /// All modules that reach each other.
    pub members: Vec<String>,
    /// A shortest cycle through the first of them.
    pub edges: Vec<Edge>,
}

impl ModuleGraph {
    /// Reads all sources in a crate's `src`.
    pub fn read(src: &Path) -> Self {
        let mut files = Vec::new();
        collect(src, &mut files);
        files.sort();
        let read: Vec<(PathBuf, Vec<String>, Uses)> = files
            .into_iter()
            .map(|file| {
                let module = module(file.strip_prefix(src).unwrap());
                let found = uses(&std::fs::read_to_string(&file).unwrap(), &module);
                (file.strip_prefix(src).unwrap().to_path_buf(), module, found)
            })
            .collect();
        let tests: Vec<Vec<String>> = read
            .iter()
            .flat_map(|(_, module, found)| {
                found
                    .test_modules
                    .iter()
                    .map(|name| [&module[..], std::slice::from_ref(name)].concat())
            })
            .collect();
        let modules: BTreeSet<&String> =
            read.iter().filter_map(|(_, path, _)| path.first()).collect();
        let exported: BTreeMap<&String, &String> = read
            .iter()
            .filter(|(_, module, _)| module.is_empty())
            .flat_map(|(_, _, found)| &found.imports)
            .filter_map(|(name, path)| {
                Some((name, path.iter().find(|part| modules.contains(part))?))
            })
            .collect();
        let mut graph = Self::default();
        for (file, module, found) in &read {
            let Some(from) = module.first() else { continue };
            if tests.iter().any(|test| module.starts_with(test)) {
                continue;
            }
            for (name, line) in &found.roots {
                let to =
                    if modules.contains(name) { Some(name) } else { exported.get(name).copied() };
                if let Some(to) = to.filter(|to| *to != from) {
                    graph.add(from, to, format!("{}:{line}", file.display()));
                }
            }
        }
        graph
    }

    fn add(&mut self, from: &str, to: &str, place: String) {
        let places =
            self.edges.entry(from.to_owned()).or_default().entry(to.to_owned()).or_default();
        if !places.contains(&place) {
            places.push(place);
        }
    }

    /// All edges, by name.
    pub fn edges(&self) -> impl Iterator<Item = Edge> {
        self.edges.iter().flat_map(|(from, all)| {
            all.iter().map(|(to, places)| Edge {
                from: from.clone(),
                to: to.clone(),
                places: places.clone(),
            })
        })
    }

    /// One cycle for every set of modules that reach each other; empty if the graph is acyclic.
    pub fn cycles(&self) -> Vec<Cycle> {
        let mut cycles: Vec<Cycle> = Vec::new();
        for start in self.edges.keys() {
            if cycles.iter().any(|cycle| cycle.members.contains(start)) {
                continue;
            }
            let Some(edges) = self.way_back(start) else { continue };
            let reaches = |from: &String, to: &String| self.ways(from).contains_key(to);
            let members = self.edges.keys().filter(|other| {
                *other == start || (reaches(start, other) && reaches(other, start))
            });
            cycles.push(Cycle { members: members.cloned().collect(), edges });
        }
        cycles
    }

    /// The modules reachable from a module, each with its predecessor on a shortest path.
    fn ways<'a>(&'a self, start: &'a String) -> BTreeMap<&'a String, &'a String> {
        let mut before = BTreeMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(module) = queue.pop_front() {
            for next in self.edges.get(module).into_iter().flat_map(BTreeMap::keys) {
                if !before.contains_key(next) {
                    before.insert(next, module);
                    queue.push_back(next);
                }
            }
        }
        before
    }

    /// A shortest path from a module to itself.
    fn way_back(&self, start: &String) -> Option<Vec<Edge>> {
        let before = self.ways(start);
        let mut edges = Vec::new();
        let mut to = start;
        loop {
            let from = *before.get(to)?;
            let places = self.edges[from][to].clone();
            edges.push(Edge { from: from.clone(), to: to.clone(), places });
            if from == start {
                edges.reverse();
                return Some(edges);
            }
            to = from;
        }
    }
}

/// All `.rs` files in a folder and its subfolders.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The module path of a file; empty for the root.
fn module(file: &Path) -> Vec<String> {
    let mut parts: Vec<String> =
        file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if matches!(parts.last().map(String::as_str), Some("mod")) {
        parts.pop();
    }
    if parts == ["lib"] || parts == ["main"] {
        parts.clear();
    }
    parts
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} depend on each other; a shortest cycle:", self.members.join(", "))?;
        for Edge { from, to, places } in &self.edges {
            writeln!(f, "    {from} → {to}   {}", places.join(" "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
