//! A GPU whose context and memory belong to somebody else in this process.

use std::ffi::{CString, c_void};
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::CudaContext;
use cudarc::driver::result::{self, ctx, function, module};
use cudarc::driver::sys::{CUcontext, CUdevice_attribute, CUfunction, CUfunction_attribute};

use crate::cuda::CudaError;
use crate::cuda::rules::{IMAGES, Limits, RuleKernels};

/// A GPU with the kernels for tensors loaded into its primary context, which is the one that every
/// library in a process shares.
///
/// Opened once per process and device. No state but the kernels: streams and memory come with each call.
pub struct TensorGpu {
    context: Arc<CudaContext>,
    pub(super) kernels: RuleKernels<CUfunction>,
    pub(super) limits: Limits,
}

/// The kernels of an image, in the current context, each allowed all of a block's shared memory.
fn load(image: &[u8], shared: i32) -> Result<RuleKernels<CUfunction>, CudaError> {
    // SAFETY: the image is a whole binary, or PTX with its terminating zero.
    #[allow(unsafe_code)]
    let module = unsafe { module::load_data(image.as_ptr().cast::<c_void>())? };
    RuleKernels::load(|name| {
        let name = CString::new(name).map_err(|_| CudaError::NoDriver)?;
        // SAFETY: the module was just loaded, and is never unloaded.
        #[allow(unsafe_code)]
        unsafe {
            let kernel = module::get_function(module, name)?;
            let fixed = function::get_function_attribute(
                kernel,
                CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
            )?;
            function::set_function_attribute(
                kernel,
                CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                shared - fixed,
            )?;
            Ok(kernel)
        }
    })
}

// SAFETY: functions of the driver may be used from every thread.
#[allow(unsafe_code)]
unsafe impl Send for TensorGpu {}
// SAFETY: as above; nothing changes after loading.
#[allow(unsafe_code)]
unsafe impl Sync for TensorGpu {}

/// The GPUs that are open, by index.
static OPEN: Mutex<Vec<Option<Arc<TensorGpu>>>> = Mutex::new(Vec::new());

impl TensorGpu {
    /// The GPU with this index, opened at the first call.
    ///
    /// # Errors
    /// If there is no such GPU, no driver, or the GPU is too old for the kernels.
    pub fn open(index: usize) -> Result<Arc<Self>, CudaError> {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Some(gpu)) = open.get(index) {
            return Ok(Arc::clone(gpu));
        }
        crate::cuda::gpu::start()?;
        let count = result::device::get_count()? as usize;
        if index >= count {
            return Err(CudaError::NoDevice { index, count });
        }
        let before = ctx::get_current()?;
        let gpu = Self::load(index);
        restore(before)?;
        let gpu = Arc::new(gpu?);
        if open.len() <= index {
            open.resize(index + 1, None);
        }
        open[index] = Some(Arc::clone(&gpu));
        Ok(gpu)
    }

    fn load(index: usize) -> Result<Self, CudaError> {
        let context = CudaContext::new(index)?;
        let attribute = |which| context.attribute(which).map(|value| value as usize);
        let limits = Limits {
            processors: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            block: attribute(
                CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
            )?,
            processor: attribute(
                CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
            )?,
        };
        context.bind_to_thread()?;
        let image = IMAGES.for_capability(context.compute_capability()?)?;
        let kernels = load(&image, limits.block as i32)?;
        Ok(Self { context, kernels, limits })
    }

    /// Does something with this GPU's context as the current one, and restores the one before.
    pub(super) fn within<T>(
        &self,
        act: impl FnOnce() -> Result<T, CudaError>,
    ) -> Result<T, CudaError> {
        let before = ctx::get_current()?;
        if before == Some(self.context.cu_ctx()) {
            return act();
        }
        self.context.bind_to_thread()?;
        let result = act();
        restore(before)?;
        result
    }
}

fn restore(context: Option<CUcontext>) -> Result<(), CudaError> {
    // SAFETY: it was the current context of this thread a moment ago, or none was.
    #[allow(unsafe_code)]
    unsafe {
        Ok(ctx::set_current(context.unwrap_or(std::ptr::null_mut()))?)
    }
}

impl std::fmt::Debug for TensorGpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TensorGpu").field("limits", &self.limits).finish_non_exhaustive()
    }
}
