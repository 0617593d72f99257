//! The `--help` page of every command, each a file in `tests/snapshots/`.
//!
//! The commands are found by reading the help itself, so a new command has a
//! snapshot or this test fails. `INSTA_UPDATE=always` rewrites them.

use assert_cmd::Command;
use std::collections::BTreeSet;
use std::path::Path;

/// Width of the page, whatever the terminal of the tester.
const COLUMNS: &str = "100";

fn help(command: &[String]) -> String {
    let output = Command::cargo_bin("rulebound")
        .unwrap()
        .env("COLUMNS", COLUMNS)
        .args(command)
        .arg("--help")
        .output()
        .unwrap();
    assert!(output.status.success(), "{command:?}");
    assert!(output.stderr.is_empty(), "{command:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The names listed under `Commands:`, without `help`, which is clap's own.
fn subcommands(help: &str) -> Vec<String> {
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        // Descriptions that go on are indented further than names.
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// A command, then its subcommands, each with its help.
fn walk(command: Vec<String>, pages: &mut Vec<(String, String)>) {
    let page = help(&command);
    let inner = subcommands(&page);
    let name = std::iter::once("rulebound".to_owned()).chain(command.iter().cloned());
    pages.push((name.collect::<Vec<_>>().join("-"), page));
    for name in inner {
        walk(command.iter().cloned().chain([name]).collect(), pages);
    }
}

#[test]
fn every_page_is_its_snapshot() {
    let mut pages = Vec::new();
    walk(Vec::new(), &mut pages);
    assert!(pages.len() > 15, "only {} commands found", pages.len());
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, page) in &pages {
            insta::assert_snapshot!(name.as_str(), page);
        }
    });

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let files = std::fs::read_dir(folder).unwrap();
    let kept: BTreeSet<String> = files
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".snap").map(str::to_owned)
        })
        .collect();
    let found: BTreeSet<String> = pages.into_iter().map(|(name, _)| name).collect();
    let left: Vec<&String> = kept.difference(&found).collect();
    assert!(left.is_empty(), "snapshots of commands that are gone, to be removed: {left:?}");
}
