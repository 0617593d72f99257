//! Rows that are not like those that a model was trained on.

use super::scene::Scene;

/// Temperatures in Celsius from 36 to 40, a ward, and whether there is an infection.
fn visits() -> Scene {
    let rows: String = (0..60)
        .map(|n| {
            let temperature = 36.0 + f64::from(n % 9) / 2.0;
            let infected = u8::from(temperature > 38.0);
            format!("{temperature},{},{infected}\n", if n % 2 == 0 { "a" } else { "b" })
        })
        .collect();
    let scene = Scene::new(&[
        ("visits.csv", &format!("temperature,ward,infection\n{rows}")),
        ("celsius.csv", "temperature,ward\n36.5,a\n41,b\n"),
        ("fahrenheit.csv", "temperature,ward\n97.7,a\n1e9,c\n38,b\n,a\n"),
        ("labelled.csv", "temperature,ward,infection\n97.7,a,0\n38,b,0\n39.5,a,1\n36.5,c,0\n"),
    ]);
    for (method, out) in [("ccn", "m"), ("forest", "f"), ("br", "b")] {
        let more = if method == "ccn" { "--hidden 4 --epochs 3" } else { "" };
        let run = scene.run(&format!(
            "train visits.csv --label-columns infection --method {method} {more} --out {out}.rulebound -q"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
    }
    scene
}

#[test]
fn numbers_far_outside_of_training_are_counted_by_column() {
    let scene = visits();
    for model in ["m", "f", "b"] {
        let predict = |input| format!("predict --model {model}.rulebound {input}.csv --out o.csv");
        let near = scene.json(&format!("{} --json", predict("celsius")));
        assert_eq!((&near["out_of_range_rows"], &near["out"]), (&0.into(), &"o.csv".into()));
        let far = scene.json(&format!("{} --json", predict("fahrenheit")));
        assert_eq!((&far["out_of_range_rows"], &far["rows"]), (&2.into(), &4.into()), "{model}");
        let column = &far["out_of_range"][0];
        assert_eq!((&column["column"], &column["cells"]), (&"temperature".into(), &2.into()));
        assert_eq!(column["training_range"], serde_json::json!([36.0, 40.0]));
        assert_eq!(column["found_range"][1], 1e9);
        assert_eq!(far["unseen_values"][0]["column"], "ward");
        let text = scene.run(&predict("fahrenheit")).out;
        let said =
            "warning: 2 cells of `temperature` far outside of what training saw (36 to 40): 97.6";
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn too_many_rows_outside_are_refused_and_nothing_is_written() {
    let scene = visits();
    let predict = "predict --model m.rulebound fahrenheit.csv --out o.csv --max-out-of-range";
    assert_eq!(scene.run(&format!("{predict} 0.5")).code, 0);
    std::fs::remove_file(scene.path("o.csv")).unwrap();
    let run = scene.run(&format!("{predict} 0.49"));
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(
        run.err.contains("2 of 4 rows") && run.err.contains("in `temperature`; at most 49 %"),
        "{}",
        run.err
    );
    assert!(!scene.path("o.csv").exists());
    let value = scene.json(&format!("{predict} 0 --json"));
    assert_eq!(value["errors"][0]["cause"], "limit");
    assert_eq!(value["errors"][0]["out_of_range"][0]["cells"], 2);
    assert_eq!(scene.run(&format!("{predict} 2")).code, 2);
}

#[test]
fn evaluate_counts_them_too() {
    let scene = visits();
    let evaluate = "evaluate --model m.rulebound labelled.csv";
    let run = scene.run(evaluate);
    assert!(run.out.contains("1 cell of `temperature` far outside"), "{}{}", run.out, run.err);
    assert!(run.out.contains("1 cell of `ward` with a value not seen"), "{}", run.out);
    let run = scene.run(&format!("{evaluate} --max-out-of-range 0.2 --json"));
    assert!(run.code == 3 && run.err.contains("1 of 4 rows"), "{}", run.err);
    let value: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((&value["out_of_range_rows"], &value["rows"]), (&1.into(), &4.into()));
    assert_eq!(scene.run(&format!("{evaluate} --max-out-of-range 0.25")).code, 0);
    let several =
        scene.json("evaluate --model m.rulebound --model f.rulebound labelled.csv --json");
    for model in [0, 1] {
        assert_eq!(several["models"][model]["out_of_range"][0]["cells"], 1);
    }
}

/// Whoever lets a model read rows is told that they are not like those of training.
#[test]
fn every_command_with_a_model_and_rows_counts_them() {
    let scene = visits();
    let m = "--model m.rulebound labelled.csv";
    for command in [
        format!("importance {m}"),
        format!("calibrate {m} --split all --out c.rulebound --force"),
        format!("tune-thresholds {m} --split all --out t.csv --force"),
        format!("explain {m} --row 1"),
    ] {
        let run = scene.run(&command);
        assert_eq!(run.code, 0, "{command}: {}", run.err);
        let said = "warning: 1 cell of `temperature` far outside of what training saw (36 to 40)";
        assert!(run.err.contains(said), "{command}: {}", run.err);
        let value = scene.json(&format!("{command} --json"));
        assert_eq!(value["out_of_range_rows"], 1, "{command}: {value}");
        assert_eq!(value["out_of_range"][0]["cells"], 1, "{command}: {value}");
        assert!(value["unseen_values"].is_array(), "{command}: {value}");
    }
    // Only of the row that is explained.
    let near = scene.json(&format!("explain {m} --row 3 --json"));
    assert_eq!(
        (&near["out_of_range_rows"], &near["out_of_range"]),
        (&0.into(), &serde_json::json!([]))
    );
    let new = scene.json(&format!("explain {m} --row 4 --json"));
    assert_eq!(new["unseen_values"][0]["column"], "ward");
}

#[test]
fn a_model_without_ranges_counts_nothing() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/tests/fixtures/saved");
    let scene = Scene::new(&[]);
    let run = scene.run(&format!(
        "predict --model {folder}/rectangles.model {folder}/rectangles.rows.csv --out o.csv --max-out-of-range 0 --json"
    ));
    assert_eq!(run.code, 0, "{}", run.err);
    let value: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(value["out_of_range"], serde_json::json!([]));
}
