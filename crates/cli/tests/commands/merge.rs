//! `model merge`.

use super::scene::Scene;

fn trained(scene: &Scene, options: &str, out: &str) {
    let run = scene.run(&format!("train rectangles --epochs 2 {options} --out {out}"));
    assert_eq!(run.code, 0, "{}", run.err);
}

#[test]
fn seeds_trained_one_by_one_are_the_ensemble() {
    let scene = Scene::new(&[]);
    for seed in [4, 5, 6] {
        trained(&scene, &format!("--hidden 3 --seed {seed}"), &format!("s{seed}.rulebound"));
    }
    trained(&scene, "--hidden 3 --seed 4 --members 3", "together.rulebound");
    let run = scene.run("model merge s6.rulebound s4.rulebound s5.rulebound --out all.rulebound");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert_eq!(run.out, "3 members of 3 models, seeds 4, 5, 6\nwritten to all.rulebound\n");
    let bytes = |name: &str| std::fs::read(scene.path(name)).unwrap();
    assert!(bytes("all.rulebound") == bytes("together.rulebound"));

    let again = scene.run("model merge s4.rulebound s6.rulebound --out all.rulebound");
    assert_eq!(again.code, 1);
    assert!(again.err.contains("all.rulebound exists already"), "{}", again.err);
    let json = scene.json("model merge s4.rulebound s6.rulebound --out two.rulebound --json");
    assert_eq!(json["seeds"], serde_json::json!([4, 6]));
    let note = "the seeds 4, 6 do not follow each other: no one run has these members";
    assert_eq!(json["notes"], serde_json::json!([note]));
}

#[test]
fn everything_that_differs_is_said_at_once() {
    let scene = Scene::new(&[]);
    trained(&scene, "--seed 1 --hidden 3", "a.rulebound");
    trained(&scene, "--seed 2 --hidden 3 --learning-rate 0.5 --dropout 0.1", "b.rulebound");
    trained(&scene, "--seed 3 --hidden 5", "c.rulebound");
    let run = scene.run("model merge a.rulebound b.rulebound c.rulebound --out all.rulebound");
    assert_eq!(run.code, 1);
    for line in [
        "setting `dropout`: ",
        "setting `learning_rate`: ",
        " in a.rulebound, but 0.5 in b.rulebound",
        "setting `hidden`: [3] in a.rulebound, but [5] in c.rulebound",
        "only --seed different",
    ] {
        assert!(run.err.contains(line), "{line}\n{}", run.err);
    }
    assert!(!scene.path("all.rulebound").exists());
    let same = scene.run("model merge a.rulebound a.rulebound --out all.rulebound");
    assert!(same.err.contains("seed 1 is in a.rulebound and in a.rulebound"), "{}", same.err);
}
