//! What can go wrong with a GPU.

/// Why a GPU cannot be used, or stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// Built without support for GPUs.
    #[error("this build of rulebound has no GPU support (feature `cuda`)")]
    NotBuilt,
    /// No driver on this machine.
    #[error("no NVIDIA driver found (libcuda)")]
    NoDriver,
    /// A driver that does not start.
    #[error("the NVIDIA driver does not start: {0}")]
    DriverFails(String),
    /// No such device.
    #[error("there is no CUDA device {index}; {}", devices(*.count))]
    NoDevice {
        /// The device that was asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// No compiler for kernels.
    #[error(
        "libnvrtc, the library that compiles the kernels for the GPU, was not found; it comes with the CUDA \
         toolkit, and its folder must be on LD_LIBRARY_PATH"
    )]
    NoCompiler,
    /// The kernels do not compile for this device.
    #[error("the kernels do not compile for this device: {0}")]
    Compile(String),
    /// Too little memory on the GPU.
    #[error(
        "{what} need {} on the GPU, of which {} of {} are free",
        gigabytes(*.needed),
        gigabytes(*.free),
        gigabytes(*.total)
    )]
    Memory {
        /// What it is needed for.
        what: String,
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that are free.
        free: u64,
        /// Bytes that the GPU has.
        total: u64,
    },
    /// A number that is none reached the layer.
    #[error("a value that is not a number")]
    NotANumber,
    /// The driver refused something.
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
        1 => "there is only device 0".to_owned(),
        _ => format!("there are 0 to {}", count - 1),
    }
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.2} GB", bytes as f64 / 1e9)
}
