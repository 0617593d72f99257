//! A little of everything, for tools that make each step slow: together these tests run every kernel, and each is short
//! enough to be looked at alone.

use super::gpu;
use super::layer::{assert_same_for_classes, assert_same_for_programs};
use super::loss::assert_same_losses;
use super::products::assert_products;
use super::runs::assert_same_predictions;
use super::sparse::assert_sparse_alike;
use super::steps::{assert_alike, assert_alike_with_classes};
use crate::network::Activation;
use crate::train::Method;

#[test]
#[ignore = "needs a GPU"]
fn rules() {
    let gpu = gpu();
    assert_same_for_programs(&gpu, 25);
    assert_same_for_classes(&gpu, 30_000);
}

#[test]
#[ignore = "needs a GPU"]
fn losses() {
    assert_same_losses(&gpu(), 12);
}

#[test]
#[ignore = "needs a GPU"]
fn steps() {
    let gpu = gpu();
    for method in [Method::Ccn, Method::Cm] {
        // With enough members and outputs for every way a warp can share outputs.
        for (hidden, batch) in [(&[19, 33][..], 3), (&[2100, 9], 4), (&[40, 9], 7), (&[9, 33], 70)]
        {
            assert_alike(&gpu, method, Activation::Relu, hidden, batch, 3);
        }
    }
    assert_alike(&gpu, Method::Ccn, Activation::Tanh, &[4200], 4, 2);
    assert_alike(&gpu, Method::Ccn, Activation::Relu, &[4200], 8, 2);
}

#[test]
#[ignore = "needs a GPU"]
fn steps_with_many_classes() {
    assert_alike_with_classes(&gpu(), 16_000);
}

#[test]
#[ignore = "needs a GPU"]
fn sparse_rows() {
    let gpu = gpu();
    for batch in [3, 7, 40] {
        assert_sparse_alike(&gpu, batch, 700, 3);
    }
}

/// Products on tensor cores, in every tile of small layers.
#[test]
#[ignore = "needs a GPU"]
fn products_of_small_layers() {
    let gpu = gpu();
    for batch in [9, 40, 70, 110, 130] {
        assert_products(&gpu, &[13, 70, 33, 9], batch, Activation::Relu);
    }
}

#[test]
#[ignore = "needs a GPU"]
fn products_of_large_layers() {
    let gpu = gpu();
    for batch in [4, 70] {
        assert_products(&gpu, &[33, 2101, 2102, 40], batch, Activation::Tanh);
    }
}

#[test]
#[ignore = "needs a GPU"]
fn products_of_large_layers_and_large_batches() {
    let gpu = gpu();
    for widths in [[33, 2101, 2102, 40], [5, 40, 7700, 40]] {
        assert_products(&gpu, &widths, 129, Activation::Relu);
    }
}

#[test]
#[ignore = "needs a GPU"]
fn predictions() {
    assert_same_predictions(&gpu(), &[2]);
}
