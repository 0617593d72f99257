//! In no crate do modules depend on each other in a cycle.

use rulebound_testing::{ModuleGraph, repository};

/// Fails with every cycle of modules in the crate.
fn assert_no_cycle(name: &str) {
    let graph = ModuleGraph::read(&repository().join("crates").join(name).join("src"));
    let cycles: Vec<String> = graph.cycles().iter().map(ToString::to_string).collect();
    assert!(cycles.is_empty(), "in crates/{name}/src:\n{}", cycles.join("\n"));
    // A reader that finds no edge at all would find no cycle either.
    assert!(graph.edges().count() > 0, "no module of crates/{name} uses another");
}

#[test]
fn core() {
    assert_no_cycle("core");
}

#[test]
fn engine() {
    assert_no_cycle("engine");
}

#[test]
fn cli() {
    assert_no_cycle("cli");
}

/// Also covers crates that are added later.
#[test]
fn all_others() {
    for entry in std::fs::read_dir(repository().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !["core", "engine", "cli"].contains(&name.as_str()) {
            assert_no_cycle(&name);
        }
    }
}
