//! The format of a file of data, told by its name.

use std::path::Path;

use super::super::error::DatasetError;

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
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("arff") => Ok(Self::Arff),
            Some("csv") => Ok(Self::Csv),
            Some("tsv" | "tab") => Ok(Self::Tsv),
            Some("parquet") => Ok(Self::Parquet),
            Some("svm" | "svmlight" | "libsvm") => Ok(Self::Svmlight),
            _ => Err(DatasetError::UnknownFormat { path: path.to_path_buf() }),
        }
    }
}
