//! Labels that are terms of an ontology, in a table of their own: whatever a term is called, it is one class; what
//! follows from a label counts before classes are counted; and whatever does not fit is said.

use crate::scene::{Run, Scene};
use std::fmt::Write;

/// Two aspects; T:9 is an alternative id of T:4, T:8 is replaced by T:4, T:7 has gone.
const OBO: &str = "format-version: 1.2\ndata-version: 2026-01-01\n\n\
    [Term]\nid: T:1\nnamespace: biological_process\n\n\
    [Term]\nid: T:2\nnamespace: biological_process\nis_a: T:1\n\n\
    [Term]\nid: T:3\nnamespace: biological_process\nis_a: T:2\n\n\
    [Term]\nid: T:4\nalt_id: T:9\nnamespace: biological_process\nrelationship: part_of T:2\n\n\
    [Term]\nid: T:5\nnamespace: molecular_function\nrelationship: part_of T:2\nrelationship: regulates T:3\n\n\
    [Term]\nid: T:6\nnamespace: molecular_function\nis_a: T:5\n\n\
    [Term]\nid: T:8\nis_obsolete: true\nreplaced_by: T:4\n\n\
    [Term]\nid: T:7\nis_obsolete: true\nconsider: T:3\n";

/// 60 proteins; the words of column `part` are ids of no protein.
fn proteins() -> String {
    let mut text = "protein,part,x,y\n".to_owned();
    for row in 0..60 {
        let part = ["train", "train", "train", "valid", "test"][row % 5];
        writeln!(text, "P{row},{part},{}.{},{}", row % 7, row % 3, row % 4).unwrap();
    }
    text
}

/// T:3 for every third protein, T:4 for the next, T:6 for every tenth; T:1 for all.
fn labels() -> String {
    let mut text = "protein,term\n".to_owned();
    for row in 0..60 {
        let term = ["T:3", "T:4", "T:1"][row % 3];
        writeln!(text, "P{row},{term}").unwrap();
        if row % 10 == 0 {
            writeln!(text, "P{row},T:6").unwrap();
        }
    }
    text
}

fn scene(labels: &str) -> Scene {
    Scene::new(&[("go.obo", OBO), ("x.csv", &proteins()), ("labels.csv", labels)])
}

fn train(scene: &Scene, more: &str) -> Run {
    let run = scene.run(&format!(
        "train x.csv --id-column protein --label-table labels.csv --rules go.obo --out m --hidden 4 --epochs 2 {more}"
    ));
    assert_eq!(run.code, 0, "{}", run.err);
    run
}

/// How many rows have each class, in the order of the classes.
fn positives(scene: &Scene, more: &str) -> Vec<(String, u64)> {
    let value = scene.json(&format!(
        "data info x.csv --id-column protein --label-table labels.csv --rules go.obo --json {more}"
    ));
    let classes = value["label_rows"].as_object().expect("counts").clone();
    classes.into_iter().map(|(class, rows)| (class, rows.as_u64().unwrap())).collect()
}

#[test]
fn a_model_joins_labels_by_the_column_of_its_training() {
    let scene = scene(&labels());
    train(&scene, "--split-column part");
    let by_id =
        scene.run("evaluate --model m x.csv --label-table labels.csv --id-column protein --json");
    let remembered = scene.run("evaluate --model m x.csv --label-table labels.csv --json");
    assert_eq!((remembered.code, &*remembered.err), (0, &*by_id.err), "{}", remembered.err);
    assert_eq!(remembered.out, by_id.out);
    for command in [
        "tune-thresholds --model m x.csv --label-table labels.csv --out t.csv",
        "calibrate --model m x.csv --label-table labels.csv --out c",
        "importance --model m x.csv --label-table labels.csv",
    ] {
        let run = scene.run(command);
        assert_eq!(run.code, 0, "{command}: {}", run.err);
        assert!(!run.err.contains("not in the data"), "{command}: {}", run.err);
    }
}

#[test]
fn labels_of_no_row_are_an_error_with_ids_of_both_sides() {
    let scene = scene(&labels().replace('P', "sp|P"));
    for command in [
        "train x.csv --id-column protein --label-table labels.csv --out m --epochs 1",
        "data info x.csv --id-column protein --label-table labels.csv",
        "data split x.csv --id-column protein --label-table labels.csv --test-share 0.2 --out s",
        "data convert x.csv --id-column protein --label-table labels.csv --to csv --out c",
        "mine x.csv --id-column protein --label-table labels.csv --out r",
    ] {
        let run = scene.run(command);
        assert_eq!(run.code, 1, "{command}: {}", run.err);
        assert!(run.err.contains("column `protein`"), "{command}: {}", run.err);
        assert!(run.err.contains("`sp|P") && run.err.contains("`P0`"), "{}", run.err);
    }
    let run = scene.run("train x.csv --id-column part --label-table labels.csv --out m --epochs 1");
    assert_eq!(run.code, 1, "{}", run.err);
}

#[test]
fn a_header_of_a_label_table_may_have_the_names_that_such_files_have() {
    for header in ["Entry,GO ID", "EntryID,term", "protein,go_id", "x,Labels"] {
        let scene = scene(&labels().replace("protein,term", header));
        let run = train(&scene, "");
        assert!(!run.err.contains("not terms"), "{header}: {}", run.err);
    }
}

#[test]
fn what_follows_from_labels_counts_before_classes_do() {
    let scene = scene(&labels());
    // T:2 has no label of its own, and 40 rows by its descendants.
    let found = positives(&scene, "");
    assert!(found.contains(&("T:2".to_owned(), 40)), "{found:?}");
    assert!(found.contains(&("T:3".to_owned(), 20)), "{found:?}");
    // A term that is left out leaves its rows to those above it.
    let found = positives(&scene, "--min-count 25");
    assert_eq!(found, [("T:1".to_owned(), 60), ("T:2".to_owned(), 40)]);
    let hidden = positives(&scene, "--unknown-labels hide");
    assert!(!hidden.iter().any(|(class, _)| class == "T:2"), "{hidden:?}");
    let kept = positives(&scene, "--unknown-labels keep --min-count 10");
    assert!(!kept.iter().any(|(_, rows)| *rows < 10), "{kept:?}");
}

#[test]
fn a_term_is_one_class_whatever_it_is_called() {
    let plain = scene(&labels());
    let expected = positives(&plain, "");
    let mixed: String = labels()
        .lines()
        .enumerate()
        .map(|(line, text)| {
            let others = ["T:9", "T:8", "T_4", "t:4", "T4"];
            text.replace("T:4", others[line / 3 % others.len()]) + "\n"
        })
        .collect();
    assert_ne!(mixed, labels());
    let other = scene(&mixed);
    assert_eq!(positives(&other, ""), expected);
    assert_eq!(positives(&other, "--min-count 15"), positives(&plain, "--min-count 15"));
}

#[test]
fn what_an_ontology_does_not_know_is_named_and_too_much_of_it_refused() {
    let few = scene(&(labels() + "P1,T:7\nP2,U:1\n"));
    let run = train(&few, "");
    assert!(run.err.contains("2 of "), "{}", run.err);
    assert!(
        run.err.contains("`T:7 (obsolete; consider T:3)`") && run.err.contains("`U:1`"),
        "{}",
        run.err
    );
    let refused = few.run(
        "train x.csv --id-column protein --label-table labels.csv --rules go.obo --out n --epochs 1 \
         --unknown-labels error",
    );
    assert_eq!(refused.code, 1, "{}", refused.err);
    let most = scene("P1,U:1\nP2,U:2\nP3,T:3\n");
    let arguments = "train x.csv --id-column protein --label-table labels.csv --rules go.obo --out m --hidden 4 --epochs 1";
    let run = most.run(arguments);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.err.contains("2 classes of 3 are not terms"), "{}", run.err);
    assert_eq!(most.run(&format!("{arguments} --unknown-labels keep")).code, 0);
    let none = scene("P1,U:1\nP2,U:2\n");
    let run = none.run(&format!("{arguments} --unknown-labels keep"));
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(
        run.err.contains("none of the classes is a term") && run.err.contains("`T:1`"),
        "{}",
        run.err
    );
}

/// The truth has terms that the model was not trained for: they count for what they imply.
#[test]
fn the_truth_of_a_model_is_completed_before_it_is_cut_to_its_classes() {
    let scene = scene(&labels());
    train(&scene, "--min-count 25 --split-column part");
    let arguments = "evaluate --model m x.csv --label-table labels.csv --split all --json";
    let remembered = scene.json(arguments);
    // By hand: the same truth, closed.
    let mut closed = "protein,term\n".to_owned();
    for row in 0..60 {
        writeln!(closed, "P{row},T:1").unwrap();
        if row % 3 < 2 {
            writeln!(closed, "P{row},T:2").unwrap();
        }
    }
    std::fs::write(scene.path("closed.csv"), closed).unwrap();
    let by_hand = scene.json(&arguments.replace("labels.csv", "closed.csv"));
    assert_eq!(remembered["metrics"], by_hand["metrics"]);
    // Without the ontology nobody knows what follows, and it is said; with it, it need not be where it was.
    std::fs::rename(scene.path("go.obo"), scene.path("moved.obo")).unwrap();
    let run = scene.run(arguments);
    assert!(run.err.contains("labels of 3 classes that the model does not have"), "{}", run.err);
    let given = scene.json(&format!("{arguments} --rules moved.obo"));
    assert_eq!(given["metrics"], by_hand["metrics"]);
}

#[test]
fn rows_without_labels_can_be_left_out() {
    let some: String = labels().lines().take(31).map(|line| line.to_owned() + "\n").collect();
    let scene = scene(&some);
    let rows = |more: &str| {
        let arguments = "data info x.csv --id-column protein --label-table labels.csv --json";
        scene.json(&format!("{arguments} {more}"))["rows"].clone()
    };
    let labelled = some.lines().skip(1).map(|line| line.split(',').next().unwrap());
    let labelled = labelled.collect::<std::collections::HashSet<_>>().len();
    assert_eq!((rows(""), rows("--unlabelled drop")), (60.into(), labelled.into()));
}

#[test]
fn check_says_what_of_an_ontology_is_used() {
    let scene = scene("");
    let value = scene.json("check go.obo --json");
    let used = &value["ontology"];
    assert_eq!(used["version"], "2026-01-01");
    assert_eq!(
        (&used["terms"], &used["is_a"], &used["part_of"]),
        (&6.into(), &3.into(), &1.into())
    );
    assert_eq!(
        (&used["alternatives"], &used["obsolete"], &used["replaced"]),
        (&1.into(), &2.into(), &1.into())
    );
    assert_eq!(
        (&used["across_aspects"], &used["other_relations"]["regulates"]),
        (&1.into(), &1.into())
    );
    let run = scene.run("check go.obo");
    assert!(
        run.out.contains("1 part_of from one aspect of the Gene Ontology to another"),
        "{}",
        run.out
    );
    std::fs::write(scene.path("twice.obo"), format!("{OBO}\n[Term]\nid: T:10\nalt_id: T:9\n"))
        .unwrap();
    let run = scene.run("check twice.obo");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("alternative id of another term"), "{}", run.err);
}

#[test]
fn tables_of_scores_may_call_terms_otherwise() {
    let scene = scene("");
    let write = |name: &str, text: &str| std::fs::write(scene.path(name), text).unwrap();
    write("wide.csv", "id,T_1,T:2,T:9\na,0.1,0.2,0.7\n");
    let run = scene.run("apply --rules go.obo --scores wide.csv --id-column id --out o.csv");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(scene.text("o.csv"), "id,T_1,T:2,T:9\na,0.7,0.7,0.7\n");
    write("twice.csv", "T:1,T:4,T:9\n0.1,0.2,0.7\n");
    let run = scene.run("apply --rules go.obo --scores twice.csv --out o.csv");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("`T:4` and `T:9` are one term"), "{}", run.err);
    write("long.csv", "id,class,score\na,T:9,0.7\na,T_4,0.8\nb,T:8,0.5\n");
    let run = scene.run("apply --rules go.obo --layout long --scores long.csv --out o.csv");
    assert_eq!(run.code, 0, "{}", run.err);
    let expected =
        "id,class,score\na,T:1,0.8\na,T:2,0.8\na,T:4,0.8\nb,T:1,0.5\nb,T:2,0.5\nb,T:4,0.5\n";
    assert_eq!(scene.text("o.csv"), expected);
    // All that is unknown at once, with what the ontology knows of it.
    write("long.csv", "id,class,score\na,T:7,0.7\na,T:4,0.8\nb,U:5,0.5\n");
    let run = scene.run("apply --rules go.obo --layout long --scores long.csv --out p.csv");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("row 1: `T:7 (obsolete; consider T:3)`"), "{}", run.err);
    assert!(run.err.contains("nor are `U:5`") && !run.err.contains("did you mean"), "{}", run.err);
}

#[test]
fn options_that_would_be_ignored_are_refused() {
    let scene = scene(&labels());
    train(&scene, "--split-column part");
    for option in [
        "--test-share 0.2",
        "--label-table labels.csv",
        "--min-count 3",
        "--nominal x",
        "--ignore x",
    ] {
        let run = scene.run(&format!("predict --model m x.csv --out o.csv {option}"));
        assert_eq!(run.code, 2, "{option}: {}", run.err);
        assert!(run.err.contains(option.split(' ').next().unwrap()), "{option}: {}", run.err);
    }
    std::fs::write(scene.path("s.csv"), "a\n0.5\n").unwrap();
    for option in [
        "--test-share 0.2",
        "--label-table labels.csv",
        "--data-seed 3",
        "--nominal x",
        "--memory-limit 1GB",
    ] {
        let run = scene.run(&format!("evaluate --scores s.csv --truth s.csv {option}"));
        assert_eq!(run.code, 2, "{option}: {}", run.err);
    }
}

/// What one command writes the next one reads, whatever the columns call the terms.
#[test]
fn thresholds_of_terms_are_those_of_their_ids() {
    let scene = scene("");
    let write = |name: &str, text: &str| std::fs::write(scene.path(name), text).unwrap();
    write("s.csv", "id,T_1,T:2,T:9,T:7\na,0.1,0.2,0.7,0.5\nb,0.6,0.3,0.2,0.1\n");
    write("t.csv", "id,T:8,T:2,T:1,T:7\na,1,1,1,0\nb,0,0,1,0\n");
    let tune = "tune-thresholds --scores s.csv --truth t.csv --rules go.obo --id-column id";
    let run = scene.run(&format!("{tune} --out th.csv"));
    assert_eq!(run.code, 0, "{}", run.err);
    let written: Vec<String> = scene
        .text("th.csv")
        .lines()
        .skip(1)
        .map(|line| line.split(',').next().unwrap().to_owned())
        .collect();
    assert_eq!(written, ["T:4", "T:2", "T:1", "T:7"]);
    // T:7 is a column and no term: its threshold decides nothing here.
    let apply = "apply --rules go.obo --scores s.csv --id-column id --out o.csv --decisions d.csv";
    let run = scene.run(&format!("{apply} --thresholds th.csv"));
    assert_eq!(run.code, 0, "{}", run.err);
    write("other.csv", "class,threshold\nT:9,0.65\nt_2,0.65\nT1,0.65\n");
    let run = scene.run(&format!("{apply} --thresholds other.csv"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(scene.text("d.csv"), "id,T_1,T:2,T:9\na,1,1,1\nb,0,0,0\n");
    for (thresholds, told) in [
        ("T:4,0.5\nT:9,0.5\n*,0.5\n", "\"T:9\" already has a threshold, on line 1 as \"T:4\""),
        ("T:11,0.5\n*,0.5\n", "there is no class \"T:11\", and the ontology has no such term"),
    ] {
        write("bad.csv", thresholds);
        for command in [apply, "explain --rules go.obo --scores s.csv --id-column id --row 1"] {
            let run = scene.run(&format!("{command} --thresholds bad.csv"));
            assert_eq!(run.code, 1, "{command}");
            assert!(run.err.contains(told), "{command}: {}", run.err);
            assert!(!run.err.contains("did you mean"), "{}", run.err);
        }
    }
    let evaluate = "evaluate --scores s.csv --truth t.csv --rules go.obo --id-column id --json";
    let run = scene.run(&format!("{evaluate} --thresholds th.csv"));
    assert_eq!(run.code, 0, "{}", run.err);
    // An obsolete term that nothing replaces is none of the classes, and the ontology says what to consider.
    write("bad.csv", "T:7,0.5\n*,0.5\n");
    write("few.csv", "id,T_1,T:2,T:9\na,0.1,0.2,0.7\n");
    let run = scene.run(
        "apply --rules go.obo --scores few.csv --id-column id --out o.csv --thresholds bad.csv",
    );
    assert!(run.code == 1 && run.err.contains("(obsolete; consider T:3)"), "{}", run.err);
}

#[test]
fn options_and_files_about_classes_may_call_terms_otherwise() {
    let scene = scene(&labels());
    let write = |name: &str, text: &str| std::fs::write(scene.path(name), text).unwrap();
    write("w.csv", "class,weight\nT:9,2\n*,1\n");
    train(&scene, "--split-column part --class-weights w.csv");
    write("w.csv", "class,weight\nT:9,2\nT:4,3\n*,1\n");
    let run = scene.run(
        "train x.csv --id-column protein --label-table labels.csv --rules go.obo --out n --epochs 1 \
         --class-weights w.csv",
    );
    assert_eq!(run.code, 1);
    assert!(run.err.contains("\"T:4\" already has a weight, on line 2 as \"T:9\""), "{}", run.err);
    // The model remembers the ontology.
    write("th.csv", "class,threshold\nT:9,0.01\n*,0.9\n");
    write("main.csv", "class,threshold\nT:4,0.01\n*,0.9\n");
    for thresholds in ["th.csv", "main.csv"] {
        let run = scene.run(&format!(
            "predict --model m x.csv --thresholds {thresholds} --decisions {thresholds}.d --out-format csv --out o.csv"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
    }
    assert_eq!(scene.text("th.csv.d"), scene.text("main.csv.d"));
    for command in
        ["explain --model m x.csv --row 1", "importance --model m x.csv --label-table labels.csv"]
    {
        let run = scene.run(&format!("{command} --label t_9"));
        assert_eq!(run.code, 0, "{command}: {}", run.err);
        let run = scene.run(&format!("{command} --label T:99"));
        assert_eq!(run.code, 1);
        assert!(!run.err.contains("did you mean"), "{command}: {}", run.err);
    }
    let run = scene.run("explain --model m x.csv --row 1 --label T:7");
    assert!(run.err.contains("obsolete term; consider T:3"), "{}", run.err);
    // Tables: other names in each of them, and in the files beside them.
    write("s.csv", "id,T:1,T:4\na,0.1,0.7\nb,0.6,0.2\n");
    write("t.csv", "id,T:9,T_1\na,1,1\nb,0,1\n");
    write("seen.txt", "T:8\nT:1\n");
    write("costs.csv", "class,false_positive,false_negative\nT:8,1,10\n*,1,1\n");
    let tables = "--scores s.csv --truth t.csv --rules go.obo --id-column id";
    let run = scene.run(&format!(
        "evaluate {tables} --labels-in-metrics seen --labels-seen seen.txt --per-class c.csv"
    ));
    assert_eq!(run.code, 0, "{}", run.err);
    let classes = scene.text("c.csv");
    assert!(classes.contains("\nT:4,") && classes.contains("\nT:1,"), "{classes}");
    let run =
        scene.run(&format!("tune-thresholds {tables} --costs costs.csv --force --out th.csv"));
    assert_eq!(run.code, 0, "{}", run.err);
    write("seen.txt", "T:8\nT:4\n");
    let run =
        scene.run(&format!("evaluate {tables} --labels-in-metrics seen --labels-seen seen.txt"));
    assert!(run.code == 2 && run.err.contains("`T:8` and `T:4`"), "{}", run.err);
    write("t.csv", "id,T:9,T_1,T:4\na,1,1,1\nb,0,1,0\n");
    let run = scene.run(&format!("evaluate {tables}"));
    assert!(run.code == 1 && run.err.contains("`T:9` and `T:4` are one term"), "{}", run.err);
}

#[test]
fn columns_that_are_no_terms_are_told() {
    let scene = scene("");
    let odd: Vec<String> = (0..25).map(|column| format!("U:{column}")).collect();
    let write = |name: &str, text: &str| std::fs::write(scene.path(name), text).unwrap();
    write(
        "s.csv",
        &format!("id,T:1,T:4,T:7,{}\na,0.1,0.7,0.2{}\n", odd.join(","), ",0.5".repeat(25)),
    );
    let apply = "apply --rules go.obo --scores s.csv --out o.csv";
    let run = scene.run(apply);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.contains("26 columns are no terms of go.obo and are copied as they are: `T:7 (obsolete; consider T:3)`, `U:0`"),
        "{}",
        run.err
    );
    assert!(run.err.contains("`U:18`") && !run.err.contains("`U:19`"), "{}", run.err);
    let found = scene.json(&format!("{apply} --json"));
    assert_eq!(found["passed_columns"].as_array().unwrap().len(), 26);
    write("s.csv", "id,T:1,T:4\na,0.1,0.7\n");
    assert_eq!(scene.json(&format!("{apply} --json"))["passed_columns"], serde_json::json!([]));
    assert!(!scene.run(apply).err.contains("copied"));
}
