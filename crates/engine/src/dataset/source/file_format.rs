//! The format of a file of data, told by its name.

use std::path::Path;

use super::super::error::DatasetError;
use crate::input::inner_name;
use crate::table::Layout;

/// How a file of data is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FileFormat {
    /// ARFF of Clus, MULAN or MEKA: `.arff`.
    Arff,
    /// Comma separated: `.csv`.
    Csv,
    /// Tab separated: `.tsv`, `.tab`.
    Tsv,
    /// Parquet: `.parquet`.
    Parquet,
    /// svmlight, libsvm: `.svm`, `.svmlight`, `.libsvm`.
    Svmlight,
}

impl FileFormat {
    /// The format that the name of `path` tells, `.gz` at its end aside.
    ///
    /// # Errors
    /// [`DatasetError::UnknownFormat`] when it tells none.
    pub fn of(path: &Path) -> Result<Self, DatasetError> {
        if let Some(layout) = Layout::from_name(path) {
            return Ok(match layout {
                Layout::Csv => Self::Csv,
                Layout::Tsv => Self::Tsv,
                Layout::Parquet => Self::Parquet,
            });
        }
        match Path::new(&inner_name(path)).extension().and_then(|extension| extension.to_str()) {
            Some("arff") => Ok(Self::Arff),
            Some("svm" | "svmlight" | "libsvm") => Ok(Self::Svmlight),
            _ => Err(DatasetError::UnknownFormat { path: path.to_path_buf() }),
        }
    }
}
