//! Ids that must not come back.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use super::error::LongTableError;

rulebound_core::named_enum! {
    /// In which order the ids of a long table are.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub enum IdOrder: "an order of ids" {
        /// In any order. A fingerprint of 128 bits is kept of each id, to find one that comes back: some 20 to 40 bytes
        /// of memory per id.
        #[default]
        Grouped = "grouped",
        /// In the order of their bytes, as `LC_ALL=C sort` leaves them. Nothing is kept.
        Sorted = "sorted",
    }
}

/// The ids so far, as far as they are needed.
pub(super) struct IdCheck {
    path: PathBuf,
    order: IdOrder,
    last: Option<String>,
    seen: HashSet<(u64, u64)>,
}

impl IdCheck {
    pub fn new(path: &Path, order: IdOrder) -> Self {
        Self { path: path.to_path_buf(), order, last: None, seen: HashSet::new() }
    }

    /// Takes note of the next id.
    pub fn check(&mut self, id: &str, row: u64) -> Result<(), LongTableError> {
        let path = || self.path.clone();
        if id.is_empty() {
            return Err(LongTableError::NoId { path: path(), row });
        }
        match self.order {
            IdOrder::Grouped if !self.seen.insert((hash(id, 0), hash(id, 1))) => {
                Err(LongTableError::Returned { path: path(), row, id: id.to_owned() })
            }
            IdOrder::Grouped => Ok(()),
            IdOrder::Sorted => {
                if let Some(before) = self.last.take().filter(|before| before.as_str() >= id) {
                    let id = id.to_owned();
                    return Err(LongTableError::Unsorted { path: path(), row, id, before });
                }
                self.last = Some(id.to_owned());
                Ok(())
            }
        }
    }
}

fn hash(id: &str, which: u8) -> u64 {
    let mut hasher = DefaultHasher::new();
    which.hash(&mut hasher);
    id.hash(&mut hasher);
    hasher.finish()
}
