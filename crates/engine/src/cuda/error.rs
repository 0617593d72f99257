//! Errors of GPUs.

/// Why a GPU cannot be used, or failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// Built without support for GPUs.
    #[error("this build of rulebound has no GPU support (feature `cuda`)")]
    NotBuilt,
    /// No driver on this machine.
    #[error("no NVIDIA driver found (libcuda)")]
    NoDriver,
    /// The driver does not start.
    #[error("the NVIDIA driver does not start: {0}")]
    DriverFails(String),
    /// No such device.
    #[error("there is no CUDA device {index}; {}", devices(*.count))]
    NoDevice { index: usize, count: usize },
    /// The device is older than what the kernels are written for.
    #[error(
        "this GPU has the compute capability {}.{}; the kernels need at least {}.{}",
        .capability.0, .capability.1, .least.0, .least.1
    )]
    TooOld { capability: (i32, i32), least: (i32, i32) },
    /// There is too little memory on the GPU.
    #[error(
        "{what} need {} of GPU memory, but only {} of {} are free",
        gigabytes(*.needed),
        gigabytes(*.free),
        gigabytes(*.total)
    )]
    Memory {
        /// What the memory is needed for.
        what: String,
        needed: u64,
        free: u64,
        /// Bytes of memory of the GPU.
        total: u64,
    },
    /// NaN reached the layer.
    #[error("a value is not a number")]
    NotANumber,
    /// An operation of the driver failed.
    #[error("the GPU failed: {0}")]
    Failed(String),
}

#[cfg(feature = "cuda")]
impl From<cudarc::driver::DriverError> for CudaError {
    fn from(error: cudarc::driver::DriverError) -> Self {
        let name = error.error_name().ok().map(|name| name.to_string_lossy().into_owned());
        let text = error.error_string().ok().map(|text| text.to_string_lossy().into_owned());
        Self::Failed(match (name, text) {
            (Some(name), Some(text)) => format!("{text} ({name})"),
            _ => format!("{:?}", error.0),
        })
    }
}

fn devices(count: usize) -> String {
    match count {
        0 => "there is none".to_owned(),
        1 => "the only device is 0".to_owned(),
        _ => format!("the devices are 0 to {}", count - 1),
    }
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.2} GB", bytes as f64 / 1e9)
}
