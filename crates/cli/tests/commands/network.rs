//! `predict --network` and `explain --network`: a network of others, run by onnxruntime.

use super::scene::Scene;

fn files() -> Scene {
    Scene::new(&[
        ("body.rules", "stomach -> abdomen\nabdomen, not upper -> lower\n"),
        ("names.txt", "stomach\nabdomen\nupper\nlower\n"),
        ("rows.csv", "id,x,y,lower\np,1,2,0\nq,-1,0.5,1\n"),
        ("fake.so", "not a library"),
        ("text.onnx", "a -> b\n"),
    ])
}

#[test]
fn without_a_library_there_is_an_error_that_says_what_to_install() {
    let scene = files();
    let rows = "--rules body.rules --labels names.txt rows.csv --out out.csv";
    let run = scene.run(&format!("predict --network text.onnx {rows}"));
    assert!(run.code == 1 && run.err.contains("text.onnx is not an ONNX file"), "{}", run.err);
    let run = scene.run("export --rules body.rules --labels names.txt --out layer.onnx");
    assert_eq!(run.code, 0, "{}", run.err);
    let table = "--rules body.rules --labels names.txt four.csv --out out.csv";
    scene.write("four.csv", "a,b,c,d\n0,0,0,0\n");
    for library in ["fake.so", "nowhere.so"] {
        let run = scene.run(&format!(
            "predict --network layer.onnx --output probabilities --onnxruntime {library} {table}"
        ));
        assert!(run.code == 1 && run.err.contains("pip install onnxruntime"), "{}", run.err);
    }
    let network =
        "--network layer.onnx --output probabilities --rules body.rules --labels names.txt";
    let run = scene.run(&format!("predict {network} - --out out.csv"));
    assert!(run.code == 2 && run.err.contains("not from standard input"), "{}", run.err);
    let run = scene.run(&format!("predict {network} four.csv --in-format csv --out out.csv"));
    assert!(run.code == 2 && run.err.contains("--in-format"), "{}", run.err);
    let run = scene.run(&format!("predict {network} rows.csv --out out.csv"));
    assert!(run.code == 1 && run.err.contains("has 4 columns, but the data has 3"), "{}", run.err);
    let run = scene.run("predict rows.csv --out out.csv");
    assert!(run.code == 2 && run.err.contains("--model"), "{}", run.err);
    let run = scene.run("predict --network layer.onnx rows.csv --out out.csv");
    assert!(run.code == 2 && run.err.contains("--labels"), "{}", run.err);
    let run = scene.run("explain --rules body.rules rows.csv --row 1");
    assert!(run.code == 2 && run.err.contains("--network"), "{}", run.err);
    assert!(!scene.path("out.csv").exists());
}

mod needs_python {
    use super::*;
    use rulebound_testing::{needs, python};
    use std::path::Path;

    /// The networks, and the library of the same Python.
    fn networks(scene: &Scene) -> String {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/commands/network.py");
        let library = python::ask(&script, scene.root().display().to_string());
        assert!(needs::python().is_file());
        format!("--onnxruntime {}", library[0])
    }

    #[test]
    #[ignore = "needs Python with onnx and onnxruntime: RULEBOUND_PYTHON"]
    fn a_network_of_others_obeys_the_rules() {
        let scene = files();
        let library = networks(&scene);
        let with = |network: &str| {
            format!("--network {network} --rules body.rules --labels names.txt rows.csv {library}")
        };
        for network in ["sums.onnx", "double.onnx", "columns.onnx"] {
            let run = scene.run(&format!(
                "predict {} --id-column id --out out.csv --decisions - ",
                with(network)
            ));
            assert_eq!(run.code, 0, "{network}: {}", run.err);
            assert_eq!(
                run.out, "id,stomach,abdomen,upper,lower\np,1,1,0,1\nq,0,1,1,1\n",
                "{network}"
            );
        }
        let all = scene.text("out.csv");
        let kind = "predict --output-kind probabilities --id-column id --out other.csv";
        let run = scene.run(&format!("{kind} {}", with("probabilities.onnx")));
        assert_eq!(run.code, 0, "{}", run.err);
        let numbers = |text: &str| -> Vec<f64> {
            let cells = text.lines().skip(1).flat_map(|line| line.split(',').skip(1));
            cells.map(|cell| cell.parse().unwrap()).collect()
        };
        for (one, other) in numbers(&all).iter().zip(numbers(&scene.text("other.csv"))) {
            assert!((one - other).abs() < 1e-6, "{all}");
        }
        let run = scene.run(&format!("explain {} --id-column id --id p", with("sums.onnx")));
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.out.contains("stomach -> abdomen"), "{}", run.out);

        // Neither onnxruntime's own report nor ours hands on what a terminal obeys.
        for command in ["predict --out bad.csv", "explain --row 1"] {
            let run = scene.run(&format!("{command} {} --id-column id", with("fails.onnx")));
            assert_eq!(run.code, 1, "{}", run.err);
            assert!(run.err.contains("pwned") && run.err.contains("onnxruntime: "), "{}", run.err);
            assert!(!run.err.contains(['\x1b', '\x07']), "{:?}", run.err);
        }

        let wrong = [
            ("wide.onnx", "its input `x` has 3 columns, but the data has 2 that are not classes"),
            ("three.onnx", "the output `scores` has 3 columns, but there are 4 classes"),
            ("integers.onnx", "its input `x` is not of 32-bit or 64-bit numbers"),
            ("zipmap.onnx", "zipmap=False"),
            ("multi.onnx", "MultiOutputClassifier"),
            ("nan.onnx", "the network gives no number for"),
            ("broken.onnx", "onnxruntime refuses it"),
            ("cut.onnx", "is not an ONNX file"),
        ];
        for (network, expected) in wrong {
            let run = scene.run(&format!("predict {} --id-column id --out bad.csv", with(network)));
            assert!(run.code == 1 && run.err.contains(expected), "{network}: {}", run.err);
            assert!(!scene.path("bad.csv").exists());
        }
    }
}
