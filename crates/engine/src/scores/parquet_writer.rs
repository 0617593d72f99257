//! Writes a Parquet table.
//!
//! A column that passes through from a Parquet table is handed on as it is. A row group is ended
//! when it has grown to about 64 MiB, because all of it is held in memory.

use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, Float32Array, Float64Array, RecordBatch, StringArray, UInt8Array};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use super::batch::{Original, ScoreBatch};
use super::class_cells::{Cell, ClassCells, Content};
use super::error::ScoreError;
use super::header::ColumnRole;
use super::outline::Outline;
use super::text_rows::TextRows;
use crate::output::{OutputError, OutputFile};

/// Encoded bytes of a row group, at most about.
const ROW_GROUP: usize = 1 << 26;

/// Memory a row group may take while it is written; more than [`ROW_GROUP`], as each column has
/// buffers of its own.
const ROW_GROUP_MEMORY: usize = 4 * ROW_GROUP;

/// A Parquet table being written.
pub(super) struct ParquetWriter {
    rows: ArrowWriter<OutputFile>,
    schema: SchemaRef,
    outline: Outline,
}

impl ParquetWriter {
    pub(super) fn create(output: OutputFile, outline: Outline) -> Result<Self, ScoreError> {
        let path = output.path().to_path_buf();
        let schema = Arc::new(schema(&outline));
        let properties = properties(&outline, &schema);
        let rows = ArrowWriter::try_new(output, schema.clone(), Some(properties))
            .map_err(|error| failed(&path, error))?;
        Ok(Self { rows, schema, outline })
    }

    pub(super) fn write(
        &mut self,
        batch: &ScoreBatch,
        cells: ClassCells<'_, '_>,
    ) -> Result<(), ScoreError> {
        let mut columns = Vec::with_capacity(self.outline.written.len());
        for &column in &self.outline.written {
            columns.push(match self.outline.header.columns()[column].role {
                ColumnRole::Class(class) => self.class_array(batch, cells, class),
                ColumnRole::Other => match &batch.original {
                    Original::Arrow(rows) => rows.column(column).clone(),
                    Original::Text(rows) => self.text_array(batch, rows, column)?,
                },
            });
        }
        self.append(columns).map_err(|error| failed(self.path(), error))
    }

    /// Completes the table and gives it its name.
    pub(super) fn finish(self) -> Result<(), ScoreError> {
        let path = self.path().to_path_buf();
        let output = self.rows.into_inner();
        let output = output.map_err(|error| failed(&path, error))?;
        Ok(output.commit()?)
    }

    fn append(&mut self, columns: Vec<ArrayRef>) -> Result<(), ParquetError> {
        let batch = RecordBatch::try_new(self.schema.clone(), columns)?;
        self.rows.write(&batch)?;
        let is_full = self.rows.in_progress_size() >= ROW_GROUP;
        if is_full || self.rows.memory_size() >= ROW_GROUP_MEMORY {
            self.rows.flush()?;
        }
        Ok(())
    }

    fn class_array(&self, batch: &ScoreBatch, cells: ClassCells<'_, '_>, class: usize) -> ArrayRef {
        let at = |row| row * batch.classes + class;
        let rows = 0..batch.rows;
        match cells {
            ClassCells::Scores(cells) => {
                let value = |row| {
                    let cell: Cell = cells[at(row)];
                    cell.value(&batch.values[row * batch.classes..], class)
                };
                if self.outline.is_f32 {
                    let narrow = rows.map(|row| value(row) as f32);
                    return Arc::new(Float32Array::from_iter_values(narrow));
                }
                Arc::new(Float64Array::from_iter_values(rows.map(value)))
            }
            ClassCells::Decisions(predicted) => {
                let bits = rows.map(|row| u8::from(predicted[at(row)]));
                Arc::new(UInt8Array::from_iter_values(bits))
            }
            ClassCells::Names(name) => {
                let names = rows.map(|row| name(row, class));
                Arc::new(StringArray::from_iter_values(names))
            }
        }
    }

    fn text_array(
        &self,
        batch: &ScoreBatch,
        rows: &TextRows,
        column: usize,
    ) -> Result<ArrayRef, ScoreError> {
        let mut texts = StringBuilder::with_capacity(batch.rows, 0);
        for row in 0..batch.rows {
            let text = str::from_utf8(rows.cell(row, column));
            texts.append_value(text.map_err(|_| ScoreError::CellNotUtf8 {
                path: self.path().to_path_buf(),
                row: batch.first_row + row as u64,
                column: column + 1,
                name: self.outline.header.columns()[column].name.clone(),
            })?);
        }
        Ok(Arc::new(texts.finish()))
    }

    fn path(&self) -> &Path {
        self.rows.inner().path()
    }
}

fn schema(outline: &Outline) -> Schema {
    let of_class = match outline.content {
        Content::Scores if outline.is_f32 => DataType::Float32,
        Content::Scores => DataType::Float64,
        Content::Decisions => DataType::UInt8,
        Content::Names => DataType::Utf8,
    };
    let field = |&position: &usize| -> FieldRef {
        let column = &outline.header.columns()[position];
        let original = outline.schema.as_ref().map(|s| &s.fields()[position]);
        let is_class = matches!(column.role, ColumnRole::Class(_));
        match original {
            Some(original) if !is_class => original.clone(),
            // What was noted about a column of scores holds for scores.
            Some(original) if outline.content == Content::Scores => {
                let field = original.as_ref().clone();
                field.with_data_type(of_class.clone()).into()
            }
            _ if is_class => Field::new(&column.name, of_class.clone(), false).into(),
            _ => Field::new(&column.name, DataType::Utf8, false).into(),
        }
    };
    let fields: Vec<FieldRef> = outline.written.iter().map(field).collect();
    let metadata = match &outline.schema {
        Some(schema) if outline.content == Content::Scores => schema.metadata().clone(),
        _ => Default::default(),
    };
    Schema::new_with_metadata(fields, metadata)
}

fn properties(outline: &Outline, schema: &Schema) -> WriterProperties {
    let mut notes: Vec<KeyValue> = schema
        .metadata()
        .iter()
        .map(|(key, value)| KeyValue::new(key.clone(), value.clone()))
        .collect();
    // A map has no order, but the same table should give the same bytes.
    notes.sort_by(|a, b| a.key.cmp(&b.key));
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_key_value_metadata(Some(notes));
    if outline.content == Content::Scores {
        for (_, column) in outline.header.class_columns() {
            // Scores hardly repeat: a dictionary of them costs time and saves nothing.
            let name = outline.header.columns()[column].name.clone();
            properties =
                properties.set_column_dictionary_enabled(ColumnPath::from(vec![name]), false);
        }
    }
    properties.build()
}

fn failed(path: &Path, error: ParquetError) -> ScoreError {
    let path = path.to_path_buf();
    let inner = match error {
        ParquetError::External(inner) => inner,
        source => return ScoreError::WriteParquet { path, source },
    };
    match inner.downcast::<io::Error>() {
        Ok(source) => OutputError::Write { path, source: *source }.into(),
        Err(inner) => ScoreError::WriteParquet { path, source: ParquetError::External(inner) },
    }
}
