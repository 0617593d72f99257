//! `train --method clus` and `--method forest`.

use crate::scene::Scene;

/// Forty rows with a nominal column and missing cells.
fn pets() -> String {
    let mut text = "size,coat,cat,pet,wild\n".to_owned();
    for row in 0..40 {
        let coat = ["short", "long", "none"][row % 3];
        let size = (row * 7 % 40) as f64 / 10.0;
        let (cat, pet) = (u8::from(size < 1.5 && row % 3 > 0), u8::from(size < 2.5));
        let size = if row % 9 == 4 { String::new() } else { size.to_string() };
        text.push_str(&format!("{size},{coat},{cat},{pet},{}\n", 1 - pet));
    }
    text
}

fn scene() -> Scene {
    Scene::new(&[("pets.csv", &pets()), ("pets.rules", "cat -> pet\n")])
}

const DATA: &str = "pets.csv --label-columns cat,pet,wild";

#[test]
fn trees_are_trained_evaluated_and_repeated() {
    let scene = scene();
    for (method, learner) in [
        ("clus --trees 1", "a predictive clustering tree"),
        ("clus --trees 3 --leaf-size 3 --f-test 0.1", "3 predictive clustering trees"),
        ("forest --trees 5 --bagging --split-thresholds best", "a forest of 5 trees"),
        ("forest --trees 6 --split-features 1 --sketch 2 --leaf-size 4", "a forest of 6 trees"),
    ] {
        let run = scene.run(&format!(
            "train {DATA} --rules pets.rules --method {method} --out m.rulebound --force"
        ));
        assert_eq!(run.code, 0, "{method}: {}", run.err);
        let run = scene.run("model info m.rulebound");
        assert!(run.out.contains(learner), "{method}: {}", run.out);
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
        ("--method forest --f-test 0.1", "--f-test: for clus only, not for --method forest"),
        ("--trees 5", "--trees: for clus and forest only, not for --method ccn"),
        ("--method clus --sketch 5", "--sketch: for forest only, not for --method clus"),
        ("--method forest --trees 0", "trees is 0; it must be from 1 to 100000"),
        ("--method forest --split-features 0", "the fraction of features is 0"),
        ("--method clus --f-test 2", "the level of the F-test is 2; it must be from 0.000001 to 1"),
        ("--method clus --leaf-size 0", "the leaf size is 0"),
        ("--method forest --members 2", "this method has members of its own"),
        ("--method clus --trees 1 --members 2", "deterministic"),
    ] {
        let run = scene.run(&format!("train {DATA} {options} --out m.rulebound"));
        assert_ne!(run.code, 0, "{options}");
        assert!(run.err.contains(expected), "{options}: {}", run.err);
    }
}
