//! A temporary folder, with shortcuts to read and write tables in it.

use std::io::Write;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use rulebound_io::scores::{
    Cell, DecisionWriter, NameWriter, ScoreBatch, ScoreError, ScoreKind, ScoreReader, ScoreWriter,
};

/// A temporary folder, and how its tables are read.
pub struct Scene {
    folder: rulebound_testing::Scene,
    pub kind: ScoreKind,
    pub id: Option<&'static str>,
    pub classes: Vec<String>,
    pub batch_cells: usize,
}

impl Deref for Scene {
    type Target = rulebound_testing::Scene;

    fn deref(&self) -> &Self::Target {
        &self.folder
    }
}

impl Scene {
    /// Probabilities of the classes A, B and C, in batches of few rows.
    pub fn new() -> Self {
        Self {
            folder: rulebound_testing::Scene::new(),
            kind: ScoreKind::Probability,
            id: None,
            classes: ["A", "B", "C"].map(str::to_owned).to_vec(),
            batch_cells: 7,
        }
    }

    pub fn put_parquet(&self, name: &str, columns: &[(&str, ArrayRef)]) -> PathBuf {
        let fields: Vec<Field> = columns
            .iter()
            .map(|(name, array)| Field::new(*name, array.data_type().clone(), true))
            .collect();
        let arrays = columns.iter().map(|(_, array)| array.clone()).collect();
        let rows = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap();
        self.put_rows(name, &rows)
    }

    pub fn put_rows(&self, name: &str, rows: &RecordBatch) -> PathBuf {
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, rows.schema(), None).unwrap();
        writer.write(rows).unwrap();
        writer.close().unwrap();
        self.write(name, bytes)
    }

    pub fn open(&self, name: &str) -> Result<ScoreReader, ScoreError> {
        let path = self.path(name);
        let reader = ScoreReader::open(&path, self.kind, &self.classes, self.id)?;
        Ok(reader.with_batch_cells(self.batch_cells))
    }

    /// All scores of a table.
    pub fn values(&self, name: &str) -> Result<Vec<f64>, ScoreError> {
        let (mut reader, mut batch) = (self.open(name)?, ScoreBatch::new());
        let mut values = Vec::new();
        while reader.read(&mut batch)? {
            assert_eq!(batch.values().len(), batch.rows() * batch.classes());
            values.extend_from_slice(batch.values());
        }
        Ok(values)
    }

    /// Copies a table, calling `change` for each data row (from 1) and class.
    pub fn copy(
        &self,
        from: &str,
        to: &str,
        change: impl Fn(u64, usize) -> Cell,
    ) -> Result<(), ScoreError> {
        let mut reader = self.open(from)?;
        let mut writer = ScoreWriter::create(&self.path(to), &reader)?;
        let mut batch = ScoreBatch::new();
        while reader.read(&mut batch)? {
            let cells: Vec<Cell> = (0..batch.values().len())
                .map(|at| (batch.first_row() + (at / batch.classes()) as u64, at))
                .map(|(row, at)| change(row, at % batch.classes()))
                .collect();
            writer.write(&batch, &cells)?;
        }
        writer.commit()
    }

    pub fn keep(&self, from: &str, to: &str) -> Result<(), ScoreError> {
        self.copy(from, to, |_, _| Cell::Kept)
    }

    /// Predicts the classes above one half.
    pub fn decide(&self, from: &str, to: &str) -> Result<(), ScoreError> {
        let mut reader = self.open(from)?;
        let mut writer = DecisionWriter::create(&self.path(to), &reader)?;
        let mut batch = ScoreBatch::new();
        while reader.read(&mut batch)? {
            let predicted: Vec<bool> = batch.values().iter().map(|&v| v > 0.5).collect();
            writer.write(&batch, &predicted)?;
        }
        writer.commit()
    }

    /// Names each class after the class before it, and the first with a comma.
    pub fn name(&self, from: &str, to: &str) -> Result<(), ScoreError> {
        let mut reader = self.open(from)?;
        let mut writer = NameWriter::create(&self.path(to), &reader)?;
        let mut batch = ScoreBatch::new();
        while reader.read(&mut batch)? {
            writer.write(&batch, |row, class| {
                assert!(row < batch.rows());
                match class.checked_sub(1) {
                    Some(before) => &self.classes[before],
                    None => "not B, C",
                }
            })?;
        }
        writer.commit()
    }

    /// All rows of a Parquet file.
    pub fn rows(&self, name: &str) -> RecordBatch {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&self.bytes(name)).unwrap();
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let (schema, count) =
            (builder.schema().clone(), builder.metadata().file_metadata().num_rows());
        let most = usize::try_from(count).unwrap().max(1);
        let mut batches = builder.with_batch_size(most).build().unwrap();
        match batches.next() {
            // The batches lack the metadata of the table.
            Some(rows) => rows.unwrap().with_schema(schema).unwrap(),
            None => RecordBatch::new_empty(schema),
        }
    }
}
