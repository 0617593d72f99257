//! Splits, and what a model remembers about its source.

use crate::scene::Scene;

/// A table of 100 rows: an id, a group of two rows each, two features, two labels that follow from them.
fn table() -> String {
    let mut text = "name,patient,x,y,tall,wide\n".to_owned();
    for row in 0..100 {
        let (x, y) = (row % 10, row / 10);
        text += &format!("r{row},p{},{x},{y},{},{}\n", row / 2, u8::from(y > 4), u8::from(x > 6));
    }
    text
}

const TRAIN: &str = "train t.csv --label-columns tall,wide --id-column name --ignore patient --hidden 4 \
                     --max-epochs 3 --out m.rulebound";

fn scene() -> Scene {
    Scene::new(&[("t.csv", &table())])
}

#[test]
fn a_single_table_is_split_by_shares() {
    let info = "data info t.csv --label-columns 2 --id-column name --ignore patient --json";
    let value = scene().json(&format!("{info} --test-share 0.2 --valid-share 0.1"));
    assert_eq!(value["split_rows"], serde_json::json!({ "train": 70, "valid": 10, "test": 20 }));
    for (options, code, text) in [
        ("--test-share 1.5", 1, "the test share is 1.5"),
        ("--split-column when", 1, "no column `when`"),
        ("--split-column name", 1, "row 1: `r0` in the column `name` is not a split"),
        ("--test-share x", 2, "--test-share"),
    ] {
        let run = scene().run(&format!("{info} {options}").replace(" --json", ""));
        assert_eq!(run.code, code, "{options}: {}", run.err);
        assert!(run.err.contains(text), "{options}: {}", run.err);
    }
}

#[test]
fn data_split_writes_files_with_all_columns() {
    let scene = scene();
    let split = "data split t.csv --label-columns tall,wide --test-share 0.2 --valid-share 0.1";
    let run = scene.run(&format!("{split} --group-column patient --out parts"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.out, "t: 70 train, 10 valid, 20 test rows written to parts\n");
    let mut all: Vec<String> = Vec::new();
    let mut groups = Vec::new();
    for part in ["train", "valid", "test"] {
        let text = scene.text(&format!("parts/{part}.csv"));
        let (header, rows) = text.split_once('\n').unwrap();
        assert_eq!(header, "name,patient,x,y,tall,wide");
        let patients = rows.lines().map(|row| row.split(',').nth(1).unwrap().to_owned());
        groups.push(patients.collect::<std::collections::HashSet<String>>());
        all.extend(rows.lines().map(str::to_owned));
    }
    assert!(groups[0].is_disjoint(&groups[1]) && groups[0].is_disjoint(&groups[2]));
    assert!(groups[1].is_disjoint(&groups[2]));
    let table = table();
    let mut expected: Vec<&str> = table.lines().skip(1).collect();
    expected.sort_unstable();
    all.sort_unstable();
    assert_eq!(all, expected, "every row once, unchanged");
    let value = scene.json("data info parts --label-columns tall,wide --id-column name --json");
    assert_eq!(value["split_rows"]["test"], 20);

    // A folder in use is not mixed with other files, and what is to be split must be said.
    let again = scene.run(&format!("{split} --out parts"));
    assert_eq!(again.code, 1);
    assert!(again.err.contains("parts is not empty"), "{}", again.err);
    assert_eq!(scene.run("data split t.csv --label-columns 2 --out new").code, 2);
    let twice = scene.run("data split parts --label-columns tall,wide --test-share 0.1 --out new");
    assert!(twice.err.contains("already has 20 test rows"), "{}", twice.err);
}

#[test]
fn other_formats_are_split_in_kind() {
    let scene = Scene::new(&[
        (
            "a.arff",
            "@relation 'r: -C -1'\n@attribute x numeric\n@attribute y {0,1}\n@data\n% no row\n1,0\n2,1\n3,0\n4,1\n",
        ),
        ("b.svm", "# no row\n0 1:1\n1 2:1\n0 1:2 # note\n1 2:3\n"),
    ]);
    for (file, part, header) in [("a.arff", "arff", 4), ("b.svm", "svm", 0)] {
        let run = scene.run(&format!("data split {file} --test-share 0.5 --out {part}"));
        assert_eq!(run.code, 0, "{}", run.err);
        for split in ["train", "test"] {
            let text = scene.text(&format!("{part}/{split}.{part}"));
            assert_eq!(text.lines().count(), header + 2, "{text}");
        }
        let value = scene.json(&format!("data info {part} --json"));
        assert_eq!(value["split_rows"], serde_json::json!({ "train": 2, "test": 2 }));
    }
}

#[test]
fn a_model_remembers_its_split_and_its_columns() {
    let scene = scene();
    let run = scene.run(&format!("{TRAIN} --test-share 0.3 --valid-share 0.2"));
    assert_eq!(run.code, 0, "{}", run.err);
    // Neither the labels nor the split need to be said again.
    let run = scene.run("evaluate --model m.rulebound t.csv");
    assert_eq!(run.code, 0, "{}", run.err);
    let says =
        "the test rows of the split that the model remembers (30 % test, 20 % validation, seed 0)";
    assert!(run.out.starts_with(says), "{}", run.out);
    assert!(run.out.contains("30 rows, 2 classes"), "{}", run.out);
    let value = scene.json("evaluate --model m.rulebound t.csv --json");
    assert_eq!(value["rows"], 30);
    assert_eq!(value["source"]["is_training_source"], true);
    assert_eq!(value["source"]["rows_seen_in_training"], 0);
    assert_eq!(value["source"]["remembered_split"]["test_share"], 0.3);
    // The rows it has seen are named.
    let value = scene.json("evaluate --model m.rulebound t.csv --split all --json");
    assert_eq!(
        (&value["rows"], &value["source"]["rows_seen_in_training"]),
        (&100.into(), &70.into())
    );
    let run = scene.run("evaluate --model m.rulebound t.csv --split train");
    assert!(run.out.contains("warning: 50 of these rows were used in training"), "{}", run.out);
    // With another split of the same source it is not known which rows were seen.
    let other = "evaluate --model m.rulebound t.csv --test-share 0.4";
    assert!(scene.run(other).out.contains("with another split"), "{}", scene.run(other).out);
    let value = scene.json(&format!("{other} --json"));
    assert!(value["source"]["rows_seen_in_training"].is_null(), "{value}");
    assert_eq!(scene.run("evaluate --model m.rulebound t.csv --split-seed 3").code, 2);
    // A changed source has no remembered split; it is said that it changed.
    scene.write("t.csv", table().replace("r99,", "r100,"));
    let run = scene.run("evaluate --model m.rulebound t.csv");
    assert!(run.out.contains("has changed since the model was trained"), "{}", run.out);
    assert!(run.out.contains("100 rows, 2 classes"), "{}", run.out);
}

#[test]
fn predict_copies_the_id_column_of_training() {
    let scene = scene();
    assert_eq!(scene.run(&format!("{TRAIN} --epochs 1").replace("--max-epochs 3", "")).code, 0);
    let run = scene.run("predict --model m.rulebound t.csv --out -");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.starts_with("name,tall,wide\nr0,"), "{}", run.out);
    // Where the file has no such column, rows are as before.
    scene.write("new.csv", "x,y\n1,2\n");
    let run = scene.run("predict --model m.rulebound new.csv --out -");
    assert!(run.out.starts_with("tall,wide\n"), "{}", run.out);
}

#[test]
fn a_single_file_is_evaluated_as_a_whole() {
    let scene = scene();
    assert_eq!(scene.run(TRAIN).code, 0);
    scene.write(
        "new.csv",
        table().lines().take(11).map(|line| format!("{line}\n")).collect::<String>(),
    );
    let run = scene.run("evaluate --model m.rulebound new.csv");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.starts_with("all rows of the source\n10 rows, 2 classes"), "{}", run.out);
    assert!(!run.out.contains("warning"), "{}", run.out);
    let value = scene.json("evaluate --model m.rulebound new.csv --json");
    assert_eq!((&value["source"]["split"], &value["rows"]), (&"all".into(), &10.into()));
    // The same file as in training: all rows, and that is said.
    let run = scene.run("evaluate --model m.rulebound t.csv");
    assert!(run.out.contains("warning: 100 of these rows were used in training"), "{}", run.out);
    // A folder of splits needs no label columns either.
    std::fs::create_dir(scene.root().join("parts")).unwrap();
    scene.write("parts/train.csv", table());
    scene.write("parts/test.csv", scene.text("new.csv"));
    assert_eq!(scene.json("evaluate --model m.rulebound parts --json")["rows"], 10);
    let run = scene.run("predict --model m.rulebound parts --out -");
    assert_eq!(run.out.lines().count(), 11, "{}", run.err);
}

#[test]
fn the_default_holdout_is_15_percent() {
    let scene = scene();
    assert_eq!(scene.run(TRAIN).code, 0);
    assert_eq!(scene.run(&format!("{TRAIN} --holdout 0.15").replace("m.rule", "n.rule")).code, 0);
    let weights = |name: &str| scene.json(&format!("model info {name} --json"))["training"].clone();
    assert_eq!(weights("m.rulebound"), weights("n.rulebound"));
    let run = scene.run(&format!("{TRAIN} --holdout 0.2 --valid-share 0.2"));
    assert_eq!(run.code, 2, "{}", run.err);
    let run = scene
        .run(&format!("{TRAIN} --force --group-column patient").replace("--ignore patient", ""));
    assert_eq!(run.code, 2);
    assert!(run.err.contains("--group-column needs --valid-share"), "{}", run.err);
}

#[test]
fn folds_score_every_row_once_and_give_one_model() {
    let scene = scene();
    let train = "train t.csv --label-columns tall,wide --id-column name --group-column patient --hidden 4 \
                 --max-epochs 3 --folds 4";
    let run = scene.run(&format!("{train} --out m.rulebound --fold-scores oof.csv"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.out.contains("fold 4: ")
            && run.out.contains("Mean and standard deviation over 4 folds"),
        "{}",
        run.out
    );
    let scores = scene.text("oof.csv");
    let ids: Vec<&str> =
        scores.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    let expected: Vec<String> = (0..100).map(|row| format!("r{row}")).collect();
    assert_eq!(ids, expected, "every row once, in the order of the table");
    assert!(scores.starts_with("name,tall,wide\n") && !scores.contains("NaN"), "{scores}");
    // The final model has seen all rows.
    assert_eq!(scene.json("model info m.rulebound --json")["training"]["rows"], 100);
    assert!(!scene.names().iter().any(|name| name.contains("fold")), "{:?}", scene.names());

    let value = scene.json(&format!("{train} --out n.rulebound --fold-scores again.csv --json"));
    assert_eq!(scene.text("again.csv"), scores, "the same bits");
    let folds = &value["folds"];
    assert_eq!(folds["each"].as_array().unwrap().len(), 4);
    let rows: u64 =
        folds["each"].as_array().unwrap().iter().map(|f| f["rows"].as_u64().unwrap()).sum();
    assert_eq!(rows, 100);
    assert!(
        folds["mean"]["auprc"].is_number() && folds["deviation"]["auprc"].is_number(),
        "{folds}"
    );
    assert_eq!(value["configuration"]["stopping"]["epochs"], folds["final_epochs"]);

    assert_eq!(scene.run(&format!("{train} --out x.rulebound --valid-share 0.1")).code, 2);
    let run = scene.run(&train.replace("--folds 4", "--folds 60 --out x.rulebound"));
    assert!(run.err.contains("50 groups cannot be divided into 60 parts"), "{}", run.err);
}

/// Out-of-fold scores before the rules are what thresholds are tuned on.
#[test]
fn scores_of_folds_are_written_before_the_rules_when_asked_for() {
    let scene = scene();
    scene.write("r", "tall -> wide\n");
    let run = scene.run(
        "train t.csv --label-columns tall,wide --id-column name --ignore patient --rules r --hidden 4 \
         --max-epochs 3 --folds 3 --out m.rulebound --fold-scores oof.csv --fold-raw raw.csv",
    );
    assert_eq!(run.code, 0, "{}", run.err);
    assert_ne!(scene.text("raw.csv"), scene.text("oof.csv"));
    let apply = "apply --rules r --scores raw.csv --id-column name --out applied.csv";
    assert_eq!(scene.run(apply).code, 0);
    assert_eq!(scene.text("applied.csv"), scene.text("oof.csv"));
    let truth: String = table()
        .lines()
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            format!("{},{},{}\n", cells[0], cells[4], cells[5])
        })
        .collect();
    scene.write("truth.csv", truth);
    let tune =
        "tune-thresholds --scores raw.csv --truth truth.csv --rules r --id-column name --out h.csv";
    let run = scene.run(tune);
    assert_eq!(run.code, 0, "{}", run.err);
}
