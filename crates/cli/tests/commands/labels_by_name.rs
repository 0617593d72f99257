//! Labels that are written by their names take what the rules imply, whatever else the table of labels says.

use crate::scene::Scene;
use std::fmt::Write;

/// 20 of 40 rows are a `heart`, in a.csv; in b.csv another row is an `organ`, so that this class stands in the table.
fn scene() -> Scene {
    let (mut rows, mut hearts) = ("id,part,x\n".to_owned(), "id,label\n".to_owned());
    for row in 0..40 {
        let part = ["train", "train", "valid", "test"][row % 4];
        writeln!(rows, "P{row},{part},{}", row % 20).unwrap();
        if row < 20 {
            writeln!(hearts, "P{row},heart").unwrap();
        }
    }
    let closed: String = (0..20).map(|row| format!("P{row},organ\n")).collect();
    Scene::new(&[
        ("x.csv", &rows),
        ("a.csv", &hearts),
        ("b.csv", &format!("{hearts}P39,organ\n")),
        ("c.csv", &format!("{hearts}{closed}P39,organ\n")),
        ("o.rules", "heart -> organ\n"),
    ])
}

const SOURCE: &str = "x.csv --id-column id --rules o.rules";
const TRAIN: &str = "--split-column part --hidden 4 --max-epochs 3";

/// How many rows have each class.
fn rows(scene: &Scene, arguments: &str) -> serde_json::Value {
    scene.json(&format!("data info {SOURCE} --json {arguments}"))["label_rows"].clone()
}

#[test]
fn a_class_of_the_label_table_takes_what_is_implied_like_one_of_the_rules_alone() {
    let scene = scene();
    for least in ["", "--min-count 1", "--min-count 20"] {
        let of = |table: &str| rows(&scene, &format!("--label-table {table} {least}"));
        assert_eq!(of("a.csv"), serde_json::json!({"heart": 20, "organ": 20}), "{least}");
        assert_eq!(of("b.csv"), serde_json::json!({"heart": 20, "organ": 21}), "{least}");
        assert_eq!(of("c.csv"), of("b.csv"), "{least}");
    }
    let only_organs = rows(&scene, "--label-table b.csv --min-count 21");
    assert_eq!(only_organs, serde_json::json!({"organ": 21}));
}

#[test]
fn what_is_learned_does_not_depend_on_how_many_implied_labels_are_written() {
    let scene = scene();
    for (model, table) in [("b.m", "b.csv"), ("c.m", "c.csv")] {
        let run = scene.run(&format!("train {SOURCE} {TRAIN} --label-table {table} --out {model}"));
        assert_eq!((run.code, run.err.contains("break rules")), (0, false), "{}", run.err);
    }
    let epochs = |name: &str| -> Vec<serde_json::Value> {
        let values = scene.text(name);
        let values = values.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap());
        let epochs = values.filter(|value| value["event"] == "epoch");
        epochs.map(|e| serde_json::json!([e["loss"], e["valid_auprc"], e["valid_loss"]])).collect()
    };
    assert_eq!(epochs("b.m.log"), epochs("c.m.log"));
    let info = scene.json("model info b.m --json");
    assert_eq!(info["configuration"]["labels"], "complete");
}

#[test]
fn strict_refuses_before_anything_is_completed_or_left_out() {
    let scene = scene();
    for table in ["a.csv", "b.csv"] {
        for least in ["", "--min-count 1", "--min-count 15"] {
            let run = scene.run(&format!(
                "train {SOURCE} {TRAIN} --label-table {table} {least} --label-policy strict --out s.m"
            ));
            assert_eq!(run.code, 1, "{table} {least}: {}", run.err);
            assert!(run.err.contains("the labels of `P0` imply `organ`"), "{}", run.err);
            assert!(run.err.contains("--label-policy complete"), "{}", run.err);
        }
    }
    let run = scene.run(&format!(
        "train {SOURCE} {TRAIN} --label-table c.csv --label-policy strict --out s.m"
    ));
    assert_eq!(run.code, 0, "{}", run.err);
}

#[test]
fn strict_is_not_bypassed_by_leaving_out_a_class_that_has_a_column() {
    let mut wide = "x,heart,organ\n".to_owned();
    for row in 0..40 {
        let labels = ["1,0", "0,1", "0,1", "0,0"][row % 4];
        writeln!(wide, "{row},{labels}").unwrap();
    }
    let scene = Scene::new(&[("w.csv", &wide), ("o.rules", "heart -> organ\n")]);
    let source = "w.csv --label-columns heart,organ --rules o.rules";
    for least in ["", "--min-count 11"] {
        let run = scene.run(&format!(
            "train {source} {least} --label-policy strict --hidden 4 --epochs 1 --out s.m"
        ));
        assert_eq!(run.code, 1, "{least}: {}", run.err);
    }
    // Rows are counted with what their labels imply, and stay as they are.
    let found = scene.json(&format!("data info {source} --min-count 11 --json"));
    assert_eq!(found["label_rows"], serde_json::json!({"organ": 20}));
    let found = scene.json(&format!("data info {source} --min-count 10 --json"));
    assert_eq!(found["label_rows"], serde_json::json!({"heart": 10, "organ": 20}));
    assert_eq!(found["incoherent_rows"], 10);
}

#[test]
fn keep_keeps_what_is_written_if_it_is_asked_for() {
    let scene = scene();
    let run = scene
        .run(&format!("train {SOURCE} {TRAIN} --label-table b.csv --label-policy keep --out k.m"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("break rules: `heart -> organ`"), "{}", run.err);
    // The model is measured as it was trained.
    let broken = |more: &str| {
        let evaluate = "evaluate --model k.m x.csv --label-table b.csv --split all --json";
        let found = scene.json(&format!("{evaluate} {more}"));
        (found["label_policy"].clone(), found["incoherent_truth_rows"].clone())
    };
    assert_eq!(broken(""), ("keep".into(), 20.into()));
    assert_eq!(broken("--label-policy complete"), ("complete".into(), 0.into()));
}

/// Whether one unknown term stands in the table decided whether the labels of all rows were completed.
#[test]
fn a_label_that_the_model_does_not_have_changes_nothing_else() {
    let scene = scene();
    assert_eq!(scene.run(&format!("train {SOURCE} {TRAIN} --label-table c.csv --out m")).code, 0);
    scene.write("unknown.csv", format!("{}P30,liver\n", scene.text("b.csv")));
    let of = |table: &str| {
        let mut found = scene
            .json(&format!("evaluate --model m x.csv --label-table {table} --split all --json"));
        found.as_object_mut().unwrap().remove("source");
        found
    };
    assert_eq!(of("b.csv"), of("c.csv"));
    assert_eq!(of("unknown.csv"), of("c.csv"));
    // A model that was trained on columns says nothing of labels that are written by their names.
    let mut wide = "id,x,heart,organ\n".to_owned();
    for row in 0..40 {
        let labels = if row < 20 { "1,1" } else { "0,0" };
        writeln!(wide, "P{row},{},{labels}", row % 20).unwrap();
    }
    scene.write("w.csv", &wide);
    let run = scene.run(
        "train w.csv --id-column id --label-columns heart,organ --rules o.rules --hidden 4 --epochs 1 --out w.m",
    );
    assert_eq!(run.code, 0, "{}", run.err);
    let evaluate = "evaluate --model w.m x.csv --label-table b.csv --id-column id --json";
    assert_eq!(scene.json(evaluate)["label_policy"], "complete");
}

#[test]
fn a_folder_brings_its_rules_for_labels_by_name_too() {
    let scene = scene();
    let rows = |part: &str| {
        let (mut text, labels) = ("id,x,labels\n".to_owned(), ["heart", "", "heart|organ", ""]);
        (0..20).for_each(|row| writeln!(text, "{part}{row},{row},{}", labels[row % 4]).unwrap());
        text
    };
    std::fs::create_dir(scene.path("f")).unwrap();
    scene.write("f/train.csv", rows("a"));
    scene.write("f/test.csv", rows("b"));
    scene.write("f/f.rules", "heart -> organ\norgan -> part\n");
    let found = scene.json("data info f --label-column labels --id-column id --json");
    assert_eq!(found["label_rows"], serde_json::json!({"heart": 20, "organ": 20, "part": 20}));
}

/// A hint may name no option that the command does not have.
#[test]
fn every_command_that_reads_labels_for_a_model_takes_their_rules() {
    let scene = scene();
    assert_eq!(scene.run(&format!("train {SOURCE} {TRAIN} --label-table c.csv --out m")).code, 0);
    std::fs::rename(scene.path("o.rules"), scene.path("moved.rules")).unwrap();
    scene.write("moved.rules", "heart -> organ\nliver -> organ\n");
    scene.write("l.csv", format!("{}P22,liver\nP30,liver\n", scene.text("b.csv")));
    for command in [
        "evaluate --model m x.csv",
        "tune-thresholds --model m x.csv --force --out t.csv",
        "calibrate --model m x.csv --force --out c.m",
        "importance --model m x.csv",
    ] {
        let told = "labels of 1 class that the model does not have are left out: `liver`; with --rules FILE";
        let run = scene.run(&format!("{command} --label-table l.csv --split all"));
        assert!(run.code == 0 && run.err.contains(told), "{command}: {}", run.err);
        let run =
            scene.run(&format!("{command} --label-table l.csv --rules moved.rules --split all"));
        assert!(run.code == 0 && !run.err.contains("liver"), "{command}: {}", run.err);
    }
    let evaluate = "evaluate --model m x.csv --label-table l.csv --split all --json";
    let (without, with) =
        (scene.json(evaluate), scene.json(&format!("{evaluate} --rules moved.rules")));
    assert_ne!(without["hamming_loss"], with["hamming_loss"]);
}

#[test]
fn a_model_whose_labels_were_in_a_table_says_so_and_needs_none_to_predict() {
    let scene = scene();
    let train = |more: &str, out: &str| {
        let run = scene.run(&format!(
            "train {SOURCE} --label-table c.csv --hidden 4 --epochs 1 {more} --out {out}"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
    };
    train("--split-column part", "column.m");
    train("--test-share 0.25 --stratify off", "share.m");
    train("--test-share 0.25", "even.m");
    let run = scene.run("evaluate --model column.m x.csv");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("were in a table of their own"), "{}", run.err);
    assert!(run.err.contains("--label-table FILE"), "{}", run.err);
    for model in ["column.m", "share.m"] {
        let predict = format!("predict --model {model} x.csv --split test --json");
        let run = scene.run(&format!("{predict} --out o.csv"));
        assert_eq!(run.code, 0, "{model}: {}", run.err);
        let with = scene.run(&format!("{predict} --label-table c.csv --out with.csv"));
        assert_eq!(with.code, 0, "{model}: {}", with.err);
        assert_eq!(
            (scene.text("o.csv"), scene.text("o.csv").lines().count()),
            (scene.text("with.csv"), 11)
        );
    }
    let run = scene.run("predict --model even.m x.csv --split test --out o.csv");
    assert_eq!(run.code, 1);
    assert!(
        run.err.contains("drawn by the labels") && run.err.contains("--label-table"),
        "{}",
        run.err
    );
    let run =
        scene.run("predict --model even.m x.csv --split test --label-table c.csv --out o.csv");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(scene.run("predict --model even.m x.csv --out o.csv").code, 0);
}

#[test]
fn a_message_about_columns_names_at_most_twenty() {
    let classes: Vec<String> = (0..59).map(|class| format!("c{class}")).collect();
    let mut wide = format!("x,{}\n", classes.join(","));
    for row in 0..20 {
        writeln!(wide, "{row}{}", format!(",{}", row % 2).repeat(59)).unwrap();
    }
    let scene = Scene::new(&[("w.csv", &wide), ("n.csv", "x\n1\n2\n3\n")]);
    let run = scene.run("train w.csv --label-columns c* --hidden 2 --epochs 1 --out m");
    assert_eq!(run.code, 0, "{}", run.err);
    let run = scene.run("evaluate --model m n.csv");
    assert_eq!(run.code, 1);
    assert!(!run.err.contains("`c58`"), "{}", run.err);
    let list = classes.join(",");
    let run = scene.run(&format!("data info n.csv --label-columns {list}"));
    assert!(run.err.contains("`c19` and 39 more") && !run.err.contains("`c20`"), "{}", run.err);
}
