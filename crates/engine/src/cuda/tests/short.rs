//! A little of everything, for tools that make each step slow: every kernel runs.

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
fn every_kernel() {
    let gpu = gpu();
    assert_same_for_programs(&gpu, 25);
    assert_same_for_classes(&gpu, 30_000);
    assert_same_losses(&gpu, 12);
    for method in [Method::Ccn, Method::Cm] {
        // With enough members and outputs for every way a warp can share outputs.
        for (hidden, batch) in [(&[19, 33][..], 3), (&[2100, 9], 4), (&[40, 9], 7), (&[9, 33], 70)]
        {
            assert_alike(&gpu, method, Activation::Relu, hidden, batch, 3);
        }
    }
    assert_alike(&gpu, Method::Ccn, Activation::Tanh, &[4200], 4, 2);
    assert_alike(&gpu, Method::Ccn, Activation::Relu, &[4200], 8, 2);
    for batch in [3, 7, 40] {
        assert_sparse_alike(&gpu, batch, 700, 3);
    }
    assert_alike_with_classes(&gpu, 16_000);
    // Products on tensor cores in every tile, of small layers and of large ones.
    for batch in [9, 40, 70, 110, 130] {
        assert_products(&gpu, &[13, 70, 33, 9], batch, Activation::Relu);
    }
    for (widths, batch) in [([33, 2101, 2102, 40], 4), ([33, 2101, 2102, 40], 70)] {
        assert_products(&gpu, &widths, batch, Activation::Tanh);
    }
    for widths in [[33, 2101, 2102, 40], [5, 40, 7700, 40]] {
        assert_products(&gpu, &widths, 129, Activation::Relu);
    }
    assert_same_predictions(&gpu, &[2]);
}
