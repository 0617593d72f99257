//! Data sets from arrays, and from files.

use std::path::PathBuf;

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use rulebound::dataset::{Column, DatasetBuilder, DatasetError, LabelColumns, Split};
use rulebound::{Dataset, Source};
use rulebound_core::LabelId;

use crate::failure::dataset_error;
use crate::program::PyProgram;

/// Rows of features and labels, with rules.
#[pyclass(name = "Dataset", module = "rulebound._native", frozen)]
pub struct PyDataset {
    pub data: Dataset,
}

/// A column: its name, and the values of a nominal one.
type PyColumn = (String, Option<Vec<String>>);

/// Which cells of a label array mean what.
const TRUE: u8 = 1;
const UNKNOWN: u8 = 2;

#[pymethods]
impl PyDataset {
    /// Dense rows; the last `valid_rows` are for validation. Labels are 0, 1, or 2 where they are not known.
    #[staticmethod]
    fn dense(
        columns: Vec<PyColumn>,
        cells: PyReadonlyArray2<'_, f32>,
        labels: PyReadonlyArray2<'_, u8>,
        program: &PyProgram,
        valid_rows: usize,
    ) -> PyResult<Self> {
        let (cells, labels) = (cells.as_array(), labels.as_array());
        let build = || -> Result<Dataset, DatasetError> {
            let mut rows = RowsToBuild::new(columns, program, cells.nrows(), valid_rows)?;
            let mut row = Vec::with_capacity(cells.ncols());
            for (features, labels) in cells.outer_iter().zip(labels.outer_iter()) {
                rows.begin()?;
                row.clear();
                row.extend(features);
                let place = rows.builder.push(&row, &[])?;
                rows.label(place, labels.iter());
            }
            rows.builder.split_off_identifiers();
            rows.builder.finish(program.program.clone())
        };
        build().map(|data| Self { data }).map_err(|error| dataset_error(&error))
    }

    /// Sparse rows (CSR, columns ascending); otherwise as `dense`.
    #[staticmethod]
    fn sparse(
        columns: Vec<PyColumn>,
        starts: PyReadonlyArray1<'_, i64>,
        indices: PyReadonlyArray1<'_, u32>,
        values: PyReadonlyArray1<'_, f32>,
        labels: PyReadonlyArray2<'_, u8>,
        program: &PyProgram,
        valid_rows: usize,
    ) -> PyResult<Self> {
        let (starts, labels) = (starts.as_array(), labels.as_array());
        let (indices, values) = (indices.as_slice()?, values.as_slice()?);
        let build = || -> Result<Dataset, DatasetError> {
            let count = starts.len().saturating_sub(1);
            let mut rows = RowsToBuild::new(columns, program, count, valid_rows)?;
            for (at, labels) in labels.outer_iter().enumerate().take(count) {
                rows.begin()?;
                let cells = starts[at] as usize..starts[at + 1] as usize;
                let (columns, values) = (indices.get(cells.clone()), values.get(cells));
                let columns = columns.unwrap_or_default();
                let place = rows.builder.push_sparse(columns, values.unwrap_or_default(), &[])?;
                rows.label(place, labels.iter());
            }
            rows.builder.finish(program.program.clone())
        };
        build().map(|data| Self { data }).map_err(|error| dataset_error(&error))
    }

    /// Data from a file or folder. `labels` are the names of label columns, or a pattern; an empty list means
    /// that there are none. Rows are kept in `folder` instead of in memory, if one is given.
    #[staticmethod]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        labels: Option<Vec<String>>,
        pattern: Option<String>,
        rules: Option<PathBuf>,
        folder: Option<PathBuf>,
    ) -> PyResult<Self> {
        let mut reader = Source::open(path);
        if let Some(folder) = folder {
            reader = reader.on_disk(folder);
        }
        match (labels, pattern) {
            (Some(names), _) if names.is_empty() => {
                reader = reader.label_columns(LabelColumns::None);
            }
            (Some(names), _) => reader = reader.label_columns(LabelColumns::Named(names)),
            (None, Some(pattern)) => reader = reader.labels(&pattern),
            (None, None) => {}
        }
        if let Some(rules) = rules {
            reader = reader.rules(rules);
        }
        let data = py.detach(|| reader.read()).map_err(|error| dataset_error(&error))?;
        Ok(Self { data })
    }

    /// How many rows there are.
    fn rows(&self) -> usize {
        self.data.rows()
    }

    /// How many rows each split has, by its name.
    fn splits(&self) -> Vec<(String, usize)> {
        self.data.splits().map(|(split, rows)| (split.to_string(), rows.len())).collect()
    }

    /// The rules.
    fn program(&self) -> PyProgram {
        PyProgram::new(self.data.program().clone())
    }

    /// The names of the feature columns.
    fn columns(&self) -> Vec<&str> {
        self.data.columns().iter().map(|column| column.name.as_str()).collect()
    }
}

/// A data set being built, with training rows first.
struct RowsToBuild {
    builder: DatasetBuilder,
    train: usize,
    pushed: usize,
}

impl RowsToBuild {
    fn new(
        columns: Vec<PyColumn>,
        program: &PyProgram,
        rows: usize,
        valid_rows: usize,
    ) -> Result<Self, DatasetError> {
        let column = |(name, values): PyColumn| match values {
            Some(values) => Column::nominal(name, values),
            None => Column::numeric(name),
        };
        let columns = columns.into_iter().map(column).collect();
        let classes = program.program.labels().len();
        let mut builder = DatasetBuilder::new("data", columns, Vec::new(), classes)?;
        let train = rows.saturating_sub(valid_rows);
        if train > 0 || rows == 0 {
            builder.begin(Split::Train)?;
        }
        Ok(Self { builder, train, pushed: 0 })
    }

    /// Begins a row.
    fn begin(&mut self) -> Result<(), DatasetError> {
        if self.pushed == self.train {
            self.builder.begin(Split::Valid)?;
        }
        self.pushed += 1;
        Ok(())
    }

    fn label<'a>(&mut self, row: usize, labels: impl Iterator<Item = &'a u8>) {
        for (class, &label) in labels.enumerate() {
            let id = LabelId::new(class);
            match label {
                TRUE => {
                    self.builder.labels_mut().insert(row, id);
                }
                UNKNOWN => self.builder.labels_mut().set_unknown(row, id),
                _ => {}
            }
        }
    }
}
