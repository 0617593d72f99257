//! The list of points, and the summary of trials.

use crate::failure::Failure;
use crate::screen;
use crate::text::{count, thousands};
use rulebound::dataset::{Dataset, Pipeline, Split};
use rulebound::train::{Monitor, TrainError};
use rulebound::tune::{Point, Trial, rank};
use rulebound_network::Shape;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// The most points shown at the end.
const SHOWN: usize = 10;

const HEADER: &str = "    hidden  learning rate  dropout  weight decay   batch";

fn cells(point: &Point) -> String {
    let Point { hidden, learning_rate, dropout, weight_decay, batch } = point;
    format!("{hidden:>10}  {learning_rate:>13}  {dropout:>7}  {weight_decay:>12}  {batch:>6}")
}

/// The points, with the parameters of their networks.
pub fn list(data: &Dataset, points: &[Point], json: bool) -> Result<(), Failure> {
    let train = data.split(Split::Train).unwrap_or_default();
    // The width of the encoding does not depend on the rows it is fitted on.
    let pipeline = Pipeline::fit(data, train.take(1)).map_err(TrainError::from)?;
    let parameters = |point: &Point| {
        let hidden = vec![point.hidden; Point::LAYERS];
        Shape { inputs: pipeline.width(), hidden, outputs: data.classes().len() }.parameters()
    };
    if json {
        let entry = |point: &Point| {
            let mut value = json!(point);
            value["parameters"] = json!(parameters(point));
            value
        };
        let list: Vec<Value> = points.iter().map(entry).collect();
        screen::json(&json!({ "count": points.len(), "points": list }))?;
        return Ok(());
    }
    let mut text = format!("{HEADER}      parameters\n");
    for point in points {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}  {:>14}", cells(point), thousands(parameters(point) as u64));
    }
    let _ = writeln!(text, "{}; nothing was trained", count(points.len(), "point"));
    screen::print(&text)?;
    Ok(())
}

/// The best trials, and how to train the best one.
pub fn print_summary(
    mut trials: Vec<Trial>,
    monitor: Monitor,
    members: usize,
    out: &Path,
    command: impl Fn(&Point) -> String,
    json: bool,
) -> Result<(), Failure> {
    rank(&mut trials, monitor);
    let best = trials.first().filter(|trial| trial.measured.is_some());
    let command = best.map(|trial| command(&trial.point));
    if json {
        let entry = |trial: &Trial| {
            let mut value = json!(trial);
            value["diverged"] = json!(trial.measured.is_none());
            value
        };
        screen::json(&json!({
            "out": out.display().to_string(),
            "monitor": monitor.name(),
            "members": members,
            "trials": trials.iter().map(entry).collect::<Vec<_>>(),
            "command": command,
        }))?;
        return Ok(());
    }
    let measured = trials.iter().filter(|trial| trial.measured.is_some()).count();
    let mut text = String::new();
    let mean = if members > 1 { format!(", mean of {members} networks") } else { String::new() };
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{} of {}, ranked by {} on the validation rows{mean}",
        if measured > SHOWN { format!("the best {SHOWN}") } else { "all".to_owned() },
        count(trials.len(), "point"),
        monitor.name(),
    );
    let _ = writeln!(text, "{HEADER}  {:>17}  best epoch", monitor.name());
    for trial in trials.iter().take(SHOWN) {
        let (value, epochs) = match &trial.measured {
            None => ("diverged".to_owned(), String::new()),
            Some(measured) => {
                let deviation = measured.deviation.map(|deviation| format!(" ± {deviation:.5}"));
                let value = format!("{:.5}{}", measured.value, deviation.unwrap_or_default());
                let epochs: Vec<String> =
                    measured.best_epochs.iter().map(ToString::to_string).collect();
                (value, epochs.join(" "))
            }
        };
        let line = format!("{}  {value:>17}  {epochs}", cells(&trial.point));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if measured < trials.len() {
        let _ = writeln!(text, "{} diverged", count(trials.len() - measured, "point"));
    }
    let _ = writeln!(text, "all trials are in {}", out.display());
    match command {
        Some(command) => {
            let _ = writeln!(text, "to train the best one:\n  {command}");
        }
        None => text.push_str("every point diverged: try lower --learning-rates\n"),
    }
    screen::summary(&text)?;
    Ok(())
}
