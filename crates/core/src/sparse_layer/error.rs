//! Why a list of margins cannot be made coherent.

/// Why a list of margins cannot be made coherent.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SparseError {
    /// The program has requirements, which look at every class of a row.
    #[error(
        "the rules have requirements ({count}), which are settled among all classes of a row; \
         lists of scores need rules without requirements"
    )]
    Requirements {
        /// How many.
        count: usize,
    },
    /// A value is NaN.
    #[error("the value of `{label}` is not a number")]
    NotANumber {
        /// The class.
        label: String,
    },
    /// A class is listed twice.
    #[error("`{label}` is listed twice")]
    Duplicate {
        /// The class.
        label: String,
    },
    /// There is no such class.
    #[error("there is no class {class}; there are {classes}, counted from 0")]
    NoClass {
        /// The number that was given.
        class: i64,
        /// How many there are.
        classes: usize,
    },
}
