//! Compiled kernels that belong to this crate, as `scripts/kernels` writes them.

use super::error::CudaError;

/// A program of kernels: binaries for the usual GPUs, and PTX, which the driver compiles for others.
pub(super) struct Images {
    /// By compute capability, the latest first. One for 8.0 also runs on later devices of the same major
    /// capability; that for 9.0 uses instructions which no other device has.
    pub binaries: [((i32, i32), &'static [u8]); 2],
    /// By the least compute capability, the latest first; `scripts/kernels` knows which a program needs.
    pub ptx: &'static [((i32, i32), &'static [u8])],
}

/// The images in a folder beside the source file that says so.
macro_rules! images {
    ($folder:literal, $($ptx:literal for $least:expr),+) => {
        $crate::cuda::image::Images {
            binaries: [
                ((9, 0), include_bytes!(concat!($folder, "/sm_90a.cubin.zst"))),
                ((8, 0), include_bytes!(concat!($folder, "/sm_80.cubin.zst"))),
            ],
            ptx: &[$(($least, include_bytes!(concat!($folder, "/", $ptx, ".ptx.zst")))),+],
        }
    };
}
pub(super) use images;

impl Images {
    /// The smallest compute capability that the PTX is for.
    pub const LEAST_CAPABILITY: (i32, i32) = (7, 0);

    /// What to load on a device of this capability: a binary, or PTX with its terminating zero.
    pub fn for_capability(&self, capability: (i32, i32)) -> Result<Vec<u8>, CudaError> {
        let runs = |&&((major, minor), _): &&((i32, i32), &[u8])| {
            capability.0 == major && (capability.1 == minor || major == 8)
        };
        match self.binaries.iter().find(runs) {
            Some((_, binary)) => unpacked(binary),
            None => self.ptx_for(capability),
        }
    }

    /// The PTX for a device of this capability, with its terminating zero.
    pub fn ptx_for(&self, capability: (i32, i32)) -> Result<Vec<u8>, CudaError> {
        let compiles = |&&(least, _): &&((i32, i32), &[u8])| capability >= least;
        let too_old = CudaError::TooOld { capability, least: Self::LEAST_CAPABILITY };
        unpacked(self.ptx.iter().find(compiles).ok_or(too_old)?.1)
    }
}

fn unpacked(packed: &[u8]) -> Result<Vec<u8>, CudaError> {
    let image = zstd::decode_all(packed);
    image.map_err(|error| CudaError::Failed(format!("damaged kernels: {error}")))
}
