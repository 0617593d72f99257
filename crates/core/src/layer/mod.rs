//! The constraint layer CM: margins in, coherent margins out.
//!
//! For every class the output is the least fixpoint, stratum by stratum, of
//!
//! ```text
//! m_A = max( h_A , max over rules r with head A of min over body(r) of ±m_B )
//! ```
//!
//! which is what the paper's closure Π* computes, without the closure. The
//! layer is a selection: it never computes a new number, so its output is
//! exact, and coherent for *every* float that is a number.

mod aligned;
mod cycle;
mod plan;
mod scalar;
mod tile;
mod turn;

pub(crate) use aligned::Aligned;
pub(crate) use cycle::CycleSpace;
pub(crate) use plan::{Plan, Step};
pub(crate) use scalar::{Reading, View, evaluate};
pub(crate) use tile::{lanes, lanes_mut, literal, take_larger, take_smaller};
pub(crate) use turn::{turn_in, turn_out};

use crate::delegate::Delegate;
use crate::margin::{Margin, Real};
use crate::program::Program;
use crate::threshold::Thresholds;
use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;
use tile::{Tile, raise_delegates, raise_values};

/// Rows side by side in a tile, for large batches and for small ones.
const WIDE: usize = 16;
const NARROW: usize = 4;

/// Numbers touched below which a second thread costs more than it brings.
const WORTH_A_THREAD: usize = 1 << 17;

/// Why the layer could not run.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LayerError {
    /// A margin is no number.
    #[error("row {row}: the value of `{label}` is not a number")]
    NotANumber {
        /// The row in the batch, from 0.
        row: usize,
        /// The class.
        label: String,
    },
    /// A buffer does not hold whole rows, or not as many as the others.
    #[error("{buffer} holds {found} numbers; expected {expected}")]
    Shape {
        /// Which buffer.
        buffer: &'static str,
        /// How many numbers it should hold.
        expected: String,
        /// How many it holds.
        found: usize,
    },
}

/// The constraint layer of a program.
///
/// Built once; usable from any number of threads, each with a [`Workspace`] of
/// its own. All batches are row-major `[batch × classes]`.
///
/// ```
/// use rulebound_core::{parse, ConstraintLayer, Thresholds};
/// let program = parse("stomach -> abdomen", None, None)?.program;
/// let layer = ConstraintLayer::new(&program, Thresholds::uniform(2, 0.5)?);
/// let mut coherent = [0.0f32; 2];
/// layer.forward(&[1.5, -0.5], &mut coherent, &mut layer.workspace())?;
/// assert_eq!(coherent, [1.5, 1.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConstraintLayer {
    plan: Plan,
    thresholds: Thresholds,
    names: crate::label::Labels,
}

/// The memory of the layer for one caller. The first call with a batch of a
/// new kind makes room; after that the layer allocates nothing.
#[derive(Debug)]
pub struct Workspace<F> {
    tiles: Vec<Tile<F>>,
}

impl ConstraintLayer {
    /// The layer of a program.
    ///
    /// # Panics
    /// If there is not one threshold for each class.
    pub fn new(program: &Program, thresholds: Thresholds) -> Self {
        assert_eq!(thresholds.len(), program.labels().len(), "one threshold for each class");
        Self { plan: Plan::new(program), thresholds, names: program.labels().clone() }
    }

    /// How many classes there are: the length of a row.
    pub fn classes(&self) -> usize {
        self.plan.classes
    }

    /// The thresholds, which turn logits and probabilities into margins.
    pub fn thresholds(&self) -> &Thresholds {
        &self.thresholds
    }

    /// Memory for calls from one thread at a time.
    pub fn workspace<F: Margin>(&self) -> Workspace<F> {
        let threads = rayon::current_num_threads();
        Workspace { tiles: (0..threads).map(|_| Tile::new(&self.plan)).collect() }
    }

    /// Coherent margins of a batch.
    ///
    /// Every output has the same bits for any number of threads and however
    /// the rows are split into batches. A margin of 0 comes out as the largest
    /// negative normal number: not predicted, and visibly so.
    ///
    /// # Errors
    /// [`LayerError::NotANumber`] for the first NaN, [`LayerError::Shape`] if
    /// the buffers do not fit; what is in `coherent` then means nothing.
    pub fn forward<F: Margin>(
        &self,
        margins: &[F],
        coherent: &mut [F],
        workspace: &mut Workspace<F>,
    ) -> Result<(), LayerError> {
        self.run(margins, coherent, &mut [], workspace)
    }

    /// Coherent margins of a batch, and who decided each.
    ///
    /// # Errors
    /// As [`ConstraintLayer::forward`].
    pub fn forward_with_delegates<F: Margin>(
        &self,
        margins: &[F],
        coherent: &mut [F],
        delegates: &mut [Delegate],
        workspace: &mut Workspace<F>,
    ) -> Result<(), LayerError> {
        expect_len("delegates", delegates.len(), margins.len())?;
        self.run(margins, coherent, delegates, workspace)
    }

    /// The gradient with respect to the margins, from the gradient with respect
    /// to the coherent ones: each goes to the delegate, negated if the delegate
    /// is. A class decided by a fact has none to give.
    ///
    /// # Errors
    /// [`LayerError::Shape`] if the buffers do not fit.
    pub fn backward<F: Real>(
        &self,
        delegates: &[Delegate],
        gradient: &[F],
        result: &mut [F],
    ) -> Result<(), LayerError> {
        expect_rows("gradient", gradient.len(), self.classes())?;
        expect_len("delegates", delegates.len(), gradient.len())?;
        expect_len("the result", result.len(), gradient.len())?;
        result.fill(F::default());
        let classes = self.classes().max(1);
        let rows = delegates.chunks(classes).zip(gradient.chunks(classes));
        for ((delegates, gradient), result) in rows.zip(result.chunks_mut(classes)) {
            for (delegate, &gradient) in delegates.iter().zip(gradient) {
                if let Some(literal) = delegate.literal() {
                    let place = &mut result[literal.label().index()];
                    *place = place.plus(if literal.is_negated() { -gradient } else { gradient });
                }
            }
        }
        Ok(())
    }

    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    fn run<F: Margin>(
        &self,
        margins: &[F],
        coherent: &mut [F],
        delegates: &mut [Delegate],
        workspace: &mut Workspace<F>,
    ) -> Result<(), LayerError> {
        expect_rows("the batch of margins", margins.len(), self.classes())?;
        expect_len("the batch of coherent margins", coherent.len(), margins.len())?;
        if margins.is_empty() {
            return Ok(());
        }
        let rows = margins.len() / self.classes();
        let bad = if rows >= WIDE {
            self.run_tiles::<F, WIDE>(margins, coherent, delegates, workspace)
        } else {
            self.run_tiles::<F, NARROW>(margins, coherent, delegates, workspace)
        };
        if bad { Err(find_nan(margins, &self.names)) } else { Ok(()) }
    }

    /// Runs all rows, on several threads if that pays; whether there was a NaN.
    fn run_tiles<F: Margin, const LANES: usize>(
        &self,
        margins: &[F],
        coherent: &mut [F],
        delegates: &mut [Delegate],
        workspace: &mut Workspace<F>,
    ) -> bool {
        let classes = self.classes();
        let rows = margins.len() / classes;
        let worth = (rows * self.plan.cost() / WORTH_A_THREAD).max(1);
        let threads = workspace.tiles.len().min(rows.div_ceil(LANES)).min(worth);
        let tiles = &mut workspace.tiles[..threads];
        for tile in &mut *tiles {
            tile.reserve(&self.plan, LANES, !delegates.is_empty());
        }
        if let [tile] = tiles {
            return self.run_rows::<F, LANES>(margins, coherent, delegates, tile);
        }
        // Whole tiles for every thread, and the same rows for the same thread.
        let share = rows.div_ceil(LANES).div_ceil(threads) * LANES * classes;
        let parts = margins.par_chunks(share).zip(coherent.par_chunks_mut(share)).zip(tiles);
        if delegates.is_empty() {
            parts
                .map(|((margins, coherent), tile)| {
                    self.run_rows::<F, LANES>(margins, coherent, &mut [], tile)
                })
                .reduce(|| false, |a, b| a | b)
        } else {
            parts
                .zip(delegates.par_chunks_mut(share))
                .map(|(((margins, coherent), tile), delegates)| {
                    self.run_rows::<F, LANES>(margins, coherent, delegates, tile)
                })
                .reduce(|| false, |a, b| a | b)
        }
    }

    /// Runs rows on this thread with the vector instructions that it has.
    fn run_rows<F: Margin, const LANES: usize>(
        &self,
        margins: &[F],
        coherent: &mut [F],
        delegates: &mut [Delegate],
        tile: &mut Tile<F>,
    ) -> bool {
        let size = LANES * self.classes();
        let mut bad = false;
        for (index, margins) in margins.chunks(size).enumerate() {
            let at = index * size..index * size + margins.len();
            let coherent = &mut coherent[at.clone()];
            let delegates = if delegates.is_empty() { &mut [] } else { &mut delegates[at] };
            let rows = Rows::<F, LANES> { plan: &self.plan, margins, coherent, delegates, tile };
            bad |= Arch::new().dispatch(rows);
        }
        bad
    }
}

/// The rows of one tile. A type and not a closure: only its `call` is surely
/// inlined into the function that has the vector instructions.
struct Rows<'a, F, const LANES: usize> {
    plan: &'a Plan,
    margins: &'a [F],
    coherent: &'a mut [F],
    delegates: &'a mut [Delegate],
    tile: &'a mut Tile<F>,
}

impl<F: Margin, const LANES: usize> NullaryFnOnce for Rows<'_, F, LANES> {
    /// Whether there was a NaN.
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let Self { plan, margins, coherent, delegates, tile } = self;
        let classes = plan.classes;
        let bad =
            turn_in::<F, F, LANES>(margins, classes, &mut tile.values, F::canonical, F::is_nan);
        if delegates.is_empty() {
            raise_values::<F, LANES>(plan, tile);
        } else {
            raise_delegates::<F, LANES>(plan, tile);
            turn_out::<u32, Delegate, LANES>(&tile.who, classes, delegates, Delegate::from_code);
        }
        turn_out::<F, F, LANES>(&tile.values, classes, coherent, |value| value);
        bad
    }
}

pub(crate) fn expect_len(
    buffer: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), LayerError> {
    if found == expected {
        return Ok(());
    }
    Err(LayerError::Shape { buffer, expected: expected.to_string(), found })
}

/// Whole rows of `classes` numbers.
pub(crate) fn expect_rows(
    buffer: &'static str,
    found: usize,
    classes: usize,
) -> Result<(), LayerError> {
    if found.checked_rem(classes).unwrap_or(found) == 0 {
        return Ok(());
    }
    let expected = format!("a multiple of {classes}, the number of classes");
    Err(LayerError::Shape { buffer, expected, found })
}

/// The error about the first number of a batch that is none.
#[cold]
pub(crate) fn find_nan<F: Margin>(batch: &[F], names: &crate::label::Labels) -> LayerError {
    let at = batch.iter().position(|margin| margin.is_nan()).unwrap_or(0);
    let label = names.name(crate::LabelId::new(at % names.len())).to_owned();
    LayerError::NotANumber { row: at / names.len(), label }
}
