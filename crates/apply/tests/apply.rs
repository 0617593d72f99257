//! Applying rules to a table: its outputs appear together or not at all.
#![allow(clippy::unwrap_used)]

use rulebound_apply::apply::{Applier, ApplySummary, BatchError, ScoreKind, ScoreSource, apply};
use rulebound_apply::tables::PredictionPaths;
use rulebound_core::{ConstraintLayer, Delegate, Program, Thresholds};
use rulebound_testing::Scene;

fn run(scene: &Scene, paths: &PredictionPaths) -> Result<ApplySummary, String> {
    let program: Program = "a -> b".parse().unwrap();
    let thresholds = Thresholds::uniform(2, 0.5).unwrap();
    let source = ScoreSource {
        scores: scene.path("s.csv"),
        kind: ScoreKind::Probability,
        id_column: None,
        names: None,
        ontology: None,
    };
    apply(&program, &thresholds, &source, paths, |_| true).map_err(|error| error.to_string())
}

fn paths(scene: &Scene) -> PredictionPaths {
    PredictionPaths {
        decisions: Some(scene.path("d.csv")),
        delegates: Some(scene.path("w.csv")),
        ..PredictionPaths::new(scene.path("o.csv"))
    }
}

#[test]
fn all_outputs_appear() {
    let scene = Scene::with(&[("s.csv", "a,b\n0.9,0.2\n")]);
    assert_eq!(run(&scene, &paths(&scene)).unwrap().changed_scores, 1);
    assert_eq!(scene.text("o.csv"), "a,b\n0.9,0.9\n");
    assert_eq!(scene.text("d.csv"), "a,b\n1,1\n");
    assert_eq!(scene.text("w.csv"), "a,b\na,a\n");
}

/// The scores once appeared although the decisions did not fit on the disk.
#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_completed_keeps_the_others_away() {
    let scene = Scene::with(&[("s.csv", "a,b\n0.9,0.2\n"), ("o.csv", "before")]);
    for full in ["decisions", "delegates"] {
        let mut paths = paths(&scene);
        let path = Some("/dev/full".into());
        if full == "decisions" {
            paths.decisions = path
        } else {
            paths.delegates = path
        }
        run(&scene, &paths).unwrap_err();
        assert_eq!(scene.text("o.csv"), "before", "{full}");
        assert_eq!(scene.names(), ["o.csv", "s.csv"], "{full}");
    }
}

/// Scores that a table and memory must treat alike: certain ones, ties, neighbours of thresholds.
fn odd_scores(rows: usize, classes: usize, kind: ScoreKind) -> Vec<f64> {
    let odd =
        [0.0, 1.0, 0.5, 0.5f64.next_up(), 0.5f64.next_down(), 0.25, 5e-324, 0.75, 0.25, 0.9, 0.3];
    let all = (0..rows * classes).map(|at| odd[at.wrapping_mul(7919) % 97 % odd.len()]);
    match kind {
        ScoreKind::Probability => all.collect(),
        ScoreKind::Logit => all.map(|p| (p - 0.5) * 9.0).collect(),
    }
}

#[test]
fn scores_in_memory_become_what_apply_writes() {
    for rules in [
        "a -> b\nnot b -> c\nb, not d -> e\nnot e, a -> f\n-> g",
        "a -> b\nc -> b\nb, d -> e\ne -> f\nf -> e\n-> g",
        "a -> b\nc -> b\nb, d -> e\ne -> f\nf -> e\ng -> a\ng -> d",
    ] {
        assert_same_in_memory(&rules.parse().unwrap());
    }
}

fn assert_same_in_memory(program: &Program) {
    let classes = program.labels().len();
    let values = (0..classes).map(|class| if class % 2 == 0 { 0.5 } else { 0.3 }).collect();
    for thresholds in [Thresholds::uniform(classes, 0.5), Thresholds::new(values)] {
        let thresholds = thresholds.unwrap();
        for kind in [ScoreKind::Probability, ScoreKind::Logit] {
            let scores = odd_scores(300, classes, kind);
            let header: Vec<&str> = program.labels().names().collect();
            let line =
                |row: &[f64]| row.iter().map(f64::to_string).collect::<Vec<_>>().join(",") + "\n";
            let table = format!("{}\n", header.join(","))
                + &scores.chunks(classes).map(line).collect::<String>();
            let scene = Scene::with(&[("s.csv", &table)]);
            let scores_path = scene.path("s.csv");
            let source = ScoreSource {
                scores: scores_path,
                kind,
                id_column: None,
                names: None,
                ontology: None,
            };
            apply(program, &thresholds, &source, &paths(&scene), |_| true).unwrap();

            let layer = ConstraintLayer::new(program, thresholds.clone());
            let applier = Applier::new(program, &layer, thresholds.clone(), kind);
            let mut coherent = vec![0.0; scores.len()];
            let mut decisions = vec![false; scores.len()];
            let mut delegates = vec![Delegate::default(); scores.len()];
            let (decided, by) = (Some(&mut decisions[..]), Some(&mut delegates[..]));
            applier.apply(&scores, &mut coherent, decided, by).unwrap();
            let cells = |name: &str| -> Vec<String> {
                let text = scene.text(name);
                text.lines().skip(1).flat_map(|line| line.split(',')).map(str::to_owned).collect()
            };
            let written: Vec<f64> =
                cells("o.csv").iter().map(|cell| cell.parse().unwrap()).collect();
            assert_eq!(coherent, written);
            let decided: Vec<bool> = cells("d.csv").iter().map(|cell| cell == "1").collect();
            assert_eq!(decisions, decided);
            let names = delegates.iter().map(|by| by.display(program.labels()).to_string());
            assert_eq!(names.collect::<Vec<_>>(), cells("w.csv"));
        }
    }
}

#[test]
fn a_bad_score_in_memory_has_its_row_and_class() {
    let program: Program = "a -> b".parse().unwrap();
    let thresholds = Thresholds::uniform(2, 0.5).unwrap();
    let layer = ConstraintLayer::new(&program, thresholds.clone());
    let applier = Applier::new(&program, &layer, thresholds, ScoreKind::Probability);
    let apply = |scores: &[f32]| {
        applier.apply(scores, &mut vec![0.0; scores.len()], None, None).unwrap_err().to_string()
    };
    assert_eq!(apply(&[0.0, 1.0, 0.5, f32::NAN]), "row 1: the score of `b` is NaN");
    assert_eq!(apply(&[1.5, 0.0]), "row 0: the score 1.5 of `a` is outside [0, 1]");
    assert!(apply(&[0.5]).contains("a multiple of 2"));
    let error = applier.apply(&[0.5f64, 0.5], &mut [0.0; 1], None, None).unwrap_err();
    assert!(matches!(error, BatchError::Layer(_)));
}
