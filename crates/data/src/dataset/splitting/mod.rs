//! Splitting a data set: test and validation rows by shares, by a column, and folds.
//!
//! ```text
//! SplitRecipe ── assign ──> a split for each row ── Dataset::reordered ──> Dataset
//! Folds       ── deal ────> a fold for each row
//! ```
//!
//! Rows are dealt by iterative stratification (Sechidis, Tsoumakas and Vlahavas, ECML PKDD 2011):
//! the rarest class first, each of its rows to the part that still lacks most of that class. Invariants:
//! every row is in exactly one part; without groups, parts have exactly the requested sizes; the rows of
//! a group stay together; the result depends on the data and the seed alone.

mod dealing;
mod error;
mod folds;
mod recipe;
mod units;

pub use self::error::SplitError;
pub use self::folds::Folds;
pub use self::recipe::SplitRecipe;
