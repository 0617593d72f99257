//! Options for reading rows.

use std::path::Path;

use super::super::error::DatasetError;
use super::super::source::FileFormat;
use super::super::svmlight::IndexBase;

/// Options for reading rows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RowOptions {
    /// The column that identifies rows. Unset: the first text of an ARFF file, else the first
    /// column that was not fitted and is named `id`, `key`, `identifier` or ends in `_id`, `-id`,
    /// `.id` or ` id`, ignoring case.
    pub id_column: Option<String>,
    /// The column that identified rows in training; used like the above where the file has it.
    pub remembered_id: Option<String>,
    /// The format of the file [default: what its name says, CSV on standard input].
    pub format: Option<FileFormat>,
    /// The names of the columns of an array.
    pub column_names: Option<Vec<String>>,
    /// The number of the first feature of an svmlight file. Features are matched by number; this
    /// only decides whether a feature 0 is a mistake. With [`IndexBase::Detect`] it is one unless a
    /// feature 0 was fitted.
    pub index_base: IndexBase,
}

impl RowOptions {
    /// An error if an identifier is asked for: files of this kind have none.
    pub(super) fn expect_no_id(&self, path: &Path) -> Result<(), DatasetError> {
        match self.id_column.clone() {
            None => Ok(()),
            Some(name) => Err(DatasetError::NoColumn { path: path.to_path_buf(), name }),
        }
    }

    /// The column to identify rows by, if one is asked for, or remembered and among `names`.
    pub(super) fn id_among<'a>(
        &'a self,
        mut names: impl Iterator<Item = &'a str>,
    ) -> Option<&'a str> {
        let remembered = || {
            let wanted = self.remembered_id.as_deref()?;
            names.any(|name| name == wanted).then_some(wanted)
        };
        self.id_column.as_deref().or_else(remembered)
    }
}
