//! `evaluate` beyond the ten metrics: each class, F-max, intervals, curves, several models.

use crate::scene::Scene;
use rulebound_core::metrics::{FurtherMetric, Metric};

const SCORES: &str = "id,a,b,c\nx,0.9,0.2,0.6\ny,0.4,0.5,0.1\nz,0.7,0.8,0.3\n";
const TRUTH: &str = "b,c,a,id\n1,0,1,z\n0,0,1,x\n1,0,0,y\n";
const BY_ID: &str = "evaluate --scores s.csv --truth t.csv --id-column id";

fn scene() -> Scene {
    Scene::new(&[("s.csv", SCORES), ("t.csv", TRUTH), ("r", "a -> b\n")])
}

#[test]
fn f_max_and_hierarchical_metrics_are_shown_when_asked_for() {
    let scene = scene();
    let value = scene.json(&format!("{BY_ID} --rules r --more --json"));
    let more = &value["more"];
    // At 0.5: {a, c}, {b}, {a, b} against {a}, {b}, {a, b}: P (1/2 + 1 + 1)/3, R 1.
    let (precision, recall): (f64, f64) = (2.5 / 3.0, 1.0);
    let expected = 2.0 * precision * recall / (precision + recall);
    assert!((more["fmax"].as_f64().unwrap() - expected).abs() < 1e-12, "{more}");
    // a brings b: {a, b, c}, {}, {a, b} against {a, b}, {b}, {a, b}.
    assert_eq!(more["hierarchical_precision"], 4.0 / 5.0);
    assert_eq!(more["hierarchical_recall"], 4.0 / 5.0);
    assert_eq!(more["micro_precision"], 3.0 / 4.0);
    assert!(more["brier"].is_number() && more["ece"].is_number());
    // Only when asked for, and undefined without rules.
    let plain = scene.json(&format!("{BY_ID} --json"));
    let others = ["violations", "rows", "classes"].len();
    assert_eq!(plain.as_object().unwrap().len(), Metric::ALL.len() + others);
    let more = &scene.json(&format!("{BY_ID} --more --json"))["more"];
    assert!(more["hierarchical_f1"].is_null());
    let text = scene.run(&format!("{BY_ID} --rules r --more")).out;
    assert!(text.contains("  fmax                     0.9091  higher is better"), "{text}");
}

#[test]
fn metrics_of_each_class_are_a_table() {
    let scene = scene();
    let run = scene.run(&format!("{BY_ID} --per-class classes.csv"));
    assert_eq!(run.code, 0, "{}", run.err);
    insta::assert_snapshot!(scene.text("classes.csv"), @"
    class,support,predicted,precision,recall,f1,average_precision,auc
    b,2,1,1,0.5,0.6666666666666666,1,1
    c,0,1,0,0,0,,
    a,2,2,1,1,1,1,1
    ");
    let shown = &run.out[run.out.find("\n  class").unwrap()..];
    insta::assert_snapshot!(shown, @"

      class                     support precision  recall      f1      ap     auc
      b                               2    1.0000  0.5000  0.6667  1.0000  1.0000
      a                               2    1.0000  1.0000  1.0000  1.0000  1.0000
      1 class without a positive
    ");
    let value = scene.json(&format!("{BY_ID} --per-class classes.csv --json"));
    assert_eq!(value["per_class"][0]["class"], "b");
    assert!(value["per_class"][1]["auc"].is_null());
    assert_eq!(value["auprc"], scene.json(&format!("{BY_ID} --json"))["auprc"]);
    let run = scene.run(&format!("{BY_ID} --per-class classes.docx"));
    assert!(run.code == 1 && run.err.contains("classes.docx"), "{}", run.err);
    let run = scene.run(&format!("{BY_ID} --per-class no/classes.csv"));
    assert!(run.code == 1 && run.err.contains("there is no folder"), "{}", run.err);
}

#[test]
fn intervals_are_the_same_for_the_same_seed() {
    let scene = scene();
    let of = |more: &str| scene.json(&format!("{BY_ID} --rules r --more --json {more}"));
    let value = of("--bootstrap 200");
    assert_eq!(value["bootstrap"], of("--bootstrap 200 --seed 0")["bootstrap"]);
    assert_ne!(value["bootstrap"], of("--bootstrap 200 --seed 1")["bootstrap"]);
    let intervals = value["bootstrap"]["intervals"].as_object().unwrap();
    let violations = 1;
    assert_eq!(intervals.len(), Metric::ALL.len() + FurtherMetric::ALL.len() + violations);
    for (name, interval) in intervals {
        let figure = match name.as_str() {
            "violation_rate" => &value["violation_rate"],
            name if value[name].is_number() => &value[name],
            name => &value["more"][name],
        };
        let [low, high] = ["low", "high"].map(|end| interval[end].as_f64().unwrap());
        let figure = figure.as_f64().unwrap();
        assert!(low <= figure && figure <= high, "{name}: {low} {figure} {high}");
    }
    assert!(intervals["violation_rate"]["high"].as_f64() > Some(0.4));
    let text = scene.run(&format!("{BY_ID} --bootstrap 200")).out;
    assert!(text.contains("95 % of 200 bootstrap samples (seed 0)"), "{text}");
    assert_eq!(scene.run(&format!("{BY_ID} --seed 1")).code, 2);
}

/// Macro averages over classes with one row each: a sample lacks a third of them, so its recall is lower.
#[test]
fn an_interval_without_its_value_is_explained() {
    let names: Vec<String> = (0..10).map(|class| format!("c{class}")).collect();
    let mut table = format!("{}\n", names.join(","));
    for row in 0..40 {
        let cells: Vec<&str> = (0..10).map(|class| if class == row { "1" } else { "0" }).collect();
        table += &format!("{}\n", cells.join(","));
    }
    let scene = Scene::new(&[("s.csv", &table), ("t.csv", &table)]);
    let evaluate = "evaluate --scores s.csv --truth t.csv --more --bootstrap 100";
    let text = scene.run(evaluate).out;
    assert_eq!(text.matches("do not contain their values").count(), 1, "{text}");
    assert!(text.contains("macro_recall") && text.contains("lack some rare classes"), "{text}");
    let value = scene.json(&format!("{evaluate} --json"));
    let intervals = &value["bootstrap"]["intervals"];
    assert_eq!(intervals["macro_recall"]["contains_value"], false);
    assert_eq!(intervals["hamming_loss"]["contains_value"], true);
    // Nothing to explain.
    let text = self::scene().run(&format!("{BY_ID} --bootstrap 200")).out;
    assert!(!text.contains("contain"), "{text}");
}

#[test]
fn curves_are_a_picture() {
    let scene = scene();
    let run = scene.run(&format!("{BY_ID} --curves c.svg"));
    assert_eq!(run.code, 0, "{}", run.err);
    let svg = scene.text("c.svg");
    for part in ["Precision and recall", "Reliability", ">all classes<", ">a<", ">b<", ">ideal<"] {
        assert!(svg.contains(part), "{part}");
    }
    assert_eq!(scene.run(&format!("{BY_ID} --curves c.html")).code, 0);
    assert!(scene.text("c.html").starts_with("<!DOCTYPE html>"));
    let run = scene.run(&format!("{BY_ID} --curves c.png"));
    assert!(run.code == 2 && run.err.contains(".svg or .html"), "{}", run.err);
}

#[test]
fn models_are_compared_side_by_side() {
    let scene = Scene::new(&[]);
    for (name, epochs) in [("one", 1), ("two", 12)] {
        let run = scene
            .run(&format!("train rectangles --hidden 8 --epochs {epochs} --out {name}.rulebound"));
        assert_eq!(run.code, 0, "{}", run.err);
    }
    let both = "evaluate --model one.rulebound --model two.rulebound rectangles";
    let value = scene.json(&format!("{both} --json --more --bootstrap 20"));
    let alone = scene.json("evaluate --model two.rulebound rectangles --json --more");
    let second = &value["models"][1];
    for (key, expected) in alone.as_object().unwrap() {
        let of_both = ["source", "json_version"].contains(&&**key);
        let found = if of_both { &value[key] } else { &second[key] };
        assert_eq!(found, expected, "{key}");
    }
    let auprc = |at: usize| value["models"][at]["auprc"].as_f64().unwrap();
    let difference = &value["differences"][0];
    assert_eq!(difference["auprc"], auprc(1) - auprc(0));
    let ends = &difference["bootstrap"]["intervals"]["auprc"];
    let [low, high] = ["low", "high"].map(|end| ends[end].as_f64().unwrap());
    // Paired: much narrower than the sum of both intervals, and around the difference.
    assert!(low <= auprc(1) - auprc(0) && auprc(1) - auprc(0) <= high, "{ends}");
    let run = scene.run(&format!("{both} --bootstrap 20"));
    assert!(run.out.contains("[2]−[1]"), "{}", run.out);
    // A model and itself: no difference in any sample.
    let same = "evaluate --model one.rulebound --model one.rulebound rectangles";
    let value = scene.json(&format!("{same} --json --bootstrap 20"));
    let ends = &value["differences"][0]["bootstrap"]["intervals"]["micro_f1"];
    assert_eq!((&ends["low"], &ends["high"]), (&0.0.into(), &0.0.into()));
    assert_eq!(scene.run(&format!("{both} --curves c.svg")).code, 2);
}

/// Models that were trained under different policies are measured against different truths.
#[test]
fn models_with_different_truths_are_told_apart() {
    let rows: String = (0..40).map(|i| format!("{i},{},{}\n", i % 2, i % 4 / 2)).collect();
    let table = format!("x,a,b\n{rows}");
    let scene = Scene::new(&[("t.csv", &table), ("r", "a -> b\n")]);
    for policy in ["keep", "complete"] {
        let run = scene.run(&format!(
            "train t.csv --label-columns a,b --rules r --hidden 2 --epochs 1 --label-policy {policy} \
             --out {policy}.rulebound"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
    }
    let both = "evaluate --model keep.rulebound --model complete.rulebound t.csv";
    let warning = "not about the same truth";
    assert!(scene.run(both).err.contains(warning), "{}", scene.run(both).err);
    let one = format!("{both} --label-policy complete");
    assert!(!scene.run(&one).err.contains(warning), "{}", scene.run(&one).err);
}
