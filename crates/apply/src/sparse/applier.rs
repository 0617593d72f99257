//! One row of listed scores made coherent.

use rulebound_core::{
    Delegate, LabelId, Program, ProgramKind, SparseError, SparseLayer, SparseWorkspace, Thresholds,
};

use super::cut::Cut;
use super::error::{CutError, SparseRowError};
use rulebound_io::scores::{RankedMargin, Scale, ScoreKind};

/// A class of a coherent row.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ListedScore {
    /// The class.
    pub label: LabelId,
    /// Its coherent score.
    pub score: f64,
    /// What decided it.
    pub delegate: Delegate,
    /// What classes of the row are ordered by.
    pub(super) margin: RankedMargin,
}

/// Rules and what the scores mean: makes lists of scores coherent.
///
/// ```
/// use rulebound_apply::apply::ScoreKind;
/// use rulebound_core::{Program, SparseLayer, Thresholds};
/// use rulebound_apply::sparse::{ScoreLists, SparseApplier};
/// let program: Program = "siamese -> cat\ncat -> animal\ndog -> animal".parse()?;
/// let layer = SparseLayer::new(&program)?;
/// let halves = Thresholds::half(4);
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
    /// Whether the order of scores decides everything: no negation, facts or requirements, one threshold for all classes.
    selects: bool,
}

/// The memory of one thread, reused for every row.
#[derive(Debug)]
pub struct SparseScratch {
    /// For scores whose order decides; for all others, margins. The memory of each is allocated at its first use.
    selected: Option<SparseWorkspace<f64>>,
    workspace: Option<SparseWorkspace<RankedMargin>>,
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
        let scale = Scale::new(kind, thresholds, is_f32).of_program(program);
        let has_facts = program.rules().iter().any(|rule| rule.body().is_empty());
        let is_definite = program.kind() == ProgramKind::Definite && !program.has_requirements();
        let selects = is_definite && !has_facts && scale.is_uniform();
        Self { program, layer, scale, kind, cut: Cut::default(), selects }
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
            selected: None,
            workspace: None,
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
        scratch.result.clear();
        let selects = self.check(row.clone())?;
        if selects {
            self.select(row, scratch)?;
        } else {
            for (class, score) in row.clone() {
                scratch.scores[class] = score;
            }
            let done = self.run_margins(row.clone(), scratch);
            for (class, _) in row {
                scratch.scores[class] = self.absent();
            }
            done?;
        }
        if !self.cut.is_none() {
            self.cut.run(self.layer, &mut scratch.result);
        }
        Ok(&scratch.result)
    }

    /// Checks classes and scores of a row; whether the layer orders the scores as numbers.
    fn check(&self, row: impl Iterator<Item = (usize, f64)>) -> Result<bool, SparseRowError> {
        let classes = self.layer.classes();
        let mut selects = self.selects;
        for (class, score) in row {
            if class >= classes {
                let class = class as i64;
                return Err(SparseError::NoClass { class, classes }.into());
            }
            if let Some(reason) = self.kind.rejects(score) {
                let label = self.program.labels().name(LabelId::new(class)).to_owned();
                return Err(SparseRowError::BadScore { label, value: score, reason });
            }
            // The layer moves 0 to the number below it that is next to none of these.
            selects &= match self.kind {
                ScoreKind::Probability => true,
                ScoreKind::Logit => score.abs() > f64::MIN_POSITIVE,
            };
        }
        Ok(selects)
    }

    /// Runs a row whose scores are only selected: the layer takes them as they are.
    fn select(
        &self,
        row: impl Iterator<Item = (usize, f64)>,
        scratch: &mut SparseScratch,
    ) -> Result<(), SparseRowError> {
        let SparseScratch { selected, result, .. } = scratch;
        let workspace = selected.get_or_insert_with(|| self.layer.workspace());
        // A probability of 0 is that of a class that is not listed; as a number it would be more.
        let own = |(class, score): (usize, f64)| match self.kind {
            ScoreKind::Probability if score == 0.0 => (LabelId::new(class), f64::NEG_INFINITY),
            _ => (LabelId::new(class), score),
        };
        let coherent = self.layer.forward(row.map(own), workspace)?;
        result.extend(coherent.iter().map(|one| ListedScore {
            label: one.label,
            score: one.value,
            delegate: one.delegate,
            margin: RankedMargin::in_order_of(one.value),
        }));
        Ok(())
    }

    /// Runs a row by way of margins; the scores are those of the row.
    fn run_margins(
        &self,
        row: impl Iterator<Item = (usize, f64)>,
        scratch: &mut SparseScratch,
    ) -> Result<(), SparseRowError> {
        let SparseScratch { workspace, scores, result, .. } = scratch;
        let workspace = workspace.get_or_insert_with(|| self.layer.workspace());
        let margins = row.map(|(class, score)| {
            let label = LabelId::new(class);
            (label, self.scale.margin(label, score))
        });
        for one in self.layer.forward(margins, workspace)? {
            let (label, delegate) = (one.label, one.delegate);
            let score = self.scale.cell(label, delegate, scores).value(scores, label.index());
            result.push(ListedScore { label, score, delegate, margin: one.value });
        }
        Ok(())
    }
}
