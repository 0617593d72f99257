//! Rules behind networks that another program wrote.

use std::path::Path;
use std::process::Command;

use rulebound::core::{Program, Thresholds};
use rulebound::onnx::{GraphOptions, NetworkFile, NetworkOutput, OnnxError, OnnxFile};
use rulebound_testing::{Random, needs};

const RULES: &str = "a -> b\nb, not c -> d\nd -> e\nf -> g\ng -> f\nnot e -> f";

fn ask(step: &str, folder: &Path) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/onnx/splice.py");
    let status = Command::new(needs::python()).arg(script).arg(step).arg(folder).status().unwrap();
    assert!(status.success());
}

mod needs_python {
    use super::*;

    #[test]
    #[ignore = "needs Python with onnx and onnxruntime: RULEBOUND_PYTHON"]
    fn networks_of_any_version_become_coherent() {
        let scene = tempfile::tempdir().unwrap();
        let folder = scene.path();
        ask("make", folder);
        let program: Program = RULES.parse().unwrap();
        let thresholds = Thresholds::new(vec![0.5, 0.4, 0.5, 0.7, 0.5, 0.2, 0.5]).unwrap();
        let options = GraphOptions { margins: true, ..GraphOptions::default() };
        for kind in NetworkOutput::ALL {
            let alone = OnnxFile::of_rules(&program, &thresholds, kind, options).unwrap();
            alone.write(&folder.join(format!("rules.{kind}.onnx"))).unwrap();
        }
        let mut networks = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let Some(name) = name.strip_prefix("network.") else { continue };
            let kind =
                NetworkOutput::ALL.into_iter().find(|kind| name.contains(kind.name())).unwrap();
            let output = name.contains("two").then_some("scores");
            let network = NetworkFile::read(&path, output, 7).unwrap();
            let coherent = network.with_rules(&program, &thresholds, kind, options).unwrap();
            coherent.write(&folder.join(format!("coherent.{name}"))).unwrap();
            networks += 1;
            // Twice is a mistake.
            let again =
                NetworkFile::read(&folder.join(format!("coherent.{name}")), Some("scores"), 7);
            let again = again.unwrap().with_rules(&program, &thresholds, kind, options);
            assert!(matches!(again, Err(OnnxError::Network { .. })));
        }
        assert!(networks > 5);
        ask("check", folder);
    }
}

#[test]
fn what_is_no_network_is_an_error() {
    let scene = tempfile::tempdir().unwrap();
    let path = scene.path().join("network.onnx");
    let fixture = include_bytes!("fixture.onnx");
    for bytes in [&b""[..], b"a -> b\n", b"\x08\x08", &fixture[..300], &fixture[1..]] {
        std::fs::write(&path, bytes).unwrap();
        let error = NetworkFile::read(&path, None, 2).unwrap_err();
        assert!(matches!(error, OnnxError::NotOnnx { .. }), "{error}");
    }
    let error = NetworkFile::read(&scene.path().join("none.onnx"), None, 2).unwrap_err();
    assert!(matches!(error, OnnxError::Input(_)), "{error}");
    std::fs::write(&path, fixture).unwrap();
    let error = NetworkFile::read(&path, Some("v"), 2).unwrap_err();
    assert!(error.to_string().ends_with("it has no output `v`; its outputs are `w`"), "{error}");
}

/// No prefix of a file, and no changed bytes, are more than an error; and what was read can be written and read again.
#[test]
fn damaged_networks_are_errors_or_networks() {
    let fixture = include_bytes!("fixture.onnx");
    let program: Program = "a -> b".parse().unwrap();
    let thresholds = Thresholds::uniform(2, 0.5).unwrap();
    let mut random = Random::new(7);
    let mut read = 0;
    let mut attempt = |bytes: &[u8]| {
        let path = Path::new("damaged.onnx");
        let Ok(network) = NetworkFile::from_bytes(path, bytes.to_vec(), None, 2) else { return };
        read += 1;
        let (kind, options) = (NetworkOutput::Logits, GraphOptions::default());
        if let Ok(file) = network.with_rules(&program, &thresholds, kind, options) {
            let (bytes, output) = (file.bytes().to_vec(), Some(network.output()));
            assert!(NetworkFile::from_bytes(path, bytes, output, 2).is_ok());
        }
    };
    for at in 0..fixture.len() {
        attempt(&fixture[..at]);
        for _ in 0..20 {
            let mut bytes = fixture.to_vec();
            bytes[at] = random.below(256) as u8;
            let other = random.below(bytes.len());
            bytes[other] = random.below(256) as u8;
            attempt(&bytes);
        }
    }
    assert!(read > 100, "{read}");
}
