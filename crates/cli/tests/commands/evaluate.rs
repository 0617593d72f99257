use crate::scene::Scene;
use rulebound_core::metrics::Metric;

const SCORES: &str = "id,a,b,c\nx,0.9,0.2,0.6\ny,0.4,0.5,0.1\nz,0.7,0.8,0.3\n";
/// Columns and rows (by id) in another order; no row has `c`.
const TRUTH: &str = "b,c,a,id\n1,0,1,z\n0,0,1,x\n1,0,0,y\n";
const RULES: &str = "a -> b\n";
const BY_ID: &str = "evaluate --scores s.csv --truth t.csv --id-column id";

fn scene() -> Scene {
    Scene::new(&[("s.csv", SCORES), ("t.csv", TRUTH), ("r", RULES)])
}

/// Runs with one good file replaced.
fn refused(name: &str, text: &str, arguments: &str) -> (i32, String) {
    let scene = scene();
    std::fs::write(scene.path(name), text).unwrap();
    let run = scene.run(arguments);
    assert_eq!(run.out, "", "nothing is printed but the error");
    (run.code, run.err)
}

/// Refused with code 1 and a message with all of these parts.
fn expect_refused(name: &str, text: &str, arguments: &str, parts: &[&str]) {
    let (code, err) = refused(name, text, arguments);
    assert_eq!(code, 1, "{err}");
    for part in parts {
        assert!(err.contains(part), "{part:?} is not in {err}");
    }
}

#[test]
fn a_table_for_people() {
    let run = scene().run(&format!("{BY_ID} --rules r --labels-in-metrics present"));
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    insta::assert_snapshot!(run.out, @"
    3 rows, 2 classes with a positive

      auprc                  1.0000  higher is better
      average_precision      1.0000  higher is better
      coverage_error         0.1667  lower is better
      hamming_loss           0.1667  lower is better
      multilabel_accuracy    0.7500  higher is better
      one_error              0.0000  lower is better
      ranking_loss           0.0000  lower is better
      micro_f1               0.8571  higher is better
      macro_f1               0.8333  higher is better
      macro_auprc            1.0000  higher is better

      rows breaking a rule        1  33.3 % of all
      …                           1  a -> b  (line 1)
      … in the truth              1  kept as they are; --label-policy complete adds what follows
    ");
}

#[test]
fn the_keys_for_machines_and_their_order() {
    let run = scene().run(&format!("{BY_ID} --labels-in-metrics all --json"));
    let keys: Vec<&str> = run.out.lines().filter_map(|line| line.split('"').nth(1)).collect();
    let metrics = Metric::ALL.map(Metric::name);
    assert_eq!(keys, [&["json_version"], &metrics[..], &["rows", "classes"]].concat());
    assert!(keys.starts_with(&["json_version", "auprc", "average_precision"]), "{keys:?}");
    let value: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    // Ranked by hand: .9a .8b .7a .6c .5b, four of five; c is predicted once, wrongly.
    assert_eq!(value["auprc"], (3.0 + 4.0 / 5.0) / 4.0);
    assert_eq!(value["hamming_loss"], 2.0 / 9.0);
    assert_eq!(value["macro_f1"], (1.0 + 2.0 / 3.0) / 3.0);
    assert_eq!((&value["rows"], &value["classes"]), (&3.into(), &3.into()));
    assert!(value.get("incoherent_rows").is_none());
    let present = "--labels-in-metrics present";
    let value = scene().json(&format!("{BY_ID} --rules r --json {present}"));
    assert_eq!(value["incoherent_rows"], 1);
    assert_eq!(value["violation_rate"], 1.0 / 3.0);
    assert_eq!(value["classes"], 2);
}

#[test]
fn rows_without_an_id_are_matched_by_position() {
    let scene =
        Scene::new(&[("s.tsv", "a\tb\n0.9\t0.1\n0.2\t0.8\n"), ("t.csv", "b,a\n0,1\n1,0\n")]);
    let value = scene.json("evaluate --scores s.tsv --truth t.csv --json");
    assert_eq!((&value["auprc"], &value["hamming_loss"]), (&1.0.into(), &0.0.into()));
}

#[test]
fn decisions_are_made_as_apply_makes_them() {
    let files = [("s.csv", "a,b\n0.5,0.4\n"), ("t.csv", "a,b\n1,1\n"), ("h", "a,0.3\nb,0.45\n")];
    let scene = Scene::new(&files);
    let loss = |more: &str| {
        scene.json(&format!("evaluate --scores s.csv --truth t.csv --json {more}"))["hamming_loss"]
            .clone()
    };
    // At the threshold a class is not predicted; a logit of 0.4 is a probability of 0.599.
    assert_eq!(loss(""), 1.0);
    assert_eq!(loss("--threshold 0.45"), 0.5);
    assert_eq!(loss("--thresholds h"), 0.5);
    assert_eq!(loss("--logits"), 0.0);
    assert_eq!(loss("--logits --threshold 0.61"), 0.5);
}

#[test]
fn a_list_of_classes_skips_other_columns() {
    let files = [
        ("s.csv", "note,a,b\nhello,0.9,0.1\n"),
        ("t.csv", "a,b,why\n1,0,so\n"),
        ("l", "b\na\n"),
        ("r", "a -> b\n"),
    ];
    let scene = Scene::new(&files);
    let value = scene.json("evaluate --scores s.csv --truth t.csv --labels l --rules r --json");
    assert_eq!((&value["incoherent_rows"], &value["classes"]), (&1.into(), &2.into()));
    let same = scene.json("evaluate --scores s.csv --truth t.csv --labels l --json");
    assert_eq!(same["auprc"], value["auprc"]);
    expect_refused(
        "l",
        "a\nd\n",
        "evaluate --scores s.csv --truth t.csv --id-column id --labels l",
        &["no column for d", "the label list"],
    );
}

#[test]
fn coherent_scores_from_a_pipe() {
    let scene = scene();
    let applied = scene.run("apply --rules r --scores s.csv --out - --id-column id");
    let run = scene.run_with(
        "evaluate --scores - --truth t.csv --rules r --id-column id --json",
        &applied.out,
    );
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let value: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(value["incoherent_rows"], 0);
}

#[test]
fn undefined_metrics_are_null_and_reported() {
    let scene = Scene::new(&[("s.csv", "a,b\n0.9,0.1\n"), ("t.csv", "a,b\n0,0\n")]);
    let value = scene.json("evaluate --scores s.csv --truth t.csv --json --labels-in-metrics all");
    assert!(value["auprc"].is_null() && value["one_error"].is_null());
    assert_eq!((&value["hamming_loss"], &value["micro_f1"]), (&0.5.into(), &0.0.into()));
    let run = scene.run("evaluate --scores s.csv --truth t.csv --labels-in-metrics present");
    assert!(run.out.contains("1 row, 0 classes with a positive"), "{}", run.out);
    assert_eq!(run.out.matches("undefined here").count(), 10, "{}", run.out);
    std::fs::write(scene.path("s.csv"), "a,b\n").unwrap();
    std::fs::write(scene.path("t.csv"), "a,b\n").unwrap();
    assert_eq!(scene.run("evaluate --scores s.csv --truth t.csv").code, 0);
}

#[test]
fn truth_is_0_or_1_in_every_row_of_the_scores() {
    expect_refused(
        "t.csv",
        "id,a,b,c\nx,1,0.5,0\ny,0,0,2\nz,1,1,1\n",
        BY_ID,
        &[
            "t.csv: row 1, \"x\", class \"b\": 0.5 is neither 0 nor 1",
            "t.csv: row 2, \"y\", class \"c\": 2 is neither 0 nor 1",
        ],
    );
    expect_refused(
        "t.csv",
        "id,a,b,c\nx,1,yes,0\n",
        BY_ID,
        &["t.csv: row 1", "\"yes\" is not a number"],
    );
    let many = format!("id,a,b,c\n{}", "x,7,7,7\n".repeat(10));
    // The same id is found before the list of cells is complete.
    expect_refused("t.csv", &many, BY_ID, &["rows 1 and 2 have the same id \"x\""]);
    let many = format!("a,b,c\n{}", "7,7,7\n".repeat(10));
    let by_place = "evaluate --scores s.csv --truth t.csv --labels l";
    let scene = Scene::new(&[("s.csv", SCORES), ("t.csv", &many), ("l", "a\nb\nc\n")]);
    let run = scene.run(by_place);
    assert!(run.err.contains("10 more cells are neither 0 nor 1"), "{}", run.err);
}

#[test]
fn both_tables_have_the_same_rows() {
    let by_place = "evaluate --scores s.csv --truth t.csv --labels r";
    let scene = Scene::new(&[("s.csv", SCORES), ("t.csv", TRUTH), ("r", "a\nb\nc\n")]);
    for truth in ["a,b,c\n1,0,1\n", "a,b,c\n1,0,1\n1,0,1\n1,0,1\n1,0,1\n"] {
        std::fs::write(scene.path("t.csv"), truth).unwrap();
        let run = scene.run(by_place);
        assert_eq!(run.code, 1);
        assert!(run.err.contains("s.csv has 3 rows, but t.csv has"), "{}", run.err);
    }
    let lost = "id,a,b,c\nx,1,0,0\nz,1,0,0\n";
    expect_refused(
        "t.csv",
        lost,
        BY_ID,
        &["t.csv: no row has the id \"y\", which is row 2 of s.csv"],
    );
    let strange = "id,a,b,c\nx,1,0,0\nw,1,0,0\n";
    expect_refused(
        "t.csv",
        strange,
        BY_ID,
        &["s.csv: no row has the id \"w\", which is row 2 of t.csv"],
    );
    let twice = "id,a,b,c\nx,1,0,0\ny,1,0,0\ny,1,0,0\n";
    expect_refused("s.csv", twice, BY_ID, &["s.csv: rows 2 and 3 have the same id \"y\""]);
    expect_refused("t.csv", twice, BY_ID, &["t.csv: rows 2 and 3 have the same id \"y\""]);
}

#[test]
fn both_tables_have_the_same_classes() {
    expect_refused("t.csv", "id,a,b\nx,1,0\n", BY_ID, &["t.csv: no column for c", "s.csv"]);
    expect_refused("s.csv", "id,a,b\nx,1,0\n", BY_ID, &["s.csv: no column for c", "t.csv"]);
    expect_refused("t.csv", "id,a,b,c,a\nx,1,0,0,0\n", BY_ID, &["duplicate column \"a\""]);
    expect_refused("t.csv", "id,a,b,\nx,1,0,0\n", BY_ID, &["column 4 has no name"]);
    expect_refused("t.csv", "id\nx\n", BY_ID, &["no classes"]);
    expect_refused("t.csv", "a,b,c\n1,0,0\n", BY_ID, &["no column \"id\""]);
    expect_refused(
        "r",
        "a -> d\nd -> e\n",
        &format!("{BY_ID} --rules r --unknown-labels error"),
        &["no column for d, e, required by the rules"],
    );
    // Without --id-column the ids are taken for a class.
    let (code, err) = refused("r", RULES, "evaluate --scores s.csv --truth t.csv");
    assert!(code == 1 && err.contains("\"x\" is not a number"), "{err}");
}

#[test]
fn broken_files_and_arguments() {
    expect_refused("s.csv", "id,a,b,c\nx,1.5,0,0\n", BY_ID, &["s.csv: row 1", "--logits"]);
    expect_refused("s.csv", "", BY_ID, &["s.csv: no header"]);
    expect_refused("t.csv", "", BY_ID, &["t.csv: no header"]);
    expect_refused("r", "a ->\n", &format!("{BY_ID} --rules r"), &["r:1"]);
    expect_refused("h", "d,0.5\n", &format!("{BY_ID} --thresholds h"), &["no class"]);
    expect_refused("h", "", "evaluate --scores no.csv --truth t.csv --id-column id", &["no.csv"]);
    expect_refused("h", "", "evaluate --scores s.csv --truth t.docx --id-column id", &["t.docx"]);
    expect_refused("l", "", &format!("{BY_ID} --labels l"), &["no classes"]);
    for usage in [
        "evaluate --scores s.csv",
        "evaluate --truth t.csv",
        "evaluate --scores s.csv --truth -",
        "evaluate --scores - --truth t.csv --rules -",
        "evaluate --scores - --truth t.csv --labels -",
        "evaluate --scores - --truth t.csv --thresholds -",
        "evaluate --scores s.csv --truth t.csv --id-column id --threshold 1",
        "evaluate --scores s.csv --truth t.csv --labels-in-metrics some",
    ] {
        assert_eq!(scene().run(usage).code, 2, "{usage}");
    }
}

#[test]
fn errors_for_machines_have_row_and_class() {
    let scene = Scene::new(&[("s.csv", "a\n0.5\n"), ("t.csv", "a\n3\n")]);
    let value = scene.json("evaluate --scores s.csv --truth t.csv --json");
    let error = &value["errors"][0];
    assert_eq!((&error["code"], &error["file"]), (&"not-binary".into(), &"t.csv".into()));
    assert_eq!((&error["row"], &error["class"]), (&1.into(), &"a".into()));
}
