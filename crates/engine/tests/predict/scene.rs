//! A folder to work in, and short ways to fit, read and predict in it.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use rulebound::dataset::{
    Dataset, DatasetError, LabelColumns, Mistake, Pipeline, ReadOptions, RowBatch, RowOptions,
    RowReader, Source,
};

pub struct Scene {
    folder: tempfile::TempDir,
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
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The names of the files there are.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Writes a file; compressed if its name ends in `.gz`.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        let mut bytes = content.as_ref().to_vec();
        if name.ends_with(".gz") {
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), Default::default());
            packed.write_all(&bytes).unwrap();
            bytes = packed.finish().unwrap();
        }
        fs::write(&path, bytes).unwrap();
        path
    }

    /// The unpacked text of a file.
    pub fn text(&self, name: &str) -> String {
        let bytes = fs::read(self.path(name)).unwrap();
        if !name.ends_with(".gz") {
            return String::from_utf8(bytes).unwrap();
        }
        let mut text = String::new();
        flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).unwrap();
        text
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

    /// The pipeline of all rows of a CSV file whose last column is a label.
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

/// The pipeline of all rows.
pub fn fit(data: &Dataset) -> Pipeline {
    Pipeline::fit(data, 0..data.rows()).unwrap()
}

/// Reads all rows of a file, a few at a time.
pub fn read(
    path: &Path,
    pipeline: &Pipeline,
    options: &RowOptions,
) -> Result<AllRows, DatasetError> {
    drain(RowReader::open(path, pipeline, options)?.with_batch_rows(3))
}

pub fn drain(mut reader: RowReader<'_>) -> Result<AllRows, DatasetError> {
    let mut batch = RowBatch::new();
    let (mut values, mut ids) = (Vec::new(), Vec::new());
    while reader.read(&mut batch)? {
        assert_eq!(batch.first_row(), ids.len() as u64 + 1);
        assert_eq!(batch.values().len(), batch.rows() * reader.width());
        values.extend_from_slice(batch.values());
        ids.extend((0..batch.rows()).map(|row| batch.id(row).map(str::to_owned)));
    }
    assert_eq!(batch.rows(), 0);
    let unseen = reader.unseen_values().into_iter().map(|unseen| (unseen.column, unseen.cells));
    let id_name = reader.id_name().map(str::to_owned);
    Ok(AllRows { values, ids, id_name, unseen: unseen.collect() })
}

pub fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// The mistakes of a broken file, and how many there are in all.
pub fn mistakes(error: &DatasetError) -> (&[Mistake], u64) {
    match error {
        DatasetError::Broken { mistakes, .. } => (mistakes.kept(), mistakes.total()),
        other => panic!("not broken: {other}"),
    }
}

/// The folder of the benchmark data; none, with a message, if it is not here.
pub fn benchmark() -> Option<PathBuf> {
    let folder = match std::env::var_os("RULEBOUND_DATA") {
        Some(given) => PathBuf::from(given),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    if folder.is_dir() {
        return Some(folder);
    }
    println!("SKIPPED: the benchmark data is not in {}", folder.display());
    None
}
