//! A counter-based generator: Philox 4×32 with ten rounds.
//!
//! Number `n` of a seed is computed from the two alone, so that a point of a built-in problem does
//! not depend on how many were drawn before it.

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;

/// Block `counter` of the stream that `key` names.
pub(super) fn philox(mut key: [u32; 2], counter: [u32; 4]) -> [u32; 4] {
    let mut block = counter;
    for _ in 0..ROUNDS {
        let product = |a: u32, b: u32| {
            let wide = u64::from(a) * u64::from(b);
            ((wide >> 32) as u32, wide as u32)
        };
        let (high0, low0) = product(MULTIPLIERS[0], block[0]);
        let (high1, low1) = product(MULTIPLIERS[1], block[2]);
        block = [high1 ^ block[1] ^ key[0], low1, high0 ^ block[3] ^ key[1], low0];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    block
}

/// Point number `index` of a seed, uniform over the unit square.
pub(super) fn point(seed: u64, index: u64) -> [f32; 2] {
    let halves = |wide: u64| [wide as u32, (wide >> 32) as u32];
    let [low, high] = halves(index);
    let [x, y, ..] = philox(halves(seed), [low, high, 0, 0]);
    // 24 bits are what an f32 in [0, 1) can hold evenly.
    [x, y].map(|bits| (bits >> 8) as f32 / (1 << 24) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers that come with the generator's authors' library.
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
