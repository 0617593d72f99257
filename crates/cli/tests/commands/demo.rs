//! `rulebound demo`: few epochs, so that nothing here waits.

use crate::scene::Scene;

#[test]
fn the_methods_are_compared_and_drawn() {
    let scene = Scene::new(&[]);
    let run = scene.run("demo --epochs 300");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert_eq!(scene.names(), ["rulebound-demo.svg"]);
    assert!(run.out.contains("drawn in rulebound-demo.svg\n"), "{}", run.out);
    assert!(run.out.contains("A, not A1 -> A2\n"), "{}", run.out);
    for (method, is_coherent) in [("none", false), ("post", true), ("ccn", true)] {
        let line = run.out.lines().find(|line| line.trim_start().starts_with(method)).unwrap();
        assert_eq!(line.contains(" 0 of 2,500 "), is_coherent, "{line}");
        assert!(line.contains(" of 2,500 "), "{line}");
    }
    let picture = scene.text("rulebound-demo.svg");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    // Three methods by three classes, and the scale.
    assert_eq!(picture.matches("<image ").count(), 10);
    assert_eq!(picture.matches(">no point<").count(), 2);
}

#[test]
fn json_has_every_number() {
    let scene = Scene::new(&[]);
    let value = scene.json("demo --epochs 300 --seed 7 --json --picture it.svg");
    assert_eq!((&value["seed"], &value["epochs"]), (&7.into(), &300.into()));
    assert_eq!((&value["problem"], &value["picture"]), (&"three-classes".into(), &"it.svg".into()));
    assert_eq!(value["rule_texts"].as_array().unwrap().len(), 3);
    let methods = value["methods"].as_array().unwrap();
    let names: Vec<&str> =
        methods.iter().map(|method| method["method"].as_str().unwrap()).collect();
    assert_eq!(names, ["none", "post", "ccn"]);
    for method in methods {
        let evaluation = &method["evaluation"];
        for metric in ["auprc", "average_precision", "micro_f1"] {
            let value = evaluation[metric].as_f64().unwrap();
            assert!(value > 0.2 && value <= 1.0, "{metric} {value}");
        }
        assert_eq!(evaluation["rows"], 2500);
        assert!(method["seconds"].as_f64().unwrap() > 0.0);
    }
    let broken = |method: usize| methods[method]["evaluation"]["incoherent_rows"].as_u64();
    assert!(broken(0) > Some(0), "the plain network shows nothing");
    assert_eq!((broken(1), broken(2)), (Some(0), Some(0)));
    assert_eq!(scene.names(), ["it.svg"]);
}

#[test]
fn the_same_seed_draws_the_same_picture() {
    let scene = Scene::new(&[]);
    for (seed, picture) in [(1, "a"), (1, "b"), (2, "c")] {
        let run = scene.run(&format!("demo --epochs 20 --seed {seed} --picture {picture}.svg"));
        assert_eq!(run.code, 0, "{}", run.err);
    }
    assert!(scene.text("a.svg") == scene.text("b.svg"));
    assert!(scene.text("a.svg") != scene.text("c.svg"));
}

/// More epochs than training accepts: if training came first, its error would too.
const TOO_LONG: &str = "demo --epochs 2000000";

#[test]
fn an_unwritable_picture_is_reported_before_training() {
    let scene = Scene::new(&[]);
    let run = scene.run(TOO_LONG);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("epochs is 2000000"), "{}", run.err);
    let run = scene.run(&format!("{TOO_LONG} --picture nowhere/it.svg"));
    assert_eq!(run.code, 1);
    assert!(run.err.contains("there is no folder nowhere"), "{}", run.err);
    assert!(run.err.contains("--picture FILE.svg"), "{}", run.err);
    std::fs::create_dir(scene.path("folder.svg")).unwrap();
    let run = scene.run(&format!("{TOO_LONG} --picture folder.svg --json"));
    assert_eq!(run.code, 1);
    assert!(run.out.contains("it is a folder"), "{}", run.out);
    for picture in ["it.png", "it", "-", "it.svg.gz"] {
        let run = scene.run(&format!("{TOO_LONG} --picture {picture}"));
        assert_eq!(run.code, 2, "{picture}");
        assert!(run.err.contains("the picture is SVG"), "{}", run.err);
    }
    assert_eq!(scene.names(), ["folder.svg"]);
}

#[test]
fn numbers_out_of_range_are_usage_errors() {
    let scene = Scene::new(&[]);
    for arguments in ["demo --epochs 0", "demo --seed -1", "demo --seed x", "demo rules"] {
        assert_eq!(scene.run(arguments).code, 2, "{arguments}");
    }
    assert!(scene.names().is_empty());
}
