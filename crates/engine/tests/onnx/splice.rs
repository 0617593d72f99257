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

/// A field of a message with contents; short ones only.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2, u8::try_from(content.len()).unwrap()], content].concat()
}

/// What onnxruntime would refuse when it is too late is refused in words before it is written.
#[test]
fn a_network_that_no_runtime_runs_is_refused_before_it_is_written() {
    let fixture = include_bytes!("fixture.onnx");
    let program: Program = "a -> b".parse().unwrap();
    let thresholds = Thresholds::uniform(2, 0.5).unwrap();
    let attempt = |added: &[u8]| {
        let bytes = [&fixture[..], added].concat();
        let network = NetworkFile::from_bytes(Path::new("theirs.onnx"), bytes, Some("w"), 2)?;
        let (kind, options) = (NetworkOutput::Logits, GraphOptions::default());
        network.with_rules(&program, &thresholds, kind, options).map(drop)
    };
    attempt(&[]).unwrap();
    let loop_node = [field(1, b"loop"), field(2, b"loop"), field(4, b"Relu")].concat();
    let stray = [field(1, b"nowhere"), field(2, b"there"), field(4, b"Relu")].concat();
    let weights = |location: &str| {
        let entry = [field(1, b"location"), field(2, location.as_bytes())].concat();
        let tensor = [field(8, b"far"), field(13, &entry), vec![14 << 3, 1]].concat();
        field(7, &field(5, &tensor))
    };
    let cases = [
        // A later value of a field counts.
        (vec![1 << 3, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40], "of the format"),
        (field(7, &field(1, &loop_node)), "`loop` depends on itself"),
        (field(7, &field(1, &stray)), "reads `nowhere`, which nothing computes"),
        (weights("../../etc/passwd"), "`../../etc/passwd`, which is not in its own folder"),
        (weights("/etc/passwd"), "not in its own folder"),
    ];
    for (added, expected) in cases {
        let error = attempt(&added).unwrap_err().to_string();
        assert!(error.contains("theirs.onnx") && error.contains(expected), "{error}");
    }
    attempt(&weights("weights.bin")).unwrap();
    // Newer operators than are known: the version of the first set, changed where it is.
    let version = fixture.windows(2).rposition(|bytes| bytes == [2 << 3, 13]);
    let mut bytes = fixture.to_vec();
    bytes[version.unwrap() + 1] = 100;
    let network = NetworkFile::from_bytes(Path::new("t.onnx"), bytes, Some("w"), 2).unwrap();
    let (kind, options) = (NetworkOutput::Logits, GraphOptions::default());
    let error = network.with_rules(&program, &thresholds, kind, options).unwrap_err();
    assert!(error.to_string().contains("version 100 of the operators"), "{error}");
    // A file beside it that is missing.
    let scene = tempfile::tempdir().unwrap();
    let path = scene.path().join("theirs.onnx");
    std::fs::write(&path, [&fixture[..], &weights("weights.bin")].concat()).unwrap();
    let error = NetworkFile::read(&path, Some("w"), 2).unwrap_err();
    assert!(error.to_string().contains("`weights.bin` beside it, which is not there"), "{error}");
    std::fs::write(scene.path().join("weights.bin"), "").unwrap();
    NetworkFile::read(&path, Some("w"), 2).unwrap();
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
