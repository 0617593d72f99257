//! Runs that are killed again and again, and in the end have the bytes of an undisturbed run.

use crate::{is_whole, program, random, run, scaled};
use rulebound_testing::{Random, Scene};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Kills a command after random times until it once gets through; returns how often it was killed.
fn kill_until_done(random: &mut Random, scene: &Scene, command: &str, longest: u64) -> usize {
    let mut kills = 0;
    loop {
        let mut child = program(scene.root(), command)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Ever longer, so that it ends.
        let most = longest + 20 * kills as u64;
        let deadline =
            Instant::now() + Duration::from_millis(1 + random.below(most as usize) as u64);
        let ended = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            if Instant::now() >= deadline {
                break None;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        match ended {
            Some(status) => {
                assert!(status.success(), "{command}: {status}");
                return kills;
            }
            None => {
                child.kill().unwrap();
                child.wait().unwrap();
                kills += 1;
            }
        }
    }
}

/// No temporary file survives the run that follows a kill.
fn expect_clean(scene: &Scene) {
    let mut folders = vec![scene.root().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            assert!(path.extension().is_none_or(|end| end != "tmp"), "{}", path.display());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
}

#[test]
#[ignore = "soak"]
fn a_training_run_ends_with_the_same_bytes() {
    let mut random = random("train");
    let mut kills = 0;
    for round in 0..scaled(6) {
        let settings = format!(
            "train three-classes --hidden 64,64 --epochs 6 --members 3 --batch 20 --seed {round} --checkpoint-every 0"
        );
        let (calm, wild) = (Scene::new(), Scene::new());
        assert!(run(calm.root(), &format!("{settings} --out m.rulebound")).status.success());
        let resumed = format!("{settings} --out m.rulebound --resume");
        kills += kill_until_done(&mut random, &wild, &resumed, 300);
        assert!(calm.bytes("m.rulebound") == wild.bytes("m.rulebound"));
        expect_clean(&wild);
    }
    println!("train: {kills} kills");
    assert!(kills > 0 || !is_whole());
}

/// The lines of a table in a fixed order, without the column of times.
fn untimed(scene: &Scene, path: &str) -> Vec<String> {
    let text = scene.text(path);
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let time = header.iter().position(|name| *name == "seconds").unwrap();
    let without = |line: &str| {
        let cells = line.split(',').enumerate().filter(|(column, _)| *column != time);
        cells.map(|(_, cell)| cell).collect::<Vec<_>>().join(",")
    };
    let mut lines: Vec<String> = text.lines().map(without).collect();
    lines.sort();
    lines
}

#[test]
#[ignore = "soak"]
fn a_search_ends_with_the_same_table() {
    let mut random = random("tune");
    let mut kills = 0;
    for seed in 0..scaled(4) {
        let settings = format!(
            "tune three-classes --hidden 8 --learning-rates 0.01,0.001 --dropouts 0,0.5 \
             --max-epochs 4 --seed {seed} --out trials.csv"
        );
        let (calm, wild) = (Scene::new(), Scene::new());
        assert!(run(calm.root(), &settings).status.success());
        kills += kill_until_done(&mut random, &wild, &settings, 300);
        assert_eq!(untimed(&calm, "trials.csv"), untimed(&wild, "trials.csv"));
        expect_clean(&wild);
    }
    println!("tune: {kills} kills");
    assert!(kills > 0 || !is_whole());
}

#[test]
#[ignore = "soak"]
fn a_reproduction_ends_with_the_same_results() {
    let mut random = random("reproduce");
    let settings = "reproduce nine-rectangles --seeds 2 --checkpoint-every 1 --out run";
    let (calm, wild) = (Scene::new(), Scene::new());
    assert!(run(calm.root(), settings).status.success());
    let kills = kill_until_done(&mut random, &wild, settings, 4000);
    assert_eq!(untimed(&calm, "run/results.csv"), untimed(&wild, "run/results.csv"));
    for name in ["ccn.0", "ccn.1", "cm.0", "cm.1"] {
        let model = format!("run/models/nine-rectangles.{name}.rulebound");
        assert!(calm.bytes(&model) == wild.bytes(&model), "{model}");
    }
    expect_clean(&wild);
    println!("reproduce: {kills} kills");
    assert!(kills > 0 || !is_whole());
}

#[test]
#[ignore = "soak"]
fn a_table_is_whole_or_absent() {
    let mut random = random("apply kills");
    let rows: String = (0..100_000).map(|i| format!("0.{i},0.{}\n", i * 7 % 99_991)).collect();
    let table = format!("a,b\n{rows}");
    let scene = Scene::with(&[("r", "a -> b\n"), ("s.csv", &table)]);
    let command = "apply --rules r --scores s.csv --out o.csv --decisions d.csv";
    assert!(run(scene.root(), command).status.success());
    let whole = [scene.bytes("o.csv"), scene.bytes("d.csv")];
    let mut kills = 0;
    for _ in 0..scaled(40) {
        for name in ["o.csv", "d.csv"] {
            std::fs::remove_file(scene.path(name)).ok();
        }
        kills += kill_until_done(&mut random, &scene, command, 120);
        assert!([scene.bytes("o.csv"), scene.bytes("d.csv")] == whole);
        expect_clean(&scene);
    }
    println!("apply: {kills} kills");
    assert!(kills > 0 || !is_whole());
}
