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
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.err.contains("error: ") && run.err.contains("rulebound devices"), "{}", run.err);
    assert!(!scene.names().contains(&"m.rulebound".to_owned()));
    let run = scene.run("train rectangles --device gpu --out m.rulebound");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("`auto`, `cpu`, `cuda` and `cuda:N`"), "{}", run.err);
    let run = scene.run("bench gpu --device cuda:99");
    assert_eq!(run.code, 1, "{}", run.err);
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
