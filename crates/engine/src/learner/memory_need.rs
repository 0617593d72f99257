//! What a fit needs, compared with the memory there is before any of it is allocated.

use super::rows::FitError;
use crate::memory::{ByteSize, available};

/// Fails if the bytes of this many 64-bit numbers are not there.
pub(super) fn expect_memory(method: &'static str, numbers: u128) -> Result<(), FitError> {
    let needed = u64::try_from(numbers.saturating_mul(8)).unwrap_or(u64::MAX);
    match available() {
        Some(available) if needed > available => Err(FitError::Unsuitable {
            method,
            what: format!(
                "{} of memory are needed, and {} are available",
                ByteSize(needed),
                ByteSize(available)
            ),
            hint: "use fewer rows or columns, or a method that keeps sparse features sparse",
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_refused() {
        assert_eq!(expect_memory("br", 1 << 10), Ok(()));
        let error = expect_memory("br", 1 << 100).map_err(|error| error.to_string());
        // Only where the system says how much there is.
        let is_refused = error.is_err_and(|error| error.contains("of memory are needed, and"));
        assert_eq!(is_refused, available().is_some());
    }
}
