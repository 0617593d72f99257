//! The first layer on sparse rows: sums, and the update of its weights.
//!
//! Four outputs are processed at once. Their weights are read where rows list cells, and stay in the
//! cache from row to row; what rows do not list costs nothing on the way forward. Outputs are split
//! among threads, and no sum is ever split.
//!
//! Sums are taken in the order in which whole rows are summed up (`linear`), without the terms that are
//! 0: prediction has the same bits, whichever way rows are stored.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::lanes::{Block, LANES_OF_SUMS, numbers, numbers_mut, sum_of_lanes};
use super::linear::{Linear, ROWS};
use super::optimizer::Optimizer;
use super::sparse_batch::SparseBatch;

rulebound_core::named_enum! {
    /// Which weights of the first layer a step updates where rows are sparse.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum SparseUpdate: "a way to update the weights of sparse columns" {
        /// All of them, as for dense rows: also the moments of columns that no row of the batch lists
        /// decay and move their weights.
        #[default]
        Exact = "exact",
        /// Those of the columns that some row of the batch lists (lazy Adam): the others, their moments and
        /// their weight decay wait.
        Lazy = "lazy",
    }
}

impl SparseUpdate {
    /// Whether it is the default.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Multiplications below which a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 1 << 16;

impl Linear {
    /// The sums of sparse rows, output by output: `out[output × stride + row]`.
    ///
    /// # Panics
    /// If the rows are not as wide as the layer, or the stride is less than their number.
    pub(super) fn sparse_sums(&self, batch: &SparseBatch, stride: usize, out: &mut Vec<f32>) {
        assert!(batch.width() == self.inputs() && batch.rows() <= stride);
        out.clear();
        out.resize(self.padded_outputs() * stride, 0.0);
        let width = ROWS * self.blocks();
        let run = |(weights, out): (&[Block], &mut [f32])| {
            Arch::new().dispatch(Sums { weights: numbers(weights), batch, stride, out });
        };
        let (weights, size) = (self.stored(), (ROWS * stride).max(1));
        if batch.cells() * self.outputs() < WORTH_A_THREAD {
            weights.chunks(width).zip(out.chunks_mut(size)).for_each(run);
        } else {
            weights.par_chunks(width).zip(out.par_chunks_mut(size)).for_each(run);
        }
    }

    /// Updates the weights, given the gradient of the sums, `gradient(output, row)`.
    ///
    /// # Panics
    /// If the rows are not as wide as the layer.
    pub(super) fn sparse_update(
        &mut self,
        moments: &mut [Linear; 2],
        batch: &SparseBatch,
        gradient: impl Fn(usize, usize) -> f32 + Sync,
        (kind, optimizer): (SparseUpdate, impl Optimizer),
    ) {
        assert_eq!(batch.width(), self.inputs());
        let (width, outputs) = (ROWS * self.blocks(), self.outputs());
        let [first, second] = moments;
        let weights = self.weights_mut().par_chunks_mut(width);
        let parts = weights
            .zip(first.weights_mut().par_chunks_mut(width))
            .zip(second.weights_mut().par_chunks_mut(width));
        let four = |at: usize, row: usize| -> [f32; ROWS] {
            std::array::from_fn(|output| {
                let output = at * ROWS + output;
                if output < outputs { gradient(output, row) } else { 0.0 }
            })
        };
        parts.enumerate().for_each_init(Vec::new, |own, (at, ((weights, first), second))| {
            let gradient: Vec<[f32; ROWS]> = (0..batch.rows()).map(|row| four(at, row)).collect();
            let state = [weights, first, second].map(numbers_mut);
            Arch::new().dispatch(Update {
                state,
                batch,
                gradient: &gradient,
                own,
                kind,
                optimizer,
            });
        });
    }
}

/// The sums of four outputs.
struct Sums<'a> {
    weights: &'a [f32],
    batch: &'a SparseBatch,
    stride: usize,
    out: &'a mut [f32],
}

impl WithSimd for Sums<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { weights, batch, stride, out } = self;
        let width = weights.len() / ROWS;
        let weights: [&[f32]; ROWS] = std::array::from_fn(|at| &weights[at * width..][..width]);
        for row in 0..batch.rows() {
            let mut lanes = [[0.0f32; LANES_OF_SUMS]; ROWS];
            for (lane, cells) in batch.lanes(row).enumerate() {
                let mut sums = [0.0f32; ROWS];
                for cell in cells {
                    for (sum, weights) in sums.iter_mut().zip(weights) {
                        *sum = weights[cell.column as usize].mul_add(cell.value, *sum);
                    }
                }
                lanes.iter_mut().zip(sums).for_each(|(lanes, sum)| lanes[lane] = sum);
            }
            for (output, lanes) in lanes.into_iter().enumerate() {
                out[output * stride + row] = sum_of_lanes(lanes);
            }
        }
    }
}

/// The update of four outputs.
struct Update<'a, O> {
    /// Weights and both moments.
    state: [&'a mut [f32]; 3],
    batch: &'a SparseBatch,
    /// Of the sums, by row.
    gradient: &'a [[f32; ROWS]],
    /// Memory for the gradient of the touched weights.
    own: &'a mut Vec<[f32; ROWS]>,
    kind: SparseUpdate,
    optimizer: O,
}

impl<O: Optimizer> WithSimd for Update<'_, O> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { state: [w, m, v], batch, gradient, own, kind, optimizer } = self;
        own.clear();
        own.resize(batch.touched().len(), [0.0; ROWS]);
        for (row, gradient) in gradient.iter().enumerate() {
            // Behind a unit that was dropped, or is not active, nothing is to be learned.
            if *gradient != [0.0; ROWS] {
                for cell in batch.row(row) {
                    let own = &mut own[cell.place as usize];
                    for (own, gradient) in own.iter_mut().zip(gradient) {
                        *own = gradient.mul_add(cell.value, *own);
                    }
                }
            }
        }
        let width = w.len() / ROWS;
        let rows = w.chunks_mut(width).zip(m.chunks_mut(width)).zip(v.chunks_mut(width));
        for (output, ((w, m), v)) in rows.enumerate() {
            let own = own.iter().map(|own| own[output]);
            let touched = batch.touched().iter().copied().zip(own);
            match kind {
                SparseUpdate::Exact => all(simd, [w, m, v], touched, optimizer),
                SparseUpdate::Lazy => some(simd, [w, m, v], touched, optimizer),
            }
        }
    }
}

/// Updates all weights of an output, given the gradient of those that have one.
#[inline(always)]
fn all<S: Simd, O: Optimizer>(
    simd: S,
    [w, m, v]: [&mut [f32]; 3],
    touched: impl Iterator<Item = (u32, f32)>,
    optimizer: O,
) {
    let mut touched = touched.peekable();
    let blocks = w.as_chunks_mut().0.iter_mut().zip(m.as_chunks_mut().0).zip(v.as_chunks_mut().0);
    for (block, ((w, m), v)) in blocks.enumerate() {
        let mut own = [0.0f32; Block::LANES];
        let end = ((block + 1) * Block::LANES) as u32;
        while let Some((column, gradient)) = touched.next_if(|&(column, _)| column < end) {
            own[column as usize % Block::LANES] = gradient;
        }
        step(simd, &own, [w, m, v], optimizer);
    }
}

/// Updates the weights of an output that have a gradient.
#[inline(always)]
fn some<S: Simd, O: Optimizer>(
    simd: S,
    [w, m, v]: [&mut [f32]; 3],
    mut touched: impl Iterator<Item = (u32, f32)>,
    optimizer: O,
) {
    loop {
        let mut columns = [0u32; Block::LANES];
        let (mut own, mut near) = ([0.0; Block::LANES], [[0.0; Block::LANES]; 3]);
        let mut count = 0;
        for (column, gradient) in touched.by_ref().take(Block::LANES) {
            (columns[count], own[count]) = (column, gradient);
            let at = column as usize;
            (near[0][count], near[1][count], near[2][count]) = (w[at], m[at], v[at]);
            count += 1;
        }
        if count == 0 {
            return;
        }
        let [near_w, near_m, near_v] = &mut near;
        step(simd, &own, [near_w, near_m, near_v], optimizer);
        for (place, &column) in columns[..count].iter().enumerate() {
            let at = column as usize;
            (w[at], m[at], v[at]) = (near[0][place], near[1][place], near[2][place]);
        }
    }
}

/// A step for sixteen weights.
#[inline(always)]
fn step<S: Simd, O: Optimizer>(
    simd: S,
    own: &[f32; Block::LANES],
    [w, m, v]: [&mut [f32; Block::LANES]; 3],
    optimizer: O,
) {
    let (own, _) = S::as_simd_f32s(own);
    let (w, _) = S::as_mut_simd_f32s(w);
    let (m, _) = S::as_mut_simd_f32s(m);
    let (v, _) = S::as_mut_simd_f32s(v);
    for (((&own, w), m), v) in own.iter().zip(w).zip(m).zip(v) {
        [*w, *m, *v] = optimizer.update(simd, own, [*w, *m, *v]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Activation, Adam, Network, Record, Shape, Trainee, Workspace};
    use rulebound_io::features::{FeatureMatrix, FeatureRow, SparseMatrix};
    use rulebound_io::random::{Draws, Purpose};

    /// Rows with a few cells each, the first with none.
    fn rows(count: usize, width: usize, seed: u64) -> SparseMatrix {
        let draws = Draws::new(seed, Purpose::Weights(9));
        let mut rows = SparseMatrix::new(width);
        for row in 0..count {
            let is_listed = |column: usize| {
                row > 0 && draws.four(column as u32, row as u32, 0)[0].is_multiple_of(40)
            };
            let value = |column: usize| {
                (draws.four(column as u32, row as u32, 1)[0] % 1000) as f32 / 250.0 - 1.999
            };
            rows.push((0..width).filter(|&at| is_listed(at)).map(|at| (at, value(at))));
        }
        rows
    }

    fn network(inputs: usize, outputs: usize) -> Network {
        let shape = Shape { inputs, hidden: vec![outputs, 5], outputs: 3 };
        Network::random(shape, Activation::Relu, 4)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// To the last bit: prediction does not depend on how rows are stored.
        #[test]
        fn prediction_has_the_bits_of_dense_rows(
            count in 1usize..70, width in 300usize..700, outputs in 1usize..11, seed in 0u64..99
        ) {
            let (rows, network) = (rows(count, width, seed), network(width, outputs));
            let all: Vec<FeatureRow<'_>> = (0..count).map(|row| rows.row(row)).collect();
            prop_assert!(SparseBatch::suits(&all));
            let dense: Vec<f32> = all.iter().flat_map(|row| row.to_vec()).collect();
            let (mut found, mut expected) = (vec![0.0; count * 3], vec![0.0; count * 3]);
            network.forward_pass().logits_of(&FeatureMatrix::Sparse(rows), &mut found);
            network.forward_pass().logits(&dense, &mut expected);
            prop_assert_eq!(found, expected);
        }

        /// Gradients of all weights, in small batches and in large ones.
        #[test]
        fn gradients_are_those_of_dense_rows(
            count in 1usize..80, width in 300usize..500, outputs in 1usize..11, seed in 0u64..99
        ) {
            let rows = rows(count, width, seed);
            let dense: Vec<Vec<f32>> = (0..count).map(|row| rows.row(row).to_vec()).collect();
            let gradient: Vec<f32> = (0..count * 3).map(|at| (at % 7) as f32 - 3.0).collect();
            for update in SparseUpdate::ALL {
                let mut logits = vec![0.0; count * 3];
                let [mut sparse, mut expected] =
                    [(), ()].map(|()| Trainee::new(network(width, outputs)));
                let mut space = Workspace::new(update);
                let listed = (0..count).map(|row| rows.row(row));
                space.forward(&sparse.network, listed, None, &mut logits);
                space.backward(&mut sparse, &gradient, Record);
                let mut space = Workspace::default();
                space.forward(&expected.network, dense.iter(), None, &mut logits);
                space.backward(&mut expected, &gradient, Record);
                for (found, expected) in sparse.moments.iter().zip(&expected.moments) {
                    let pairs = found[0].numbers().iter().zip(expected[0].numbers());
                    for (&found, &expected) in pairs {
                        prop_assert!((found - expected).abs() <= 1e-4 * (1.0 + expected.abs()));
                    }
                }
            }
        }
    }

    /// Some steps of Adam, exact and lazy, with any number of threads.
    fn trained(update: SparseUpdate, count: usize, threads: usize) -> Trainee {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut trainee = Trainee::new(network(400, 30));
        pool.install(|| {
            let mut space = Workspace::new(update);
            for step in 1..=6 {
                let rows = rows(count, 400, step);
                let mut logits = vec![0.0; count * 3];
                let listed = (0..count).map(|row| rows.row(row));
                space.forward(&trainee.network, listed, None, &mut logits);
                logits.iter_mut().for_each(|logit| *logit -= 1.0);
                space.backward(&mut trainee, &logits, Adam::step(step, 1e-3, 1e-4));
            }
        });
        trainee
    }

    #[test]
    fn bits_do_not_depend_on_threads() {
        for update in SparseUpdate::ALL {
            for count in [3, 40] {
                let one = trained(update, count, 1);
                assert_eq!(one, trained(update, count, 3));
            }
        }
    }

    #[test]
    fn lazy_steps_leave_columns_alone_that_no_row_lists() {
        let before = network(400, 30);
        let (exact, lazy) = (trained(SparseUpdate::Exact, 2, 1), trained(SparseUpdate::Lazy, 2, 1));
        let listed: Vec<bool> = (0..400)
            .map(|column| {
                (1..=6).any(|step| (0..2).any(|row| rows(2, 400, step).row(row)[column] != 0.0))
            })
            .collect();
        let weights = |network: &Network| network.layers()[0].weights().collect::<Vec<f32>>();
        let changed = |after: &Network, is_listed: bool| {
            let pairs = weights(&before).into_iter().zip(weights(after)).enumerate();
            pairs
                .filter(|(at, (before, after))| listed[at % 400] == is_listed && before != after)
                .count()
        };
        assert_eq!(changed(&lazy.network, false), 0);
        assert!(changed(&lazy.network, true) > 0);
        // Weight decay, if nothing else, moves all of them.
        assert!(changed(&exact.network, false) > 0);
    }
}
