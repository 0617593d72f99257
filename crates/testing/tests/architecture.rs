//! The graphs drawn in ARCHITECTURE.md are those of the code: which crate uses which, and which room of a crate uses which.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use rulebound_testing::{ModuleGraph, repository};

fn text(path: &str) -> String {
    fs::read_to_string(repository().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The folders under `crates`.
fn crates() -> BTreeSet<String> {
    let entries = fs::read_dir(repository().join("crates")).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// The crates of the workspace that a crate is built with, as folders, without what only its tests use.
fn used(name: &str) -> BTreeSet<String> {
    let manifest = text(&format!("crates/{name}/Cargo.toml"));
    let (_, dependencies) = manifest.split_once("[dependencies]").unwrap();
    let dependencies = dependencies.split("\n[").next().unwrap();
    let names = dependencies.lines().filter_map(|line| {
        let package = line.split(['.', ' ', '=']).next()?;
        match package.strip_prefix("rulebound") {
            Some("") => Some("engine".to_owned()),
            Some(rest) => rest.strip_prefix('-').map(str::to_owned),
            None => None,
        }
    });
    names.collect()
}

/// The rows of the table of crates: folder, what it uses.
fn table() -> Vec<(String, BTreeSet<String>)> {
    let document = text("ARCHITECTURE.md");
    let rows = document.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| `crates/")?.split(" | ").collect();
        let name = cells[0].trim_end_matches('`').to_owned();
        let uses = cells[1].split(", ").map(str::trim).filter(|cell| *cell != "–");
        Some((name, uses.map(str::to_owned).collect()))
    });
    rows.collect()
}

#[test]
fn crates_use_what_the_table_says_and_only_crates_above() {
    let table = table();
    let named: BTreeSet<String> = table.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(named, crates());
    let mut above = BTreeSet::new();
    for (name, uses) in table {
        assert_eq!(uses, used(&name), "crates/{name}");
        assert!(uses.is_subset(&above), "crates/{name} uses a crate further down the table");
        above.insert(name);
    }
}

/// The rooms of each crate that are listed, in their order.
fn listed() -> BTreeMap<String, Vec<String>> {
    let document = text("ARCHITECTURE.md");
    let mut rooms: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut current = None;
    for line in document.lines() {
        let names = line.trim_start();
        let names = names.split("  ").next().unwrap();
        match line.len() - line.trim_start().len() {
            4 => {
                let name = names.strip_prefix("crates/").map(|name| name.trim_end_matches('/'));
                current = name.map(str::to_owned);
            }
            8 => {
                let Some(name) = &current else { continue };
                let names = names.split(' ').map(|room| room.trim_end_matches('/').to_owned());
                rooms.entry(name.clone()).or_default().extend(names);
            }
            _ => {}
        }
    }
    rooms
}

#[test]
fn rooms_use_only_rooms_above() {
    let listed = listed();
    assert!(listed.len() > 5, "{listed:?}");
    for (name, rooms) in &listed {
        let source = repository().join("crates").join(name).join("src");
        let files = fs::read_dir(&source).unwrap().map(|entry| entry.unwrap().path());
        let stems = files.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned());
        let is_room = |stem: &String| {
            let test = stem == "tests" || stem.ends_with("_tests");
            !test && !["lib", "main", "module"].contains(&stem.as_str())
        };
        let there: BTreeSet<String> = stems.filter(is_room).collect();
        let named: BTreeSet<String> = rooms.iter().cloned().collect();
        assert_eq!(named, there, "crates/{name}");
        assert_eq!(named.len(), rooms.len(), "crates/{name}: a room is listed twice");
        let place = |room: &str| rooms.iter().position(|other| other == room).unwrap();
        for edge in ModuleGraph::read(&source).edges() {
            assert!(
                place(&edge.to) < place(&edge.from),
                "crates/{name}: {} uses {}, which is listed below it ({})",
                edge.from,
                edge.to,
                edge.places.join(" ")
            );
        }
    }
}
