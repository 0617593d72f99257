//! How much is read from a file that must be held or unpacked as a whole.
//!
//! A few bytes of gzip can become terabytes. The limits are generous; the variable
//! `RULEBOUND_INPUT_LIMIT` (`8GiB`) raises or lowers them.

use std::path::Path;

use super::error::InputError;
use crate::memory::ByteSize;

/// The most bytes of a text that is read as a whole: rules, thresholds, results.
pub(super) const WHOLE_TEXT: u64 = 1 << 30;

/// The most bytes of a compressed file that is unpacked to a temporary file.
pub(super) const UNPACKED: u64 = 4 << 30;

/// The limit for the file at `path`.
pub(super) fn limit(path: &Path, default: u64) -> Result<u64, InputError> {
    match std::env::var("RULEBOUND_INPUT_LIMIT") {
        Ok(text) => match text.parse::<ByteSize>() {
            Ok(ByteSize(bytes)) => Ok(bytes),
            Err(source) => Err(InputError::BadLimit { path: path.to_path_buf(), source }),
        },
        Err(_) => Ok(default),
    }
}
