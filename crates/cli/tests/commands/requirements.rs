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
    let first = "2 rows: 1 broke a rule, 2 a requirement before, none does now; ";
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
    assert_eq!(value["overruled"], 1);
}

#[test]
fn explain_names_what_was_surer() {
    let run = scene().run("explain --rules r --scores s.csv --row 1 --label truck");
    assert_eq!(
        run.out,
        "truck = 0.06999999999999995 (not predicted; network's own score: 0.79)\n\
         └─ overruled: exclusive(car, truck, bus)  (line 3)\n   \
            └─ car = 0.93 (predicted; network's own score)  ← surer, decides\n",
        "{}",
        run.err
    );
}

#[test]
fn in_a_fixed_order_the_class_listed_first_wins() {
    let scene = Scene::new(&[("r", "exclusive(a, b)\n"), ("s.csv", "a,b\n0.51,0.99\n")]);
    let decisions = |options: &str| {
        let run = scene.run(&format!(
            "apply --rules r --scores s.csv --out o.csv --decisions d.csv {options}"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
        scene.text("d.csv")
    };
    assert_eq!(decisions(""), "a,b\n0,1\n");
    assert_eq!(decisions("--settle ordered"), "a,b\n1,0\n");
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
    assert_eq!(measured["violations"]["rows"], 0);
    let tuned = scene.run(
        "tune-thresholds --model m.rulebound three-classes --split all --out-model n.rulebound",
    );
    assert_eq!(tuned.code, 0, "{}", tuned.err);
    let f1 = |model: &str| {
        let measured =
            scene.json(&format!("evaluate --model {model} three-classes --split all --json"));
        assert_eq!(measured["violations"]["rows"], 0);
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
    assert_eq!(value["violations"]["rows"], 1);
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

#[test]
fn a_network_may_learn_with_what_requirements_conclude() {
    let scene = Scene::new(&[("x.rules", "exclusive(A1, A2)\nA | A1 | A2\n")]);
    let train = |options: &str| {
        let base = "train three-classes --rules x.rules --hidden 8 --epochs 3 --batch 50 --force";
        scene.run(&format!("{base} --members 2 --out m.rulebound {options}"))
    };
    let weights = |options: &str| {
        let run = train(options);
        assert_eq!(run.code, 0, "{}", run.err);
        scene.bytes("m.rulebound")
    };
    let one_sided = weights("");
    assert_eq!(one_sided, weights("--loss constraint"));
    let two_sided = weights("--loss two-sided");
    assert_ne!(one_sided, two_sided);
    assert_eq!(two_sided, weights("--loss two-sided --threads 3"));
    assert_eq!(two_sided, weights("--config m.rulebound.toml"));
    let value = scene.json("model info m.rulebound --json");
    assert_eq!(value["configuration"]["loss"], "two-sided");
    let text = scene.run("model info m.rulebound").out;
    assert!(text.contains("requirements   2\n") && text.contains("two-sided loss"), "{text}");
    // The other methods have losses of their own.
    for method in ["post", "cm", "none"] {
        let run = train(&format!("--loss two-sided --method {method}"));
        assert_eq!(run.code, 2, "{}", run.err);
        assert!(
            run.err
                .contains("the loss is two-sided; it must be constraint, unless the method is ccn"),
            "{}",
            run.err
        );
    }
    let run = train("--loss two-sided --method br");
    assert!(run.err.contains("--loss") && run.err.contains("for networks only"), "{}", run.err);
}
