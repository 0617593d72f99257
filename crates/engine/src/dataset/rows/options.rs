//! What a file of rows cannot tell by itself.

use super::super::svmlight::IndexBase;

/// What a file of rows cannot tell by itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RowOptions {
    /// The column that identifies rows. Unset: the first text of an ARFF file, else the first
    /// column that was not fitted and is called `id`, `key`, `identifier` or something that ends
    /// in `_id`, `-id`, `.id` or ` id`; upper and lower case do not matter.
    pub id_column: Option<String>,
    /// The number of the first feature of an svmlight file. Features are found by their numbers;
    /// this only says whether a feature 0 is a mistake. [`IndexBase::Look`]: it is one unless a
    /// feature 0 was fitted.
    pub index_base: IndexBase,
}
