//! Applying rules to a table: its outputs appear together or not at all.
#![allow(clippy::unwrap_used)]

use rulebound::apply::{ApplySummary, ScoreKind, ScoreSource, apply};
use rulebound::core::{Program, Thresholds};
use rulebound::predict::PredictionPaths;
use rulebound_testing::Scene;

fn run(scene: &Scene, paths: &PredictionPaths) -> Result<ApplySummary, String> {
    let program: Program = "a -> b".parse().unwrap();
    let thresholds = Thresholds::uniform(2, 0.5).unwrap();
    let source = ScoreSource {
        scores: scene.path("s.csv"),
        kind: ScoreKind::Probability,
        id_column: None,
        names: None,
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
