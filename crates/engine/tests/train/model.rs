//! The model file: what is saved can be loaded.

use std::path::Path;

use rulebound::dataset::{
    Builtin, Column, DatasetBuilder, LabelColumns, SourceMemory, Split, SplitRecipe,
};
use rulebound::model::Model;
use rulebound::train::{Configuration, Method, Monitor, Stopping};
use rulebound_core::{LabelId, Labels, RuleText, Thresholds};

use super::forge::Parts;
use super::scene::{bytes, early, load, problem, quick, run};

pub fn model() -> Model {
    let configuration =
        Configuration { members: 2, stopping: early(Monitor::Loss, true), ..quick(Method::Ccn) };
    let model = run(&problem(Builtin::ThreeClasses), &configuration).unwrap();
    model.with_thresholds(Thresholds::new(vec![0.5, 0.3, 0.1 + 0.2]).unwrap())
}

fn assert_same(one: &Model, other: &Model) {
    assert_eq!(one.members(), other.members());
    assert_eq!(one.program().rules(), other.program().rules());
    assert!(one.labels().names().eq(other.labels().names()));
    assert_eq!(one.thresholds(), other.thresholds());
    assert_eq!(one.evaluated(), other.evaluated());
    assert!(one.pipeline() == other.pipeline());
    assert_eq!(one.configuration(), other.configuration());
    assert_eq!(one.training(), other.training());
}

#[test]
fn what_is_saved_is_loaded() {
    let model = model();
    let written = bytes(&model);
    let loaded = load(&written).unwrap();
    assert_same(&loaded, &model);
    assert_eq!(bytes(&loaded), written);
}

#[test]
fn a_model_in_memory_has_the_bytes_of_its_file() {
    let model = model();
    let written = bytes(&model);
    assert_eq!(model.to_bytes().unwrap(), written);
    let read = Model::from_bytes(&written).unwrap();
    assert_same(&read, &model);
    for length in [0, 7, 100, written.len() - 1] {
        let error = Model::from_bytes(&written[..length]).unwrap_err().to_string();
        assert!(error.contains("a model in memory"), "{error}");
    }
    let mut damaged = written.clone();
    damaged[written.len() / 2] ^= 1;
    Model::from_bytes(&damaged).unwrap_err();
    Model::from_bytes(&[&written[..], b"x"].concat()).unwrap_err();
}

#[test]
fn the_memory_of_a_source_is_optional() {
    let model = model();
    let without = bytes(&model);
    let memory = SourceMemory {
        checksum: Some("a1".into()),
        labels: Some(LabelColumns::Prefix("GO:".into())),
        split: SplitRecipe { test_share: Some(0.1 + 0.2), ..SplitRecipe::default() },
        ..SourceMemory::default()
    };
    let with = bytes(&model.with_source(memory.clone()));
    assert_eq!(load(&with).unwrap().source(), Some(&memory));
    assert_eq!(load(&without).unwrap().source(), None);
    // Readers that do not know the section may ignore it.
    let text = String::from_utf8_lossy(&with);
    assert!(text.contains(r#"{\"name\":\"source\",\"version\":1,\"required\":false}"#));
    assert!(!String::from_utf8_lossy(&without).contains("source"));
}

#[test]
fn it_is_a_safetensors_file() {
    let written = bytes(&model());
    let tensors = safetensors::SafeTensors::deserialize(&written).unwrap();
    assert_eq!(tensors.tensor("member.1.layer.0.weight").unwrap().shape(), [12, 2]);
    let thresholds = tensors.tensor("section.thresholds").unwrap();
    assert_eq!(thresholds.dtype(), safetensors::Dtype::F64);
    assert_eq!(thresholds.data()[16..], (0.1f64 + 0.2).to_le_bytes());
    assert_eq!(tensors.tensor("section.evaluated").unwrap().data(), [1, 1, 1]);
    let rules = tensors.tensor("section.rules").unwrap();
    assert!(std::str::from_utf8(rules.data()).unwrap().contains("A, not A1 -> A2"));
    let (_, metadata) = safetensors::SafeTensors::read_metadata(&written).unwrap();
    let texts = metadata.metadata().clone().unwrap();
    assert_eq!(texts["format"], "rulebound model 2");
    assert_eq!(texts["length"].parse(), Ok(written.len()));
    let sections: Vec<serde_json::Value> = serde_json::from_str(&texts["sections"]).unwrap();
    let members = serde_json::json!({ "name": "members", "version": 1, "required": true });
    assert!(sections.len() == 10 && sections.contains(&members), "{sections:?}");
}

#[test]
fn every_tensor_is_aligned() {
    let written = bytes(&model());
    let (header, metadata) = safetensors::SafeTensors::read_metadata(&written).unwrap();
    for (name, info) in metadata.tensors() {
        let at = 8 + header + info.data_offsets.0;
        assert_eq!(at % (info.dtype.bitsize() / 8), 0, "{name}");
    }
}

/// The fixtures were written long ago; what they predict is tested with the command line.
#[test]
fn models_saved_before_are_loaded_and_written_the_same() {
    // The last has no epochs and no loss.
    let saved = [("rectangles", 2, 2), ("animals", 3, 4), ("rectangles-br", 0, 2)];
    for (name, members, columns) in saved {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/saved");
        let path = folder.join(format!("{name}.model"));
        let file = std::fs::read(&path).unwrap();
        let model = Model::load(&path).unwrap();
        assert_eq!(model.members().len(), members);
        assert_eq!(model.pipeline().columns().len(), columns);
        assert!(bytes(&model) == file, "{name}");
        for damaged in [&file[..file.len() - 1], &[&file[..], &[0]].concat()] {
            assert!(load(damaged).is_err());
        }
    }
}

/// Two places say how many members there are. Memory is not taken for what only one of them says.
#[test]
fn a_number_of_members_is_not_believed() {
    for count in [u64::MAX, 1 << 40, 1] {
        let mut parts = Parts::new(&bytes(&model()));
        parts.replace("configuration", "\"members\":2", &format!("\"members\":{count}"));
        let error = load(&parts.file()).unwrap_err().to_string();
        assert!(error.contains("member"), "{error}");
    }
}

/// Formats before there were sections are of versions that nobody has.
#[test]
fn a_file_without_sections_is_refused() {
    let parts = Parts::new(&bytes(&model()));
    let header = parts.header().replacen("\"sections\":", "\"others\":", 1);
    let error = load(&parts.file_with(&header)).unwrap_err().to_string();
    assert!(error.contains("sections"), "{error}");
}

/// More than a header can hold.
#[test]
fn what_is_larger_than_any_header_is_saved_and_loaded() {
    // 100 MB of rules, and as much preprocessing.
    let names: Vec<String> = (0..40).map(|at| format!("{at}{}", "x".repeat(1_300_000))).collect();
    let rules: Vec<String> = names.windows(2).map(|two| two.join(" -> ")).collect();
    let labels = Labels::new(names.clone()).unwrap();
    let program = RuleText::new(&rules.join("\n")).labels(labels).parse().unwrap().program;
    let columns = (0..900_000).map(|at| Column::numeric(format!("feature {at}"))).collect();
    let mut builder = DatasetBuilder::new("wide", columns, vec![], names.len()).unwrap();
    builder.begin(Split::Train).unwrap();
    for (row, step) in [0.7, 0.9].into_iter().enumerate() {
        let cells: Vec<f32> = (0..900_000).map(|at| (at as f32 * step).sin()).collect();
        let at = builder.push(&cells, &[]).unwrap();
        assert_eq!(at, row);
        builder.labels_mut().insert(at, LabelId::new(39));
    }
    let data = builder.finish(program).unwrap();
    let configuration =
        Configuration { hidden: vec![1], stopping: Stopping::Epochs(1), ..quick(Method::Ccn) };
    let model = run(&data, &configuration).unwrap();
    let written = bytes(&model);
    assert!(written.len() > 250_000_000, "{}", written.len());
    assert_same(&load(&written).unwrap(), &model);
}
