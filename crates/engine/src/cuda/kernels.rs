//! The kernels: CUDA C, compiled beforehand by `scripts/kernels`.

use std::ops::Deref;
use std::sync::Arc;

use cudarc::driver::sys::CUdevice_attribute;
use cudarc::driver::{CudaContext, CudaFunction, CudaModule};
use cudarc::nvrtc::Ptx;

use super::error::CudaError;
use super::gpu_rules::allow_shared;
use super::image::{Images, images};
use super::rules::{self, RuleKernels};

/// The kernels of this folder, compiled.
pub(super) const IMAGES: Images =
    images!("binaries", "compute_80" for (8, 0), "compute_70" for (7, 0));

macro_rules! kernels {
    ($(#[$doc:meta])* $set:ident: $($name:ident),* $(,)?) => {
        $(#[$doc])*
        pub(super) struct $set {
            $(pub $name: CudaFunction,)*
        }

        impl $set {
            #[cfg(test)]
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];

            fn load(module: &Arc<CudaModule>) -> Result<Self, CudaError> {
                Ok(Self { $($name: module.load_function(stringify!($name))?,)* })
            }
        }
    };
}

kernels!(
    /// The kernels of every image, by name.
    PlainKernels:
    gather_dense,
    gather_sparse,
    forward_4_1,
    forward_4_4,
    forward_4_wide,
    forward_8_1,
    forward_8_4,
    descend,
    update_4,
    update_4_below,
    update_4_lazy,
    update_8,
    update_8_below,
    update_8_lazy,
    forward_tiled,
    below_tiled,
    update_tiled,
    advance,
    level_gather,
    level_forward,
    level_cell,
    level_loss,
    level_below,
    level_cell_back,
    level_update,
    level_mix,
);

kernels!(
    /// Products on tensor cores by `mma.sync`: in images for compute capability 8.0 and later.
    TensorCoreKernels:
    forward_32x64_fp32,
    forward_32x64_tf32,
    forward_64x64_fp32,
    forward_64x64_tf32,
    below_32x64_fp32,
    below_32x64_tf32,
    below_64x64_fp32,
    below_64x64_tf32,
    update_64x64_fp32,
    update_64x64_tf32,
    update_64x64_32_fp32,
    update_64x64_32_tf32,
    update_64x64_96_fp32,
    update_64x64_96_tf32,
    update_64x64_128_fp32,
    update_64x64_128_tf32,
    update_128x32_32_fp32,
    update_128x32_32_tf32,
);

kernels!(
    /// Large products by warpgroups (`wgmma`): in the image for compute capability 9.0.
    HopperKernels:
    group_forward_128x256_tf32,
    group_forward_256x128_tf32,
    group_forward_128x128_tf32,
    group_forward_256x128_fp32,
    group_forward_128x128_fp32,
    group_below_256x128_tf32,
    group_below_128x128_tf32,
    group_below_256x128_fp32,
    group_below_128x128_fp32,
    group_update_128x256_tf32,
    group_update_128x128_tf32,
    group_update_128x128_fp32,
);

/// The kernels that a device can run.
pub(super) struct Kernels {
    plain: PlainKernels,
    pub tensor_cores: Option<TensorCoreKernels>,
    pub hopper: Option<HopperKernels>,
    /// Those of the rules, each allowed all of a block's shared memory.
    pub rules: RuleKernels<CudaFunction>,
}

/// Most static shared memory of a kernel of the rules.
const STATIC: i32 = 2048;

impl Deref for Kernels {
    type Target = PlainKernels;

    fn deref(&self) -> &PlainKernels {
        &self.plain
    }
}

impl Kernels {
    /// Loads the kernels for a device. No compiler is needed: where there is no binary, the driver
    /// compiles the PTX, once, and remembers it.
    pub fn new(context: &Arc<CudaContext>) -> Result<Self, CudaError> {
        let capability = context.compute_capability()?;
        let images = [&IMAGES, &rules::IMAGES].map(|images| images.for_capability(capability));
        Self::load(context, capability, images)
    }

    /// Loads the kernels that another device has, from PTX.
    #[cfg(test)]
    pub fn of_capability(
        context: &Arc<CudaContext>,
        capability: (i32, i32),
    ) -> Result<Self, CudaError> {
        let images = [&IMAGES, &rules::IMAGES].map(|images| images.ptx_for(capability));
        Self::load(context, capability, images)
    }

    fn load(
        context: &Arc<CudaContext>,
        capability: (i32, i32),
        [image, rules]: [Result<Vec<u8>, CudaError>; 2],
    ) -> Result<Self, CudaError> {
        let module = context.load_module(Ptx::from_binary(image?))?;
        let tensor_cores =
            (capability >= (8, 0)).then(|| TensorCoreKernels::load(&module)).transpose()?;
        let hopper = (capability == (9, 0)).then(|| HopperKernels::load(&module)).transpose()?;
        let rules_module = context.load_module(Ptx::from_binary(rules?))?;
        let shared = context
            .attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        let rules = RuleKernels::load(|name| -> Result<CudaFunction, CudaError> {
            let kernel = rules_module.load_function(name)?;
            allow_shared(&kernel, (shared - STATIC) as usize)?;
            Ok(kernel)
        })?;
        Ok(Self { plain: PlainKernels::load(&module)?, tensor_cores, hopper, rules })
    }
}
