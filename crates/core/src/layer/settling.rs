//! Requirements, settled after the rules have raised their heads.

use super::error::LayerError;
use crate::delegate::Delegate;
use crate::label::LabelId;
use crate::margin::Margin;
use crate::program::Program;
use crate::settle::{Ordered, OrderedTooLarge, SettleSpace, Settler, Unsettled};
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
    /// In a fixed order instead.
    ordered: Option<Arc<Ordered>>,
    /// Rows that cannot be settled are no error.
    passes: bool,
    classes: usize,
    /// The lines of all rules, then of all requirements.
    lines: Arc<[u32]>,
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
    pub fn new(program: &Program) -> Option<Self> {
        let settler = Arc::clone(program.settler()?);
        let rules = program.rule_ids().map(|id| program.span(id).line);
        let requirements = program.requirement_ids().map(|id| program.requirement_span(id).line);
        let lines = rules.chain(requirements).collect();
        let classes = program.labels().len();
        Some(Self { settler, ordered: None, passes: false, classes, lines })
    }

    /// The same in a fixed order: preferred classes first, then as listed.
    pub fn in_order(mut self, program: &Program) -> Result<Self, OrderedTooLarge> {
        let (rules, requirements) = (program.rules(), program.requirements());
        let ordered = Ordered::new(self.classes, rules, requirements, program.preferred())?;
        self.ordered = Some(Arc::new(ordered));
        Ok(self)
    }

    /// The same in which a row that cannot be settled keeps the margins it came with, and is noted.
    pub fn passing(mut self, passes: bool) -> Self {
        self.passes = passes;
        self
    }

    pub fn settler(&self) -> &Settler {
        &self.settler
    }

    pub fn space(&self) -> SettleSpace {
        self.settler.space()
    }

    /// About how many numbers one row touches.
    pub fn cost(&self) -> usize {
        self.settler.cost()
    }

    /// Settles whole rows in place, the first of which has this number; `margins` are those before the
    /// rules.
    pub(super) fn settle_rows<F: Margin>(
        &self,
        first_row: usize,
        margins: &[F],
        values: &mut [F],
        delegates: &mut [Delegate],
        space: Option<&mut SettleSpace>,
        noted: &mut Vec<LayerError>,
    ) -> Outcome {
        let Some(space) = space else { return Outcome::Coherent };
        let mut delegates = delegates.chunks_mut(self.classes);
        for (at, values) in values.chunks_mut(self.classes).enumerate() {
            let delegates = delegates.next().unwrap_or_default();
            if let Some(ordered) = &self.ordered {
                ordered.settle(values, delegates);
                continue;
            }
            if let Err(unsettled) = self.settler.settle(values, delegates, space) {
                let error = self.error(first_row + at, &unsettled);
                if !self.passes {
                    return Outcome::Unsettled(error);
                }
                noted.push(error);
                let margins = &margins[at * self.classes..][..self.classes];
                for (value, margin) in values.iter_mut().zip(margins) {
                    *value = margin.canonical();
                }
                for (class, delegate) in delegates.iter_mut().enumerate() {
                    *delegate = Delegate::own(LabelId::new(class));
                }
            }
        }
        Outcome::Coherent
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
