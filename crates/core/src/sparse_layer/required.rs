//! Rows of which few classes are listed, under requirements: which class gives way depends on all classes, so the
//! whole row is settled, in which what is not listed is −∞, as surely absent as can be.

use super::error::SparseError;
use super::workspace::SparseMargin;
use crate::delegate::Delegate;
use crate::label::{LabelId, Labels};
use crate::layer::{ConstraintLayer, LayerError, LayerWorkspace};
use crate::margin::Margin;
use crate::program::Program;
use crate::threshold::Thresholds;

/// What settles whole rows.
#[derive(Clone, Debug)]
pub(super) struct Required {
    layer: ConstraintLayer,
    /// Of each class: whether it holds in the row that lists nothing.
    pub holds: Vec<bool>,
}

/// The memory for one row.
#[derive(Debug)]
pub(super) struct WholeRow<F> {
    own: Vec<F>,
    coherent: Vec<F>,
    delegates: Vec<Delegate>,
    listed: Vec<LabelId>,
    is_listed: Vec<bool>,
    workspace: LayerWorkspace<F>,
}

impl Required {
    /// `None` if there are no requirements.
    pub fn new(program: &Program) -> Result<Option<Self>, SparseError> {
        if !program.has_requirements() {
            return Ok(None);
        }
        let classes = program.labels().len();
        let halves = Thresholds::half(classes);
        let mut required = Self { layer: ConstraintLayer::new(program, halves), holds: Vec::new() };
        let mut row = required.row::<f32>();
        required.settle(&mut row)?;
        required.holds = row.coherent.iter().map(|value| value.is_predicted()).collect();
        Ok(Some(required))
    }

    pub fn row<F: Margin>(&self) -> WholeRow<F> {
        let classes = self.layer.classes();
        WholeRow {
            own: vec![F::FALSE; classes],
            coherent: vec![F::FALSE; classes],
            delegates: vec![Delegate::default(); classes],
            listed: Vec::new(),
            is_listed: vec![false; classes],
            workspace: self.layer.workspace_for(1),
        }
    }

    fn settle<F: Margin>(&self, row: &mut WholeRow<F>) -> Result<(), SparseError> {
        let WholeRow { own, coherent, delegates, workspace, .. } = row;
        let done = self.layer.forward_with_delegates(own, coherent, delegates, workspace);
        done.map_err(|error| match error {
            LayerError::Unsettled { limit, lines, .. } => SparseError::Unsettled { limit, lines },
            error => unreachable!("margins were checked, and buffers are of one row: {error}"),
        })
    }

    /// The coherent margins above −∞ of a row, in the order of the classes.
    pub fn forward<F: Margin>(
        &self,
        listed: impl IntoIterator<Item = (LabelId, F)>,
        names: &Labels,
        row: &mut WholeRow<F>,
        result: &mut Vec<SparseMargin<F>>,
    ) -> Result<(), SparseError> {
        let done = self.list(listed, names, row).and_then(|()| self.settle(row));
        for label in row.listed.drain(..) {
            row.own[label.index()] = F::FALSE;
            row.is_listed[label.index()] = false;
        }
        done?;
        for (class, (&value, &delegate)) in row.coherent.iter().zip(&row.delegates).enumerate() {
            if value > F::FALSE {
                result.push(SparseMargin { label: LabelId::new(class), value, delegate });
            }
        }
        Ok(())
    }

    fn list<F: Margin>(
        &self,
        listed: impl IntoIterator<Item = (LabelId, F)>,
        names: &Labels,
        row: &mut WholeRow<F>,
    ) -> Result<(), SparseError> {
        for (label, margin) in listed {
            if label.index() >= names.len() {
                let (class, classes) = (label.index() as i64, names.len());
                return Err(SparseError::NoClass { class, classes });
            }
            if margin.is_nan() {
                return Err(SparseError::NotANumber { label: names.name(label).to_owned() });
            }
            if std::mem::replace(&mut row.is_listed[label.index()], true) {
                return Err(SparseError::Duplicate { label: names.name(label).to_owned() });
            }
            row.listed.push(label);
            row.own[label.index()] = margin;
        }
        Ok(())
    }
}
