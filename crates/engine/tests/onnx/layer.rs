//! The layer as a graph has the bits of ours, for any program and any margins, with requirements too.

use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use rulebound::core::{ConstraintLayer, Program, Thresholds};
use rulebound::onnx::{GraphOptions, Loops, NetworkOutput, OnnxFile};
use rulebound_testing::{Random, needs};

use super::draft::Draft;
use super::strategy;

/// Few values, so that ties are common; the ends of the line and everything around 0.
fn margin() -> impl Strategy<Value = f32> {
    let least = f32::from_bits(1);
    let odd = vec![
        0.0,
        -0.0,
        least,
        -least,
        1e-40,
        -1e-40,
        f32::MIN_POSITIVE,
        -f32::MIN_POSITIVE,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
    ];
    prop_oneof![
        3 => (-3i8..=3).prop_map(f32::from),
        2 => -5.0..5.0f32,
        2 => proptest::sample::select(odd),
    ]
}

fn programs() -> impl Strategy<Value = Program> {
    prop_oneof![
        5 => strategy::program(12, 20),
        2 => strategy::tangle(),
        2 => strategy::hierarchy(40),
        1 => strategy::program(40, 120),
        1 => strategy::hierarchy(400),
    ]
}

/// One class that more than a hundred others imply, long bodies, and a cycle of twenty classes whose rules have two literals.
fn extremes() -> Program {
    let mut text = String::new();
    for class in 0..130 {
        text.push_str(&format!("leaf{class} -> root\n"));
    }
    let body: Vec<String> = (0..40).map(|class| format!("not leaf{class}")).collect();
    text.push_str(&format!("{} -> nothing\n", body.join(", ")));
    for class in 0..20 {
        text.push_str(&format!("ring{class}, leaf{class} -> ring{}\n", (class + 1) % 20));
        text.push_str(&format!("same{class} -> same{}\n", (class + 1) % 20));
    }
    text.push_str(
        "-> always\nalways, nothing -> ring3\nnothing -> same7\nnot ring3, leaf1 -> other\n",
    );
    text.parse().unwrap()
}

/// Writes a program's layer, some margins, and what ours makes of them.
fn write(folder: &Path, number: usize, program: &Program, margins: &[f32]) {
    let thresholds = Thresholds::uniform(program.labels().len(), 0.5).unwrap();
    let loops = if number.is_multiple_of(2) { Loops::Allowed } else { Loops::WrittenOut };
    let options = GraphOptions { margins: true, loops, ..GraphOptions::default() };
    let file = OnnxFile::of_rules(program, &thresholds, NetworkOutput::Margins, options).unwrap();
    file.write(&folder.join(format!("{number}.onnx"))).unwrap();
    let layer = ConstraintLayer::new(program, thresholds);
    let mut coherent = vec![f32::NAN; margins.len()];
    layer.forward(margins, &mut coherent, &mut layer.workspace()).unwrap();
    for (name, numbers) in [("in", margins), ("out", &coherent)] {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        std::fs::write(folder.join(format!("{number}.{name}")), bytes).unwrap();
    }
}

mod needs_python {
    use super::*;

    #[test]
    #[ignore = "needs Python with onnx and onnxruntime: RULEBOUND_PYTHON"]
    fn the_bits_of_five_hundred_programs_are_ours() {
        let folder = tempfile::tempdir().unwrap();
        let mut runner = TestRunner::deterministic();
        let batch = (programs(), 0..=20usize).prop_flat_map(|(program, rows)| {
            let cells = rows * program.labels().len();
            (Just(program), proptest::collection::vec(margin(), cells))
        });
        for number in 0..500 {
            let (program, margins) = batch.new_tree(&mut runner).unwrap().current();
            write(folder.path(), number, &program, &margins);
        }
        let program = extremes();
        let cells = 300 * program.labels().len();
        for number in 500..502 {
            let margins = proptest::collection::vec(margin(), cells);
            let margins = margins.new_tree(&mut runner).unwrap().current();
            write(folder.path(), number, &program, &margins);
        }
        run(folder.path(), "rules", 502);
    }

    #[test]
    #[ignore = "needs Python with onnx and onnxruntime: RULEBOUND_PYTHON"]
    fn the_bits_of_four_hundred_hierarchies_are_ours() {
        let folder = tempfile::tempdir().unwrap();
        let mut runner = TestRunner::deterministic();
        for number in 0..400 {
            let program = strategy::hierarchy(60).new_tree(&mut runner).unwrap().current();
            let rows = 1 + number % 30;
            let margins = proptest::collection::vec(margin(), rows * program.labels().len());
            let margins = margins.new_tree(&mut runner).unwrap().current();
            write(folder.path(), number, &program, &margins);
        }
        run(folder.path(), "hierarchies", 400);
    }

    #[test]
    #[ignore = "needs Python with onnx and onnxruntime: RULEBOUND_PYTHON"]
    fn the_bits_of_four_hundred_programs_with_requirements_are_ours() {
        let folder = tempfile::tempdir().unwrap();
        let mut runner = TestRunner::deterministic();
        let mut random = Random::new(20);
        let (mut number, mut taken_back) = (0, 0);
        while number < 400 {
            let Some(program) = Draft::new(&mut random).program() else { continue };
            if program.settle_plan().is_none() {
                continue;
            }
            let rows = random.below(30);
            let margins = proptest::collection::vec(margin(), rows * program.labels().len());
            let margins = margins.new_tree(&mut runner).unwrap().current();
            write(folder.path(), number, &program, &margins);
            taken_back += usize::from(program.rules().iter().any(|rule| !rule.body().is_empty()));
            number += 1;
        }
        assert!(taken_back > 100, "{taken_back} programs have rules that raise something");
        run(folder.path(), "requirements", 400);
    }

    fn run(folder: &Path, kind: &str, count: usize) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/onnx/layer.py");
        let count = count.to_string();
        let mut python = Command::new(needs::python());
        let status = python.arg(script).arg(folder).arg(kind).arg(count).status().unwrap();
        assert!(status.success());
    }
}
