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
