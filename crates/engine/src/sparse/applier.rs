//! One row of listed scores made coherent.

use rulebound_core::{
    Delegate, LabelId, Margin, Program, SparseError, SparseLayer, SparseWorkspace, Thresholds,
};

use super::cut::Cut;
use super::error::{CutError, SparseRowError};
use crate::scores::{RankedMargin, Scale, ScoreKind};

/// A class of a coherent row.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ListedScore {
    /// The class.
    pub label: LabelId,
    /// Its coherent score.
    pub score: f64,
    /// What decided it.
    pub delegate: Delegate,
    pub(super) margin: RankedMargin,
}

impl ListedScore {
    /// Whether the class is predicted.
    pub fn is_predicted(&self) -> bool {
        self.margin.is_predicted()
    }
}

/// Rules and what the scores mean: makes lists of scores coherent.
///
/// ```
/// use rulebound::apply::ScoreKind;
/// use rulebound::core::{Program, SparseLayer, Thresholds};
/// use rulebound::sparse::{ScoreLists, SparseApplier};
/// let program: Program = "siamese -> cat\ncat -> animal\ndog -> animal".parse()?;
/// let layer = SparseLayer::new(&program)?;
/// let halves = Thresholds::uniform(4, 0.5)?;
/// let applier = SparseApplier::new(&program, &layer, halves, ScoreKind::Probability, true);
/// // A row with a siamese, and a row with nothing.
/// let lists = ScoreLists::new(&[0, 1, 1], &[0], &[0.9f32])?;
/// let coherent = applier.apply(lists, false)?;
/// assert_eq!(coherent.offsets, [0, 3, 3]);
/// assert_eq!(coherent.classes, [0, 1, 2]);
/// assert_eq!(coherent.scores, [0.9; 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SparseApplier<'a> {
    pub(super) program: &'a Program,
    pub(super) layer: &'a SparseLayer,
    scale: Scale,
    kind: ScoreKind,
    cut: Cut,
}

/// The memory of one thread, reused for every row.
#[derive(Debug)]
pub struct SparseScratch {
    workspace: SparseWorkspace<RankedMargin>,
    /// The scores of the present row by class; the others are those of a class that is not listed.
    scores: Vec<f64>,
    result: Vec<ListedScore>,
}

impl<'a> SparseApplier<'a> {
    /// What applies the rules of `layer`; `is_f32` if scores are written as `f32`.
    ///
    /// # Panics
    /// If the layer or the thresholds are of another number of classes than the program.
    pub fn new(
        program: &'a Program,
        layer: &'a SparseLayer,
        thresholds: Thresholds,
        kind: ScoreKind,
        is_f32: bool,
    ) -> Self {
        let classes = program.labels().len();
        assert_eq!((layer.classes(), thresholds.len()), (classes, classes), "one for each class");
        let scale = Scale::new(kind, thresholds, is_f32);
        Self { program, layer, scale, kind, cut: Cut::default() }
    }

    /// The same, keeping only some classes of each row.
    ///
    /// # Errors
    /// If what is kept could break a rule.
    pub fn cut(mut self, cut: Cut) -> Result<Self, CutError> {
        cut.check(self.program, &self.scale)?;
        self.cut = cut;
        Ok(self)
    }

    /// The score of a class that is not listed.
    pub fn absent(&self) -> f64 {
        match self.kind {
            ScoreKind::Probability => 0.0,
            ScoreKind::Logit => f64::NEG_INFINITY,
        }
    }

    /// Allocates the memory of one thread.
    pub fn scratch(&self) -> SparseScratch {
        SparseScratch {
            workspace: self.layer.workspace(),
            scores: vec![self.absent(); self.layer.classes()],
            result: Vec::new(),
        }
    }

    /// The coherent scores of a row, given as numbers of classes and their scores, in the order of the classes.
    ///
    /// # Errors
    /// If a class does not exist or is listed twice, or a score is not allowed.
    pub fn apply_row<'s>(
        &self,
        row: impl Iterator<Item = (usize, f64)> + Clone,
        scratch: &'s mut SparseScratch,
    ) -> Result<&'s [ListedScore], SparseRowError> {
        let SparseScratch { workspace, scores, result } = scratch;
        let classes = scores.len();
        result.clear();
        let done = row
            .clone()
            .try_for_each(|(class, score)| {
                let Some(place) = scores.get_mut(class) else {
                    let class = class as i64;
                    return Err(SparseError::NoClass { class, classes }.into());
                };
                *place = score;
                match self.kind.rejects(score) {
                    None => Ok(()),
                    Some(reason) => {
                        let label = self.program.labels().name(LabelId::new(class)).to_owned();
                        Err(SparseRowError::BadScore { label, value: score, reason })
                    }
                }
            })
            .and_then(|()| {
                let margins = row.clone().map(|(class, score)| {
                    let label = LabelId::new(class);
                    (label, self.scale.margin(label, score))
                });
                for one in self.layer.forward(margins, workspace)? {
                    let (label, delegate) = (one.label, one.delegate);
                    let cell = self.scale.cell(label, delegate, scores);
                    let score = cell.value(scores, label.index());
                    result.push(ListedScore { label, score, delegate, margin: one.value });
                }
                Ok(())
            });
        for (class, _) in row {
            if let Some(place) = scores.get_mut(class) {
                *place = self.absent();
            }
        }
        done?;
        if !self.cut.is_none() {
            self.cut.run(self.layer, result);
        }
        Ok(result)
    }
}
