//! Tables: CSV, TSV and Parquet, one column per attribute.
//!
//! Text cells are missing if they are empty or one of `?`, `NA`, `N/A`, `NaN`, `nan`, `null`. A
//! text column is numeric if at least half of its cells that are not missing are numbers (the other
//! cells are mistakes); otherwise it is nominal, with its values in order of first occurrence. The
//! caller can name columns that are nominal, numeric, identifiers or ignored. What remains doubtful
//! is in the data set's [doubts](Dataset::doubts).

mod cell;
#[cfg(feature = "parquet")]
mod parquet;
mod plan;
mod records;
mod rows;
mod text;

use std::path::Path;

use super::builder::DatasetBuilder;
use super::column_choice::{Chosen, ColumnChoice};
use super::complaint::Difference;
use super::error::DatasetError;
use super::file_rows::{Known, Role, Roles};
use super::labels::columns::LabelColumns;
use super::labels::named::ClassOrder;
use super::set::Dataset;
use super::source::FileFormat;
use super::split::SplitFile;
use rulebound_io::storage::Storage;

use self::plan::Plan;

pub(super) use self::records::Table;
pub(super) use self::rows::{TableRows, Unlisted};
pub(super) use self::text::{Delimiter, TextTable};
#[cfg(not(feature = "parquet"))]
use rulebound_io::table::TableError;

/// The columns of a table that are not plain features.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice<'a> {
    pub(super) labels: &'a LabelColumns,
    pub(super) given: &'a ColumnChoice,
    /// What else is known; such columns may be absent.
    pub(super) remembered: &'a ColumnChoice,
}

impl Choice<'_> {
    /// What a column was chosen to be, if anything.
    fn of(&self, column: &str) -> Option<Chosen> {
        self.given.of(column).or_else(|| self.remembered.of(column))
    }
}

/// Reads the tables of a data set and detects the kinds of the columns.
pub(super) fn read(
    name: &str,
    files: &[SplitFile],
    format: FileFormat,
    choice: Choice<'_>,
    storage: &Storage,
) -> Result<Dataset, DatasetError> {
    let first = &files[0].path;
    let (names, is_text, notes) = match format {
        #[cfg(feature = "parquet")]
        FileFormat::Parquet => {
            let (names, is_text) = parquet::columns(first, choice)?;
            (names, is_text, Vec::new())
        }
        #[cfg(not(feature = "parquet"))]
        FileFormat::Parquet => return Err(TableError::no_parquet(first).into()),
        _ => text::survey(files, format, choice)?,
    };
    let plan = Plan::new(first, &names, &is_text, choice)?;
    let missing = &rulebound_io::table::MISSING;
    let fill =
        Fill { plan: &plan, delimiter: Delimiter::Detected, unlisted: Unlisted::Added, missing };
    let mut builder = fill.all(name, files, format, storage)?;
    let classes = match choice.labels {
        LabelColumns::Joined(_) => builder.settle_names(ClassOrder::Names, first)?,
        _ => plan.classes,
    };
    let is_given = |column: &str| choice.of(column).is_some();
    builder.split_off_identifiers_but(is_given);
    let mut data = builder.finish_without_rules(classes)?.judged(is_given);
    data.notes = notes;
    Ok(data)
}

/// Reads the tables of a data set whose columns are known.
pub(super) fn read_known(
    name: &str,
    files: &[SplitFile],
    format: FileFormat,
    known: Known<'_>,
    storage: &Storage,
) -> Result<DatasetBuilder, DatasetError> {
    let plan = &Plan::known(known);
    let (delimiter, missing) = (Delimiter::Named, &[known.missing]);
    Fill { plan, delimiter, unlisted: Unlisted::Mistake, missing }.all(name, files, format, storage)
}

/// How the rows of tables are read into a data set.
struct Fill<'a> {
    plan: &'a Plan,
    delimiter: Delimiter,
    unlisted: Unlisted,
    missing: &'a [&'a str],
}

impl Fill<'_> {
    fn all(
        &self,
        name: &str,
        files: &[SplitFile],
        format: FileFormat,
        storage: &Storage,
    ) -> Result<DatasetBuilder, DatasetError> {
        let Roles { roles, columns, identifiers } = &self.plan.roles;
        let (columns, identifiers) = (columns.clone(), identifiers.clone());
        let builder = DatasetBuilder::new(name, columns, identifiers, self.plan.classes.len())?;
        let mut builder = builder.stored_in(storage);
        let wanted: Vec<(usize, Role)> = roles.iter().copied().enumerate().collect();
        for file in files {
            builder.begin(file.split)?;
            let table = Table::open(&file.path, format, self.delimiter)?;
            check_names(&self.plan.names, table.names(), &files[0].path, &file.path)?;
            let columns = builder.columns();
            let mut rows = TableRows::new(table, &wanted, columns, self.unlisted, self.missing)?;
            builder.fill(&mut rows, &file.path)?;
        }
        Ok(builder)
    }
}

/// Checks that a file has the same columns as the first one.
fn check_names(
    expected: &[String],
    found: &[String],
    first: &Path,
    path: &Path,
) -> Result<(), DatasetError> {
    let differ = |difference| DatasetError::SplitsDiffer {
        first: first.to_path_buf(),
        path: path.to_path_buf(),
        difference,
    };
    if expected.len() != found.len() {
        let (expected, found) = (expected.len(), found.len());
        return Err(differ(Difference::Columns { expected, found }));
    }
    match (0..found.len()).find(|&place| expected[place] != found[place]) {
        None => Ok(()),
        Some(place) => Err(differ(Difference::Column {
            column: place + 1,
            expected: expected[place].clone(),
            found: found[place].clone(),
        })),
    }
}
