//! Why the layer or the loss cannot run, and the checks of their buffers.

use crate::label::{LabelId, Labels};
use crate::margin::Margin;
use crate::settle::SettleLimit;

/// Why the layer or the loss cannot run.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum LayerError {
    /// A value is NaN.
    #[error("row {row}: the value of `{label}` is not a number")]
    NotANumber {
        /// The row in the batch, from 0.
        row: usize,
        label: String,
    },
    /// A row whose requirements could not be settled within the limit.
    #[error(
        "row {row}: the requirements could not be settled within {limit} conflicts{}",
        of_lines(lines)
    )]
    Unsettled {
        /// The row in the batch, from 0.
        row: usize,
        /// How many conflicts the solver may meet.
        limit: SettleLimit,
        /// The lines of the rules and requirements that took part; 0 for those not read from a text.
        lines: Vec<u32>,
    },
    /// A buffer does not hold whole rows, or not as many rows as the others.
    #[error("{buffer} holds {found} numbers; expected {expected}")]
    Shape {
        buffer: &'static str,
        /// How many numbers it should hold, in words.
        expected: String,
        found: usize,
    },
}

/// The lines that are known, at most eight of them.
pub(crate) fn of_lines(lines: &[u32]) -> String {
    const SHOWN: usize = 8;
    let known: Vec<String> = lines.iter().filter(|&&line| line > 0).map(u32::to_string).collect();
    let more = known.len().saturating_sub(SHOWN);
    match &known[..] {
        [] => String::new(),
        [one] => format!(" (line {one})"),
        lines if more == 0 => format!(" (lines {})", lines.join(", ")),
        lines => format!(" (lines {} and {more} more)", lines[..SHOWN].join(", ")),
    }
}

/// Checks that a buffer has the length of another one.
pub(crate) fn expect_len(
    buffer: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), LayerError> {
    if found == expected {
        return Ok(());
    }
    Err(LayerError::Shape { buffer, expected: expected.to_string(), found })
}

/// Checks that a buffer holds whole rows of `classes` numbers.
pub(crate) fn expect_rows(
    buffer: &'static str,
    found: usize,
    classes: usize,
) -> Result<(), LayerError> {
    if found.checked_rem(classes).unwrap_or(found) == 0 {
        return Ok(());
    }
    let expected = format!("a multiple of {classes}, the number of classes");
    Err(LayerError::Shape { buffer, expected, found })
}

/// The error for the first NaN of a batch that has one.
#[cold]
pub(crate) fn find_nan<F: Margin>(batch: &[F], names: &Labels) -> LayerError {
    let at = batch.iter().position(|margin| margin.is_nan()).unwrap_or(0);
    let label = names.name(LabelId::new(at % names.len())).to_owned();
    LayerError::NotANumber { row: at / names.len(), label }
}
