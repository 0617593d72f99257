//! Lists of scores → coherent lists: rows of which few classes are listed, the others being impossible
//! (probability 0, a logit of −∞).
//!
//! The numbers are those that [`apply`](crate::apply) gives for the whole row. With 100,000 classes and 50
//! scores per row the cost is that of the scores and their ancestors; see
//! [`SparseLayer`](rulebound_core::SparseLayer).
//!
//! ```text
//! (class, score) … ── Scale::margin ──> SparseLayer ──> delegates ── Scale::cell ──> Cut ──> (class, score) …
//! ```

mod applier;
mod cut;
mod error;
mod rows;

pub use applier::{ListedScore, SparseApplier, SparseScratch};
pub use cut::Cut;
pub use error::{CutError, SparseApplyError, SparseRowError};
pub use rows::{CoherentLists, ScoreLists};
