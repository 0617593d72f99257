//! Writes scores or decisions as a NumPy array: one row per example, one number per class that has
//! a column, in the order of the columns. Ids and other columns are left out.

use crate::array::{ArrayError, ArrayWriter, is_archive};
use crate::output::{FinishedFile, OutputFile};
use crate::scores::batch::ScoreBatch;
use crate::scores::cell::{BLANK_DECISION, ClassCells, Holds};
use crate::scores::error::ScoreError;
use crate::scores::header::ColumnRole;
use crate::scores::outline::Outline;
use crate::scores::writer::WriteScores;

/// An array being written.
pub(in crate::scores) struct ArrayTable {
    array: ArrayWriter,
    /// The class of each column.
    classes: Vec<usize>,
    is_f32: bool,
    bytes: Vec<u8>,
}

impl ArrayTable {
    pub(in crate::scores) fn create(
        output: OutputFile,
        outline: &Outline,
    ) -> Result<Self, ScoreError> {
        if is_archive(output.path()) {
            let path = output.path().to_path_buf();
            return Err(ArrayError::OneArray { path }.into());
        }
        let descr = match outline.holds {
            Holds::Scores if outline.is_f32 => "<f4",
            Holds::Scores => "<f8",
            Holds::Decisions => "|u1",
            Holds::Names => {
                let path = output.path().to_path_buf();
                return Err(ArrayError::NotNumbers { path, what: "names" }.into());
            }
        };
        let columns = outline.header.columns().iter();
        let classes = columns.filter_map(|column| match column.role {
            ColumnRole::Class(class) => Some(class),
            ColumnRole::Other => None,
        });
        let classes: Vec<usize> = classes.collect();
        let array = ArrayWriter::create(output, descr, classes.len())?;
        Ok(Self { array, classes, is_f32: outline.is_f32, bytes: Vec::new() })
    }
}

impl WriteScores for ArrayTable {
    fn write(&mut self, batch: &ScoreBatch, cells: ClassCells<'_, '_>) -> Result<(), ScoreError> {
        self.bytes.clear();
        for row in 0..batch.rows {
            let start = row * batch.classes;
            for &class in &self.classes {
                match cells {
                    ClassCells::Scores(cells) => {
                        let value = match batch.is_blank(row) {
                            true => f64::NAN,
                            false => cells[start + class].value(&batch.values[start..], class),
                        };
                        match self.is_f32 {
                            true => self.bytes.extend((value as f32).to_le_bytes()),
                            false => self.bytes.extend(value.to_le_bytes()),
                        }
                    }
                    ClassCells::Decisions(predicted) => {
                        self.bytes.push(match batch.is_blank(row) {
                            true => BLANK_DECISION,
                            false => u8::from(predicted[start + class]),
                        });
                    }
                    // Refused when the array was begun.
                    ClassCells::Names(_) => {}
                }
            }
        }
        Ok(self.array.write(batch.rows as u64, &self.bytes)?)
    }

    fn finish(self: Box<Self>) -> Result<FinishedFile, ScoreError> {
        Ok(self.array.finish()?)
    }
}
