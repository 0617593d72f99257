//! Files that exist: nothing that is finished, and nothing of the user, is replaced unless that is asked for. What runs
//! that were killed have left is cleared away.

use crate::scene::Scene;
use rulebound_testing::wait_until;
use std::fs;
use std::process::{Child, Command, Stdio};

const TRAIN: &str = "train rectangles --hidden 4 --epochs 1 --batch 500";

fn started(scene: &Scene, arguments: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_rulebound"))
        .current_dir(scene.root())
        .args(arguments.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Two runs at once, many times: never do both say that they have written the file.
fn race(scene: &Scene, rounds: usize, out: &str, commands: [&str; 2]) {
    for round in 0..rounds {
        for name in [out.to_owned(), format!("{out}.toml"), format!("{out}.log")] {
            fs::remove_file(scene.path(&name)).ok();
        }
        let both = commands.map(|command| started(scene, command));
        let codes = both.map(|mut child| child.wait().unwrap().code());
        let won = codes.iter().filter(|code| **code == Some(0)).count();
        assert_eq!(won, 1, "round {round} of {commands:?}: {codes:?}");
        assert!(scene.path(out).is_file());
    }
}

#[test]
fn of_two_runs_at_once_one_writes_the_model() {
    let scene = Scene::new(&[("a.rules", "stomach -> abdomen\n")]);
    assert_eq!(scene.run(&format!("{TRAIN} --out m.rulebound")).code, 0);
    let set = ["0.2", "0.7"]
        .map(|at| format!("model set-thresholds m.rulebound --threshold {at} --out low.rulebound"));
    race(&scene, 60, "low.rulebound", [&set[0], &set[1]]);
    let export = ["--margins", "--no-loop"]
        .map(|option| format!("export --rules a.rules {option} --out layer.onnx"));
    race(&scene, 60, "layer.onnx", [&export[0], &export[1]]);
    let prior = ["br", "prior"]
        .map(|method| format!("train rectangles --method {method} --out fast.rulebound"));
    race(&scene, 20, "fast.rulebound", [&prior[0], &prior[1]]);
    let convert = "data convert rectangles --to csv --out set";
    for _ in 0..5 {
        fs::remove_dir_all(scene.path("set")).ok();
        let both = [convert, convert].map(|command| started(&scene, command));
        let won = both.map(|mut child| child.wait().unwrap().success());
        assert!(won.iter().filter(|won| **won).count() <= 1);
    }
}

#[test]
fn the_record_of_a_run_replaces_no_file_of_the_user() {
    let own = "# mine, with thoughts\n[train]\nepochs = 1\n";
    let scene = Scene::new(&[("keep.rulebound.toml", own), ("n.rulebound.log", "my notes\n")]);
    let source = TRAIN.replace(" --epochs 1", "");
    let run = scene.run(&format!("{source} --config keep.rulebound.toml --out keep.rulebound"));
    assert!(run.code == 2 && run.err.contains("are the same file"), "{}", run.err);
    // Nor by --force: it is an input.
    let run =
        scene.run(&format!("{source} --config keep.rulebound.toml --out keep.rulebound --force"));
    assert!(run.code == 2 && run.err.contains("are the same file"), "{}", run.err);
    let run = scene.run(&format!("{TRAIN} --out keep.rulebound"));
    assert!(run.code == 1 && run.err.contains("keep.rulebound.toml exists already"), "{}", run.err);
    assert_eq!(scene.text("keep.rulebound.toml"), own);
    let run = scene.run(&format!("{TRAIN} --out n.rulebound"));
    assert!(run.code == 1 && run.err.contains("n.rulebound.log exists already"), "{}", run.err);
    assert_eq!(scene.text("n.rulebound.log"), "my notes\n");
    assert!(!scene.path("keep.rulebound").exists() && !scene.path("n.rulebound").exists());
    // A record that nobody has touched is one of a run: the next one replaces it, and reads it.
    assert_eq!(scene.run(&format!("{TRAIN} --out m.rulebound")).code, 0);
    let record = scene.text("m.rulebound.toml");
    fs::remove_file(scene.path("m.rulebound")).unwrap();
    let run = scene.run("train --config m.rulebound.toml");
    assert_eq!((run.code, scene.text("m.rulebound.toml")), (0, record), "{}", run.err);
    fs::remove_file(scene.path("m.rulebound")).unwrap();
    let run = scene.run(&format!("{TRAIN} --seed 3 --out m.rulebound"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(scene.text("m.rulebound.toml").contains("seed = 3"));
    let run = scene.run(&format!("{TRAIN} --out keep.rulebound --force"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(scene.text("keep.rulebound.toml").starts_with("# rulebound"));
}

/// What a user adds to a record is the user's, wherever it is and however small.
#[test]
fn a_record_that_was_changed_is_not_replaced() {
    let scene = Scene::new(&[]);
    assert_eq!(scene.run(&format!("{TRAIN} --out m.rulebound")).code, 0);
    fs::remove_file(scene.path("m.rulebound")).unwrap();
    let record = scene.text("m.rulebound.toml");
    assert!(record.contains("epochs = 1\n"), "{record}");
    for changed in [
        format!("{record}# a note at the end\n"),
        format!("{record}\n"),
        record.replace("epochs = 1\n", "epochs = 1 # enough\n"),
        record.replace("epochs = 1\n", "epochs = 2\n"),
        record.replace("epochs = 1\n", "epochs = 1\nmine = \"x\"\n"),
        record.trim_end().to_owned(),
        record
            .lines()
            .filter(|line| !line.starts_with("# SHA"))
            .map(|line| format!("{line}\n"))
            .collect(),
    ] {
        assert_ne!(changed, record);
        scene.write("m.rulebound.toml", &changed);
        for other in ["", "--seed 5"] {
            let run = scene.run(&format!("{TRAIN} {other} --out m.rulebound"));
            assert_eq!(run.code, 1, "{changed}");
            assert!(run.err.contains("m.rulebound.toml exists already"), "{}", run.err);
        }
        assert_eq!(scene.text("m.rulebound.toml"), changed);
        assert!(!scene.path("m.rulebound").exists());
    }
    // As the configuration of the run, it may be changed; what it says is then what is recorded.
    scene.write("m.rulebound.toml", record.replace("epochs = 1\n", "epochs = 2\n"));
    let run = scene.run("train --config m.rulebound.toml");
    assert_eq!(run.code, 0, "{}", run.err);
    fs::remove_file(scene.path("m.rulebound")).unwrap();
    assert_eq!(scene.run(&format!("{TRAIN} --out m.rulebound")).code, 0);
    assert_eq!(scene.text("m.rulebound.toml"), record);
    // But a comment in it is not lost.
    fs::remove_file(scene.path("m.rulebound")).unwrap();
    scene.write("m.rulebound.toml", format!("{record}# a note\n"));
    let run = scene.run("train --config m.rulebound.toml");
    assert!(run.code == 2 && run.err.contains("are the same file"), "{}", run.err);
    let run = scene.run(&format!("{TRAIN} --out m.rulebound --force"));
    assert_eq!((run.code, scene.text("m.rulebound.toml")), (0, record), "{}", run.err);
}

#[test]
fn a_log_replaces_only_logs() {
    let event = "{\"event\": \"click\"}\n";
    let scene = Scene::new(&[("notes.txt", "my notes\n"), ("clicks.json", event)]);
    for log in ["notes.txt", "clicks.json"] {
        for folds in ["", "--folds 2"] {
            let before = scene.text(log);
            let run = scene.run(&format!("{TRAIN} {folds} --log {log} --out m.rulebound"));
            assert_eq!(run.code, 1, "{log} {folds}: {}", run.err);
            assert!(run.err.contains(&format!("{log} exists already")), "{}", run.err);
            assert!(run.err.contains("--force"), "{}", run.err);
            assert_eq!(scene.text(log), before);
            assert!(!scene.path("m.rulebound").exists());
        }
    }
    assert_eq!(scene.run(&format!("{TRAIN} --log run.log --out m.rulebound")).code, 0);
    let log = scene.text("run.log");
    let again = |out: &str| scene.run(&format!("{TRAIN} --log run.log --out {out}"));
    assert_eq!(again("n.rulebound").code, 0);
    scene.write("run.log", format!("{log}and a note\n"));
    assert_eq!(again("o.rulebound").code, 1);
    // A killed run may have left half a line.
    scene.write("run.log", format!("{log}{{\"event\": \"epo"));
    assert_eq!(again("o.rulebound").code, 0);
    let run = scene.run(&format!("{TRAIN} --log notes.txt --out p.rulebound --force"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(scene.text("notes.txt").starts_with('{'));
}

#[test]
fn of_two_splits_at_once_one_writes_the_folder() {
    let rows: String = (0..40).map(|n| format!("{n},{},{}\n", n % 2, n % 3 / 2)).collect();
    let scene = Scene::new(&[("d.csv", &format!("x,a,b\n{rows}"))]);
    let commands = [1, 2].map(|seed| {
        format!("data split d.csv --label-columns a,b --test-share 0.25 --split-seed {seed} --out new/parts")
    });
    for round in 0..60 {
        fs::remove_dir_all(scene.path("new")).ok();
        let both = commands.each_ref().map(|command| started(&scene, command));
        let codes = both.map(|mut child| child.wait().unwrap().code());
        let won = codes.iter().filter(|code| **code == Some(0)).count();
        assert_eq!(won, 1, "round {round}: {codes:?}");
        let names = fs::read_dir(scene.path("new")).unwrap();
        let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["parts"]);
        let rows = |part: &str| scene.text(&format!("new/parts/{part}.csv")).lines().count() - 1;
        assert_eq!(rows("train") + rows("test"), 40, "round {round}");
    }
}

#[test]
fn found_thresholds_replace_no_file_without_force() {
    let scene = Scene::new(&[
        ("s.csv", "a,b\n0.9,0.2\n0.3,0.6\n"),
        ("t.csv", "a,b\n1,0\n0,1\n"),
        ("k.csv", "mine\n"),
    ]);
    let tune = "tune-thresholds --scores s.csv --truth t.csv --out k.csv";
    let run = scene.run(tune);
    assert!(run.code == 1 && run.err.contains("k.csv exists already"), "{}", run.err);
    assert!(run.err.contains("--force"), "{}", run.err);
    assert_eq!(scene.text("k.csv"), "mine\n");
    let run = scene.run(&format!("{tune} --force"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(scene.text("k.csv").starts_with("class,threshold\n"));
}

#[test]
fn converting_replaces_no_file_of_the_user() {
    let scene = Scene::new(&[("set/train.csv", "mine\n"), ("set/other.txt", "mine\n")]);
    let run = scene.run("data convert rectangles --to csv --out set");
    assert!(run.code == 1 && run.err.contains("train.csv exists already"), "{}", run.err);
    assert!(run.err.contains("--force"), "{}", run.err);
    assert_eq!(scene.text("set/train.csv"), "mine\n");
    assert!(!scene.path("set/dataset.json").exists());
    let run = scene.run("data convert rectangles --to csv --out set --force");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(scene.text("set/train.csv").lines().count() > 10);
    assert_eq!(scene.text("set/other.txt"), "mine\n");
}

#[test]
fn tables_of_folds_are_refused_before_anything_is_trained() {
    let scene = Scene::new(&[]);
    for (option, file, expected) in [
        ("--fold-scores", "z.rulebound.log", "same file"),
        ("--fold-raw", "z.rulebound.toml", "same file"),
        ("--fold-scores", "z.txt", "z.txt"),
        ("--fold-raw", "z.npz", "z.npz"),
        ("--fold-raw", "nowhere/z.csv", "no folder"),
    ] {
        let run = scene.run(&format!("{TRAIN} --folds 2 {option} {file} --out z.rulebound"));
        assert!(run.code != 0 && run.err.contains(expected), "{file}: {}", run.err);
        assert_eq!(fs::read_dir(scene.root()).unwrap().count(), 0, "{file}");
    }
}

/// What a run leaves that was killed: a lock, and a temporary file. Both go with the next run there, whatever
/// comes of it.
#[cfg(unix)]
#[test]
fn what_killed_runs_leave_goes_with_the_next_run() {
    let scene = Scene::new(&[]);
    let command = "train rectangles --hidden 64 --epochs 100000 --batch 10 --checkpoint-every 0 --out m.rulebound";
    let mut child = started(&scene, command);
    wait_until("a checkpoint", || scene.path("m.rulebound.checkpoint").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(scene.path("m.rulebound.lock").exists());
    let left = || -> Vec<String> {
        let names = fs::read_dir(scene.root()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.ends_with(".lock") || name.ends_with(".tmp")).collect()
    };
    let run = scene.run(&format!("{TRAIN} --out m.rulebound --restart"));
    assert_eq!((run.code, left()), (0, Vec::new()), "{}", run.err);
    // Between the last rename and the end there is no checkpoint any more, but the lock is still there.
    fs::write(scene.path("m.rulebound.lock"), "").unwrap();
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let boot: String = boot.chars().filter(char::is_ascii_hexdigit).take(16).collect();
    fs::write(scene.path(&format!(".rulebound-{boot}-x.tmp")), "half").unwrap();
    assert_eq!(left().len(), 2);
    let run = scene.run(&format!("{TRAIN} --out m.rulebound --resume"));
    assert_eq!(run.code, 1);
    assert!(run.err.contains("has finished") && run.err.contains("--force"), "{}", run.err);
    assert_eq!(left(), Vec::<String>::new());
}
