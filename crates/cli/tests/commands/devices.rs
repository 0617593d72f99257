//! `devices`, `bench`, and `--device` of other commands, with and without a GPU.

use crate::scene::Scene;

/// Whether there is a usable GPU.
fn has_gpu(scene: &Scene) -> bool {
    let listed = scene.json("devices --json");
    assert!(listed["cpu"]["threads"].as_u64() >= Some(1), "{listed}");
    let gpus = listed["cuda"]["devices"].as_array().unwrap();
    gpus.first().is_some_and(|gpu| gpu["problem"].is_null())
}

#[test]
fn the_devices_are_listed() {
    let scene = Scene::new(&[]);
    let run = scene.run("devices");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(run.out.starts_with("cpu  ") && run.out.contains("\ncuda"), "{}", run.out);
    if !has_gpu(&scene) {
        assert!(run.out.contains("none: ") || run.out.contains("not usable"), "{}", run.out);
    }
}

#[test]
fn an_absent_gpu_is_an_error_that_says_what_is_missing() {
    let scene = Scene::new(&[]);
    let run =
        scene.run("train rectangles --hidden 4 --epochs 1 --device cuda:99 --out m.rulebound");
    assert_eq!(run.code, 4, "{}", run.err);
    assert!(run.err.contains("error: ") && run.err.contains("rulebound devices"), "{}", run.err);
    assert!(!scene.names().contains(&"m.rulebound".to_owned()));
    let run = scene.run("train rectangles --device gpu --out m.rulebound");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("`auto`, `cpu`, `cuda` and `cuda:N`"), "{}", run.err);
    let run = scene.run("bench gpu --device cuda:99");
    assert_eq!(run.code, 4, "{}", run.err);
}

#[test]
fn auto_falls_back_to_the_cpu_with_a_note() {
    let scene = Scene::without_gpu();
    let quick = "--hidden 8 --epochs 2 --batch 100";
    let run = scene.run(&format!("train rectangles {quick} --device auto --out a.rulebound"));
    assert_eq!(run.code, 0, "{}", run.err);
    let run = scene.run("predict --model a.rulebound rectangles --device auto --out s.csv");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.starts_with("note: no usable GPU found, falling back to the CPU: "),
        "{}",
        run.err
    );
    assert_eq!(run.err.lines().count(), 1);
    scene.run(&format!("train rectangles {quick} --out c.rulebound"));
    let bytes = |name| std::fs::read(scene.path(name)).unwrap();
    assert_eq!(bytes("a.rulebound"), bytes("c.rulebound"));
}

#[test]
fn the_cpu_computes_in_fp32_whatever_the_precision() {
    let scene = Scene::without_gpu();
    let quick = "--hidden 8 --epochs 2 --batch 100 --force --out";
    let note = "note: --precision tf32 has no effect on the CPU, which always computes in fp32";
    let train = |options: &str| {
        let run = scene.run(&format!("train rectangles {quick} {options}"));
        assert_eq!(run.code, 0, "{}", run.err);
        run.err
    };
    assert_eq!(train("a.rulebound"), "");
    assert_eq!(train("b.rulebound --precision fp32"), "");
    assert_eq!(train("c.rulebound --precision tf32").trim_end(), note);
    let fallback = train("d.rulebound --precision tf32 --device auto");
    assert!(fallback.starts_with("note: no usable GPU") && fallback.contains(note), "{fallback}");
    let bytes = |name| std::fs::read(scene.path(name)).unwrap();
    for same in ["b.rulebound", "c.rulebound", "d.rulebound"] {
        assert_eq!(bytes(same), bytes("a.rulebound"), "{same}");
    }
    // The record has what was asked for, so that it can be repeated on a GPU.
    assert!(!scene.text("a.rulebound.toml").contains("precision"));
    assert!(scene.text("c.rulebound.toml").contains("precision = \"tf32\"\n"));
    assert_eq!(train("e.rulebound --config c.rulebound.toml").trim_end(), note);
    let value = scene.json("model info c.rulebound --json");
    assert!(value["configuration"].get("precision").is_none(), "{value}");

    let run = scene.run(&format!("train rectangles {quick} f.rulebound --precision fp16"));
    assert!(run.code == 2 && run.err.contains("[possible values: fp32, tf32]"), "{}", run.err);
    let forest = "train rectangles --method forest --trees 2 --force --out f.rulebound";
    let run = scene.run(&format!("{forest} --precision tf32"));
    assert!(run.code == 2 && run.err.contains("--precision: for networks only"), "{}", run.err);
}
