//! Requirements, settled after the rules have raised their heads; what an overruled class raised is
//! taken back ([`Raising`]).

use super::error::LayerError;
use super::plan::CpuPlan;
use super::raising::Raising;
use crate::delegate::Delegate;
use crate::label::LabelId;
use crate::margin::Margin;
use crate::program::Program;
use crate::settle::{SettleSpace, Settler, Unsettled};
use std::sync::Arc;

crate::named_enum! {
    /// What becomes of a row whose requirements could not be settled within the limit.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub enum UnsettledRows: "a treatment of rows that cannot be settled" {
        /// It is an error, and nothing is written.
        #[default]
        Error = "error",
        /// It is named and has no scores and no decisions.
        Mark = "mark",
        /// It is named and keeps the scores it came with, which may break rules and requirements.
        Raw = "raw",
    }
}

/// What settles the rows of a program with requirements.
#[derive(Clone, Debug)]
pub(crate) struct Settling {
    settler: Arc<Settler>,
    /// Rows that cannot be settled are no error.
    passes: bool,
    classes: usize,
    /// The classes that occur in bodies: what they raise is taken back where they are overruled.
    body_classes: Vec<u32>,
    /// The lines of all rules, then of all requirements.
    lines: Arc<[u32]>,
}

/// The memory of [`Settling::settle_row`], kept between rows.
#[derive(Clone, Debug)]
pub(crate) struct SettlingSpace<F> {
    pub settle: SettleSpace,
    /// `None` where no rule has a body.
    pub raising: Option<Raising<F>>,
    /// The row as the rules left it, before it was settled for the last time.
    pub raised: Vec<F>,
}

/// What became of some rows.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) enum Outcome {
    #[default]
    Coherent,
    /// A margin is NaN.
    NotANumber,
    /// [`LayerError::Unsettled`].
    Unsettled(LayerError),
}

impl Outcome {
    /// That of two parts of a batch, of which `self` comes first.
    pub fn first(self, other: Self) -> Self {
        match (self, other) {
            (Self::NotANumber, _) | (_, Self::NotANumber) => Self::NotANumber,
            (Self::Coherent, other) => other,
            (first, _) => first,
        }
    }
}

impl Settling {
    pub fn new(program: &Program, plan: &CpuPlan) -> Option<Self> {
        let settler = Arc::clone(program.settler()?);
        let rules = program.rule_ids().map(|id| program.span(id).line);
        let requirements = program.requirement_ids().map(|id| program.requirement_span(id).line);
        let lines = rules.chain(requirements).collect();
        let (classes, body_classes) = (program.labels().len(), plan.body_classes());
        Some(Self { settler, passes: false, classes, body_classes, lines })
    }

    /// The same in which a row that cannot be settled keeps the margins it came with, and is noted.
    pub fn passing(mut self, passes: bool) -> Self {
        self.passes = passes;
        self
    }

    pub fn settler(&self) -> &Settler {
        &self.settler
    }

    pub fn space<F: Margin>(&self, plan: &CpuPlan) -> SettlingSpace<F> {
        let raises = !self.body_classes.is_empty();
        SettlingSpace {
            settle: self.settler.space(),
            raising: raises.then(|| Raising::new(plan)),
            raised: Vec::with_capacity(self.classes),
        }
    }

    /// About how many numbers one row touches.
    pub fn cost(&self) -> usize {
        self.settler.cost()
    }

    /// Settles whole rows in place, the first of which has this number; `own` are the margins of the model,
    /// before the rules.
    #[allow(clippy::too_many_arguments, reason = "a batch, and where its rows go")]
    pub(super) fn settle_rows<F: Margin>(
        &self,
        plan: &CpuPlan,
        first_row: usize,
        own: &[F],
        values: &mut [F],
        delegates: &mut [Delegate],
        space: Option<&mut SettlingSpace<F>>,
        noted: &mut Vec<LayerError>,
    ) -> Outcome {
        let Some(space) = space else { return Outcome::Coherent };
        let mut delegates = delegates.chunks_mut(self.classes);
        let rows = own.chunks(self.classes).zip(values.chunks_mut(self.classes));
        for (at, (own, values)) in rows.enumerate() {
            let delegates = delegates.next().unwrap_or_default();
            if let Err(unsettled) = self.settle_row(plan, own, values, delegates, space) {
                let error = self.error(first_row + at, &unsettled);
                if !self.passes {
                    return Outcome::Unsettled(error);
                }
                noted.push(error);
                for (value, margin) in values.iter_mut().zip(own) {
                    *value = margin.canonical();
                }
                for (class, delegate) in delegates.iter_mut().enumerate() {
                    *delegate = Delegate::own(LabelId::new(class));
                }
            }
        }
        Outcome::Coherent
    }

    /// Settles one row of raised margins in place, and takes back what overruled classes had raised; `own`
    /// are the margins of the model, and `delegates` of the same row, or empty.
    pub fn settle_row<F: Margin>(
        &self,
        plan: &CpuPlan,
        own: &[F],
        values: &mut [F],
        delegates: &mut [Delegate],
        space: &mut SettlingSpace<F>,
    ) -> Result<(), Unsettled> {
        let SettlingSpace { settle, raising, raised } = space;
        raised.clear();
        raised.extend_from_slice(values);
        self.settler.settle(values, delegates, settle)?;
        let Some(raising) = raising else { return Ok(()) };
        raising.start();
        while raising.note_overruled(&self.body_classes, raised, values, delegates) {
            raising.run(plan, own);
            for (class, reading) in raising.readings.iter().enumerate() {
                values[class] = reading.value;
                if let Some(delegate) = delegates.get_mut(class) {
                    *delegate = reading.delegate;
                }
            }
            raised.copy_from_slice(values);
            self.settler.settle(values, delegates, settle)?;
        }
        Ok(())
    }

    /// The error for a row that was not settled within the limit.
    pub fn error(&self, row: usize, unsettled: &Unsettled) -> LayerError {
        let mut lines: Vec<u32> =
            unsettled.sources.iter().map(|&source| self.lines[source as usize]).collect();
        lines.sort_unstable();
        lines.dedup();
        LayerError::Unsettled { row, limit: self.settler.limit(), lines }
    }
}
