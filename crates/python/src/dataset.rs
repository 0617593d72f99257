//! Data sets from arrays, and from files.

use std::path::PathBuf;

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use rulebound::dataset::{
    Column, ColumnSummary, DatasetBuilder, DatasetError, LabelColumns, SourceReader, Split, Summary,
};
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
    /// `identifiers` name rows. Columns are judged, and text that names rows is left out, unless `chosen`, which has those whose kind
    /// the caller gave, is absent.
    #[staticmethod]
    #[pyo3(signature = (columns, cells, labels, program, identifiers, chosen, valid_rows, weights))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn dense(
        columns: Vec<PyColumn>,
        cells: PyReadonlyArray2<'_, f32>,
        labels: PyReadonlyArray2<'_, u8>,
        program: &PyProgram,
        identifiers: Vec<(String, Vec<Option<String>>)>,
        chosen: Option<Vec<String>>,
        valid_rows: usize,
        weights: Option<PyReadonlyArray1<'_, f32>>,
    ) -> PyResult<Self> {
        let (cells, labels) = (cells.as_array(), labels.as_array());
        let is_chosen = |name: &str| chosen.iter().flatten().any(|one| one == name);
        let names: Vec<String> = identifiers.iter().map(|(name, _)| name.clone()).collect();
        let build = || -> Result<Dataset, DatasetError> {
            let mut rows = RowsToBuild::new(columns, names, program, cells.nrows(), valid_rows)?;
            let mut row = Vec::with_capacity(cells.ncols());
            let examples = cells.outer_iter().zip(labels.outer_iter()).enumerate();
            for (at, (features, labels)) in examples {
                rows.begin()?;
                row.clear();
                row.extend(features);
                let named = identifiers.iter().map(|(_, values)| values.get(at)?.as_deref());
                let place = rows.builder.push(&row, &named.collect::<Vec<_>>())?;
                rows.label(place, labels.iter());
            }
            if chosen.is_some() {
                rows.builder.split_off_identifiers_but(is_chosen);
            }
            let data = weighted(rows.builder.finish(program.program.clone())?, weights)?;
            Ok(if chosen.is_some() { data.judged(is_chosen) } else { data })
        };
        build().map(|data| Self { data }).map_err(|error| dataset_error(&error))
    }

    /// Sparse rows (CSR, columns ascending); otherwise as `dense`.
    #[staticmethod]
    #[pyo3(signature = (columns, starts, indices, values, labels, program, valid_rows, weights))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn sparse(
        columns: Vec<PyColumn>,
        starts: PyReadonlyArray1<'_, i64>,
        indices: PyReadonlyArray1<'_, u32>,
        values: PyReadonlyArray1<'_, f32>,
        labels: PyReadonlyArray2<'_, u8>,
        program: &PyProgram,
        valid_rows: usize,
        weights: Option<PyReadonlyArray1<'_, f32>>,
    ) -> PyResult<Self> {
        let (starts, labels) = (starts.as_array(), labels.as_array());
        let (indices, values) = (indices.as_slice()?, values.as_slice()?);
        let build = || -> Result<Dataset, DatasetError> {
            let count = starts.len().saturating_sub(1);
            let mut rows = RowsToBuild::new(columns, Vec::new(), program, count, valid_rows)?;
            for (at, labels) in labels.outer_iter().enumerate().take(count) {
                rows.begin()?;
                let cells = starts[at] as usize..starts[at + 1] as usize;
                let (columns, values) = (indices.get(cells.clone()), values.get(cells));
                let columns = columns.unwrap_or_default();
                let place = rows.builder.push_sparse(columns, values.unwrap_or_default(), &[])?;
                rows.label(place, labels.iter());
            }
            weighted(rows.builder.finish(program.program.clone())?, weights)
        };
        build().map(|data| Self { data }).map_err(|error| dataset_error(&error))
    }

    /// Data from a file or folder. `labels` are the names of label columns, or a pattern; an empty list means
    /// that there are none. Rows are kept in `folder` instead of in memory, if one is given. `kinds` has columns that are
    /// "nominal" or "numeric" whatever they hold.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        labels: Option<Vec<String>>,
        pattern: Option<String>,
        rules: Option<PathBuf>,
        folder: Option<PathBuf>,
        ignored: Vec<String>,
        identifiers: Vec<String>,
        kinds: Vec<(String, String)>,
        weight_column: Option<String>,
    ) -> PyResult<Self> {
        let mut reader = Source::open(path);
        reader = ignored.into_iter().fold(reader, SourceReader::ignore);
        reader = identifiers.into_iter().fold(reader, SourceReader::id_column);
        for (name, kind) in kinds {
            reader = if kind == "nominal" { reader.nominal(name) } else { reader.numeric(name) };
        }
        if let Some(column) = weight_column {
            reader = reader.weight_column(column);
        }
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

    /// Columns that are probably not what they were taken for: name, whether it is a feature, and whether training refuses
    /// it.
    fn doubts(&self) -> Vec<(&str, bool, bool)> {
        let doubts = self.data.doubts().iter();
        doubts.map(|doubt| (doubt.name.as_str(), doubt.is_feature, doubt.is_refused())).collect()
    }

    /// What is in it, as JSON.
    fn summary(&self, py: Python<'_>) -> PyResult<String> {
        let found = py.detach(|| {
            let mut found = serde_json::json!(Summary::new(&self.data));
            found["unknown_labels"] = serde_json::json!(self.data.unknown_labels());
            found["name"] = serde_json::json!(self.data.name());
            found["columns"] = serde_json::json!(ColumnSummary::all(&self.data));
            found.to_string()
        });
        Ok(found)
    }

    /// What the reader noticed in files.
    fn notes(&self) -> Vec<String> {
        self.data.notes().iter().map(ToString::to_string).collect()
    }

    /// The names of the feature columns.
    fn columns(&self) -> Vec<&str> {
        self.data.columns().iter().map(|column| column.name.as_str()).collect()
    }
}

/// The data with weights of its rows, if there are any.
fn weighted(
    data: Dataset,
    weights: Option<PyReadonlyArray1<'_, f32>>,
) -> Result<Dataset, DatasetError> {
    match weights {
        Some(weights) => data.with_weights(weights.as_array().to_vec()),
        None => Ok(data),
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
        identifiers: Vec<String>,
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
        let mut builder = DatasetBuilder::new("data", columns, identifiers, classes)?;
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
