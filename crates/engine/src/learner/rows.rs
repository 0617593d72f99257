//! What a learner is fitted on.

use rulebound_core::Program;

use crate::dataset::LabelMatrix;

/// Encoded rows with their labels, and the rules among the classes.
#[derive(Clone, Copy, Debug)]
pub struct FitRows<'a> {
    inputs: &'a [f32],
    width: usize,
    labels: &'a LabelMatrix,
    program: &'a Program,
    nominal: &'a [u32],
    evaluated: &'a [bool],
}

impl<'a> FitRows<'a> {
    /// These rows, row-major with `width` inputs each. In pipelines that leave columns untouched,
    /// a missing value is NaN.
    ///
    /// # Panics
    /// If the numbers of rows or classes differ.
    pub fn new(
        inputs: &'a [f32],
        width: usize,
        labels: &'a LabelMatrix,
        program: &'a Program,
    ) -> Self {
        assert_eq!(inputs.len(), width * labels.rows(), "as many rows as labels");
        assert_eq!(labels.classes(), program.labels().len(), "the classes of the rules");
        Self { inputs, width, labels, program, nominal: &[], evaluated: &[] }
    }

    /// The same rows, some of whose inputs are codes of values: for each input the number of
    /// values, 0 for a number.
    ///
    /// # Panics
    /// If there is not one entry per input.
    #[must_use]
    pub fn with_nominal(self, values: &'a [u32]) -> Self {
        assert_eq!(values.len(), self.width, "one entry per input");
        Self { nominal: values, ..self }
    }

    /// The same rows, some of whose classes do not count: neither in losses nor in metrics.
    ///
    /// # Panics
    /// If there is not one entry per class.
    #[must_use]
    pub fn with_evaluated(self, evaluated: &'a [bool]) -> Self {
        assert_eq!(evaluated.len(), self.classes(), "one entry per class");
        Self { evaluated, ..self }
    }

    /// Whether a class counts in losses and metrics; all of them unless it was said otherwise.
    pub fn is_evaluated(&self, class: usize) -> bool {
        self.evaluated.get(class).is_none_or(|&is| is)
    }

    /// The number of values of an input that is a code (0, 1, …); `None` for a number.
    pub fn values(&self, input: usize) -> Option<u32> {
        self.nominal.get(input).copied().filter(|&values| values > 0)
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.labels.rows()
    }

    /// The number of inputs of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.labels.classes()
    }

    /// All inputs, row-major.
    pub fn inputs(&self) -> &'a [f32] {
        self.inputs
    }

    /// The inputs of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &'a [f32] {
        &self.inputs[row * self.width..][..self.width]
    }

    /// The labels, all of them known.
    pub fn labels(&self) -> &'a LabelMatrix {
        self.labels
    }

    /// The rules, in which some methods find a hierarchy.
    pub fn program(&self) -> &'a Program {
        self.program
    }
}

/// Why a learner could not be fitted.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// The stop flag was set.
    #[error("stopped")]
    Stopped,
    /// The method needs something that these data or rules do not have.
    #[error("{method}: {what}; {hint}")]
    Unsuitable {
        /// The method.
        method: &'static str,
        /// What is in the way.
        what: String,
        /// What to do.
        hint: &'static str,
    },
    /// Numbers grew without bound.
    #[error("{method}: the fit diverged ({what})")]
    Diverged {
        /// The method.
        method: &'static str,
        /// Where.
        what: String,
    },
}
