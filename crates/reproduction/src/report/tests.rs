//! Whole reports on folders filled by a test.

use rulebound_core::metrics::Metrics;

use super::*;
use crate::Subject;
use crate::reproduce::{Batch, ChosenOn, ENSEMBLE, Plan, Row, Seeds, SystemFacts};
use rulebound::dataset::{Builtin, Step};
use rulebound::train::{Configuration, Method, Stopping, Trainer};

fn request(targets: &[Target], seeds: usize) -> PlanRequest {
    PlanRequest {
        targets: targets.to_vec(),
        sets: vec![],
        systems: vec![],
        seeds,
        searches_epochs: false,
    }
}

/// A row whose metrics all have the same value.
fn row(batch: &Batch, seeds: Seeds, value: f64) -> Row {
    let together = matches!(seeds, Seeds::Ensemble(..));
    let metrics = Metrics::from_fn(|_| Some(value));
    Row {
        set: batch.subject.to_string(),
        method: format!("{}{}", batch.system, if together { ENSEMBLE } else { "" }),
        seeds,
        present: metrics,
        all: metrics,
        broken_rows: 0,
        delegated: Some(0.25),
        epochs: 20.0,
        seconds: 1.0,
        device: "cpu".to_owned(),
        configuration: batch.digest(),
        version: "0.1.0".to_owned(),
        facts: (!batch.system.is_network()).then(|| SystemFacts {
            seen: metrics,
            weights: batch.others.iter().map(|_| 0.25).collect(),
            chosen_on: ChosenOn::Validation,
        }),
    }
}

/// A folder with rows of all batches of some targets.
fn filled(targets: &[Target], seeds: usize) -> (tempfile::TempDir, Folder) {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::new(place.path());
    let mut rows = Vec::new();
    for batch in Plan::new(&request(targets, seeds)).unwrap().batches {
        let value = |seed: u64| 0.5 + 0.01 * seed as f64;
        rows.extend(batch.seeds().map(|seed| row(&batch, Seeds::One(seed), value(seed))));
        if batch.configuration.members > 1 {
            rows.push(row(&batch, Seeds::Ensemble(0, batch.seeds().end - 1), 0.6));
        }
    }
    folder.results().append(&rows).unwrap();
    (place, folder)
}

fn made(folder: &Folder, request: &PlanRequest) -> Document {
    let circumstances = Circumstances {
        command: "rulebound reproduce all --out run".to_owned(),
        version: "0.1.0".to_owned(),
        machine: vec![("processor".to_owned(), "a < b".to_owned())],
    };
    report(folder, request, &circumstances).unwrap()
}

fn ids(document: &Document) -> Vec<&str> {
    document.sections.iter().map(|section| section.id.as_str()).collect()
}

#[test]
fn every_target_has_its_section() {
    let (_place, folder) = filled(&Target::ALL, 2);
    let document = made(&folder, &request(&[], 2));
    let mut expected = Target::ALL.map(Target::name).to_vec();
    expected.push("about");
    assert_eq!(ids(&document), expected);
    for section in &document.sections[..Target::ALL.len()] {
        assert!(section.verdict.contains(" predicted rows break a rule."), "{}", section.verdict);
        let folded = section.blocks.iter().any(|block| matches!(block, Block::Folded(..)));
        assert!(!folded, "{} has nothing open", section.id);
    }
    let html = document.html();
    assert!(html.len() < 5_000_000 && html.contains("a &lt; b"));
    assert_eq!(html, made(&folder, &request(&[], 2)).html());
    let markdown = document.markdown("figures");
    for (name, svg) in &markdown.pictures {
        assert!(markdown.text.contains(&format!("(figures/{name})")), "{name}");
        assert!(svg.starts_with("<svg ") && svg.contains("<title>"), "{name}");
    }
    let mut names: Vec<&String> = markdown.pictures.iter().map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), markdown.pictures.len());
}

#[test]
fn what_is_not_there_is_named() {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::new(place.path());
    let document = made(&folder, &request(&[Target::Hmc], 2));
    assert_eq!(ids(&document), ["hmc", "about"]);
    let verdict = "There are no results yet.";
    assert_eq!(document.sections[0].verdict, verdict);
    let document = made(&folder, &request(&[], 2));
    assert_eq!(ids(&document), ["about"]);
    assert!(document.lead.contains(&Block::Note("There are no results yet.".to_owned())));

    let (_place, folder) = filled(&[Target::NineRectangles], 2);
    let document = made(&folder, &request(&[Target::NineRectangles], 4));
    let section = &document.sections[0];
    assert!(section.verdict.ends_with("Not all of it is there yet."));
    let open = Block::Folded(
        "Open: 2 pairs of set and method".to_owned(),
        vec![
            "nine-rectangles, ccn: seeds 2–3".to_owned(),
            "nine-rectangles, cm: seeds 2–3".to_owned(),
        ],
    );
    assert_eq!(section.blocks.last(), Some(&open));
    let note = "The model of CCN(h) with seed 0 cannot be read.".to_owned();
    assert!(section.blocks.contains(&Block::Note(note)), "{:?}", section.blocks);
}

#[test]
fn results_of_other_configurations_are_passed_over() {
    let (_place, folder) = filled(&[Target::NineRectangles], 2);
    let mut rows = folder.results().read().unwrap();
    rows.iter_mut().for_each(|row| row.configuration = "0".repeat(16));
    rows[0].set = "of somebody else".to_owned();
    folder.results().append(&rows).unwrap();
    let document = made(&folder, &request(&[], 2));
    assert_eq!(ids(&document), ["nine-rectangles", "about"]);
    // Two networks of each of two methods, 2,500 points each.
    assert!(document.sections[0].verdict.contains("0 of 10,000 predicted rows"));
    assert!(document.html().contains("Passed over in <code>results.csv</code>: 4 rows of other"));
}

#[test]
fn targets_that_were_not_asked_for_are_shown_where_they_are_whole() {
    let (_place, folder) = filled(&[Target::Hmc], 2);
    assert_eq!(ids(&made(&folder, &request(&[Target::Hmc], 2))), ["hmc", "about"]);
    let (_place, folder) = filled(&[Target::MovingRectangles], 2);
    let document = made(&folder, &request(&[Target::MovingRectangles], 2));
    assert_eq!(ids(&document), ["rectangles", "moving-rectangles", "about"]);
}

#[test]
fn damaged_logs_and_models_do_not_stop_the_rest() {
    let (place, folder) = filled(&[Target::Rectangles], 1);
    let models = place.path().join("models");
    std::fs::create_dir(&models).unwrap();
    let step = Step::INSIDE;
    let configuration = Configuration {
        hidden: vec![2],
        stopping: Stopping::Epochs(1),
        ..Configuration::default()
    };
    let data = Builtin::Rectangles.generate(step, 0).unwrap();
    let model = Trainer::new().configuration(configuration.clone()).fit(&data).unwrap();
    let subject = Subject::Synthetic(Builtin::Rectangles, Some(step));
    model.save(folder.model(subject, Method::Ccn, 0)).unwrap();
    std::fs::write(models.join("rectangles-9.post.0.rulebound"), "no model").unwrap();
    let document = made(&folder, &request(&[Target::Rectangles], 1));
    let html = document.html();
    assert!(html.contains("8 models of seed 0 cannot be read."));
    // Two classes of one network, with the layer and without it.
    assert_eq!(html.matches("<image ").count(), 4);

    let (place, folder) = filled(&[Target::Hmc], 2);
    let logs = place.path().join("logs");
    std::fs::create_dir(&logs).unwrap();
    std::fs::write(logs.join("diatoms.ccn.0-1.log"), "{\"epo").unwrap();
    let line = "{\"event\":\"epoch\",\"phase\":\"final\",\"seed\":0,\"epoch\":1,\"loss\":0.5}\n";
    std::fs::write(logs.join("seq_GO.ccn.0-1.log"), format!("{line}{line}")).unwrap();
    let html = made(&folder, &request(&[Target::Hmc], 2)).html();
    assert!(html.contains("There is no log that can be read of cellcycle_FUN, "));
    assert!(html.contains("seq_GO: loss") && !html.contains("diatoms: loss"));
}

/// Rows of the blend of two hierarchies, one above everything published and one below.
#[test]
fn a_blend_is_judged_by_what_is_published() {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::new(place.path());
    let asked = request(&[Target::HmcBlend], 2);
    let plan = Plan::new(&asked).unwrap();
    let mut rows = Vec::new();
    for (set, value) in [("seq_FUN", 0.3071), ("eisen_FUN", 0.307)] {
        let batch = plan.batches.iter().find(|batch| batch.subject.to_string() == set).unwrap();
        rows.push(row(batch, Seeds::One(0), value - 0.01));
        rows.push(row(batch, Seeds::One(1), value + 0.01));
        rows.push(row(batch, Seeds::Ensemble(0, 1), value));
        let facts = rows.last_mut().and_then(|row| row.facts.as_mut()).unwrap();
        facts.weights = vec![0.25, 0.75, 0.0];
    }
    folder.results().append(&rows).unwrap();
    let document = made(&folder, &asked);
    let section = &document.sections[0];
    let verdict = "The blend is above the best published AU(PRC) on 1 of 2 hierarchies. It is not \
                   on eisen_FUN.";
    assert!(section.verdict.starts_with(verdict), "{}", section.verdict);
    let table = section.blocks.iter().find_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    });
    let table = table.unwrap();
    let texts = |row: &[Cell]| {
        let cells: Vec<&str> = row.iter().map(|cell| cell.text.as_str()).collect();
        cells.join(" | ")
    };
    assert_eq!(
        texts(&table.rows[1]),
        "seq_FUN | 0.3071 ± 0.0141 | 0.307 | gradient boosting | +0.0001 | yes | 0.25 | 0.75 | 0.00"
    );
    let headers: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(headers[..2], ["set", "blend"]);
    assert_eq!(headers[6..], ["weight of ccn", "weight of forest", "weight of dhn"]);
}

#[test]
fn systems_are_ranked_by_their_own_runs() {
    let (_place, folder) = filled(&[Target::LcmcSystems, Target::Lcmc], 2);
    let document = made(&folder, &request(&[Target::LcmcSystems], 2));
    let section = document.sections.iter().find(|section| section.id == "lcmc-systems").unwrap();
    // CCN(h) has 0.505 everywhere, systems that run once 0.5: better where less is better, in four
    // metrics on 16 sets.
    let verdict = "With all five systems of the paper run here, CCN(h) has the best average rank in 2 \
                   of 6 metrics. Of our own runs, another system is better than CCN(h) in 64 of 96 \
                   pairs of set and metric.";
    assert!(section.verdict.starts_with(verdict), "{}", section.verdict);
    // Only cells that the paper has and ours do not give are named.
    let html = document.html();
    assert!(html.contains("Misprints, probably") && html.contains("0.103"));
}
