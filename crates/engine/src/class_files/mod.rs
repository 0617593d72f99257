//! Files of numbers about classes: thresholds, weights, costs.
//!
//! ```text
//! CSV, TSV ── ClassRecords ─┐
//!                           ├── ClassTable (ClassNames: a class by any of its names) ── numbers of every class
//! Parquet ── by columns ────┘                                                        └─ ClassFileError: all mistakes
//! ```
//!
//! Such a file is a table: a class, and behind it one number or several. The class `*` means all classes that are not
//! listed. There is no default: a class without numbers is an error.

mod class_table;
mod error;
mod records;
mod thresholds;
mod weights;

pub use error::{ClassFileError, ClassMistake, ClassNumbers, ClassProblem};
pub use thresholds::{read_thresholds, write_thresholds, write_thresholds_as};
pub use weights::read_class_weights;

pub(crate) use class_table::ClassTable;
