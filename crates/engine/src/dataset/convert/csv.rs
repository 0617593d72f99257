//! Writes a split as CSV.

use std::ops::Range;
use std::path::Path;

use csv::QuoteStyle;

use super::super::error::DatasetError;
use super::super::set::{Dataset, Value};
use crate::output::OutputFile;

const BOM: char = '\u{feff}';

pub(super) fn write(
    data: &Dataset,
    rows: Range<usize>,
    missing: &str,
    path: &Path,
) -> Result<(), DatasetError> {
    let output = OutputFile::create(path)?;
    let first = data.identifiers().first().map(|id| id.name.as_str());
    let first = first.or(data.columns().first().map(|column| column.name.as_str()));
    let is_like_a_mark =
        first.or(data.classes().names().next()).is_some_and(|name| name.starts_with(BOM));
    // A reader takes off a byte order mark; in quotes it is the name's own.
    let quotes = if is_like_a_mark { QuoteStyle::Always } else { QuoteStyle::Necessary };
    let mut writer = csv::WriterBuilder::new().quote_style(quotes).from_writer(output);
    if let Err(error) = write_rows(data, rows, missing, &mut writer) {
        let source = match error.into_kind() {
            csv::ErrorKind::Io(source) => source,
            other => std::io::Error::other(format!("{other:?}")),
        };
        return Err(writer.get_ref().failed(source).into());
    }
    let output = writer.into_inner().map_err(|error| {
        let path = path.to_path_buf();
        crate::output::OutputError::Write { path, source: error.into_error() }
    })?;
    Ok(output.commit()?)
}

fn write_rows(
    data: &Dataset,
    rows: Range<usize>,
    missing: &str,
    writer: &mut csv::Writer<OutputFile>,
) -> Result<(), csv::Error> {
    let identifiers = data.identifiers();
    let columns = data.columns().iter().map(|column| column.name.as_str());
    let names = identifiers.iter().map(|id| id.name.as_str()).chain(columns);
    writer.write_record(names.chain(data.classes().names()))?;
    let mut labels = vec![false; data.classes().len()];
    for row in rows {
        for identifier in identifiers {
            writer.write_field(identifier.values[row].as_deref().unwrap_or(missing))?;
        }
        for column in 0..data.columns().len() {
            match data.value(row, column) {
                Value::Missing => writer.write_field(missing)?,
                Value::Nominal(value) => writer.write_field(value)?,
                Value::Number(number) => {
                    writer.write_field(ryu::Buffer::new().format_finite(number))?;
                }
            }
        }
        data.labels().unpack(row, &mut labels);
        for &has in &labels {
            writer.write_field(if has { "1" } else { "0" })?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    Ok(())
}
