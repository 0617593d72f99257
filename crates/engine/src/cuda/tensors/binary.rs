//! The compiled kernels that belong to this crate.

use std::io::Read;

use flate2::read::GzDecoder;

use crate::cuda::CudaError;

/// Binaries by compute capability, as `scripts/kernels` writes them. A binary also runs on later
/// devices of the same major capability.
const BINARIES: [((i32, i32), &[u8]); 4] = [
    ((9, 0), include_bytes!("binaries/sm_90.cubin.gz")),
    ((8, 9), include_bytes!("binaries/sm_89.cubin.gz")),
    ((8, 6), include_bytes!("binaries/sm_86.cubin.gz")),
    ((8, 0), include_bytes!("binaries/sm_80.cubin.gz")),
];

/// PTX, which the driver compiles for devices without a binary.
const PTX: &[u8] = include_bytes!("binaries/compute_70.ptx.gz");

/// The smallest capability that the PTX is for.
const LEAST: (i32, i32) = (7, 0);

/// The image to load on a device of this capability.
pub(super) fn image(capability: (i32, i32)) -> Result<Vec<u8>, CudaError> {
    if capability < LEAST {
        return Err(CudaError::TooOld { capability, least: LEAST });
    }
    let runs = |&&((major, minor), _): &&((i32, i32), &[u8])| {
        capability.0 == major && capability.1 >= minor
    };
    let packed = BINARIES.iter().find(runs).map_or(PTX, |(_, binary)| binary);
    let mut image = Vec::new();
    let read = GzDecoder::new(packed).read_to_end(&mut image);
    read.map_err(|error| CudaError::Failed(format!("damaged kernels: {error}")))?;
    Ok(image)
}
