//! The examples of the README, run as they are printed.

use crate::scene::Scene;

/// The text of the README between two markers of a code block.
fn blocks(language: &str) -> Vec<String> {
    let readme = include_str!("../../../../README.md");
    let opening = format!("```{language}\n");
    readme
        .split(&opening)
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap().to_owned())
        .collect()
}

/// In a `console` block, `$ command` lines and what they print.
#[test]
fn every_command_prints_what_the_readme_says() {
    let rules = &blocks("rules")[0];
    let scores = &blocks("csv")[0];
    let scene = Scene::new(&[("body.rules", rules), ("scores.csv", scores)]);
    let mut commands = 0;
    for block in blocks("console") {
        for part in block.split("$ rulebound ").skip(1) {
            let (command, expected) = part.split_once('\n').unwrap();
            let run = scene.run(command);
            assert_eq!(run.code, 0, "{command}: {}", run.err);
            assert_eq!(run.out.trim_end(), expected.trim_end(), "{command}");
            commands += 1;
        }
    }
    assert!(commands >= 3);
}

/// A page that the README does not name is a page that nobody finds.
#[test]
fn every_page_is_named_in_the_readme() {
    let readme = include_str!("../../../../README.md");
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut pages = 0;
    for entry in std::fs::read_dir(docs).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".md") {
            assert!(readme.contains(&format!("(docs/{name})")), "the README does not link {name}");
            pages += 1;
        }
    }
    assert!(pages > 20);
}

/// The paper and its data sets can be found.
#[test]
fn the_paper_and_the_data_sets_are_cited() {
    let readme = include_str!("../../../../README.md");
    for part in ["10.1613/jair.1.12850", "arXiv:2103.13427", "rulebound data list"] {
        assert!(readme.contains(part), "{part}");
    }
    let list = Scene::new(&[]).json("data list --data-dir nowhere --json");
    let sets = list["catalogue"].as_array().unwrap();
    assert_eq!(sets.len(), 36);
    assert!(sets.iter().all(|set| set["published"].as_str().unwrap().contains("20")));
}

/// How to build it, and where that was tried.
#[test]
fn builds_and_platforms_are_described() {
    let readme = include_str!("../../../../README.md");
    for part in ["--locked", "--profile dist", "cargo vendor", "docs/platforms.md"] {
        assert!(readme.contains(part), "{part}");
    }
    let manifest = include_str!("../../../../Cargo.toml");
    let dist = manifest.split("[profile.dist]").nth(1).unwrap();
    assert!(dist.contains("strip = true") && dist.contains("lto = \"thin\""));
    let platforms = include_str!("../../../../docs/platforms.md");
    for part in ["Linux x86-64", "x86_64-pc-windows-msvc", "aarch64-apple-darwin"] {
        assert!(platforms.contains(part), "{part}");
    }
}
