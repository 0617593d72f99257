//! Numbers in a GPU's memory.

use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr, DriverError, ValidAsZeroBits};

use super::error::CudaError;
use super::gpu::Gpu;

/// Numbers on a GPU.
pub(super) struct Buffer<T> {
    numbers: CudaSlice<T>,
    address: u64,
}

impl<T: DeviceRepr + ValidAsZeroBits> Buffer<T> {
    /// A buffer of zeros.
    pub fn zeros(gpu: &Gpu, count: usize) -> Result<Self, CudaError> {
        // An empty buffer has no address.
        let numbers = gpu.stream.alloc_zeros(count.max(1));
        Ok(Self::new(gpu, numbers.map_err(|error| out_of_memory::<T>(gpu, count, error))?))
    }

    /// A copy of these numbers.
    pub fn copy(gpu: &Gpu, numbers: &[T]) -> Result<Self, CudaError> {
        if numbers.is_empty() {
            return Self::zeros(gpu, 0);
        }
        let copy = gpu.stream.clone_htod(numbers);
        Ok(Self::new(gpu, copy.map_err(|error| out_of_memory::<T>(gpu, numbers.len(), error))?))
    }

    fn new(gpu: &Gpu, numbers: CudaSlice<T>) -> Self {
        let address = numbers.device_ptr(&gpu.stream).0;
        Self { numbers, address }
    }

    /// Its address, for kernels.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The address of number `at`.
    pub fn address_of(&self, at: usize) -> u64 {
        self.address + (at * size_of::<T>()) as u64
    }

    /// Writes numbers from index `at` on.
    pub fn write(&mut self, gpu: &Gpu, at: usize, numbers: &[T]) -> Result<(), CudaError> {
        if numbers.is_empty() {
            return Ok(());
        }
        let mut place = self.numbers.slice_mut(at..at + numbers.len());
        Ok(gpu.stream.memcpy_htod(numbers, &mut place)?)
    }

    /// Reads numbers from index `at` on, once all earlier work is done.
    pub fn read(&self, gpu: &Gpu, at: usize, numbers: &mut [T]) -> Result<(), CudaError> {
        if numbers.is_empty() {
            return Ok(());
        }
        let place = self.numbers.slice(at..at + numbers.len());
        gpu.stream.memcpy_dtoh(&place, numbers)?;
        Ok(gpu.stream.synchronize()?)
    }

    /// Copies `count` numbers from index `from` of another buffer to index `to`.
    pub fn copy_from(
        &mut self,
        gpu: &Gpu,
        other: &Self,
        from: usize,
        to: usize,
        count: usize,
    ) -> Result<(), CudaError> {
        let source = other.numbers.slice(from..from + count);
        let mut place = self.numbers.slice_mut(to..to + count);
        Ok(gpu.stream.memcpy_dtod(&source, &mut place)?)
    }
}

/// The error of an allocation, with the sizes if memory ran out: other programs use the GPU too.
fn out_of_memory<T>(gpu: &Gpu, count: usize, error: DriverError) -> CudaError {
    match (error.0, gpu.context.mem_get_info()) {
        (CUresult::CUDA_ERROR_OUT_OF_MEMORY, Ok((free, total))) => CudaError::Memory {
            what: "the next buffers".to_owned(),
            needed: (count * size_of::<T>()) as u64,
            free: free as u64,
            total: total as u64,
        },
        _ => error.into(),
    }
}
