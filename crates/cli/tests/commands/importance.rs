//! `importance`: which columns a model depends on.

use crate::scene::Scene;

/// `a` is x > 0 where the kind is red; the noise says nothing.
fn scene() -> Scene {
    let mut table = "id,x,noise,kind,a,b\n".to_owned();
    for row in 0..300 {
        let (x, kind) = ((row * 37 % 100) as f64 / 50.0 - 1.0, ["red", "blue", "green"][row % 3]);
        let noise = (row * 53 % 97) as f64 / 97.0;
        let a = u8::from(x > 0.0 && kind == "red");
        table += &format!("r{row},{x},{noise},{kind},{a},{}\n", u8::from(x > 0.0));
    }
    let scene = Scene::new(&[("t.csv", &table), ("r.rules", "a -> b\n")]);
    let run = scene.run(
        "train t.csv --label-columns a,b --id-column id --rules r.rules --hidden 8 --epochs 60 \
         --batch 20 --dropout 0 --lr 0.01 --out m.rulebound",
    );
    assert_eq!(run.code, 0, "{}", run.err);
    scene
}

#[test]
fn columns_that_matter_come_first() {
    let scene = scene();
    let command = "importance --model m.rulebound t.csv --split all -q";
    let value = scene.json(&format!("{command} --json --repeats 3"));
    let columns = value["columns"].as_array().unwrap();
    let names: Vec<&str> =
        columns.iter().map(|column| column["column"].as_str().unwrap()).collect();
    assert_eq!(names, ["x", "kind", "noise"]);
    let mean = |at: usize| columns[at]["auprc"]["mean"].as_f64().unwrap();
    assert!(mean(0) > 0.2 && mean(2).abs() < 0.05, "{value}");
    // Only `a` depends on the kind.
    let of_class = |class: &str| columns[1]["average_precision"][class]["mean"].as_f64().unwrap();
    assert!(of_class("a") > of_class("b") + 0.1, "{value}");

    let first = scene.run(&format!("{command} --label a --threads 1"));
    assert_eq!(first.code, 0, "{}", first.err);
    assert!(first.out.contains("average precision of `a` on 300 rows"), "{}", first.out);
    assert_eq!(first.out, scene.run(&format!("{command} --label a --threads 2")).out);
    assert_ne!(first.out, scene.run(&format!("{command} --label a --seed 1")).out);
}

#[test]
fn columns_can_be_chosen_and_the_table_has_every_class() {
    let scene = scene();
    let command = "importance --model m.rulebound t.csv --split all";
    // The shuffles of a column do not depend on the other columns.
    let all = scene.json(&format!("{command} --json"));
    let one = scene.json(&format!("{command} --json --feature kind"));
    assert_eq!(one["columns"][0], all["columns"][1]);
    assert_eq!(one["columns"].as_array().unwrap().len(), 1);
    let run = scene.run(&format!("{command} --max-columns 1 --out i.csv"));
    assert!(run.out.contains("the 1 of 3 columns with the largest weights"), "{}", run.out);
    let table = scene.text("i.csv");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!((lines[0], lines.len()), ("column,class,intact,lost,deviation", 4));
    let run = scene.run(&format!("{command} --feature knid"));
    assert!(run.code == 1 && run.err.contains("did you mean `kind`?"), "{}", run.err);
    assert_eq!(scene.run(&format!("{command} --label c")).code, 1);
    assert_eq!(scene.run(&format!("{command} --repeats 0")).code, 2);
}
