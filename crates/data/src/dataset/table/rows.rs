//! The rows of a CSV, TSV or Parquet table: each cell is read in the role of its column.

use super::super::cell::{self, MOST_VALUES, Places};
use super::super::column::{Column, ColumnKind};
use super::super::complaint::{Mistakes, Problem};
use super::super::error::DatasetError;
use super::super::file_rows::{FileRows, Role};
use super::super::labels::matrix::LabelMatrix;
use super::super::labels::named::NamedLabels;
use super::cell::{Cell, Slip};
use super::records::{Records, Table};
use rulebound_core::LabelId;
use rulebound_io::features::FeatureRow;
use rulebound_io::table::As;

/// What becomes of a value that a nominal column does not list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Unlisted {
    /// It is added.
    Added,
    /// It is a mistake.
    Mistake,
    /// The cell is the index past the last value.
    PastTheEnd,
}

/// The rows of a table.
pub(in super::super) struct TableRows {
    records: Records,
    /// In the order in which cells are asked for from the records.
    readers: Vec<ColumnReader>,
    row: Row,
}

/// Reads the cells of one column.
struct ColumnReader {
    /// The column in the file, from 1, and its name there.
    column: usize,
    name: String,
    role: Role,
    /// The indices of the values of a nominal feature.
    values: Option<Places>,
    unlisted: Unlisted,
}

#[derive(Default)]
struct Row {
    features: Vec<f32>,
    identifiers: Vec<Option<String>>,
    positives: Vec<LabelId>,
    unknown: Vec<LabelId>,
    /// The names of labels, separated by `|`.
    joined: String,
}

impl TableRows {
    /// The rows of an open table with these columns, which may occur twice, in these roles; `columns`
    /// are those of the features. A text cell that is one of `missing` is missing.
    pub(in super::super) fn new(
        table: Table,
        wanted: &[(usize, Role)],
        columns: &[Column],
        unlisted: Unlisted,
        missing: &[&str],
    ) -> Result<Self, DatasetError> {
        let reader = |&(place, role): &(usize, Role)| {
            let values = match role {
                Role::Feature(feature) => columns[feature].values().map(Places::new),
                _ => None,
            };
            let name = table.names()[place].clone();
            ColumnReader { column: place + 1, name, role, values, unlisted }
        };
        let readers: Vec<ColumnReader> = wanted.iter().map(reader).collect();
        let kinds = readers.iter().map(|reader| (reader.column - 1, reader.kind()));
        let records = table.records(&kinds.collect::<Vec<_>>(), missing)?;
        let identifiers = wanted.iter().filter(|(_, role)| matches!(role, Role::Identifier(_)));
        let row = Row {
            features: vec![f32::NAN; columns.len()],
            identifiers: vec![None; identifiers.count()],
            ..Row::default()
        };
        Ok(Self { records, readers, row })
    }
}

impl ColumnReader {
    fn kind(&self) -> As {
        match self.role {
            Role::Feature(_) if self.values.is_none() => As::Number,
            Role::Label(_) => As::Number,
            _ => As::Text,
        }
    }

    fn read(&mut self, cell: Cell<'_>, columns: &mut [Column], row: &mut Row) -> Result<(), Slip> {
        let text = || cell.text().into_owned();
        match (self.role, cell) {
            (Role::Ignored | Role::Hierarchy, _) => {}
            (Role::Feature(feature), cell) => {
                row.features[feature] = match (&mut self.values, cell) {
                    (None, cell) => cell.number(&self.name)?,
                    (Some(_), Cell::Missing) => f32::NAN,
                    (Some(places), cell) => {
                        let value = cell.text();
                        match find(places, &value, &mut columns[feature], self.unlisted) {
                            Some(place) => place,
                            None => {
                                let column = self.name.clone();
                                return Err((text(), Problem::UnknownValue { column }));
                            }
                        }
                    }
                };
            }
            (Role::Identifier(place), Cell::Missing) => row.identifiers[place] = None,
            (Role::Identifier(place), _) => row.identifiers[place] = Some(text()),
            (Role::Label(label), Cell::Missing) => row.unknown.push(label),
            (Role::Label(label), _) => {
                let has = match cell {
                    Cell::Missing => None,
                    Cell::Text(text) => cell::label(text.trim()),
                    Cell::Number(1.0) => Some(true),
                    Cell::Number(number) => (number == 0.0).then_some(false),
                };
                match has {
                    Some(true) => row.positives.push(label),
                    Some(false) => {}
                    None => {
                        let label = self.name.clone();
                        return Err((text(), Problem::NotALabel { label }));
                    }
                }
            }
            (Role::Joined, _) => {
                row.joined.push('|');
                row.joined.push_str(&cell.text());
            }
        }
        Ok(())
    }
}

/// The index of a value of a nominal column.
fn find(places: &mut Places, value: &str, column: &mut Column, unlisted: Unlisted) -> Option<f32> {
    match (&mut column.kind, unlisted) {
        (ColumnKind::Nominal { values }, Unlisted::Added) if values.len() < MOST_VALUES => {
            Some(places.intern(value, values))
        }
        (ColumnKind::Nominal { values }, Unlisted::PastTheEnd) => {
            Some(places.find(value).unwrap_or(values.len() as f32))
        }
        _ => places.find(value),
    }
}

impl FileRows for TableRows {
    fn advance(
        &mut self,
        columns: &mut Vec<Column>,
        mistakes: &mut Mistakes,
    ) -> Result<bool, DatasetError> {
        if !self.records.advance(mistakes)? {
            return Ok(false);
        }
        self.row.positives.clear();
        self.row.unknown.clear();
        self.row.joined.clear();
        for (place, reader) in self.readers.iter_mut().enumerate() {
            let read = reader.read(self.records.cell(place), columns, &mut self.row);
            if let Err((text, problem)) = read {
                mistakes.push(self.records.line(), reader.column, &text, problem);
            }
        }
        Ok(true)
    }

    fn features(&self) -> FeatureRow<'_> {
        FeatureRow::Dense(&self.row.features)
    }

    fn identifiers(&self) -> &[Option<String>] {
        &self.row.identifiers
    }

    fn label(&mut self, row: usize, labels: &mut LabelMatrix, named: &mut NamedLabels) {
        for &label in &self.row.positives {
            labels.insert(row, label);
        }
        for &label in &self.row.unknown {
            labels.set_unknown(row, label);
        }
        // With a joined column it has at least one separator.
        if !self.row.joined.is_empty() {
            let names = self.row.joined.split('|').map(str::trim);
            named.push_row(names.filter(|name| !name.is_empty()));
        }
    }
}
