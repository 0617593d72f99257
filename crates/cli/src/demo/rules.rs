//! `rulebound demo rules`: what rules do to scores, on three built-in images.

use crate::failure::Failure;
use crate::screen;
use clap::Args;
use rulebound::explain::Explanation;
use rulebound::scores::ScoreKind;
use rulebound_core::{LabelId, Program, Thresholds, logical_violations};
use serde_json::json;
use std::fmt::Write;
use std::sync::OnceLock;

/// Show what rules do to the scores of three images, and why
///
/// Five rules about radiology images and the scores of a network that does not
/// know them: what the network predicts, how the rules change it, and why.
#[derive(Args)]
pub struct Rules {
    /// Print the scores as JSON
    #[arg(long)]
    pub json: bool,
}

const RULES: &str = "\
stomach -> gastrointestinalSystem
upperAbdomen -> abdomen
middleAbdomen -> abdomen
lowerAbdomen -> abdomen
abdomen, not middleAbdomen, not upperAbdomen -> lowerAbdomen
";

/// Scores of three images, by class.
const SCORES: [(&str, [f64; 3]); 6] = [
    ("stomach", [0.92, 0.08, 0.12]),
    ("gastrointestinalSystem", [0.31, 0.22, 0.57]),
    ("abdomen", [0.88, 0.35, 0.91]),
    ("upperAbdomen", [0.71, 0.64, 0.15]),
    ("middleAbdomen", [0.12, 0.09, 0.23]),
    ("lowerAbdomen", [0.05, 0.11, 0.34]),
];

impl Rules {
    pub fn run(&self) -> Result<(), Failure> {
        match self.json {
            true => {
                let (program, rows) = images();
                let scores = |row: &Explanation<'static>, of: ScoreOf| -> Vec<f64> {
                    program.labels().ids().map(|label| of(row, label)).collect()
                };
                let image = |row| {
                    json!({
                        "network": scores(row, Explanation::network_score),
                        "scores": scores(row, Explanation::score),
                    })
                };
                Ok(screen::json(&json!({
                    "rule_texts": RULES.lines().collect::<Vec<_>>(),
                    "class_names": program.labels().names().collect::<Vec<_>>(),
                    "images": rows.iter().map(image).collect::<Vec<_>>(),
                }))?)
            }
            false => Ok(screen::print(&demonstration())?),
        }
    }
}

/// A score of one row.
type ScoreOf = fn(&Explanation<'static>, LabelId) -> f64;

/// The rules, and the scores of the images under them.
fn images() -> (&'static Program, [Explanation<'static>; 3]) {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| match RULES.parse::<Program>() {
        Ok(program) => program,
        Err(errors) => unreachable!("the built-in rules are checked by a test: {errors}"),
    });
    let scores = |image: usize| -> Vec<f64> {
        let of = |name: &str| SCORES.iter().find(|(class, _)| *class == name);
        program.labels().names().map(|name| of(name).map_or(0.0, |(_, s)| s[image])).collect()
    };
    let halves = Thresholds::half(program.labels().len());
    let explained = |image| {
        let kind = ScoreKind::Probability;
        match Explanation::new(program, halves.clone(), kind, scores(image), false) {
            Ok(explanation) => explanation,
            Err(error) => unreachable!("five rules need no search: {error}"),
        }
    };
    (program, [0, 1, 2].map(explained))
}

fn demonstration() -> String {
    let (program, rows) = images();
    let mut text = format!("Five rules:\n\n{}\n", indented(RULES));
    text += &table("The scores of the network:", program, &rows, Explanation::network_score);
    text += &table("The scores under the rules:", program, &rows, Explanation::score);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "Why lowerAbdomen is predicted for image 3:\n");
    let label = program.labels().find("lowerAbdomen");
    let labels: Vec<LabelId> = label.into_iter().collect();
    text + &indented(&rows[2].tree(&labels, 20))
        + &requirement()
        + "\nTry it on your own scores: rulebound apply --help\n"
}

/// What a requirement does to the scores of a traffic light.
fn requirement() -> String {
    const REQUIREMENT: &str = "exclusive(red, amber, green)";
    let program = match REQUIREMENT.parse::<Program>() {
        Ok(program) => program,
        Err(errors) => unreachable!("the built-in requirement is checked by a test: {errors}"),
    };
    let halves = Thresholds::half(3);
    let scores = vec![0.58, 0.1, 0.91];
    let row = match Explanation::new(&program, halves, ScoreKind::Probability, scores, false) {
        Ok(row) => row,
        Err(error) => unreachable!("one group needs no search: {error}"),
    };
    let red: Vec<LabelId> = program.labels().find("red").into_iter().collect();
    format!(
        "\nA requirement has no head; what the model is surest of stays. {REQUIREMENT}:\n\n{}",
        indented(&row.tree(&red, 20))
    )
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// A table of scores that marks the predicted classes, with the number of broken
/// rules below.
fn table<'p>(
    title: &str,
    program: &Program,
    rows: &[Explanation<'p>],
    score: impl Fn(&Explanation<'p>, LabelId) -> f64,
) -> String {
    let mut text = format!("{title}\n\n  {:24}", "");
    for image in 1..=rows.len() {
        let _ = write!(text, "  image {image}");
    }
    text.push('\n');
    for label in program.labels().ids() {
        let _ = write!(text, "  {:24}", program.labels().name(label));
        for row in rows {
            let score = score(row, label);
            let _ = write!(text, "  {score:4.2} {} ", if score > 0.5 { "✓" } else { " " });
        }
        text.push('\n');
    }
    let _ = write!(text, "  {:24}", "rules broken");
    for row in rows {
        let predicted: Vec<bool> =
            program.labels().ids().map(|label| score(row, label) > 0.5).collect();
        let _ = write!(text, "  {:4}   ", logical_violations(program, &predicted).count());
    }
    text + "\n\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_network_breaks_rules_and_rulebound_does_not() {
        let text = demonstration();
        let broken: Vec<&str> = text.lines().filter(|line| line.contains("rules broken")).collect();
        let counts = |line: &str| -> Vec<usize> {
            line.split_whitespace().filter_map(|word| word.parse().ok()).collect()
        };
        assert!(counts(broken[0]).iter().all(|count| *count > 0), "{text}");
        assert_eq!(counts(broken[1]), [0, 0, 0]);
    }
}
