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
//! exact, and coherent for *every* float except NaN. Where the program has
//! requirements, they are settled last, row by row.

mod aligned;
mod cycle;
mod error;
mod plan;
mod raising;
mod scalar;
mod settling;
mod tile;
mod transpose;

pub(crate) use aligned::Aligned;
pub(crate) use cycle::{Cycle, CycleSpace};
pub use error::LayerError;
pub(crate) use error::{expect_len, expect_rows, find_nan, of_lines};
pub(crate) use plan::{CpuPlan, Step};
pub(crate) use raising::Raising;
pub(crate) use scalar::{Reading, View, evaluate};
use settling::Outcome;
pub(crate) use settling::Settling;
pub use settling::UnsettledRows;
pub(crate) use tile::{lanes, lanes_mut, literal, take_larger, take_smaller};
pub(crate) use transpose::{transpose_in, transpose_out};

use crate::delegate::Delegate;
use crate::label::Labels;
use crate::margin::{FloatMargin, Margin};
use crate::program::Program;
use crate::threshold::Thresholds;
use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;
use tile::{Tile, raise_delegates, raise_values};

/// Rows side by side in a tile, for large batches and for small ones.
const WIDE: usize = 16;
const NARROW: usize = 4;

/// Numbers touched below which a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 1 << 17;

/// The constraint layer of a program.
///
/// Built once and usable from any number of threads, each with its own
/// [`LayerWorkspace`]. All batches are row-major `[batch × classes]`.
///
/// ```
/// use rulebound_core::{ConstraintLayer, Program, Thresholds};
/// let program: Program = "stomach -> abdomen".parse()?;
/// let layer = ConstraintLayer::new(&program, Thresholds::half(2));
/// let mut coherent = [0.0f32; 2];
/// layer.forward(&[1.5, -0.5], &mut coherent, &mut layer.workspace())?;
/// assert_eq!(coherent, [1.5, 1.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConstraintLayer {
    plan: CpuPlan,
    thresholds: Thresholds,
    names: Labels,
    settling: Option<Settling>,
}

/// The memory of the layer for one caller. The first call for each kind of batch
/// (large or small, with or without delegates) allocates; after that the layer
/// allocates nothing.
#[derive(Debug)]
pub struct LayerWorkspace<F> {
    tiles: Vec<Tile<F>>,
}

impl<F> LayerWorkspace<F> {
    /// The rows of the last batch that were passed on as they came: a [`LayerError::Unsettled`] for each, in
    /// order.
    pub fn unsettled(&self) -> Vec<LayerError> {
        let mut rows: Vec<LayerError> =
            self.tiles.iter().flat_map(|tile| tile.unsettled.iter().cloned()).collect();
        rows.sort_by_key(|error| match error {
            LayerError::Unsettled { row, .. } => *row,
            _ => 0,
        });
        rows
    }

    fn forget_unsettled(&mut self) {
        self.tiles.iter_mut().for_each(|tile| tile.unsettled.clear());
    }
}

impl ConstraintLayer {
    /// The layer of a program.
    ///
    /// # Panics
    /// If the number of thresholds is not the number of classes; [`try_new`](Self::try_new) returns an
    /// error instead.
    pub fn new(program: &Program, thresholds: Thresholds) -> Self {
        match Self::try_new(program, thresholds) {
            Ok(layer) => layer,
            Err(error) => panic!("{error}"),
        }
    }

    /// As [`new`](Self::new), for thresholds that come from somewhere else than the program.
    ///
    /// ```
    /// use rulebound_core::{ConstraintLayer, Program, Thresholds};
    /// let program: Program = "stomach -> abdomen".parse()?;
    /// let error = ConstraintLayer::try_new(&program, Thresholds::half(3)).unwrap_err();
    /// assert_eq!(error.to_string(), "thresholds holds 3 numbers; expected 2, one for each class");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`LayerError::Shape`] if the number of thresholds is not the number of classes.
    pub fn try_new(program: &Program, thresholds: Thresholds) -> Result<Self, LayerError> {
        let (classes, found) = (program.labels().len(), thresholds.len());
        if found != classes {
            let expected = format!("{classes}, one for each class");
            return Err(LayerError::Shape { buffer: "thresholds", expected, found });
        }
        let plan = CpuPlan::new(program);
        let settling = Settling::new(program, &plan);
        Ok(Self { plan, thresholds, names: program.labels().clone(), settling })
    }

    /// The same layer, with another choice of what becomes of rows whose requirements cannot be settled
    /// within the limit: unless that is an error, they keep their margins, every class decides itself, and
    /// [`LayerWorkspace::unsettled`] names them.
    #[must_use]
    pub fn with_unsettled(mut self, rows: UnsettledRows) -> Self {
        let passes = rows != UnsettledRows::Error;
        self.settling = self.settling.map(|settling| settling.passing(passes));
        self
    }

    /// The number of classes: the length of a row.
    pub fn classes(&self) -> usize {
        self.plan.classes
    }

    /// The thresholds, which turn logits and probabilities into margins.
    pub fn thresholds(&self) -> &Thresholds {
        &self.thresholds
    }

    /// Allocates the memory for calls from one thread at a time.
    pub fn workspace<F: Margin>(&self) -> LayerWorkspace<F> {
        self.workspace_for(rayon::current_num_threads())
    }

    /// As [`workspace`](Self::workspace), for calls that use at most so many threads of the current pool.
    /// With one, everything runs on the calling thread.
    pub fn workspace_for<F: Margin>(&self, threads: usize) -> LayerWorkspace<F> {
        let tile = |_| Tile::new(&self.plan, self.settling.as_ref());
        LayerWorkspace { tiles: (0..threads.max(1)).map(tile).collect() }
    }

    /// Coherent margins of a batch.
    ///
    /// Margins are not logits: [`Thresholds::margin_of_logit`] and
    /// [`Thresholds::margin_of_probability`] make them. Only where the threshold is 1/2 is the margin
    /// the logit itself, so that a program that forgets this is right until a threshold changes.
    ///
    /// Every output has the same bits for any number of threads and however
    /// the rows are split into batches. A margin of 0 comes out as the largest
    /// negative normal number: not predicted, and visibly so.
    ///
    /// # Errors
    /// [`LayerError::NotANumber`] for the first NaN, [`LayerError::Shape`] if the
    /// lengths of the buffers do not match, [`LayerError::Unsettled`] for the first row whose
    /// requirements could not be settled within a bound; `coherent` is then unspecified.
    pub fn forward<F: Margin>(
        &self,
        margins: &[F],
        coherent: &mut [F],
        workspace: &mut LayerWorkspace<F>,
    ) -> Result<(), LayerError> {
        self.run(margins, coherent, &mut [], workspace)
    }

    /// Coherent margins of a batch, and the delegate of each. It takes margins, not logits; see
    /// [`forward`](Self::forward).
    ///
    /// # Errors
    /// As [`ConstraintLayer::forward`].
    pub fn forward_with_delegates<F: Margin>(
        &self,
        margins: &[F],
        coherent: &mut [F],
        delegates: &mut [Delegate],
        workspace: &mut LayerWorkspace<F>,
    ) -> Result<(), LayerError> {
        expect_len("delegates", delegates.len(), margins.len())?;
        self.run(margins, coherent, delegates, workspace)
    }

    /// The gradient with respect to the margins, from the gradient with respect
    /// to the coherent ones: each entry goes to the delegate, negated if the
    /// delegate is. The entry of a class decided by a fact is dropped.
    ///
    /// # Errors
    /// [`LayerError::Shape`] if the lengths of the buffers do not match.
    pub fn backward<F: FloatMargin>(
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

    pub(crate) fn settling(&self) -> Option<&Settling> {
        self.settling.as_ref()
    }

    pub(crate) fn plan(&self) -> &CpuPlan {
        &self.plan
    }

    fn run<F: Margin>(
        &self,
        margins: &[F],
        coherent: &mut [F],
        delegates: &mut [Delegate],
        workspace: &mut LayerWorkspace<F>,
    ) -> Result<(), LayerError> {
        expect_rows("the batch of margins", margins.len(), self.classes())?;
        expect_len("the batch of coherent margins", coherent.len(), margins.len())?;
        workspace.forget_unsettled();
        if margins.is_empty() {
            return Ok(());
        }
        let rows = margins.len() / self.classes();
        let outcome = if rows >= WIDE {
            self.run_tiles::<F, WIDE>(margins, coherent, delegates, workspace)
        } else {
            self.run_tiles::<F, NARROW>(margins, coherent, delegates, workspace)
        };
        match outcome {
            Outcome::Coherent => Ok(()),
            Outcome::NotANumber => Err(find_nan(margins, &self.names)),
            Outcome::Unsettled(error) => Err(error),
        }
    }

    /// Runs all rows, on several threads if that pays off.
    fn run_tiles<F: Margin, const LANES: usize>(
        &self,
        margins: &[F],
        coherent: &mut [F],
        delegates: &mut [Delegate],
        workspace: &mut LayerWorkspace<F>,
    ) -> Outcome {
        let classes = self.classes();
        let rows = margins.len() / classes;
        let cost = self.plan.cost() + self.settling.as_ref().map_or(0, Settling::cost);
        let worth = (rows * cost / WORTH_A_THREAD).max(1);
        let threads = workspace.tiles.len().min(rows.div_ceil(LANES)).min(worth);
        let tiles = &mut workspace.tiles[..threads];
        for tile in &mut *tiles {
            tile.reserve(&self.plan, LANES, !delegates.is_empty());
        }
        if let [tile] = tiles {
            return self.run_rows::<F, LANES>(0, margins, coherent, delegates, tile);
        }
        // Whole tiles for every thread, and the same rows for the same thread.
        let share = rows.div_ceil(LANES).div_ceil(threads) * LANES * classes;
        let parts = margins.par_chunks(share).zip(coherent.par_chunks_mut(share)).zip(tiles);
        let parts = parts.enumerate();
        let first_row = |part: usize| part * share / classes;
        if delegates.is_empty() {
            parts
                .map(|(part, ((margins, coherent), tile))| {
                    self.run_rows::<F, LANES>(first_row(part), margins, coherent, &mut [], tile)
                })
                .reduce(Outcome::default, Outcome::first)
        } else {
            parts
                .zip(delegates.par_chunks_mut(share))
                .map(|((part, ((margins, coherent), tile)), delegates)| {
                    self.run_rows::<F, LANES>(first_row(part), margins, coherent, delegates, tile)
                })
                .reduce(Outcome::default, Outcome::first)
        }
    }

    /// Runs rows on this thread with the best vector instructions of the CPU; the first of them has this
    /// number.
    fn run_rows<F: Margin, const LANES: usize>(
        &self,
        first_row: usize,
        margins: &[F],
        coherent: &mut [F],
        delegates: &mut [Delegate],
        tile: &mut Tile<F>,
    ) -> Outcome {
        let size = LANES * self.classes();
        let mut bad = false;
        let mut outcome = Outcome::Coherent;
        for (index, margins) in margins.chunks(size).enumerate() {
            let at = index * size..index * size + margins.len();
            let coherent = &mut coherent[at.clone()];
            let delegates = if delegates.is_empty() { &mut [] } else { &mut delegates[at] };
            let (values, who) = (&mut *coherent, &mut *delegates);
            let rows = Rows::<F, LANES> {
                plan: &self.plan,
                margins,
                coherent: values,
                delegates: who,
                tile,
            };
            bad |= Arch::new().dispatch(rows);
            if let Some(settling) = &self.settling
                && outcome == Outcome::Coherent
                && !bad
            {
                let row = first_row + index * LANES;
                let space = tile.settle.as_mut();
                let (plan, noted) = (&self.plan, &mut tile.unsettled);
                outcome =
                    settling.settle_rows(plan, row, margins, coherent, delegates, space, noted);
            }
        }
        if bad { Outcome::NotANumber } else { outcome }
    }
}

/// The rows of one tile. A type and not a closure: only its `call` is surely
/// inlined into the function that has the vector instructions.
struct Rows<'a, F, const LANES: usize> {
    plan: &'a CpuPlan,
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
        let bad = transpose_in::<F, F, LANES>(
            margins,
            classes,
            &mut tile.values,
            F::canonical,
            F::is_nan,
        );
        if delegates.is_empty() {
            raise_values::<F, LANES>(plan, tile);
        } else {
            raise_delegates::<F, LANES>(plan, tile);
            transpose_out::<u32, Delegate, LANES>(
                &tile.who,
                classes,
                delegates,
                Delegate::from_code,
            );
        }
        transpose_out::<F, F, LANES>(&tile.values, classes, coherent, |value| value);
        bad
    }
}
