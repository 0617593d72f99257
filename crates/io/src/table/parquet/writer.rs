//! Writes Parquet files with columns that are new or copied from another file.
//!
//! A row group is closed when it has grown to about 64 MiB, because all of it is held in memory.

use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float32Array, Float64Array, RecordBatch, StringArray, UInt8Array,
    UInt32Array, UInt64Array,
};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use super::ParquetSchema;
use super::batch::ParquetBatch;
use crate::output::{FinishedFile, OutputError, OutputFile};
use crate::table::TableError;

/// The most columns of a file: the library needs some 5 KB of memory for each, however few rows there are.
const MOST_COLUMNS: usize = 200_000;

/// Encoded bytes of a row group, approximately at most.
const ROW_GROUP: usize = 1 << 26;

/// Memory a row group may take while it is written; more than [`ROW_GROUP`], as each column has its
/// own buffers.
const ROW_GROUP_MEMORY: usize = 4 * ROW_GROUP;

/// What a new column holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ColumnType {
    F32,
    F64,
    U8,
    U32,
    U64,
    Bool,
    Text,
}

/// The columns of a file to be written, in order.
#[derive(Debug, Default)]
pub struct NewSchema {
    fields: Vec<FieldRef>,
    /// The table whose metadata is copied.
    metadata_source: Option<SchemaRef>,
}

impl NewSchema {
    /// Adds a new column; `nullable` if cells may be missing.
    pub fn push(&mut self, name: &str, holds: ColumnType, nullable: bool) {
        self.fields.push(Field::new(name, holds.data_type(), nullable).into());
    }

    /// Adds a column as it is in another table.
    pub(crate) fn push_copied(&mut self, from: &ParquetSchema, column: usize) {
        self.fields.push(from.0.fields()[column].clone());
    }

    /// Adds a column of another table with its metadata, but of another type.
    pub(crate) fn push_retyped(&mut self, from: &ParquetSchema, column: usize, holds: ColumnType) {
        let field = Field::clone(from.0.field(column));
        self.fields.push(field.with_data_type(holds.data_type()).into());
    }

    /// Copies the metadata of another table.
    pub(crate) fn copy_metadata(&mut self, from: &ParquetSchema) {
        self.metadata_source = Some(from.0.clone());
    }
}

impl ColumnType {
    fn data_type(self) -> DataType {
        match self {
            Self::F32 => DataType::Float32,
            Self::F64 => DataType::Float64,
            Self::U8 => DataType::UInt8,
            Self::U32 => DataType::UInt32,
            Self::U64 => DataType::UInt64,
            Self::Bool => DataType::Boolean,
            Self::Text => DataType::Utf8,
        }
    }
}

/// The cells of some rows in one column.
pub struct NewColumn(ArrayRef);

impl NewColumn {
    /// The column as it is in a batch that was read.
    pub(crate) fn copied(batch: &ParquetBatch, column: usize) -> Self {
        Self(batch.0.column(column).clone())
    }

    /// A column of these numbers.
    pub fn f32s(cells: impl Iterator<Item = f32>) -> Self {
        Self(Arc::new(Float32Array::from_iter_values(cells)))
    }

    /// A column of these numbers.
    pub fn f64s(cells: impl Iterator<Item = f64>) -> Self {
        Self(Arc::new(Float64Array::from_iter_values(cells)))
    }

    pub(crate) fn u8s(cells: impl Iterator<Item = u8>) -> Self {
        Self(Arc::new(UInt8Array::from_iter_values(cells)))
    }

    pub(crate) fn u32s(cells: impl Iterator<Item = u32>) -> Self {
        Self(Arc::new(UInt32Array::from_iter_values(cells)))
    }

    pub(crate) fn u64s(cells: impl Iterator<Item = u64>) -> Self {
        Self(Arc::new(UInt64Array::from_iter_values(cells)))
    }

    /// A column of these texts.
    pub fn texts<T: AsRef<str>>(cells: impl Iterator<Item = T>) -> Self {
        Self(Arc::new(StringArray::from_iter_values(cells)))
    }

    /// Numbers, some of which may be missing.
    pub fn some_f32s(cells: impl Iterator<Item = Option<f32>>) -> Self {
        Self(Arc::new(cells.collect::<Float32Array>()))
    }

    /// Texts, some of which may be missing.
    pub fn some_texts<'a>(cells: impl Iterator<Item = Option<&'a str>>) -> Self {
        Self(Arc::new(cells.collect::<StringArray>()))
    }

    /// A column of these booleans; a missing one is null.
    pub fn some_bools(cells: impl Iterator<Item = Option<bool>>) -> Self {
        Self(Arc::new(cells.collect::<BooleanArray>()))
    }
}

/// A Parquet file being written.
pub struct ParquetFile {
    rows: ArrowWriter<OutputFile>,
    schema: SchemaRef,
    /// Whether every batch becomes a row group.
    is_grouped: bool,
}

impl ParquetFile {
    /// Starts a table for fast queries; the values of the columns `distinct` rarely repeat.
    pub fn create<'n>(
        output: OutputFile,
        schema: NewSchema,
        distinct: impl IntoIterator<Item = &'n str>,
    ) -> Result<Self, TableError> {
        let metadata = schema.metadata_source.iter().flat_map(|source| source.metadata().iter());
        let metadata = metadata.map(|(key, value)| KeyValue::new(key.clone(), value.clone()));
        let mut metadata: Vec<KeyValue> = metadata.collect();
        // A map has no order, but the same table must give the same bytes.
        metadata.sort_by(|a, b| a.key.cmp(&b.key));
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .set_key_value_metadata(Some(metadata));
        for name in distinct {
            let path = ColumnPath::from(vec![name.to_owned()]);
            properties = properties.set_column_dictionary_enabled(path, false);
        }
        Self::new(output, schema, properties.build(), false)
    }

    /// Starts a file for data exchange: each append becomes a row group.
    pub fn create_data(output: OutputFile, schema: NewSchema) -> Result<Self, TableError> {
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
        Self::new(output, schema, properties.build(), true)
    }

    fn new(
        output: OutputFile,
        schema: NewSchema,
        properties: WriterProperties,
        is_grouped: bool,
    ) -> Result<Self, TableError> {
        let path = output.path().to_path_buf();
        let columns = schema.fields.len();
        if columns > MOST_COLUMNS {
            return Err(TableError::TooManyColumns { path, columns, most: MOST_COLUMNS });
        }
        let metadata =
            schema.metadata_source.map(|source| source.metadata().clone()).unwrap_or_default();
        let schema = Arc::new(Schema::new_with_metadata(schema.fields, metadata));
        let rows = ArrowWriter::try_new(output, schema.clone(), Some(properties));
        let rows = rows.map_err(|error| failed(&path, error))?;
        Ok(Self { rows, schema, is_grouped })
    }

    pub(crate) fn path(&self) -> &Path {
        self.rows.inner().path()
    }

    /// Adds rows.
    pub fn append(&mut self, columns: Vec<NewColumn>) -> Result<(), TableError> {
        self.try_append(columns).map_err(|error| failed(self.path(), error))
    }

    fn try_append(&mut self, columns: Vec<NewColumn>) -> Result<(), ParquetError> {
        let columns = columns.into_iter().map(|column| column.0).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), columns)?;
        self.rows.write(&batch)?;
        let is_full = self.is_grouped || self.rows.in_progress_size() >= ROW_GROUP;
        if is_full || self.rows.memory_size() >= ROW_GROUP_MEMORY {
            self.rows.flush()?;
        }
        Ok(())
    }

    /// Finishes writing the file.
    pub fn finish(self) -> Result<FinishedFile, TableError> {
        let path = self.path().to_path_buf();
        let output = self.rows.into_inner().map_err(|error| failed(&path, error))?;
        Ok(output.finish()?)
    }
}

fn failed(path: &Path, error: ParquetError) -> TableError {
    let path = path.to_path_buf();
    let inner = match error {
        ParquetError::External(inner) => inner,
        error => return TableError::WriteParquet { path, source: Box::new(error) },
    };
    match inner.downcast::<io::Error>() {
        Ok(source) => OutputError::Write { path, source: *source }.into(),
        Err(source) => TableError::WriteParquet { path, source },
    }
}
