//! Files that are damaged, truncated, of another kind, newer, or inconsistent: a clear error.

use std::path::Path;

use rulebound::dataset::Builtin;
use rulebound::model::{Model, ModelError};
use rulebound::train::{Configuration, Method, Stopping};

use super::forge::{Part, Parts, sealed};
use super::model::model;
use super::scene::{bytes, load, problem, quick, run};

/// The bytes of a small model.
fn small() -> Vec<u8> {
    let configuration =
        Configuration { hidden: vec![1], stopping: Stopping::Epochs(1), ..quick(Method::Ccn) };
    bytes(&run(&problem(Builtin::Rectangles), &configuration).unwrap())
}

/// Nothing in a file is trusted before its checksum is verified, so no flip can look like a file of
/// another version or like an inconsistent one.
#[test]
fn no_byte_changes_unnoticed() {
    let mut damaged = small();
    for at in 0..damaged.len() {
        for flip in [1, 0x20, 0x80] {
            damaged[at] ^= flip;
            match load(&damaged).unwrap_err() {
                ModelError::Damaged { .. } => {}
                ModelError::OtherKind { .. } => assert!(at < 37, "{at}"),
                ModelError::HeaderTooLarge { .. } => assert!((3..8).contains(&at), "{at}"),
                ModelError::CutOff { .. } | ModelError::TooLong { .. } => {
                    assert!((101..133).contains(&at), "{at}");
                }
                other => panic!("byte {at} changed by {flip}: {other}"),
            }
            damaged[at] ^= flip;
        }
    }
    load(&damaged).unwrap();
}

#[test]
fn a_file_that_is_cut_off_says_so() {
    let written = small();
    for length in 0..written.len() {
        match load(&written[..length]).unwrap_err() {
            ModelError::CutOff { expected, found, .. } => {
                assert!(found == length as u64 && expected > found);
                assert!(length < 133 || expected == written.len() as u64, "{length}: {expected}");
            }
            ModelError::OtherKind { .. } => assert!(length < 37, "at {length}"),
            other => panic!("at {length}: {other}"),
        }
    }
    let written = bytes(&model());
    let (header, metadata) = safetensors::SafeTensors::read_metadata(&written).unwrap();
    for info in metadata.tensors().values() {
        let end = 8 + header + info.data_offsets.1;
        for length in [end - 1, end, end + 1].into_iter().filter(|end| *end < written.len()) {
            let error = load(&written[..length]).unwrap_err();
            assert!(matches!(error, ModelError::CutOff { .. }), "at {length}: {error}");
        }
    }
    let error = load(&[&written[..], b"\n"].concat()).unwrap_err();
    assert!(error.to_string().contains("longer than"), "{error}");
}

/// The message about inconsistent parts with a correct checksum.
fn wrong(parts: &Parts) -> String {
    load(&parts.file()).unwrap_err().to_string()
}

#[test]
fn sections_of_newer_versions_are_named() {
    let parts = Parts::new(&small());
    load(&parts.file()).unwrap();
    let listed = |section: &str| Parts {
        sections: parts.sections.replacen('[', &format!("[{section},"), 1),
        ..Parts::new(&small())
    };
    let required = listed(r#"{"name":"trees","version":1,"required":true}"#);
    match load(&required.file()).unwrap_err() {
        ModelError::Newer { section, version: 1, .. } => assert_eq!(section.unwrap(), "trees"),
        other => panic!("{other}"),
    }
    let message = wrong(&required);
    let expected = "was written by a newer version of rulebound (section `trees`, version 1)";
    assert!(message.ends_with(expected), "{message}");

    let mut optional = listed(r#"{"name":"remarks","version":7,"required":false}"#);
    let (name, dtype, bytes) = ("section.remarks".to_owned(), "U8".to_owned(), b"hello".to_vec());
    optional.tensors.push(Part { name, dtype, shape: vec![5], bytes });
    let loaded = load(&optional.file()).unwrap();
    assert!(super::scene::bytes(&loaded) == small());

    for (from, to, expected) in [
        (r#""rules","version":1"#, r#""rules","version":2"#, "(section `rules`, version 2)"),
        (r#""preprocessing.0"#, r#""preprocessing.1"#, "(section `preprocessing.1`, version 1)"),
        (r#""required":true"#, r#""required":0"#, "its list of sections cannot be read"),
        ("[{", "{", "its list of sections cannot be read"),
    ] {
        let sections = parts.sections.replacen(from, to, 1);
        assert_ne!(sections, parts.sections);
        let message = wrong(&Parts { sections, ..Parts::new(&small()) });
        assert!(message.contains(expected), "{message}");
    }
    let twice = listed(r#"{"name":"rules","version":1,"required":true}"#);
    assert!(wrong(&twice).contains("`rules` is duplicated"));

    let newer = Parts { format: "rulebound model 3".to_owned(), ..Parts::new(&small()) };
    assert!(wrong(&newer).ends_with("newer version of rulebound (format 3)"));
    let other = Parts { format: "rulebound checkpoint 2".to_owned(), ..Parts::new(&small()) };
    assert!(wrong(&other).ends_with("is not a rulebound model"));
}

#[test]
fn members_of_other_kinds_are_newer() {
    let with = |section: &str, entry: &str| {
        let mut parts = Parts::new(&small());
        parts.sections = parts.sections.replacen('[', &format!("[{section},"), 1);
        parts.replace("members", r#"{"kind":"network","preprocessing":0}"#, entry);
        wrong(&parts)
    };
    let trees = r#"{"name":"trees","version":4,"required":false}"#;
    let notes = r#"{"name":"notes","version":1,"required":false}"#;
    let second = r#"{"name":"preprocessing.1","version":1,"required":false}"#;
    for (section, entry, expected) in [
        (trees, r#"{"kind":"trees","preprocessing":0}"#, "(section `trees`, version 4)"),
        (notes, r#"{"kind":"trees","preprocessing":0}"#, "it has no `trees`"),
        (
            second,
            r#"{"kind":"network","preprocessing":1}"#,
            "(section `preprocessing.1`, version 1)",
        ),
        (notes, r#"{"kind":"network","preprocessing":1}"#, "it has no `preprocessing.1`"),
        (notes, r#"{"kind":"network"}"#, "its `members` cannot be read"),
        (
            notes,
            r#"{"kind":"network","preprocessing":0},{"kind":"network","preprocessing":0}"#,
            "2 entries for 1 members",
        ),
    ] {
        let message = with(section, entry);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn sections_that_are_missing_or_of_another_type_are_named() {
    let names = ["labels", "rules", "thresholds", "evaluated", "preprocessing.0"];
    let names = names.into_iter().chain(["configuration", "training", "members", "network"]);
    for name in names {
        let mut parts = Parts::new(&small());
        let listed: Vec<serde_json::Value> = serde_json::from_str(&parts.sections).unwrap();
        let rest: Vec<_> = listed.into_iter().filter(|listed| listed["name"] != name).collect();
        assert_eq!(rest.len(), 9);
        parts.sections = serde_json::to_string(&rest).unwrap();
        assert!(wrong(&parts).ends_with(&format!("it has no `{name}`")), "{name}");

        if name == "network" {
            continue;
        }
        let mut parts = Parts::new(&small());
        parts.tensors.retain(|part| part.name != format!("section.{name}"));
        assert!(wrong(&parts).ends_with(&format!("it has no `section.{name}`")), "{name}");

        let mut parts = Parts::new(&small());
        let part = parts.tensor(&format!("section.{name}"));
        part.dtype = if part.dtype == "F64" { "I64" } else { "I8" }.to_owned();
        assert!(wrong(&parts).contains("has type I"), "{name}");
    }
}

#[test]
fn parts_that_do_not_fit_are_reported() {
    let edited = |section: &str, from: &str, to: &str| {
        let mut parts = Parts::new(&small());
        parts.replace(section, from, to);
        wrong(&parts)
    };
    for (section, from, to, expected) in [
        ("labels", r#""A1""#, r#""B""#, "its rules"),
        ("labels", r#""A1","#, "", "its rules"),
        ("labels", r#""A1""#, r#""A""#, "its labels are invalid"),
        ("labels", "]", "", "its `labels` cannot be read"),
        ("rules", "A1", "A2", "its rules"),
        ("configuration", r#""hidden":[1]"#, r#""hidden":[2]"#, "shape [1, 2], not [2, 2]"),
        (
            "configuration",
            r#""members":1"#,
            r#""members":2"#,
            "it does not record the training of each member",
        ),
        (
            "configuration",
            r#""batch":50"#,
            r#""batch":0"#,
            "its configuration: the batch size is 0",
        ),
        (
            "preprocessing.0",
            r#""mean":"#,
            r#""mean":1e999,"was":"#,
            "`preprocessing.0` cannot be read",
        ),
    ] {
        let message = edited(section, from, to);
        assert!(message.contains(expected), "{section}: {message}");
    }
    let mut parts = Parts::new(&small());
    parts.tensor("section.rules").bytes[0] = 0xff;
    assert!(wrong(&parts).contains("its `rules` cannot be read: invalid utf-8"));
    let mut parts = Parts::new(&small());
    parts.tensor("section.evaluated").bytes[0] = 2;
    assert!(wrong(&parts).contains("has values other than 0 and 1"));
    for (name, size) in [("thresholds", 8), ("evaluated", 1)] {
        let mut parts = Parts::new(&small());
        let part = parts.tensor(&format!("section.{name}"));
        part.bytes.truncate(size);
        part.shape = vec![1];
        assert!(wrong(&parts).contains(&format!("`{name}` has 1 entries for 2 labels")));
    }
    let mut parts = Parts::new(&small());
    parts.tensor("section.thresholds").bytes[..8].copy_from_slice(&2f64.to_le_bytes());
    assert!(matches!(load(&parts.file()), Err(ModelError::Inconsistent { .. })));
    let mut parts = Parts::new(&small());
    parts.tensors.retain(|part| part.name != "member.0.layer.1.bias");
    assert!(wrong(&parts).contains("it has no `member.0.layer.1.bias`"));
}

/// Headers that we never write, with correct length and checksum.
#[test]
fn crafted_headers_are_refused() {
    let parts = Parts::new(&small());
    let header = parts.header();
    let refused = |header: &str| {
        let error = load(&parts.file_with(header)).unwrap_err();
        assert!(matches!(error, ModelError::Inconsistent { .. }), "{error}");
        error.to_string()
    };
    let bias = r#""member.0.layer.0.bias":{"dtype":"F32","shape":[1],"data_offsets":[24,28]}"#;
    assert!(header.contains(bias), "{header}");
    for (to, expected) in [
        // Overlapping the tensor before, and leaving a gap.
        (
            r#""member.0.layer.0.bias":{"dtype":"F32","shape":[1],"data_offsets":[20,24]}"#,
            "its tensors are inconsistent",
        ),
        (
            r#""member.0.layer.0.bias":{"dtype":"F32","shape":[2],"data_offsets":[20,28]}"#,
            "its tensors are inconsistent",
        ),
        (
            r#""member.0.layer.0.bias":{"dtype":"F32","shape":[0],"data_offsets":[24,24]}"#,
            "its tensors are inconsistent",
        ),
        (
            r#""member.0.layer.0.bias":{"dtype":"F32","shape":[1],"data_offsets":[28,24]}"#,
            "its tensors are inconsistent",
        ),
        // Larger than any memory, and larger than any integer.
        (
            r#""member.0.layer.0.bias":{"dtype":"F32","shape":[4611686018427387904],"data_offsets":[24,28]}"#,
            "its tensors are inconsistent",
        ),
        (
            r#""member.0.layer.0.bias":{"dtype":"F32","shape":[4294967296,4294967296,1],"data_offsets":[24,28]}"#,
            "its tensors are inconsistent",
        ),
        (
            r#""member.0.layer.0.bias":{"dtype":"F32","shape":[99999999999999999999],"data_offsets":[24,28]}"#,
            "cannot be read",
        ),
        (
            r#""member.0.layer.0.bias":{"dtype":"F32","shape":[-1],"data_offsets":[24,28]}"#,
            "cannot be read",
        ),
        (
            r#""member.0.layer.0.bias":{"dtype":"F33","shape":[1],"data_offsets":[24,28]}"#,
            "cannot be read",
        ),
        (r#""member.0.layer.0.bias":{"dtype":"F32","shape":[1]}"#, "cannot be read"),
        (r#""member.0.layer.0.bias":[1,1,1,1,1,1,1,1]"#, "cannot be read"),
        (
            r#""member.0.layer.0.bias":{"dtype":"I32","shape":[1],"data_offsets":[24,28]}"#,
            "has type I32, not F32",
        ),
        (
            r#""member.0.layer.0.bias":{"dtype":"F32","shape":[1,1],"data_offsets":[24,28]}"#,
            "shape [1, 1], not [1]",
        ),
        (
            r#""member.0.layer.7.bias":{"dtype":"F32","shape":[1],"data_offsets":[24,28]}"#,
            "it has no `member.0.layer.0.bias`",
        ),
    ] {
        let message = refused(&header.replacen(bias, to, 1));
        assert!(message.contains(expected), "{to}: {message}");
    }
    let twice = refused(&header.replacen(bias, &format!("{bias},{bias}"), 1));
    assert!(twice.contains("duplicate name `member.0.layer.0.bias`"), "{twice}");
    let twice = header.replacen("\"format\"", "\"format\":\"rulebound model 9\",\"format\"", 1);
    assert!(refused(&twice).contains("duplicate name `format`"));
    let twice =
        format!("{},\"__metadata__\":{{}}}}", header.trim_end_matches('}').to_owned() + "}");
    assert!(refused(&twice).contains("duplicate field `__metadata__`"));
    assert!(refused(&format!("{header} x")).contains("its header cannot be read"));
    let more = sealed(&header, &[&parts.file()[..], b"more"].concat());
    assert!(load(&more).unwrap_err().to_string().contains("follow its header"));
}

/// JSON that would expand to much more than its file is not parsed before the checksum is verified,
/// and a header that is too long is not read.
#[test]
fn a_header_of_many_numbers_is_refused_unread() {
    let begin = Parts::new(&small()).header();
    let (head, _) = begin.split_once(",\"format\"").unwrap();
    let header = |size: usize| format!("{head},\"format\":[{}1]}}}}", "1,".repeat(size / 2));
    let long = load(&sealed(&header(101_000_000), b"")).unwrap_err();
    assert!(matches!(long, ModelError::HeaderTooLarge { most: 100_000_000, .. }), "{long}");
    let mut file = sealed(&header(20_000_000), b"");
    let error = load(&file).unwrap_err();
    assert!(error.to_string().contains("its header cannot be read: invalid type"), "{error}");
    file[1_000_000] ^= 1;
    assert!(matches!(load(&file), Err(ModelError::Damaged { .. })));
}

#[test]
fn other_files_are_no_models() {
    assert!(matches!(load(b""), Err(ModelError::OtherKind { .. })));
    assert!(matches!(load(b"stomach -> abdomen\n"), Err(ModelError::OtherKind { .. })));
    #[cfg(target_os = "linux")]
    assert!(matches!(Model::load("/dev/zero"), Err(ModelError::OtherKind { .. })));
    let missing = Model::load(Path::new("no/such.rulebound"));
    assert!(matches!(missing, Err(ModelError::Read { .. })));
}

#[test]
fn a_compressed_model_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.gz");
    let error = model().save(&path).unwrap_err();
    assert!(matches!(error, rulebound_io::output::OutputError::Write { .. }), "{error}");
    assert!(!path.exists());
}
