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
use super::difference::Difference;
use super::error::DatasetError;
use super::mistake::{Mistakes, Problem};
use super::set::Dataset;
use super::split::SplitFile;
use rulebound_io::array::{ArrayError, ArrayReader, is_archive};
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

/// The columns of an array.
pub(super) fn columns(
    array: &ArrayReader,
    names: Option<&[String]>,
) -> Result<Vec<Column>, DatasetError> {
    let columns = array.columns();
    match names {
        None => Ok((0..columns).map(|place| Column::numeric(format!("f{place}"))).collect()),
        Some(names) if names.len() == columns => Ok(names.iter().map(Column::numeric).collect()),
        Some(names) => {
            let (path, names) = (array.path().to_path_buf(), names.len());
            Err(ArrayError::NameCount { path, columns, names }.into())
        }
    }
}

/// Reads the files of a data set.
pub(super) fn read(
    name: &str,
    files: &[SplitFile],
    choice: ArrayChoice<'_>,
    storage: &Storage,
) -> Result<Dataset, DatasetError> {
    let mut begun: Option<(DatasetBuilder, usize)> = None;
    for file in files {
        let features = open_features(&file.path)?;
        let (label_path, labels) = open_labels(&file.path, files.len(), choice)?;
        if labels.rows() != features.rows() {
            return Err(ArrayError::RowCount {
                path: label_path,
                found: labels.rows(),
                first: file.path.clone(),
                expected: features.rows(),
            }
            .into());
        }
        let found = columns(&features, choice.names)?;
        let (builder, classes) = match &mut begun {
            Some(begun) => begun,
            None => {
                let classes = labels.columns();
                let builder = DatasetBuilder::new(name, found.clone(), vec![], classes)?;
                begun.insert((builder.stored_in(storage), classes))
            }
        };
        let widths = [(builder.columns().len(), found.len()), (*classes, labels.columns())];
        if let Some(&(expected, found)) = widths.iter().find(|(expected, found)| expected != found)
        {
            let (first, path) = (files[0].path.clone(), file.path.clone());
            let difference = Difference::Columns { expected, found };
            return Err(DatasetError::SplitsDiffer { first, path, difference });
        }
        builder.begin(file.split)?;
        fill(builder, features, labels, &label_path)?;
    }
    let (builder, classes) = match begun {
        Some(begun) => begun,
        None => (DatasetBuilder::new(name, vec![], vec![], 0)?, 0),
    };
    let classes = Labels::new((0..classes).map(|class| class.to_string()));
    let path = || files.first().map_or_else(PathBuf::new, |file| file.path.clone());
    builder.finish_without_rules(
        classes.map_err(|source| DatasetError::Labels { path: path(), source })?,
    )
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

fn fill(
    builder: &mut DatasetBuilder,
    mut features: ArrayReader,
    mut labels: ArrayReader,
    label_path: &Path,
) -> Result<(), DatasetError> {
    let mut cells = vec![0.0; features.columns()];
    let mut row_cells = vec![0.0f32; cells.len()];
    let mut marks = vec![0.0; labels.columns()];
    let (mut bad_features, mut bad_labels) = (Mistakes::default(), Mistakes::default());
    while features.read(&mut cells)? && labels.read(&mut marks)? {
        let row = features.row();
        to_cells(&cells, &mut row_cells, row, builder.columns(), &mut bad_features);
        let is_label = |mark: f64| mark == 0.0 || mark == 1.0 || mark.is_nan();
        for (class, mark) in marks.iter().enumerate().filter(|(_, mark)| !is_label(**mark)) {
            let problem = Problem::NotALabel { label: class.to_string() };
            bad_labels.push(row, class + 1, &mark.to_string(), problem);
        }
        if !bad_features.is_empty() || !bad_labels.is_empty() {
            continue;
        }
        let built = builder.push(&row_cells, &[])?;
        for (class, _) in marks.iter().enumerate().filter(|(_, mark)| **mark == 1.0) {
            builder.labels_mut().insert(built, LabelId::new(class));
        }
        for (class, _) in marks.iter().enumerate().filter(|(_, mark)| mark.is_nan()) {
            builder.labels_mut().set_unknown(built, LabelId::new(class));
        }
    }
    DatasetError::expect_none(features.path(), bad_features)?;
    DatasetError::expect_none(label_path, bad_labels)
}

/// The numbers of a row as features; one that 32 bits cannot hold is a mistake.
pub(super) fn to_cells(
    numbers: &[f64],
    cells: &mut [f32],
    row: u64,
    columns: &[Column],
    mistakes: &mut Mistakes,
) {
    for (place, (&number, cell)) in numbers.iter().zip(cells.iter_mut()).enumerate() {
        *cell = number as f32;
        if cell.is_infinite() {
            let column = columns.get(place).map_or_else(String::new, |column| column.name.clone());
            let problem = Problem::NotFinite { column };
            mistakes.push(row, place + 1, &number.to_string(), problem);
        }
    }
}
