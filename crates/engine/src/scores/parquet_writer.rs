//! Writes a Parquet table.
//!
//! A column that passes through from a Parquet table is handed on as it is.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, Float32Array, Float64Array, StringArray, UInt8Array};
use arrow_schema::{DataType, Field, FieldRef, Schema};

use super::batch::{Original, ScoreBatch};
use super::class_cells::{Cell, ClassCells, Content};
use super::error::ScoreError;
use super::header::ColumnRole;
use super::outline::Outline;
use super::parquet_file::ParquetFile;
use super::text_rows::TextRows;
use crate::output::{CompleteFile, OutputFile};

/// A Parquet table being written.
pub(super) struct ParquetWriter {
    rows: ParquetFile,
    outline: Outline,
}

impl ParquetWriter {
    pub(super) fn create(output: OutputFile, outline: Outline) -> Result<Self, ScoreError> {
        let schema = schema(&outline);
        let unlike = match outline.content {
            // Scores hardly repeat: a dictionary of them costs time and saves nothing.
            Content::Scores => outline.header.class_columns().map(|(_, column)| column).collect(),
            Content::Decisions | Content::Names => Vec::new(),
        };
        let unlike = unlike.iter().map(|&column| outline.header.columns()[column].name.as_str());
        let rows = ParquetFile::create(output, schema, unlike)?;
        Ok(Self { rows, outline })
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
        self.rows.append(columns)
    }

    /// Completes the table.
    pub(super) fn complete(self) -> Result<CompleteFile, ScoreError> {
        self.rows.complete()
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
                path: self.rows.path().to_path_buf(),
                row: batch.first_row + row as u64,
                column: column + 1,
                name: self.outline.header.columns()[column].name.clone(),
            })?);
        }
        Ok(Arc::new(texts.finish()))
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
