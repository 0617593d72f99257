//! `train --method br|cc|ecc|rakel|rakel-d|camel`, and the classes that they have seen.

use crate::scene::Scene;

/// Twelve rows; `never` is in none of them, `always` in all, `rare` only in the last.
fn pets() -> String {
    let mut text = "size,legs,cat,pet,never,always,rare\n".to_owned();
    for row in 0..12 {
        let (cat, pet) = (u8::from(row % 3 == 0), u8::from(row % 3 < 2));
        let (size, rare) = (f64::from(row) * 0.37 % 1.9 - f64::from(cat), u8::from(row == 11));
        text.push_str(&format!("{size:.2},{},{cat},{pet},0,1,{rare}\n", row % 5));
    }
    text
}

fn scene() -> Scene {
    Scene::new(&[("pets.csv", &pets()), ("pets.rules", "cat -> pet\n")])
}

const DATA: &str = "pets.csv --label-columns cat,pet,never,always,rare";
const SOURCE: &str = "pets.csv --label-columns cat,pet,never,always,rare --rules pets.rules";

#[test]
fn every_method_is_trained_evaluated_and_repeated() {
    let scene = scene();
    for (method, learner) in [
        ("br", "a logistic regression for each class"),
        ("cc", "a chain of logistic regressions"),
        ("ecc --chains 3", "3 chains of logistic regressions"),
        ("rakel --labelsets 2 --labelset-size 2", "4 label sets"),
        ("rakel-d --labelset-size 2", "4 label sets"),
        ("camel --collaboration 0.2", "a kernel machine over 12 rows"),
        ("rakel-d --preset paper", "3 label sets"),
    ] {
        let run = scene.run(&format!("train {SOURCE} --method {method} --out m.rulebound --force"));
        assert_eq!(run.code, 0, "{method}: {}", run.err);
        let run = scene.run("model info m.rulebound");
        assert!(run.out.contains(learner), "{method}: {}", run.out);
        assert!(!run.out.contains("Adam") && !run.out.contains("epoch"), "{method}: {}", run.out);
        let run = scene.run(&format!("evaluate {DATA} --model m.rulebound --json"));
        assert_eq!(run.code, 0, "{method}: {}", run.err);
        let value: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(value["incoherent_rows"], 0, "{method}");
        let run = scene.run("train --config m.rulebound.toml --out again.rulebound --force");
        assert_eq!(run.code, 0, "{method}: {}", run.err);
        assert_eq!(scene.bytes("m.rulebound"), scene.bytes("again.rulebound"), "{method}");
    }
}

#[test]
fn options_of_other_methods_are_refused() {
    let scene = scene();
    for (options, expected) in [
        ("--method br --chains 3", "--chains: for ecc only, not for --method br"),
        ("--chains 3", "--chains: for ecc only, not for --method ccn"),
        ("--method cc --labelset-size 3", "--labelset-size: for rakel and rakel-d only"),
        ("--method ecc --chains 0", "chains is 0; it must be from 1 to 1000"),
        ("--method br --inverse-penalty 0", "C is 0; it must be above 0, at most 1e12"),
        (
            "--method rakel --labelset-size 11",
            "the size of label sets is 11; it must be from 1 to 10",
        ),
        ("--method camel --kernel-penalty nan", "lambda is NaN; it must be above 0, at most 1e12"),
        ("--method ecc --members 2", "members is 2; it must be 1, because this method has members"),
        (
            "--method br --members 2",
            "members is 2; it must be 1, because the method is deterministic",
        ),
    ] {
        let run = scene.run(&format!("train {SOURCE} {options} --out m.rulebound"));
        assert_eq!(run.code, 2, "{options}: {}", run.err);
        assert!(run.err.contains(expected), "{options}: {}", run.err);
    }
}

/// Class by class: in every row, in none, and in some.
#[test]
fn classes_seen_in_training_are_stored_and_counted() {
    let scene = scene();
    let run = scene.run(&format!("train {SOURCE} --method br --out m.rulebound"));
    assert_eq!(run.code, 0, "{}", run.err);
    let evaluate = format!("evaluate {DATA} --model m.rulebound");
    let classes = |which: &str| {
        scene.json(&format!("{evaluate} --json --labels-in-metrics {which}"))["classes"].clone()
    };
    assert_eq!(
        (classes("all"), classes("present"), classes("seen")),
        (5.into(), 4.into(), 3.into())
    );
    let run = scene.run(&format!("{evaluate} --labels-in-metrics seen"));
    assert!(run.out.contains("3 classes seen in training"), "{}", run.out);
}

#[test]
fn tables_need_a_list_of_the_classes_seen() {
    let files = [
        ("s.csv", "a,b,c\n0.9,0.2,0.3\n0.2,0.8,0.1\n"),
        ("t.csv", "a,b,c\n1,0,0\n0,1,0\n"),
        ("seen.txt", "a\nb\n"),
        ("odd.txt", "a\nd\n"),
    ];
    let scene = Scene::new(&files);
    let evaluate = "evaluate --scores s.csv --truth t.csv";
    let seen = "--labels-in-metrics seen";
    let value = scene.json(&format!("{evaluate} {seen} --labels-seen seen.txt --json"));
    assert_eq!((&value["classes"], &value["hamming_loss"]), (&2.into(), &0.0.into()));
    for (options, expected) in [
        (seen.to_owned(), "list them with --labels-seen FILE"),
        ("--labels-seen seen.txt".to_owned(), "--labels-seen: not for --labels-in-metrics all"),
        (format!("{seen} --labels-seen odd.txt"), "the class `d` of odd.txt has no column"),
    ] {
        let run = scene.run(&format!("{evaluate} {options}"));
        assert_eq!(run.code, 2, "{options}: {}", run.err);
        assert!(run.err.contains(expected), "{options}: {}", run.err);
    }
}
