//! The record of a run: it repeats the run, from any folder, and only with the data that it had.

use super::scene::Scene;

fn scene() -> Scene {
    let rows: String = (0..40).map(|n| format!("{n},{},{}\n", n % 3, n % 2)).collect();
    let scene = Scene::new(&[
        ("data/d.csv", &format!("x,a,b\n{rows}").replace(",2,", ",1,")),
        ("data/d.rules", "a -> b\n"),
    ]);
    std::fs::create_dir_all(scene.path("models")).unwrap();
    let run = scene.run(
        "train data/d.csv --label-columns a,b --rules data/d.rules --hidden 2 --epochs 2 --out models/m.rulebound -q",
    );
    assert_eq!(run.code, 0, "{}", run.err);
    scene
}

#[test]
fn a_record_repeats_its_run_from_another_folder() {
    let scene = scene();
    let record = scene.text("models/m.rulebound.toml");
    assert!(record.contains("source = \"../data/d.csv\""), "{record}");
    assert!(record.contains("rules = \"../data/d.rules\""), "{record}");
    let again = "--config models/m.rulebound.toml --out again.rulebound -q";
    let run = scene.run(&format!("train {again}"));
    assert_eq!(run.code, 0, "{}", run.err);
    let bytes = |file| std::fs::read(scene.path(file)).unwrap();
    assert_eq!(bytes("again.rulebound"), bytes("models/m.rulebound"));
    let record = scene.text("again.rulebound.toml");
    assert!(record.contains("source = \"models/../data/d.csv\""), "{record}");
    // And the record of that run, from its own folder.
    std::fs::rename(scene.path("models/m.rulebound.toml"), scene.path("data/copy.toml")).unwrap();
    let text = scene.text("data/copy.toml").replace("../data/", "");
    std::fs::write(scene.path("data/copy.toml"), text).unwrap();
    let run = scene.run("train --config data/copy.toml --out third.rulebound -q");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(bytes("third.rulebound"), bytes("models/m.rulebound"));
}

#[test]
fn data_that_changed_since_the_record_is_refused_unless_that_is_asked_for() {
    let scene = scene();
    let table = scene.text("data/d.csv").replacen("39,", "38.5,", 1);
    std::fs::write(scene.path("data/d.csv"), table).unwrap();
    std::fs::write(scene.path("data/d.rules"), "a -> b\nb -> a\n").unwrap();
    let again = "train --config models/m.rulebound.toml --out again.rulebound";
    let run = scene.run(again);
    assert_eq!(run.code, 1, "{}", run.err);
    for said in ["data/d.csv has changed: its SHA-256 is", "d.rules has changed", "--checksum any"]
    {
        assert!(run.err.contains(said), "{said}: {}", run.err);
    }
    assert!(!scene.path("again.rulebound").exists());
    let run = scene.run(&format!("{again} --checksum any -q"));
    assert_eq!(run.code, 0, "{}", run.err);
    // The new record has what was found, and repeats that.
    let run = scene.run("train --config again.rulebound.toml --out third.rulebound -q");
    assert_eq!(run.code, 0, "{}", run.err);
    let digest = rulebound::dataset::checksum(&scene.path("data/d.csv")).unwrap();
    assert!(scene.text("again.rulebound.toml").contains(&format!("\"source={digest}\"")));
}

#[test]
fn a_checksum_is_of_a_file_that_the_run_reads() {
    let scene = scene();
    let digest = "0".repeat(64);
    let train = "train data/d.csv --label-columns a,b --hidden 2 --epochs 1 --out x.rulebound";
    let run = scene.run(&format!("{train} --checksum rules={digest}"));
    assert!(
        run.code == 2 && run.err.contains("this run reads no such file (source)"),
        "{}",
        run.err
    );
    let run = scene.run(&format!("{train} --checksum source=12"));
    assert!(run.code == 2 && run.err.contains("64 hexadecimal digits"), "{}", run.err);
    let run = scene.run(&format!("{train} --checksum source={digest}"));
    assert!(run.code == 1 && run.err.contains("data/d.csv has changed"), "{}", run.err);
    // A built-in problem has no file.
    let run = scene.run(&format!(
        "train rectangles --hidden 2 --epochs 1 --out x.rulebound --checksum source={digest} -q"
    ));
    assert_eq!(run.code, 0, "{}", run.err);
}

#[test]
fn the_record_of_a_search_names_its_data_too() {
    let scene = scene();
    let tune = "tune data/d.csv --label-columns a,b --hidden 2 --learning-rates 0.01 --batches 8 --dropouts 0 \
                --weight-decays 0 --max-epochs 1 --holdout 0.2 --out tuned.csv -q";
    let run = scene.run(tune);
    assert_eq!(run.code, 0, "{}", run.err);
    let record = scene.text("tuned.csv.toml");
    assert!(record.contains("source = \"data/d.csv\"") && record.contains("\"source="), "{record}");
    std::fs::write(scene.path("data/d.csv"), scene.text("data/d.csv") + "50,0,1\n").unwrap();
    let run = scene.run("tune --config tuned.csv.toml --out other.csv");
    assert!(run.code == 1 && run.err.contains("has changed"), "{}", run.err);
}

#[test]
fn times_are_in_logs_and_messages_only_if_they_are_asked_for() {
    let scene = Scene::new(&[]);
    let train = "train rectangles --hidden 2 --epochs 2";
    let stamped = |text: &str| text.contains("Z") && text.contains("T") && text.contains("20");
    let run = scene.run(&format!("{train} --out a.rulebound -v"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(!scene.text("a.rulebound.log").contains("\"time\""));
    let run = scene.run(&format!("{train} --out b.rulebound -v --timestamps"));
    assert_eq!(run.code, 0, "{}", run.err);
    for line in scene.text("b.rulebound.log").lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        let time = event["time"].as_str().unwrap();
        assert!(time.len() == 20 && time.ends_with('Z') && stamped(time), "{line}");
    }
    let lines: Vec<&str> = run.err.lines().filter(|line| !line.is_empty()).collect();
    assert!(!lines.is_empty());
    let is_stamped = |line: &&str| line.as_bytes()[4] == b'-' && line.as_bytes()[19] == b'Z';
    assert!(lines.iter().all(|line| line.len() > 20 && is_stamped(line)), "{}", run.err);
    // Two models are the same, whatever the log says.
    let bytes = |file| std::fs::read(scene.path(file)).unwrap();
    assert_eq!(bytes("a.rulebound"), bytes("b.rulebound"));
    assert!(!scene.text("b.rulebound.toml").contains("timestamps"));
}

#[test]
fn the_version_says_what_was_built() {
    let scene = Scene::new(&[]);
    let (short, long) = (scene.run("-V"), scene.run("--version"));
    let number = env!("CARGO_PKG_VERSION");
    assert_eq!((short.code, long.code), (0, 0));
    assert!(short.out.starts_with(&format!("rulebound {number}")), "{}", short.out);
    for said in [number, "unreleased", "commit", "features  cuda, onnx, parquet"] {
        assert!(long.out.contains(said), "{said}: {}", long.out);
    }
}
