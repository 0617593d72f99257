//! The parts of a data set: train, valid, test.

use serde::{Deserialize, Serialize};

rulebound_core::named_enum! {
    /// One part of a data set. A data set may lack any of them.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Split: "a split" {
        /// What a model is fitted on.
        Train = "train",
        /// What decides when to stop training.
        Valid = "valid",
        /// What the result is measured on.
        Test = "test",
    }
}

impl Split {
    /// The split that a file name contains, if any: a word of the name is `train`, `valid`, `test`
    /// or one of their usual spellings.
    pub(super) fn from_file_name(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        let mut words = name.split(|c: char| !c.is_alphanumeric());
        words.find_map(Self::from_word)
    }

    /// The split that a word in lower case means, if any.
    pub(super) fn from_word(word: &str) -> Option<Self> {
        match word {
            "train" | "training" | "trainvalid" | "trainval" => Some(Self::Train),
            "valid" | "val" | "validation" | "dev" => Some(Self::Valid),
            "test" | "testing" => Some(Self::Test),
            _ => None,
        }
    }
}

/// A file that holds one split.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SplitFile {
    /// Which split.
    pub split: Split,
    /// The file.
    pub path: std::path::PathBuf,
}
