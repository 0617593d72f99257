//! Where training and prediction run: on the CPU or on a GPU.

use std::fmt;
use std::str::FromStr;

use crate::cuda::{CudaError, Gpu};

/// The requested device; written `auto`, `cpu`, `cuda` or `cuda:1`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DeviceChoice {
    /// The first usable GPU, otherwise the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The GPU of this number.
    Cuda(usize),
}

/// A device that is ready.
#[derive(Debug)]
pub enum Device {
    /// The CPU.
    Cpu,
    /// A GPU.
    Cuda(Box<Gpu>),
}

impl DeviceChoice {
    /// Opens the device. With [`DeviceChoice::Auto`] and no usable GPU it is the CPU, and the
    /// reason is returned with it.
    ///
    /// # Errors
    /// If a GPU was requested that cannot be used.
    pub fn open(self) -> Result<(Device, Option<CudaError>), CudaError> {
        match self {
            Self::Cpu => Ok((Device::Cpu, None)),
            Self::Cuda(index) => Ok((Device::Cuda(Box::new(Gpu::open(index)?)), None)),
            Self::Auto => match Gpu::open(0) {
                Ok(gpu) => Ok((Device::Cuda(Box::new(gpu)), None)),
                Err(reason) => Ok((Device::Cpu, Some(reason))),
            },
        }
    }
}

impl Device {
    /// The kind of device: `cpu` or `cuda`. All CPUs give the same bits; so do GPUs whose steps have the
    /// same arithmetic.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda(_) => "cuda",
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(gpu) => write!(f, "cuda ({})", gpu.name()),
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(index) => write!(f, "cuda:{index}"),
        }
    }
}

/// A device that does not exist.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not a valid device; choose from `auto`, `cpu`, `cuda` and `cuda:N`")]
pub struct UnknownDevice(pub String);

impl FromStr for DeviceChoice {
    type Err = UnknownDevice;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name.split_once(':') {
            None if name == "auto" => Ok(Self::Auto),
            None if name == "cpu" => Ok(Self::Cpu),
            None if name == "cuda" => Ok(Self::Cuda(0)),
            Some(("cuda", index)) if index.bytes().all(|b| b.is_ascii_digit()) => {
                index.parse().map(Self::Cuda).map_err(|_| UnknownDevice(name.to_owned()))
            }
            _ => Err(UnknownDevice(name.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for name in ["auto", "cpu", "cuda:0", "cuda:12"] {
            assert_eq!(name.parse::<DeviceChoice>().unwrap().to_string(), name);
        }
        assert_eq!("cuda".parse(), Ok(DeviceChoice::Cuda(0)));
        for name in ["", "gpu", "cuda:", "cuda:-1", "cuda:x", "cpu:0", "cuda:+1"] {
            assert_eq!(name.parse::<DeviceChoice>(), Err(UnknownDevice(name.to_owned())));
        }
    }

    #[test]
    fn the_processor_is_always_ready() {
        assert_eq!(DeviceChoice::Cpu.open().unwrap().0.kind(), "cpu");
        let (device, reason) = DeviceChoice::Auto.open().unwrap();
        assert_eq!(device.kind() == "cpu", reason.is_some());
    }
}
