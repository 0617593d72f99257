//! Counter-based random numbers: Philox 4×32 with ten rounds.
//!
//! A number is computed from its seed and position alone, never from how many were drawn before it.
//! So CPU and GPU draw the same numbers in any order, a run can resume from any step, and the
//! number of threads does not change a bit.

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;

/// What numbers are drawn for; no two purposes share any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// The points of a built-in problem.
    Points,
    /// Which rows are held out for validation.
    Holdout,
    /// The initial weights of a layer, by its number.
    Weights(u8),
    /// The order of the rows in an epoch.
    Shuffle,
    /// The units dropped after a hidden layer, by its number.
    Dropout(u8),
    /// The points of a random search.
    Search,
    /// Rows drawn with replacement, for confidence intervals.
    Bootstrap,
    /// How a column is shuffled to measure its importance.
    Importance,
    /// Which rows are in which split or fold.
    Split,
    /// The order of the classes in a chain, by its number as an epoch.
    ChainOrder,
    /// Which classes are in which label set.
    Labelsets,
    /// Rows drawn with replacement for a tree.
    Bagging,
    /// The inputs and thresholds that a node of a tree tries.
    TreeSplits,
    /// The directions onto which label sets are projected.
    Sketch,
}

impl Purpose {
    /// Its code in the counter.
    pub const fn code(self) -> u32 {
        match self {
            Self::Points => 0,
            Self::Holdout => 1,
            Self::Shuffle => 2,
            Self::Search => 3,
            Self::Bootstrap => 16,
            Self::Importance => 17,
            Self::Split => 4,
            Self::ChainOrder => 24,
            Self::Labelsets => 25,
            Self::Bagging => 18,
            Self::TreeSplits => 19,
            Self::Sketch => 20,
            Self::Weights(layer) => 1 << 8 | layer as u32,
            Self::Dropout(layer) => 2 << 8 | layer as u32,
        }
    }
}

/// The numbers of one seed for one purpose, in one epoch.
///
/// The counter's four words are: the index of the number divided by four, the row, the step, and
/// epoch and purpose in one (20 and 12 bits).
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    key: [u32; 2],
    last: u32,
}

impl Draws {
    /// The numbers for `purpose` that do not change with the epoch.
    pub const fn new(seed: u64, purpose: Purpose) -> Self {
        Self::in_epoch(seed, purpose, 0)
    }

    /// The numbers for `purpose` in an epoch.
    pub const fn in_epoch(seed: u64, purpose: Purpose, epoch: u32) -> Self {
        Self { key: [seed as u32, (seed >> 32) as u32], last: purpose.code() | epoch << 12 }
    }

    /// Numbers `4 * quad` to `4 * quad + 3` of a row in a step.
    #[inline(always)]
    pub fn four(&self, quad: u32, row: u32, step: u32) -> [u32; 4] {
        philox(self.key, [quad, row, step, self.last])
    }

    /// As [`four`](Self::four), for neighbouring rows, the first of which is `first`: side by side, so
    /// that there is vector code for them.
    #[inline(always)]
    pub fn four_of_rows<const ROWS: usize>(
        &self,
        quad: u32,
        first: u32,
        step: u32,
    ) -> [[u32; ROWS]; 4] {
        let rows = std::array::from_fn(|row| first.wrapping_add(row as u32));
        let mut block = [[quad; ROWS], rows, [step; ROWS], [self.last; ROWS]];
        let mut key = self.key;
        for _ in 0..ROUNDS {
            let [first, second, third, fourth] = &mut block;
            for (((a, b), c), d) in first.iter_mut().zip(second).zip(third).zip(fourth) {
                [*a, *b, *c, *d] = round(key, [*a, *b, *c, *d]);
            }
            key = next_key(key);
        }
        block
    }

    /// A random permutation of `0..count`, every permutation equally likely.
    pub fn shuffle(&self, count: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..count as u32).collect();
        self.shuffle_part(&mut order, 0);
        order
    }

    /// Shuffles one of several parts, each by numbers of its own; [`shuffle`](Self::shuffle) uses those of part 0.
    pub fn shuffle_part(&self, order: &mut [u32], part: u32) {
        for last in (1..order.len()).rev() {
            let [low, high, ..] = self.four(last as u32, part, 0);
            let wide = u64::from(high) << 32 | u64::from(low);
            // The high half of the product: the bias is below 2⁻³² and not detectable.
            let at = (u128::from(wide) * (last as u128 + 1)) >> 64;
            order.swap(last, at as usize);
        }
    }
}

/// A number in [0, 1): 24 bits, as many as an `f32` holds evenly spaced there.
#[inline(always)]
pub fn unit(bits: u32) -> f32 {
    (bits >> 8) as f32 / (1 << 24) as f32
}

/// Block `counter` of the stream with this `key`.
#[inline(always)]
fn philox(mut key: [u32; 2], counter: [u32; 4]) -> [u32; 4] {
    let mut block = counter;
    for _ in 0..ROUNDS {
        block = round(key, block);
        key = next_key(key);
    }
    block
}

#[inline(always)]
fn round(key: [u32; 2], block: [u32; 4]) -> [u32; 4] {
    let product = |a: u32, b: u32| {
        let wide = u64::from(a) * u64::from(b);
        ((wide >> 32) as u32, wide as u32)
    };
    let (high0, low0) = product(MULTIPLIERS[0], block[0]);
    let (high1, low1) = product(MULTIPLIERS[1], block[2]);
    [high1 ^ block[1] ^ key[0], low1, high0 ^ block[3] ^ key[1], low0]
}

#[inline(always)]
fn next_key(key: [u32; 2]) -> [u32; 2] {
    [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_is_a_permutation_and_differs_by_epoch() {
        let of = |epoch| Draws::in_epoch(7, Purpose::Shuffle, epoch).shuffle(1000);
        let mut sorted = of(3);
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..1000));
        assert_eq!(of(3), of(3));
        assert_ne!(of(3), of(4));
        assert!(Draws::new(0, Purpose::Holdout).shuffle(0).is_empty());
    }

    /// Each of the 24 permutations of four rows occurs about equally often.
    #[test]
    fn all_permutations_are_equally_likely() {
        let mut counts = std::collections::BTreeMap::new();
        for epoch in 0..24_000 {
            let order = Draws::in_epoch(1, Purpose::Shuffle, epoch).shuffle(4);
            *counts.entry(order).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 24);
        assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    /// Known answers from the library of the generator's authors.
    #[test]
    fn known_answers() {
        let ones = u32::MAX;
        assert_eq!(
            philox([0, 0], [0, 0, 0, 0]),
            [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]
        );
        assert_eq!(
            philox([ones, ones], [ones, ones, ones, ones]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
        assert_eq!(
            philox(
                [0xa409_3822, 0x299f_31d0],
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344]
            ),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }
}
