//! What all sections share: their introduction, missing results, violations.

use super::document::{Block, Section};
use super::evidence::Evidence;
use super::number::{count, thousands};
use crate::reproduce::{PlanRequest, Target};

/// The title of a target for readers.
pub(super) fn title(target: Target) -> &'static str {
    match target {
        Target::Rectangles => "Two rectangles",
        Target::MovingRectangles => "Two rectangles, one moving",
        Target::NineRectangles => "Nine rectangles",
        Target::ThreeClasses => "Three classes",
        Target::MovingThreeClasses => "Three classes, one rectangle moving",
        Target::Hmc => "Twenty hierarchies",
        Target::HmcAblation => "Hierarchies without loss and layer",
        Target::Lcmc => "Sixteen sets with rules",
        Target::LcmcAblation => "Sixteen sets without loss and layer",
        Target::HmcSystems => "Twenty hierarchies: all systems run here",
        Target::LcmcSystems => "Sixteen sets: all systems run here",
        Target::HmcBlend => "Twenty hierarchies: networks and trees together",
        Target::LcmcBlend => "Sixteen sets: networks and trees together",
    }
}

/// The section of a target: what it shows, then its own blocks, then missing results.
pub(super) fn section(
    evidence: &Evidence<'_>,
    target: Target,
    verdict: String,
    blocks: Vec<Block>,
) -> Section {
    let mut all = vec![
        Block::Text(format!("`{target}`: {}. In the paper: {}.", target.what(), target.place())),
        Block::Code(command(target, evidence.request)),
    ];
    all.extend(blocks);
    let open = evidence.open(target);
    if !open.is_empty() {
        let title = format!("Open: {} of set and method", count(open.len(), "pair"));
        all.push(Block::Folded(title, open.clone()));
    }
    let mut sentences = vec![verdict];
    sentences.extend(broken(evidence, target));
    let has_any = !evidence.subjects(target).is_empty();
    if has_any && !open.is_empty() {
        sentences.push("Not all of it is there yet.".to_owned());
    }
    Section {
        id: target.name().to_owned(),
        title: title(target).to_owned(),
        verdict: sentences.join(" "),
        blocks: all,
    }
}

/// The command that produces the results of a target.
fn command(target: Target, request: &PlanRequest) -> String {
    let mut words = format!("rulebound reproduce {target} --seeds {}", request.seeds);
    let names: Vec<String> = target.subjects().iter().map(ToString::to_string).collect();
    let sets: Vec<&str> =
        request.sets.iter().filter(|set| names.contains(set)).map(String::as_str).collect();
    if !sets.is_empty() {
        words += &format!(" --sets {}", sets.join(","));
    }
    let names: Vec<String> = target.systems().iter().map(ToString::to_string).collect();
    let systems = request.systems.iter().filter(|system| names.contains(system));
    let systems: Vec<&str> = systems.map(String::as_str).collect();
    if !systems.is_empty() {
        words += &format!(" --systems {}", systems.join(","));
    }
    if request.searches_epochs {
        words += " --search-epochs";
    }
    words + " --out DIR"
}

/// How many predictions break a rule, if there are any predictions.
fn broken(evidence: &Evidence<'_>, target: Target) -> Option<String> {
    let (rows, broken) = evidence.broken(target);
    if rows == 0 {
        return None;
    }
    let verb = if broken == 1 { "breaks" } else { "break" };
    Some(format!("{} of {} predicted rows {verb} a rule.", thousands(broken), thousands(rows)))
}
