//! A temporary folder of files, with shortcuts to describe what is read from them.

use std::ops::Deref;

use rulebound_data::dataset::{Dataset, DatasetError, Mistake, ReadOptions, Source, Value};

pub struct Scene {
    folder: rulebound_testing::Scene,
}

impl Deref for Scene {
    type Target = rulebound_testing::Scene;

    fn deref(&self) -> &Self::Target {
        &self.folder
    }
}

impl Scene {
    pub fn new() -> Self {
        Self { folder: rulebound_testing::Scene::new() }
    }

    /// Reads the whole folder.
    pub fn read(&self) -> Result<Dataset, DatasetError> {
        self.read_with(&ReadOptions::default())
    }

    pub fn read_with(&self, options: &ReadOptions) -> Result<Dataset, DatasetError> {
        Source::Path(self.root().to_path_buf()).read(options)
    }

    /// Reads one file.
    pub fn read_file(&self, name: &str, options: &ReadOptions) -> Result<Dataset, DatasetError> {
        Source::Path(self.path(name)).read(options)
    }
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

/// The mistakes of an invalid file, and how many there are in total.
pub fn mistakes(error: &DatasetError) -> (&[Mistake], u64) {
    match error {
        DatasetError::Broken { mistakes, .. } => (mistakes.kept(), mistakes.total()),
        other => panic!("not broken: {other}"),
    }
}

/// Asserts that a rejected file has mistakes, each on one of its lines.
pub fn assert_places<T>(content: &[u8], read: Result<T, DatasetError>) {
    let Err(error) = read else { return };
    assert!(!error.to_string().is_empty());
    // One more than there are line breaks, and one for a file that ends too early.
    let most = content.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() as u64 + 2;
    if let DatasetError::Broken { mistakes, .. } = &error {
        assert!(mistakes.total() >= 1 && !mistakes.kept().is_empty());
        for mistake in mistakes.kept() {
            let is_inside = (1..=most).contains(&mistake.line) && mistake.column >= 1;
            assert!(is_inside, "{mistake:?} of {most} lines");
        }
    }
}
