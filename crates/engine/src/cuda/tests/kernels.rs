//! The compiled kernels are those of the sources. No GPU is needed for that.

use sha2::{Digest, Sha256};

use crate::cuda::CudaError;
use crate::cuda::image::Images;
use crate::cuda::{kernels, rules};

/// The sources, in the order in which they build on each other.
const SOURCES: [(&str, &str); 15] = [
    ("arithmetic", include_str!("../kernels/arithmetic.cu")),
    ("softplus", include_str!("../kernels/softplus.cu")),
    ("tf32", include_str!("../kernels/tf32.cu")),
    ("gather", include_str!("../kernels/gather.cu")),
    ("network", include_str!("../kernels/network.cu")),
    ("tiled", include_str!("../kernels/tiled.cu")),
    ("tensor_cores", include_str!("../kernels/tensor_cores.cu")),
    ("division", include_str!("../kernels/division.cu")),
    ("products", include_str!("../kernels/products.cu")),
    ("updates", include_str!("../kernels/updates.cu")),
    ("warpgroups", include_str!("../kernels/warpgroups.cu")),
    ("hopper", include_str!("../kernels/hopper.cu")),
    ("level_network", include_str!("../kernels/level_network.cu")),
    ("level_cell", include_str!("../kernels/level_cell.cu")),
    ("level_loss", include_str!("../kernels/level_loss.cu")),
];

/// The sources of the rules.
const RULE_SOURCES: [(&str, &str); 10] = [
    ("../../kernels/softplus", include_str!("../kernels/softplus.cu")),
    ("numbers", include_str!("../rules/kernels/numbers.cu")),
    ("../../kernels/tf32", include_str!("../kernels/tf32.cu")),
    ("rules", include_str!("../rules/kernels/rules.cu")),
    ("lines", include_str!("../rules/kernels/lines.cu")),
    ("layer", include_str!("../rules/kernels/layer.cu")),
    ("labels", include_str!("../rules/kernels/labels.cu")),
    ("loss", include_str!("../rules/kernels/loss.cu")),
    ("select", include_str!("../rules/kernels/select.cu")),
    ("scatter", include_str!("../rules/kernels/scatter.cu")),
];

/// What `scripts/kernels` writes to `sources.sha256`.
fn hash(sources: &[(&str, &str)]) -> String {
    let line = |&(name, text): &(&str, &str)| format!("#line 1 \"{name}.cu\"\n{text}");
    let all: String = sources.iter().map(line).collect();
    Sha256::digest(all.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_binaries_are_those_of_the_sources() {
    let written = include_str!("../binaries/sources.sha256").trim();
    assert_eq!(written, hash(&SOURCES), "run scripts/kernels");
    let written = include_str!("../rules/binaries/sources.sha256").trim();
    assert_eq!(written, hash(&RULE_SOURCES), "run scripts/kernels");
}

#[test]
fn every_capability_has_an_image() {
    check(&kernels::IMAGES, 80);
    check(&rules::IMAGES, 70);
}

/// What has no binary gets PTX, that from 8.0 on for `target`.
fn check(images: &Images, target: u32) {
    for capability in [(8, 0), (8, 6), (8, 7), (8, 9), (9, 0)] {
        let image = images.for_capability(capability).unwrap();
        assert!(image.starts_with(b"\x7fELF"), "{capability:?}");
    }
    for (capability, target) in [((7, 0), 70), ((7, 5), 70), ((10, 0), target), ((12, 0), target)] {
        let image = images.for_capability(capability).unwrap();
        let text = std::str::from_utf8(&image).unwrap();
        let target = format!(".target sm_{target}");
        assert!(text.contains(&target) && text.ends_with('\0'), "{capability:?}");
    }
    assert!(matches!(images.for_capability((6, 1)), Err(CudaError::TooOld { .. })));
}

/// Every kernel that is asked for by name is in every image that has such kernels.
#[test]
fn every_kernel_is_in_every_image() {
    for capability in [(7, 0), (8, 0), (8, 6), (8, 9), (9, 0), (10, 0)] {
        let image = kernels::IMAGES.for_capability(capability).unwrap();
        let mut names = kernels::PlainKernels::NAMES.to_vec();
        if capability >= (8, 0) {
            names.extend(kernels::TensorCoreKernels::NAMES);
        }
        if capability == (9, 0) {
            names.extend(kernels::HopperKernels::NAMES);
        }
        let of_rules = rules::IMAGES.for_capability(capability).unwrap();
        let rules = rules::RuleKernels::<()>::NAMES.iter().map(|name| (*name, &of_rules));
        for (name, image) in names.into_iter().map(|name| (name, &image)).chain(rules) {
            let found = image.windows(name.len()).any(|window| window == name.as_bytes());
            assert!(found, "{name} for {capability:?}");
        }
    }
}
