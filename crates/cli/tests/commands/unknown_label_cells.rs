//! Labels that are not known: empty cells of label columns are counted, and left out of the loss and
//! of every metric.

use crate::scene::Scene;
use serde_json::{Value, json};

const QUICK: &str = "--hidden 4 --epochs 3 --batch 4 --dropout 0";

/// Three tables of the same rows: every fourth has no label, or a weight of 0, or is left out.
fn scene() -> Scene {
    let [mut unknown, mut weighted, mut without] =
        ["x,y,a,b\n", "x,y,a,b,w\n", "x,y,a,b\n"].map(str::to_owned);
    for row in 0..32 {
        let features = format!("{},{}", row % 7, (row * row) % 11);
        let labels = format!("{},{}", u8::from(row % 3 == 0), u8::from(row % 8 < 3));
        let is_known = row % 4 != 1;
        let missing = [",", "NA,?", "NaN,null", " ,N/A"][row / 4 % 4];
        unknown += &format!("{features},{}\n", if is_known { &labels } else { missing.trim() });
        weighted += &format!("{features},{labels},{}\n", u8::from(is_known));
        if is_known {
            without += &format!("{features},{labels}\n");
        }
    }
    Scene::new(&[("u.csv", &unknown), ("w.csv", &weighted), ("k.csv", &without)])
}

#[test]
fn unknown_label_cells_are_counted_and_survive_conversion() {
    let scene = Scene::new(&[("d.csv", "x,a,b\n1,1,\n2,NA,0\n3,0,1\n4,?,NaN\n")]);
    let labelled = "--label-columns a,b";
    let info = scene.json(&format!("data info d.csv {labelled} --json"));
    assert_eq!(info["unknown_label_cells"], 4);
    assert_eq!(info["columns"][1]["missing_share"], 0.5);
    let text = scene.run(&format!("data info d.csv {labelled}")).out;
    assert!(text.contains("labels not known     4 (50.00 % of label cells)"), "{text}");
    for format in ["csv", "parquet", "mulan"] {
        let run = scene.run(&format!("data convert d.csv {labelled} --to {format} --out {format}"));
        assert_eq!(run.code, 0, "{format}: {}", run.err);
        let back = scene.json(&format!("data info {format} --json"));
        assert_eq!(back["unknown_label_cells"], 4, "{format}");
        for label in [1, 2] {
            assert_eq!(back["columns"][label], info["columns"][label], "{format}");
        }
    }
    // A table without them says nothing about them.
    scene.write("known.csv", "x,a,b\n1,1,0\n2,0,1\n");
    let info = scene.json(&format!("data info known.csv {labelled} --json"));
    assert_eq!(info.get("unknown_label_cells"), None);
    scene.write("bad.csv", "x,a,b\n1,1,maybe\n");
    let run = scene.run(&format!("data info bad.csv {labelled}"));
    assert!(run.code == 1 && run.err.contains("maybe"), "{}", run.err);
}

#[test]
fn unknown_label_cells_have_no_part_in_the_loss() {
    let scene = scene();
    let train = |name: &str, options: &str| {
        let run = scene.run(&format!("train {options} --label-columns a,b {QUICK} --out {name}"));
        assert_eq!(run.code, 0, "{}", run.err);
        (scene.run(&format!("predict --model {name} k.csv --out -")).out, run.err)
    };
    let (unknown, told) = train("u.m", "u.csv");
    assert!(
        told.contains("note: 16 labels are not known (empty cells) and left out of the loss"),
        "{told}"
    );
    let (weighted, told) = train("w.m", "w.csv --weight-column w");
    assert!(!told.contains("not known"), "{told}");
    assert_eq!(unknown, weighted);
    // Of one class only, in all rows: as if the class had no weight.
    let table = |cell: &str| {
        let rows = (0..20).map(|row| format!("{},{},{cell}\n", row % 7, u8::from(row % 3 == 0)));
        "x,a,b\n".to_owned() + &rows.collect::<String>()
    };
    scene.write("one.csv", table(""));
    scene.write("zero.csv", table("1"));
    scene.write("weights", "a,1\nb,0\n");
    assert_eq!(train("o.m", "one.csv").0, train("z.m", "zero.csv --class-weights weights").0);
}

#[test]
fn unknown_label_cells_do_not_count_in_the_evaluation_of_a_model() {
    let scene = scene();
    scene.run(&format!("train w.csv --ignore w --label-columns a,b {QUICK} --out m"));
    let evaluate = |table: &str, more: &str| {
        let command = format!("evaluate --model m {table} --label-columns a,b --split all {more}");
        let run = scene.run(&command);
        assert_eq!(run.code, 0, "{}", run.err);
        run.out
    };
    let numbers = |table: &str| -> Value {
        let more = format!("--json --more --per-class {table}.classes.csv");
        serde_json::from_str(&evaluate(table, &more)).unwrap()
    };
    let (unknown, without) = (numbers("u.csv"), numbers("k.csv"));
    assert_eq!(json!([unknown["unknown_label_cells"], unknown["rows"]]), json!([16, 32]));
    assert_eq!(without.get("unknown_label_cells"), None);
    for metric in ["auprc", "hamming_loss", "macro_f1", "one_error", "ranking_loss", "macro_auprc"]
    {
        assert!(without[metric].is_number(), "{metric}");
        assert_eq!(unknown[metric], without[metric], "{metric}");
    }
    assert_eq!(unknown["more"], without["more"]);
    assert_eq!(unknown["per_class"], without["per_class"]);
    let text = evaluate("u.csv", "");
    assert!(text.contains("labels not known           16  left out of all metrics"), "{text}");
    // Which rows are shuffled differs; without shuffling the metrics are the same.
    let intact = |table: &str| {
        let command =
            format!("importance --model m {table} --label-columns a,b --split all --json");
        scene.json(&command)["intact"].clone()
    };
    assert_eq!(intact("k.csv")["auprc"], without["auprc"]);
    assert_eq!(intact("u.csv"), intact("k.csv"));
}

#[test]
fn unknown_label_cells_of_a_truth_table_do_not_count() {
    let scene = Scene::new(&[
        ("s.csv", "id,a,b\n1,0.9,0.2\n2,0.8,0.7\n3,0.3,0.6\n4,0.2,0.1\n"),
        // The decisions about a in row 2 and b in row 3 would be wrong if empty meant 0.
        ("t.csv", "id,a,b\n4,0,0\n3,0,\n2,NA,1\n1,1,0\n"),
    ]);
    let tables = "--scores s.csv --truth t.csv --id-column id";
    let told = scene.json(&format!("evaluate {tables} --json"));
    assert_eq!(told["unknown_label_cells"], 2);
    assert_eq!(json!([told["auprc"], told["hamming_loss"]]), json!([1.0, 0.0]));
    let tuned = scene.json(&format!("tune-thresholds {tables} --out o.csv --json"));
    assert_eq!(tuned["before"]["macro_f1"], 1.0, "{tuned}");
    scene.write("t.csv", "id,a,b\n4,0,0\n3,0,maybe\n2,1,1\n1,1,0\n");
    let run = scene.run(&format!("evaluate {tables}"));
    assert!(run.code == 1 && run.err.contains("maybe"), "{}", run.err);
}

#[test]
fn unknown_label_cells_break_no_rule_and_follow_from_what_is_known() {
    let scene = Scene::new(&[
        ("r.rules", "a -> b\n"),
        ("d.csv", "x,a,b\n1,1,\n2,,0\n3,0,1\n4,1,1\n5,0,0\n"),
        ("s.csv", "a,b\n0.9,0.8\n0.1,0.2\n0.4,0.7\n0.8,0.9\n0.3,0.1\n"),
        ("t.csv", "a,b\n1,\n,0\n0,1\n1,1\n0,0\n"),
    ]);
    let info = scene.json("data info d.csv --label-columns a,b --rules r.rules --json");
    assert_eq!(info["split_incoherent_rows"]["train"], 0);
    let tables = "evaluate --scores s.csv --truth t.csv --rules r.rules --json";
    for (policy, unknown) in [("keep", 2), ("strict", 2), ("complete", 1)] {
        let told = scene.json(&format!("{tables} --label-policy {policy}"));
        assert_eq!(told["incoherent_truth_rows"], 0);
        assert_eq!(told["unknown_label_cells"], unknown, "{policy}");
    }
    for policy in ["strict", "complete"] {
        let run = scene.run(&format!(
            "train d.csv --label-columns a,b --rules r.rules --label-policy {policy} {QUICK} --out {policy}"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
        let told = scene.json(&format!("evaluate --model {policy} d.csv --split all --json"));
        assert_eq!(told["unknown_label_cells"], if policy == "complete" { 1 } else { 2 });
    }
}

#[test]
fn unknown_label_cells_do_not_count_where_training_stops() {
    let rows = |unknown: bool| {
        let mut table = "x,a,s\n".to_owned();
        for row in 0..30 {
            let split = if row % 3 == 2 { "valid" } else { "train" };
            table += &format!("{},{},{split}\n", row % 7, u8::from(row % 7 > 3));
            if unknown && row % 3 == 2 {
                table += &format!("{},,valid\n", 6 - row % 7);
            }
        }
        table
    };
    let scene = Scene::new(&[("u.csv", &rows(true)), ("k.csv", &rows(false))]);
    let best = |name: &str| {
        let run = scene.run(&format!(
            "train {name}.csv --label-columns a --split-column s --hidden 4 --batch 4 --patience 3 \
             --max-epochs 8 --out {name}.m"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
        scene.json(&format!("model info {name}.m --json"))["training"]["members"].clone()
    };
    let known = best("k");
    assert!(known[0]["best"].is_array(), "{known}");
    assert_eq!(best("u"), known);
}

#[test]
fn unknown_label_cells_stay_with_their_rows_and_classes() {
    let scene = scene();
    let labelled = "u.csv --label-columns a,b";
    let split = scene.run(&format!("data split {labelled} --test-share 0.25 --out parts"));
    assert_eq!(split.code, 0, "{}", split.err);
    let parts = scene.json("data info parts --label-columns a,b --json");
    assert_eq!(parts["unknown_label_cells"], 16);
    let folds = scene.run(&format!("train {labelled} --folds 3 {QUICK} --out f.m"));
    assert_eq!(folds.code, 0, "{}", folds.err);
    // Only the class that stays.
    let rare = scene.json(&format!("data info {labelled} --min-count 9 --json"));
    assert_eq!(json!([rare["classes"], rare["unknown_label_cells"]]), json!([1, 8]), "{rare}");
    let sparse = "@relation 's: -C 2'\n@attribute a {0,1}\n@attribute b {0,1}\n@attribute x numeric\n\
        @data\n{0 1,1 ?,2 5}\n{2 3}\n{0 ?}\n{1 1}\n";
    scene.write("s.arff", sparse);
    assert_eq!(scene.json("data info s.arff --json")["unknown_label_cells"], 2);
    assert_eq!(scene.run("data convert s.arff --to mulan --out s").code, 0);
    assert_eq!(scene.json("data info s --json")["unknown_label_cells"], 2);
}
