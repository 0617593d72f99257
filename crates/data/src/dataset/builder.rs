//! Builds a data set row by row; every reader uses it.

use std::ops::Range;
use std::path::Path;

use rulebound_core::{Labels, Program};

use super::column::{Column, ColumnKind};
use super::error::DatasetError;
use super::identifier::{Identifier, names_its_rows};
use super::labels::matrix::LabelMatrix;
use super::labels::named::{ClassOrder, NamedLabels};
use super::set::Dataset;
use super::split::Split;
use rulebound_io::features::{FeatureMatrix, FeatureRow, SparseMatrix};
use rulebound_io::storage::{Storage, StorageError};
use rulebound_io::table::unique_names;

/// The most cells that are held, counting labels and identifiers: 8 GiB.
const MOST_CELLS: usize = 1 << 31;

/// The most feature columns.
pub(super) const MOST_COLUMNS: usize = 1 << 20;

/// A data set being built.
///
/// ```
/// use rulebound_data::dataset::{Column, DatasetBuilder, Split};
/// use rulebound_core::{Labels, Program};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let classes = Labels::new(["cat", "animal"])?;
/// let cat = classes.find("cat").unwrap();
/// let columns = vec![Column::numeric("weight"), Column::nominal("fur", ["no", "yes"])];
/// let mut builder = DatasetBuilder::new("pets", columns, vec![], classes.len())?;
/// builder.begin(Split::Train)?;
/// let row = builder.push(&[4.2, 1.0], &[])?;
/// builder.labels_mut().insert(row, cat);
/// let pets = builder.finish(Program::new(classes, vec![])?)?;
/// assert_eq!(pets.features(0), [4.2, 1.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct DatasetBuilder {
    name: String,
    columns: Vec<Column>,
    identifiers: Vec<Identifier>,
    /// Of the kind of the first row.
    features: Option<FeatureMatrix>,
    labels: LabelMatrix,
    /// The labels of files that write them by their names.
    named: NamedLabels,
    splits: [Option<Range<usize>>; 3],
    current: Option<Split>,
    storage: Storage,
}

impl DatasetBuilder {
    /// A data set with these columns and classes, without rows. Duplicate column names are made
    /// unique by [`unique_names`].
    ///
    /// # Errors
    /// [`DatasetError::TooLarge`] if there are more than a million columns.
    pub fn new(
        name: impl Into<String>,
        mut columns: Vec<Column>,
        identifiers: Vec<String>,
        classes: usize,
    ) -> Result<Self, DatasetError> {
        if columns.len() > MOST_COLUMNS {
            return Err(DatasetError::TooLarge { rows: 0, columns: columns.len() });
        }
        let taken = columns.iter().map(|column| column.name.clone()).chain(identifiers);
        let mut names = unique_names(taken);
        let identifiers = names.split_off(columns.len());
        for (column, name) in columns.iter_mut().zip(names) {
            column.name = name;
        }
        let identifiers = identifiers.into_iter().map(|name| Identifier { name, values: vec![] });
        Ok(Self {
            name: name.into(),
            columns,
            identifiers: identifiers.collect(),
            features: None,
            labels: LabelMatrix::new(classes),
            named: NamedLabels::default(),
            splits: [const { None }; 3],
            current: None,
            storage: Storage::Memory,
        })
    }

    /// Keeps the features of all rows there; only before the first row.
    #[must_use]
    pub fn stored_in(mut self, storage: &Storage) -> Self {
        self.storage = storage.clone();
        self
    }

    /// The columns so far.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The columns so far, for readers that collect them, or the values of nominal ones, as they read.
    pub(super) fn columns_mut(&mut self) -> &mut Vec<Column> {
        &mut self.columns
    }

    /// Begins a split; the rows that follow belong to it.
    ///
    /// # Errors
    /// [`DatasetError::SplitOrder`] unless splits come in the order train, valid, test.
    pub fn begin(&mut self, split: Split) -> Result<(), DatasetError> {
        if let Some(previous) = self.current
            && previous >= split
        {
            return Err(DatasetError::SplitOrder { previous, next: split });
        }
        self.current = Some(split);
        self.splits[split as usize] = Some(self.labels.rows()..self.labels.rows());
        Ok(())
    }

    /// Adds a row without classes and returns its number. It needs a cell for each column (a
    /// nominal cell is an index into the column's values, missing is NaN) and a value for each
    /// identifier. Before the first [`begin`](Self::begin) rows belong to the train split.
    ///
    /// # Errors
    /// If a cell is infinite or not an index of its column's values, a slice has the wrong length,
    /// or the data set has become too large.
    pub fn push(
        &mut self,
        features: &[f32],
        identifiers: &[Option<&str>],
    ) -> Result<usize, DatasetError> {
        self.push_row(FeatureRow::Dense(features), identifiers)
    }

    /// As [`push`](Self::push), with the cells of the row that are not 0: `cells` of ascending
    /// `columns`. If the first row is sparse, all are kept sparse until the data set is finished;
    /// what is then kept dense is documented at [`SparseMatrix::is_worthwhile`].
    ///
    /// # Errors
    /// As [`push`](Self::push), and if the columns do not ascend or one does not exist.
    pub fn push_sparse(
        &mut self,
        columns: &[u32],
        cells: &[f32],
        identifiers: &[Option<&str>],
    ) -> Result<usize, DatasetError> {
        let width = self.columns.len();
        let ascends = columns.is_sorted_by(|one, other| one < other);
        if !ascends || columns.last().is_some_and(|&last| last as usize >= width) {
            return Err(DatasetError::BadColumns { row: self.rows(), width });
        }
        if columns.len() != cells.len() {
            let (expected, found) = (columns.len(), cells.len());
            return Err(DatasetError::BadLength { what: "cells", expected, found });
        }
        self.push_row(FeatureRow::Sparse { columns, values: cells, width }, identifiers)
    }

    /// Adds a row, dense or sparse, as [`push`](Self::push) does; the columns of a sparse row must ascend.
    pub(super) fn push_row(
        &mut self,
        features: FeatureRow<'_>,
        identifiers: &[Option<&str>],
    ) -> Result<usize, DatasetError> {
        let row = self.labels.rows();
        let lengths = [
            ("cells", self.columns.len(), features.len()),
            ("identifiers", self.identifiers.len(), identifiers.len()),
        ];
        for (what, expected, found) in lengths {
            if expected != found {
                return Err(DatasetError::BadLength { what, expected, found });
            }
        }
        let width = self.columns.len();
        let matrix = match &mut self.features {
            Some(matrix) => {
                if let FeatureMatrix::Sparse(sparse) = matrix {
                    sparse.widen(width);
                }
                matrix
            }
            none => {
                let sparse = matches!(features, FeatureRow::Sparse { .. });
                none.insert(FeatureMatrix::stored_in(&self.storage, width, sparse)?)
            }
        };
        let cells = match matrix {
            _ if self.storage.is_disk() => 0,
            FeatureMatrix::Dense { .. } => (row + 1).saturating_mul(width),
            // A column and a value.
            FeatureMatrix::Sparse(sparse) => 2 * (sparse.stored() + features.stored().count()),
        };
        // Labels and identifiers are in memory in any case. So there are fewer than 2³¹ rows, which the orders of
        // epochs rely on.
        let others = self.identifiers.len() + 2 * self.labels.words_per_row().max(1);
        if cells.saturating_add((row + 1).saturating_mul(others)) > MOST_CELLS {
            return Err(DatasetError::TooLarge { rows: row + 1, columns: width });
        }
        for (place, value) in features.stored() {
            let column = &self.columns[place];
            let fits = match &column.kind {
                _ if value.is_nan() => true,
                ColumnKind::Numeric => value.is_finite(),
                ColumnKind::Nominal { values } => {
                    value >= 0.0 && value.fract() == 0.0 && (value as usize) < values.len()
                }
            };
            if !fits {
                let column = column.name.clone();
                return Err(DatasetError::BadValue { row, column, value });
            }
        }
        let held = matrix.bytes();
        matrix.try_push(features).map_err(|error| match error {
            StorageError::Memory { .. } => DatasetError::OutOfMemory { rows: row, held },
            full => full.into(),
        })?;
        for (identifier, value) in self.identifiers.iter_mut().zip(identifiers) {
            identifier.values.push(value.map(str::to_owned));
        }
        if self.current.is_none() {
            self.begin(Split::Train)?;
        }
        self.labels.push_row();
        if let Some(split) = self.current
            && let Some(rows) = &mut self.splits[split as usize]
        {
            rows.end = row + 1;
        }
        Ok(row)
    }

    /// The labels, to fill in.
    pub fn labels_mut(&mut self) -> &mut LabelMatrix {
        &mut self.labels
    }

    /// The labels, and those that are written by their names.
    pub(super) fn all_labels_mut(&mut self) -> (&mut LabelMatrix, &mut NamedLabels) {
        (&mut self.labels, &mut self.named)
    }

    /// How many rows there are so far.
    pub(super) fn rows(&self) -> usize {
        self.labels.rows()
    }

    /// Makes the labels that were written by their names those of the rows, and returns their classes.
    pub(super) fn settle_names(
        &mut self,
        order: ClassOrder,
        path: &Path,
    ) -> Result<Labels, DatasetError> {
        let named = std::mem::take(&mut self.named);
        let wrong = |source| DatasetError::Labels { path: path.to_path_buf(), source };
        let (classes, places) = named.classes(order).map_err(wrong)?;
        let (rows, words) = (self.rows(), LabelMatrix::new(classes.len()).words_per_row());
        if rows.saturating_mul(2 * words) > MOST_CELLS {
            return Err(DatasetError::TooLarge { rows, columns: self.columns.len() });
        }
        self.labels = named.to_matrix(&places);
        Ok(classes)
    }

    /// Leaves out the first column.
    pub(super) fn remove_first_column(&mut self) {
        self.columns.remove(0);
        if let Some(features) = &mut self.features {
            let mut marked = vec![false; features.width()];
            marked[0] = true;
            features.remove_columns(&marked);
        }
    }

    /// Turns nominal columns that name their rows into identifiers: those with at least as many
    /// values as there are rows (more than two), where nine of ten rows have a distinct value.
    pub fn split_off_identifiers(&mut self) {
        self.split_off_identifiers_but(|_| false);
    }

    /// As [`split_off_identifiers`](Self::split_off_identifiers), without those of which the caller said that they are
    /// features.
    pub fn split_off_identifiers_but(&mut self, is_given: impl Fn(&str) -> bool) {
        let Some(features) = &self.features else { return };
        let rows = self.rows();
        let is_identifier = |(place, column): (usize, &Column)| {
            let cells = (0..rows).map(|row| features.row(row)[place]);
            let names = |values: &[String]| names_its_rows(values.len(), rows, cells);
            !is_given(&column.name) && column.values().is_some_and(names)
        };
        let is_identifier: Vec<bool> = self.columns.iter().enumerate().map(is_identifier).collect();
        self.move_to_identifiers(&is_identifier);
    }

    /// Turns the marked nominal columns into identifiers.
    pub(super) fn move_to_identifiers(&mut self, marked: &[bool]) {
        if !marked.contains(&true) {
            return;
        }
        let rows = self.rows();
        let width = self.columns.len();
        let features = self.features.get_or_insert_with(|| FeatureMatrix::dense(width));
        for (place, column) in self.columns.iter().enumerate().filter(|(place, _)| marked[*place]) {
            let cells = (0..rows).map(|row| features.row(row)[place]);
            let values = column.values().unwrap_or_default();
            let values = cells.map(|cell| values.get(cell as usize).filter(|_| !cell.is_nan()));
            self.identifiers.push(Identifier {
                name: column.name.clone(),
                values: values.map(|value| value.cloned()).collect(),
            });
        }
        features.remove_columns(marked);
        let mut marks = marked.iter();
        self.columns.retain(|_| !marks.next().copied().unwrap_or_default());
    }

    /// The data set with the rules of `program`, whose labels are the classes; all classes are
    /// evaluated.
    ///
    /// # Errors
    /// [`DatasetError::BadLength`] if the program has a different number of classes.
    pub fn finish(self, program: Program) -> Result<Dataset, DatasetError> {
        let evaluated = vec![true; program.labels().len()];
        self.finish_with(program, evaluated)
    }

    /// As [`finish`](Self::finish), with a choice of the classes that are evaluated.
    ///
    /// # Errors
    /// [`DatasetError::BadLength`] if the numbers of classes differ.
    pub fn finish_with(
        mut self,
        program: Program,
        evaluated: Vec<bool>,
    ) -> Result<Dataset, DatasetError> {
        let expected = self.labels.classes();
        for found in [program.labels().len(), evaluated.len()] {
            if found != expected {
                return Err(DatasetError::BadLength { what: "classes", expected, found });
            }
        }
        let width = self.columns.len();
        let mut features = self.features.take().unwrap_or_else(|| FeatureMatrix::dense(width));
        if let FeatureMatrix::Sparse(sparse) = &features {
            self.check_absent(sparse)?;
            let cells = sparse.rows().saturating_mul(width);
            if !sparse.is_worthwhile() && cells <= MOST_CELLS {
                features = features.copied(0..features.rows(), false)?;
            }
        }
        features.shrink_to_fit();
        Ok(Dataset {
            name: self.name,
            columns: self.columns,
            identifiers: self.identifiers,
            features,
            labels: self.labels,
            splits: self.splits,
            evaluated,
            program,
            doubts: Vec::new(),
            notes: Vec::new(),
            unknown: Vec::new(),
            weights: None,
        })
    }

    /// A cell that is not listed is the first value of a nominal column: there must be one.
    fn check_absent(&self, sparse: &SparseMatrix) -> Result<(), DatasetError> {
        let columns = self.columns.iter().enumerate();
        for (place, column) in columns.filter(|(_, column)| column.values() == Some(&[])) {
            if let Some(row) = (0..sparse.rows()).find(|&row| !sparse.row(row)[place].is_nan()) {
                let column = column.name.clone();
                return Err(DatasetError::BadValue { row, column, value: 0.0 });
            }
        }
        Ok(())
    }

    /// As [`finish`](Self::finish), without rules.
    pub(super) fn finish_without_rules(self, classes: Labels) -> Result<Dataset, DatasetError> {
        let program = Program::new(classes, Vec::new())?;
        self.finish(program)
    }
}
