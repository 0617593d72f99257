//! An invalid number in a configuration.

/// An invalid number in a configuration.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{what} is {found}; it must be {expected}")]
pub struct BadConfiguration {
    /// Which number.
    pub what: &'static str,
    /// Its value.
    pub found: String,
    /// The valid range.
    pub expected: &'static str,
}
