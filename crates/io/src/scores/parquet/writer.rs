//! Writes a Parquet table.
//!
//! A column that is passed through from a Parquet table is copied unchanged.

use crate::output::{FinishedFile, OutputFile};
use crate::scores::batch::{Original, ScoreBatch};
use crate::scores::cell::{BLANK_DECISION, ClassCells, Holds};
use crate::scores::error::ScoreError;
use crate::scores::header::ColumnRole;
use crate::scores::outline::Outline;
use crate::scores::writer::WriteScores;
use crate::table::TextRows;
use crate::table::parquet::{ColumnType, NewColumn, NewSchema, ParquetFile};

/// A Parquet table being written.
pub(in crate::scores) struct ParquetWriter {
    rows: ParquetFile,
    outline: Outline,
}

impl ParquetWriter {
    pub(in crate::scores) fn create(
        output: OutputFile,
        outline: Outline,
    ) -> Result<Self, ScoreError> {
        let schema = schema(&outline);
        let distinct = match outline.holds {
            // Scores rarely repeat: a dictionary of them costs time and saves nothing.
            Holds::Scores => outline.header.class_columns().map(|(_, column)| column).collect(),
            Holds::Decisions | Holds::Names => Vec::new(),
        };
        let distinct =
            distinct.iter().map(|&column| outline.header.columns()[column].name.as_str());
        let rows = ParquetFile::create(output, schema, distinct)?;
        Ok(Self { rows, outline })
    }

    fn class_column(
        &self,
        batch: &ScoreBatch,
        cells: ClassCells<'_, '_>,
        class: usize,
    ) -> NewColumn {
        let at = |row| row * batch.classes + class;
        let rows = 0..batch.rows;
        match cells {
            ClassCells::Scores(cells) => {
                let value = |row: usize| match batch.is_blank(row) {
                    true => f64::NAN,
                    false => cells[at(row)].value(&batch.values[row * batch.classes..], class),
                };
                match self.outline.is_f32 {
                    true => NewColumn::f32s(rows.map(|row| value(row) as f32)),
                    false => NewColumn::f64s(rows.map(value)),
                }
            }
            ClassCells::Decisions(predicted) => {
                NewColumn::u8s(rows.map(|row| match batch.is_blank(row) {
                    true => BLANK_DECISION,
                    false => u8::from(predicted[at(row)]),
                }))
            }
            ClassCells::Names(name) => NewColumn::texts(
                rows.map(|row| if batch.is_blank(row) { "" } else { name(row, class) }),
            ),
        }
    }

    fn text_column(
        &self,
        batch: &ScoreBatch,
        rows: &TextRows,
        column: usize,
    ) -> Result<NewColumn, ScoreError> {
        let mut texts = Vec::with_capacity(batch.rows);
        for row in 0..batch.rows {
            let text = str::from_utf8(rows.cell(row, column));
            texts.push(text.map_err(|_| ScoreError::CellNotUtf8 {
                path: self.rows.path().to_path_buf(),
                row: batch.first_row + row as u64,
                column: column + 1,
                name: self.outline.header.columns()[column].name.clone(),
            })?);
        }
        Ok(NewColumn::texts(texts.into_iter()))
    }
}

impl WriteScores for ParquetWriter {
    fn write(&mut self, batch: &ScoreBatch, cells: ClassCells<'_, '_>) -> Result<(), ScoreError> {
        let mut columns = Vec::with_capacity(self.outline.written.len());
        for &column in &self.outline.written {
            columns.push(match self.outline.header.columns()[column].role {
                ColumnRole::Class(class) => self.class_column(batch, cells, class),
                ColumnRole::Other => match &batch.original {
                    Original::Parquet(rows) => NewColumn::copied(rows, column),
                    Original::Text(rows) => self.text_column(batch, rows, column)?,
                },
            });
        }
        Ok(self.rows.append(columns)?)
    }

    fn finish(self: Box<Self>) -> Result<FinishedFile, ScoreError> {
        Ok(self.rows.finish()?)
    }
}

fn schema(outline: &Outline) -> NewSchema {
    let of_class = match outline.holds {
        Holds::Scores if outline.is_f32 => ColumnType::F32,
        Holds::Scores => ColumnType::F64,
        Holds::Decisions => ColumnType::U8,
        Holds::Names => ColumnType::Text,
    };
    let mut schema = NewSchema::default();
    for &position in &outline.written {
        let column = &outline.header.columns()[position];
        let is_class = matches!(column.role, ColumnRole::Class(_));
        match &outline.schema {
            Some(original) if !is_class => schema.push_copied(original, position),
            // The metadata of a column of scores still applies to scores.
            Some(original) if outline.holds == Holds::Scores => {
                schema.push_retyped(original, position, of_class);
            }
            _ if is_class => schema.push(&column.name, of_class, false),
            _ => schema.push(&column.name, ColumnType::Text, false),
        }
    }
    if let Some(original) = &outline.schema
        && outline.holds == Holds::Scores
    {
        schema.copy_metadata(original);
    }
    schema
}
