//! Numbers in a card's memory.

use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr, DriverError, ValidAsZeroBits};

use super::card::Card;
use super::error::CudaError;

/// Numbers on a card.
pub(super) struct Buffer<T> {
    numbers: CudaSlice<T>,
    address: u64,
}

impl<T: DeviceRepr + ValidAsZeroBits> Buffer<T> {
    /// Zeros.
    pub fn zeros(card: &Card, count: usize) -> Result<Self, CudaError> {
        // An empty buffer has no address.
        let numbers = card.stream.alloc_zeros(count.max(1));
        Ok(Self::of(card, numbers.map_err(|error| no_room::<T>(card, count, error))?))
    }

    /// A copy of these numbers.
    pub fn copy(card: &Card, numbers: &[T]) -> Result<Self, CudaError> {
        if numbers.is_empty() {
            return Self::zeros(card, 0);
        }
        let copy = card.stream.clone_htod(numbers);
        Ok(Self::of(card, copy.map_err(|error| no_room::<T>(card, numbers.len(), error))?))
    }

    fn of(card: &Card, numbers: CudaSlice<T>) -> Self {
        let address = numbers.device_ptr(&card.stream).0;
        Self { numbers, address }
    }

    /// Where it is, for kernels.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Where number `at` is.
    pub fn address_of(&self, at: usize) -> u64 {
        self.address + (at * size_of::<T>()) as u64
    }

    /// Writes numbers from place `at` on.
    pub fn write(&mut self, card: &Card, at: usize, numbers: &[T]) -> Result<(), CudaError> {
        if numbers.is_empty() {
            return Ok(());
        }
        let mut place = self.numbers.slice_mut(at..at + numbers.len());
        Ok(card.stream.memcpy_htod(numbers, &mut place)?)
    }

    /// Reads numbers from place `at` on, once all work before is done.
    pub fn read(&self, card: &Card, at: usize, numbers: &mut [T]) -> Result<(), CudaError> {
        if numbers.is_empty() {
            return Ok(());
        }
        let place = self.numbers.slice(at..at + numbers.len());
        card.stream.memcpy_dtoh(&place, numbers)?;
        Ok(card.stream.synchronize()?)
    }

    /// Copies `count` numbers from place `from` of another buffer to place `to`.
    pub fn copy_from(
        &mut self,
        card: &Card,
        other: &Self,
        from: usize,
        to: usize,
        count: usize,
    ) -> Result<(), CudaError> {
        let source = other.numbers.slice(from..from + count);
        let mut place = self.numbers.slice_mut(to..to + count);
        Ok(card.stream.memcpy_dtod(&source, &mut place)?)
    }
}

/// The error of an allocation, with the numbers if there was no room: others use the card too.
fn no_room<T>(card: &Card, count: usize, error: DriverError) -> CudaError {
    match (error.0, card.context.mem_get_info()) {
        (CUresult::CUDA_ERROR_OUT_OF_MEMORY, Ok((free, total))) => CudaError::Memory {
            what: "the next numbers".to_owned(),
            needed: (count * size_of::<T>()) as u64,
            free: free as u64,
            total: total as u64,
        },
        _ => error.into(),
    }
}
