//! Stands in for GPUs in a build without GPU support: none can be opened.

use super::error::CudaError;
use super::info::GpuInfo;
use crate::network::{Precision, Shape};

/// A GPU; never exists in a build without the feature `cuda`.
#[derive(Clone, Copy, Debug)]
pub enum Gpu {}

impl Gpu {
    /// Always fails.
    ///
    /// # Errors
    /// [`CudaError::NotBuilt`].
    pub fn open(_: usize) -> Result<Self, CudaError> {
        Err(CudaError::NotBuilt)
    }

    /// The name of the arithmetic of its steps.
    pub(crate) fn arithmetic(&self, _: &Shape, _: usize, _: Precision) -> Option<String> {
        match *self {}
    }

    /// The name of the GPU.
    pub fn name(&self) -> &str {
        match *self {}
    }
}

/// Always fails.
///
/// # Errors
/// [`CudaError::NotBuilt`].
pub fn gpus() -> Result<Vec<GpuInfo>, CudaError> {
    Err(CudaError::NotBuilt)
}
