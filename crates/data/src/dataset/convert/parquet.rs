//! Writes a split as Parquet: features 32-bit numbers or text, labels booleans, missing null.

use std::ops::Range;

use super::super::error::DatasetError;
use super::super::set::{Dataset, Value};
use rulebound_io::output::OutputFile;
use rulebound_io::table::parquet::{ColumnType, NewColumn, NewSchema, ParquetFile};

/// Cells of one batch, approximately at most.
const BATCH_CELLS: usize = 1 << 22;

pub(super) fn write(
    data: &Dataset,
    rows: Range<usize>,
    output: OutputFile,
) -> Result<(), DatasetError> {
    let columns = data.identifiers().len() + data.columns().len() + data.classes().len();
    let mut file = ParquetFile::create_data(output, schema(data))?;
    let most = (BATCH_CELLS / columns.max(1)).max(1);
    let mut start = rows.start;
    while start < rows.end {
        let part = start..rows.end.min(start + most);
        start = part.end;
        file.append(new_columns(data, part))?;
    }
    Ok(file.finish()?.publish()?)
}

fn schema(data: &Dataset) -> NewSchema {
    let mut schema = NewSchema::default();
    for identifier in data.identifiers() {
        schema.push(&identifier.name, ColumnType::Text, true);
    }
    for column in data.columns() {
        let holds = match column.values() {
            None => ColumnType::F32,
            Some(_) => ColumnType::Text,
        };
        schema.push(&column.name, holds, true);
    }
    for name in data.classes().names() {
        schema.push(name, ColumnType::Bool, data.labels().unknown_cells() > 0);
    }
    schema
}

fn new_columns(data: &Dataset, rows: Range<usize>) -> Vec<NewColumn> {
    let identifiers = data.identifiers().iter().map(|identifier| {
        let values = identifier.values[rows.clone()].iter();
        NewColumn::some_texts(values.map(Option::as_deref))
    });
    let features = data.columns().iter().enumerate().map(|(place, column)| {
        let rows = rows.clone();
        match column.values() {
            None => {
                let cells = rows.map(|row| data.features(row)[place]);
                NewColumn::some_f32s(cells.map(|cell| (!cell.is_nan()).then_some(cell)))
            }
            Some(_) => NewColumn::some_texts(rows.map(|row| match data.value(row, place) {
                Value::Nominal(value) => Some(value),
                Value::Missing | Value::Number(_) => None,
            })),
        }
    });
    let labels = data.labels();
    let has = |id| {
        let cell = move |row| labels.is_known(row, id).then(|| labels.contains(row, id));
        NewColumn::some_bools(rows.clone().map(cell))
    };
    identifiers.chain(features).chain(data.classes().ids().map(has)).collect()
}
