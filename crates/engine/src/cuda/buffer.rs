//! Numbers in a card's memory.

use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr, ValidAsZeroBits};

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
        Ok(Self::of(card, card.stream.alloc_zeros(count.max(1))?))
    }

    /// A copy of these numbers.
    pub fn copy(card: &Card, numbers: &[T]) -> Result<Self, CudaError> {
        if numbers.is_empty() {
            return Self::zeros(card, 0);
        }
        Ok(Self::of(card, card.stream.clone_htod(numbers)?))
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
