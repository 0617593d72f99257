//! Weights of classes and rows in the loss, and models to start from.

use crate::scene::Scene;

const QUICK: &str = "--label-columns a,b --hidden 4 --epochs 3 --batch 4 --dropout 0";

fn scene() -> Scene {
    let mut table = "x,y,a,b,w\n".to_owned();
    let mut twice = "x,y,a,b,w\n".to_owned();
    for row in 0..24 {
        let (a, b) = (u8::from(row % 3 == 0), u8::from(row % 8 == 0));
        let line = format!("{},{},{a},{b}", row % 7, row % 5);
        table += &format!("{line},{}\n", row % 2);
        twice += &format!("{line},2\n");
    }
    Scene::new(&[("d.csv", &table), ("same.csv", &twice)])
}

#[test]
fn weights_of_classes_and_rows_change_the_model_and_equal_ones_do_not() {
    let scene = scene();
    scene.write("ones", "*,1\n");
    scene.write("more", "class,weight\nb,5\n*,1\n");
    let train = |name: &str, options: &str| {
        let run = scene.run(&format!("train {options} {QUICK} --out {name}"));
        assert_eq!(run.code, 0, "{}", run.err);
        let logits = scene.run(&format!("predict --model {name} d.csv --out -"));
        logits.out
    };
    let plain = train("plain.m", "d.csv --ignore w");
    assert_eq!(train("ones.m", "d.csv --ignore w --class-weights ones"), plain);
    let more = train("more.m", "d.csv --ignore w --class-weights more");
    let balanced = train("balanced.m", "d.csv --ignore w --class-weights balanced");
    let rows = train("rows.m", "d.csv --weight-column w");
    assert!(more != plain && balanced != plain && rows != plain && more != balanced);
    // The column is no feature, and the model needs it nowhere.
    let info = scene.json("model info rows.m --json");
    assert_eq!(info["feature_names"], serde_json::json!(["x", "y"]));
    scene.write("bare.csv", "x,y\n1,2\n");
    assert_eq!(scene.run("predict --model rows.m bare.csv --out -").code, 0);
    let told = scene.json("evaluate --model rows.m d.csv --label-columns a,b --split all --json");
    assert_eq!(told["rows"], 24);

    for (options, code, words) in [
        ("d.csv --class-weights none", 1, "none"),
        ("d.csv --weight-column v", 1, "`v`"),
        ("d.csv --weight-column a", 1, "`a`"),
    ] {
        let run = scene.run(&format!("train {options} {QUICK} --out x.m"));
        assert!(run.code == code && run.err.contains(words), "{options}: {}", run.err);
    }
    scene.write("bad.csv", "x,a,b,w\n1,1,0,-1\n2,0,1,1\n");
    let run = scene.run(&format!("train bad.csv --weight-column w {QUICK} --out x.m"));
    assert!(run.code == 1 && run.err.contains("\"-1\" in column `w`"), "{}", run.err);
    scene.write("half", "a,1\n");
    let run = scene.run(&format!("train d.csv --class-weights half {QUICK} --out x.m"));
    assert!(run.code == 1 && run.err.contains("no weight for \"b\""), "{}", run.err);
}

#[test]
fn training_starts_from_a_model_or_says_what_differs() {
    let scene = scene();
    let base = "d.csv --ignore w --label-columns a,b --hidden 4 --batch 4 --dropout 0";
    scene.run(&format!("train {base} --epochs 20 --out first.m"));
    let loss = |name: &str| {
        let info = scene.json(&format!("model info {name} --json"));
        info["training"]["members"][0]["loss"].as_f64().unwrap()
    };
    assert_eq!(scene.run(&format!("train {base} --epochs 1 --from first.m --out more.m")).code, 0);
    scene.run(&format!("train {base} --epochs 1 --out fresh.m"));
    assert!(loss("more.m") < loss("fresh.m"), "{} {}", loss("more.m"), loss("fresh.m"));
    let other = "d.csv --ignore w --label-columns b --hidden 5 --epochs 1 --members 2";
    let run = scene.run(&format!("train {other} --from first.m --out x.m"));
    assert_eq!(run.code, 1);
    for words in ["2-4-2", "other classes", "number of members is 1, that of the run 2"] {
        assert!(run.err.contains(words), "{words}: {}", run.err);
    }
}
