//! Options for reading rows.

use super::super::svmlight::IndexBase;

/// Options for reading rows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RowOptions {
    /// The column that identifies rows. Unset: the first text of an ARFF file, else the first
    /// column that was not fitted and is named `id`, `key`, `identifier` or ends in `_id`, `-id`,
    /// `.id` or ` id`, ignoring case.
    pub id_column: Option<String>,
    /// The number of the first feature of an svmlight file. Features are matched by number; this
    /// only decides whether a feature 0 is a mistake. With [`IndexBase::Detect`] it is one unless a
    /// feature 0 was fitted.
    pub index_base: IndexBase,
}
