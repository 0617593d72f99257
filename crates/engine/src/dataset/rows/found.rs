//! Which column of a file is which fitted one, and which identifies the rows.
//!
//! Columns get the names that a data set would give them: [`unique_names`] over the features, then
//! over what is surely none. Labels cannot be told from features here; they are passed over
//! because nothing of their name was fitted.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::super::error::DatasetError;
use super::super::pipeline::Pipeline;
use crate::table::unique_names;

/// The columns of a file by name.
pub(super) struct Found {
    /// The unique name of each column.
    names: Vec<String>,
    places: HashMap<String, usize>,
    fitted: HashSet<String>,
}

impl Found {
    /// From the names in the order of the file; `is_last` says which of them are named last.
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

    /// The column of this unique name.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Whether a column was fitted.
    pub(super) fn is_fitted(&self, place: usize) -> bool {
        self.fitted.contains(&self.names[place])
    }

    /// The column that identifies rows: the one `asked` for, else the first column that is `sure`
    /// to, else the first whose name says so and that was not fitted.
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
            || places.find(|&place| !self.is_fitted(place) && is_called_id(&self.names[place]));
        Ok(sure.or_else(called))
    }
}

/// Whether the name of a column says that it identifies rows.
fn is_called_id(name: &str) -> bool {
    let name = name.trim().to_lowercase();
    matches!(name.as_str(), "id" | "key" | "identifier")
        || ["_id", "-id", ".id", " id"].iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_identify() {
        for name in ["id", "ID", " Id ", "key", "Identifier", "photo_id", "row-ID", "a.id"] {
            assert!(is_called_id(name), "{name}");
        }
        for name in ["", "valid", "idea", "_identity", "keyboard", "paid", "idx"] {
            assert!(!is_called_id(name), "{name}");
        }
    }
}
