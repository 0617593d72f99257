use crate::scene::Scene;
use insta::assert_snapshot;

fn scene() -> Scene {
    Scene::new(&[
        ("r", "stomach -> gut\ngut -> trunk\ntrunk, not upper -> lower\n-> image\n"),
        (
            "s.csv",
            "stomach,gut,trunk,upper,lower,image\n0.9,0.2,0.1,0.3,0.2,0.4\n0.1,0.2,0.6,0.8,0.05,1\n",
        ),
    ])
}

#[test]
fn all_that_the_rules_changed() {
    let run = scene().run("explain --rules r --scores s.csv --row 1");
    assert_eq!(run.code, 0);
    assert_snapshot!(run.out, @r"
    gut = 0.9 (predicted; own score: 0.2)
    └─ by stomach -> gut  (line 1)
       └─ stomach = 0.9 (predicted; own score)  ← decides

    trunk = 0.9 (predicted; own score: 0.1)
    └─ by gut -> trunk  (line 2)
       └─ gut = 0.9 (predicted; own score: 0.2; explained above)  ← decides

    lower = 0.7 (predicted; own score: 0.2)
    └─ by trunk, not upper -> lower  (line 3)
       ├─ trunk = 0.9 (predicted; own score: 0.1; explained above)
       └─ not upper = 0.7, since upper = 0.3 (not predicted; own score)  ← decides

    image = 1.0 (predicted; own score: 0.4)
    └─ by -> image  (line 4)
    ");
}

#[test]
fn a_class_that_is_not_predicted_shows_what_blocks_it() {
    let run = scene().run("explain --rules r --scores s.csv --row 2 --label lower --label stomach");
    assert_snapshot!(run.out, @r"
    lower = 0.19999999999999996 (not predicted; own score: 0.05)
    └─ by trunk, not upper -> lower  (line 3)
       ├─ trunk = 0.6 (predicted; own score)
       └─ not upper = 0.19999999999999996, since upper = 0.8 (predicted; own score)  ← blocks

    stomach = 0.1 (not predicted; own score)
    └─ no rule derives it
    ");
}

#[test]
fn depth_is_limited_and_json_is_flat() {
    let text: String = (0..3000).map(|i| format!("c{i} -> c{}\n", i + 1)).collect();
    let header: Vec<String> = (0..=3000).map(|i| format!("c{i}")).collect();
    let mut scores = vec!["0.1"; 3001];
    scores[0] = "0.9";
    let table = format!("{}\n{}\n", header.join(","), scores.join(","));
    let scene = Scene::new(&[("r", &text), ("s.csv", &table)]);
    let run = scene.run("explain --rules r --scores s.csv --row 1 --label c3000 --depth 3");
    assert!(run.out.lines().count() < 12 && run.out.contains("--depth"), "{}", run.out);
    let value = scene.json("explain --rules r --scores s.csv --row 1 --label c3000 --json");
    assert_eq!(value["derivation"].as_object().unwrap().len(), 3001);
    assert_eq!(value["derivation"]["c3000"]["delegate"], "c0");
    assert_eq!(value["derivation"]["c3000"]["rule"]["line"], 3000);
}

#[test]
fn rows_and_labels_that_are_not_there() {
    let run = scene().run("explain --rules r --scores s.csv --row 3");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("no row 3; the table has 2 rows"), "{}", run.err);
    assert_eq!(scene().run("explain --rules r --scores s.csv --row 0").code, 2);
    let run = scene().run("explain --rules r --scores s.csv --row 1 --label lowr");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("did you mean `lower`?"), "{}", run.err);
}

#[test]
fn nothing_to_explain_is_reported() {
    let scene = Scene::new(&[("r", "a -> b\n"), ("s.csv", "a,b\n0.1,0.2\n")]);
    assert_eq!(
        scene.run("explain --rules r --scores s.csv --row 1").out,
        "row 1: the rules change nothing\n"
    );
}

/// A table in which `a` depends on `x` and `kind`, with an id.
fn rows() -> String {
    let mut table = "id,x,noise,kind,a,b\n".to_owned();
    for row in 0..200 {
        let (x, kind) = ((row * 37 % 100) as f64 / 50.0 - 1.0, ["red", "blue"][row % 2]);
        let noise = (row * 53 % 97) as f64 / 97.0;
        let a = u8::from(x > 0.0 && kind == "red");
        table += &format!("r{row},{x},{noise},{kind},{a},{}\n", u8::from(a == 1 || x < -0.5));
    }
    table
}

#[test]
fn a_trained_model_explains_a_row_by_its_id() {
    let scene = Scene::new(&[("t.csv", &rows()), ("r.rules", "a -> b\n")]);
    let run = scene.run(
        "train t.csv --label-columns a,b --id-column id --rules r.rules --hidden 8 --epochs 60 \
         --batch 20 --dropout 0 --lr 0.01 --out m.rulebound",
    );
    assert_eq!(run.code, 0, "{}", run.err);
    // A row with x > 0 and red, by its id and by its number.
    let by_id = scene.json("explain --model m.rulebound t.csv --id r46 --label b --json");
    assert_eq!((&by_id["row"], &by_id["id"]), (&47.into(), &"r46".into()));
    let by_row = scene.json("explain --model m.rulebound t.csv --row 47 --label b --json");
    assert_eq!(by_id, by_row);
    assert!(by_id["derivation"]["b"]["network"].is_number());
    let features = &by_id["attributions"][0];
    assert_eq!(features["decided"], serde_json::json!(["b"]));
    let part = |column: &serde_json::Value| column["part"].as_f64().unwrap();
    let columns = features["columns"].as_array().unwrap();
    let sum: f64 = columns.iter().map(part).sum();
    let number = |name: &str| features[name].as_f64().unwrap();
    let difference = number("logit") - number("baseline_logit");
    assert!((sum + number("gap") - difference).abs() < 1e-9, "{features}");
    assert!(number("gap").abs() < 0.01 * difference.abs(), "{features}");
    // What the labels depend on comes before the noise; the id is not a feature.
    let names: Vec<&str> =
        columns.iter().map(|column| column["column"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 3);
    assert_eq!(names[2], "noise", "{features}");

    let run = scene.run("explain --model m.rulebound t.csv --id r46 --top-features 1");
    assert!(run.out.starts_with("row 47 (id r46) of t.csv"), "{}", run.out);
    assert!(run.out.contains("integrated gradients") && run.out.contains("2 other columns"));
    let occlusion = "explain --model m.rulebound t.csv --id r46 --attribution occlusion";
    assert!(scene.run(occlusion).out.contains("replaced by its baseline"));
    let run = scene.run("explain --model m.rulebound t.csv --id nobody");
    assert!(run.code == 1 && run.err.contains("no row with id `nobody`"), "{}", run.err);
    assert!(run.err.contains("column `id`"), "{}", run.err);
    assert_eq!(scene.run("explain --model m.rulebound t.csv").code, 2);
    assert_eq!(scene.run("explain --model m.rulebound t.csv --row 999").code, 1);
    assert_eq!(scene.run("explain --model m.rulebound t.csv --row 1 --label c").code, 1);
}

/// What the rules see of an ensemble is a mean of members, and each may have been decided by another class.
#[test]
fn an_ensemble_says_who_decided_in_its_members() {
    let scene = Scene::new(&[("t.csv", &rows()), ("r.rules", "a -> b\n")]);
    let run = scene.run(
        "train t.csv --label-columns a,b --id-column id --rules r.rules --hidden 8 --epochs 30 \
         --batch 20 --dropout 0 --lr 0.01 --members 3 --out m.rulebound",
    );
    assert_eq!(run.code, 0, "{}", run.err);
    let value = scene.json("explain --model m.rulebound t.csv --id r46 --label b --json");
    let members = value["derivation"]["b"]["members"].as_array().unwrap();
    let sum = |key: &str| members.iter().map(|one| one[key].as_f64().unwrap()).sum::<f64>();
    assert_eq!(sum("members"), 3.0, "{value}");
    assert!((sum("share") - 1.0).abs() < 1e-9, "{value}");
    let features = &value["attributions"][0];
    let network = value["derivation"][features["class"].as_str().unwrap()]["network"].as_f64();
    let logit = features["logit"].as_f64().unwrap();
    assert!((network.unwrap() - logit).abs() < 1e-4, "{value}");
    let run = scene.run("explain --model m.rulebound t.csv --id r46 --label b");
    assert!(run.out.contains("; mean of 3 members"), "{}", run.out);
    assert!(!run.out.contains("; own score"), "{}", run.out);
}

#[test]
fn the_networks_own_scores_are_written_and_explain_what_predict_says() {
    let scene = Scene::new(&[("t.csv", &rows()), ("r.rules", "a -> b\n")]);
    let run = scene.run(
        "train t.csv --label-columns a,b --id-column id --rules r.rules --hidden 4 --epochs 2 \
         --method post --out m.rulebound",
    );
    assert_eq!(run.code, 0, "{}", run.err);
    let run = scene.run("predict --model m.rulebound t.csv --out s.csv --raw raw.csv --json");
    assert_eq!(run.code, 0, "{}", run.err);
    let summary: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let (scores, raw) = (scene.text("s.csv"), scene.text("raw.csv"));
    let changed = scores
        .lines()
        .zip(raw.lines())
        .skip(1)
        .map(|(after, before)| {
            after.split(',').zip(before.split(',')).filter(|(a, b)| a != b).count()
        })
        .sum::<usize>();
    assert_eq!(summary["changed_scores"], changed);
    // The rules applied to the raw scores give the scores.
    let run = scene.run("apply --rules r.rules --scores raw.csv --id-column id --out again.csv");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(scene.text("again.csv"), scores);
}

#[test]
fn a_row_of_a_table_of_scores_is_found_by_its_id() {
    let scene = Scene::new(&[("r", "a -> b\n"), ("s.csv", "id,a,b\np,0.1,0.2\nq,0.9,0.2\n")]);
    let value = scene.json("explain --rules r --scores s.csv --id q --id-column id --json");
    assert_eq!((&value["row"], &value["class_names"]), (&2.into(), &serde_json::json!(["b"])));
    assert_eq!(scene.run("explain --rules r --scores s.csv --id q").code, 2);
    let run = scene.run("explain --rules r --scores s.csv --id z --id-column id");
    assert!(run.code == 1 && run.err.contains("no row with id `z`"), "{}", run.err);
}
