//! What is known of a GPU without opening it.

use serde::Serialize;

/// What is known of a GPU.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GpuInfo {
    /// Its number, from 0.
    pub index: usize,
    /// What it calls itself.
    pub name: String,
    /// Its compute capability, as `9.0`.
    pub capability: String,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes of memory that are free; unknown where it cannot be used.
    pub free: Option<u64>,
    /// The newest CUDA version that the driver knows, as `13.0`.
    pub driver: String,
    /// Why it cannot be used, if it cannot.
    pub problem: Option<String>,
}
