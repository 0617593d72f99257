//! Scores in memory → coherent scores: the same numbers that [`apply`](super::apply) writes.

use rulebound_core::{
    ConstraintLayer, Delegate, FloatMargin, LabelId, LayerError, LayerWorkspace, Margin, Program,
    ProgramKind, Thresholds,
};

use rayon::prelude::*;

use super::ScoreKind;
use crate::scores::{BadReason, ExactMargin, Scale};

/// About how many cells are worked on at once by a thread.
const CELLS: usize = 1 << 15;

/// Rows come in multiples of what the layer takes side by side.
const ROWS: usize = 16;

/// Rules and what the scores mean: makes scores in memory coherent.
///
/// ```
/// use rulebound::apply::{Applier, ScoreKind};
/// use rulebound::core::{ConstraintLayer, Program, Thresholds};
/// let program: Program = "cat -> animal".parse()?;
/// let thresholds = Thresholds::uniform(2, 0.5)?;
/// let layer = ConstraintLayer::new(&program, thresholds.clone());
/// let applier = Applier::new(&program, &layer, thresholds, ScoreKind::Probability);
/// let mut coherent = [0.0f32; 2];
/// applier.apply(&[0.9, 0.2], &mut coherent, None, None)?;
/// assert_eq!(coherent, [0.9, 0.9]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Applier<'a> {
    program: &'a Program,
    layer: &'a ConstraintLayer,
    thresholds: Thresholds,
    kind: ScoreKind,
}

/// Why scores in memory cannot be made coherent.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// A score is not allowed.
    #[error("row {row}: the score{} of `{label}` {reason}", shown(*value))]
    BadScore {
        /// The row, from 0.
        row: usize,
        /// The class.
        label: String,
        /// The score.
        value: f64,
        /// Why.
        reason: BadReason,
    },
    /// The layer could not run.
    #[error(transparent)]
    Layer(#[from] LayerError),
}

fn shown(value: f64) -> String {
    if value.is_nan() { String::new() } else { format!(" {value}") }
}

/// What a batch becomes; what is not asked for is empty.
struct Results<'a, F> {
    coherent: &'a mut [F],
    decisions: &'a mut [bool],
    delegates: &'a mut [Delegate],
}

/// The buffers of one thread, reused for every part of a batch.
struct Buffers<M> {
    scores: Vec<f64>,
    margins: Vec<M>,
    coherent: Vec<M>,
    delegates: Vec<Delegate>,
    workspace: LayerWorkspace<M>,
}

impl<'a> Applier<'a> {
    /// What applies the rules of `layer`, whose own thresholds are not used.
    ///
    /// # Panics
    /// If the layer or the thresholds are of another number of classes than the program.
    pub fn new(
        program: &'a Program,
        layer: &'a ConstraintLayer,
        thresholds: Thresholds,
        kind: ScoreKind,
    ) -> Self {
        let classes = program.labels().len();
        assert_eq!((layer.classes(), thresholds.len()), (classes, classes), "one for each class");
        Self { program, layer, thresholds, kind }
    }

    /// Fills `coherent` with the coherent scores of a batch, row-major `[batch × classes]`, and on request
    /// `decisions` and `delegates`. All numbers are those of a table whose columns have the type `F`.
    ///
    /// # Errors
    /// The first score that is not allowed, or buffers of different lengths.
    pub fn apply<F: FloatMargin>(
        &self,
        scores: &[F],
        coherent: &mut [F],
        decisions: Option<&mut [bool]>,
        delegates: Option<&mut [Delegate]>,
    ) -> Result<(), BatchError> {
        let (decisions, delegates) = (decisions.unwrap_or_default(), delegates.unwrap_or_default());
        for (found, is_asked) in [
            (coherent.len(), true),
            (decisions.len(), !decisions.is_empty()),
            (delegates.len(), !delegates.is_empty()),
        ] {
            if is_asked && found != scores.len() {
                let (buffer, expected) = ("a buffer of results", scores.len().to_string());
                return Err(LayerError::Shape { buffer, expected, found }.into());
            }
        }
        let scale = Scale::new(self.kind, self.thresholds.clone(), size_of::<F>() == 4)
            .of_program(self.program);
        let results = Results { coherent, decisions, delegates };
        let is_definite =
            self.program.kind() == ProgramKind::Definite && !self.program.has_requirements();
        if is_definite && scale.has_exact_margins() {
            let margin = |label, score| ExactMargin::new(scale.margin(label, score));
            self.run_parts(&scale, scores, results, &margin)
        } else {
            self.run_parts(&scale, scores, results, &|label, score| scale.margin(label, score))
        }
    }

    /// Runs all parts of a batch, on several threads. The error is that of the first bad score.
    fn run_parts<F: FloatMargin, M: Margin>(
        &self,
        scale: &Scale,
        scores: &[F],
        results: Results<'_, F>,
        margin: &(impl Fn(LabelId, f64) -> M + Sync),
    ) -> Result<(), BatchError> {
        let classes = self.layer.classes();
        if scores.is_empty() {
            return Ok(());
        }
        if !scores.len().is_multiple_of(classes.max(1)) || classes == 0 {
            let expected = format!("a multiple of {classes}, the number of classes");
            let (buffer, found) = ("the batch of scores", scores.len());
            return Err(LayerError::Shape { buffer, expected, found }.into());
        }
        let rows = (CELLS / classes).next_multiple_of(ROWS).max(ROWS);
        let part = rows * classes;
        let Results { coherent, mut decisions, mut delegates } = results;
        // Taken apart by hand: what is not asked for has no parts.
        let mut parts = Vec::with_capacity(scores.len().div_ceil(part));
        for (at, (scores, coherent)) in
            scores.chunks(part).zip(coherent.chunks_mut(part)).enumerate()
        {
            let size = scores.len();
            let (decided, rest) = decisions.split_at_mut(size.min(decisions.len()));
            decisions = rest;
            let (by, rest) = delegates.split_at_mut(size.min(delegates.len()));
            delegates = rest;
            parts.push((
                at * rows,
                scores,
                Results { coherent, decisions: decided, delegates: by },
            ));
        }
        if let [_] = &parts[..]
            && let Some((row, scores, results)) = parts.pop()
        {
            return self.run(scale, row, scores, results, margin, &mut self.buffers());
        }
        let run = |buffers: &mut Buffers<M>, (row, scores, results)| {
            self.run(scale, row, scores, results, margin, buffers).err()
        };
        let errors = parts.into_par_iter().map_init(|| self.buffers(), run);
        match errors.flatten_iter().min_by_key(BatchError::row) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn buffers<M: Margin>(&self) -> Buffers<M> {
        Buffers {
            scores: Vec::new(),
            margins: Vec::new(),
            coherent: Vec::new(),
            delegates: Vec::new(),
            workspace: self.layer.workspace(),
        }
    }

    /// Runs whole rows, of which the first has this number.
    fn run<F: FloatMargin, M: Margin>(
        &self,
        scale: &Scale,
        first_row: usize,
        scores: &[F],
        results: Results<'_, F>,
        margin: &impl Fn(LabelId, f64) -> M,
        buffers: &mut Buffers<M>,
    ) -> Result<(), BatchError> {
        let labels = self.program.labels();
        let classes = labels.len();
        let Buffers { scores: values, margins, coherent, delegates, workspace } = buffers;
        values.clear();
        values.extend(scores.iter().map(|score| score.to_f64()));
        margins.clear();
        for (at, row) in values.chunks(classes).enumerate() {
            for (class, &value) in row.iter().enumerate() {
                if let Some(reason) = self.kind.rejects(value) {
                    let label = labels.name(LabelId::new(class)).to_owned();
                    let row = first_row + at;
                    return Err(BatchError::BadScore { row, label, value, reason });
                }
                margins.push(margin(LabelId::new(class), value));
            }
        }
        coherent.resize(scores.len(), M::default());
        delegates.resize(scores.len(), Delegate::default());
        self.layer.forward_with_delegates(margins, coherent, delegates, workspace)?;
        let rows = values.chunks(classes).zip(delegates.chunks(classes));
        for ((row, by), to) in rows.zip(results.coherent.chunks_mut(classes)) {
            for (class, (to, &delegate)) in to.iter_mut().zip(by).enumerate() {
                let cell = scale.cell(LabelId::new(class), delegate, row);
                *to = F::from_f64(cell.value(row, class));
            }
        }
        for (to, margin) in results.decisions.iter_mut().zip(&*coherent) {
            *to = margin.is_predicted();
        }
        if !results.delegates.is_empty() {
            results.delegates.copy_from_slice(delegates);
        }
        Ok(())
    }
}

impl BatchError {
    /// The row that is to blame, from 0.
    fn row(&self) -> usize {
        match self {
            Self::BadScore { row, .. }
            | Self::Layer(LayerError::NotANumber { row, .. } | LayerError::Unsettled { row, .. }) => {
                *row
            }
            Self::Layer(_) => 0,
        }
    }
}
