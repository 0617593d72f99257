//! What networks are trained on: a data set of the paper, or a built-in problem at a step.

use std::fmt;
use std::path::Path;

use rulebound::dataset::{Builtin, Dataset, ReadOptions, Source, Step};

use crate::catalogue::{CATALOGUE, CatalogueEntry, Collection};
use crate::source::{DataSource, SourceError};

/// A data set of the paper, or a built-in problem at a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Subject {
    /// A data set of the catalogue.
    Catalogue(&'static CatalogueEntry),
    /// A built-in problem; each seed draws its own points.
    Synthetic(Builtin, Option<Step>),
}

impl Subject {
    /// All data sets of a collection, in the order of the paper.
    pub fn collection(collection: Collection) -> impl Iterator<Item = Self> {
        CATALOGUE.iter().filter(move |entry| entry.collection == collection).map(Self::Catalogue)
    }

    /// A problem at every step.
    pub fn steps(problem: Builtin) -> impl Iterator<Item = Self> {
        (1..=9).filter_map(move |step| Some(Self::Synthetic(problem, Some(Step::new(step).ok()?))))
    }

    /// As a source of data.
    pub fn source(self) -> DataSource {
        match self {
            Self::Catalogue(entry) => DataSource::Catalogue(entry),
            Self::Synthetic(problem, _) => DataSource::Other(Source::Builtin(problem)),
        }
    }

    /// Whether every seed has its own points, so that no two networks see the same data.
    pub fn is_drawn(self) -> bool {
        matches!(self, Self::Synthetic(..))
    }

    /// Its data; `seed` determines the points of a built-in problem.
    ///
    /// # Errors
    /// If a data set of the paper is missing or cannot be read.
    pub fn read(self, data_dir: Option<&Path>, seed: u64) -> Result<Dataset, SourceError> {
        let mut options = ReadOptions { seed, ..ReadOptions::default() };
        if let Self::Synthetic(_, Some(step)) = self {
            options.step = step;
        }
        self.source().read(&options, data_dir)
    }
}

/// The name in tables: that of the data set, or of the problem with its step, as in `rectangles-5`.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Catalogue(entry) => f.write_str(entry.name),
            Self::Synthetic(problem, None) => write!(f, "{problem}"),
            Self::Synthetic(problem, Some(step)) => write!(f, "{problem}-{}", step.number()),
        }
    }
}
