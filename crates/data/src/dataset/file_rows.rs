//! The rows of a data file, one by one: each format reads them in one way, for training and for prediction.
//!
//! ```text
//! header ──> a Role for each column ──> FileRows ─┬─ DatasetBuilder::fill ──> Dataset
//!                                                 └─ RowReader::read ───────> RowBatch
//! ```

use rulebound_core::{LabelId, Labels};

use super::builder::DatasetBuilder;
use super::column::Column;
use super::complaint::Mistakes;
use super::error::DatasetError;
use super::labels::matrix::LabelMatrix;
use super::labels::named::NamedLabels;
use rulebound_io::features::FeatureRow;

/// The role of a column of a file.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Role {
    /// The feature with this number.
    Feature(usize),
    /// The identifier with this number.
    Identifier(usize),
    /// A label.
    Label(LabelId),
    /// The names of the row's labels, separated by `|`.
    Joined,
    /// The row's classes in a hierarchy, `a@b@c`.
    Hierarchy,
    /// Left out; its cells may be anything.
    Ignored,
}

/// The roles of all columns of a file, and what they are in the data set.
#[derive(Debug, Default)]
pub(super) struct Roles {
    pub(super) roles: Vec<Role>,
    pub(super) columns: Vec<Column>,
    pub(super) identifiers: Vec<String>,
}

impl Roles {
    /// The next column is this feature.
    pub(super) fn feature(&mut self, column: Column) {
        self.roles.push(Role::Feature(self.columns.len()));
        self.columns.push(column);
    }

    /// The next column is an identifier.
    pub(super) fn identifier(&mut self, name: &str) {
        self.roles.push(Role::Identifier(self.identifiers.len()));
        self.identifiers.push(name.to_owned());
    }
}

/// The columns of a file that are known in advance, in the order identifiers, features, labels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<'a> {
    pub(super) identifiers: &'a [String],
    pub(super) columns: &'a [Column],
    pub(super) labels: &'a Labels,
    /// How a missing cell is written in text.
    pub(super) missing: &'a str,
}

impl Known<'_> {
    /// The names of the columns.
    pub(super) fn names(&self) -> Vec<String> {
        let names = self.columns.iter().map(|column| column.name.clone());
        let labels = self.labels.names().map(str::to_owned);
        self.identifiers.iter().cloned().chain(names).chain(labels).collect()
    }

    pub(super) fn roles(&self) -> Roles {
        let mut all = Roles::default();
        self.identifiers.iter().for_each(|name| all.identifier(name));
        self.columns.iter().for_each(|column| all.feature(column.clone()));
        all.roles.extend(self.labels.ids().map(Role::Label));
        all
    }
}

/// The rows of a file whose columns have roles. Features, identifiers and labels are those of the current row, if it
/// has no mistake.
pub(super) trait FileRows: Send {
    /// Advances to the next row, valid or not; false after the last one. Mistakes are added to
    /// `mistakes`. `columns` are those of the features; a file that does not declare them adds what it finds.
    fn advance(
        &mut self,
        columns: &mut Vec<Column>,
        mistakes: &mut Mistakes,
    ) -> Result<bool, DatasetError>;

    /// Numbers, indices of nominal values, NaN where missing.
    fn features(&self) -> FeatureRow<'_>;

    /// One entry for each identifier.
    fn identifiers(&self) -> &[Option<String>] {
        &[]
    }

    /// Marks the labels of the row, which is this one of the data set.
    fn label(&mut self, _row: usize, _labels: &mut LabelMatrix, _named: &mut NamedLabels) {}
}

impl DatasetBuilder {
    /// Adds all rows of the file at `path`.
    pub(super) fn fill(
        &mut self,
        rows: &mut dyn FileRows,
        path: &std::path::Path,
    ) -> Result<(), DatasetError> {
        let mut mistakes = Mistakes::default();
        while rows.advance(self.columns_mut(), &mut mistakes)? {
            // After a mistake there will be no data set; do not grow it.
            if mistakes.is_empty() {
                let identifiers: Vec<_> = rows.identifiers().iter().map(Option::as_deref).collect();
                let row = self.push_row(rows.features(), &identifiers)?;
                let (labels, named) = self.all_labels_mut();
                rows.label(row, labels, named);
            }
        }
        DatasetError::expect_none(path, mistakes)
    }
}
