//! The parts of a data set: train, valid, test.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// One part of a data set. A set may lack any of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// What a model is fitted on.
    Train,
    /// What decides when to stop.
    Valid,
    /// What the result is measured on.
    Test,
}

impl Split {
    /// All of them, in the order in which a data set holds them.
    pub const ALL: [Self; 3] = [Self::Train, Self::Valid, Self::Test];

    /// The name used in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Valid => "valid",
            Self::Test => "test",
        }
    }

    /// The split that the name of a file tells, if it does: a word of the name is `train`,
    /// `valid`, `test` or one of their usual spellings.
    pub(super) fn of_file_name(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        let mut words = name.split(|c: char| !c.is_alphanumeric());
        words.find_map(|word| match word {
            "train" | "training" | "trainvalid" | "trainval" => Some(Self::Train),
            "valid" | "val" | "validation" | "dev" => Some(Self::Valid),
            "test" | "testing" => Some(Self::Test),
            _ => None,
        })
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A split that does not exist.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not a split; there are `train`, `valid` and `test`")]
pub struct UnknownSplit(pub String);

impl FromStr for Split {
    type Err = UnknownSplit;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|split| split.name() == name);
        found.ok_or_else(|| UnknownSplit(name.to_owned()))
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
