use crate::scene::{Run, Scene};
use serde_json::Value;

/// Four points that take no time.
const SMALL: &str = "--hidden 3,6 --learning-rates 0.01,0.001 --dropouts 0.1 --weight-decays 0 \
                     --batches 250 --max-epochs 3";

fn tune(scene: &Scene, more: &str) -> Run {
    scene.run(&format!("tune rectangles {SMALL} --out tuned.csv {more}"))
}

#[test]
fn a_search_ends_with_a_table_and_the_command_for_the_best_point() {
    let scene = Scene::new(&[]);
    let options = "--members 2 --seed 4 --arrangement inside --monitor loss --patience 2";
    let run = tune(&scene, options);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.out.starts_with("all of 4 points, ranked by loss on the validation rows, mean of 2")
    );
    assert_eq!(scene.text("tuned.csv").lines().count(), 5);
    assert_eq!(scene.names(), ["tuned.csv", "tuned.csv.toml"]);

    // The same command again reads the table: the same text without any training.
    let table = scene.text("tuned.csv");
    let again = tune(&scene, options);
    assert_eq!(again.out, run.out);
    assert!(again.err.contains("4 of 4 points already in the table"), "{}", again.err);
    assert_eq!(scene.text("tuned.csv"), table);

    // And the command it prints gives exactly that value.
    let output = tune(&scene, &format!("{options} --json"));
    let output: Value = serde_json::from_str(&output.out).unwrap();
    let trials = output["trials"].as_array().unwrap();
    let values: Vec<f64> = trials.iter().map(|trial| trial["value"].as_f64().unwrap()).collect();
    assert!(values.is_sorted(), "{values:?}");
    assert_eq!(trials[0]["diverged"], false);
    let command = output["command"].as_str().unwrap();
    assert_eq!(run.out.lines().last().unwrap().trim(), command);
    let command = command.strip_prefix("rulebound ").unwrap();
    let trained = scene.json(&format!("{command} --json"));
    let members = trained["training"]["members"].as_array().unwrap();
    let best = |member: &Value| member["best"][1].as_f64().unwrap();
    assert_eq!((best(&members[0]) + best(&members[1])) / 2.0, values[0]);
    let epochs: Vec<&Value> = members.iter().map(|member| &member["epochs"]).collect();
    assert_eq!(serde_json::json!(epochs), trials[0]["best_epoch"]);
}

#[test]
fn a_killed_search_resumes_to_the_same_table() {
    let scene = Scene::new(&[]);
    let whole = tune(&scene, "");
    assert_eq!(whole.code, 0, "{}", whole.err);
    let table = scene.text("tuned.csv");
    let cut = table.lines().take(3).collect::<Vec<_>>().join("\n") + "\n6,0.0";
    std::fs::write(scene.path("tuned.csv"), &cut).unwrap();
    let again = tune(&scene, "");
    assert!(again.err.contains("2 of 4 points already in the table"), "{}", again.err);
    assert_eq!(again.out, whole.out);
    let kept: Vec<String> = scene.text("tuned.csv").lines().take(3).map(str::to_owned).collect();
    assert!(table.lines().take(3).eq(kept));
}

#[test]
fn a_larger_budget_adds_points() {
    let scene = Scene::new(&[]);
    assert_eq!(tune(&scene, "--budget 2").code, 0);
    assert_eq!(scene.text("tuned.csv").lines().count(), 3);
    let more = tune(&scene, "--budget 3");
    assert!(more.err.contains("2 of 3 points already in the table"), "{}", more.err);
    assert_eq!(scene.text("tuned.csv").lines().count(), 4);
    // A budget beyond the grid is the whole grid.
    assert_eq!(tune(&scene, "--budget 99999999999 --jobs 2").code, 0);
    assert_eq!(scene.text("tuned.csv").lines().count(), 5);
}

#[test]
fn a_dry_run_lists_points_and_parameters_and_writes_nothing() {
    let scene = Scene::new(&[]);
    let run = scene.run("tune rectangles --hidden 3 --batches 4 --dry-run --out tuned.csv");
    assert_eq!(run.code, 0, "{}", run.err);
    // 2 inputs, 3 and 3 units, 2 classes: 9 + 12 + 8.
    assert!(run.out.lines().nth(1).unwrap().ends_with(" 29"), "{}", run.out);
    assert!(run.out.ends_with("\n12 points; nothing was trained\n"), "{}", run.out);
    let count =
        |what: &str| scene.json(&format!("tune {what} --dry-run --out t --json"))["count"].clone();
    assert_eq!(count("rectangles"), 576);
    assert_eq!(count("three-classes"), 1458);
    assert_eq!(count("three-classes --budget 50"), 50);
    assert_eq!(scene.names(), Vec::<String>::new());
}

#[test]
fn the_table_of_another_search_is_refused() {
    let scene = Scene::new(&[("other.csv", "a,b\n1,2\n")]);
    assert_eq!(tune(&scene, "--budget 1").code, 0);
    let table = scene.text("tuned.csv");
    for (other, expected) in [
        ("--seed 1", "the seed was 0, now 1"),
        ("--method none", "the method was ccn, now none"),
        ("--monitor loss", "the monitor was auprc, now loss"),
        ("--data-seed 1", "the data or the rules have changed"),
        ("--patience 3", "patience"),
    ] {
        let run = tune(&scene, &format!("--budget 1 {other}"));
        assert_eq!(run.code, 1, "{other}");
        assert!(run.err.contains(expected), "{}", run.err);
        assert!(run.err.contains("another --out"), "{}", run.err);
    }
    assert_eq!(scene.text("tuned.csv"), table);
    let run = scene.run(&format!("tune rectangles {SMALL} --out other.csv"));
    assert_eq!(run.code, 1);
    assert!(run.err.contains("not a table of trials"), "{}", run.err);
    assert_eq!(scene.text("other.csv"), "a,b\n1,2\n");
}

#[test]
fn broken_arguments_are_usage_errors_and_leave_nothing() {
    let scene = Scene::new(&[]);
    for wrong in [
        "--hidden 0",
        "--hidden 3,x",
        "--hidden 99999999",
        "--hidden=",
        "--learning-rates nan",
        "--learning-rates 0.1,-1",
        "--dropouts 1",
        "--weight-decays=-1",
        "--weight-decays inf",
        "--batches 0",
        "--budget 0",
        "--budget -1",
        "--jobs 0",
        "--members 0",
        "--patience 0",
        "--max-epochs 0",
        "--holdout 1",
        "--method magic",
        "--monitor luck",
        "--out tuned.csv.gz",
        "--out -",
    ] {
        let out = if wrong.starts_with("--out") { "" } else { "--out tuned.csv" };
        let run = scene.run(&format!("tune rectangles {out} {wrong}"));
        assert_eq!(run.code, 2, "{wrong}: {}", run.err);
    }
    let run = scene.run("tune rectangles --dropouts 1,2,1 --batches 0 --out tuned.csv");
    assert_eq!(run.err.matches("error: ").count(), 3, "{}", run.err);
    assert_eq!(scene.run("tune no-such-data --out tuned.csv").code, 1);
    assert_eq!(scene.run("tune rectangles --out .").code, 1);
    assert_eq!(scene.run("tune rectangles --out no/such/folder.csv").code, 1);
    assert_eq!(scene.names(), Vec::<String>::new());
}

/// Ctrl-C, as a shell sends it.
#[cfg(unix)]
#[test]
fn a_stopped_search_says_how_to_resume() {
    use rulebound_testing::wait_until;
    use std::process::{Command, Stdio};
    let scene = Scene::new(&[]);
    let search = "tune rectangles --hidden 200 --learning-rates 0.001 --dropouts 0.5 \
                  --weight-decays 0 --batches 4 --patience 1000 --threads 1 --out tuned.csv";
    let child = Command::new(assert_cmd::cargo::cargo_bin("rulebound"))
        .current_dir(scene.root())
        .args(search.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let checkpoint = "tuned.csv.200-0.001-0.5-0-4.checkpoint";
    wait_until("there is a checkpoint", || scene.path(checkpoint).exists());
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert!(
        err.contains("tuned.csv has 0 of 1 point; run the same command again to continue"),
        "{err}"
    );
    assert_eq!(scene.names(), ["tuned.csv", checkpoint, "tuned.csv.toml"]);
}
