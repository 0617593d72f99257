//! Labels: policies on those that break rules, lists of classes.

use crate::scene::Scene;

/// Rows of one feature; `a` implies `b`, which the labels do not say.
fn raw() -> Scene {
    let (mut raw, mut full) = ("x,labels\n".to_owned(), "x,labels\n".to_owned());
    for row in 0..40 {
        let (given, whole) = [("", ""), ("a", "a|b"), ("b", "b"), ("c", "c")][row % 4];
        raw += &format!("{},{given}\n", row % 4);
        full += &format!("{},{whole}\n", row % 4);
    }
    Scene::new(&[("raw.csv", &raw), ("full.csv", &full), ("r", "a -> b\n")])
}

const TRAIN: &str = "--label-column labels --rules r --hidden 4 --max-epochs 4 --batch 8";

/// The same where each class has a column, so that a 0 was written on purpose.
fn columns() -> Scene {
    let (mut raw, mut full) = ("x,a,b,c\n".to_owned(), "x,a,b,c\n".to_owned());
    for row in 0..40 {
        let (given, whole) =
            [("0,0,0", "0,0,0"), ("1,0,0", "1,1,0"), ("0,1,0", "0,1,0"), ("0,0,1", "0,0,1")]
                [row % 4];
        raw += &format!("{},{given}\n", row % 4);
        full += &format!("{},{whole}\n", row % 4);
    }
    Scene::new(&[("raw.csv", &raw), ("full.csv", &full), ("r", "a -> b\n")])
}

const COLUMNS: &str = "--label-columns a,b,c --rules r --hidden 4 --max-epochs 4 --batch 8";

/// The same log, and no advice to do what was asked for.
#[test]
fn completed_labels_are_monitored_and_not_advised_again() {
    let scene = columns();
    let run = scene.run(&format!("train raw.csv {COLUMNS} --label-policy complete --out raw.m"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(
        run.err,
        "note: the labels of 10 training rows were completed by the rules: `a -> b`\n"
    );
    scene.run(&format!("train full.csv {COLUMNS} --out full.m"));
    let epochs = |name: &str| -> Vec<serde_json::Value> {
        let values = scene.text(name);
        let values = values.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap());
        let epochs = values.filter(|value| value["event"] == "epoch");
        epochs.map(|e| serde_json::json!([e["loss"], e["valid_auprc"], e["valid_loss"]])).collect()
    };
    assert_eq!(epochs("raw.m.log"), epochs("full.m.log"));
    assert!(!epochs("raw.m.log").is_empty());
    let run = scene.run(&format!("train raw.csv {COLUMNS} --out kept.m"));
    assert!(run.err.contains("--label-policy complete adds"), "{}", run.err);
}

#[test]
fn labels_is_the_list_of_classes() {
    let scene = raw();
    let run = scene.run(&format!("train raw.csv {TRAIN} --labels complete --out x.m"));
    assert!(run.code == 1 && run.err.contains("complete"), "{}", run.err);

    scene.write("list", "d\nc\nb\na\n");
    scene.run(&format!("train raw.csv {TRAIN} --labels list --out listed.m"));
    let info = scene.json("model info listed.m --json");
    assert_eq!(info["class_names"], serde_json::json!(["d", "c", "b", "a"]));
    scene.write("keep", "a\nb\n");
    let run = scene.run(&format!("train raw.csv {TRAIN} --labels ./keep --out x.m"));
    assert!(
        run.code == 1 && run.err.contains("1 class that the label list has not: `c`"),
        "{}",
        run.err
    );

    scene.write("t.csv", "x,a,b\n1,1,1\n2,0,1\n3,0,0\n");
    let columns = "--label-columns a,b --hidden 2 --epochs 1";
    scene.write("ba", "b\na\n");
    scene.run(&format!("train t.csv {columns} --labels ba --out ba.m"));
    assert_eq!(scene.json("model info ba.m --json")["class_names"], serde_json::json!(["b", "a"]));
    let run = scene.run(&format!("train t.csv {columns} --labels list --out x.m"));
    assert!(run.code == 1 && run.err.contains("no label column for 2 classes"), "{}", run.err);

    scene.write("s.svm", "0,2 1:0.5\n1 1:1\n2 1:0.25\n");
    scene.write("names", "zero\none\ntwo\nthree\n");
    scene.run("train s.svm --hidden 2 --epochs 1 --labels names --out s.m");
    let info = scene.json("model info s.m --json");
    assert_eq!(info["class_names"], serde_json::json!(["zero", "one", "two", "three"]));

    let tuned = scene.run(
        "tune raw.csv --label-column labels --rules r --labels list --label-policy complete \
         --hidden 4 --learning-rates 0.01 --dropouts 0 --weight-decays 0 --batches 8 --max-epochs 1 \
         --out tuned.csv",
    );
    assert!(tuned.out.contains("--labels list") && tuned.out.contains("--label-policy complete"));
}

/// A model trained on completed labels was measured against raw ones, without a word.
#[test]
fn evaluation_uses_the_policy_of_training_and_tells_which_truth_breaks_rules() {
    let scene = columns();
    scene.run(&format!("train raw.csv {COLUMNS} --label-policy complete --out m"));
    let evaluate = "evaluate --model m --split all";
    let whole = scene.json(&format!("{evaluate} full.csv --json"));
    let ours = scene.json(&format!("{evaluate} raw.csv --json"));
    assert_eq!(ours["auprc"], whole["auprc"]);
    assert_eq!(
        (&ours["incoherent_truth_rows"], &ours["label_policy"]),
        (&10.into(), &"complete".into())
    );
    assert_eq!(whole["incoherent_truth_rows"], 0);
    let kept = scene.json(&format!("{evaluate} raw.csv --label-policy keep --json"));
    assert_ne!(kept["auprc"], whole["auprc"]);
    assert_eq!(kept["incoherent_truth_rows"], 10);
    let text = scene.run(&format!("{evaluate} raw.csv --label-policy keep")).out;
    assert!(text.contains("10  kept as they are; --label-policy complete adds"), "{text}");
    let run = scene.run(&format!("{evaluate} raw.csv --label-policy strict"));
    assert!(run.code == 1 && run.err.contains("row 2 of the ground truth breaks"), "{}", run.err);

    scene.write("s.csv", "a,b\n0.9,0.8\n0.2,0.1\n");
    scene.write("t.csv", "a,b\n1,0\n0,0\n");
    let tables = "evaluate --scores s.csv --truth t.csv --rules r --json";
    let kept = scene.json(tables);
    assert_eq!(
        (&kept["incoherent_truth_rows"], &kept["label_policy"]),
        (&1.into(), &"keep".into())
    );
    assert_eq!(kept["hamming_loss"], 0.25);
    assert_eq!(scene.json(&format!("{tables} --label-policy complete"))["hamming_loss"], 0.0);
    let run = scene.run("evaluate --scores s.csv --truth t.csv --label-policy complete");
    assert!(run.code == 2 && run.err.contains("needs --rules"), "{}", run.err);
}

const OBO: &str = "format-version: 1.2\n\n[Term]\nid: GO:0008150\n\n[Term]\nid: GO:0003674\n\n\
    [Term]\nid: GO:0000001\nis_a: GO:0008150\n\n[Term]\nid: GO:0000002\nis_a: GO:0003674\n";

/// The roots of the Gene Ontology counted when they were written as every OBO writes them.
#[test]
fn roots_are_recognised_with_a_colon_and_in_general() {
    let table = "x,GO:0008150,GO:0003674,GO:0000001,GO:0000002\n1,1,0,1,0\n2,0,1,0,1\n3,1,1,1,1\n";
    let general = "x,a,b,top,other\n1,1,0,1,1\n2,0,1,0,1\n3,1,0,1,1\n";
    let rules = "a -> top\nb -> top\na -> other\n";
    let scene = Scene::new(&[("go.csv", table), ("go.obo", OBO), ("g.csv", general), ("r", rules)]);
    let quick = "--hidden 2 --epochs 1 --out";
    let go = "go.csv --label-columns GO:* --rules go.obo";
    scene.run(&format!("train {go} {quick} go.m"));
    let info = scene.json("model info go.m --json");
    assert_eq!(info["root_names"], serde_json::json!(["GO:0008150", "GO:0003674"]));
    assert!(scene.run("model info go.m").out.contains("2, not evaluated: GO:0008150, GO:0003674"));
    let evaluate = "evaluate --model go.m go.csv --label-columns GO:* --split all --json";
    assert_eq!(scene.json(evaluate)["classes"], 2);
    assert_eq!(scene.json(&format!("{evaluate} --evaluate-roots"))["classes"], 4);
    scene.run(&format!("train {go} --evaluate-roots {quick} all.m"));
    assert_eq!(scene.json("model info all.m --json")["root_names"], serde_json::json!([]));

    // Every row has `top` once it is completed; `other` is in every row too, and implied by `a`.
    let general = "data info g.csv --label-columns a,b,top,other --json";
    assert_eq!(scene.json(&format!("{general} --rules r"))["evaluated_classes"], 2);
    // Always true, but no rule makes it a root.
    assert_eq!(scene.json(general)["evaluated_classes"], 4);
    scene.write("r", "a -> top\ntop -> other\n");
    assert_eq!(scene.json(&format!("{general} --rules r"))["evaluated_classes"], 3);
    // A row without it.
    scene.write("g.csv", "x,a,b,top,other\n1,1,0,0,0\n2,0,1,0,0\n");
    scene.write("r", "a -> top\n");
    assert_eq!(scene.json(&format!("{general} --rules r"))["evaluated_classes"], 4);
}
