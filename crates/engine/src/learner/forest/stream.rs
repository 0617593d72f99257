//! The random numbers of one node.

use crate::random::Draws;

/// Numbers one after the other, from the place of a node alone.
pub(super) struct Stream {
    draws: Draws,
    node: u32,
    quad: u32,
    left: [u32; 4],
    count: usize,
}

impl Stream {
    /// The numbers of a node of a tree (whose number `draws` knows as its epoch).
    pub(super) fn new(draws: Draws, node: u32) -> Self {
        Self { draws, node, quad: 0, left: [0; 4], count: 0 }
    }

    /// The next number.
    pub(super) fn bits(&mut self) -> u32 {
        if self.count == 0 {
            self.left = self.draws.four(self.quad, self.node, 0);
            self.quad += 1;
            self.count = 4;
        }
        self.count -= 1;
        self.left[self.count]
    }

    /// A number below `count`; the bias is below 2⁻³² times `count`.
    pub(super) fn below(&mut self, count: usize) -> usize {
        ((u64::from(self.bits()) * count as u64) >> 32) as usize
    }
}
