//! Damaged files: every one is refused in words, or reads as the same as before.

use crate::{program, random, run, scaled};
use rulebound_testing::{Random, Scene};
use std::time::Duration;

/// A copy with some bytes changed, removed, repeated, or the end cut off.
fn damaged(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut copy = bytes.to_vec();
    for _ in 0..1 + random.below(4) {
        if copy.is_empty() {
            break;
        }
        let place = random.below(copy.len());
        match random.below(6) {
            0 => copy[place] ^= 1 << random.below(8),
            1 => copy[place] = random.below(256) as u8,
            2 => copy.truncate(place),
            3 => {
                let end = (place + 1 + random.below(16)).min(copy.len());
                copy.drain(place..end);
            }
            4 => {
                let end = (place + 1 + random.below(64)).min(copy.len());
                let part = copy[place..end].to_vec();
                copy.splice(place..place, part);
            }
            _ => copy[place..].iter_mut().take(8).for_each(|byte| *byte = 0xff),
        }
    }
    copy
}

#[test]
#[ignore = "soak"]
fn a_damaged_model_is_refused() {
    let mut random = random("model");
    let scene = Scene::with(&[("n.csv", "x,y\n0.5,0.5\n")]);
    let fit = "train rectangles --hidden 8 --epochs 1 --out m.rulebound";
    assert!(run(scene.root(), fit).status.success());
    let model = scene.bytes("m.rulebound");
    for _ in 0..scaled(400) {
        let copy = damaged(&mut random, &model);
        let is_same = copy == model;
        scene.write("d.rulebound", &copy);
        let output = run(scene.root(), "predict --model d.rulebound n.csv --out o.csv");
        assert_eq!(output.status.success(), is_same);
    }
    println!("{} damaged models", scaled(400));
}

/// Models of every kind: a blend, trees, chains, an ensemble; with rules, requirements, calibration.
#[test]
#[ignore = "soak"]
fn a_damaged_model_of_any_kind_is_refused() {
    let mut random = random("models of every kind");
    let rows: String = (0..60)
        .map(|i| {
            format!("r{i},{},{},{},{}\n", i * 7919 % 97, i % 5, i % 2, i % 3 % 2 * (1 - i % 2))
        })
        .collect();
    let table = format!("id,x,y,a,b\n{rows}");
    let scene = Scene::with(&[
        ("s.csv", &table),
        ("needs.rules", "exclusive(a, b)\nat most 1 of(a, b)\nnot (a, b)\n"),
        ("plain.rules", "a -> c\nnot a -> d\n"),
    ]);
    let source = "s.csv --label-columns a,b --id-column id --force --out m.rulebound";
    let kinds = [
        "--learners ccn:2,prior,forest:3 --blend 0.5,0.3,0.2 --holdout 0.3 --max-epochs 1 --rules needs.rules",
        "--members 2 --hidden 4 --epochs 1 --rules needs.rules",
        "--method forest --rules plain.rules --unknown-labels keep",
        "--method br --rules plain.rules",
    ];
    let mut tried = 0;
    for kind in kinds {
        let output = run(scene.root(), &format!("train {source} {kind}"));
        assert!(output.status.success(), "{kind}: {}", String::from_utf8_lossy(&output.stderr));
        let model = scene.bytes("m.rulebound");
        for _ in 0..scaled(100) {
            let copy = damaged(&mut random, &model);
            scene.write("d.rulebound", &copy);
            let output =
                run(scene.root(), "predict --model d.rulebound s.csv --id-column id --out o.csv");
            assert_eq!(output.status.success(), copy == model, "{kind}");
            tried += 1;
        }
    }
    println!("{tried} damaged models of {} kinds", kinds.len());
}

/// A file of options that is damaged is one, or an error; the options that are typed keep the run short.
#[test]
#[ignore = "soak"]
fn a_damaged_file_of_options_never_panics() {
    let mut random = random("options");
    let options = "threshold = 0.4\nid-column = \"id\"\n[apply]\nrules = \"r\"\nscores = \"s.csv\"\n\
                   delegates = \"w.csv\"\nlogits = false\n[train]\nhidden = [8, 4]\n[check]\nfile = 'r'\n";
    let scene = Scene::with(&[("r", "a -> b\n"), ("s.csv", "id,a,b\nx,0.5,0.25\n")]);
    for _ in 0..scaled(1000) {
        scene.write("d.toml", damaged(&mut random, options.as_bytes()));
        std::fs::remove_file(scene.path("o.csv")).ok();
        let output = run(scene.root(), "apply --config d.toml --out o.csv");
        assert_eq!(output.status.success(), scene.path("o.csv").exists());
    }
    println!("{} damaged files of options", scaled(1000));
}

/// An array that is damaged is one, or there is no output.
#[test]
#[ignore = "soak"]
fn a_damaged_array_never_panics() {
    let mut random = random("array");
    let scene = Scene::with(&[
        ("r", "a -> b\n"),
        ("names", "a\nb\n"),
        ("s.csv", "a,b\n0.5,0.25\n0.1,0.9\n"),
    ]);
    let copy = "apply --rules r --labels names --scores s.csv --out s.npy";
    assert!(run(scene.root(), copy).status.success());
    let array = scene.bytes("s.npy");
    let archive = rulebound_testing::archive(&[("X.npy", &array), ("scores.npy", &array)]);
    for round in 0..scaled(2000) {
        let (name, bytes) = [("d.npy", &array), ("d.npz", &archive)][round % 2];
        scene.write(name, damaged(&mut random, bytes));
        std::fs::remove_file(scene.path("o.csv")).ok();
        let command = format!("apply --rules r --labels names --scores {name} --out o.csv");
        let output = run(scene.root(), &command);
        assert_eq!(output.status.success(), scene.path("o.csv").exists());
    }
    println!("{} damaged arrays", scaled(2000));
}

/// A graph that was exported and damaged gets rules behind it once more, or is refused.
#[test]
#[ignore = "soak"]
fn a_damaged_graph_never_panics() {
    let mut random = random("graph");
    let scene = Scene::with(&[("r", "a -> b\nb, not c -> d\n"), ("names", "a\nb\nc\nd\n")]);
    let rules = "--rules r --labels names";
    assert!(run(scene.root(), &format!("export {rules} --out g.onnx")).status.success());
    let graph = scene.bytes("g.onnx");
    let mut written = 0;
    for _ in 0..scaled(1000) {
        scene.write("d.onnx", damaged(&mut random, &graph));
        std::fs::remove_file(scene.path("o.onnx")).ok();
        let command =
            format!("export --network d.onnx --output probabilities {rules} --out o.onnx");
        let output = run(scene.root(), &command);
        assert_eq!(output.status.success(), scene.path("o.onnx").exists());
        written += usize::from(output.status.success());
    }
    println!("{} damaged graphs, {written} of them with rules behind", scaled(1000));
}

#[test]
#[ignore = "soak"]
fn a_damaged_checkpoint_is_refused() {
    let mut random = random("checkpoint");
    let scene = Scene::new();
    let fit = "train rectangles --hidden 8 --epochs 4000 --checkpoint-every 0 --out m.rulebound";
    let mut child = program(scene.root(), fit).spawn().unwrap();
    rulebound_testing::wait_until("a checkpoint", || scene.path("m.rulebound.checkpoint").exists());
    std::thread::sleep(Duration::from_millis(50));
    child.kill().unwrap();
    child.wait().unwrap();
    let checkpoint = scene.bytes("m.rulebound.checkpoint");
    for _ in 0..scaled(200) {
        let copy = damaged(&mut random, &checkpoint);
        if copy == checkpoint {
            continue;
        }
        scene.write("m.rulebound.checkpoint", &copy);
        let output = run(scene.root(), &format!("{fit} --resume"));
        assert!(!output.status.success());
        assert!(!scene.path("m.rulebound").exists());
    }
    println!("{} damaged checkpoints", scaled(200));
}

/// Damaged tables may still be tables; then their output is coherent, else there is none.
#[test]
#[ignore = "soak"]
fn a_damaged_table_never_panics() {
    let mut random = random("table");
    let rows: String = (0..300).map(|i| format!("r{i},0.{i},0.{}\n", 999 - i)).collect();
    let text = format!("id,a,b\n{rows}");
    let scene = Scene::with(&[("r", "a -> b\n"), ("s.csv", &text), ("s.csv.gz", &text)]);
    let copy = "apply --rules r --scores s.csv --id-column id --out s.parquet";
    assert!(run(scene.root(), copy).status.success());
    let files = ["s.csv", "s.csv.gz", "s.parquet"];
    let originals = files.map(|name| std::fs::read(scene.path(name)).unwrap());
    for round in 0..scaled(3000) {
        let which = round % files.len();
        let name = files[which].replacen('s', "d", 1);
        std::fs::write(scene.path(&name), damaged(&mut random, &originals[which])).unwrap();
        std::fs::remove_file(scene.path("o.csv")).ok();
        let command = format!("apply --rules r --scores {name} --id-column id --out o.csv");
        let output = run(scene.root(), &command);
        assert_eq!(output.status.success(), scene.path("o.csv").exists());
    }
    println!("{} damaged tables", scaled(3000));
}

/// A data set that is damaged goes through every command that reads one.
#[test]
#[ignore = "soak"]
fn a_damaged_data_set_never_panics() {
    const COMMANDS: [&str; 8] = [
        "train D --label-columns a,b --id-column id --hidden 4 --epochs 1 --force --out n.rulebound",
        "predict --model m.rulebound D --id-column id --out o.csv",
        "evaluate --model m.rulebound D --split all",
        "evaluate --scores D --truth D",
        "explain --model m.rulebound D --row 7",
        "mine D --label-columns a,b --id-column id --out mined",
        "data info D --label-columns a,b --id-column id",
        "tune-thresholds --model m.rulebound D --split all --out t",
    ];
    let mut random = random("data set");
    let rows: String = (0..300)
        .map(|i| {
            let (word, a, b) = (["red", "green", "", "blue"][i % 4], i % 2, i % 3 % 2);
            format!("r{i},{},{word},{a},{b}\n", i * 7919 % 997)
        })
        .collect();
    let scene = Scene::with(&[("s.csv", &format!("id,x,colour,a,b\n{rows}"))]);
    for command in [
        "data convert s.csv --label-columns a,b --id-column id --to parquet --out s",
        "train s.csv --label-columns a,b --id-column id --hidden 4 --epochs 1 --out m.rulebound",
    ] {
        let output = run(scene.root(), command);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let originals = [scene.bytes("s.csv"), scene.bytes("s/train.parquet")];
    let mut read = 0;
    for round in 0..scaled(3000) {
        let which = random.below(2);
        let name = ["d.csv", "d.parquet"][which];
        std::fs::write(scene.path(name), damaged(&mut random, &originals[which])).unwrap();
        let command = COMMANDS[round % COMMANDS.len()].replace('D', name);
        read += usize::from(run(scene.root(), &command).status.success());
    }
    println!("{} damaged data sets, {read} of them still readable", scaled(3000));
}
