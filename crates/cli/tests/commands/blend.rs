//! `train --learners`, and methods that are not networks.

use crate::scene::Scene;

const QUICK: &str = "rectangles --arrangement inside --hidden 8 --max-epochs 3";

#[test]
fn a_blend_is_trained_inspected_and_used() {
    let scene = Scene::new(&[]);
    let run = scene.run(&format!("train {QUICK} --learners ccn:2,prior --out m.rulebound"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("ccn: 2 networks (2-8-"), "{}", run.out);
    assert!(run.out.contains("weights chosen by auprc on"), "{}", run.out);
    let run =
        scene.run(&format!("train {QUICK} --learners ccn,prior --blend 3,1 --out n.rulebound"));
    assert_eq!(run.code, 0, "{}", run.err);
    let run = scene.run("model info n.rulebound");
    assert!(run.out.contains("ccn: a network (2-8-"), "{}", run.out);
    assert!(run.out.contains("prior: class frequencies, weight 0.250"), "{}", run.out);
    let run = scene.run("evaluate rectangles --arrangement inside --model n.rulebound --json");
    assert_eq!(run.code, 0, "{}", run.err);
    // What was recorded repeats the run to the same bytes.
    let run = scene.run("train --config n.rulebound.toml --out again.rulebound");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(scene.bytes("n.rulebound"), scene.bytes("again.rulebound"));
    assert_eq!(scene.names().iter().filter(|name| name.contains("checkpoint")).count(), 0);
}

#[test]
fn a_method_that_is_not_a_network_is_trained_and_recorded() {
    let scene = Scene::new(&[]);
    let train = "train rectangles --arrangement inside --method prior";
    let run = scene.run(&format!("{train} --out p.rulebound"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.starts_with("trained class frequencies with 2,500 rows"), "{}", run.out);
    let run = scene.run("train --config p.rulebound.toml --out again.rulebound");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(scene.bytes("p.rulebound"), scene.bytes("again.rulebound"));
    let run = scene.run(&format!("{train} --hidden 3 --epochs 2 --out q.rulebound"));
    assert_eq!(run.code, 2);
    let expected = "--hidden, --epochs: for networks only, not for --method prior";
    assert!(run.err.contains(expected), "{}", run.err);
    let run = scene.run(&format!("{train} --members 2 --out q.rulebound"));
    assert_eq!(run.code, 2);
    assert!(run.err.contains("members is 2; it must be 1"), "{}", run.err);
}

#[test]
fn what_cannot_be_blended_is_refused_in_words() {
    let scene = Scene::new(&[]);
    let error = |options: &str| {
        let run = scene.run(&format!("train {QUICK} {options} --out m.rulebound"));
        assert_ne!(run.code, 0, "{options}");
        run.err
    };
    assert!(error("--learners ccn,tree").contains("`tree` is not a method; there are ccn, "));
    assert!(error("--learners ccn,prior:3").contains("deterministic and needs no number"));
    assert!(error("--learners ccn,prior --blend 1").contains("1 weights for 2 learners"));
    assert!(error("--learners ccn,prior --blend 1,x").contains("`x` is not a number"));
    assert!(error("--learners ccn,prior --blend 0,0").contains("one of them above 0"));
    assert!(error("--learners ccn").contains("at least two learners"));
    assert!(error("--learners ccn,none").contains("`none` would not"));
}

/// A network that stops early only watches validation rows; other learners are fitted on them, and
/// thresholds tuned there must say so.
#[test]
fn rows_that_a_learner_was_fitted_on_are_named() {
    let mut table = "x,y,A,B\n".to_owned();
    for row in 0..60 {
        let is_in = u8::from(row % 3 == 0);
        table += &format!("{row},{},{is_in},{}\n", row % 7, u8::from(row % 3 < 2));
    }
    let scene = Scene::new(&[("t.csv", &table), ("r", "A -> B\n")]);
    let source = "t.csv --label-columns A,B --rules r --valid-share 0.3";
    for (method, is_warned) in [
        ("--hidden 4 --max-epochs 2", false),
        ("--hidden 4 --max-epochs 2 --retrain", true),
        ("--method prior", true),
        ("--hidden 4 --max-epochs 2 --learners ccn,prior --blend 1,1", true),
    ] {
        let run = scene.run(&format!("train {source} {method} --force --out m.rulebound"));
        assert_eq!(run.code, 0, "{method}: {}", run.err);
        let run = scene.run("tune-thresholds --model m.rulebound t.csv --out h.csv --force");
        assert_eq!(run.code, 0, "{method}: {}", run.err);
        assert_eq!(
            run.err.contains("rows were used in training"),
            is_warned,
            "{method}: {}",
            run.err
        );
    }
}
