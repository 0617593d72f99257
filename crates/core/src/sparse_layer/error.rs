//! Why a list of margins cannot be made coherent.

use crate::layer::of_lines;
use crate::settle::SettleLimit;

/// Why a list of margins cannot be made coherent.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum SparseError {
    /// The requirements of a row could not be settled within the limit.
    #[error("the requirements could not be settled within {limit} conflicts{}", of_lines(lines))]
    Unsettled {
        /// How many conflicts the solver may meet.
        limit: SettleLimit,
        /// The lines of the rules and requirements that took part; 0 for those not read from a text.
        lines: Vec<u32>,
    },
    /// A value is NaN.
    #[error("the value of `{label}` is not a number")]
    NotANumber { label: String },
    /// A class is listed twice.
    #[error("`{label}` is listed twice")]
    Duplicate { label: String },
    /// There is no such class.
    #[error("there is no class {class}; there are {classes}, counted from 0")]
    NoClass { class: i64, classes: usize },
}
