use crate::scene::Scene;

const RULES: &str = "stomach -> gut\nabdomen, not upper -> lower\n-> image\n";
const SCORES: &str = "id,stomach,gut,abdomen,upper,lower,image,note\n\
    r1,0.90,0.1,0.8,0.30,2e-1,0.01,\"x, y\"\n\
    r2,0.1,0.9,0.4,0.9,.5,1,\n";

fn scene() -> Scene {
    Scene::new(&[("r", RULES), ("s.csv", SCORES)])
}

#[test]
fn scores_come_out_coherent_and_exact() {
    let scene = scene();
    let run =
        scene.run("apply --rules r --scores s.csv --out o.csv --decisions d.csv --delegates g.csv");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(
        run.out
            .starts_with("2 rows: 1 broke a rule before (50.0 %), none does now; 3 scores changed"),
        "{}",
        run.out
    );
    assert_eq!(
        scene.text("o.csv"),
        "id,stomach,gut,abdomen,upper,lower,image,note\n\
         r1,0.90,0.90,0.8,0.30,0.7,1.0,\"x, y\"\nr2,0.1,0.9,0.4,0.9,.5,1,\n"
    );
    assert_eq!(
        scene.text("d.csv"),
        "id,stomach,gut,abdomen,upper,lower,image,note\nr1,1,1,1,0,1,1,\"x, y\"\nr2,0,1,0,1,0,1,\n"
    );
    assert_eq!(
        scene.text("g.csv"),
        "id,stomach,gut,abdomen,upper,lower,image,note\n\
         r1,stomach,stomach,abdomen,upper,not upper,-> image,\"x, y\"\n\
         r2,stomach,gut,abdomen,upper,lower,image,\n"
    );
}

#[test]
fn an_id_column_is_all_that_decisions_carry() {
    let scene = scene();
    let run = scene.run("apply --rules r --scores s.csv --out o.csv --decisions - --id-column id");
    assert_eq!(run.code, 0);
    assert_eq!(
        run.out,
        "id,stomach,gut,abdomen,upper,lower,image\nr1,1,1,1,0,1,1\nr2,0,1,0,1,0,1\n"
    );
    let run = scene.run("apply --rules r --scores s.csv --out o.csv --id-column nr");
    assert_eq!(run.code, 1);
    assert!(
        run.err.contains("nr") && run.err.contains("the columns are id, stomach"),
        "{}",
        run.err
    );
}

#[test]
fn standard_input_to_standard_output() {
    let scene = scene();
    let run = scene.run_with("apply --rules r --scores - --out -", SCORES);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(run.out.ends_with("r2,0.1,0.9,0.4,0.9,.5,1,\n"));
}

#[test]
fn logits_are_negated_by_their_sign() {
    let scene = Scene::new(&[
        ("r", "a -> b\nnot a -> c\n"),
        ("s.tsv", "a\tb\tc\n-1.25\t-3\t0.5\n0\t-inf\t-7\n"),
    ]);
    assert_eq!(scene.run("apply --rules r --scores s.tsv --out o.tsv --logits").code, 0);
    assert_eq!(scene.text("o.tsv"), "a\tb\tc\n-1.25\t-1.25\t1.25\n0\t0\t5e-324\n");
}

#[test]
fn thresholds_per_class() {
    // b needs 0.9 and is decided by a, which is as far above its 0.3.
    let files =
        [("r", "a -> b\n"), ("s.csv", "a,b\n0.4,0.5\n0.2,0.1\n"), ("t.csv", "a,0.3\n*,0.9\n")];
    let scene = Scene::new(&files);
    assert_eq!(
        scene
            .run("apply --rules r --scores s.csv --out o.csv --decisions d.csv --thresholds t.csv")
            .code,
        0
    );
    assert_eq!(scene.text("d.csv"), "a,b\n1,1\n0,0\n");
    let b: f64 =
        scene.text("o.csv").lines().nth(1).unwrap().split(',').nth(1).unwrap().parse().unwrap();
    // Odds (0.4/0.6) / (0.3/0.7) above 0.9/0.1.
    let odds = (0.4 / 0.6) / (0.3 / 0.7) * 9.0;
    assert!((b - odds / (1.0 + odds)).abs() < 1e-12 && b > 0.9, "{b}");
    assert_eq!(
        scene
            .run("apply --rules r --scores s.csv --out o.csv --thresholds t.csv --threshold 0.4")
            .code,
        2
    );
    assert_eq!(scene.run("apply --rules r --scores s.csv --out o.csv --threshold 0").code, 2);
}

#[test]
fn a_uniform_threshold_moves_decisions_but_copies_stay_copies() {
    let scene =
        Scene::new(&[("r", "a -> b\n"), ("s.csv", "a,b\n0.30000000000000004,0.3\n0.3,0.2\n")]);
    assert_eq!(
        scene
            .run("apply --rules r --scores s.csv --out o.csv --decisions d.csv --threshold 0.3")
            .code,
        0
    );
    assert_eq!(scene.text("o.csv"), "a,b\n0.30000000000000004,0.30000000000000004\n0.3,0.3\n");
    assert_eq!(scene.text("d.csv"), "a,b\n1,1\n0,0\n");
}

#[test]
fn nothing_is_written_when_something_is_wrong() {
    let scene = Scene::new(&[
        ("r", "a -> b\n"),
        ("s.csv", "a,b\n0.4,0.5\n,0.1\nnan,2\n"),
        ("o.csv", "precious\n"),
    ]);
    let run = scene.run("apply --rules r --scores s.csv --out o.csv --decisions d.csv");
    assert_eq!(run.code, 1);
    for part in
        ["row 2 (line 3), column 1", "row 3 (line 4), column 2", "outside [0, 1]", "--logits"]
    {
        assert!(run.err.contains(part), "{}", run.err);
    }
    assert_eq!(scene.text("o.csv"), "precious\n");
    assert_eq!(scene.names(), ["o.csv", "r", "s.csv"]);
    let value = scene.json("apply --rules r --scores s.csv --out o.csv --json");
    assert_eq!(value["errors"][0]["row"], 2);
    assert_eq!(value["errors"][0]["class"], "a");
}

#[test]
fn classes_without_a_column_are_named() {
    let scene = Scene::new(&[
        ("r", "a -> b\nc -> b\n"),
        ("s.csv", "a,x\n0.4,0.5\n"),
        ("l", "a\nb\nc\nspare\n"),
    ]);
    let run = scene.run("apply --rules r --scores s.csv --unknown-labels error --out o.csv");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("no column for b, c"), "{}", run.err);
    // A label that no rule speaks of needs none.
    let scene =
        Scene::new(&[("r", "a -> b\n"), ("s.csv", "a,b\n0.4,0.1\n"), ("l", "a\nb\nspare\n")]);
    assert_eq!(scene.run("apply --rules r --labels l --scores s.csv --out o.csv").code, 0);
    assert_eq!(scene.text("o.csv"), "a,b\n0.4,0.4\n");
}

#[test]
fn numbered_rules_are_applied_through_the_label_list() {
    let scene = Scene::new(&[
        ("r", "0.1 1 :- 0\n"),
        ("l", "cat\nanimal\n"),
        ("s.csv", "animal,cat\n0.1,0.7\n"),
    ]);
    assert_eq!(scene.run("apply --rules r --labels l --scores s.csv --out o.csv").code, 0);
    assert_eq!(scene.text("o.csv"), "animal,cat\n0.7,0.7\n");
}

#[test]
fn parquet_and_gzip_there_and_back() {
    let scene = scene();
    assert_eq!(scene.run("apply --rules r --scores s.csv --out o.parquet").code, 0);
    assert_eq!(scene.run("apply --rules r --scores o.parquet --out p.csv.gz").code, 0);
    assert_eq!(scene.run("apply --rules r --scores p.csv.gz --out q.csv").code, 0);
    assert_eq!(scene.run("apply --rules r --scores s.csv --out direct.csv").code, 0);
    let numbers = |name: &str| -> Vec<f64> {
        scene.text(name).split([',', '\n']).filter_map(|cell| cell.parse().ok()).collect()
    };
    assert_eq!(numbers("q.csv"), numbers("direct.csv"));
}

#[test]
fn an_output_is_a_file_of_its_own() {
    let scene = scene();
    assert_eq!(scene.run("apply --rules r --scores s.csv --out s.csv").code, 2);
    assert_eq!(scene.text("s.csv"), SCORES);
    assert_eq!(scene.run("apply --rules r --scores s.csv --out - --decisions -").code, 2);
    assert_eq!(scene.run("apply --rules r --scores s.csv --out x.csv --delegates x.csv").code, 2);
    assert_eq!(scene.run("apply --rules - --scores - --out x.csv").code, 2);
    assert_eq!(scene.run("apply --rules r --scores s.csv --out x.docx").code, 1);
    assert_eq!(scene.run("apply --rules r --scores s.csv --out no/where.csv").code, 1);
}

#[test]
fn one_place_under_two_names_is_still_one_place() {
    let scene = scene();
    assert_eq!(scene.run("apply --rules r --scores s.csv --out ./x.csv --decisions x.csv").code, 2);
    assert_eq!(
        scene.run_with("apply --rules - --labels - --scores s.csv --out x.csv", RULES).code,
        2
    );
    assert_eq!(scene.run_with("check - --labels -", RULES).code, 2);
    assert_eq!(scene.run_with("explain --rules - --scores - --row 1", RULES).code, 2);
    assert_eq!(scene.names(), ["r", "s.csv"]);
}

#[test]
fn a_class_that_follows_from_a_fact_names_the_fact() {
    let scene = Scene::new(&[("r", "-> f\nf -> b\n"), ("s.csv", "f,b\n0.3,0.2\n")]);
    let run = scene.run("apply --rules r --scores s.csv --out o.csv --delegates -");
    assert_eq!(run.out, "f,b\n-> f,-> f\n");
}

#[test]
fn a_negation_that_rounds_to_the_score_itself_leaves_its_text() {
    let scene = Scene::new(&[("r", "not q -> a\n"), ("s.csv", "q,a\n0.3,0.70\n")]);
    let value = scene.json("apply --rules r --scores s.csv --out o.csv --json");
    assert_eq!(
        (scene.text("o.csv").as_str(), &value["changed_scores"]),
        ("q,a\n0.3,0.70\n", &0.into())
    );
}

#[test]
fn no_score_is_lowered_by_the_rounding_between_thresholds() {
    let files =
        [("r", "a -> b\n"), ("s.csv", "a,b\n0.97,0.9326923076923076\n"), ("t", "a,0.5\nb,0.3\n")];
    let scene = Scene::new(&files);
    assert_eq!(scene.run("apply --rules r --scores s.csv --thresholds t --out o.csv").code, 0);
    assert_eq!(scene.text("o.csv"), files[1].1);
}

#[test]
fn the_summary_is_there_for_machines() {
    let value = scene().json("apply --rules r --scores s.csv --out o.csv --json");
    assert_eq!(value["rows"], 2);
    assert_eq!(value["changed_scores"], 3);
    assert_eq!(value["changed_rows"], 1);
    assert_eq!(value["incoherent_rows"], 1);
    assert_eq!(value["broken_rules"].as_array().unwrap().len(), 3);
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_is_not_an_error() {
    use std::process::{Command, Stdio};
    let rows: String = (0..200_000).map(|i| format!("0.{i},0.1\n")).collect();
    let scene = Scene::new(&[("r", "a -> b\n"), ("s.csv", &format!("a,b\n{rows}"))]);
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("rulebound"))
        .current_dir(scene.root())
        .args(["apply", "--rules", "r", "--scores", "s.csv", "--out", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}
