//! Columns: what they are, what becomes of doubtful ones, and labels in a table of their own.

use crate::scene::Scene;

/// 300 customers: an id, a date each, a plan, stars, an age with gaps, and two labels.
fn customers() -> String {
    let mut text = "customer_id,signup,plan,stars,age,label_churn,label_vip\n".to_owned();
    for row in 0..300 {
        let age = if row % 10 == 0 { String::new() } else { (20 + row % 50).to_string() };
        let plan = ["free", "basic", "pro"][row % 3];
        text += &format!(
            "{},2024-{:02}-{:02},{plan},{},{age},{},{}\n",
            7000 + row * 3,
            row % 12 + 1,
            row % 20 + 1,
            row % 5 + 1,
            u8::from(row % 4 == 0),
            u8::from(row % 3 == 2),
        );
    }
    text
}

const TRAIN: &str =
    "train c.csv --label-columns label_* --hidden 4 --max-epochs 2 --out m.rulebound";

fn scene() -> Scene {
    Scene::new(&[("c.csv", &customers())])
}

#[test]
fn a_date_is_not_silently_an_input_for_every_day() {
    let scene = scene();
    let run = scene.run(TRAIN);
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(run.err.contains("`signup` holds dates (60, such as `2024-01-01`)"), "{}", run.err);
    assert!(run.err.contains("--ignore NAME leaves a column out"), "{}", run.err);
    let tune = scene
        .run("tune c.csv --label-columns label_* --hidden 2 --budget 1 --max-epochs 1 --out t.csv");
    assert!(tune.code == 1 && tune.err.contains("`signup` holds dates"), "{}", tune.err);
    // Asked for, it is used; ignored, it is not.
    let inputs = |model: &str| {
        scene.json(&format!("model info {model} --json"))["feature_names"].to_string()
    };
    assert_eq!(scene.run(&format!("{TRAIN} --nominal signup")).code, 0);
    assert!(inputs("m.rulebound").contains("signup"));
    assert_eq!(scene.run(&format!("{TRAIN} --ignore signup").replace("m.rule", "n.rule")).code, 0);
    assert!(!inputs("n.rulebound").contains("signup"));
}

#[test]
fn text_of_many_values_is_refused() {
    let text: String = customers().replace("2024-", "visit on ");
    let scene = Scene::new(&[("c.csv", &text)]);
    let run = scene.run(TRAIN);
    assert_eq!(run.code, 1);
    assert!(
        run.err.contains("`signup` holds text (60 different values, such as `visit on 01-01`)"),
        "{}",
        run.err
    );
    let value = scene.json(&format!("{TRAIN} --json"));
    assert!(value["errors"][0]["message"].as_str().unwrap().contains("signup"), "{value}");
}

#[test]
fn an_id_is_named_in_a_warning() {
    let scene = scene();
    let run = scene.run(&format!("{TRAIN} --ignore sign*"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("warning: `customer_id` looks like an id"), "{}", run.err);
    let run = scene.run(
        &format!("{TRAIN} --ignore signup --id-column customer_id").replace("m.rule", "n.rule"),
    );
    assert!(!run.err.contains("looks like an id"), "{}", run.err);
    assert_eq!(scene.run(&format!("{TRAIN} --ignore nothing*")).code, 1);
}

#[test]
fn text_that_names_its_rows_is_used_when_that_is_asked_for() {
    let lines = customers();
    let mut text = String::new();
    for (row, line) in lines.lines().enumerate() {
        let name = if row == 0 { "name".to_owned() } else { format!("pet {row}") };
        text += &format!("{name},{line}\n");
    }
    let scene = Scene::new(&[("c.csv", &text)]);
    let columns = "--ignore signup --id-column customer_id";
    let run = scene.run(&format!("{TRAIN} {columns}"));
    assert!(run.err.contains("`name` has a different value in nearly every row"), "{}", run.err);
    let command = format!("{TRAIN} {columns} --nominal name").replace("m.rule", "n.rule");
    assert_eq!(scene.run(&command).code, 0);
    let inputs = |model: &str| {
        scene.json(&format!("model info {model} --json"))["feature_names"].to_string()
    };
    assert!(!inputs("m.rulebound").contains("\"name\""), "{}", inputs("m.rulebound"));
    assert!(inputs("n.rulebound").contains("\"name\""), "{}", inputs("n.rulebound"));
}

#[test]
fn numbers_with_few_values_stay_numbers() {
    let value = scene().json("data info c.csv --label-columns label_* --json");
    let column = |name: &str| {
        let columns = value["columns"].as_array().unwrap();
        columns.iter().find(|column| column["name"] == name).unwrap().clone()
    };
    assert_eq!(column("stars")["kind"], "numeric");
    assert_eq!(column("stars")["distinct"], 5);
    assert_eq!(column("signup")["kind"], "date");
    assert_eq!(column("customer_id")["kind"], "id");
    assert_eq!(column("plan")["kind"], "nominal");
    assert_eq!(column("plan")["example"], "free");
    assert_eq!(column("label_vip")["kind"], "label");
    assert_eq!(column("age")["missing_share"], 0.1);
    // One number each for customer_id, stars and age; three plans and 60 dates.
    assert_eq!(value["features_encoded"], 3 + 3 + 60);
}

#[test]
fn the_id_is_not_counted_as_a_feature() {
    let scene = scene();
    let info = "data info c.csv --label-columns label_* --id-column customer_id --ignore signup";
    let run = scene.run(info);
    assert!(
        run.out.contains("features             3 (5 encoded), and 1 id column\n"),
        "{}",
        run.out
    );
    assert!(run.out.contains("  age"), "{}", run.out);
    // The key keeps its meaning: columns that are not labels.
    assert_eq!(scene.json(&format!("{info} --json"))["features"], 4);
}

#[test]
fn a_number_with_a_unit_is_an_error_with_its_row() {
    let scene = Scene::new(&[("t.csv", "w,a\n3 kg,1\n4 kg,0\n5,1\n")]);
    let run = scene.run("data info t.csv --label-columns a --numeric w");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("t.csv:2:1") && run.err.contains("t.csv:3:1"), "{}", run.err);
    assert!(run.err.contains("is not a number (column `w`)"), "{}", run.err);
}

#[test]
fn semicolons_and_decimal_commas_are_recognised() {
    let semicolons = "identifier;x;y;a;b\nr1;1,5;2;1;0\nr2;2,5;3;0;1\nr3;0,5;1;1;1\nr4;4,5;0;0;0\n";
    let commas = semicolons.replace(',', ".").replace(';', ",");
    let scene = Scene::new(&[("s.csv", semicolons), ("c.csv", &commas)]);
    let train = |file: &str, out: &str| {
        scene.run(&format!(
            "train {file} --label-columns a,b --id-column identifier --hidden 3 --epochs 2 --out {out}"
        ))
    };
    let run = train("s.csv", "s.rulebound");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("note: s.csv is separated by `;` and is read so"), "{}", run.err);
    assert!(run.err.contains("decimal commas are read as decimal points in `x`"), "{}", run.err);
    let run = train("c.csv", "c.rulebound");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let predict =
        |model: &str, file: &str| scene.run(&format!("predict --model {model} {file} --out -"));
    let expected = predict("c.rulebound", "c.csv").out;
    assert_eq!(expected.lines().count(), 5);
    let found = predict("s.rulebound", "s.csv");
    assert_eq!(found.out, expected, "the same numbers, the same model");
    assert!(found.err.contains("separated by `;`"), "{}", found.err);
    assert_eq!(predict("c.rulebound", "s.csv").out, expected);
}

/// Ten proteins with two features, and a long table of their annotations.
fn proteins() -> Scene {
    let mut rows = "protein,mass,length\n".to_owned();
    let mut labels = "protein\tterm\n".to_owned();
    for row in 0..10 {
        rows += &format!("P{row},{},{}\n", row % 3, row * 7 % 5);
        labels += &format!("P{row}\tGO:1\n");
        if row % 2 == 0 {
            labels += &format!("P{row}\tGO:2\n");
        }
    }
    labels += "P3\tGO:9\nX1\tGO:1\nX2\tGO:2\nX2\tGO:1\n";
    rows += "P10,1,1\n";
    Scene::new(&[("p.csv", &rows), ("a.tsv", &labels), ("go.rules", "GO:2 -> GO:1\n")])
}

#[test]
fn labels_come_from_a_long_table() {
    let scene = proteins();
    let source = "p.csv --id-column protein --label-table a.tsv";
    let run = scene.run(&format!("data info {source}"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.contains("a.tsv: 2 ids are not in the data; 1 rows of the data have no label"),
        "{}",
        run.err
    );
    let value = scene.json(&format!("data info {source} --rules go.rules --json"));
    assert_eq!((&value["classes"], &value["rules"]), (&3.into(), &1.into()));
    assert_eq!(value["label_cardinality"], 16.0 / 11.0);
    // Rare classes are left out.
    let value = scene.json(&format!("data info {source} --min-count 2 --rules go.rules --json"));
    assert_eq!(value["classes"], 2);

    let train = format!(
        "train {source} --min-count 2 --rules go.rules --hidden 3 --epochs 2 --out m.rulebound"
    );
    let run = scene.run(&train);
    assert_eq!(run.code, 0, "{}", run.err);
    let value = scene.json("evaluate --model m.rulebound p.csv --label-table a.tsv --json");
    assert_eq!(
        (&value["rows"], &value["source"]["is_training_source"]),
        (&11.into(), &true.into())
    );
    let run = scene.run("predict --model m.rulebound p.csv --out -");
    assert!(run.out.starts_with("protein,GO:1,GO:2\nP0,"), "{}", run.out);
}

#[test]
fn a_wrong_table_of_labels_is_an_error_with_its_place() {
    let scene = proteins();
    scene.write("bad.tsv", "P1\tGO:1\nP2\nP3\tGO:1\tIEA\nP4\t\n");
    let run = scene.run("data info p.csv --id-column protein --label-table bad.tsv");
    assert_eq!(run.code, 1);
    for place in [
        "bad.tsv:2:1",
        "bad.tsv:3:1",
        "bad.tsv:4:1",
        "the line has 1 field",
        "the line has 3 fields",
    ] {
        assert!(run.err.contains(place), "{place}: {}", run.err);
    }
    let run = scene.run("data info p.csv --label-table a.tsv");
    assert!(run.code == 1 && run.err.contains("--id-column"), "{}", run.err);
    assert_eq!(scene.run("data info p.csv --label-table a.tsv --label-columns mass").code, 2);
    let run = scene.run("data info three-classes --min-count 5000");
    assert!(
        run.code == 1 && run.err.contains("has too few training rows: the most"),
        "{}",
        run.err
    );
}
