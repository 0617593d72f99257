//! Information about a GPU, available without opening it.

use serde::Serialize;

/// Information about a GPU.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GpuInfo {
    /// Its number, from 0.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Its compute capability, as `9.0`.
    pub capability: String,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes of free memory; unknown if it cannot be used.
    pub free: Option<u64>,
    /// The newest CUDA version that the driver supports, as `13.0`.
    pub driver: String,
    /// Why it cannot be used, if it cannot.
    pub problem: Option<String>,
}
