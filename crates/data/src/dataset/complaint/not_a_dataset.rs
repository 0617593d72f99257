//! Why a file or folder is not a data set.

/// Why a folder is not a data set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotADataset {
    /// No file has a known format.
    #[error("no file has a known format")]
    NoFile,
    /// No row of an svmlight file has a feature, so there are no columns.
    #[error("no row has a feature")]
    NoFeature,
    /// The files have different formats.
    #[error("the files have different formats")]
    SeveralFormats,
    /// Several files, one of which does not name a split.
    #[error("the name of `{0}` does not contain train, valid or test")]
    NoSplit(String),
    /// Several XML lists.
    #[error("there are several XML lists")]
    SeveralLists,
    /// Several rule files.
    #[error("there are several rule files")]
    SeveralRules,
    /// A pipe or a device.
    #[error("it is a pipe or a device, and data is read more than once; save it to a file first")]
    NotAFile,
}
