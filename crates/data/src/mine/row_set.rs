//! Sets of rows as bits, which the search counts.
//!
//! All of it is inlined into its callers, so that it is compiled for the instruction set of their
//! target CPU.

/// How many words are counted between two checks whether to continue.
const BLOCK: usize = 8;

#[inline(always)]
pub(super) fn count(set: &[u64]) -> u32 {
    set.iter().map(|word| word.count_ones()).sum()
}

/// How many rows two sets have in common.
#[inline(always)]
pub(super) fn count_shared(one: &[u64], other: &[u64]) -> u32 {
    one.iter().zip(other).map(|(one, other)| (one & other).count_ones()).sum()
}

/// How many rows of `set` are in `column` and how many are not; `None` if both are more than
/// `most`.
#[inline(always)]
pub(super) fn divide(set: &[u64], column: &[u64], most: u32) -> Option<(u32, u32)> {
    let (mut inside, mut outside) = (0, 0);
    for (set, column) in set.chunks(BLOCK).zip(column.chunks(BLOCK)) {
        for (set, column) in set.iter().zip(column) {
            inside += (set & column).count_ones();
            outside += (set & !column).count_ones();
        }
        if inside > most && outside > most {
            return None;
        }
    }
    Some((inside, outside))
}

/// Whether `set` has a row in which the literal holds: one of `column`, or with `flip` all ones,
/// one that is not in `column`.
#[inline(always)]
pub(super) fn meets(set: &[u64], column: &[u64], flip: u64) -> bool {
    set.iter().zip(column).any(|(set, column)| set & (column ^ flip) != 0)
}

/// Appends the rows of `set` in which the literal holds. Returns whether there are any.
#[inline(always)]
pub(super) fn push_shared(set: &[u64], column: &[u64], flip: u64, out: &mut Vec<u64>) -> bool {
    let start = out.len();
    out.extend(set.iter().zip(column).map(|(set, column)| set & (column ^ flip)));
    out[start..].iter().any(|word| *word != 0)
}
