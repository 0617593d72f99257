//! Compiled kernels that belong to this crate, as `scripts/kernels` writes them.

use std::io::Read;

use flate2::read::GzDecoder;

use super::error::CudaError;

/// A program of kernels: binaries for the usual GPUs, and PTX, which the driver compiles for others.
pub(super) struct Images {
    /// By compute capability, the latest first. A binary also runs on later devices of the same
    /// major capability.
    pub binaries: [((i32, i32), &'static [u8]); 4],
    pub ptx: &'static [u8],
}

/// The images in a folder beside the source file that says so.
macro_rules! images {
    ($folder:literal) => {
        $crate::cuda::image::Images {
            binaries: [
                ((9, 0), include_bytes!(concat!($folder, "/sm_90.cubin.gz"))),
                ((8, 9), include_bytes!(concat!($folder, "/sm_89.cubin.gz"))),
                ((8, 6), include_bytes!(concat!($folder, "/sm_86.cubin.gz"))),
                ((8, 0), include_bytes!(concat!($folder, "/sm_80.cubin.gz"))),
            ],
            ptx: include_bytes!(concat!($folder, "/compute_70.ptx.gz")),
        }
    };
}
pub(super) use images;

impl Images {
    /// The smallest compute capability that the PTX is for.
    pub const LEAST_CAPABILITY: (i32, i32) = (7, 0);

    /// What to load on a device of this capability: a binary, or PTX with its terminating zero.
    pub fn for_capability(&self, capability: (i32, i32)) -> Result<Vec<u8>, CudaError> {
        if capability < Self::LEAST_CAPABILITY {
            return Err(CudaError::TooOld { capability, least: Self::LEAST_CAPABILITY });
        }
        let runs = |&&((major, minor), _): &&((i32, i32), &[u8])| {
            capability.0 == major && capability.1 >= minor
        };
        let packed = self.binaries.iter().find(runs).map_or(self.ptx, |(_, binary)| binary);
        let mut image = Vec::new();
        let read = GzDecoder::new(packed).read_to_end(&mut image);
        read.map_err(|error| CudaError::Failed(format!("damaged kernels: {error}")))?;
        Ok(image)
    }
}
