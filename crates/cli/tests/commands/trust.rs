//! What is promised about files and signals: nothing lost, nothing half written, nothing left behind.

use crate::scene::Scene;

#[cfg(unix)]
mod signals {
    use super::*;
    use rulebound_testing::wait_until;
    use std::io::Write;
    use std::process::{Child, Command, Stdio};

    /// A command that has begun its output and waits for more input.
    fn waiting(scene: &Scene, arguments: &str, header: &str) -> Child {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("rulebound"))
            .current_dir(scene.root())
            .args(arguments.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.as_mut().unwrap().write_all(header.as_bytes()).unwrap();
        wait_until("a temporary file", || scene.names().iter().any(|name| name.ends_with(".tmp")));
        child
    }

    #[test]
    fn one_signal_ends_a_command_that_waits_for_input() {
        for signal in ["-TERM", "-INT", "-HUP"] {
            let scene = Scene::new(&[("r", "a -> b\n")]);
            let arguments = "apply --rules r --scores - --out o.csv";
            let mut child = waiting(&scene, arguments, "a,b\n0.5,0.1\n");
            // Open until the end: a closed input would end the command by itself.
            let input = child.stdin.take();
            let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
            assert!(sent.unwrap().success());
            let output = child.wait_with_output().unwrap();
            drop(input);
            assert_eq!(output.status.code(), Some(130), "{signal}");
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(message, "stopped; nothing was written\n", "{signal}");
            assert_eq!(scene.names(), ["r"], "{signal}");
        }
    }

    #[test]
    fn the_temporary_file_of_a_killed_run_goes_with_the_next() {
        let scene = Scene::new(&[("r", "a -> b\n"), ("s.csv", "a,b\n0.5,0.1\n")]);
        let mut child = waiting(&scene, "apply --rules r --scores - --out o.csv", "a,b\n");
        let mut alive = waiting(&scene, "apply --rules r --scores - --out p.csv", "a,b\n");
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(scene.run("apply --rules r --scores s.csv --out q.csv").code, 0);
        assert_eq!(scene.names().iter().filter(|name| name.ends_with(".tmp")).count(), 1);
        drop(alive.stdin.take());
        assert_eq!(alive.wait().unwrap().code(), Some(0));
        assert_eq!(scene.names(), ["p.csv", "q.csv", "r", "s.csv"]);
    }
}

/// Damaged Parquet files that run the library into panics, each in another place.
#[test]
fn damaged_parquet_is_an_error_that_names_the_file() {
    let fixtures = rulebound_testing::repository().join("crates/engine/tests/fixtures/damaged");
    let scene = Scene::new(&[("r", "a -> b\n")]);
    for kind in ["bitchunk", "bss", "delta", "dict", "flba", "flba2"] {
        let file = format!("parquet-panic-{kind}.parquet");
        std::fs::copy(fixtures.join(&file), scene.path(&file)).unwrap();
        let run = scene.run(&format!("apply --rules r --scores {file} --id-column id --out o.csv"));
        assert_eq!(run.code, 1, "{kind}: {}", run.err);
        assert!(run.err.contains(&file) && !run.err.contains("panicked"), "{kind}: {}", run.err);
        assert!(!scene.path("o.csv").exists());
    }
    scene.write("l", "a\nb\n");
    for file in ["parquet-panic-delta.parquet", "parquet-panic-dict.parquet"] {
        for command in [
            "train F --label-columns l1,l2 --id-column id --epochs 1 --out m.rulebound",
            "mine F --label-columns l1,l2 --id-column id --out mined",
            "data info F --label-columns l1,l2 --id-column id",
            "data convert F --label-columns l1,l2 --id-column id --to csv --out c",
            "evaluate --scores F --truth F --labels l --id-column id",
            "tune-thresholds --scores F --truth F --labels l --id-column id --out t.csv",
            "explain --rules r --scores F --id-column id --row 1",
        ] {
            let run = scene.run(&command.replace('F', file));
            assert_eq!(run.code, 1, "{command}: {}", run.err);
            let is_named = run.err.contains(file) && run.err.contains("the data is damaged");
            assert!(is_named && !run.err.contains("panicked"), "{command}: {}", run.err);
        }
    }
}

/// Names may contain what a terminal obeys; no message and no table on a screen passes it on.
#[test]
fn escapes_in_names_stay_visible_signs() {
    let rules = "\"a\x1b[31m\" -> b\nb -> \"a\x1b[31m\"\nb -> b\n";
    let scene = Scene::new(&[("r", rules), ("s.csv", "b\n0.5\n"), ("bad", "\x1b]0;x\x07 ->\n")]);
    for command in [
        "check r",
        "check bad",
        "apply --rules r --scores s.csv --unknown-labels error --out o.csv",
        "explain --rules r --scores s.csv --unknown-labels error --row 1 --label x",
        "compare \x1b[5mno.csv",
    ] {
        let run = scene.run(command);
        assert!(!run.out.contains('\x1b') && !run.err.contains('\x1b'), "{command}: {}", run.err);
        assert!(run.out.contains('␛') || run.err.contains('␛'), "{command}: {}", run.err);
    }
}

#[test]
fn two_runs_do_not_train_one_model() {
    let scene = Scene::new(&[]);
    let long = "train rectangles --hidden 64 --epochs 100000 --out m.rulebound";
    let mut first = std::process::Command::new(assert_cmd::cargo::cargo_bin("rulebound"))
        .current_dir(scene.root())
        .args(long.split_whitespace())
        .spawn()
        .unwrap();
    rulebound_testing::wait_until("the first run", || scene.path("m.rulebound.lock").exists());
    let second = scene.run("train rectangles --hidden 8 --epochs 1 --restart --out m.rulebound");
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(second.code, 4, "{}", second.err);
    assert!(second.err.contains("another run is writing m.rulebound"), "{}", second.err);
    let third = scene.run("train rectangles --hidden 8 --epochs 1 --restart --out m.rulebound");
    assert_eq!(third.code, 0, "{}", third.err);
    assert_eq!(scene.names(), ["m.rulebound", "m.rulebound.log", "m.rulebound.toml"]);
}

#[test]
fn no_output_is_an_input_or_another_output() {
    let scene = Scene::new(&[("r", "a -> b\n"), ("s.csv", "a,b\n0.9,0.1\n")]);
    let data = "x,l_a,l_b\n".to_owned() + &"0.5,1,1\n0.1,0,0\n".repeat(30);
    scene.write("d.csv", &data);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(scene.path("s.csv"), scene.path("soft.csv")).unwrap();
        std::fs::hard_link(scene.path("s.csv"), scene.path("hard.csv")).unwrap();
    }
    let mut commands = vec![
        "train d.csv --label-columns l_* --out d.csv --force",
        "train d.csv --label-columns l_* --out m.rulebound --log d.csv",
        "train d.csv --label-columns l_* --out m.rulebound --log m.rulebound.toml",
        "train d.csv --label-columns l_* --rules r --out r --force",
        "mine d.csv --label-columns l_* --out d.csv",
        "apply --rules r --scores s.csv --out s.csv",
        "apply --rules r --scores s.csv --out r",
        "apply --rules r --scores s.csv --out o.csv --decisions ./o.csv",
        "data rules d.csv --label-columns l_* --out d.csv",
    ];
    if cfg!(unix) {
        commands.push("apply --rules r --scores s.csv --out soft.csv");
        commands.push("apply --rules r --scores s.csv --out hard.csv");
    }
    for command in commands {
        let run = scene.run(command);
        assert_eq!(run.code, 2, "{command}: {}", run.err);
        assert!(run.err.contains("are the same file"), "{command}: {}", run.err);
    }
    assert_eq!((scene.text("d.csv"), scene.text("s.csv")), (data, "a,b\n0.9,0.1\n".into()));
    assert_eq!(scene.text("r"), "a -> b\n");
    let run = scene.run("apply --rules r --scores s.csv --out /dev/null --decisions /dev/null");
    assert!(!run.err.contains("same file"), "{}", run.err);
}

/// A folder is an input with every file that is read from it.
#[test]
fn no_output_is_a_file_of_a_source_folder() {
    let data = "x,l_a,l_b\n".to_owned() + &"0.5,1,1\n0.1,0,0\n".repeat(30);
    let scene = Scene::new(&[("r", "l_a -> l_b\n")]);
    std::fs::create_dir(scene.path("src")).unwrap();
    for name in ["src/train.csv", "src/test.csv"] {
        scene.write(name, &data);
    }
    scene.write("src/rules.txt", "l_a -> l_b\n");
    let labels = "--label-columns l_*";
    for command in [
        format!("train src {labels} --epochs 1 --force --out src/train.csv"),
        format!("train src {labels} --epochs 1 --out m.rulebound --log src/test.csv"),
        format!("mine src {labels} --out src/rules.txt"),
        format!("data convert src {labels} --ignore x --to csv --out src"),
        format!("data convert src/train.csv {labels} --test-share 0.3 --to csv --out ./src"),
        format!("data convert src/test.csv {labels} --rules src/rules.txt --to parquet --out src"),
    ] {
        let run = scene.run(&command);
        assert_eq!(run.code, 2, "{command}: {}", run.err);
        let is_said = run.err.contains("are the same file") || run.err.contains("overwritten");
        assert!(is_said, "{command}: {}", run.err);
    }
    assert_eq!((scene.text("src/train.csv"), scene.text("src/test.csv")), (data.clone(), data));
    for more in ["", "--force"] {
        let run = scene.run(&format!("data convert src {labels} --to csv --out other {more}"));
        assert_eq!(run.code, 0, "{}", run.err);
    }
    let named = scene.run("data convert rectangles --to csv --out rectangles");
    assert_eq!(named.code, 0, "{}", named.err);
}

#[test]
fn too_many_threads_are_a_warning_and_not_a_wait() {
    let run = Scene::new(&[])
        .run("train rectangles --hidden 4 --epochs 1 --threads 1024 --out m.rulebound");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("warning: --threads 1024 is more than four per core"), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn a_file_that_grows_too_large_is_an_error_in_words() {
    let rows: String = (0..200_000).map(|i| format!("0.{i},0.1\n")).collect();
    let scene = Scene::new(&[("r", "a -> b\n"), ("s.csv", &format!("a,b\n{rows}"))]);
    let program = assert_cmd::cargo::cargo_bin("rulebound");
    let command =
        format!("ulimit -f 100; {} apply --rules r --scores s.csv --out o.csv", program.display());
    let output = std::process::Command::new("sh")
        .args(["-c", &command])
        .current_dir(scene.root())
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{message}");
    assert!(message.contains("o.csv") && message.contains("too large"), "{message}");
    assert_eq!(scene.names(), ["r", "s.csv"]);
}

#[test]
fn what_is_unpacked_is_limited() {
    let scene = Scene::new(&[("r.gz", &"a -> b\n".repeat(10_000)), ("s.csv", "a,b\n0.9,0.1\n")]);
    let run = |limit: &str, arguments: &str| {
        let output = assert_cmd::Command::cargo_bin("rulebound")
            .unwrap()
            .current_dir(scene.root())
            .env("RULEBOUND_INPUT_LIMIT", limit)
            .args(arguments.split_whitespace())
            .output()
            .unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(run("1MiB", "check r.gz").0, 0);
    let (code, message) = run("60KiB", "check r.gz");
    assert_eq!(code, 1);
    assert!(message.contains("r.gz is larger than 60.0 KiB, unpacked"), "{message}");
    let (code, message) = run("much", "check r.gz");
    assert!(code == 1 && message.contains("`much` is not a size"), "{message}");
    scene.run("apply --rules r.gz --scores s.csv --out s.parquet");
    scene.write("t.parquet.gz", scene.bytes("s.parquet"));
    let apply = "apply --rules r.gz --scores t.parquet.gz --out o.csv";
    assert_eq!(run("1MiB", apply).0, 0);
    scene.write("r", "a -> b\n");
    let (code, message) = run("100B", &apply.replace("r.gz", "r"));
    assert_eq!(code, 1, "{message}");
    assert!(message.contains("t.parquet.gz is larger than"), "{message}");
}

#[cfg(unix)]
#[test]
fn a_pipe_with_a_name_is_read_once_or_refused_in_words() {
    let scene = Scene::new(&[("r", "a -> b\n")]);
    let made = std::process::Command::new("mkfifo").arg(scene.path("p.csv")).status().unwrap();
    assert!(made.success());
    let run = scene.run("train p.csv --label-columns 1 --out m.rulebound");
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.err.contains("it is a pipe or a device"), "{}", run.err);
    let pipe = scene.path("p.csv");
    let writer = std::thread::spawn(move || std::fs::write(pipe, "a,b\n0.9,0.1\n").unwrap());
    let run = scene.run("apply --rules r --scores p.csv --out o.csv");
    writer.join().unwrap();
    assert_eq!((run.code, scene.text("o.csv").as_str()), (0, "a,b\n0.9,0.9\n"), "{}", run.err);
    let run = scene.run("evaluate --scores o.csv --truth p.csv");
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.err.contains("p.csv: it is a pipe or a device"), "{}", run.err);
}

/// `apply --out - --decisions d.csv | head -1`: the decisions are complete.
#[cfg(unix)]
#[test]
fn other_outputs_are_completed_when_the_reader_leaves() {
    let rows: String = (0..200_000).map(|i| format!("0.{i},0.1\n")).collect();
    let scene = Scene::new(&[("r", "a -> b\n"), ("s.csv", &format!("a,b\n{rows}"))]);
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("rulebound"))
        .current_dir(scene.root())
        .args(["apply", "--rules", "r", "--scores", "s.csv", "--out", "-", "--decisions", "d.csv"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(scene.text("d.csv").lines().count(), 200_001);
}

/// A class may have a tab or a line break in its name; every command takes it through every file.
#[test]
fn a_tab_or_a_line_break_in_a_class_name_stays_what_it_is() {
    let rows: String =
        (0..60).map(|i| format!("0.{i},{},{},{}\n", i % 2, i % 3 % 2, i % 2)).collect();
    let header = "\"a\tb\",\"c\nd\",e";
    let scene = Scene::new(&[
        ("r", "\"a\\tb\" -> \"c\\nd\"\n"),
        ("s.csv", &format!("{header}\n0.9,0.1,0.2\n0.2,0.7,0.1\n")),
        ("d.csv", &format!("x,{header}\n{rows}")),
        ("t.csv", "class,threshold\n\"a\tb\",0.25\n\"c\nd\",0.4\n*,0.5\n"),
    ]);
    let expect = |command: &str| {
        let run = scene.run(command);
        assert_eq!(run.code, 0, "{command}: {}", run.err);
        run
    };
    expect("apply --rules r --scores s.csv --out o.tsv");
    expect("apply --rules r --scores o.tsv --out o.parquet");
    expect("apply --rules r --scores o.parquet --out o.csv");
    assert_eq!(scene.text("o.csv"), "a\tb,\"c\nd\",e\n0.9,0.9,0.2\n0.2,0.7,0.1\n");
    expect("apply --rules r --scores s.csv --thresholds t.csv --out - --decisions d1.csv");
    assert_eq!(scene.text("d1.csv"), "a\tb,\"c\nd\",e\n1,1,0.2\n0,1,0.1\n");
    expect("train d.csv --label-columns 3 --rules r --epochs 2 --hidden 4 --out m.rulebound");
    expect("tune-thresholds --model m.rulebound d.csv --split all --out found.csv");
    expect("model set-thresholds m.rulebound --thresholds found.csv --out n.rulebound");
    expect("model set-thresholds m.rulebound --thresholds t.csv --out k.rulebound");
    let shown = expect("model info k.rulebound --json");
    assert!(shown.out.contains("a\\tb") && shown.out.contains("c\\nd"), "{}", shown.out);
    let plain = expect("model info k.rulebound");
    assert!(plain.out.contains("a␉b, c␊d, e"), "{}", plain.out);
    expect("predict --model n.rulebound d.csv --out p.csv --decisions q.csv");
    assert!(scene.text("q.csv").starts_with("a\tb,\"c\nd\",e\n"), "{}", scene.text("q.csv"));
    expect("evaluate --scores p.csv --truth q.csv --per-class each.csv");
    expect("data convert d.csv --label-columns 3 --rules r --to mulan --out m");
    expect("data convert m --to csv --out c");
    assert_eq!(scene.text("c/labels.txt"), "\"a\\tb\"\n\"c\\nd\"\ne\n");
    expect("data convert c --to parquet --out p");
    assert!(expect("data info p").out.contains('3'));
}
