//! A temporary folder, with shortcuts to fit and read in it.

use std::ops::Deref;
use std::path::Path;

use rulebound_data::dataset::{
    Dataset, DatasetError, LabelColumns, Mistake, Pipeline, ReadOptions, RowBatch, RowOptions,
    RowReader, Source,
};

pub struct Scene {
    folder: rulebound_testing::Scene,
}

impl Deref for Scene {
    type Target = rulebound_testing::Scene;

    fn deref(&self) -> &Self::Target {
        &self.folder
    }
}

/// All rows of a file.
#[derive(Debug, PartialEq)]
pub struct AllRows {
    pub values: Vec<f32>,
    pub ids: Vec<Option<String>>,
    pub id_name: Option<String>,
    /// Columns and how many unseen values they had.
    pub unseen: Vec<(String, u64)>,
}

impl Scene {
    pub fn new() -> Self {
        Self { folder: rulebound_testing::Scene::new() }
    }

    /// A data set read from a file that has just been written; the last columns of a table are
    /// labels.
    pub fn data(&self, name: &str, content: impl AsRef<[u8]>, labels: usize) -> Dataset {
        let path = self.write(name, content);
        let is_table = !name.contains(".arff") && !name.contains(".svm");
        let labels = is_table.then_some(match labels {
            0 => LabelColumns::None,
            labels => LabelColumns::Last(labels),
        });
        Source::Path(path).read(&ReadOptions { labels, ..ReadOptions::default() }).unwrap()
    }

    /// A pipeline fitted on all rows of a CSV file whose last column is a label.
    pub fn fit(&self, content: &str) -> Pipeline {
        fit(&self.data("fitted.csv", content, 1))
    }

    /// Reads all rows of a file that has just been written.
    pub fn rows(
        &self,
        name: &str,
        content: impl AsRef<[u8]>,
        pipeline: &Pipeline,
    ) -> Result<AllRows, DatasetError> {
        read(&self.write(name, content), pipeline, &RowOptions::default())
    }
}

/// A pipeline fitted on all rows.
pub fn fit(data: &Dataset) -> Pipeline {
    Pipeline::fit(data, 0..data.rows()).unwrap()
}

/// Reads all rows of a file, a few at a time.
pub fn read(
    path: &Path,
    pipeline: &Pipeline,
    options: &RowOptions,
) -> Result<AllRows, DatasetError> {
    drain(RowReader::open(path, pipeline, options)?.with_batch_rows(3), pipeline)
}

pub fn drain(mut reader: RowReader<'_>, pipeline: &Pipeline) -> Result<AllRows, DatasetError> {
    let columns = reader.columns().to_vec();
    let encoder = pipeline.encoder(&columns).unwrap();
    let mut batch = RowBatch::new();
    let (mut values, mut ids) = (Vec::new(), Vec::new());
    while reader.read(&mut batch)? {
        assert_eq!(batch.first_row(), ids.len() as u64 + 1);
        assert_eq!(batch.cells().len(), batch.rows() * columns.len());
        // Of no columns at all there are no cells.
        for cells in batch.cells().chunks(columns.len().max(1)) {
            let start = values.len();
            values.resize(start + encoder.width(), 0.0);
            encoder.encode(cells, &mut values[start..]);
        }
        ids.extend((0..batch.rows()).map(|row| batch.id(row).map(str::to_owned)));
    }
    assert_eq!(batch.rows(), 0);
    let unseen = reader.unusual().unseen.into_iter().map(|unseen| (unseen.column, unseen.cells));
    let id_name = reader.id_name().map(str::to_owned);
    Ok(AllRows { values, ids, id_name, unseen: unseen.collect() })
}

pub fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// The mistakes of an invalid file, and how many there are in total.
pub fn mistakes(error: &DatasetError) -> (&[Mistake], u64) {
    match error {
        DatasetError::Broken { mistakes, .. } => (mistakes.kept(), mistakes.total()),
        other => panic!("not broken: {other}"),
    }
}
