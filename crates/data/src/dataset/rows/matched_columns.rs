//! Matches the columns of a file to the fitted columns, and finds the one that identifies the rows.
//!
//! Columns get the names that a data set would give them: [`unique_names`] over the features, then
//! over columns that are certainly not features. Labels cannot be distinguished from features here;
//! they are skipped because no fitted column has their name.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::super::error::DatasetError;
use super::super::identifier::looks_like_id;
use super::super::pipeline::Pipeline;
use rulebound_io::table::unique_names;

/// The columns of a file, by name.
pub(super) struct MatchedColumns {
    /// The unique name of each column.
    names: Vec<String>,
    places: HashMap<String, usize>,
    fitted: HashSet<String>,
}

impl MatchedColumns {
    /// From the names in file order; `is_last` says which of them are made unique last.
    pub(super) fn new(
        names: &[String],
        is_last: impl Fn(usize) -> bool,
        pipeline: &Pipeline,
    ) -> Self {
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by_key(|&place| is_last(place));
        let ordered = unique_names(order.iter().map(|&place| names[place].clone()));
        let mut unique = vec![String::new(); names.len()];
        for (&place, name) in order.iter().zip(ordered) {
            unique[place] = name;
        }
        let places = unique.iter().cloned().enumerate().map(|(place, name)| (name, place));
        let fitted = pipeline.columns().iter().map(|column| column.name().to_owned());
        Self { places: places.collect(), fitted: fitted.collect(), names: unique }
    }

    /// The unique name of a column.
    pub(super) fn name(&self, place: usize) -> &str {
        &self.names[place]
    }

    /// The column with this unique name.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Whether a column is a fitted one.
    pub(super) fn is_fitted(&self, place: usize) -> bool {
        self.fitted.contains(&self.names[place])
    }

    /// The column that identifies rows: the one `asked` for, else the first one that is `sure` to,
    /// else the first one that is not fitted and whose name looks like an id.
    pub(super) fn id(
        &self,
        asked: Option<&str>,
        sure: impl Fn(usize) -> bool,
        path: &Path,
    ) -> Result<Option<usize>, DatasetError> {
        if let Some(name) = asked {
            return match self.place(name) {
                Some(place) => Ok(Some(place)),
                None => Err(DatasetError::NoColumn { path: path.into(), name: name.to_owned() }),
            };
        }
        let mut places = 0..self.names.len();
        let sure = places.clone().find(|&place| sure(place));
        let called =
            || places.find(|&place| !self.is_fitted(place) && looks_like_id(&self.names[place]));
        Ok(sure.or_else(called))
    }
}
