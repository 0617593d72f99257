//! The kernels: CUDA C, compiled beforehand by `scripts/kernels`.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaFunction, CudaModule};
use cudarc::nvrtc::Ptx;

use super::error::CudaError;
use super::image::{Images, images};

/// The kernels of this folder, compiled.
pub(super) const IMAGES: Images = images!("binaries");

macro_rules! kernels {
    ($($name:ident),* $(,)?) => {
        /// Every kernel by its name.
        pub(super) struct Kernels {
            $(pub $name: CudaFunction,)*
        }

        impl Kernels {
            #[cfg(test)]
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];

            fn load(module: &Arc<CudaModule>) -> Result<Self, CudaError> {
                Ok(Self { $($name: module.load_function(stringify!($name))?,)* })
            }
        }
    };
}

kernels!(
    forward_4_1,
    forward_4_4,
    forward_4_wide,
    forward_8_1,
    forward_8_4,
    descend,
    update_4,
    update_4_below,
    update_8,
    update_8_below,
    forward_tiled,
    below_tiled,
    update_tiled,
    advance,
    layer_inside,
    layer_outside,
    loss_inside,
    loss_outside,
    margins_of,
    level_gather,
    level_forward,
    level_cell,
    level_loss,
    level_below,
    level_cell_back,
    level_update,
    level_mix,
);

impl Kernels {
    /// Loads the kernels for a device. No compiler is needed: where there is no binary, the driver
    /// compiles the PTX, once, and remembers it.
    pub fn new(context: &Arc<CudaContext>) -> Result<Self, CudaError> {
        let image = IMAGES.for_capability(context.compute_capability()?)?;
        Self::load(&context.load_module(Ptx::from_binary(image))?)
    }
}
