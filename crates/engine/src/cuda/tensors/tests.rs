//! The binaries, and the words of rules. The kernels themselves are compared with the CPU by
//! `crates/python/tests/cuda_check.py` and, without a GPU, by `crates/python/tests/torch/test_kernels.py`.
#![allow(clippy::unwrap_used)]

use sha2::{Digest, Sha256};

use super::{TensorRules, binary};
use crate::cuda::CudaError;

const SOURCES: [(&str, &str); 6] = [
    ("numbers", include_str!("kernels/numbers.cu")),
    ("rules", include_str!("kernels/rules.cu")),
    ("brief", include_str!("kernels/brief.cu")),
    ("layer", include_str!("kernels/layer.cu")),
    ("scatter", include_str!("kernels/scatter.cu")),
    ("select", include_str!("kernels/select.cu")),
];

#[test]
fn the_binaries_are_those_of_the_sources() {
    let source: String =
        SOURCES.iter().map(|(name, text)| format!("#line 1 \"{name}.cu\"\n{text}")).collect();
    let hash: String =
        Sha256::digest(source.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(include_str!("binaries/sources.sha256").trim(), hash, "run scripts/kernels");
}

#[test]
fn every_capability_has_an_image() {
    for capability in [(8, 0), (8, 6), (8, 7), (8, 9), (9, 0)] {
        let image = binary::image(capability).unwrap();
        assert!(image.starts_with(b"\x7fELF"), "{capability:?}");
    }
    for capability in [(7, 0), (7, 5), (10, 0), (12, 0)] {
        let image = binary::image(capability).unwrap();
        let text = std::str::from_utf8(&image).unwrap();
        assert!(text.contains(".target sm_70") && text.ends_with('\0'), "{capability:?}");
    }
    assert!(matches!(binary::image((6, 1)), Err(CudaError::TooOld { .. })));
}

#[test]
fn words_are_aligned_and_have_no_bodies_where_each_is_one_literal() {
    let hierarchy = TensorRules::new(&"a -> b\nb -> c".parse().unwrap());
    // Two levels, two heads, two literals and their padding, three strata and their padding, two briefs.
    assert_eq!(hierarchy.words().len(), 8 + 8 + 4 + 4 + 8);
    // b (class 1) has one rule, the first, with the literal a; c has the second, with b.
    assert_eq!(hierarchy.words()[24..], [1 | 1 << 16, 0, 0, 0, 2 | 1 << 16, 1, 2, 0]);
    let rules = TensorRules::new(&"a, b -> c".parse().unwrap());
    assert_eq!(rules.words().len(), 4 + 4 + 4 + 3);
    assert_eq!(rules.classes(), 3);
}
