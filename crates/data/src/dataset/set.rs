//! A data set: features, labels, names, splits and rules.
//!
//! Rows are in the order train, valid, test, so that train and valid together are one range.
//! Features are dense or sparse rows, 4 bytes per cell: a number, or the index of a nominal value
//! in its column's list; missing is NaN, and a cell that a sparse row does not list is 0. Labels are one bit each. Invariants: a cell is finite or NaN,
//! a nominal cell is a valid index, column names are unique, the labels of the program are the
//! classes.

use std::ops::Range;

use rulebound_core::{Labels, Program};

use super::column::Column;
use super::complaint::{ColumnDoubt, ReadNote};
use super::error::DatasetError;
use super::identifier::Identifier;
use super::labels::matrix::LabelMatrix;
use super::split::Split;
use crate::unknown_labels::FittedRules;
use rulebound_io::features::{FeatureMatrix, FeatureRow};

/// A data set; see the [module](super) for how to get one.
#[derive(Clone, Debug)]
pub struct Dataset {
    pub(super) name: String,
    pub(super) columns: Vec<Column>,
    pub(super) identifiers: Vec<Identifier>,
    pub(super) features: FeatureMatrix,
    pub(super) labels: LabelMatrix,
    pub(super) splits: [Option<Range<usize>>; 3],
    pub(super) evaluated: Vec<bool>,
    pub(super) program: Program,
    pub(super) doubts: Vec<ColumnDoubt>,
    pub(super) notes: Vec<ReadNote>,
    /// Classes that rules know and the data does not.
    pub(super) unknown: Vec<String>,
    /// The weight of each row, if rows have weights.
    pub(super) weights: Option<Vec<f32>>,
}

/// One cell of the features.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value<'a> {
    /// Missing.
    Missing,
    /// A number.
    Number(f32),
    /// A value of a nominal column.
    Nominal(&'a str),
}

impl Dataset {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The features, in order; identifiers are not among them.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The columns that name the examples.
    pub fn identifiers(&self) -> &[Identifier] {
        &self.identifiers
    }

    /// How many examples there are in all splits.
    pub fn rows(&self) -> usize {
        self.labels.rows()
    }

    /// The rows of a split; `None` if the data set has no such split.
    pub fn split(&self, split: Split) -> Option<Range<usize>> {
        self.splits[split as usize].clone()
    }

    /// The existing splits with their rows.
    pub fn splits(&self) -> impl Iterator<Item = (Split, Range<usize>)> + '_ {
        Split::ALL.into_iter().filter_map(|split| Some((split, self.split(split)?)))
    }

    /// The cells of a row: numbers, indices of nominal values, NaN where missing.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn features(&self, row: usize) -> FeatureRow<'_> {
        self.features.row(row)
    }

    /// The cells of all rows, dense or sparse.
    pub fn feature_matrix(&self) -> &FeatureMatrix {
        &self.features
    }

    /// The same data with its features kept dense or sparse.
    #[must_use]
    pub fn stored_sparse(mut self, sparse: bool) -> Self {
        if sparse != self.features.is_sparse() {
            self.features =
                if sparse { self.features.to_sparse() } else { self.features.to_dense() };
        }
        self
    }

    /// What a cell holds.
    ///
    /// # Panics
    /// If there is no such row or column.
    pub fn value(&self, row: usize, column: usize) -> Value<'_> {
        let cell = self.features(row)[column];
        match self.columns[column].values() {
            _ if cell.is_nan() => Value::Missing,
            None => Value::Number(cell),
            Some(values) => Value::Nominal(&values[cell as usize]),
        }
    }

    /// Whether a cell is missing.
    ///
    /// # Panics
    /// If there is no such row or column.
    pub fn is_missing(&self, row: usize, column: usize) -> bool {
        self.features(row)[column].is_nan()
    }

    /// The classes of each example.
    pub fn labels(&self) -> &LabelMatrix {
        &self.labels
    }

    /// The classes, in order.
    pub fn classes(&self) -> &Labels {
        self.program.labels()
    }

    /// For each class, whether it counts in the loss and the metrics; the roots of a hierarchy do
    /// not.
    pub fn evaluated(&self) -> &[bool] {
        &self.evaluated
    }

    /// For each class, whether it is seen in training: one of the training and validation rows has
    /// it, and one does not.
    pub fn seen(&self) -> Vec<bool> {
        let rows = [Split::Train, Split::Valid].into_iter().filter_map(|split| self.split(split));
        self.labels().varying(rows.flatten())
    }

    /// The rules among the classes.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The same rows in other splits: `splits` has one for each row. Rows of a split keep their order.
    ///
    /// # Errors
    /// If there is no room for them.
    ///
    /// # Panics
    /// If there is not one split for each row.
    pub fn reordered(&self, splits: &[Split]) -> Result<Self, DatasetError> {
        let splits: Vec<Option<Split>> = splits.iter().copied().map(Some).collect();
        self.selected(&splits)
    }

    /// The rows that have a split, in the order of the splits; rows of a split keep their order.
    ///
    /// # Errors
    /// If there is no room for them.
    ///
    /// # Panics
    /// If there is not one entry for each row.
    pub fn selected(&self, splits: &[Option<Split>]) -> Result<Self, DatasetError> {
        assert_eq!(splits.len(), self.rows(), "a split for each row");
        let mut order: Vec<usize> = Vec::with_capacity(splits.len());
        let mut ranges = [const { None }; 3];
        for split in Split::ALL {
            let start = order.len();
            let rows = splits.iter().enumerate().filter(|(_, found)| **found == Some(split));
            order.extend(rows.map(|(row, _)| row));
            if order.len() > start {
                ranges[split as usize] = Some(start..order.len());
            }
        }
        let identifiers = self.identifiers.iter().map(|identifier| Identifier {
            name: identifier.name.clone(),
            values: order.iter().map(|&row| identifier.values[row].clone()).collect(),
        });
        Ok(Self {
            name: self.name.clone(),
            columns: self.columns.clone(),
            identifiers: identifiers.collect(),
            features: self.features.selected(&order)?,
            labels: self.labels.selected(&order),
            splits: ranges,
            evaluated: self.evaluated.clone(),
            program: self.program.clone(),
            doubts: self.doubts.clone(),
            notes: self.notes.clone(),
            unknown: self.unknown.clone(),
            weights: self
                .weights
                .as_ref()
                .map(|weights| order.iter().map(|&row| weights[row]).collect()),
        })
    }

    /// The same data without the rows that have no label.
    ///
    /// # Errors
    /// [`DatasetError::NoLabelledRow`] if none has; if there is no room.
    pub(super) fn without_unlabelled(self) -> Result<Self, DatasetError> {
        let has_label = |row: usize| self.labels.positives(row).next().is_some();
        let mut kept: Vec<Option<Split>> = vec![None; self.rows()];
        for (split, rows) in self.splits() {
            rows.filter(|&row| has_label(row)).for_each(|row| kept[row] = Some(split));
        }
        let dropped = kept.iter().filter(|split| split.is_none()).count();
        if dropped == self.rows() {
            return Err(DatasetError::NoLabelledRow { data: self.name });
        }
        if dropped == 0 {
            return Ok(self);
        }
        let mut data = self.selected(&kept)?;
        data.notes.push(ReadNote::Unlabelled { rows: dropped });
        Ok(data)
    }

    /// The columns that are probably not what they were taken for; see [`ColumnDoubt`].
    pub fn doubts(&self) -> &[ColumnDoubt] {
        &self.doubts
    }

    /// What the reader noticed in the files.
    pub fn notes(&self) -> &[ReadNote] {
        &self.notes
    }

    /// The same data without these features.
    #[must_use]
    pub(super) fn without_columns(mut self, is_dropped: impl Fn(&str) -> bool) -> Self {
        let marked: Vec<bool> =
            self.columns.iter().map(|column| is_dropped(&column.name)).collect();
        if marked.contains(&true) {
            self.features.remove_columns(&marked);
            let mut marks = marked.iter();
            self.columns.retain(|_| !marks.next().copied().unwrap_or_default());
        }
        self
    }

    /// The same data without these identifiers.
    #[must_use]
    pub(super) fn without_identifiers(mut self, is_dropped: impl Fn(&str) -> bool) -> Self {
        self.identifiers.retain(|identifier| !is_dropped(&identifier.name));
        self
    }

    /// The classes that the rules know and the data does not. They are hidden, unless they are
    /// among [`classes`](Self::classes).
    pub fn unknown_labels(&self) -> &[String] {
        &self.unknown
    }

    /// The classes that only the rules know and that were kept.
    pub fn kept_labels(&self) -> impl Iterator<Item = &str> {
        let kept = self.unknown.iter().filter(|name| self.classes().find(name).is_some());
        kept.map(String::as_str)
    }

    /// The same data with rules that were fitted to its classes; those kept become classes, after
    /// its own and never true.
    pub(super) fn with_fitted(mut self, fitted: FittedRules) -> Result<Self, DatasetError> {
        let classes = fitted.program.labels().len();
        if classes > self.classes().len() {
            self.labels = self.labels.mapped(classes, Some);
            self.evaluated.resize(classes, true);
            self.program = fitted.program;
        } else {
            self = self.with_program(fitted.program)?;
        }
        self.unknown.extend(fitted.unknown);
        Ok(self)
    }

    /// The same data with other rules.
    ///
    /// # Errors
    /// [`DatasetError::BadLength`] if the program does not have the same number of classes.
    pub fn with_program(mut self, program: Program) -> Result<Self, DatasetError> {
        let (expected, found) = (self.classes().len(), program.labels().len());
        if expected != found {
            return Err(DatasetError::BadLength { what: "classes", expected, found });
        }
        self.program = program;
        Ok(self)
    }
}

/// Equal contents: features bit by bit (missing equals missing), labels, names, splits, the
/// evaluated classes and the rules.
impl PartialEq for Dataset {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.columns == other.columns
            && self.identifiers == other.identifiers
            && self.labels == other.labels
            && self.splits == other.splits
            && self.evaluated == other.evaluated
            && self.classes().names().eq(other.classes().names())
            && self.program.rules() == other.program.rules()
            && self.program.requirements() == other.program.requirements()
            && self.program.preferred() == other.program.preferred()
            && self.features == other.features
    }
}
