//! The model's file: whole, or a clear error.

use rulebound::dataset::Builtin;
use rulebound::model::{Model, ModelError};
use rulebound::train::{Configuration, Method, Monitor};
use rulebound_core::Thresholds;

use super::scene::{bytes, early, problem, quick, run};

fn model() -> Model {
    let configuration =
        Configuration { members: 2, stopping: early(Monitor::Loss, true), ..quick(Method::Ccn) };
    let model = run(&problem(Builtin::ThreeClasses), &configuration).unwrap();
    model.with_thresholds(Thresholds::new(vec![0.5, 0.3, 0.1 + 0.2]).unwrap())
}

fn load(bytes: &[u8]) -> Result<Model, ModelError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.rulebound");
    std::fs::write(&path, bytes).unwrap();
    Model::load(&path)
}

#[test]
fn what_is_saved_is_loaded() {
    let model = model();
    let written = bytes(&model);
    let loaded = load(&written).unwrap();
    assert_eq!(loaded.members(), model.members());
    assert_eq!(loaded.program().rules(), model.program().rules());
    assert!(loaded.labels().names().eq(model.labels().names()));
    assert_eq!(loaded.thresholds(), model.thresholds());
    assert_eq!(loaded.pipeline(), model.pipeline());
    assert_eq!(loaded.configuration(), model.configuration());
    assert_eq!(loaded.training(), model.training());
    assert_eq!(bytes(&loaded), written);
}

#[test]
fn it_is_a_safetensors_file() {
    let written = bytes(&model());
    let tensors = safetensors::SafeTensors::deserialize(&written).unwrap();
    assert_eq!(tensors.tensor("member.1.layer.0.weight").unwrap().shape(), [12, 2]);
    let (_, metadata) = safetensors::SafeTensors::read_metadata(&written).unwrap();
    let texts = metadata.metadata().clone().unwrap();
    assert_eq!(texts["format"], "rulebound model 1");
    assert!(texts["rules"].contains("A, not A1 -> A2"));
}

#[test]
fn no_byte_changes_unnoticed() {
    let written = bytes(&model());
    for at in 0..written.len() {
        for flip in [1, 0x20, 0x80] {
            // The beginning of the header, and samples of the rest.
            if at > 3000 && at % 97 != 0 || at > 600 && at % 7 != 0 {
                continue;
            }
            let mut damaged = written.clone();
            damaged[at] ^= flip;
            assert!(load(&damaged).is_err(), "byte {at} changed by {flip}");
        }
    }
}

#[test]
fn a_file_that_is_cut_off_says_so() {
    let written = bytes(&model());
    for length in (0..written.len()).step_by(41).chain([written.len() - 1]) {
        let error = load(&written[..length]).unwrap_err();
        match error {
            ModelError::CutOff { expected, found, .. } => {
                assert!(found == length as u64 && expected > found);
            }
            ModelError::OtherKind { .. } => assert!(length < 40, "at {length}"),
            other => panic!("at {length}: {other}"),
        }
    }
    let mut longer = written.clone();
    longer.push(0);
    assert!(matches!(load(&longer), Err(ModelError::Damaged { .. })));
}

/// Changes the file's header and sets its checksum right again.
fn forged(from: &str, to: &str) -> Vec<u8> {
    use sha2::Digest;
    assert_eq!(from.len(), to.len());
    let mut bytes = bytes(&model());
    let at = bytes.windows(from.len()).position(|part| part == from.as_bytes()).unwrap();
    bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    let digits = 8 + "{\"__metadata__\":{\"checksum\":\"".len();
    bytes[digits..digits + 64].fill(b'0');
    let sum: String = sha2::Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
    bytes[digits..digits + 64].copy_from_slice(sum.as_bytes());
    bytes
}

#[test]
fn parts_that_do_not_fit_are_told() {
    load(&forged("A1", "A1")).unwrap();
    let newer = load(&forged("rulebound model 1", "rulebound model 2")).unwrap_err();
    assert!(newer.to_string().contains("reads formats up to 1"), "{newer}");
    let kind = load(&forged("rulebound model 1", "rulebound mobel 1")).unwrap_err();
    assert!(matches!(kind, ModelError::OtherKind { .. }));
    // A label list that does not fit the rules, or has a label too few.
    for (from, to) in
        [("\\\"A\\\",\\\"A1", "\\\"B\\\",\\\"A1"), ("\\\"A\\\",\\\"A1\\\"", "\\\"A_____A1\\\"")]
    {
        let error = load(&forged(from, to)).unwrap_err();
        assert!(matches!(error, ModelError::Inconsistent { .. }), "{error}");
    }
    let shape = load(&forged("\\\"hidden\\\":[12,9]", "\\\"hidden\\\":[11,9]")).unwrap_err();
    assert!(shape.to_string().contains("shape"), "{shape}");
}

#[test]
fn other_files_are_no_models() {
    assert!(matches!(load(b""), Err(ModelError::OtherKind { .. })));
    assert!(matches!(load(b"stomach -> abdomen\n"), Err(ModelError::OtherKind { .. })));
    #[cfg(target_os = "linux")]
    assert!(matches!(Model::load("/dev/zero".as_ref()), Err(ModelError::OtherKind { .. })));
    let missing = Model::load(std::path::Path::new("no/such.rulebound"));
    assert!(matches!(missing, Err(ModelError::Read { .. })));
}
