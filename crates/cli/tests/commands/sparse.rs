//! Sparse data, scaling, and the memory that data and runs may take.

use crate::scene::{Run, Scene};
use rulebound_testing::Random;
use std::fmt::Write;

const QUICK: &str = "--hidden 4 --epochs 1 --batch 16";

/// Lines of svmlight with `values` values each among `columns` columns.
fn svmlight(rows: usize, columns: usize, values: usize) -> String {
    let mut random = Random::new(3);
    let mut text = String::new();
    for row in 0..rows {
        write!(text, "{},{}", row % 3, 3 + row % 2).unwrap();
        let mut places: Vec<usize> = (0..values).map(|_| 1 + random.below(columns)).collect();
        places.sort_unstable();
        places.dedup();
        places.iter().for_each(|place| write!(text, " {place}:0.5").unwrap());
        text.push('\n');
    }
    text + &format!("0 {columns}:1\n")
}

fn expect(run: &Run, code: i32) {
    assert_eq!(run.code, code, "{}{}", run.out, run.err);
}

#[test]
fn wide_svmlight_is_trained_predicted_and_evaluated_sparse() {
    // 120 million cells, 480 MB as dense rows.
    let scene = Scene::new(&[("words.svm", &svmlight(4000, 30_000, 10))]);
    expect(
        &scene.run(&format!("train words.svm {QUICK} --memory-limit 60MB --out m.rulebound")),
        0,
    );
    expect(&scene.run("evaluate --model m.rulebound words.svm --split all --memory-limit 60MB"), 0);
    expect(&scene.run("predict --model m.rulebound words.svm --out s.csv"), 0);
    assert_eq!(scene.text("s.csv").lines().count(), 4002);
    let refused = format!("train words.svm {QUICK} --scaling standard --out n.rulebound");
    let refused = scene.run(&refused);
    expect(&refused, 1);
    assert!(refused.err.contains("subtracts the mean"), "{}", refused.err);
    assert!(refused.err.contains("--scaling scale"), "{}", refused.err);
}

#[test]
fn what_does_not_fit_is_refused_with_the_numbers_before_it_is_read() {
    let mut table = String::from("a,b,c,label\n");
    (0..50_000).for_each(|row| table += &format!("{row},2.25,{row}.5,{}\n", row % 2));
    let scene = Scene::new(&[("t.csv", &table)]);
    let train = |limit: &str| {
        let flags = format!("--label-columns label {QUICK} --memory-limit {limit}");
        scene.run(&format!("train t.csv {flags} --out m.rulebound"))
    };
    let data = train("500KB");
    expect(&data, 4);
    assert!(data.err.contains("rows of 4 columns need"), "{}", data.err);
    assert!(data.err.contains("488.3 KiB may be used"), "{}", data.err);
    let run = train("1MB");
    expect(&run, 4);
    assert!(run.err.contains("training a network of 3-4-1 needs about"), "{}", run.err);
    assert!(run.err.contains("data 585.9 KiB, encoded rows 585.9 KiB"), "{}", run.err);
    expect(&train("10MB"), 0);
    let wrong = train("much");
    expect(&wrong, 2);
    assert!(wrong.err.contains("`much` is not a size"), "{}", wrong.err);
}

#[cfg(target_os = "linux")]
#[test]
fn an_address_space_that_is_too_small_is_an_error_not_a_crash() {
    // 240 million cells, 960 MB, in a table of few bytes.
    let row = vec!["0"; 12_000].join(",");
    let names: Vec<String> = (0..12_000).map(|place| format!("c{place}")).collect();
    let mut table = names.join(",");
    (0..20_000).for_each(|_| {
        table.push('\n');
        table += &row;
    });
    let scene = Scene::new(&[("wide.csv.gz", &table)]);
    drop(table);
    let program = assert_cmd::cargo::cargo_bin("rulebound");
    let command = format!(
        "ulimit -v 900000; exec {} data info wide.csv.gz --label-columns 1",
        program.display()
    );
    let output = std::process::Command::new("sh")
        .args(["-c", &command])
        .current_dir(scene.root())
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{err}");
    assert!(err.contains("rows of 12000 columns need"), "{err}");
}

#[test]
fn svmlight_comes_through_a_pipe_and_long_errors_are_cut() {
    let text = svmlight(60, 500, 5);
    let scene = Scene::new(&[("words.svm", &text)]);
    expect(&scene.run(&format!("train words.svm {QUICK} --out m.rulebound")), 0);
    expect(&scene.run("predict --model m.rulebound words.svm --out s.csv"), 0);
    let pipe = "predict --model m.rulebound - --in-format svmlight --out -";
    let run = scene.run_with(pipe, &text);
    assert_eq!((run.code, run.out), (0, scene.text("s.csv")), "{}", run.err);
    // Without the format it is CSV, and none of its columns fits.
    let run = scene.run_with("predict --model m.rulebound - --out -", &text);
    expect(&run, 1);
    assert!(run.err.contains("500 columns are missing") && run.err.contains("and 480 more"));
    assert!(run.err.len() < 1000, "{}", run.err);
}

#[test]
fn scaling_is_a_choice_that_the_model_remembers() {
    let scene = Scene::new(&[]);
    let train = |scaling: &str, out: &str| {
        scene.run(&format!("train rectangles {QUICK} {scaling} --out {out}.rulebound"))
    };
    for (scaling, out) in [("", "usual"), ("--scaling standard", "same"), ("--scaling minmax", "m")]
    {
        expect(&train(scaling, out), 0);
    }
    let measured = |model: &str| {
        scene.run(&format!("evaluate --model {model}.rulebound rectangles --json")).out
    };
    assert_eq!(measured("usual"), measured("same"));
    assert_ne!(measured("usual"), measured("m"));
    let info = scene.json("model info m.rulebound --json");
    assert_eq!(info["configuration"]["scaling"], "minmax");
    expect(&train("--scaling log", "n"), 2);
}

/// A table that does not fit is trained on with its rows on disk, to the bits of a run in memory.
#[test]
fn what_does_not_fit_is_streamed() {
    let mut random = Random::new(8);
    let mut table = String::from("a,b,c,label\n");
    for _ in 0..60_000 {
        let [a, b, c] = [(); 3].map(|()| random.below(10_000));
        writeln!(table, "{a},0.{b},{c},{}", u8::from(a > 5000)).unwrap();
    }
    let scene = Scene::new(&[("t.csv", &table)]);
    let flags = format!("--label-columns label {QUICK} --shuffle-buffer 7000");
    expect(&scene.run(&format!("train t.csv {flags} --out memory.rulebound")), 0);
    let refused =
        scene.run(&format!("train t.csv {flags} --memory-limit 500KB --out no.rulebound"));
    expect(&refused, 4);
    assert!(refused.err.contains("`train --stream` keeps rows on disk"), "{}", refused.err);
    let streamed = scene.run(&format!("train t.csv {flags} --stream --out disk.rulebound"));
    expect(&streamed, 0);
    let note = "rows are on disk, shuffled among 7,000 rows (82.0 KiB) at a time";
    assert!(streamed.err.contains(note), "{}", streamed.err);
    assert!(scene.bytes("memory.rulebound") == scene.bytes("disk.rulebound"));
    // Nothing else is left, and the recorded options repeat the run.
    let names = scene.names();
    assert!(names.iter().all(|name| name.starts_with(['t', 'm', 'd'])), "{names:?}");
    expect(&scene.run("train t.csv --config disk.rulebound.toml --out again.rulebound"), 0);
    assert!(scene.bytes("again.rulebound") == scene.bytes("disk.rulebound"));
}

#[test]
fn streaming_says_what_it_cannot_do() {
    let scene = Scene::new(&[("t.csv", "a,label\n1,0\n2,1\n3,0\n")]);
    let train = |flags: &str| {
        scene
            .run(&format!("train t.csv --label-columns label --epochs 1 {flags} --out m.rulebound"))
    };
    let gone = train("--stream --stream-folder gone");
    expect(&gone, 1);
    assert!(
        gone.err.contains("cannot make a temporary file in gone: No such file"),
        "{}",
        gone.err
    );
    assert!(gone.err.contains("--stream-folder DIR names a folder"), "{}", gone.err);
    let builtin = scene.run("train rectangles --stream --out m.rulebound");
    expect(&builtin, 2);
    assert!(builtin.err.contains("--stream: rectangles is generated in memory"), "{}", builtin.err);
    let nowhere = scene.run("train t.csv --label-columns label --stream --out gone/m.rulebound");
    expect(&nowhere, 1);
    assert!(nowhere.err.contains("there is no folder gone"), "{}", nowhere.err);
    let alone = train("--stream-folder .");
    expect(&alone, 2);
    assert!(alone.err.contains("--stream"), "{}", alone.err);
    let none = train("--shuffle-buffer 0");
    expect(&none, 2);
    assert!(none.err.contains("the shuffle buffer is 0"), "{}", none.err);
    let forest =
        scene.run("train t.csv --label-columns label --method forest --stream --out m.rulebound");
    expect(&forest, 2);
    let message = "--stream: for networks only, not for forest";
    assert!(forest.err.contains(message), "{}", forest.err);
}
