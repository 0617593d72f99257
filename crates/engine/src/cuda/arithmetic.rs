//! Which arithmetic the steps of a run have on a GPU, and its name in checkpoints.
//!
//! Sums are taken in another order in each, so a run does not change from one to the other. A change that
//! changes bits needs another name. What decides are shape, batch size, precision and the kind of GPU,
//! never the number of members or of multiprocessors.

use super::gpu::Gpu;
use crate::network::{Precision, Shape};

/// The most rows of a step that is made for few rows.
pub(super) const FEW_ROWS: usize = 8;

/// Weights from which a layer is large: passing over them takes longer than anything else, and the
/// update on tensor cores is faster for few rows, too.
pub(super) const LARGE_LAYER: usize = 1 << 22;

/// The arithmetic of a training step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arithmetic {
    /// That of the kernels that there were first, which use no tensor cores: for few rows, and for older GPUs.
    Plain,
    /// That of products on tensor cores.
    TensorCores {
        /// The precision of the products.
        precision: Precision,
        /// Whether they are those of Hopper (`wgmma`), which later GPUs do not have.
        is_hopper: bool,
    },
}

impl Arithmetic {
    /// That of steps of at most `rows` rows on a GPU of this compute capability.
    pub fn new(capability: (i32, i32), shape: &Shape, rows: usize, precision: Precision) -> Self {
        let size = |(inputs, outputs): (usize, usize)| inputs.saturating_mul(outputs);
        let largest = shape.layers().map(size).max().unwrap_or(0);
        if capability < (8, 0) || rows <= FEW_ROWS && largest < LARGE_LAYER {
            return Self::Plain;
        }
        Self::TensorCores { precision, is_hopper: capability == (9, 0) }
    }

    /// What a checkpoint calls it; none for the arithmetic that left no name.
    pub fn name(self) -> Option<String> {
        match self {
            Self::Plain => None,
            Self::TensorCores { precision, is_hopper } => {
                let family = if is_hopper { ", wgmma" } else { "" };
                Some(format!("tensor cores, {precision}{family}"))
            }
        }
    }
}

impl Gpu {
    /// What a checkpoint calls the arithmetic of steps of at most `rows` rows on this GPU.
    pub(crate) fn arithmetic(
        &self,
        shape: &Shape,
        rows: usize,
        precision: Precision,
    ) -> Option<String> {
        Arithmetic::new(self.capability, shape, rows, precision).name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(units: usize) -> Shape {
        Shape { inputs: 77, hidden: vec![units, units], outputs: 500 }
    }

    fn name(capability: (i32, i32), units: usize, rows: usize, precision: Precision) -> String {
        let arithmetic = Arithmetic::new(capability, &shape(units), rows, precision);
        arithmetic.name().unwrap_or_default()
    }

    #[test]
    fn few_rows_and_older_gpus_keep_the_arithmetic_without_a_name() {
        for precision in Precision::ALL {
            assert_eq!(name((9, 0), 500, FEW_ROWS, precision), "");
            assert_eq!(name((9, 0), 2047, 4, precision), "");
            assert_eq!(name((7, 5), 9000, 2048, precision), "");
        }
    }

    #[test]
    fn tensor_cores_are_named_with_their_precision_and_family() {
        let (fp32, tf32) = (Precision::Fp32, Precision::Tf32);
        assert_eq!(name((8, 0), 500, 9, fp32), "tensor cores, fp32");
        assert_eq!(name((8, 9), 500, 512, tf32), "tensor cores, tf32");
        assert_eq!(name((9, 0), 500, 32, fp32), "tensor cores, fp32, wgmma");
        assert_eq!(name((9, 0), 9000, 4, tf32), "tensor cores, tf32, wgmma");
        assert_eq!(name((9, 0), 2048, 1, fp32), "tensor cores, fp32, wgmma");
        // Blackwell has other instructions in the place of wgmma.
        assert_eq!(name((10, 0), 500, 32, fp32), "tensor cores, fp32");
        assert_eq!(name((12, 0), 500, 32, tf32), "tensor cores, tf32");
    }

    #[test]
    fn the_largest_layer_decides_also_where_it_is_the_first_or_the_last() {
        for (inputs, hidden, outputs) in [(50_000, vec![512], 4), (4, vec![1024], 4096)] {
            let shape = Shape { inputs, hidden, outputs };
            let arithmetic = Arithmetic::new((8, 6), &shape, 4, Precision::Fp32);
            assert_eq!(arithmetic.name().as_deref(), Some("tensor cores, fp32"));
        }
        let linear = Shape { inputs: 4, hidden: Vec::new(), outputs: 4 };
        assert_eq!(Arithmetic::new((8, 6), &linear, 8, Precision::Fp32), Arithmetic::Plain);
    }
}
