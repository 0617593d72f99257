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
mod sink;
mod text;

use std::path::Path;

use super::column::Column;
use super::column_choice::{Chosen, ColumnChoice};
use super::difference::Difference;
use super::error::DatasetError;
use super::labels::columns::LabelColumns;
use super::mistake::Mistakes;
use super::set::Dataset;
use super::source::FileFormat;
use super::split::SplitFile;
use rulebound_io::storage::Storage;

use self::plan::Plan;
use self::sink::Sink;

pub(super) use self::cell::{Cell, Slip};
pub(super) use self::records::{Records, Table};
pub(super) use self::text::{Delimiter, TextTable};
pub(super) use rulebound_io::table::As;
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

/// The columns of a table if they are known in advance, in the order identifiers, features, labels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<'a> {
    pub(super) identifiers: &'a [String],
    pub(super) columns: &'a [Column],
    pub(super) labels: &'a [String],
    /// How a missing cell is written in text.
    pub(super) missing: &'a str,
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
    let mut sink = Sink::new(name, &plan, first, storage)?;
    fill(files, format, Delimiter::Detected, &names, &rulebound_io::table::MISSING, &mut sink)?;
    let is_given = |column: &str| choice.of(column).is_some();
    let mut data = sink.finish(first, is_given)?.judged(is_given);
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
) -> Result<Sink, DatasetError> {
    let plan = Plan::known(known);
    let mut sink = Sink::new(name, &plan, Path::new(name), storage)?;
    fill(files, format, Delimiter::Named, &plan.names, &[known.missing], &mut sink)?;
    Ok(sink)
}

fn fill(
    files: &[SplitFile],
    format: FileFormat,
    delimiter: Delimiter,
    names: &[String],
    missing: &[&str],
    sink: &mut Sink,
) -> Result<(), DatasetError> {
    for file in files {
        sink.begin(file.split)?;
        let mut mistakes = Mistakes::default();
        let table = Table::open(&file.path, format, delimiter)?;
        check_names(names, table.names(), &files[0].path, &file.path)?;
        let mut records = table.records(&sink.wanted(), missing)?;
        while records.advance(&mut mistakes)? {
            for column in 0..names.len() {
                sink.cell(column, records.cell(column), records.line(), &mut mistakes);
            }
            sink.end_row(mistakes.is_empty())?;
        }
        DatasetError::expect_none(&file.path, mistakes)?;
    }
    Ok(())
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
