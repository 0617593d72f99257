//! A buffer that starts on a cache line, so that the lanes of a class, which
//! are as long as one, do not lie across two.

use std::ops::{Deref, DerefMut};

const LINE: usize = 64;

#[derive(Debug)]
pub(crate) struct Aligned<T> {
    buffer: Vec<T>,
    start: usize,
}

impl<T: Copy + Default> Aligned<T> {
    pub const fn new() -> Self {
        Self { buffer: Vec::new(), start: 0 }
    }

    /// Makes the buffer this long. What is in it afterwards means nothing.
    pub fn resize(&mut self, length: usize) {
        if self.len() != length {
            self.buffer.resize(length + LINE / size_of::<T>().clamp(1, LINE), T::default());
            let start = self.buffer.as_ptr().align_offset(LINE);
            // Types that can never lie on a line start where they are.
            self.start = start.min(self.buffer.len() - length);
            self.buffer.truncate(self.start + length);
        }
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.buffer[self.start..]
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.buffer[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_starts_on_a_line() {
        let mut buffer = Aligned::<f32>::new();
        for length in [5, 4000, 16, 0, 100_000] {
            buffer.resize(length);
            assert_eq!(buffer.len(), length);
            assert!(length == 0 || buffer.as_ptr().addr().is_multiple_of(LINE));
        }
    }
}
