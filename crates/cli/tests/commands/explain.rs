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
    gut = 0.9 (predicted; network's own score: 0.2)
    └─ by stomach -> gut  (line 1)
       └─ stomach = 0.9 (predicted; network's own score)  ← decides

    trunk = 0.9 (predicted; network's own score: 0.1)
    └─ by gut -> trunk  (line 2)
       └─ gut = 0.9 (predicted; network's own score: 0.2; explained above)  ← decides

    lower = 0.7 (predicted; network's own score: 0.2)
    └─ by trunk, not upper -> lower  (line 3)
       ├─ trunk = 0.9 (predicted; network's own score: 0.1; explained above)
       └─ not upper = 0.7, since upper = 0.3 (not predicted; network's own score)  ← decides

    image = 1.0 (predicted; network's own score: 0.4)
    └─ by -> image  (line 4)
    ");
}

#[test]
fn a_class_that_is_not_predicted_shows_what_blocks_it() {
    let run = scene().run("explain --rules r --scores s.csv --row 2 --label lower --label stomach");
    assert_snapshot!(run.out, @r"
    lower = 0.19999999999999996 (not predicted; network's own score: 0.05)
    └─ by trunk, not upper -> lower  (line 3)
       ├─ trunk = 0.6 (predicted; network's own score)
       └─ not upper = 0.19999999999999996, since upper = 0.8 (predicted; network's own score)  ← blocks

    stomach = 0.1 (not predicted; network's own score)
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
