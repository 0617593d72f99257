//! Methods for hierarchies that are trained by epochs: lmlp, hmcn-f, hmcn-r, dhn.

use crate::scene::Scene;

/// Each method with options that make it small.
const METHODS: [(&str, &str, &str); 4] = [
    ("lmlp", "--hidden-share 4,2 --learning-rates 0.5,0.5 --turn 2", "2 sets of local perceptrons"),
    ("hmcn-f", "--hidden 16 --learning-rate 0.01 --local-share 0.4", "2 level networks"),
    ("hmcn-r", "--hidden 16 --learning-rate 0.01 --penalty 0", "2 level networks"),
    ("dhn", "--hidden 16 --batch 32 --learning-rate 0.01 --affirmed 0.7", "2 two-way networks"),
];

#[test]
fn they_are_trained_measured_and_explained() {
    let scene = Scene::new(&[("points.csv", "x,y\n0.5,0.5\n0.1,0.9\n")]);
    for (method, options, learner) in METHODS {
        let run = scene.run(&format!(
            "train rectangles --method {method} {options} --members 2 --patience 3 --max-epochs 10 \
             --out m.rulebound --force"
        ));
        assert_eq!(run.code, 0, "{method}: {}", run.err);
        assert!(run.out.contains(learner), "{method}: {}", run.out);
        assert!(run.out.contains("best validation auprc"), "{method}: {}", run.out);
        let info = scene.run("model info m.rulebound").out;
        assert!(info.contains("never break a rule") && info.contains(learner), "{info}");
        let measured = scene.json("evaluate --model m.rulebound rectangles --json");
        assert_eq!(measured["incoherent_rows"], 0, "{method}");
        assert!(measured["auprc"].as_f64().unwrap() > 0.6, "{method}: {measured}");
        let members = measured["members"]["each"].as_array().map(Vec::len);
        assert_eq!(members, Some(2), "{method}: {measured}");
        let explained = scene.run("explain --model m.rulebound points.csv --row 1");
        assert_eq!(explained.code, 0, "{method}: {}", explained.err);
    }
}

/// The record of a run repeats it to the last bit.
#[test]
fn a_record_repeats_the_run() {
    for (method, options, _) in METHODS {
        let scene = Scene::new(&[]);
        let run = scene.run(&format!(
            "train rectangles --method {method} {options} --epochs 2 --seed 5 --out m.rulebound"
        ));
        assert_eq!(run.code, 0, "{method}: {}", run.err);
        let run = scene.run("train --config m.rulebound.toml --out again.rulebound");
        assert_eq!(run.code, 0, "{method}: {}", run.err);
        for model in ["m", "again"] {
            let run = scene
                .run(&format!("predict --model {model}.rulebound rectangles --out {model}.csv"));
            assert_eq!(run.code, 0, "{method}: {}", run.err);
        }
        assert_eq!(scene.text("m.csv"), scene.text("again.csv"), "{method}");
    }
}

#[test]
fn what_a_method_does_not_have_is_refused() {
    let scene = Scene::new(&[]);
    for (options, message) in [
        ("--method hmcn-f --affirmed 0.5", "--affirmed: for dhn only, not for --method hmcn-f"),
        ("--penalty 1", "--penalty: for hmcn-f and hmcn-r only, not for --method ccn"),
        ("--method dhn --turn 3", "--turn: for lmlp only, not for --method dhn"),
        ("--method lmlp --dropout 0.2", "--dropout: for networks only, not for --method lmlp"),
        ("--method hmcn-r --monitor loss", "--monitor: for networks only"),
        ("--method hmcn-f --hidden 8,8", "--hidden: one number, the units of all layers of hmcn-f"),
        ("--method lmlp --momentum 0.1", "`0.1` is not two numbers with a comma between them"),
        ("--method lmlp --momentum 0.1,2", "the momentum is 2; it must be in [0, 1)"),
        ("--method dhn --affirmed 1.5", "the weight of what is affirmed is 1.5"),
        ("--method hmcn-f --penalty nan", "the penalty is NaN"),
    ] {
        let run = scene.run(&format!("train rectangles {options} --out m.rulebound"));
        assert_eq!(run.code, 2, "{options}: {}", run.err);
        assert!(run.err.contains(message), "{options}: {}", run.err);
    }
    for (method, ..) in METHODS {
        let run = scene.run(&format!("train three-classes --method {method} --out m.rulebound"));
        assert_ne!(run.code, 0, "{method}");
        let message = format!("{method}: the rules are not a hierarchy");
        assert!(run.err.contains(&message), "{method}: {}", run.err);
        assert!(run.err.contains("such as ccn"), "{method}: {}", run.err);
    }
    assert!(scene.names().is_empty(), "{:?}", scene.names());
}
