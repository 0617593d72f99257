//! `model`, and models of older versions.

use super::scene::Scene;
use std::path::{Path, PathBuf};

/// Models and predictions of the last version that wrote format 1.
fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/fixtures/format1");
    folder.join(name)
}

#[test]
fn a_model_of_format_1_predicts_the_same_bytes() {
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
