//! Features and labels in NumPy arrays: `X` and `y` of a `.npz`, or a `.npy` with a second one for
//! the labels.
//!
//! Columns are named `f0`, `f1`, … unless names are given; classes are named by their numbers from
//! 0, as those of svmlight files may be. A label is 0 or 1; NaN is a missing feature, or a label that
//! is not known.

use std::path::{Path, PathBuf};

use rulebound_core::{LabelId, Labels};

use super::builder::DatasetBuilder;
use super::column::Column;
use super::complaint::{Difference, Mistakes, Problem};
use super::error::DatasetError;
use super::file_rows::FileRows;
use super::set::Dataset;
use super::split::SplitFile;
use rulebound_io::array::{ArrayError, ArrayReader, is_archive};
use rulebound_io::features::FeatureRow;
use rulebound_io::storage::Storage;

/// The names of the members of an archive.
const FEATURES: [&str; 3] = ["X", "x", "features"];
const LABELS: [&str; 3] = ["y", "Y", "labels"];

/// What an array cannot tell.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArrayChoice<'a> {
    /// The names of the columns.
    pub(super) names: Option<&'a [String]>,
    /// The labels of a single `.npy`.
    pub(super) labels: Option<&'a Path>,
}

/// Opens the features in a file.
pub(super) fn open_features(path: &Path) -> Result<ArrayReader, DatasetError> {
    Ok(ArrayReader::open(path, &FEATURES)?)
}

/// The rows of an array of features.
pub(super) struct ArrayRows {
    array: ArrayReader,
    numbers: Vec<f64>,
    cells: Vec<f32>,
}

impl ArrayRows {
    pub(super) fn open(path: &Path) -> Result<Self, DatasetError> {
        let array = open_features(path)?;
        let width = array.columns();
        Ok(Self { array, numbers: vec![0.0; width], cells: vec![0.0; width] })
    }

    /// The columns, with these names if there are any.
    pub(super) fn columns(&self, names: Option<&[String]>) -> Result<Vec<Column>, DatasetError> {
        let columns = self.numbers.len();
        match names {
            None => Ok((0..columns).map(|place| Column::numeric(format!("f{place}"))).collect()),
            Some(names) if names.len() == columns => {
                Ok(names.iter().map(Column::numeric).collect())
            }
            Some(names) => {
                let (path, names) = (self.array.path().to_path_buf(), names.len());
                Err(ArrayError::NameCount { path, columns, names }.into())
            }
        }
    }
}

impl FileRows for ArrayRows {
    /// A number that 32 bits cannot hold is a mistake.
    fn advance(
        &mut self,
        columns: &mut Vec<Column>,
        mistakes: &mut Mistakes,
    ) -> Result<bool, DatasetError> {
        if !self.array.read(&mut self.numbers)? {
            return Ok(false);
        }
        for (place, (&number, cell)) in self.numbers.iter().zip(&mut self.cells).enumerate() {
            *cell = number as f32;
            if cell.is_infinite() {
                let problem = Problem::NotFinite { column: columns[place].name.clone() };
                mistakes.push(self.array.row(), place + 1, &number.to_string(), problem);
            }
        }
        Ok(true)
    }

    fn features(&self) -> FeatureRow<'_> {
        FeatureRow::Dense(&self.cells)
    }
}

/// Reads the files of a data set.
pub(super) fn read(
    name: &str,
    files: &[SplitFile],
    choice: ArrayChoice<'_>,
    storage: &Storage,
) -> Result<Dataset, DatasetError> {
    let first = &files[0].path;
    let mut begun: Option<DatasetBuilder> = None;
    for file in files {
        let mut features = ArrayRows::open(&file.path)?;
        let (label_path, labels) = open_labels(&file.path, files.len(), choice)?;
        if labels.rows() != features.array.rows() {
            return Err(ArrayError::RowCount {
                path: label_path,
                found: labels.rows(),
                first: file.path.clone(),
                expected: features.array.rows(),
            }
            .into());
        }
        let columns = features.columns(choice.names)?;
        let found = [columns.len(), labels.columns()];
        let builder = match &mut begun {
            Some(begun) => begun,
            None => {
                let builder = DatasetBuilder::new(name, columns, vec![], labels.columns())?;
                begun.insert(builder.stored_in(storage))
            }
        };
        let expected = [builder.columns().len(), builder.labels_mut().classes()];
        if let Some((&expected, &found)) = expected.iter().zip(&found).find(|(e, f)| e != f) {
            let (first, path) = (first.clone(), file.path.clone());
            let difference = Difference::Columns { expected, found };
            return Err(DatasetError::SplitsDiffer { first, path, difference });
        }
        builder.begin(file.split)?;
        let row = builder.rows();
        builder.fill(&mut features, &file.path)?;
        mark(builder, row, labels, &label_path)?;
    }
    let mut builder = begun.map_or_else(|| DatasetBuilder::new(name, vec![], vec![], 0), Ok)?;
    let classes = 0..builder.labels_mut().classes();
    let classes = Labels::new(classes.map(|class| class.to_string()));
    let wrong = |source| DatasetError::Labels { path: first.clone(), source };
    builder.finish_without_rules(classes.map_err(wrong)?)
}

/// The labels of a file, and where they are.
fn open_labels(
    path: &Path,
    files: usize,
    choice: ArrayChoice<'_>,
) -> Result<(PathBuf, ArrayReader), DatasetError> {
    let place = match choice.labels {
        Some(labels) if files == 1 => labels,
        None if is_archive(path) => path,
        _ => return Err(DatasetError::NoLabelArray { path: path.to_path_buf() }),
    };
    Ok((place.to_path_buf(), ArrayReader::open(place, &LABELS)?))
}

/// Marks the labels of the rows from `first` on.
fn mark(
    builder: &mut DatasetBuilder,
    first: usize,
    mut array: ArrayReader,
    path: &Path,
) -> Result<(), DatasetError> {
    let mut marks = vec![0.0; array.columns()];
    let mut mistakes = Mistakes::default();
    let mut row = first;
    while array.read(&mut marks)? {
        let labels = builder.labels_mut();
        for (class, &mark) in marks.iter().enumerate() {
            match LabelId::new(class) {
                label if mark == 1.0 => _ = labels.insert(row, label),
                label if mark.is_nan() => labels.set_unknown(row, label),
                _ if mark == 0.0 => {}
                _ => {
                    let problem = Problem::NotALabel { label: class.to_string() };
                    mistakes.push(array.row(), class + 1, &mark.to_string(), problem);
                }
            }
        }
        row += 1;
    }
    DatasetError::expect_none(path, mistakes)
}
