//! NumPy arrays as scores and as features.

use crate::scene::{Run, Scene};

/// An array of 32-bit numbers with this many columns, in C or in Fortran order.
fn npy(numbers: &[f32], columns: usize, is_fortran: bool) -> Vec<u8> {
    let rows = numbers.len() / columns;
    let order = if is_fortran { "True" } else { "False" };
    let header =
        format!("{{'descr': '<f4', 'fortran_order': {order}, 'shape': ({rows}, {columns}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    for at in 0..numbers.len() {
        let at = if is_fortran { at % rows * columns + at / rows } else { at };
        bytes.extend(numbers[at].to_le_bytes());
    }
    bytes
}

/// The numbers of an array of 32-bit numbers that we wrote.
fn numbers(bytes: &[u8]) -> Vec<f32> {
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let text = String::from_utf8_lossy(&bytes[10..start]).into_owned();
    assert!(text.contains("'descr': '<f4'"), "{text}");
    bytes[start..].chunks(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
}

fn expect(run: &Run, code: i32) {
    assert_eq!(run.code, code, "{}{}", run.out, run.err);
}

#[test]
fn scores_in_an_array_are_named_by_a_list_of_labels() {
    let scene = Scene::new(&[("b.rules", "car -> vehicle\n"), ("names.txt", "vehicle\ncar\n")]);
    let scores = [0.25, 0.75, 0.5, 0.125];
    scene.write("s.npy", npy(&scores, 2, false));
    scene.write("f.npy", npy(&scores, 2, true));
    let apply = |scores: &str, out: &str| {
        scene
            .run(&format!("apply --rules b.rules --labels names.txt --scores {scores} --out {out}"))
    };
    expect(&apply("s.npy", "out.npy"), 0);
    assert_eq!(numbers(&scene.bytes("out.npy")), [0.75, 0.75, 0.5, 0.125]);
    expect(&apply("f.npy", "out.csv"), 0);
    assert_eq!(scene.text("out.csv"), "vehicle,car\n0.75,0.75\n0.5,0.125\n");
    // What was written is read again, and obeys the rules already.
    let again = apply("out.npy", "again.npy");
    expect(&again, 0);
    assert_eq!(scene.bytes("out.npy"), scene.bytes("again.npy"));

    let nameless = scene.run("apply --rules b.rules --scores s.npy --out x.csv");
    expect(&nameless, 1);
    assert!(nameless.err.contains("no column names") && nameless.err.contains("--labels FILE"));
    scene.write("three.txt", "vehicle\ncar\ntree\n");
    let run = scene.run("apply --rules b.rules --labels three.txt --scores s.npy --out x.csv");
    expect(&run, 1);
    assert!(run.err.contains("rows of 2 numbers, but 3 names"), "{}", run.err);
    let delegates = scene.run(
        "apply --rules b.rules --labels names.txt --scores s.npy --out x.csv --delegates d.npy",
    );
    expect(&delegates, 1);
    assert!(delegates.err.contains("an array holds numbers, not names"), "{}", delegates.err);
    assert!(!scene.names().contains(&"x.csv".to_owned()));
}

#[test]
fn an_array_of_scores_is_evaluated_and_explained() {
    let scene = Scene::new(&[
        ("b.rules", "car -> vehicle\n"),
        ("names.txt", "vehicle\ncar\n"),
        ("s.csv", "vehicle,car\n0.25,0.75\n0.5,0.125\n"),
        ("t.csv", "car,vehicle\n1,1\n0,1\n"),
    ]);
    scene.write("s.npy", npy(&[0.25, 0.75, 0.5, 0.125], 2, false));
    scene.write("t.npy", npy(&[1.0, 1.0, 1.0, 0.0], 2, false));
    let measure = |scores: &str, truth: &str| {
        scene.run(&format!("evaluate --scores {scores} --truth {truth} --labels names.txt --json"))
    };
    let expected = measure("s.csv", "t.csv");
    expect(&expected, 0);
    assert_eq!(measure("s.npy", "t.csv").out, expected.out);
    assert_eq!(measure("s.npy", "t.npy").out, expected.out);
    let explain = |scores: &str| {
        scene.run(&format!(
            "explain --rules b.rules --labels names.txt --scores {scores} --row 1 --label vehicle"
        ))
    };
    expect(&explain("s.npy"), 0);
    assert_eq!(explain("s.npy").out, explain("s.csv").out);
}

#[test]
fn features_in_arrays_are_trained_on_and_predicted() {
    let (mut features, mut labels, mut table) = (Vec::new(), Vec::new(), String::from("a,b,0,1\n"));
    for row in 0..60 {
        let (a, b) = (row as f32 / 8.0, (row * 7 % 11) as f32);
        let marks = [u8::from(a > 3.0), u8::from(b > 4.0)];
        features.extend([a, b]);
        labels.extend(marks.map(f32::from));
        table += &format!("{a},{b},{},{}\n", marks[0], marks[1]);
    }
    let scene = Scene::new(&[("names.txt", "a\nb\n"), ("t.csv", &table)]);
    scene.write("x.npy", npy(&features, 2, false));
    scene.write("xf.npy", npy(&features, 2, true));
    scene.write("y.npy", npy(&labels, 2, false));
    let quick = "--hidden 4 --epochs 2 --batch 10";
    let array = "--label-array y.npy --columns names.txt";
    expect(&scene.run(&format!("train x.npy {array} {quick} --out a.rulebound")), 0);
    expect(&scene.run(&format!("train t.csv --label-columns 0,1 {quick} --out t.rulebound")), 0);
    let predict = |model: &str, input: &str, out: &str| {
        scene.run(&format!("predict --model {model}.rulebound {input} --out {out}"))
    };
    expect(&predict("a", "x.npy --columns names.txt", "a.csv"), 0);
    expect(&predict("t", "t.csv", "t.csv.out.csv"), 0);
    assert_eq!(scene.text("a.csv"), scene.text("t.csv.out.csv"));
    expect(&predict("a", "xf.npy --columns names.txt", "a.npy"), 0);
    assert_eq!(numbers(&scene.bytes("a.npy")).len(), 120);
    let info = scene.json(&format!("data info x.npy {array} --json"));
    assert_eq!((&info["features"], &info["classes"]), (&2.into(), &2.into()));
    expect(&scene.run(&format!("evaluate --model a.rulebound x.npy {array}")), 0);

    let without = scene.run(&format!("train x.npy {quick} --out b.rulebound"));
    expect(&without, 1);
    assert!(without.err.contains("--label-array"), "{}", without.err);
    let unnamed = predict("a", "x.npy", "n.csv");
    expect(&unnamed, 1);
    assert!(unnamed.err.contains("2 columns are missing: `a`, `b`"), "{}", unnamed.err);
    scene.write("short.npy", npy(&labels[..20], 2, false));
    let short =
        scene.run(&format!("train x.npy --label-array short.npy {quick} --out b.rulebound"));
    expect(&short, 1);
    assert!(short.err.contains("has 10 rows, but x.npy has 60"), "{}", short.err);
    scene.write("wrong.npy", npy(&[2.0; 120], 2, false));
    let wrong =
        scene.run(&format!("train x.npy --label-array wrong.npy {quick} --out b.rulebound"));
    expect(&wrong, 1);
    assert!(wrong.err.contains("wrong.npy:1:1"), "{}", wrong.err);
}

#[test]
fn unknown_label_cells_of_an_array_are_nan() {
    let scene = Scene::new(&[]);
    scene.write("x.npy", npy(&[1.0, 2.0, 3.0, 4.0], 1, false));
    scene.write("y.npy", npy(&[1.0, f32::NAN, 0.0, 1.0, f32::NAN, 0.0, 1.0, 1.0], 2, false));
    let info = scene.json("data info x.npy --label-array y.npy --json");
    assert_eq!(info["unknown_label_cells"], 2);
    scene.write("s.npy", npy(&[0.9, 0.8, 0.2, 0.9, 0.7, 0.1, 0.6, 0.7], 2, false));
    scene.write("l", "a\nb\n");
    let told = scene.json("evaluate --scores s.npy --truth y.npy --labels l --json");
    assert_eq!(told["unknown_label_cells"], 2);
    assert_eq!(told["hamming_loss"], 0.0);
    // Of scores it is an error.
    assert_eq!(scene.run("evaluate --scores y.npy --truth y.npy --labels l").code, 1);
}
