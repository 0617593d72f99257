//! The dependencies of the workspace: licences, sources, duplicate versions, abandoned crates.
#![allow(clippy::unwrap_used)]

use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

/// Licences that go with MIT OR Apache-2.0 without further duties for users of the binary.
const LICENCES: [&str; 11] = [
    "MIT",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    // Copyleft for changes to the files of that crate only; we change none.
    "MPL-2.0",
];

/// Crates of which the lock file has several versions, because others have not moved on yet.
const DUPLICATES: [&str; 5] = ["foldhash", "getrandom", "hashbrown", "r-efi", "syn"];

/// Crates that nobody maintains, and why they are here all the same.
const UNMAINTAINED: [(&str, &str); 1] = [(
    "paste",
    "a macro that runs while `pulp` is compiled; finished, and nothing of it is linked",
)];

fn packages() -> Vec<Value> {
    // Not offline: a build downloads nothing that only other platforms need.
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(rulebound_testing::repository())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// Whether a licence expression can be met with the licences above: one side of every OR.
fn is_allowed(expression: &str) -> bool {
    let plain = expression.replace(" WITH LLVM-exception", "").replace('/', " OR ");
    let plain = plain.replace(['(', ')'], " ");
    plain
        .split(" AND ")
        .all(|part| part.split(" OR ").any(|licence| LICENCES.contains(&licence.trim())))
}

#[test]
fn licences_are_read() {
    assert!(is_allowed("MIT OR GPL-3.0") && is_allowed("(MIT OR Apache-2.0) AND Unicode-3.0"));
    assert!(!is_allowed("MIT AND GPL-3.0") && !is_allowed("AGPL-3.0") && !is_allowed(""));
}

#[test]
fn every_licence_is_permissive() {
    for package in packages() {
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(is_allowed(licence), "{}: `{licence}`", package["name"]);
    }
}

#[test]
fn every_dependency_comes_from_one_registry() {
    let mut sources: Vec<String> = packages()
        .iter()
        .filter_map(|package| package["source"].as_str().map(str::to_owned))
        .collect();
    sources.sort();
    sources.dedup();
    assert_eq!(sources.len(), 1, "{sources:?}");
    assert!(sources[0].starts_with("registry+"), "{sources:?}");
}

#[test]
fn duplicate_versions_are_known() {
    let mut versions: BTreeMap<String, usize> = BTreeMap::new();
    for package in packages() {
        *versions.entry(package["name"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    let duplicates: Vec<&str> =
        versions.iter().filter(|(_, count)| **count > 1).map(|(name, _)| name.as_str()).collect();
    let unknown: Vec<_> = duplicates.iter().filter(|name| !DUPLICATES.contains(name)).collect();
    assert!(unknown.is_empty(), "more than one version of {unknown:?}");
    let gone: Vec<_> = DUPLICATES.iter().filter(|name| !duplicates.contains(name)).collect();
    assert!(gone.is_empty(), "only one version left of {gone:?}: take them off the list");
}

#[test]
fn unmaintained_crates_are_still_needed() {
    let names: Vec<String> =
        packages().iter().map(|package| package["name"].as_str().unwrap().to_owned()).collect();
    for (name, reason) in UNMAINTAINED {
        assert!(names.iter().any(|other| other == name), "{name} is gone; {reason}");
    }
}
