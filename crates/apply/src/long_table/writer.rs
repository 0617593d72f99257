//! Writes a long table.

use rulebound_io::output::{FinishedFile, OutputFile};
use rulebound_io::scores::ScoreError;
#[cfg(not(feature = "parquet"))]
use rulebound_io::table::TableError;
#[cfg(feature = "parquet")]
use rulebound_io::table::parquet::{ColumnType, NewColumn, NewSchema, ParquetFile};
use rulebound_io::table::{Format, TableTarget, TextFile, push_f64};

/// Lines that are handed on to a Parquet file at once.
#[cfg(feature = "parquet")]
const LINES: usize = 1 << 14;

/// A long table in the making.
pub(super) struct LongWriter {
    file: File,
    number: String,
}

enum File {
    Text(Box<TextFile>),
    #[cfg(feature = "parquet")]
    Parquet(Box<Lines>),
}

/// Lines that wait to be written.
#[cfg(feature = "parquet")]
struct Lines {
    file: ParquetFile,
    is_f32: bool,
    ids: Vec<String>,
    classes: Vec<String>,
    scores: Vec<f64>,
}

impl LongWriter {
    /// Starts a table with these columns of ids, classes and scores.
    #[cfg_attr(not(feature = "parquet"), allow(unused_variables))]
    pub fn create(
        target: TableTarget<'_>,
        columns: [&str; 3],
        is_f32: bool,
    ) -> Result<Self, ScoreError> {
        let delimiter = Format::of(target)?.layout.delimiter();
        let output = OutputFile::create(target.path)?;
        let file = match delimiter {
            Some(delimiter) => {
                let mut file = TextFile::new(output, delimiter, false);
                file.row(columns)?;
                File::Text(Box::new(file))
            }
            #[cfg(feature = "parquet")]
            None => {
                let mut schema = NewSchema::default();
                let [id, class, score] = columns;
                schema.push(id, ColumnType::Text, false);
                schema.push(class, ColumnType::Text, false);
                let number = if is_f32 { ColumnType::F32 } else { ColumnType::F64 };
                schema.push(score, number, false);
                let file = ParquetFile::create(output, schema, [score])?;
                let (ids, classes, scores) = (Vec::new(), Vec::new(), Vec::new());
                File::Parquet(Box::new(Lines { file, is_f32, ids, classes, scores }))
            }
            #[cfg(not(feature = "parquet"))]
            None => return Err(TableError::no_parquet(output.path()).into()),
        };
        Ok(Self { file, number: String::new() })
    }

    /// Writes a line; `text` is the score as it was read.
    pub fn write(
        &mut self,
        id: &str,
        class: &str,
        score: f64,
        text: Option<&str>,
    ) -> Result<(), ScoreError> {
        match &mut self.file {
            File::Text(file) => {
                file.push(id)?;
                file.push(class)?;
                self.number.clear();
                match text {
                    Some(text) => self.number.push_str(text),
                    None => push_f64(score, &mut self.number),
                }
                file.push(&self.number)?;
                Ok(file.end_row()?)
            }
            #[cfg(feature = "parquet")]
            File::Parquet(lines) => {
                lines.ids.push(id.to_owned());
                lines.classes.push(class.to_owned());
                lines.scores.push(score);
                if lines.ids.len() < LINES { Ok(()) } else { lines.append() }
            }
        }
    }

    /// Finishes writing without publishing the file.
    pub fn finish(self) -> Result<FinishedFile, ScoreError> {
        match self.file {
            File::Text(file) => Ok(file.finish()?),
            #[cfg(feature = "parquet")]
            File::Parquet(mut lines) => {
                lines.append()?;
                Ok(lines.file.finish()?)
            }
        }
    }
}

#[cfg(feature = "parquet")]
impl Lines {
    fn append(&mut self) -> Result<(), ScoreError> {
        let scores = self.scores.drain(..);
        let scores = match self.is_f32 {
            true => NewColumn::f32s(scores.map(|score| score as f32)),
            false => NewColumn::f64s(scores),
        };
        let ids = NewColumn::texts(self.ids.iter().map(String::as_str));
        let classes = NewColumn::texts(self.classes.iter().map(String::as_str));
        self.file.append(vec![ids, classes, scores])?;
        self.ids.clear();
        self.classes.clear();
        Ok(())
    }
}
