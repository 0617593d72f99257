//! The order of the rows in an epoch: all shuffled, or shuffled in a buffer.
//!
//! Rows on a disk are read fast only if neighbours are read together. So a buffer takes rows from [`CHUNKS`] random
//! places of the data, a chunk of neighbours from each; its rows are shuffled, and the next buffer follows. Every row
//! comes once per epoch, and other chunks meet in every epoch. Invariant: the order depends on seed, epoch, rows
//! and buffer alone; a buffer for all rows gives the order without a buffer.

use rulebound_io::random::{Draws, Purpose};

/// The number of chunks in a buffer, unless it is smaller.
const CHUNKS: usize = 16;

/// The bytes of the rows in a buffer whose size was not given.
const DEFAULT_BYTES: u64 = 1 << 30;

/// The orders of the rows for one seed.
#[derive(Clone, Copy, Debug)]
pub struct RowOrder {
    /// The seed of the run.
    pub seed: u64,
    /// The rows of the shuffle buffer; none for all rows.
    pub buffer: Option<usize>,
}

impl RowOrder {
    /// The order of `0..rows` in an epoch.
    pub fn in_epoch(&self, epoch: usize, rows: usize) -> Vec<u32> {
        let draws = Draws::in_epoch(self.seed, Purpose::Shuffle, epoch as u32);
        let Some(buffer) = self.buffer.filter(|&buffer| buffer < rows) else {
            return draws.shuffle(rows);
        };
        let chunk = buffer.div_ceil(CHUNKS).max(1);
        let together = (buffer / chunk).max(1);
        let chunks = draws.shuffle(rows.div_ceil(chunk));
        let mut order: Vec<u32> = Vec::with_capacity(rows);
        for (number, chunks) in chunks.chunks(together).enumerate() {
            let start = order.len();
            for &one in chunks {
                let first = one as usize * chunk;
                order.extend(first as u32..(first + chunk).min(rows) as u32);
            }
            draws.shuffle_part(&mut order[start..], number as u32 + 1);
        }
        order
    }
}

/// The rows of a shuffle buffer whose size was not given, for rows of so many bytes.
pub fn default_buffer(bytes_per_row: u64) -> usize {
    (DEFAULT_BYTES / bytes_per_row.max(1)).max(1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(buffer: Option<usize>, epoch: usize, rows: usize) -> Vec<u32> {
        RowOrder { seed: 3, buffer }.in_epoch(epoch, rows)
    }

    #[test]
    fn every_row_comes_once() {
        for rows in [0, 1, 2, 15, 16, 17, 100, 1001] {
            for buffer in [1, 2, 15, 16, 17, 50, 99, 100, 1000, 2000] {
                let mut sorted = order(Some(buffer), 1, rows);
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..rows as u32), "{rows} rows, buffer {buffer}");
            }
        }
    }

    #[test]
    fn a_buffer_for_all_rows_makes_no_difference() {
        for buffer in [1000, 1001, usize::MAX] {
            assert_eq!(order(Some(buffer), 5, 1000), order(None, 5, 1000));
        }
        assert_ne!(order(Some(999), 5, 1000), order(None, 5, 1000));
    }

    /// Within a buffer, rows come from a few chunks of neighbours only, and they are mixed.
    #[test]
    fn a_buffer_reads_neighbours_together() {
        let (rows, buffer) = (10_000, 800);
        let order = order(Some(buffer), 2, rows);
        let chunk = buffer / CHUNKS;
        for part in order.chunks(buffer) {
            let mut chunks: Vec<usize> = part.iter().map(|&row| row as usize / chunk).collect();
            let in_turn = chunks.windows(2).filter(|pair| pair[0] != pair[1]).count();
            assert!(in_turn > part.len() / 2, "rows of a chunk are not in a row");
            chunks.sort_unstable();
            chunks.dedup();
            assert!(chunks.len() <= CHUNKS, "{} chunks", chunks.len());
        }
    }

    #[test]
    fn other_epochs_and_seeds_mix_other_chunks() {
        let first = order(Some(160), 0, 5000);
        assert_eq!(first, order(Some(160), 0, 5000));
        let met = |order: &[u32]| {
            let mut rows = order[..160].to_vec();
            rows.sort_unstable();
            rows
        };
        assert_ne!(met(&first), met(&order(Some(160), 1, 5000)));
        let other = RowOrder { seed: 4, buffer: Some(160) }.in_epoch(0, 5000);
        assert_ne!(met(&first), met(&other));
    }
}
