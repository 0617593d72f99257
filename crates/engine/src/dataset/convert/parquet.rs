//! Writes a split as Parquet: features 32-bit numbers or text, labels booleans, missing null.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float32Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::super::error::DatasetError;
use super::super::set::{Dataset, Value};
use crate::output::{OutputError, OutputFile};

/// Cells of one batch, at most about.
const BATCH_CELLS: usize = 1 << 22;

pub(super) fn write(data: &Dataset, rows: Range<usize>, path: &Path) -> Result<(), DatasetError> {
    let output = OutputFile::create(path)?;
    let schema = Arc::new(schema(data));
    let written = write_rows(data, rows, output, &schema);
    Ok(written.map_err(|error| failed(path, error))?.commit()?)
}

fn schema(data: &Dataset) -> Schema {
    let identifiers =
        data.identifiers().iter().map(|id| Field::new(&id.name, DataType::Utf8, true));
    let features = data.columns().iter().map(|column| {
        let data_type = match column.values() {
            None => DataType::Float32,
            Some(_) => DataType::Utf8,
        };
        Field::new(&column.name, data_type, true)
    });
    let labels = data.classes().names().map(|name| Field::new(name, DataType::Boolean, false));
    Schema::new(identifiers.chain(features).chain(labels).collect::<Vec<_>>())
}

fn write_rows(
    data: &Dataset,
    rows: Range<usize>,
    output: OutputFile,
    schema: &SchemaRef,
) -> Result<OutputFile, ParquetError> {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = ArrowWriter::try_new(output, schema.clone(), Some(properties))?;
    let most = (BATCH_CELLS / schema.fields().len().max(1)).max(1);
    let mut start = rows.start;
    while start < rows.end {
        let part = start..rows.end.min(start + most);
        start = part.end;
        writer.write(&RecordBatch::try_new(schema.clone(), arrays(data, part))?)?;
        writer.flush()?;
    }
    writer.into_inner()
}

fn arrays(data: &Dataset, rows: Range<usize>) -> Vec<ArrayRef> {
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for identifier in data.identifiers() {
        let values = identifier.values[rows.clone()].iter().map(Option::as_deref);
        arrays.push(Arc::new(values.collect::<StringArray>()));
    }
    for (place, column) in data.columns().iter().enumerate() {
        arrays.push(match column.values() {
            None => {
                let cells = rows.clone().map(|row| data.features(row)[place]);
                let cells = cells.map(|cell| (!cell.is_nan()).then_some(cell));
                Arc::new(cells.collect::<Float32Array>())
            }
            Some(_) => {
                let cells = rows.clone().map(|row| match data.value(row, place) {
                    Value::Nominal(value) => Some(value),
                    Value::Missing | Value::Number(_) => None,
                });
                Arc::new(cells.collect::<StringArray>())
            }
        });
    }
    for id in data.classes().ids() {
        let has = rows.clone().map(|row| Some(data.labels().contains(row, id)));
        arrays.push(Arc::new(has.collect::<BooleanArray>()));
    }
    arrays
}

fn failed(path: &Path, error: ParquetError) -> DatasetError {
    let path = path.to_path_buf();
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(source) => OutputError::Write { path, source: *source }.into(),
            Err(inner) => {
                DatasetError::WriteParquet { path, source: ParquetError::External(inner) }
            }
        },
        source => DatasetError::WriteParquet { path, source },
    }
}
