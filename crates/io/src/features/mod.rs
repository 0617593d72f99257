//! Rows of numbers, dense or sparse: the features of a data set, and their encoding for a network.
//!
//! Dense rows are one array, row-major. Sparse rows (CSR) list the cells that are not 0 by their
//! columns; a cell that is not listed is 0. Missing is NaN in both. Invariant: both hold the same
//! cells, bit for bit, so that what is computed from them does not depend on which one it is.

mod matrix;
mod row;
mod sparse;

pub use self::matrix::FeatureMatrix;
pub use self::row::{FeatureRow, FeatureRowCells};
pub use self::sparse::SparseMatrix;
