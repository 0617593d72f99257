//! The rows of a CSV, TSV or Parquet file.
//!
//! The kinds of the columns are known from fitting, so nothing is detected: a cell of a numeric
//! column must be a number, a cell of a nominal column is a fitted value or an unseen one.

use std::path::Path;

use super::super::cell::Places;
use super::super::column::Column;
use super::super::error::DatasetError;
use super::super::mistake::Mistakes;
use super::super::pipeline::{FittedColumn, Pipeline};
use super::super::source::FileFormat;
use super::super::table::{As, Cell, Delimiter, Records, Slip, Table};
use super::matched_columns::MatchedColumns;
use super::{Opened, RawRow, RowOptions, Rows};
use rulebound_io::table::MISSING;

pub(super) struct TableRows {
    records: Records,
    /// The cells of a row, in the order in which they are requested from the records.
    readers: Vec<ColumnReader>,
    has_id: bool,
}

/// Reads the cells of one column.
struct ColumnReader {
    /// The column in the file, from 1, and its name there.
    column: usize,
    name: String,
    /// The indices of the values of a nominal column.
    values: Option<(Places, usize)>,
}

impl TableRows {
    pub(super) fn open<'a>(
        path: &Path,
        format: FileFormat,
        pipeline: &Pipeline,
        options: &RowOptions,
    ) -> Result<Opened<'a>, DatasetError> {
        let table = Table::open(path, format, Delimiter::Detected)?;
        let note = table.note();
        let names = table.names();
        let asked = options.id_among(names.iter().map(String::as_str));
        let found =
            MatchedColumns::new(names, |place| asked == Some(names[place].as_str()), pipeline);
        let id = found.id(asked, |_| false, path)?;
        let mut readers = Vec::new();
        let mut columns = Vec::new();
        let mut wanted = Vec::new();
        for fitted in pipeline.columns() {
            let Some(place) = found.place(fitted.name()) else {
                continue;
            };
            table.check_feature(place)?;
            let (column, kind) = match fitted {
                FittedColumn::Number { name, .. }
                | FittedColumn::Untouched { name, values: None } => {
                    (Column::numeric(name), As::Number)
                }
                FittedColumn::OneHot { name, values, .. }
                | FittedColumn::Untouched { name, values: Some(values) } => {
                    (Column::nominal(name, values), As::Text)
                }
            };
            let values = column.values().map(|values| (Places::new(values), values.len()));
            readers.push(ColumnReader {
                column: place + 1,
                name: table.names()[place].clone(),
                values,
            });
            columns.push(column);
            wanted.push((place, kind));
        }
        wanted.extend(id.map(|place| (place, As::Text)));
        let id = id.map(|place| found.name(place).to_owned());
        let records = table.records(&wanted, &MISSING)?;
        let rows = Box::new(Self { records, readers, has_id: id.is_some() });
        Ok(Opened { rows, columns, id, note })
    }
}

impl ColumnReader {
    fn read(&self, cell: Cell<'_>) -> Result<f32, Slip> {
        match &self.values {
            None => cell.number(&self.name),
            Some(_) if cell == Cell::Missing => Ok(f32::NAN),
            // Past the end of the list: a value that did not occur in fitting.
            Some((places, past)) => Ok(places.find(&cell.text()).unwrap_or(*past as f32)),
        }
    }
}

impl Rows for TableRows {
    fn next(&mut self, row: &mut RawRow, mistakes: &mut Mistakes) -> Result<bool, DatasetError> {
        if !self.records.advance(mistakes)? {
            return Ok(false);
        }
        for (place, reader) in self.readers.iter().enumerate() {
            match reader.read(self.records.cell(place)) {
                Ok(cell) => row.cells[place] = cell,
                Err((text, problem)) => {
                    mistakes.push(self.records.line(), reader.column, &text, problem);
                }
            }
        }
        row.id = match self.has_id {
            false => None,
            true => match self.records.cell(self.readers.len()) {
                Cell::Missing => None,
                cell => Some(cell.text().into_owned()),
            },
        };
        Ok(true)
    }
}
