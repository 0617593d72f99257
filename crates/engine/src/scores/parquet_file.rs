//! A Parquet file of some schema.
//!
//! A row group is ended when it has grown to about 64 MiB, because all of it is held in memory.

use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use super::error::ScoreError;
use crate::output::{CompleteFile, OutputError, OutputFile};

/// Encoded bytes of a row group, at most about.
const ROW_GROUP: usize = 1 << 26;

/// Memory a row group may take while it is written; more than [`ROW_GROUP`], as each column has
/// buffers of its own.
const ROW_GROUP_MEMORY: usize = 4 * ROW_GROUP;

/// A Parquet file being written.
pub(super) struct ParquetFile {
    rows: ArrowWriter<OutputFile>,
    schema: SchemaRef,
}

impl ParquetFile {
    /// Starts the file; the values of the columns `unlike` hardly repeat.
    pub(super) fn create<'n>(
        output: OutputFile,
        schema: Schema,
        unlike: impl IntoIterator<Item = &'n str>,
    ) -> Result<Self, ScoreError> {
        let path = output.path().to_path_buf();
        let properties = properties(&schema, unlike);
        let schema = Arc::new(schema);
        let rows = ArrowWriter::try_new(output, schema.clone(), Some(properties));
        let rows = rows.map_err(|error| failed(&path, error))?;
        Ok(Self { rows, schema })
    }

    pub(super) fn path(&self) -> &Path {
        self.rows.inner().path()
    }

    /// Adds rows.
    pub(super) fn append(&mut self, columns: Vec<ArrayRef>) -> Result<(), ScoreError> {
        self.try_append(columns).map_err(|error| failed(self.path(), error))
    }

    fn try_append(&mut self, columns: Vec<ArrayRef>) -> Result<(), ParquetError> {
        let batch = RecordBatch::try_new(self.schema.clone(), columns)?;
        self.rows.write(&batch)?;
        let is_full = self.rows.in_progress_size() >= ROW_GROUP;
        if is_full || self.rows.memory_size() >= ROW_GROUP_MEMORY {
            self.rows.flush()?;
        }
        Ok(())
    }

    /// Completes the file.
    pub(super) fn complete(self) -> Result<CompleteFile, ScoreError> {
        let path = self.path().to_path_buf();
        let output = self.rows.into_inner().map_err(|error| failed(&path, error))?;
        Ok(output.complete()?)
    }
}

fn properties<'n>(schema: &Schema, unlike: impl IntoIterator<Item = &'n str>) -> WriterProperties {
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
    for name in unlike {
        let path = ColumnPath::from(vec![name.to_owned()]);
        properties = properties.set_column_dictionary_enabled(path, false);
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
