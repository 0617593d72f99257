//! Classes that rules know and the data does not.

use crate::scene::Scene;
use serde_json::json;

const OBO: &str = "format-version: 1.2\n\n[Term]\nid: GO:0000001\n\n[Term]\nid: GO:0000002\n\
    is_a: GO:0000001\n\n[Term]\nid: GO:0000003\nis_a: GO:0000002\n\n[Term]\nid: GO:0000004\n\
    is_a: GO:0000001\n";
const TABLE: &str = "x,GO:0000001,GO:0000003\n1,1,1\n2,0,0\n3,1,0\n4,1,1\n";
const TRAIN: &str = "--label-columns GO:* --hidden 2 --epochs 1";

fn scene() -> Scene {
    let scene = Scene::new(&[("d.csv", TABLE), ("go.obo", OBO)]);
    scene.run("data rules go.obo --out go.rules");
    scene
}

/// An ontology was cut silently, and the same rules as a file were refused.
#[test]
fn rules_and_ontologies_hide_what_the_data_does_not_know_and_say_so() {
    let scene = scene();
    for rules in ["go.obo", "go.rules"] {
        let run = scene.run(&format!("train d.csv {TRAIN} --rules {rules} --out {rules}.m"));
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(
            run.err.starts_with("note: 2 classes of the rules are not in the data"),
            "{}",
            run.err
        );
        let info = scene.json(&format!("model info {rules}.m --json"));
        assert_eq!(info["rule_texts"], json!(["GO:0000003 -> GO:0000001"]));
        let kept =
            format!("train d.csv {TRAIN} --rules {rules} --unknown-labels keep --out {rules}.k");
        assert_eq!(scene.run(&kept).code, 0);
        let info = scene.json(&format!("model info {rules}.k --json"));
        assert_eq!(info["class_names"].as_array().unwrap().len(), 4);
        assert_eq!(info["rule_texts"].as_array().unwrap().len(), 3);
        // The data still has no column for them.
        let run = scene.run(&format!("evaluate --model {rules}.k d.csv --split all"));
        assert_eq!(run.code, 0, "{}", run.err);
        let refused =
            format!("train d.csv {TRAIN} --rules {rules} --unknown-labels error --out x.m");
        let run = scene.run(&refused);
        assert!(run.code == 1 && run.err.contains("GO:0000002"), "{}", run.err);
    }
    // The ontology also knows other names of the classes, so its model remembers it.
    for rules in ["go.obo", "go.rules"] {
        let run = scene.run(&format!("predict --model {rules}.m d.csv --out {rules}.csv"));
        assert_eq!(run.code, 0, "{}", run.err);
    }
    assert_eq!(scene.text("go.obo.csv"), scene.text("go.rules.csv"));
    let told = scene.json(&format!("train d.csv {TRAIN} --rules go.obo --json --out j.m"));
    assert_eq!(told["unknown_labels"], 2);
}

#[test]
fn many_unknown_labels_are_a_short_error() {
    let scene = scene();
    let rules: String = (10..90).map(|n| format!("GO:00000{n} -> GO:0000001\n")).collect();
    scene.write("many.rules", rules);
    let run = scene
        .run(&format!("train d.csv {TRAIN} --rules many.rules --unknown-labels error --out x.m"));
    assert!(run.err.contains("61 more names") && run.err.lines().count() < 200, "{}", run.err);
}

#[test]
fn a_name_that_is_nearly_known_is_an_error_in_every_mode() {
    let scene = Scene::new(&[
        ("d.csv", "x,abdomen,stomach\n1,1,1\n2,0,0\n"),
        ("r", "stomach -> abdomen\nstomach -> abdomne\n"),
        ("s.csv", "stomach,abdomen\n0.9,0.2\n"),
    ]);
    for mode in ["hide", "error", "keep"] {
        let run = scene.run(&format!(
            "train d.csv --label-columns abdomen,stomach --rules r --unknown-labels {mode} --out m"
        ));
        assert!(run.code == 1 && run.err.contains("did you mean `abdomen`?"), "{}", run.err);
        assert!(run.err.contains("r:2:12"), "{}", run.err);
    }
    let run = scene.run("apply --rules r --scores s.csv --out o.csv");
    assert!(run.code == 1 && run.err.contains("`abdomne`"), "{}", run.err);
    assert!(!scene.path("o.csv").exists());
}

/// The commands about tables of scores take what training takes.
#[test]
fn apply_explain_evaluate_and_check_treat_unknown_labels_alike() {
    let scene = scene();
    scene.write("s.csv", "id,GO:0000003,GO:0000001\na,0.9,0.2\nb,0.1,0.4\n");
    scene.write("t.csv", "id,GO:0000003,GO:0000001\na,1,1\nb,0,1\n");
    scene.write("list", "GO:0000001\nGO:0000003\n");
    for rules in ["go.obo", "go.rules"] {
        let apply = format!("apply --rules {rules} --scores s.csv --id-column id --out o.csv");
        let run = scene.run(&apply);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.err.contains("2 classes of the rules are not in the table"), "{}", run.err);
        assert_eq!(scene.text("o.csv"), "id,GO:0000003,GO:0000001\na,0.9,0.9\nb,0.1,0.4\n");
        let told = scene.json(&format!("{apply} --json"));
        assert_eq!((&told["hidden_classes"], &told["incoherent_rows"]), (&2.into(), &1.into()));
        assert_eq!(scene.run(&format!("{apply} --unknown-labels error")).code, 1);
        assert_eq!(scene.run(&format!("{apply} --unknown-labels keep")).code, 2);

        let explain = format!("explain --rules {rules} --scores s.csv --id-column id --row 1");
        let run = scene.run(&explain);
        assert!(run.out.contains("GO:0000003 -> GO:0000001"), "{}{}", run.out, run.err);

        let evaluate =
            format!("evaluate --scores s.csv --truth t.csv --id-column id --rules {rules}");
        let told = scene.json(&format!("{evaluate} --json"));
        assert_eq!((&told["incoherent_rows"], &told["hidden_classes"]), (&1.into(), &2.into()));
        assert_eq!(scene.run(&format!("{evaluate} --unknown-labels error")).code, 1);

        let checked = scene.json(&format!("check {rules} --labels list --json"));
        assert_eq!(checked["unknown_labels"], json!(["GO:0000002", "GO:0000004"]));
        assert!(
            scene
                .run(&format!("check {rules} --labels list"))
                .out
                .contains("not in the label list")
        );
    }
    // Through a pipe, where the table cannot be opened twice.
    let scores = scene.text("s.csv");
    let run = scene.run_with("apply --rules go.rules --scores - --id-column id --out -", &scores);
    assert_eq!(run.out, "id,GO:0000003,GO:0000001\na,0.9,0.9\nb,0.1,0.4\n", "{}", run.err);
    // Rules about other classes altogether are the wrong rules.
    scene.write("other.rules", "p -> q\n");
    assert_eq!(scene.run("apply --rules other.rules --scores s.csv --out x.csv").code, 1);
    assert_eq!(scene.run(&format!("train d.csv {TRAIN} --rules other.rules --out x.m")).code, 1);
}
