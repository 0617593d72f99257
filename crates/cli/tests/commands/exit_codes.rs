//! What a script learns from the exit code.

use super::scene::Scene;

fn tables() -> Scene {
    Scene::new(&[
        ("s.csv", "cat,animal\n0.9,0.2\n0.1,0.8\n0.7,0.9\n"),
        ("t.csv", "cat,animal\n1,1\n0,1\n1,1\n"),
        ("r", "cat -> animal\n"),
        ("bad", "cat -> -> animal\n"),
        ("twice", "cat -> animal\ncat -> animal\n"),
    ])
}

const MEASURE: &str = "evaluate --scores s.csv --truth t.csv --rules r";

#[test]
fn a_bound_that_does_not_hold_is_exit_code_3_and_every_one_is_named() {
    let scene = tables();
    let run = scene.run(&format!("{MEASURE} --require micro_f1>=0.8 --require micro_recall>0.1"));
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    // One of --more is among the bounds, so they are measured.
    assert!(run.out.contains("micro_recall"), "{}", run.out);
    let run = scene.run(&format!(
        "{MEASURE} --require micro_f1>=0.95 --require violation_rate<=0 --require auprc>0.1 -q"
    ));
    assert_eq!(run.code, 3);
    let lines: Vec<&str> = run.err.lines().collect();
    assert_eq!(lines.len(), 2, "{}", run.err);
    assert!(
        lines[0].starts_with("error: micro_f1>=0.95 is required, and it is 0.8888"),
        "{}",
        run.err
    );
    assert!(
        lines[1].starts_with("error: violation_rate<=0 is required, and it is 0.3333"),
        "{}",
        run.err
    );
    assert!(run.out.contains("micro_f1"), "the result is printed all the same");
}

#[test]
fn bounds_are_in_the_json_and_a_wrong_one_is_an_invalid_command_line() {
    let scene = tables();
    let run = scene.run(&format!("{MEASURE} --require auprc>=2 --require macro_f1>=0 --json"));
    assert_eq!(run.code, 3);
    let value: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(value["required"][0]["requirement"], "auprc>=2");
    assert_eq!(
        (&value["required"][0]["met"], &value["required"][1]["met"]),
        (&false.into(), &true.into())
    );
    assert_eq!(value["required"][0]["value"], value["auprc"]);
    for (bound, said) in [
        ("auprc", "METRIC>=X"),
        ("aupcr>=0.5", "did you mean `auprc`"),
        ("auprc>=x", "not a number"),
    ] {
        let run = scene.run(&format!("{MEASURE} --require {bound}"));
        assert!(run.code == 2 && run.err.contains(said), "{}", run.err);
    }
    // Without a positive in the truth there is no value, and that is not enough.
    std::fs::write(scene.path("t.csv"), "cat,animal\n0,0\n0,0\n0,0\n").unwrap();
    let run = scene.run(&format!("{MEASURE} --require auprc>=0"));
    assert!(run.code == 3 && run.err.contains("undefined"), "{}", run.err);
}

#[test]
fn every_model_must_reach_what_is_required() {
    let scene = Scene::new(&[]);
    for seed in [0, 1] {
        let run = scene.run(&format!(
            "train rectangles --hidden 2 --epochs 1 --seed {seed} --out {seed}.m -q"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
    }
    let run = scene.run("evaluate --model 0.m --model 1.m rectangles --require auprc>=1.5 --json");
    assert_eq!(run.code, 3);
    assert!(
        run.err.contains("0.m: auprc>=1.5 is required") && run.err.contains("1.m: auprc>=1.5"),
        "{}",
        run.err
    );
    let value: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(value["models"][1]["required"][0]["met"], false);
}

#[test]
fn bad_input_is_1_a_warning_that_is_denied_3_a_wrong_word_2() {
    let scene = tables();
    assert_eq!(scene.run("check bad").code, 1);
    assert_eq!(scene.run("check nowhere").code, 1);
    assert_eq!(scene.run("check twice").code, 0);
    assert_eq!(scene.run("check twice --deny-warnings").code, 3);
    assert_eq!(scene.run("check r --nonsense").code, 2);
    let value = scene.json("check nowhere --json");
    assert_eq!(
        (&value["errors"][0]["cause"], &value["json_version"]),
        (&"input".into(), &1.into())
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_machine_that_fails_is_4() {
    let scene = tables();
    // A device that is always full.
    let run = scene.run("apply --rules r --scores s.csv --out /dev/full");
    assert_eq!(run.code, 4, "{}", run.err);
    let run = scene.run("apply --rules r --scores s.csv --out o.csv --decisions /dev/full");
    assert_eq!(run.code, 4, "{}", run.err);
    // Nobody may write there, whoever runs the test.
    let run = scene.run("apply --rules r --scores s.csv --out /proc/self/o.csv");
    assert_ne!(run.code, 0, "{}", run.err);
    let data: String = (0..2000).map(|n| format!("{n},{},1\n", n % 7)).collect();
    std::fs::write(scene.path("d.csv"), format!("x,z,y\n{data}")).unwrap();
    let train = "train d.csv --label-columns y --epochs 1 --out m.rulebound --memory-limit 10KB";
    let run = scene.run(&format!("{train} --json"));
    assert_eq!(run.code, 4, "{}", run.out);
    let value: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(value["errors"][0]["cause"], "machine");
    let run =
        Scene::without_gpu().run("train rectangles --epochs 1 --out m.rulebound --device cuda");
    assert_eq!(run.code, 4, "{}", run.err);
}
