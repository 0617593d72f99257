//! Requirements, from the file to the prediction.

use crate::scene::Scene;

const RULES: &str = "car -> vehicle\ntruck -> vehicle\nexclusive(car, truck, bus)\n\
    light -> one of(red, amber, green)\nmoves | stops\nnot (moves, stops)\n";
const SCORES: &str = "id,car,truck,vehicle,bus,light,red,amber,green,moves,stops\n\
    a,0.93,0.79,0.5,0.1,0.9,0.7,0.2,0.4,0.8,0.3\n\
    b,0.2,0.3,0.1,0.1,0.9,0.2,0.1,0.4,0.2,0.3\n";

fn scene() -> Scene {
    Scene::new(&[("r", RULES), ("s.csv", SCORES)])
}

#[test]
fn check_counts_them_and_says_whether_rows_need_search() {
    let run = scene().run("check r");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(run.out.starts_with("r: 2 rules and 4 requirements over 10 classes"), "{}", run.out);
    assert!(
        run.out.contains("requirements: 2 clauses, 2 groups; no row needs search"),
        "{}",
        run.out
    );
    assert!(run.out.contains("group of 3 classes: line 4"), "{}", run.out);
    let value = scene().json("check r --json");
    assert_eq!(value["requirements"]["search"], "closed");
    assert_eq!(value["requirements"]["list"][0]["requirement"], "exclusive(car, truck, bus)");
    let never = Scene::new(&[("r", "a -> b\nexclusive(a, b)\nprefer b\n")]);
    let out = never.run("check r").out;
    assert!(out.contains("never predicted: a (line 1, line 2)"), "{out}");
    assert!(out.contains("settled before all others: b"), "{out}");
}

#[test]
fn what_adds_nothing_is_a_warning_and_what_clashes_an_error() {
    let scene = Scene::new(&[
        ("twice", "exclusive(a, b, c)\na -> not b\n"),
        ("clash", "a -> b\nexclusive(a, b)\nspare | c\na | c\nc -> a\n"),
    ]);
    let out = scene.run("check twice").out;
    assert!(out.contains("says no more than line 1"), "{out}");
    let run = scene.run("check clash");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("no prediction satisfies all of these lines"), "{}", run.err);
    for line in ["1 | a -> b", "2 | exclusive(a, b)", "4 | a | c", "5 | c -> a"] {
        assert!(run.err.contains(line), "{}", run.err);
    }
    assert!(!run.err.contains("spare"), "{}", run.err);
}

#[test]
fn apply_settles_by_sureness_and_counts_by_line() {
    let scene = scene();
    let run =
        scene.run("apply --rules r --scores s.csv --out o.csv --decisions d.csv --delegates g.csv");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let first = "2 rows: 1 broke a rule, 2 a requirement before, none does now\n\
                 scores: 4 raised, 4 lowered; classes: 3 newly predicted, 1 no longer\n";
    assert!(run.out.starts_with(first), "{}", run.out);
    assert!(run.out.contains("1  exclusive(car, truck, bus)  (line 3)"), "{}", run.out);
    assert_eq!(
        scene.text("d.csv"),
        "id,car,truck,vehicle,bus,light,red,amber,green,moves,stops\n\
         a,1,0,1,0,1,1,0,0,1,0\nb,0,0,0,0,1,0,0,1,0,1\n"
    );
    let delegates = scene.text("g.csv");
    let truck = delegates.lines().nth(1).unwrap().split(',').nth(2);
    assert_eq!(truck, Some("not car"));
    // What is written is coherent as it is written, and stays.
    let again = scene.run("apply --rules r --scores o.csv --out o2.csv --decisions d2.csv");
    assert!(again.out.contains("0 broke a rule, 0 a requirement before"), "{}", again.out);
    assert_eq!(scene.text("d2.csv"), scene.text("d.csv"));
    let value = scene.json("apply --rules r --scores s.csv --out o.csv --json");
    let counts = ["raised_scores", "lowered_scores", "newly_predicted", "no_longer_predicted"];
    assert_eq!(counts.map(|name| value[name].as_u64().unwrap()), [4, 4, 3, 1]);
}

#[test]
fn explain_names_what_was_surer() {
    let run = scene().run("explain --rules r --scores s.csv --row 1 --label truck");
    assert_eq!(
        run.out,
        "truck = 0.06999999999999995 (not predicted; own score: 0.79)\n\
         └─ overruled: exclusive(car, truck, bus)  (line 3)\n   \
            └─ car = 0.93 (predicted; own score)  ← surer, decides\n",
        "{}",
        run.err
    );
}

#[test]
fn rules_may_be_read_as_clauses() {
    let scene = Scene::new(&[
        ("r", "not a, not b -> c\nnot b, not c -> a\n"),
        ("s.csv", "a,b,c\n0.1,0.4,0.2\n"),
    ]);
    assert!(scene.run("check r").err.contains("not stratified"));
    assert_eq!(scene.json("check r --rules-as clauses --json")["requirements"]["search"], "closed");
    let run = scene
        .run("apply --rules r --rules-as clauses --scores s.csv --out o.csv --decisions d.csv");
    assert_eq!(run.code, 0, "{}", run.err);
    // The least unlikely one is lifted.
    assert_eq!(scene.text("d.csv"), "a,b,c\n0,1,0\n");
}

#[test]
fn a_model_keeps_them_and_its_predictions_obey() {
    let scene = Scene::new(&[("x.rules", "exclusive(A1, A2)\nA | A1 | A2\n")]);
    let run = scene.run(
        "train three-classes --rules x.rules --hidden 8 --epochs 3 --batch 50 --out m.rulebound",
    );
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(scene.run("model rules m.rulebound").out.contains("exclusive(A1, A2)\nA | A1 | A2\n"));
    let run = scene.run("predict --model m.rulebound three-classes --decisions d.csv --out p.csv");
    assert_eq!(run.code, 0, "{}", run.err);
    let text = scene.text("d.csv");
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let place = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let places = ["A1", "A2", "A"].map(place);
    let mut rows = 0;
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let [a, b, c] = places.map(|at| cells[at] == "1");
        assert!(!(a && b) && (a || b || c), "{line}");
        rows += 1;
    }
    assert!(rows > 10);
    let measured = scene.json("evaluate --model m.rulebound three-classes --json");
    assert_eq!(measured["incoherent_rows"], 0);
    let tuned = scene.run(
        "tune-thresholds --model m.rulebound three-classes --split all --out-model n.rulebound",
    );
    assert_eq!(tuned.code, 0, "{}", tuned.err);
    let f1 = |model: &str| {
        let measured =
            scene.json(&format!("evaluate --model {model} three-classes --split all --json"));
        assert_eq!(measured["incoherent_rows"], 0);
        measured["macro_f1"].as_f64().unwrap()
    };
    assert!(f1("n.rulebound") > f1("m.rulebound"));
}

#[test]
fn evaluate_counts_what_is_broken_by_line() {
    let scene = Scene::new(&[
        ("r", "a -> c\nexclusive(a, b)\n"),
        ("s.csv", "a,b,c\n0.9,0.8,0.7\n0.9,0.1,0.7\n"),
        ("t.csv", "a,b,c\n1,0,1\n1,0,1\n"),
    ]);
    let value = scene.json("evaluate --scores s.csv --truth t.csv --rules r --json");
    assert_eq!(value["incoherent_rows"], 1);
    assert_eq!(value["broken_requirements"][0]["line"], 2);
    let out = scene.run("evaluate --scores s.csv --truth t.csv --rules r").out;
    assert!(out.contains("1  exclusive(a, b)  (line 2)"), "{out}");
}

#[test]
fn requirements_of_the_data_and_of_a_file_come_together() {
    let scene = Scene::new(&[("x.rules", "exclusive(A1, A2)\n"), ("y.rules", "A | A1\n")]);
    scene.run("data convert three-classes --rules x.rules --to csv --out data");
    let train = "--hidden 4 --epochs 1 --batch 50 --force --out m.rulebound";
    let run = scene.run(&format!("train data --rules y.rules {train}"));
    assert_eq!(run.code, 0, "{}", run.err);
    let rules = scene.run("model rules m.rulebound").out;
    assert!(rules.ends_with("exclusive(A1, A2)\nA | A1\n"), "{rules}");
    let run = scene.run(&format!("train data --rules-as clauses {train}"));
    assert_eq!(run.code, 0, "{}", run.err);
    let rules = scene.run("model rules m.rulebound").out;
    assert!(rules.starts_with("not A1 | A\nnot A2 | A\nnot A | A1 | A2\n"), "{rules}");
}

/// Classes in fives that exclude each other, and alternatives: some rows need search.
fn structured(classes: usize) -> String {
    let mut state = 1u64;
    let mut below = |most: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    let mut text = String::new();
    for group in 0..classes / 5 {
        let members: Vec<String> = (0..5).map(|at| format!("c{}", 5 * group + at)).collect();
        text += &format!("exclusive({})\n", members.join(", "));
    }
    for _ in 0..classes * 3 / 2 {
        let [a, b, c] = std::array::from_fn(|_| below(classes));
        if a != b && a != c && b != c {
            text += &format!("c{a} -> c{b} | c{c}\n");
        }
    }
    text
}

#[test]
fn a_row_that_cannot_be_settled_is_an_error_or_marked_or_passed_on() {
    let classes = 800;
    let header: Vec<String> = (0..classes).map(|class| format!("c{class}")).collect();
    let mut scores = format!("id,{}\n", header.join(","));
    for row in ["easy", "hard", "last"] {
        let cells = (0..classes).map(|class| match row {
            "hard" => format!("0.{:04}", 1 + (class * 7_919) % 9_999),
            _ => format!("0.{:04}", 1 + (class * 7_919) % 4_999),
        });
        scores += &format!("{row},{}\n", cells.collect::<Vec<_>>().join(","));
    }
    let rules = structured(classes);
    let scene = Scene::new(&[("r", &rules), ("s.csv", &scores)]);
    let apply = |options: &str| {
        scene.run(&format!(
            "apply --rules r --scores s.csv --id-column id --out o.csv --decisions d.csv {options}"
        ))
    };
    let run = apply("--settle-limit 30");
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(
        run.err.contains("row 2: the requirements could not be settled within 30 conf"),
        "{}",
        run.err
    );
    assert!(run.err.contains("--settle-limit") && run.err.contains("--unsettled"), "{}", run.err);
    let run = apply("--settle-limit 30 --unsettled mark");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.contains("1 row could not be settled within --settle-limit and has no scores and no decisions: row 2"),
        "{}",
        run.err
    );
    assert!(run.out.contains("1 not settled now"), "{}", run.out);
    let hard = |file: &str| scene.text(file).lines().nth(2).unwrap().to_owned();
    let empty = format!("hard{}", ",".repeat(classes));
    assert_eq!((hard("o.csv"), hard("d.csv")), (empty.clone(), empty));
    let settled = scene.text("d.csv").lines().nth(3).unwrap().to_owned();
    assert!(settled.starts_with("last,0,"), "{settled}");
    let run = apply("--settle-limit 30 --unsettled raw");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("may break rules"), "{}", run.err);
    assert_eq!(hard("o.csv"), scores.lines().nth(2).unwrap());
    let value = scene.json(
        "apply --rules r --scores s.csv --id-column id --out o.csv --settle-limit 30 --unsettled raw --json",
    );
    assert_eq!(value["unsettled"], serde_json::json!({ "rows": 1, "first": [2] }));
    // Within the limit that there is, it is settled.
    assert_eq!(apply("").code, 0);
}

#[test]
fn what_is_not_decided_is_an_error_and_says_so() {
    let mut rules = String::new();
    for pigeon in 0..11 {
        let anywhere: Vec<String> = (0..10).map(|hole| format!("p{pigeon}h{hole}")).collect();
        rules += &(anywhere.join(" | ") + "\n");
        for (other, hole) in (0..pigeon).flat_map(|other| (0..10).map(move |hole| (other, hole))) {
            rules += &format!("not (p{pigeon}h{hole}, p{other}h{hole})\n");
        }
    }
    let scene = Scene::new(&[("r", &rules), ("s.csv", "p0h0\n0.5\n")]);
    for command in ["check r", "apply --rules r --scores s.csv --out o.csv"] {
        let run = scene.run(&format!("{command} --settle-limit 500"));
        assert_eq!(run.code, 1, "{}", run.out);
        assert!(run.err.contains("was not decided within 500 conflicts"), "{}", run.err);
        assert!(run.err.contains("--settle-limit 5000 looks ten times as long"), "{}", run.err);
        let run = scene.run(&format!("{command} --settle-limit 0"));
        assert!(run.err.contains("--settle-limit 200000 is the default"), "{}", run.err);
    }
}

#[test]
fn check_fix_drops_requirements_that_follow_and_says_which() {
    let text = "exclusive(a, b, c)\na -> not b\na | d\nb -> d\nnot (b, c, d)\n";
    let scene = Scene::new(&[("r", text)]);
    let run = scene.run("check r --fix --out f");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("0 rules and 2 requirements dropped"), "{}", run.out);
    assert!(run.out.contains("lines 2, 5"), "{}", run.out);
    assert_eq!(scene.text("f"), "exclusive(a, b, c)\na | d\nb -> d\n");
    let value = scene.json("check r --fix --out f --json");
    assert_eq!(value["dropped_requirement_lines"], serde_json::json!([2, 5]));
    assert_eq!(value["requirements"], 2);
}

#[test]
fn a_class_that_several_lines_overrule_together_has_all_of_them() {
    let scene = Scene::new(&[
        ("r", "a | b | not z\na | not b | not z\nnot a | b | not z\nnot a | not b | not z\n"),
        ("s.csv", "a,b,z\n0.4,0.3,0.99\n"),
    ]);
    let value = scene.json("explain --rules r --scores s.csv --row 1 --label z --json");
    let found = value.to_string();
    assert!(found.contains("\"lines\":[1,2,3,4]"), "{found}");
}

#[test]
fn the_summary_counts_exactly_what_the_tables_show() {
    let scene = Scene::new(&[
        ("r", "a -> b\nexclusive(a, c)\nb | d | e\nprefer d\n"),
        (
            "s.csv",
            "a,b,c,d,e\n0.9,0.2,0.95,0.1,0.1\n0.3,0.4,0.2,0.45,0.1\n0.9,0.5,0.1,0.6,0.2\n0.5,0.1,0.1,0.1,0.1\n",
        ),
    ]);
    let value = scene.json("apply --rules r --scores s.csv --out o.csv --decisions d.csv --json");
    let cells = |file: &str| -> Vec<f64> {
        let text = scene.text(file);
        text.lines()
            .skip(1)
            .flat_map(|line| line.split(','))
            .map(|cell| cell.parse().unwrap())
            .collect()
    };
    let (before, after, decisions) = (cells("s.csv"), cells("o.csv"), cells("d.csv"));
    let count = |holds: &dyn Fn(usize) -> bool| (0..before.len()).filter(|&at| holds(at)).count();
    for (name, expected) in [
        ("raised_scores", count(&|at| after[at] > before[at])),
        ("lowered_scores", count(&|at| after[at] < before[at])),
        ("newly_predicted", count(&|at| decisions[at] > 0.5 && before[at] <= 0.5)),
        ("no_longer_predicted", count(&|at| decisions[at] < 0.5 && before[at] > 0.5)),
    ] {
        assert_eq!(value[name], expected, "{name}");
        assert!(expected > 0, "{name}");
    }
}

#[test]
fn a_class_that_is_never_predicted_is_so_named_among_the_delegates() {
    let scene = Scene::new(&[("r", "not (a)\na | b\n"), ("s.csv", "id,a,b\n1,0.9,0.2\n")]);
    let run =
        scene.run("apply --rules r --scores s.csv --out o.csv --delegates g.csv --id-column id");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(scene.text("g.csv"), "id,a,b\n1,-> not a,-> b\n");
    let value = scene.json("explain --rules r --scores s.csv --id-column id --row 1 --json");
    assert_eq!(value["derivation"]["a"]["delegate"], "-> not a");
}

#[test]
fn what_an_overruled_class_raised_is_taken_back() {
    let scene = Scene::new(&[
        ("r", "red -> stop\nexclusive(red, green)\n"),
        ("s.csv", "red,stop,green\n0.9,0.1,0.95\n0.9,0.1,0.2\n"),
    ]);
    let run = scene.run("apply --rules r --scores s.csv --out o.csv --delegates g.csv");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(scene.text("o.csv").lines().nth(1), Some("0.050000000000000044,0.1,0.95"));
    assert_eq!(scene.text("g.csv"), "red,stop,green\nnot green,stop,green\nred,red,not red\n");
    let stop = scene.run("explain --rules r --scores s.csv --row 1 --label stop").out;
    assert!(stop.starts_with("stop = 0.1 (not predicted; own score)"), "{stop}");
    assert!(stop.contains("closest rule: red -> stop") && stop.contains("blocks"), "{stop}");
}

#[test]
fn explain_says_that_a_class_was_preferred() {
    let scene = Scene::new(&[
        ("r", "prefer bus\nexclusive(car, bus)\n"),
        ("s.csv", "car,bus\n0.95,0.55\n"),
    ]);
    let out = scene.run("explain --rules r --scores s.csv --row 1").out;
    assert!(out.contains("bus = 0.55 (predicted; own score)  ← preferred, decides"), "{out}");
    assert!(!out.contains("surer"), "{out}");
    let value = scene.json("explain --rules r --scores s.csv --row 1 --json");
    let settled = &value["derivation"]["car"]["settled"];
    assert_eq!((&settled["decider"], &settled["decider_is"]), (&"bus".into(), &"preferred".into()));
}

#[test]
fn explain_shows_every_score_that_changed() {
    // b agrees with what follows from a, and is as surely absent as a is present.
    let scene = Scene::new(&[("r", "exclusive(a, b)\n"), ("s.csv", "a,b,c\n0.9,0.4,0.3\n")]);
    let value = scene.json("explain --rules r --scores s.csv --row 1 --json");
    assert_eq!(value["class_names"], serde_json::json!(["b"]));
    let out = scene.run("explain --rules r --scores s.csv --row 1").out;
    assert!(out.contains("settled: exclusive(a, b)  (line 1)"), "{out}");
}

#[test]
fn a_requirement_about_an_unknown_class_is_an_error_with_its_line() {
    let scene = Scene::new(&[
        ("r", "car -> vehicle\nnot (car, truk)\nexclusive(car, hgv)\n"),
        ("hidden", "car -> vehicle\nlorry -> vehicle\n"),
        ("labels", "car\nvehicle\ntruck\n"),
        ("s.csv", "car,vehicle,truck\n0.9,0.2,0.8\n"),
        ("t.csv", "car,vehicle,truck\n1,1,0\n"),
    ]);
    let apply = "apply --rules r --scores s.csv --out o.csv";
    let evaluate = "evaluate --rules r --scores s.csv --truth t.csv";
    for command in [apply, evaluate, "check r --labels labels"] {
        let run = scene.run(command);
        assert_eq!(run.code, 1, "{command}: {}", run.err);
        for part in
            ["`truk` in `not (car, truk)` (line 2; did you mean `truck`?)", "`hgv`", "line 3"]
        {
            assert!(run.err.contains(part), "{command}: {}", run.err);
        }
        assert!(run.err.contains("--unknown-labels hide"), "{}", run.err);
        assert_eq!(scene.run(&format!("{command} --unknown-labels hide")).code, 0, "{command}");
    }
    // Read with a list, each is a mistake at its line.
    let listed = scene.run(&format!("{apply} --labels labels"));
    assert_eq!(listed.code, 1);
    for part in ["names `truk`", "did you mean `truck`?", "names `hgv`", "2 | not (car, truk)"] {
        assert!(listed.err.contains(part), "{}", listed.err);
    }
    // Rules alone hide it as ever; its name and line are there for whoever asks.
    let quiet = scene.run("apply --rules hidden --scores s.csv --out o.csv");
    assert!(quiet.err.contains("1 class of the rules is not in the table"), "{}", quiet.err);
    let told = scene.run("apply --rules hidden --scores s.csv --out o.csv -v");
    assert!(told.err.contains("hidden: `lorry` (line 2)"), "{}", told.err);
    let value = scene.json("apply --rules hidden --scores s.csv --out o.csv --json");
    assert_eq!(value["hidden"], serde_json::json!([{ "class": "lorry", "line": 2 }]));
}

#[test]
fn numbered_classes_and_columns_start_at_the_same_number() {
    let scene = Scene::new(&[
        ("r", "y_0 or not y_1\nnot y_0 or not y_2\n"),
        ("r.ccn", "0.1 0 :- 1\n0.1 2 :- n1\n"),
        ("one.csv", "1,2,3\n0.9,0.9,0.9\n"),
        ("y.csv", "y_0,y_1,y_2\n0.2,0.9,0.8\n"),
        ("zero.csv", "0,1,2\n0.2,0.9,0.8\n"),
        ("names", "1\n2\n3\n"),
        ("x.cnf", "p cnf 3 1\n1 -2 3 0\n"),
    ]);
    for (rules, table, numbers) in [
        ("r", "one.csv", "from 0"),
        ("r.ccn", "one.csv", "from 0"),
        ("x.cnf", "zero.csv", "from 1"),
    ] {
        let run = scene.run(&format!("apply --rules {rules} --scores {table} --out o.csv"));
        assert_eq!(run.code, 1, "{rules} {table}");
        let message = format!("the rules number their classes {numbers}");
        assert!(run.err.contains(&message) && run.err.contains("--labels"), "{}", run.err);
    }
    let run = scene.run("apply --rules r --scores one.csv --labels names --out o.csv");
    assert_eq!(run.code, 0, "{}", run.err);
    let values = |table: &str| {
        let run = scene.run(&format!("apply --rules r --scores {table} --out o.csv"));
        assert_eq!(run.code, 0, "{}", run.err);
        scene.text("o.csv").lines().nth(1).unwrap().to_owned()
    };
    assert_eq!(values("y.csv"), values("zero.csv"));
}

#[test]
fn numbers_that_are_one_off_are_an_error_wherever_they_occur() {
    let scene = Scene::new(&[
        // Neither the first nor the last class is in a clause.
        ("x.cnf", "p cnf 5 1\n2 -3 0\n"),
        ("no_header.cnf", "h 2 -3 0\nh 2 3 0\n"),
        ("r", "y_1 or not y_2\n"),
    ]);
    let table = |first: usize, classes: usize, prefix: &str| {
        let names: Vec<String> =
            (first..first + classes).map(|number| format!("{prefix}{number}")).collect();
        let text = format!("{}\n{}\n", names.join(","), vec!["0.4"; classes].join(","));
        scene.write("s.csv", &text);
        scene.write("t.csv", text.replace("0.4", "1"));
    };
    let commands = |rules: &str| {
        [
            format!("apply --rules {rules} --scores s.csv --out o.csv"),
            format!("apply --rules {rules} --scores s.csv --unknown-labels hide --out o.csv"),
            format!("apply --rules {rules} --scores s.csv --unknown-labels error --out o.csv"),
            format!("evaluate --rules {rules} --scores s.csv --truth t.csv"),
            format!("explain --rules {rules} --scores s.csv --row 1"),
        ]
    };
    for (rules, first, classes, prefix, expected) in [
        ("x.cnf", 0, 5, "", "number their classes from 1, and the columns are numbered from 0"),
        ("x.cnf", 0, 5, "y_", "number their classes from 1, and the columns are numbered from 0"),
        ("x.cnf", 0, 6, "y_", "number their classes from 1, and the columns are numbered from 0"),
        ("no_header.cnf", 0, 5, "y_", "from 1, and the columns are numbered from 0"),
        ("r", 1, 5, "", "number their classes from 0, and the columns are numbered from 1"),
        ("r", 1, 5, "y_", "number their classes from 0, and the columns are numbered from 1"),
        ("x.cnf", 1, 3, "", "the rules number 5 classes, and 3 columns are numbered so"),
        ("x.cnf", 1, 4, "", "the rules number 5 classes, and 4 columns are numbered so"),
        ("x.cnf", 1, 6, "y_", "the rules number 5 classes, and 6 columns are numbered so"),
    ] {
        table(first, classes, prefix);
        for command in commands(rules) {
            let run = scene.run(&command);
            assert_eq!(run.code, 1, "{command} {prefix}{first} {classes}: {}", run.out);
            assert!(run.err.contains(expected), "{command}: {}", run.err);
            assert!(run.err.contains("--labels"), "{command}: {}", run.err);
        }
    }
    for (rules, first, classes, prefix) in
        [("x.cnf", 1, 5, ""), ("x.cnf", 1, 5, "y_"), ("r", 0, 3, "y_"), ("r", 0, 9, "")]
    {
        table(first, classes, prefix);
        for command in commands(rules) {
            let run = scene.run(&command);
            assert_eq!(run.code, 0, "{command} {prefix}{first} {classes}: {}", run.err);
        }
    }
}

/// `incoherent_rows` are rows that break a rule or a requirement, whoever counts them.
#[test]
fn every_command_counts_the_same_incoherent_rows() {
    let table = "a,b,c\n1,1,1\n1,1,0\n0,1,1\n0,0,0\n1,0,0\n";
    let rules = "a -> c\nnot (a, b)\n";
    let scene = Scene::new(&[
        ("r", rules),
        ("only", "not (a, b)\n"),
        ("s.csv", table),
        ("d.csv", "x,a,b,c\n1,1,1,1\n2,1,1,0\n3,0,1,1\n4,0,0,0\n5,1,0,0\n"),
    ]);
    let data = "data info d.csv --label-columns a,b,c --rules";
    for (rules, incoherent, breaking_rules) in [("r", 3, 2), ("only", 2, 0)] {
        for command in [
            format!("apply --rules {rules} --scores s.csv --out o.csv --json"),
            format!("evaluate --rules {rules} --scores s.csv --truth s.csv --json"),
            format!("{data} {rules} --json"),
        ] {
            let value = scene.json(&command);
            assert_eq!(value["incoherent_rows"], incoherent, "{command}: {value}");
            assert_eq!(value["rows_breaking_rules"], breaking_rules, "{command}: {value}");
            assert_eq!(value["rows_breaking_requirements"], 2, "{command}: {value}");
        }
        let truth = scene.run(&format!("evaluate --rules {rules} --scores s.csv --truth s.csv"));
        let advises = truth.out.contains("--label-policy complete adds what follows");
        assert_eq!(advises, breaking_rules > 0, "{}", truth.out);
        let completed = scene
            .run(&format!(
                "evaluate --rules {rules} --scores s.csv --truth s.csv --label-policy complete"
            ))
            .out;
        assert_eq!(completed.contains("completed by the rules"), breaking_rules > 0, "{completed}");
        let trained = scene.run(&format!(
            "train d.csv --label-columns a,b,c --rules {rules} --hidden 2 --epochs 1 --out {rules}.rulebound"
        ));
        assert!(trained.err.contains(&format!("{incoherent} training rows")), "{}", trained.err);
        assert_eq!(
            trained.err.contains("--label-policy complete"),
            breaking_rules > 0,
            "{}",
            trained.err
        );
    }
    let info = scene.run(&format!("{data} only")).out;
    assert!(info.contains("requirements         1\n"), "{info}");
    assert!(info.contains("  incoherent in train  2 rows\n"), "{info}");
    let evaluated = scene.run("evaluate --rules r --scores s.csv --truth s.csv").out;
    assert!(evaluated.contains("incoherent rows             3  60.0 % of all"), "{evaluated}");
    assert!(evaluated.contains("2  a -> c  (line 1)"), "{evaluated}");
    assert!(evaluated.contains("2  not (a, b)  (line 2)"), "{evaluated}");
    let value = scene.json("evaluate --rules r --scores s.csv --truth s.csv --json");
    assert_eq!(
        value["broken_rules"],
        serde_json::json!([{ "rule": "a -> c", "line": 1, "rows": 2 }])
    );
}

/// `predict` tells what requirements changed as `apply` does.
#[test]
fn predict_counts_what_requirements_changed() {
    let scene = Scene::new(&[("x.rules", "exclusive(A1, A2)\nA | A1 | A2\n")]);
    let run = scene.run(
        "train three-classes --rules x.rules --hidden 8 --epochs 3 --batch 50 --out m.rulebound",
    );
    assert_eq!(run.code, 0, "{}", run.err);
    let predict =
        "predict --model m.rulebound three-classes --decisions d.csv --raw raw.csv --out p.csv";
    let value = scene.json(&format!("{predict} --json"));
    let cells = |file: &str| -> Vec<f64> {
        let text = scene.text(file);
        let lines = text.lines().skip(1).flat_map(|line| line.split(','));
        lines.map(|cell| cell.parse().unwrap()).collect()
    };
    let (raw, after, decisions) = (cells("raw.csv"), cells("p.csv"), cells("d.csv"));
    let count = |holds: &dyn Fn(usize) -> bool| (0..raw.len()).filter(|&at| holds(at)).count();
    for (name, expected) in [
        ("raised_scores", count(&|at| after[at] > raw[at])),
        ("lowered_scores", count(&|at| after[at] < raw[at])),
        ("newly_predicted", count(&|at| decisions[at] > 0.5 && raw[at] <= 0.5)),
        ("no_longer_predicted", count(&|at| decisions[at] < 0.5 && raw[at] > 0.5)),
    ] {
        assert_eq!(value[name], expected, "{name}");
    }
    let changed = ["raised_scores", "lowered_scores"].map(|name| value[name].as_u64().unwrap());
    assert!(changed.iter().sum::<u64>() > 0, "{value}");
    let out = scene.run(predict).out;
    let line = format!("scores: {} raised, {} lowered; classes: ", changed[0], changed[1]);
    let plain = out.replace(['\u{202f}', '\u{a0}', ','], "");
    assert!(plain.contains(&line.replace(',', "")), "{out}");
    assert!(!out.contains("the rules changed"), "{out}");
}

#[test]
fn a_preference_for_an_unknown_class_is_an_error_with_its_line() {
    let scene = Scene::new(&[
        ("r", "exclusive(car, truck)\nprefer hgv, bike\n"),
        ("labels", "car\ntruck\n"),
        ("s.csv", "car,truck\n0.9,0.8\n"),
        ("t.csv", "car,truck\n1,0\n"),
        ("d.csv", "x,car,truck\n1,1,0\n2,0,1\n3,1,0\n"),
    ]);
    for command in [
        "apply --rules r --scores s.csv --out o.csv",
        "evaluate --rules r --scores s.csv --truth t.csv",
        "check r --labels labels",
    ] {
        let run = scene.run(command);
        assert_eq!(run.code, 1, "{command}: {}", run.err);
        for part in ["`hgv` in `prefer hgv` (line 2)", "`bike`", "--unknown-labels hide"] {
            assert!(run.err.contains(part), "{command}: {}", run.err);
        }
        let run = scene.run(&format!("{command} --unknown-labels hide"));
        assert_eq!(run.code, 0, "{command}: {}", run.err);
    }
    for command in [
        "apply --rules r --scores s.csv --labels labels --out o.csv",
        "data info d.csv --label-columns car,truck --rules r",
    ] {
        let run = scene.run(command);
        assert_eq!(run.code, 1, "{command}: {}", run.err);
        assert!(run.err.contains("names `hgv`") && run.err.contains("r:2:8"), "{}", run.err);
    }
}

#[test]
fn requirements_are_told_apart_from_rules() {
    let scene = Scene::new(&[
        ("x.cnf", "p cnf 3 2\n1 -2 0\n-1 3 0\n"),
        ("short.cnf", "p cnf 3 5\n1 -2 0\n-1 3 0\n"),
        ("x.wcnf", "p wcnf 3 2 9\n9 1 -2 0\n9 -1 3 0\n"),
        ("labels", "a\nb\nc\nd\n"),
        ("cyclic", "0.1 0 :- n1\n0.1 1 :- n0\n"),
        ("slips", "not off\nbetween 3 and 1 of(a, b, c, d)\ntrue -> a\n"),
    ]);
    let out = scene.run("check x.cnf").out;
    assert!(
        out.starts_with("x.cnf: 0 rules and 2 requirements over 3 classes (format dimacs)\n"),
        "{out}"
    );
    assert!(!out.contains("hierarchy") && !out.contains("stratum"), "{out}");
    assert_eq!(
        scene.run("check x.wcnf").out.lines().skip(1).collect::<Vec<_>>(),
        out.lines().skip(1).collect::<Vec<_>>()
    );
    let short = scene.run("check short.cnf").err;
    assert!(short.contains("the header says 5 clauses, and there are 2"), "{short}");
    let labels = scene.run("check x.cnf --labels labels").err;
    assert!(labels.contains("the header says 3 classes, and the label list has 4"), "{labels}");
    let cyclic = scene.run("check cyclic").err;
    assert!(cyclic.contains("not stratified") && cyclic.contains("--rules-as clauses"), "{cyclic}");
    let slips = scene.run("check slips").err;
    for part in ["write `-> not off`", "write `between 1 and 3 of(...)`", "`true` is a constant"] {
        assert!(slips.contains(part), "{slips}");
    }
}

#[test]
fn evaluate_shows_the_twenty_requirements_that_are_broken_most() {
    let names: Vec<String> = (0..60).map(|class| format!("c{class}")).collect();
    let rules: String =
        names.chunks(2).map(|pair| format!("exclusive({}, {})\n", pair[0], pair[1])).collect();
    let row = |cell: &str| vec![cell; 60].join(",");
    let scores = format!("{}\n{}\n", names.join(","), row("0.9"));
    let truth = format!("{}\n{}\n", names.join(","), row("1"));
    let scene = Scene::new(&[("r", &rules), ("s.csv", &scores), ("t.csv", &truth)]);
    let out = scene.run("evaluate --rules r --scores s.csv --truth t.csv").out;
    assert_eq!(out.matches("exclusive(").count(), 20, "{out}");
    assert!(out.contains("10 more requirements (--json lists all)"), "{out}");
}
