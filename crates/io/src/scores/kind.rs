//! What the numbers in a table mean, and so which cells are allowed.

use super::bad_cell::BadReason;
use crate::table::MISSING;

/// The meaning of the scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoreKind {
    /// Each value is in `[0, 1]`.
    Probability,
    /// Each value is any number, infinities included.
    Logit,
}

impl ScoreKind {
    /// Why `value` is not allowed; `None` if it is.
    pub fn rejects(self, value: f64) -> Option<BadReason> {
        match self {
            _ if value.is_nan() => Some(BadReason::NaN),
            Self::Probability if !(0.0..=1.0).contains(&value) => Some(BadReason::OutsideUnit),
            Self::Probability | Self::Logit => None,
        }
    }

    /// Parses a cell of a text table.
    pub(super) fn parse(self, cell: &[u8]) -> Result<f64, BadReason> {
        let text = str::from_utf8(cell).map_err(|_| BadReason::NotUtf8)?.trim();
        if text.is_empty() {
            return Err(BadReason::Empty);
        }
        let value: f64 = text.parse().map_err(|_| BadReason::NotANumber)?;
        match self.rejects(value) {
            Some(reason) => Err(reason),
            None => Ok(value),
        }
    }
}

/// Which cells a reader accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Accepts {
    /// Scores.
    Scores(ScoreKind),
    /// Any number, and cells without one, which are read as NaN.
    Labels,
}

impl Accepts {
    /// Why `value` is not allowed; `None` if it is.
    pub(super) fn rejects(self, value: f64) -> Option<BadReason> {
        match self {
            Self::Scores(kind) => kind.rejects(value),
            Self::Labels => None,
        }
    }

    /// Parses a cell of a text table.
    pub(super) fn parse(self, cell: &[u8]) -> Result<f64, BadReason> {
        match (self, str::from_utf8(cell)) {
            (Self::Labels, Ok(text)) if MISSING.contains(&text.trim()) => Ok(f64::NAN),
            (Self::Labels, _) => ScoreKind::Logit.parse(cell),
            (Self::Scores(kind), _) => kind.parse(cell),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_parsed_as_rust_parses_them() {
        for (text, value) in
            [("1e-3", 0.001), (".5", 0.5), (" 0.25\t", 0.25), ("1", 1.0), ("-0.0", -0.0)]
        {
            assert_eq!(ScoreKind::Probability.parse(text.as_bytes()), Ok(value));
        }
        assert_eq!(ScoreKind::Logit.parse(b"-inf"), Ok(f64::NEG_INFINITY));
        assert_eq!(ScoreKind::Logit.parse(b"7.5"), Ok(7.5));
    }

    #[test]
    fn each_bad_cell_has_its_reason() {
        let bad = |cell: &[u8]| ScoreKind::Probability.parse(cell).err();
        assert_eq!(bad(b""), Some(BadReason::Empty));
        assert_eq!(bad(b"  "), Some(BadReason::Empty));
        assert_eq!(bad(b"0,5"), Some(BadReason::NotANumber));
        assert_eq!(bad(b"NaN"), Some(BadReason::NaN));
        assert_eq!(bad(b"1.0000000000000002"), Some(BadReason::OutsideUnit));
        assert_eq!(bad(b"-1e-300"), Some(BadReason::OutsideUnit));
        assert_eq!(bad(b"inf"), Some(BadReason::OutsideUnit));
        assert_eq!(bad(b"\xff"), Some(BadReason::NotUtf8));
        assert_eq!(ScoreKind::Logit.parse(b"nan"), Err(BadReason::NaN));
    }
}
