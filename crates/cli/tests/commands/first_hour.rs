//! `docs/first-hour.md`: every command is run as printed, in order, and prints what the page shows.
//!
//! After a change of outputs, `UPDATE_DOCS=1 cargo test --workspace --test commands first_hour`
//! writes what the commands print now into the page; read the difference before you commit it.

use rulebound_testing::Scene;
use std::path::{Path, PathBuf};
use std::process::Command;

const OPENING: &str = "```console\n";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder with the page's data.
fn scene() -> Scene {
    let data = repository().join("docs/first-hour");
    let files = ["visits.csv", "visits.rules", "new.csv"];
    let texts = files.map(|name| std::fs::read_to_string(data.join(name)).unwrap());
    let files: Vec<(&str, &str)> =
        files.iter().zip(&texts).map(|(name, text)| (*name, text.as_str())).collect();
    Scene::with(&files)
}

/// What a command prints in a terminal: both streams, in the order in which they are written.
fn printed(scene: &Scene, command: &str) -> String {
    let program = assert_cmd::cargo::cargo_bin("rulebound");
    let own = program.parent().unwrap().display();
    let path = format!("{own}:{}", std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .current_dir(scene.root())
        .env("PATH", path)
        .env("CUDA_VISIBLE_DEVICES", "")
        .env("COLUMNS", "100")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{command}: {text}");
    without_times(&text)
}

/// The text with ` in 1.2 s` replaced by ` in … s`: times differ from run to run.
fn without_times(text: &str) -> String {
    let mut parts = text.split(" in ");
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let number = part.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(part.len());
        let is_time = number > 0 && part[number..].starts_with(" s");
        let rest = if is_time { &part[number..] } else { part };
        result += if is_time { " in …" } else { " in " };
        result += rest;
    }
    result
}

#[test]
fn times_are_left_out() {
    let text = "trained in 12.5 s, in 3 rows; 4 in 5 seconds";
    assert_eq!(without_times(text), "trained in … s, in 3 rows; 4 in … seconds");
}

#[test]
fn every_command_prints_what_the_page_shows() {
    let path = repository().join("docs/first-hour.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let scene = scene();
    let mut parts = page.split(OPENING);
    let mut current = parts.next().unwrap().to_owned();
    let mut commands = 0;
    for part in parts {
        let (block, prose) = part.split_once("```").unwrap();
        current += OPENING;
        for command in format!("\n{block}").split("\n$ ").skip(1) {
            // A command that ends in `\` continues on the next line.
            let lines = 1 + command.lines().take_while(|line| line.ends_with('\\')).count();
            let command = command.lines().take(lines).collect::<Vec<_>>().join("\n");
            current += &format!("$ {command}\n{}", printed(&scene, &command));
            commands += 1;
        }
        current += "```";
        current += prose;
    }
    assert!(commands >= 10, "{commands} commands");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &current).unwrap();
        return;
    }
    for (number, (expected, found)) in page.lines().zip(current.lines()).enumerate() {
        assert_eq!(found, expected, "docs/first-hour.md, line {}", number + 1);
    }
    assert_eq!(current.len(), page.len());
}
