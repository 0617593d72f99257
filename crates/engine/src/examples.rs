//! Rows ready for training: encoded inputs and the labels to learn.

use crate::dataset::{Dataset, LabelMatrix, Pipeline, PipelineError};

/// Rows of inputs with their labels.
#[derive(Clone, Debug)]
pub struct Examples {
    inputs: Vec<f32>,
    width: usize,
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
        let inputs = pipeline.transform(data, rows.iter().copied())?;
        let mut own = LabelMatrix::new(labels.classes());
        for &row in rows {
            let new = own.push_row();
            labels.positives(row).for_each(|class| {
                own.insert(new, class);
            });
        }
        Ok(Self { inputs, width: pipeline.width(), labels: own })
    }

    /// Examples from these inputs and labels.
    #[cfg(all(test, feature = "cuda"))]
    pub(crate) fn from_parts(inputs: Vec<f32>, width: usize, labels: LabelMatrix) -> Self {
        assert_eq!(inputs.len(), width * labels.rows());
        Self { inputs, width, labels }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.labels.rows()
    }

    /// The number of inputs per row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// All inputs, row-major.
    pub fn inputs(&self) -> &[f32] {
        &self.inputs
    }

    /// The inputs of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.inputs[row * self.width..][..self.width]
    }

    /// The labels.
    pub fn labels(&self) -> &LabelMatrix {
        &self.labels
    }
}
