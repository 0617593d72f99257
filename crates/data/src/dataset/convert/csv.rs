//! Writes a split as CSV.

use std::ops::Range;

use super::super::error::DatasetError;
use super::super::set::{Dataset, Value};
use rulebound_io::output::OutputFile;
use rulebound_io::table::{TableError, TextFile};

const BOM: char = '\u{feff}';

pub(super) fn write(
    data: &Dataset,
    rows: Range<usize>,
    missing: &str,
    output: OutputFile,
) -> Result<(), DatasetError> {
    let first = data.identifiers().first().map(|id| id.name.as_str());
    let first = first.or(data.columns().first().map(|column| column.name.as_str()));
    // Readers skip a byte order mark; in quotes it is part of the name.
    let is_like_a_mark =
        first.or(data.classes().names().next()).is_some_and(|name| name.starts_with(BOM));
    let mut file = TextFile::new(output, b',', is_like_a_mark);
    write_rows(data, rows, missing, &mut file)?;
    Ok(file.finish()?.publish()?)
}

fn write_rows(
    data: &Dataset,
    rows: Range<usize>,
    missing: &str,
    file: &mut TextFile,
) -> Result<(), TableError> {
    let identifiers = data.identifiers();
    let columns = data.columns().iter().map(|column| column.name.as_str());
    let names = identifiers.iter().map(|id| id.name.as_str()).chain(columns);
    file.row(names.chain(data.classes().names()))?;
    let mut labels = vec![false; data.classes().len()];
    let mut known = labels.clone();
    for row in rows {
        for identifier in identifiers {
            file.push(identifier.values[row].as_deref().unwrap_or(missing))?;
        }
        for column in 0..data.columns().len() {
            match data.value(row, column) {
                Value::Missing => file.push(missing)?,
                Value::Nominal(value) => file.push(value)?,
                Value::Number(number) => file.push(ryu::Buffer::new().format_finite(number))?,
            }
        }
        data.labels().unpack(row, &mut labels);
        data.labels().unpack_known(row, &mut known);
        for (&has, &known) in labels.iter().zip(&known) {
            file.push(match (known, has) {
                (false, _) => missing,
                (true, true) => "1",
                (true, false) => "0",
            })?;
        }
        file.end_row()?;
    }
    Ok(())
}
