//! Where predictions are written.

use std::path::{Path, PathBuf};

use rulebound_io::table::{Layout, TableTarget};

/// Where predictions go. File names decide the formats, as for [tables of scores](rulebound_io::scores).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PredictionPaths {
    /// The probabilities: one column per class, or only the highest.
    pub out: PathBuf,
    /// The decisions, 0 and 1.
    pub decisions: Option<PathBuf>,
    /// The literals that decided.
    pub delegates: Option<PathBuf>,
    /// Instead of all probabilities, this many classes per row, the highest first, and what follows from
    /// them by the rules ([`TopClasses`](super::TopClasses)): one line each, with the columns `row` (or the id's name), `rank`,
    /// `class`, `probability`.
    pub top: Option<usize>,
    /// What the network said by itself, before the rules: one column per class.
    pub raw: Option<PathBuf>,
    /// The layout of the tables whose name does not say it.
    pub layout: Option<Layout>,
}

impl PredictionPaths {
    pub(super) fn target<'p>(&self, path: &'p Path) -> TableTarget<'p> {
        TableTarget { path, layout: self.layout }
    }

    /// All probabilities, and nothing else.
    pub fn new(out: impl Into<PathBuf>) -> Self {
        Self {
            out: out.into(),
            decisions: None,
            delegates: None,
            top: None,
            raw: None,
            layout: None,
        }
    }
}
