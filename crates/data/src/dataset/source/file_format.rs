//! The format of a data file, determined by its name.

use std::path::Path;

use super::super::error::DatasetError;
use super::super::ontology::is_obo;
use rulebound_io::array::is_array;
use rulebound_io::input::inner_name;
use rulebound_io::table::Layout;

rulebound_core::named_enum! {
    /// The format of a data file.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum FileFormat: "a data format" {
        /// ARFF of Clus, MULAN or MEKA: `.arff`.
        Arff = "arff",
        /// Comma separated: `.csv`.
        Csv = "csv",
        /// Tab separated: `.tsv`, `.tab`.
        Tsv = "tsv" | "tab",
        /// Parquet: `.parquet`.
        Parquet = "parquet",
        /// svmlight, libsvm: `.svm`, `.svmlight`, `.libsvm`.
        Svmlight = "svmlight" | "svm" | "libsvm",
        /// NumPy arrays: `.npy`, `.npz`.
        Array = "npy" | "npz",
    }
}

impl FileFormat {
    /// Whether it is a table without declared kinds of columns.
    pub fn is_table(self) -> bool {
        matches!(self, Self::Csv | Self::Tsv | Self::Parquet)
    }

    /// The format that the extension of `path` means, ignoring a trailing `.gz`.
    ///
    /// # Errors
    /// [`DatasetError::UnknownFormat`] if the extension is unknown, [`DatasetError::NotRows`] if it is that of an
    /// ontology.
    pub fn from_path(path: &Path) -> Result<Self, DatasetError> {
        if let Some(layout) = Layout::from_name(path) {
            return Ok(match layout {
                Layout::Csv => Self::Csv,
                Layout::Tsv => Self::Tsv,
                Layout::Parquet => Self::Parquet,
            });
        }
        if is_array(path) {
            return Ok(Self::Array);
        }
        match Path::new(&inner_name(path)).extension().and_then(|extension| extension.to_str()) {
            Some("arff") => Ok(Self::Arff),
            Some("svm" | "svmlight" | "libsvm") => Ok(Self::Svmlight),
            _ if is_obo(path) => Err(DatasetError::NotRows { path: path.to_path_buf() }),
            _ => Err(DatasetError::UnknownFormat { path: path.to_path_buf() }),
        }
    }
}
