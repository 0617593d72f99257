//! Everything that the documents for contributors name exists.
#![allow(clippy::unwrap_used)]

use rulebound_testing::{Document, repository};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn contributing_names_what_is_there() {
    let document = Document::read(&repository(), "CONTRIBUTING.md");
    assert_eq!(document.missing_paths(), Vec::<String>::new());
    assert_eq!(document.missing_items(), Vec::<String>::new());
}

#[test]
fn the_architecture_is_that_of_the_code() {
    let document = Document::read(&repository(), "ARCHITECTURE.md");
    assert_eq!(document.missing_modules(), Vec::<String>::new());
    assert_eq!(document.missing_paths(), Vec::<String>::new());
}

fn text(name: &str) -> String {
    fs::read_to_string(repository().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What is between two texts.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start:?}"));
    rest.split_once(end).map_or(rest, |(inside, _)| inside)
}

fn names_in(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(repository().join(folder)).unwrap();
    let stem = |path: PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    entries.map(|entry| stem(entry.unwrap().path())).collect()
}

fn words<'a>(words: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    words.into_iter().map(str::to_owned).collect()
}

/// Those that exist are those that are named, wherever they are named.
#[test]
fn fuzz_targets_are_named_everywhere() {
    let targets = names_in("fuzz/fuzz_targets");
    let manifest = text("fuzz/Cargo.toml");
    let built = manifest.split("[[bin]]").skip(1).map(|bin| between(bin, "name = \"", "\""));
    assert_eq!(words(built), targets, "fuzz/Cargo.toml");
    let makefile = text("Makefile");
    let run = between(&makefile, "for target in ", ";").split_whitespace();
    assert_eq!(words(run), targets, "Makefile");
    let contributing = text("CONTRIBUTING.md");
    let section = between(&contributing, "\n## Fuzz\n", "\n## ");
    let named = section.split('`').skip(1).step_by(2).filter(|name| !name.contains(['/', '.']));
    assert_eq!(words(named.filter(|name| *name != "Makefile")), targets, "CONTRIBUTING.md");
    assert_eq!(names_in("fuzz/seeds"), targets, "fuzz/seeds");
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        if path.is_dir() && path.file_name().is_some_and(|name| name != "tests") {
            sources(&path, found);
        } else if is_source {
            found.push(path);
        }
    }
}

/// The table of what is unsafe has a row for every file that has some, and no row without.
#[test]
fn unsafe_code_is_in_the_table() {
    let root = repository();
    let mut files = Vec::new();
    for entry in fs::read_dir(root.join("crates")).unwrap() {
        let source = entry.unwrap().path().join("src");
        if source.is_dir() {
            sources(&source, &mut files);
        }
    }
    let begins = |line: &str| {
        let code = line.split("//").next().unwrap_or_default();
        ["unsafe {", "unsafe fn", "unsafe impl"].iter().any(|word| code.contains(word))
    };
    let is_unsafe = |path: &&PathBuf| fs::read_to_string(path).unwrap().lines().any(begins);
    let found = files.iter().filter(is_unsafe);
    let found = found.map(|path| path.strip_prefix(&root).unwrap().display().to_string());
    let found: Vec<String> = found.collect();
    assert!(found.len() > 10, "{found:?}");
    let reliability = text("docs/reliability.md");
    let table = between(&reliability, "### Unsafe code\n", "\n\n");
    let rows: Vec<&str> = table.lines().skip(2).map(|row| between(row, "| `", "`")).collect();
    let is_in = |file: &str, row: &str| match row.ends_with('/') {
        true => file.starts_with(row),
        false => file == row,
    };
    let has_row = |file: &&String| rows.iter().any(|row| is_in(file, row));
    let missing: Vec<&String> = found.iter().filter(|file| !has_row(file)).collect();
    assert!(missing.is_empty(), "no row in docs/reliability.md: {missing:?}");
    let has_file = |row: &&&str| found.iter().any(|file| is_in(file, row));
    let empty: Vec<&&str> = rows.iter().filter(|row| !has_file(row)).collect();
    assert!(empty.is_empty(), "rows of docs/reliability.md without unsafe code: {empty:?}");
}
