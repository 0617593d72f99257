//! A folder to write files in, and short ways to say what is read from them.

use std::io::Write;
use std::path::{Path, PathBuf};

use rulebound::dataset::{Dataset, DatasetError, Mistake, ReadOptions, Source, Value};

pub struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file; compressed if its name ends in `.gz`.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(name);
        let bytes = match name.ends_with(".gz") {
            true => gzip(content.as_ref()),
            false => content.as_ref().to_vec(),
        };
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Reads the whole folder.
    pub fn read(&self) -> Result<Dataset, DatasetError> {
        self.read_with(&ReadOptions::default())
    }

    pub fn read_with(&self, options: &ReadOptions) -> Result<Dataset, DatasetError> {
        Source::Path(self.path().to_path_buf()).read(options)
    }

    /// Reads one file.
    pub fn read_file(&self, name: &str, options: &ReadOptions) -> Result<Dataset, DatasetError> {
        Source::Path(self.path().join(name)).read(options)
    }
}

pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A row's features as text, `?` where missing.
pub fn cells(data: &Dataset, row: usize) -> Vec<String> {
    let cells = (0..data.columns().len()).map(|column| match data.value(row, column) {
        Value::Missing => "?".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Nominal(value) => value.to_owned(),
    });
    cells.collect()
}

/// The names of a row's labels.
pub fn labels(data: &Dataset, row: usize) -> Vec<&str> {
    data.labels().positives(row).map(|id| data.classes().name(id)).collect()
}

/// The rules as text.
pub fn rules(data: &Dataset) -> Vec<String> {
    let rules = data.program().rules().iter();
    rules.map(|rule| rule.display(data.classes()).to_string()).collect()
}

pub fn names(data: &Dataset) -> Vec<&str> {
    data.columns().iter().map(|column| column.name.as_str()).collect()
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
    let folder = std::env::var_os("RULEBOUND_DATA").map(PathBuf::from);
    let folder = folder.filter(|folder| folder.is_dir());
    if folder.is_none() {
        println!("SKIPPED: the benchmark data is not in RULEBOUND_DATA");
    }
    folder
}
