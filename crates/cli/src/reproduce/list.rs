//! The targets that can be reproduced, and the runs they need.

use crate::failure::Failure;
use crate::screen;
use crate::text::count;
use rulebound::device::Device;
use rulebound_reproduction::{Folder, Known, Pace, Plan, PlanRequest, Target};
use serde_json::{Value, json};
use std::fmt::Write;

/// The targets, where they are in the paper, and how long they take on this machine.
pub fn targets(request: &PlanRequest, device: &Device, json: bool) -> Result<(), Failure> {
    // A name that no target has is an error; one that only some have is fine.
    Plan::new(request)?;
    let mut listed = Vec::new();
    let mut pace = None;
    for &target in &request.targets {
        let subjects: Vec<String> = target.subjects().iter().map(ToString::to_string).collect();
        let mut sets = request.sets.clone();
        sets.retain(|set| subjects.contains(set));
        if sets.is_empty() && !request.sets.is_empty() {
            continue;
        }
        let known: Vec<String> = target.systems().iter().map(ToString::to_string).collect();
        let mut systems = request.systems.clone();
        systems.retain(|system| known.contains(system));
        if systems.is_empty() && !request.systems.is_empty() {
            continue;
        }
        let part = PlanRequest { targets: vec![target], sets, systems, ..request.clone() };
        let plan = Plan::new(&part)?;
        let pace = match pace {
            Some(pace) => pace,
            None => {
                *pace.insert(Pace::measure(device).map_err(crate::failure::reproduce::from_probe)?)
            }
        };
        listed.push((target, plan.cells(), pace.seconds(&plan, rayon::current_num_threads())));
    }
    if json {
        let entry = |&(target, cells, seconds): &(Target, usize, f64)| {
            json!({
                "target": target.name(),
                "what": target.what(),
                "place": target.place(),
                "networks": cells,
                "seconds": seconds.round(),
            })
        };
        let targets = listed.iter().map(entry).collect::<Value>();
        return Ok(screen::json(&json!({ "targets": targets }))?);
    }
    let mut text = String::new();
    let width = Target::ALL.map(|target| target.name().len()).into_iter().max().unwrap_or(0);
    for (target, cells, seconds) in listed {
        let name = target.name();
        let (cells, time) = (count(cells, "run"), duration(seconds));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:width$}  {}", target.what());
        let _ = writeln!(text, "{:width$}  {}", "", target.place());
        let _ = writeln!(text, "{:width$}  {cells}, about {time} on {device}", "");
    }
    let _ = writeln!(
        text,
        "\nTimes are estimated from one second of training on this machine. Targets share runs, so \
         `all` takes less than the sum.\nThe time for a part: add --sets and --seeds, for example \
         `rulebound reproduce hmc --sets derisi_FUN --seeds 1 --list`."
    );
    Ok(screen::print(&text)?)
}

/// What would be trained.
pub fn cells(plan: &Plan, folder: Option<&Folder>, json: bool) -> Result<(), Failure> {
    let known = match folder {
        None => Known::from_rows(&[]),
        Some(folder) => {
            let rows = folder.results().read();
            Known::from_rows(
                &rows.map_err(|error| crate::failure::reproduce::from_run(error, folder))?,
            )
        }
    };
    if json {
        let entries = plan.batches.iter().flat_map(|batch| {
            let is_done = known.has_all(batch);
            batch.seeds().map(move |seed| {
                json!({
                    "set": batch.subject.to_string(),
                    "method": batch.system.to_string(),
                    "seed": seed,
                    "configuration": batch.digest(),
                    "done": is_done,
                })
            })
        });
        let runs = entries.collect::<Value>();
        return Ok(screen::json(&json!({ "runs": runs }))?);
    }
    let mut text = String::new();
    let mut open = 0;
    for batch in &plan.batches {
        let is_done = known.has_all(batch);
        open += if is_done { 0 } else { batch.configuration.members };
        let _ = writeln!(text, "{batch}{}", if is_done { "  done" } else { "" });
    }
    let cells = count(plan.cells(), "run");
    let _ = writeln!(text, "{cells}, {open} to train");
    Ok(screen::print(&text)?)
}

/// A duration in a readable unit.
fn duration(seconds: f64) -> String {
    match seconds {
        ..90.0 => format!("{:.0} s", seconds.max(1.0)),
        90.0..5400.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn durations_have_readable_units() {
        assert_eq!(duration(0.2), "1 s");
        assert_eq!(duration(89.6), "90 s");
        assert_eq!(duration(600.0), "10 min");
        assert_eq!(duration(9000.0), "2.5 h");
    }
}
