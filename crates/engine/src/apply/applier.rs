//! Scores in memory → coherent scores: the same numbers that [`apply`](super::apply) writes.

use rulebound_core::{
    ConstraintLayer, Delegate, FloatMargin, LabelId, LayerError, LayerWorkspace, Margin, Program,
    Thresholds,
};

use super::ScoreKind;
use crate::scores::{BadReason, RankedMargin, Scale};

/// The most cells that are worked on at once.
const CELLS: usize = 1 << 16;

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
    #[error("row {row}: the score {value} of `{label}` {reason}")]
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

/// The buffers, reused for every part of a batch.
struct Buffers {
    scores: Vec<f64>,
    margins: Vec<RankedMargin>,
    coherent: Vec<RankedMargin>,
    delegates: Vec<Delegate>,
    workspace: LayerWorkspace<RankedMargin>,
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
        mut decisions: Option<&mut [bool]>,
        mut delegates: Option<&mut [Delegate]>,
    ) -> Result<(), BatchError> {
        let classes = self.layer.classes().max(1);
        for found in [
            Some(coherent.len()),
            decisions.as_ref().map(|decisions| decisions.len()),
            delegates.as_ref().map(|delegates| delegates.len()),
        ] {
            if found.is_some_and(|found| found != scores.len()) {
                let (buffer, expected) = ("a buffer of results", scores.len().to_string());
                let found = found.unwrap_or_default();
                return Err(LayerError::Shape { buffer, expected, found }.into());
            }
        }
        let scale = Scale::new(self.kind, self.thresholds.clone(), size_of::<F>() == 4);
        let mut buffers = Buffers {
            scores: Vec::new(),
            margins: Vec::new(),
            coherent: Vec::new(),
            delegates: Vec::new(),
            workspace: self.layer.workspace(),
        };
        let part = (CELLS / classes).max(1) * classes;
        for start in (0..scores.len()).step_by(part) {
            let at = start..(start + part).min(scores.len());
            self.run(&scale, start / classes, &scores[at.clone()], &mut buffers)?;
            let Buffers { scores, coherent: margins, delegates: by, .. } = &buffers;
            let row_of = |cell: usize| &scores[cell / classes * classes..];
            for (cell, to) in coherent[at.clone()].iter_mut().enumerate() {
                let label = cell % classes;
                let row = &row_of(cell)[..classes];
                let value = scale.cell(LabelId::new(label), by[cell], row).value(row, label);
                *to = F::from_f64(value);
            }
            if let Some(decisions) = &mut decisions {
                let decided = decisions[at.clone()].iter_mut().zip(margins);
                decided.for_each(|(to, margin)| *to = margin.is_predicted());
            }
            if let Some(delegates) = &mut delegates {
                delegates[at].copy_from_slice(by);
            }
        }
        Ok(())
    }

    fn run<F: FloatMargin>(
        &self,
        scale: &Scale,
        first_row: usize,
        scores: &[F],
        buffers: &mut Buffers,
    ) -> Result<(), BatchError> {
        let labels = self.program.labels();
        buffers.scores.clear();
        buffers.scores.extend(scores.iter().map(|score| score.to_f64()));
        buffers.margins.clear();
        for (at, &value) in buffers.scores.iter().enumerate() {
            let class = LabelId::new(at % labels.len());
            if let Some(reason) = self.kind.rejects(value) {
                let (row, label) = (first_row + at / labels.len(), labels.name(class).to_owned());
                return Err(BatchError::BadScore { row, label, value, reason });
            }
            buffers.margins.push(scale.margin(class, value));
        }
        buffers.coherent.resize(scores.len(), RankedMargin::default());
        buffers.delegates.resize(scores.len(), Delegate::default());
        let Buffers { margins, coherent, delegates, workspace, .. } = buffers;
        Ok(self.layer.forward_with_delegates(margins, coherent, delegates, workspace)?)
    }
}
