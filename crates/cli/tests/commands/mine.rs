use crate::scene::Scene;

#[test]
fn the_rules_of_a_built_in_problem_are_found_again() {
    let scene = Scene::new(&[]);
    let run = scene.run("mine three-classes --negation --out m.rules");
    assert_eq!(run.code, 0, "{}", run.err);
    let text = scene.text("m.rules");
    for rule in ["A1 -> A", "A2 -> A"] {
        assert!(text.lines().any(|line| line.starts_with(rule)), "{text}");
    }
    assert!(text.starts_with("# Rules mined from three-classes, split train, 2500 rows"), "{text}");
    let check = scene.json("check m.rules --json");
    assert_ne!(check["kind"], serde_json::Value::Null);
    let kept =
        scene.json("mine three-classes --negation --keep-unstratified --out all.rules --json");
    let less = scene.json("mine three-classes --negation --out m.rules --json");
    assert!(kept["rules"].as_u64() >= less["rules"].as_u64());
    assert_eq!(kept["unstratified"], less["unstratified"]);
}

#[test]
fn options_out_of_range_are_usage_errors_and_splits_must_exist() {
    let scene = Scene::new(&[]);
    for wrong in ["--min-support 2", "--min-confidence 0", "--max-body 99", "--split some"] {
        assert_eq!(scene.run(&format!("mine rectangles --out m {wrong}")).code, 2, "{wrong}");
    }
    let run = scene.run("mine rectangles --out m --split valid");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("--split all"), "{}", run.err);
    assert_eq!(scene.names(), Vec::<String>::new());
}

#[test]
fn rules_that_rest_on_few_rows_are_not_mined_unless_asked_for() {
    let mut table = "x,common,always,rare,seldom\n".to_owned();
    for row in 0..300 {
        let common = u8::from(row % 3 == 0);
        let rare = u8::from(row == 7 || row == 9);
        table += &format!("{row},{common},1,{rare},{rare}\n");
    }
    let scene = Scene::new(&[("t.csv", &table)]);
    let run = scene.run("mine t.csv --label-columns common,always,rare,seldom --out m.rules");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let text = scene.text("m.rules");
    assert!(text.contains("-> always") && !text.contains("rare"), "{text}");
    let all = "mine t.csv --label-columns common,always,rare,seldom --out a.rules --min-support 0";
    let run = scene.run(all);
    assert!(run.err.contains("2 of 3 rules rest on fewer than 10 rows"), "{}", run.err);
    assert!(run.err.contains("--min-support 0.0333"), "{}", run.err);
    assert!(scene.text("a.rules").contains("rare -> seldom"));
    assert_eq!(scene.run(&format!("{all} -q")).err, "");
    assert_eq!(scene.json(&format!("{all} --json"))["resting_on_few_rows"], 2);
}
