//! The text of a file inside of an error.

use std::fmt;
use std::ops::Deref;

/// The text of a file in an error, for whoever draws the lines that are wrong. `Debug` says only how long it
/// is: `?` in `main` must not print a whole file.
#[derive(Clone, PartialEq, Eq)]
pub struct FileText(pub String);

impl Deref for FileText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for FileText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({} bytes)", self.0.len())
    }
}
