//! Reading and writing Parquet. No other module uses the Parquet library.
//!
//! | file | what |
//! |---|---|
//! | `mod` | [`ParquetTable`]: an open, checked file with known columns |
//! | `batch` | [`Batches`] of rows as they are in the file: numbers, texts, copies |
//! | `lists` | [`ParquetLists`]: the numbers in the lists of a column |
//! | `rows` | [`ParquetRows`]: some columns, row by row, as numbers or text |
//! | `column` | one column of a batch as numbers or text |
//! | `print` | cells as text, for writing tables |
//! | `printer`, `calendar`, `nested` | the text of plain, temporal and nested types |
//! | `guard` | panics of the library become errors |
//! | `writer` | [`ParquetFile`]: columns from vectors or copied from a batch |
//!
//! Invariant: a file opened here cannot make the library panic, however damaged it is.

mod batch;
mod calendar;
mod column;
mod guard;
mod lists;
mod nested;
mod print;
mod printer;
mod rows;
mod writer;

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use arrow_schema::{DataType, SchemaRef};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use super::As;
use super::error::TableError;
use crate::input::{InputError, open_file};

pub use batch::{Batches, Missing, ParquetBatch};
pub use column::ParquetCell;
use guard::guarded;
pub use lists::ParquetLists;
pub use print::PrintedColumn;
pub use rows::ParquetRows;
pub use writer::{ColumnType, NewColumn, NewSchema, ParquetFile};

const MAGIC: [u8; 4] = *b"PAR1";

/// A Parquet table whose columns are known and of which no row has been read.
pub struct ParquetTable {
    path: PathBuf,
    builder: ParquetRecordBatchReaderBuilder<File>,
    schema: ParquetSchema,
    names: Vec<String>,
    parts: Vec<Part>,
}

/// What a column of the table is in the file: a column of it, or one number of its lists.
#[derive(Debug, Clone, Copy)]
struct Part {
    root: usize,
    item: Option<usize>,
}

/// The columns of a Parquet table with their metadata.
#[derive(Debug, Clone)]
pub(crate) struct ParquetSchema(SchemaRef);

impl ParquetTable {
    /// Opens a table, plain or gzip, and reads its schema.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        let mut file = open_file(path)?;
        let is_parquet = is_parquet(&mut file).map_err(|source| InputError::Read {
            path: path.to_path_buf(),
            line: 0,
            source,
        })?;
        if !is_parquet {
            return Err(TableError::NotParquet { path: path.to_path_buf() });
        }
        let builder = guarded(path, || ParquetRecordBatchReaderBuilder::try_new(file))?;
        if !is_plausible(builder.metadata()) {
            let reason = "a column starts before the beginning of the file".to_owned();
            return Err(unreadable(path, ParquetError::General(reason)));
        }
        if let Some(codec) = unsupported(builder.metadata()) {
            let path = path.to_path_buf();
            return Err(TableError::Compression { path, codec: codec.to_string() });
        }
        let schema = ParquetSchema(builder.schema().clone());
        let names: Vec<String> =
            schema.0.fields().iter().map(|field| field.name().clone()).collect();
        let parts = (0..names.len()).map(|root| Part { root, item: None }).collect();
        Ok(Self { path: path.to_path_buf(), builder, schema, names, parts })
    }

    /// The same table with a column for each number of its lists: `emb[0]`, `emb[1]`, … for `emb`.
    pub fn expanded(mut self) -> Result<Self, TableError> {
        let (mut names, mut parts) = (Vec::new(), Vec::new());
        for (root, name) in self.names.iter().enumerate() {
            if lists::item_type(self.schema.data_type(root)).is_none() {
                names.push(name.clone());
                parts.push(Part { root, item: None });
                continue;
            }
            for item in 0..lists::first_length(&self, root)? {
                names.push(format!("{name}[{item}]"));
                parts.push(Part { root, item: Some(item) });
            }
        }
        (self.names, self.parts) = (names, parts);
        Ok(self)
    }

    /// Whether a column holds numbers of any kind, or booleans.
    pub fn is_number(&self, column: usize) -> bool {
        let Part { root, item } = self.parts[column];
        item.is_some() || self.schema.is_number(root)
    }

    /// Whether a column holds text.
    pub fn is_text(&self, column: usize) -> bool {
        let Part { root, item } = self.parts[column];
        item.is_none() && self.schema.is_text(root)
    }

    /// What a column holds, for messages.
    pub fn type_name(&self, column: usize) -> String {
        self.schema.type_name(self.parts[column].root)
    }

    /// The names of the columns, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn schema(&self) -> &ParquetSchema {
        &self.schema
    }

    /// How many rows the file says there are.
    pub fn row_count(&self) -> u64 {
        self.builder.metadata().file_metadata().num_rows().try_into().unwrap_or(0)
    }

    /// The rows in batches of `rows`, with all columns.
    pub(crate) fn batches(self, rows: usize) -> Result<Batches, TableError> {
        Batches::new(self, rows)
    }

    /// The rows one by one, with these columns; the others are not read.
    pub fn rows(self, wanted: &[(usize, As)]) -> Result<ParquetRows, TableError> {
        ParquetRows::new(self, wanted)
    }

    /// How many rows take about `bytes` when decoded, in the row group with the widest rows.
    pub(crate) fn rows_in(&self, bytes: usize) -> usize {
        // Encoded values may take next to nothing, decoded ones do not.
        const LEAST: i64 = 8;
        let width = |chunk: &ColumnChunkMetaData, rows: i64| {
            let text = chunk.unencoded_byte_array_data_bytes().unwrap_or(0);
            (chunk.uncompressed_size().max(text) / rows.max(1)).max(LEAST)
        };
        let widths = self.builder.metadata().row_groups().iter().map(|group| {
            let columns = group.columns().iter();
            columns.map(|chunk| width(chunk, group.num_rows())).sum()
        });
        let widest: i64 = widths.max().unwrap_or(LEAST);
        bytes / usize::try_from(widest).unwrap_or(usize::MAX).max(1)
    }
}

impl ParquetSchema {
    /// Whether a column holds integers or floating-point numbers.
    pub(crate) fn is_plain_number(&self, column: usize) -> bool {
        let data_type = self.data_type(column);
        data_type.is_integer() || data_type.is_floating()
    }

    /// Whether a column holds 32-bit floating-point numbers.
    pub(crate) fn is_f32(&self, column: usize) -> bool {
        self.data_type(column) == &DataType::Float32
    }

    /// Whether a column holds numbers of any kind, or booleans.
    pub(crate) fn is_number(&self, column: usize) -> bool {
        let data_type = self.data_type(column);
        data_type.is_numeric() || *data_type == DataType::Boolean
    }

    /// Whether a column holds text.
    pub(crate) fn is_text(&self, column: usize) -> bool {
        is_text(self.data_type(column))
    }

    /// What a column holds, for messages.
    pub(crate) fn type_name(&self, column: usize) -> String {
        self.data_type(column).to_string()
    }

    fn data_type(&self, column: usize) -> &DataType {
        self.0.field(column).data_type()
    }
}

fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

/// A compression that this build cannot undo, if the file uses one.
fn unsupported(metadata: &ParquetMetaData) -> Option<Compression> {
    let chunks = metadata.row_groups().iter().flat_map(|group| group.columns());
    chunks.map(ColumnChunkMetaData::compression).find(|codec| {
        !matches!(
            codec,
            Compression::UNCOMPRESSED
                | Compression::SNAPPY
                | Compression::GZIP(_)
                | Compression::ZSTD(_)
        )
    })
}

/// Whether no offset or size is negative: the parquet crate panics on these.
fn is_plausible(metadata: &ParquetMetaData) -> bool {
    let groups = metadata.row_groups().iter();
    groups.flat_map(|group| group.columns()).all(|chunk| {
        let start = chunk.dictionary_page_offset().unwrap_or(0);
        start.min(chunk.data_page_offset()).min(chunk.compressed_size()) >= 0
    })
}

fn is_parquet(file: &mut File) -> std::io::Result<bool> {
    let mut start = Vec::with_capacity(MAGIC.len());
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(start == MAGIC)
}

fn unreadable(path: &Path, error: impl Into<ParquetError>) -> TableError {
    TableError::Parquet { path: path.to_path_buf(), source: Box::new(error.into()) }
}
