//! `model`, and models that were saved long ago.

use super::scene::Scene;
use std::path::{Path, PathBuf};

/// Models and what they predicted when they were saved.
fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/fixtures/saved");
    folder.join(name)
}

#[test]
fn a_saved_model_predicts_the_same_bytes() {
    for (name, options) in [("rectangles", "--id-column name"), ("animals", "")] {
        let scene = Scene::new(&[]);
        for suffix in ["model", "rows.csv"] {
            let file = format!("{name}.{suffix}");
            std::fs::copy(fixture(&file), scene.path(&file)).unwrap();
        }
        let run = scene.run(&format!(
            "predict --model {name}.model {name}.rows.csv {options} --out {name}.scores.csv \
             --decisions {name}.decisions.csv --delegates {name}.delegates.csv"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
        for table in ["scores", "decisions", "delegates"] {
            let file = format!("{name}.{table}.csv");
            let expected = std::fs::read_to_string(fixture(&file)).unwrap();
            assert_eq!(scene.text(&file), expected, "{file}");
        }
        let info = scene.json(&format!("model info {name}.model --json"));
        assert_eq!(info["training"]["data"], name);
    }
}

#[test]
fn a_damaged_model_is_an_error_that_says_how() {
    let scene = Scene::new(&[]);
    let run = scene.run("train rectangles --hidden 2 --epochs 1 --out m.rulebound");
    assert_eq!(run.code, 0, "{}", run.err);
    let whole = std::fs::read(scene.path("m.rulebound")).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    for (bytes, expected) in [
        (flipped, "its checksum does not match its contents"),
        (whole[..whole.len() - 9].to_vec(), "is truncated"),
        ([&whole[..], b"\n"].concat(), "is longer than"),
    ] {
        std::fs::write(scene.path("m.rulebound"), bytes).unwrap();
        let run = scene.run("model info m.rulebound");
        assert_eq!(run.code, 1);
        assert!(run.err.contains(expected), "{}", run.err);
        assert!(run.err.contains("copy the file again, or retrain the model"), "{}", run.err);
    }
}

#[test]
fn info_says_where_a_model_comes_from_and_what_was_noted() {
    let data: String = (0..40).map(|n| format!("{n},{}\n", n % 2)).collect();
    let scene = Scene::new(&[("d.csv", &format!("x,y\n{data}"))]);
    let run = scene.run(
        "train d.csv --label-columns y --hidden 2 --epochs 1 --test-share 0.25 --note ticket=ML-42 \
         --note commit=abc --out m.rulebound",
    );
    assert_eq!(run.code, 0, "{}", run.err);
    let info = scene.json("model info m.rulebound --json");
    let checksum = rulebound::dataset::checksum(&scene.path("d.csv")).unwrap();
    assert_eq!(info["source"]["checksum"], checksum.as_str());
    assert_eq!(info["source"]["split"]["test_share"], 0.25);
    assert_eq!(info["notes"], serde_json::json!({ "ticket": "ML-42", "commit": "abc" }));
    assert_eq!(
        (&info["format"], &info["classes"], &info["features"]),
        (&2.into(), &1.into(), &1.into())
    );
    let model = rulebound::Model::load(scene.path("m.rulebound")).unwrap();
    assert_eq!(info["checksum"], model.checksum().unwrap().as_str());
    let text = scene.run("model info m.rulebound").out;
    for said in [
        checksum.as_str(),
        "25 % test",
        "note ticket",
        "ML-42",
        "format",
        info["checksum"].as_str().unwrap(),
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn commands_that_rewrite_a_model_keep_its_notes_and_add_theirs() {
    let scene = Scene::new(&[]);
    let train = "train rectangles --hidden 2 --epochs 1 --note who=ada";
    for (seed, more) in [(0, "--note run=1"), (1, "--note run=2")] {
        let run = scene.run(&format!("{train} --seed {seed} {more} --out {seed}.m -q"));
        assert_eq!(run.code, 0, "{}", run.err);
    }
    let notes = |file: &str| scene.json(&format!("model info {file} --json"))["notes"].clone();
    let run =
        scene.run("model set-thresholds 0.m --threshold 0.4 --note why=recall --out low.m --json");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&run.out).unwrap()["out"], "low.m");
    assert_eq!(notes("low.m"), serde_json::json!({ "who": "ada", "run": "1", "why": "recall" }));
    let run = scene.run("calibrate rectangles --model 0.m --split test --note run=3 --out c.m");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(notes("c.m"), serde_json::json!({ "who": "ada", "run": "3" }));
    let run =
        scene.run("tune-thresholds rectangles --model 0.m --split test --one --out-model t.m -q");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(notes("t.m"), serde_json::json!({ "who": "ada", "run": "1" }));
    let run = scene.run("model merge 0.m 1.m --out all.m");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("the note `run` differs in 0.m and 1.m"), "{}", run.out);
    assert_eq!(notes("all.m"), serde_json::json!({ "who": "ada" }));
    let run = scene.run(&format!("{train} --note who=bob --out x.m"));
    assert!(run.code == 2 && run.err.contains("given twice"), "{}", run.err);
}

#[test]
fn rules_of_a_model_are_json_if_that_is_asked_for() {
    let scene = Scene::new(&[]);
    scene.run("train rectangles --hidden 2 --epochs 1 --out m.rulebound -q");
    let value = scene.json("model rules m.rulebound --json");
    let text = scene.run("model rules m.rulebound").out;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(value["rule_texts"], serde_json::json!(lines));
    assert_eq!(value["class_names"], scene.json("model info m.rulebound --json")["class_names"]);
}
