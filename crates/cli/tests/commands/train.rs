//! `train`, `model`, `predict` and `evaluate --model` in the order a user runs them.

use crate::scene::Scene;
use rulebound_testing::wait_until;
use std::process::{Command, Stdio};
use std::time::Duration;

const QUICK: &str = "--hidden 8 --epochs 3 --batch 100";

#[test]
fn from_data_to_predictions_that_obey_the_rules() {
    let scene = Scene::new(&[("points.csv", "y,name,x,extra\n0.5,p,0.5,7\n0.1,q,0.9,8\n")]);
    let run = scene.run("train three-classes --hidden 16 --epochs 30 --batch 50 --out m.rulebound");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("written to m.rulebound") && run.err.is_empty(), "{}", run.err);
    assert_eq!(scene.names(), ["m.rulebound", "m.rulebound.log", "m.rulebound.toml", "points.csv"]);

    let info = scene.json("model info m.rulebound --json");
    assert_eq!(info["class_names"], serde_json::json!(["A", "A1", "A2"]));
    assert_eq!(info["shape"], "2-16-3");
    assert!(scene.run("model info m.rulebound").out.contains("predictions never break a rule"));
    assert!(scene.run("model rules m.rulebound").out.contains("A, not A1 -> A2"));

    let measured = scene.json("evaluate --model m.rulebound three-classes --json");
    assert_eq!(measured["incoherent_rows"], 0);
    assert_eq!((&measured["rows"], &measured["classes"]), (&2500.into(), &3.into()));
    assert!(measured["auprc"].as_f64().unwrap() > 0.5, "{measured}");
    assert_eq!(measured["members"], serde_json::Value::Null);

    let run = scene.run(
        "predict --model m.rulebound points.csv --id-column name --out s.csv --decisions d.csv \
         --delegates w.csv",
    );
    assert_eq!(run.code, 0, "{}", run.err);
    let scores = scene.text("s.csv");
    let lines: Vec<&str> = scores.lines().collect();
    assert_eq!(lines[0], "name,A,A1,A2");
    assert!(lines[1].starts_with("p,") && lines[2].starts_with("q,") && lines.len() == 3);
    assert_eq!(scene.text("d.csv").lines().count(), 3);

    let top = scene.run("predict --model m.rulebound points.csv --out - --top 2");
    assert_eq!(top.out.lines().count(), 5, "{}", top.out);
    assert_eq!(top.out.lines().next(), Some("row,rank,class,probability"));

    let run = scene.run("predict --model m.rulebound three-classes --out all.parquet");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("2,500 rows"), "{}", run.out);
}

#[test]
fn rows_come_through_a_pipe() {
    let points = "y,name,x\n0.5,p,0.5\n0.1,q,0.9\n";
    let scene = Scene::new(&[("points.csv", points)]);
    scene.run(&format!("train rectangles {QUICK} --out m.rulebound"));
    scene.run("predict --model m.rulebound points.csv --id-column name --out s.csv");
    let pipe = "predict --model m.rulebound - --id-column name --out -";
    let run = scene.run_with(pipe, points);
    assert_eq!((run.code, run.out), (0, scene.text("s.csv")), "{}", run.err);
    assert_eq!(run.err, "");

    let run = scene.run_with(pipe, "y,name,x\n0.5,p,0.5\n0.1,q,half\n");
    assert!(run.code == 1 && run.err.contains("-:3:3: \"half\""), "{}", run.err);
    let run = scene.run_with(pipe, "");
    assert!(run.code == 1 && run.err.contains("- has no header"), "{}", run.err);
}

/// Evaluating written predictions gives the numbers of `evaluate --model`.
#[test]
fn written_predictions_score_what_the_model_does() {
    let scene = Scene::new(&[]);
    scene.run("train three-classes --hidden 16 --epochs 20 --batch 50 --out m.rulebound");
    scene.run("data convert three-classes --to csv --out data");
    // The labels of the test rows, as a table of truth.
    let text = scene.text("data/test.csv");
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let places: Vec<usize> =
        ["A", "A1", "A2"].map(|class| header.iter().position(|h| *h == class).unwrap()).to_vec();
    let mut truth = "A,A1,A2\n".to_owned();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        truth += &places.iter().map(|&place| cells[place]).collect::<Vec<_>>().join(",");
        truth.push('\n');
    }
    std::fs::write(scene.path("truth.csv"), truth).unwrap();
    std::fs::write(scene.path("t.csv"), "A,0.7\nA1,0.1\nA2,0.4\n").unwrap();
    for thresholds in ["", "--thresholds t.csv"] {
        scene.run(&format!("predict --model m.rulebound three-classes --out s.csv {thresholds}"));
        let model = format!("evaluate --model m.rulebound three-classes --json {thresholds}");
        let tables = format!("evaluate --scores s.csv --truth truth.csv --json {thresholds}");
        let (model, tables) = (scene.json(&model), scene.json(&tables));
        for metric in ["auprc", "average_precision", "ranking_loss", "hamming_loss", "macro_f1"] {
            let (a, b) = (model[metric].as_f64().unwrap(), tables[metric].as_f64().unwrap());
            assert!((a - b).abs() < 1e-4, "{metric}: {a} and {b} {thresholds}");
        }
    }
}

#[test]
fn members_have_a_mean_a_deviation_and_an_ensemble() {
    let scene = Scene::new(&[]);
    scene.run(&format!("train rectangles {QUICK} --members 3 --out m.rulebound"));
    let value = scene.json("evaluate --model m.rulebound rectangles --json");
    let each: Vec<f64> = value["members"]["each"]
        .as_array()
        .unwrap()
        .iter()
        .map(|member| member["auprc"].as_f64().unwrap())
        .collect();
    assert_eq!(each.len(), 3);
    let mean = each.iter().sum::<f64>() / 3.0;
    let deviation = (each.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 2.0).sqrt();
    assert!((value["members"]["mean"]["auprc"].as_f64().unwrap() - mean).abs() < 1e-12);
    assert!((value["members"]["deviation"]["auprc"].as_f64().unwrap() - deviation).abs() < 1e-12);
    assert!(value["auprc"].is_number());
    let text = scene.run("evaluate --model m.rulebound rectangles").out;
    assert!(text.contains("Its 3 members individually"), "{text}");
}

#[test]
fn the_log_has_every_event() {
    let scene = Scene::new(&[]);
    scene.run("train rectangles --hidden 8 --batch 100 --max-epochs 4 --retrain --out m.rulebound");
    let log = scene.text("m.rulebound.log");
    let lines: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["event"], "start");
    assert_eq!(lines[0]["configuration"]["hidden"], serde_json::json!([8]));
    assert!(lines[0]["version"].is_string() && lines[0]["fingerprint"].is_string());
    assert_eq!(lines[1]["phase"], "search");
    for key in ["loss", "valid_auprc", "valid_loss", "seconds"] {
        assert!(lines[1][key].is_number(), "{key}");
    }
    assert_eq!(lines[lines.len() - 2]["phase"], "final");
    assert_eq!(lines[lines.len() - 1]["event"], "finish");
}

#[test]
fn invalid_arguments_are_reported_before_anything_is_done() {
    let scene = Scene::new(&[("not.rulebound", "a -> b\n"), ("some.csv", "x,y\n1,2\n")]);
    for (arguments, code, words) in [
        ("train rectangles --out m --dropout 1 --batch 0", 2, "dropout is 1"),
        ("train rectangles --out m --dropout 1 --batch 0", 2, "the batch size is 0"),
        ("train rectangles --out m --epochs 3 --patience 2", 2, "cannot be used with"),
        ("train some.csv --out m --preset paper", 2, "not in the paper"),
        ("train rectangles --out -", 2, "not standard output"),
        ("train rectangles --out no/m.rulebound", 1, "no folder"),
        ("train some.csv --out m.rulebound", 1, "--label-columns"),
        ("train rectangle --out m.rulebound", 1, "rectangles"),
        ("predict --model not.rulebound some.csv --out o.csv", 1, "not a rulebound model"),
        ("predict --model none.rulebound some.csv --out o.csv", 1, "none.rulebound"),
        ("evaluate --model not.rulebound rectangles", 1, "rulebound train"),
        ("evaluate --model not.rulebound", 2, "SOURCE"),
        ("evaluate rectangles", 2, "--model"),
        ("model info some.csv", 1, "not a rulebound model"),
    ] {
        let run = scene.run(arguments);
        assert_eq!(run.code, code, "{arguments}: {}", run.err);
        assert!(run.err.contains(words), "{arguments}: {}", run.err);
    }
    assert_eq!(scene.names(), ["not.rulebound", "some.csv"]);
}

/// Errors of the command line are JSON in the same form as errors of a file.
#[test]
fn a_wrong_command_line_is_json_where_json_was_asked_for() {
    let scene = Scene::new(&[]);
    for (arguments, words) in [
        ("train rectangles --seed x --out m.rulebound --json", "'x' for '--seed <N>'"),
        ("predict --model m.rulebound a.csv --out a.csv --json", "the same file"),
        ("predict --json", "--model <FILE>"),
    ] {
        let run = scene.run(arguments);
        let output: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let message = output["errors"][0]["message"].as_str().unwrap();
        assert!(message.contains(words) && !message.contains("Usage"), "{message}");
        assert_eq!((run.code, run.err.as_str()), (2, ""), "{arguments}");
        assert_eq!(output["errors"][0]["code"], "usage");
    }
}

#[test]
fn a_model_needs_its_own_columns_and_classes() {
    let scene = Scene::new(&[("some.csv", "x,z\n1,2\n"), ("bad.csv", "x,y\n1,two\n")]);
    scene.run(&format!("train rectangles {QUICK} --out m.rulebound"));
    let run = scene.run("predict --model m.rulebound some.csv --out o.csv");
    assert!(run.code == 1 && run.err.contains("`y`"), "{}", run.err);
    let run = scene.run("predict --model m.rulebound bad.csv --out o.csv");
    assert!(run.code == 1 && run.err.contains("bad.csv:2"), "{}", run.err);
    let run = scene.run("evaluate --model m.rulebound nine-rectangles");
    assert!(run.code == 1 && run.err.contains("`A`"), "{}", run.err);
    let run = scene.run("evaluate --model m.rulebound rectangles --split valid");
    assert!(run.code == 1 && run.err.contains("no valid rows"), "{}", run.err);
    assert!(!scene.path("o.csv").exists());
}

const LONG: &str = "train nine-rectangles --hidden 60,60 --batch 4 --dropout 0.3 --epochs 200 \
                    --checkpoint-every 0 --out m.rulebound";

/// Starts the program in the background.
fn start(scene: &Scene, arguments: &str) -> std::process::Child {
    Command::new(assert_cmd::cargo::cargo_bin!("rulebound"))
        .current_dir(scene.root())
        .args(arguments.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_killed_run_resumes_to_the_same_bytes() {
    let whole = Scene::new(&[]);
    assert_eq!(whole.run(LONG).code, 0);
    let expected = std::fs::read(whole.path("m.rulebound")).unwrap();

    let scene = Scene::new(&[]);
    let mut child = start(&scene, LONG);
    wait_until("there is a checkpoint", || scene.path("m.rulebound.checkpoint").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!scene.path("m.rulebound").exists());
    // Nothing is discarded unless the user asks for it.
    let refused = scene.run(LONG);
    assert!(refused.code == 1 && refused.err.contains("--resume"), "{}", refused.err);

    let resumed = scene.run(&format!("{LONG} --resume --threads 1"));
    assert_eq!(resumed.code, 0, "{}", resumed.err);
    assert!(resumed.err.contains("resuming training"), "{}", resumed.err);
    assert!(std::fs::read(scene.path("m.rulebound")).unwrap() == expected);
    assert_eq!(scene.names(), ["m.rulebound", "m.rulebound.log", "m.rulebound.toml"]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_its_progress() {
    let scene = Scene::new(&[]);
    let mut child = start(&scene, LONG);
    // By then it is training: the first line of the log is written earlier.
    wait_until("an epoch is logged", || {
        std::fs::read_to_string(scene.path("m.rulebound.log"))
            .is_ok_and(|log| log.contains("\"event\":\"epoch\""))
    });
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(scene.names(), ["m.rulebound.checkpoint", "m.rulebound.log"]);
    let restarted = scene.run(&format!("train rectangles {QUICK} --out m.rulebound --restart"));
    assert_eq!(restarted.code, 0, "{}", restarted.err);
}

#[test]
fn a_kill_leaves_nothing_half_written() {
    let scene = Scene::new(&[]);
    let train = format!("train rectangles {QUICK} --members 40 --out m.rulebound");
    assert_eq!(scene.run(&train).code, 0);
    let mut table = "x,y\n".to_owned();
    for row in 0..200_000 {
        table += &format!("{}.5,{}.25\n", row % 7, row % 11);
    }
    std::fs::write(scene.path("many.csv"), table).unwrap();
    for delay in [5, 15, 30, 60, 120, 250] {
        for arguments in [
            &format!("{train} --seed {delay} --restart"),
            "predict --model m.rulebound many.csv --out o.csv",
        ] {
            let mut child = start(&scene, arguments);
            std::thread::sleep(Duration::from_millis(delay));
            child.kill().unwrap();
            child.wait().unwrap();
            assert_eq!(scene.run("model info m.rulebound").code, 0, "after {delay} ms");
            if let Ok(text) = std::fs::read_to_string(scene.path("o.csv")) {
                assert_eq!(text.lines().count(), 200_001, "after {delay} ms");
            }
        }
    }
    assert_eq!(scene.run("predict --model m.rulebound many.csv --out o.csv").code, 0);
    let files = scene.names();
    assert!(!files.iter().any(|name| name.ends_with(".tmp")), "{files:?}");
}

#[test]
fn any_metric_can_decide_when_to_stop() {
    let scene = Scene::new(&[]);
    for (monitor, higher) in
        [("macro_f1", true), ("hamming_loss", false), ("average_precision", true)]
    {
        let run = scene.run(&format!(
            "train rectangles --valid-share 0.2 --hidden 4 --max-epochs 6 --patience 6 --monitor {monitor} \
             --out {monitor}.m --json -q"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
        let trained: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let best = &trained["training"]["members"][0]["best"];
        assert_eq!(best[0], monitor);
        let log = scene.text(&format!("{monitor}.m.log"));
        let events =
            log.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let values: Vec<f64> =
            events.filter_map(|event| event["valid_monitored"].as_f64()).collect();
        assert_eq!(values.len(), 6, "{log}");
        let of = if higher { f64::max } else { f64::min };
        assert_eq!(best[1], values.iter().copied().reduce(of).unwrap());
        // The kept network is the one that had it: measured on the validation rows, it has it again.
        let measured = scene.json(&format!(
            "evaluate --model {monitor}.m rectangles --valid-share 0.2 --split valid --json"
        ));
        let measured = measured[monitor].as_f64().unwrap();
        assert!(
            (measured - best[1].as_f64().unwrap()).abs() < 1e-9,
            "{monitor}: {measured} {best}"
        );
    }
}
