//! `tune-thresholds`, `model set-thresholds`, `calibrate`.

use crate::scene::Scene;

const SCORES: &str = "id,a,b\nx,0.40,0.9\ny,0.30,0.6\nz,0.10,0.2\nw,0.05,0.6\n";
const TRUTH: &str = "id,a,b\nx,1,1\ny,1,0\nz,0,0\nw,0,0\n";
const TABLES: &str = "tune-thresholds --scores s.csv --truth t.csv --id-column id";

fn scene() -> Scene {
    Scene::new(&[("s.csv", SCORES), ("t.csv", TRUTH), ("r", "b -> c\n")])
}

/// A model of a built-in problem with its training and test rows.
fn trained() -> Scene {
    let scene = Scene::new(&[]);
    let run = scene.run("train three-classes --hidden 8 --epochs 3 --out m.rulebound");
    assert_eq!(run.code, 0, "{}", run.err);
    scene
}

#[test]
fn thresholds_are_made_from_tables() {
    let scene = scene();
    let run = scene.run(&format!("{TABLES} --out h.csv"));
    assert_eq!(run.code, 0, "{}", run.err);
    // Midway between 0.30 and 0.10, and between 0.9 and 0.6.
    assert_eq!(scene.text("h.csv"), "class,threshold\na,0.2\nb,0.75\n");
    insta::assert_snapshot!(run.out, @"
    4 rows; thresholds of 2 of 2 classes moved, for macro F1

                         at 0.5    tuned
      macro_f1           0.2500   1.0000
      macro_precision    0.1667   1.0000
      macro_recall       0.5000   1.0000
      micro_f1           0.3333   1.0000
      micro_precision    0.3333   1.0000
      micro_recall       0.3333   1.0000

    Measured on the rows that the thresholds were tuned on: other rows will do worse.
    written to h.csv
    ");
    let evaluated = scene
        .json("evaluate --scores s.csv --truth t.csv --id-column id --thresholds h.csv --json");
    assert_eq!(evaluated["macro_f1"], 1.0);
    let one = scene.json(&format!("{TABLES} --one --out h.csv --force --json"));
    assert_eq!(one["thresholds"]["a"], one["thresholds"]["b"]);
    assert!(one["after"]["macro_f1"].as_f64() > one["at_half"]["macro_f1"].as_f64(), "{one}");
}

#[test]
fn thresholds_keep_a_floor_of_precision_or_lower_costs() {
    let scene = scene();
    let value = scene.json(&format!("{TABLES} --min-precision 0.9 --out h.csv --json"));
    assert_eq!(value["after"]["macro_precision"], 1.0);
    assert_eq!(value["below_min_precision"], serde_json::json!({}));
    // What cannot be kept is named: here a fact predicts `b` in every row.
    std::fs::write(scene.path("f"), "-> b\n").unwrap();
    let floor = format!("{TABLES} --rules f --min-precision 0.9 --out h.csv --force");
    let value = scene.json(&format!("{floor} --json"));
    assert_eq!(value["below_min_precision"], serde_json::json!({ "b": 0.25 }));
    let text = scene.run(&floor).out;
    assert!(text.contains("keep the precision of `b` (0.2500)"), "{text}");
    // A false negative costs nothing, so nothing is predicted.
    std::fs::write(scene.path("c.csv"), "class,false_positive,false_negative\n*,1,0\n").unwrap();
    let value = scene.json(&format!("{TABLES} --costs c.csv --force --out h.csv --json"));
    assert_eq!((&value["after"]["costs"], &value["at_half"]["costs"]), (&0.0.into(), &2.0.into()));
    std::fs::write(scene.path("c.csv"), "a,1,0\nd,1,x\n").unwrap();
    let run = scene.run(&format!("{TABLES} --costs c.csv --force --out h.csv"));
    assert!(run.code == 1 && run.err.contains("c.csv:2: there is no class \"d\""), "{}", run.err);
    for usage in [
        TABLES.to_owned(),
        format!("{TABLES} --out h.csv --min-precision 0"),
        format!("{TABLES} --out h.csv --min-precision 0.5 --costs c.csv"),
        format!("{TABLES} --out h.csv --in-place"),
        format!("{TABLES} --out h.csv --one --per-class"),
        "tune-thresholds --model m --out h.csv".to_owned(),
    ] {
        assert_eq!(scene.run(&usage).code, 2, "{usage}");
    }
    let run = scene.run(&format!("{TABLES} --out h.parquet"));
    assert!(run.code == 1 && run.err.contains("h.parquet"), "{}", run.err);
}

#[test]
fn thresholds_are_written_into_a_model() {
    let scene = trained();
    let tune = "tune-thresholds --model m.rulebound three-classes --split train";
    let value =
        scene.json(&format!("{tune} --out h.csv --out-model n.rulebound --json --passes 2"));
    assert!(value["after"]["macro_f1"].as_f64() >= value["at_half"]["macro_f1"].as_f64());
    let evaluate = |model: &str| {
        let macro_f1 = scene
            .json(&format!("evaluate --model {model} three-classes --split train --json"))
            ["macro_f1"]
            .as_f64();
        macro_f1.unwrap()
    };
    // What the search counted is what the model does.
    let close = |a: f64, b: &serde_json::Value| (a - b.as_f64().unwrap()).abs() < 1e-12;
    assert!(close(evaluate("m.rulebound"), &value["before"]["macro_f1"]));
    assert!(close(evaluate("n.rulebound"), &value["after"]["macro_f1"]));
    let run = scene.run("model set-thresholds m.rulebound --thresholds h.csv --out k.rulebound");
    assert_eq!(run.code, 0, "{}", run.err);
    let [n, k] = ["n", "k"].map(|name| std::fs::read(scene.path(&format!("{name}.rulebound"))));
    assert_eq!(n.unwrap(), k.unwrap());
    assert_eq!(scene.run(&format!("{tune} --in-place --passes 2")).code, 0);
    let [n, m] = ["n", "m"].map(|name| std::fs::read(scene.path(&format!("{name}.rulebound"))));
    assert_eq!(n.unwrap(), m.unwrap());
    let set = "model set-thresholds m.rulebound --threshold 0.4 --out k.rulebound";
    assert!(scene.run(set).err.contains("--force replaces it"));
    let run = scene.run("model set-thresholds m.rulebound --out j.rulebound");
    assert_eq!(run.code, 2, "{}", run.err);
    // Without validation rows, it says which there are.
    let run = scene.run("tune-thresholds --model m.rulebound three-classes --out h.csv --force");
    assert!(run.code == 1 && run.err.contains("no valid rows"), "{}", run.err);
}

#[test]
fn calibration_reports_brier_score_and_calibration_error() {
    let scene = trained();
    let calibrate = "calibrate --model m.rulebound three-classes --split train";
    for method in ["temperature", "isotonic"] {
        let value = scene.json(&format!(
            "{calibrate} --method {method} --out {method}.rulebound --picture p.svg --json"
        ));
        assert!(value["after"]["brier"].as_f64() <= value["before"]["brier"].as_f64(), "{value}");
        assert!(value["after"]["ece"].as_f64() < value["before"]["ece"].as_f64(), "{value}");
        let svg = scene.text("p.svg");
        assert!(svg.contains(">before<") && svg.contains(">after<"));
        let info = scene.json(&format!("model info {method}.rulebound --json"));
        assert_eq!(info["calibration"]["method"], method);
        let more = scene.json(&format!(
            "evaluate --model {method}.rulebound three-classes --split train --more --json"
        ));
        assert_eq!(more["more"]["brier"], value["after"]["brier"]);
        assert_eq!(more["incoherent_rows"], 0);
    }
    let run = scene.run(&format!("{calibrate} --out t.rulebound"));
    assert!(run.out.contains("on the rows it was fitted on"), "{}", run.out);
    let run =
        scene.run("calibrate --model t.rulebound three-classes --split train --out u.rulebound");
    assert!(run.code == 1 && run.err.contains("already calibrated"), "{}", run.err);
    assert!(scene.json("model info m.rulebound --json")["calibration"].is_null());
    // A calibrated model can be tuned, and its own scores are what is tuned.
    let tune = "tune-thresholds --model isotonic.rulebound three-classes --split train --one";
    let value = scene.json(&format!("{tune} --out-model one.rulebound --json"));
    let evaluated = scene.json("evaluate --model one.rulebound three-classes --split train --json");
    let [found, expected] =
        [&evaluated["macro_f1"], &value["after"]["macro_f1"]].map(|of| of.as_f64().unwrap());
    assert!((found - expected).abs() < 1e-12);
}
