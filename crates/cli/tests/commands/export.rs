//! `export`: files for other runtimes. That they compute the same is tested in crates/engine/tests/onnx.

use super::scene::Scene;

const RULES: (&str, &str) = ("body.rules", "stomach -> abdomen\nnot stomach -> other\n");

#[test]
fn rules_become_a_file_and_a_network_with_rules_is_not_given_more() {
    let scene = Scene::new(&[RULES, ("names.txt", "other\nstomach\nabdomen\n")]);
    let run = scene.run("export --rules body.rules --out body.onnx");
    assert_eq!((run.code, &run.err[..]), (0, ""));
    assert!(run.out.starts_with("2 rules: outputs probabilities, predicted"), "{}", run.out);
    let behind = "export --network body.onnx --rules body.rules --labels names.txt --out more.onnx";
    let run = scene.run(behind);
    assert_eq!(run.code, 1);
    assert!(
        run.err.contains("body.onnx: its outputs are `probabilities`, `predicted`")
            || run.err.contains("it has rules already"),
        "{}",
        run.err
    );
    let run = scene.run(&format!("{behind} --output predicted"));
    assert!(run.err.contains("the output `predicted` has truth values, not scores"), "{}", run.err);
    let run = scene.run("export --rules body.rules --out body.onnx");
    assert!(run.code == 1 && run.err.contains("--force replaces it"), "{}", run.err);
    let value = scene.json("export --rules body.rules --out body.onnx --force --margins --json");
    assert_eq!(value["outputs"], serde_json::json!(["probabilities", "predicted", "margins"]));
}

#[test]
fn a_model_becomes_a_file() {
    let scene = Scene::new(&[]);
    let run = scene.run("train rectangles --hidden 4 --epochs 1 --out boxes.rulebound");
    assert_eq!(run.code, 0, "{}", run.err);
    let run = scene
        .run("export boxes.rulebound --to onnx --out boxes.onnx --named-inputs --threshold 0.3");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("a network (2-4-2) with 1 rule"), "{}", run.out);
    let written = std::fs::read(scene.path("boxes.onnx")).unwrap();
    let has = |text: &str| written.windows(text.len()).any(|bytes| bytes == text.as_bytes());
    assert!(has("rulebound.thresholds") && has("[0.3,0.3]") && has("rulebound.checksum"));
}

#[test]
fn requirements_are_counted_beside_the_rules() {
    let scene = Scene::new(&[("l.rules", "red -> stop\nexclusive(red, green)\nred | green\n")]);
    let run = scene.run("export --rules l.rules --out l.onnx");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.starts_with("1 rule and 2 requirements"), "{}", run.out);
}

/// So many pigeons in as many holes, which needs search.
fn pigeons(count: usize) -> String {
    let each = |name: &dyn Fn(usize) -> String| -> String {
        (0..count).map(name).collect::<Vec<_>>().join(", ")
    };
    (0..count)
        .map(|one| {
            let holes = each(&|hole| format!("p{one}h{hole}"));
            let birds = each(&|bird| format!("p{bird}h{one}"));
            format!("one of({holes})\nexclusive({birds})\n")
        })
        .collect()
}

#[test]
fn wrong_files_and_contradictions_are_errors() {
    let scene = Scene::new(&[
        RULES,
        ("names.txt", "stomach\nabdomen\n"),
        ("one.rules", &pigeons(8)),
        ("text.onnx", "a network, but not really"),
        ("empty.onnx", ""),
    ]);
    let cases = [
        (1, "export body.rules --out x.onnx", "is not a rulebound model"),
        (1, "export missing.rulebound --out x.onnx", "missing.rulebound"),
        (1, "export --rules one.rules --out x.onnx", "cannot be part of a graph"),
        (2, "export --out x.onnx", "MODEL"),
        (2, "export m.rulebound --rules body.rules --out x.onnx", "cannot be used with"),
        (2, "export --network text.onnx --rules body.rules --out x.onnx", "--labels"),
        (2, "export --rules body.rules --to keras --out x.onnx", "invalid value 'keras'"),
    ];
    for (code, arguments, expected) in cases {
        let run = scene.run(arguments);
        assert!(run.code == code && run.err.contains(expected), "{arguments}: {}", run.err);
    }
    for file in ["text.onnx", "empty.onnx", "missing.onnx"] {
        let run = scene.run(&format!(
            "export --network {file} --rules body.rules --labels names.txt --out x.onnx"
        ));
        assert!(run.code == 1 && run.err.contains(file), "{}", run.err);
    }
    assert!(!scene.path("x.onnx").exists());
}
