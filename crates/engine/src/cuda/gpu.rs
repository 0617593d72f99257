//! GPUs: which ones this machine has, and an open one.

use std::fmt;
use std::sync::Arc;

use cudarc::driver::sys::CUdevice_attribute;
use cudarc::driver::{CudaContext, CudaStream, result};

use super::error::CudaError;
use super::image::Images;
use super::info::GpuInfo;
use super::kernels::Kernels;
use super::rules;

/// A GPU with our kernels loaded, and one stream of work.
pub struct Gpu {
    pub(super) context: Arc<CudaContext>,
    pub(super) stream: Arc<CudaStream>,
    pub(super) kernels: Kernels,
    pub(super) limits: Limits,
    /// The compute capability.
    pub(super) capability: (i32, i32),
    name: String,
}

/// Limits on a block of threads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Bytes of shared memory.
    pub shared: usize,
    /// Bytes of shared memory of a multiprocessor.
    pub processor: usize,
    /// Blocks that run concurrently if each is large.
    pub processors: usize,
}

impl Limits {
    /// What launches of the rules are planned with.
    pub fn of_plans(self) -> rules::Limits {
        let Self { shared: block, processor, processors } = self;
        rules::Limits { processors, block, processor }
    }
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gpu").field("name", &self.name).finish_non_exhaustive()
    }
}

/// All GPUs of this machine, including unusable ones.
///
/// # Errors
/// If there is no driver, or it does not start.
pub fn gpus() -> Result<Vec<GpuInfo>, CudaError> {
    let version = start()?;
    let count = result::device::get_count()? as usize;
    (0..count).map(|index| info(index, &version)).collect()
}

/// Starts the driver; returns the newest CUDA version that it supports.
pub(super) fn start() -> Result<String, CudaError> {
    // SAFETY: loads a library, which runs its initialisers.
    #[allow(unsafe_code)]
    let is_there = unsafe { cudarc::driver::sys::is_culib_present() };
    if !is_there {
        return Err(CudaError::NoDriver);
    }
    let failed = |error| CudaError::DriverFails(CudaError::from(error).to_string());
    result::init().map_err(failed)?;
    let mut version = 0;
    // SAFETY: the driver writes one number to the given address.
    #[allow(unsafe_code)]
    let told = unsafe { cudarc::driver::sys::cuDriverGetVersion(&raw mut version) };
    told.result().map_err(failed)?;
    Ok(format!("{}.{}", version / 1000, version % 1000 / 10))
}

fn info(index: usize, version: &str) -> Result<GpuInfo, CudaError> {
    let device = result::device::get(index as i32)?;
    let attribute = |which| {
        // SAFETY: the device was just returned by the driver.
        #[allow(unsafe_code)]
        unsafe {
            result::device::get_attribute(device, which)
        }
    };
    let major = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    // SAFETY: as above.
    #[allow(unsafe_code)]
    let memory = unsafe { result::device::total_mem(device)? };
    let mut info = GpuInfo {
        index,
        name: result::device::get_name(device)?,
        capability: format!("{major}.{minor}"),
        memory: memory as u64,
        free: None,
        driver: version.to_owned(),
        problem: None,
    };
    if (major, minor) < Images::LEAST_CAPABILITY {
        let (major, minor) = Images::LEAST_CAPABILITY;
        info.problem = Some(format!("its compute capability is below {major}.{minor}"));
    } else {
        match CudaContext::new(index).and_then(|context| context.mem_get_info()) {
            Ok((free, _)) => info.free = Some(free as u64),
            Err(error) => info.problem = Some(CudaError::from(error).to_string()),
        }
    }
    Ok(info)
}

impl Gpu {
    /// Opens a GPU and loads the kernels that are compiled for it.
    ///
    /// # Errors
    /// If there is no such GPU or no driver, or the GPU is too old; see [`CudaError`].
    pub fn open(index: usize) -> Result<Self, CudaError> {
        start()?;
        let count = result::device::get_count()? as usize;
        if index >= count {
            return Err(CudaError::NoDevice { index, count });
        }
        let context = CudaContext::new(index)?;
        // SAFETY: everything on this GPU goes through one stream, in order.
        #[allow(unsafe_code)]
        unsafe {
            context.disable_event_tracking();
        }
        let attribute = |which| context.attribute(which).map(|value| value as usize);
        let limits = Limits {
            shared: attribute(
                CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
            )?,
            processor: attribute(
                CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
            )?,
            processors: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        };
        let (kernels, capability) = (Kernels::new(&context)?, context.compute_capability()?);
        let (stream, name) = (context.new_stream()?, context.name()?);
        Ok(Self { context, stream, kernels, limits, capability, name })
    }

    /// Computes as a GPU of another compute capability would, with the kernels that it has.
    #[cfg(test)]
    pub fn as_of(self, capability: (i32, i32)) -> Result<Self, CudaError> {
        let kernels = Kernels::of_capability(&self.context, capability)?;
        let shared = match capability {
            (7, 5) => 65_536,
            (7, _) => 98_304,
            (8, 0 | 7) => 166_912,
            (8, _) | (12, _) => 101_376,
            _ => self.limits.shared,
        };
        let shared = shared.min(self.limits.shared);
        let limits = Limits { shared, processor: shared + 1024, ..self.limits };
        Ok(Self { kernels, capability, limits, ..self })
    }

    /// The name of the GPU.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Waits until all work is done.
    ///
    /// # Errors
    /// If some of it failed.
    pub fn wait(&self) -> Result<(), CudaError> {
        Ok(self.stream.synchronize()?)
    }

    /// Fails if this much memory is not free.
    pub(super) fn expect_room(&self, what: String, needed: u64) -> Result<(), CudaError> {
        let (free, total) = self.context.mem_get_info()?;
        let (free, total) = (free as u64, total as u64);
        if needed > free {
            return Err(CudaError::Memory { what, needed, free, total });
        }
        Ok(())
    }
}
