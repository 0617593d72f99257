use crate::scene::Scene;
use insta::assert_snapshot;
use serde_json::json;

const BODY: &str = "stomach -> gastrointestinalSystem
abdomen, not middleAbdomen, not upperAbdomen -> lowerAbdomen
lowerAbdomen :- abdomen, not middleAbdomen, not upperAbdomen.
-> alwaysThere
";

#[test]
fn rules_are_summed_up() {
    let run = Scene::new(&[("body.rules", BODY)]).run("check body.rules");
    assert_eq!(run.code, 0);
    assert_snapshot!(run.out, @r"
    body.rules: 4 rules over 7 classes (format rules), no class depends on its own negation, 2 strata
      stratum 1: 6 classes: stomach, gastrointestinalSystem, abdomen, middleAbdomen, upperAbdomen, alwaysThere
      stratum 2: 1 class: lowerAbdomen

    warning: the same rule as on line 2
     --> body.rules:3:1
      |
    3 | lowerAbdomen :- abdomen, not middleAbdomen, not upperAbdomen.
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    ");
}

#[test]
fn json_has_the_promised_keys() {
    let value = Scene::new(&[("body.rules", BODY)]).json("check body.rules --json");
    assert_eq!(value["classes"], 7);
    assert_eq!(value["rules"], 4);
    assert_eq!(value["kind"], "semi-positive");
    assert_eq!(value["strata"][1], json!(["lowerAbdomen"]));
    assert_eq!(value["strata"][0].as_array().unwrap().len(), 6);
    assert_eq!(value["warnings"][0]["code"], "duplicate");
    assert_eq!(value["warnings"][0]["line"], 3);
}

#[test]
fn all_errors_are_drawn_and_the_cycle_is_whole() {
    let rules = "a b -> c\nnot p -> q\nq -> r\n\nr -> p\nx ->\n";
    let run = Scene::new(&[("bad.rules", rules)]).run("check bad.rules");
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    assert_snapshot!(run.err, @r#"
    error: expected `,` or an arrow before `b`
     --> bad.rules:1:3
      |
    1 | a b -> c
      |   ^
      |
    help: separate literals by `,`; put a name with spaces in "quotes"

    error: the rules are not stratified: `p` depends on its own negation (not p -> q -> r -> p)
     --> bad.rules:2:1
      |
    2 | not p -> q
      | ^^^^^^^^^^ not p leads to q
      |
     ::: bad.rules:3:1
      |
    3 | q -> r
      | ^^^^^^ q leads to r
      |
     ::: bad.rules:5:1
      |
    5 | r -> p
      | ^^^^^^ r leads to p
      |
    help: a class must not depend on its own negation: drop or rewrite one of these rules, or read all of them as requirements, which may depend on each other: --rules-as clauses

    error: the rule has no head
     --> bad.rules:6:3
      |
    6 | x ->
      |   ^^
      |
    help: write what follows after the arrow; `not (a, b)` forbids a combination

    3 errors
    "#);
    let value = Scene::new(&[("bad.rules", rules)]).json("check bad.rules --json");
    let lines: Vec<u64> =
        value["errors"].as_array().unwrap().iter().map(|e| e["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [1, 2, 6]);
    assert_eq!(value["errors"][1]["places"].as_array().unwrap().len(), 3);
}

#[test]
fn labels_fix_the_classes_and_unknown_names_are_suggested() {
    let scene =
        Scene::new(&[("labels", "abdomen\nstomach\nspare\n"), ("r", "stomach -> abdomne\n")]);
    let run = scene.run("check r --labels labels");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("help: did you mean `abdomen`?"), "{}", run.err);
    let run = scene.run_with("check - --labels labels --json", "stomach -> abdomen");
    let value: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(value["strata"], json!([["abdomen", "stomach", "spare"]]));
    let twice =
        Scene::new(&[("labels", "a\nb\na\n"), ("r", "a -> b")]).run("check r --labels labels");
    assert_eq!(twice.code, 1);
    assert!(twice.err.contains("labels:3: duplicate label `a` (first on line 1)"), "{}", twice.err);
}

#[test]
fn formats_are_detected_and_can_be_forced() {
    let scene = Scene::new(&[("ccn", "0.1 1 :- 2 n3\n"), ("edges.csv", "a,b\n"), ("dot", "a.\n")]);
    for (file, format) in [("ccn", "ccn"), ("edges.csv", "edges"), ("dot", "rules")] {
        assert_eq!(scene.json(&format!("check {file} --json"))["format"], format);
    }
    assert_eq!(scene.run("check edges.csv --format rules").code, 1);
    assert_eq!(scene.run("check edges.csv --format prolog").code, 2);
}

#[test]
fn deep_finds_rules_that_follow_from_the_others() {
    let scene = Scene::new(&[("r", "a -> b\nb -> c\na -> c\n")]);
    assert_eq!(scene.json("check r --json")["warnings"], json!([]));
    let value = scene.json("check r --deep --json");
    assert_eq!(value["warnings"][0]["line"], 3);
    assert_eq!(value["warnings"][0]["message"], "follows from line 1, line 2");
}

#[test]
fn unreadable_files_are_reported() {
    let scene = Scene::new(&[]);
    let run = scene.run("check nowhere.rules");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("cannot read nowhere.rules"), "{}", run.err);
    std::fs::write(scene.path("latin"), b"caf\xe9 -> b\n").unwrap();
    let run = scene.run("check latin");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("latin:1:4: not UTF-8"), "{}", run.err);
    assert_eq!(scene.run("check").code, 2);
    assert_eq!(scene.run("chekc x").code, 2);
    assert_eq!(scene.run("check . ").code, 1);
}

#[test]
fn an_endless_line_is_cut_around_the_mistake() {
    let long = format!("{} b -> c\n", "a".repeat(100_000));
    let run = Scene::new(&[("r", &long)]).run("check r");
    assert_eq!(run.code, 1);
    assert!(run.err.len() < 2_000 && run.err.contains("--> r:1:100002\n"), "{}", run.err);
}

#[test]
fn help_shows_an_example() {
    for command in ["check", "apply", "explain"] {
        let run = Scene::new(&[]).run(&format!("{command} --help"));
        assert_eq!(run.code, 0);
        assert!(run.out.contains("Example:") && run.out.contains(&format!("rulebound {command} ")));
    }
}

#[test]
fn near_equal_names_are_warned_about_capitals_read_and_long_arrows_explained() {
    let scene = Scene::new(&[
        ("names.rules", "gastrointestinal -> abdomen\nx, not gastrointestnal -> y\na -> A\n"),
        ("names.labels", "gastrointestinal\ngastrointestnal\nabdomen\nx\ny\na\nA\n"),
        ("capitals.rules", "a AND NOT b -> c\n"),
        ("arrow.rules", "a --> b\n"),
    ]);
    let value = scene.json("check names.rules --json");
    let codes: Vec<_> = value["warnings"].as_array().unwrap().iter().map(|w| &w["code"]).collect();
    assert_eq!(codes, ["similar-name", "similar-name"]);
    assert_eq!(value["warnings"][0]["line"], 2);
    let run = scene.run("check names.rules --labels names.labels");
    assert!(!run.out.contains("similar"), "{}", run.out);
    let value = scene.json("check capitals.rules --json");
    assert_eq!((&value["classes"], &value["kind"]), (&json!(3), &json!("semi-positive")));
    let run = scene.run("check arrow.rules");
    assert!(run.code == 1 && run.err.contains("`-->`"), "{}", run.err);
    assert!(run.err.contains("write `body -> head`"), "{}", run.err);
}

#[test]
fn warnings_can_be_denied() {
    let scene = Scene::new(&[("body.rules", BODY), ("good.rules", "a -> b\n")]);
    assert_eq!(scene.run("check body.rules").code, 0);
    let run = scene.run("check body.rules --deny-warnings");
    assert!(run.code == 3 && run.err.contains("1 warning (--deny-warnings)"), "{}", run.err);
    assert!(run.out.contains("the same rule as on line 2"), "{}", run.out);
    let run = scene.run("check body.rules --deny-warnings --json");
    assert_eq!(run.code, 3);
    assert!(serde_json::from_str::<serde_json::Value>(&run.out).is_ok(), "{}", run.out);
    assert_eq!(scene.run("check good.rules --deny-warnings").code, 0);
}

#[test]
fn superfluous_rules_can_be_removed() {
    let rules = "# body\na -> b  # first\nb -> c\na, a -> c\n\nb, d, b -> e # kept\na -> b\n";
    let scene = Scene::new(&[("my.rules", rules), ("good.rules", "a -> b\n")]);
    let run = scene.run("check my.rules --fix --out new.rules");
    assert_eq!((run.code, run.out.as_str()), (0, "new.rules: 2 rules dropped, 1 rule shortened\n"));
    let expected = "# body\na -> b  # first\nb -> c\n\nb, d -> e # kept\n";
    assert_eq!(scene.text("new.rules"), expected);
    assert_eq!(scene.text("my.rules"), rules);
    let value = scene.json("check my.rules --fix --json");
    assert_eq!(value["dropped_lines"], json!([4, 7]));
    assert_eq!(scene.text("my.rules"), expected);
    assert_eq!(scene.run("check my.rules --deep --deny-warnings").code, 0);
    assert_eq!(scene.run_with("check - --fix --out -", rules).out, expected);
    assert_eq!(scene.run_with("check - --fix", rules).code, 2);
}
