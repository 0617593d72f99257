//! Scores in memory → coherent scores: the same numbers that [`apply`](super::apply) writes.

use rulebound_core::{
    ConstraintLayer, Delegate, FloatMargin, LabelId, LayerError, LayerWorkspace, Margin, Program,
    Thresholds,
};

use super::ScoreKind;
use super::batch_error::BatchError;
use super::part::Part;
use super::selection::Selection;
use rulebound_io::scores::{RankedMargin, Scale};

/// Rules and what the scores mean: makes scores in memory coherent.
///
/// ```
/// use rulebound_apply::apply::{Applier, ScoreKind};
/// use rulebound_core::{ConstraintLayer, Program, Thresholds};
/// let program: Program = "cat -> animal".parse()?;
/// let thresholds = Thresholds::half(2);
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

/// The buffers of one thread, reused for every part of a batch.
pub(super) struct Buffers {
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
        let batch = Part { first_row: 0, scores, coherent, decisions, delegates };
        let classes = self.layer.classes();
        let (program, layer) = (self.program, self.layer);
        let Some(selection) = Selection::new(program, layer, &self.thresholds, self.kind) else {
            let run = |buffers: &mut Buffers, part: &mut Part<'_, F>| {
                self.run_margins(&scale, part, buffers)
            };
            return batch.run_all(classes, || self.buffers(), run);
        };
        let new = || (layer.workspace_for(1), None);
        batch.run_all(classes, new, |(workspace, buffers), part| {
            if selection.run(part, workspace)? {
                return Ok(());
            }
            self.run_margins(&scale, part, buffers.get_or_insert_with(|| self.buffers()))
        })
    }

    pub(super) fn buffers(&self) -> Buffers {
        Buffers {
            scores: Vec::new(),
            margins: Vec::new(),
            coherent: Vec::new(),
            delegates: Vec::new(),
            workspace: self.layer.workspace_for(1),
        }
    }

    /// Runs a part by way of margins.
    pub(super) fn run_margins<F: FloatMargin>(
        &self,
        scale: &Scale,
        part: &mut Part<'_, F>,
        buffers: &mut Buffers,
    ) -> Result<(), BatchError> {
        let labels = self.program.labels();
        let classes = labels.len();
        let Buffers { scores: values, margins, coherent, delegates, workspace } = buffers;
        values.clear();
        values.extend(part.scores.iter().map(|score| score.to_f64()));
        margins.clear();
        for (at, row) in values.chunks(classes).enumerate() {
            for (class, &value) in row.iter().enumerate() {
                if let Some(reason) = self.kind.rejects(value) {
                    let label = labels.name(LabelId::new(class)).to_owned();
                    let row = part.first_row + at;
                    return Err(BatchError::BadScore { row, label, value, reason });
                }
                margins.push(scale.margin(LabelId::new(class), value));
            }
        }
        coherent.resize(values.len(), RankedMargin::default());
        delegates.resize(values.len(), Delegate::default());
        let done = self.layer.forward_with_delegates(margins, coherent, delegates, workspace);
        done.map_err(|error| match error {
            LayerError::Unsettled { row, limit, lines } => {
                LayerError::Unsettled { row: part.first_row + row, limit, lines }
            }
            error => error,
        })?;
        let rows = values.chunks(classes).zip(delegates.chunks(classes));
        for ((row, by), to) in rows.zip(part.coherent.chunks_mut(classes)) {
            for (class, (to, &delegate)) in to.iter_mut().zip(by).enumerate() {
                let cell = scale.cell(LabelId::new(class), delegate, row);
                *to = F::from_f64(cell.value(row, class));
            }
        }
        for (to, margin) in part.decisions.iter_mut().zip(&*coherent) {
            *to = margin.is_predicted();
        }
        if !part.delegates.is_empty() {
            part.delegates.copy_from_slice(delegates);
        }
        Ok(())
    }
}
