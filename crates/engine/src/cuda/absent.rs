//! What stands for GPUs in a build without them: none can be opened.

use super::error::CudaError;
use super::info::GpuInfo;

/// A GPU; there is none in a build without the feature `cuda`.
#[derive(Clone, Copy, Debug)]
pub enum Gpu {}

impl Gpu {
    /// Refuses.
    ///
    /// # Errors
    /// [`CudaError::NotBuilt`].
    pub fn open(_: usize) -> Result<Self, CudaError> {
        Err(CudaError::NotBuilt)
    }

    /// What the GPU calls itself.
    pub fn name(&self) -> &str {
        match *self {}
    }
}

/// Refuses.
///
/// # Errors
/// [`CudaError::NotBuilt`].
pub fn gpus() -> Result<Vec<GpuInfo>, CudaError> {
    Err(CudaError::NotBuilt)
}
