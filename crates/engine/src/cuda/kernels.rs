//! The kernels: CUDA C, compiled for a GPU when it is opened.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaFunction, CudaModule};
use cudarc::nvrtc::{CompileError, CompileOptions, compile_ptx_with_opts};

use super::error::CudaError;

/// The sources, in the order in which they build on each other.
const SOURCES: [(&str, &str); 9] = [
    ("arithmetic.cu", include_str!("kernels/arithmetic.cu")),
    ("network.cu", include_str!("kernels/network.cu")),
    ("tiled.cu", include_str!("kernels/tiled.cu")),
    ("rules.cu", include_str!("kernels/rules.cu")),
    ("layer.cu", include_str!("kernels/layer.cu")),
    ("loss.cu", include_str!("kernels/loss.cu")),
    ("level_network.cu", include_str!("kernels/level_network.cu")),
    ("level_cell.cu", include_str!("kernels/level_cell.cu")),
    ("level_loss.cu", include_str!("kernels/level_loss.cu")),
];

/// All sources as one, with line directives so that compiler messages name the file.
pub(super) fn source() -> String {
    SOURCES.iter().map(|(name, text)| format!("#line 1 \"{name}\"\n{text}")).collect()
}

macro_rules! kernels {
    ($($name:ident),* $(,)?) => {
        /// Every kernel by its name.
        pub(super) struct Kernels {
            $(pub $name: CudaFunction,)*
        }

        impl Kernels {
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
    average,
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
    /// Compiles the kernels for a device.
    pub fn compile(context: &Arc<CudaContext>) -> Result<Self, CudaError> {
        let (major, minor) = context.compute_capability()?;
        let options = CompileOptions {
            options: vec![
                format!("--gpu-architecture=compute_{major}{minor}"),
                "--std=c++17".to_owned(),
            ],
            name: Some("rulebound.cu".to_owned()),
            ..CompileOptions::default()
        };
        let ptx = compile_ptx_with_opts(source(), options).map_err(|error| match error {
            CompileError::CompileError { log, .. } => {
                CudaError::Compile(log.to_string_lossy().trim().to_owned())
            }
            other => CudaError::Compile(other.to_string()),
        })?;
        Self::load(&context.load_module(ptx)?)
    }
}
