//! Sixteen numbers side by side: the unit in which weights are stored and processed.
//!
//! Where numbers are only combined with those in the same lane, vectors of any width give the same
//! bits. Sums along a row are taken in eight lanes on every machine, with or without vector
//! instructions for it.

use pulp::{Scalar256b, Simd, f32x8};

/// Sixteen numbers, aligned to a cache line.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Block(pub [f32; 16]);

impl Block {
    pub const LANES: usize = 16;
    pub const ZERO: Self = Self([0.0; 16]);
}

/// How many blocks hold `count` numbers.
pub(super) const fn blocks(count: usize) -> usize {
    count.div_ceil(Block::LANES)
}

/// Zeros, on huge pages if the system has them: a step goes over all weights, and with small pages
/// it spends much of its time on address translation.
pub(super) fn zeros(count: usize) -> Vec<Block> {
    let mut blocks = Vec::with_capacity(count);
    advise_large_pages(&mut blocks);
    blocks.resize(count, Block::ZERO);
    blocks
}

#[cfg(target_os = "linux")]
fn advise_large_pages(blocks: &mut Vec<Block>) {
    const LARGE: usize = 2 << 20;
    let start = blocks.as_mut_ptr() as usize;
    let end = start + blocks.capacity() * size_of::<Block>();
    let (first, last) = (start.next_multiple_of(LARGE), end / LARGE * LARGE);
    if first < last {
        // SAFETY: the range lies inside memory that the vector owns, and the advice changes none
        // of its contents. If the system ignores it nothing is lost.
        #[allow(unsafe_code)]
        unsafe {
            libc::madvise(first as *mut libc::c_void, last - first, libc::MADV_HUGEPAGE);
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_large_pages(_: &mut Vec<Block>) {}

/// Prefetches the block at an index, which may lie past the end: with a dozen rows at a time, the
/// CPU does not predict blocks that are needed soon but are not next in memory.
#[inline(always)]
pub(super) fn prefetch(blocks: &[Block], at: usize) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    // SAFETY: a prefetch reads nothing that can be seen; any address will do.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(blocks.as_ptr().wrapping_add(at).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (blocks, at);
}

/// As [`prefetch`], for the number at an index.
#[inline(always)]
pub(super) fn prefetch_numbers(numbers: &[f32], at: usize) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    // SAFETY: as in `prefetch`.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(numbers.as_ptr().wrapping_add(at).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (numbers, at);
}

/// Blocks as a slice of numbers.
pub(super) fn numbers(blocks: &[Block]) -> &[f32] {
    // SAFETY: `Block` is `repr(C)` over sixteen f32, and its size is its alignment: no padding.
    #[allow(unsafe_code)]
    unsafe {
        std::slice::from_raw_parts(blocks.as_ptr().cast(), blocks.len() * Block::LANES)
    }
}

/// Blocks as a slice of numbers.
pub(super) fn numbers_mut(blocks: &mut [Block]) -> &mut [f32] {
    // SAFETY: as in `numbers`, and every f32 makes a valid block.
    #[allow(unsafe_code)]
    unsafe {
        std::slice::from_raw_parts_mut(blocks.as_mut_ptr().cast(), blocks.len() * Block::LANES)
    }
}

/// Lanes in which sums along a row are taken: a number is added to the lane of its column.
pub(super) const LANES_OF_SUMS: usize = 8;

/// The sum of eight lanes, always in the same order.
#[inline(always)]
pub(super) fn sum(eight: f32x8) -> f32 {
    let f32x8(a, b, c, d, e, f, g, h) = eight;
    sum_of_lanes([a, b, c, d, e, f, g, h])
}

/// As [`sum`].
#[inline(always)]
pub(super) fn sum_of_lanes([a, b, c, d, e, f, g, h]: [f32; LANES_OF_SUMS]) -> f32 {
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// Work that needs vectors of eight.
pub(super) trait InEights {
    fn run<S: Simd<f32s = f32x8>>(self, simd: S);
}

/// Runs the work with the best available vector instructions.
pub(super) fn in_eights(work: impl InEights) {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        struct Vectorized<W>(pulp::x86::V3, W);
        impl<W: InEights> pulp::NullaryFnOnce for Vectorized<W> {
            type Output = ();

            #[inline(always)]
            fn call(self) {
                self.1.run(self.0);
            }
        }
        return simd.vectorize(Vectorized(simd, work));
    }
    work.run(Scalar256b);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_their_numbers() {
        let mut blocks = vec![Block::ZERO; 3];
        for (index, number) in numbers_mut(&mut blocks).iter_mut().enumerate() {
            *number = index as f32;
        }
        assert_eq!(numbers(&blocks).len(), 3 * Block::LANES);
        assert_eq!(blocks[2].0[15], 47.0);
        assert!(numbers(&[]).is_empty() && numbers_mut(&mut []).is_empty());
    }

    #[test]
    fn a_prefetch_changes_nothing_wherever_it_points() {
        let blocks = [Block([1.0; 16])];
        for at in [0, 1, 1000, usize::MAX / size_of::<Block>()] {
            prefetch(&blocks, at);
        }
        assert_eq!(blocks, [Block([1.0; 16])]);
    }

    /// Several large pages, so that the system is asked for some.
    #[test]
    #[cfg_attr(miri, ignore = "Miri has no madvise")]
    fn large_zeros_are_zeros() {
        let count = (9 << 20) / size_of::<Block>();
        let blocks = zeros(count);
        assert_eq!(blocks.len(), count);
        assert!(numbers(&blocks).iter().all(|number| number.to_bits() == 0));
    }
}
