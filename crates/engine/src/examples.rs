//! Rows ready for training: encoded inputs and the labels to learn.

use crate::dataset::{Dataset, LabelMatrix, Pipeline, PipelineError};
use crate::features::{FeatureMatrix, FeatureRow};

/// Rows of inputs, dense or sparse, with their labels.
#[derive(Clone, Debug)]
pub struct Examples {
    inputs: FeatureMatrix,
    labels: LabelMatrix,
}

impl Examples {
    /// These rows, encoded by `pipeline`, with labels from `labels`.
    ///
    /// # Errors
    /// If the data lacks a column of the pipeline.
    pub fn new(
        data: &Dataset,
        labels: &LabelMatrix,
        pipeline: &Pipeline,
        rows: &[usize],
    ) -> Result<Self, PipelineError> {
        let inputs = pipeline.encoded(data, rows.iter().copied())?;
        Ok(Self { inputs, labels: labels.selected(rows) })
    }

    /// Examples from these inputs and labels.
    #[cfg(feature = "cuda")]
    pub(crate) fn from_parts(inputs: Vec<f32>, width: usize, labels: LabelMatrix) -> Self {
        assert_eq!(inputs.len(), width * labels.rows());
        let inputs = FeatureMatrix::Dense { cells: inputs.into(), width, rows: labels.rows() };
        Self { inputs, labels }
    }

    /// The same examples, their inputs stored sparse.
    #[cfg(all(test, feature = "cuda"))]
    pub(crate) fn stored_sparse(&self) -> Self {
        Self { inputs: self.inputs.to_sparse(), labels: self.labels.clone() }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.labels.rows()
    }

    /// The number of inputs per row.
    pub fn width(&self) -> usize {
        self.inputs.width()
    }

    /// All inputs.
    pub fn inputs(&self) -> &FeatureMatrix {
        &self.inputs
    }

    /// The inputs of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> FeatureRow<'_> {
        self.inputs.row(row)
    }

    /// The labels.
    pub fn labels(&self) -> &LabelMatrix {
        &self.labels
    }
}
