//! A number of bytes as people write it.

use std::fmt;
use std::str::FromStr;

/// A number of bytes.
///
/// ```
/// use rulebound_io::memory::ByteSize;
/// assert_eq!("1.5GiB".parse(), Ok(ByteSize(1_610_612_736)));
/// assert_eq!("500 MB".parse(), Ok(ByteSize(500_000_000)));
/// assert_eq!(ByteSize(1_610_612_736).to_string(), "1.5 GiB");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ByteSize(pub u64);

/// A text that is not a number of bytes.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not a size; write a number with a unit, such as 4GiB, 500MB or 1.5G")]
pub struct BadSize(pub String);

/// Units without their `B`: those of 1024 are written `Ki`, `K` and `k`, `M`, … are of 1000.
const UNITS: [(&str, u64); 9] = [
    ("", 1),
    ("k", 1000),
    ("m", 1_000_000),
    ("g", 1_000_000_000),
    ("t", 1_000_000_000_000),
    ("ki", 1 << 10),
    ("mi", 1 << 20),
    ("gi", 1 << 30),
    ("ti", 1 << 40),
];

impl FromStr for ByteSize {
    type Err = BadSize;

    fn from_str(text: &str) -> Result<Self, BadSize> {
        let bad = || BadSize(text.to_owned());
        let trimmed = text.trim();
        let unit_at = trimmed.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(unit_at);
        let unit = unit.to_ascii_lowercase();
        let unit = unit.strip_suffix('b').unwrap_or(&unit);
        let (_, factor) = UNITS.into_iter().find(|(name, _)| *name == unit).ok_or_else(bad)?;
        let number: f64 = number.trim().parse().map_err(|_| bad())?;
        let bytes = number * factor as f64;
        if !(1.0..u64::MAX as f64).contains(&bytes) {
            return Err(bad());
        }
        Ok(Self(bytes as u64))
    }
}

/// In the largest unit of 1024 in which it is at least 1, with one decimal.
impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
        match units.into_iter().find(|(bits, _)| self.0 >= 1 << bits) {
            Some((bits, unit)) => write!(f, "{:.1} {unit}", self.0 as f64 / (1u64 << bits) as f64),
            None => write!(f, "{} B", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_written() {
        for (text, bytes) in [
            ("1", 1),
            ("12B", 12),
            ("4GiB", 4 << 30),
            ("4g", 4_000_000_000),
            (" 0.5 KiB ", 512),
            ("2TB", 2_000_000_000_000),
        ] {
            assert_eq!(text.parse(), Ok(ByteSize(bytes)), "{text}");
        }
        for text in ["", "GiB", "-1", "0", "4 GiBs", "1e30", "4x", "NaN", "inf"] {
            assert_eq!(text.parse::<ByteSize>(), Err(BadSize(text.to_owned())), "{text}");
        }
        assert_eq!(ByteSize(1023).to_string(), "1023 B");
        assert_eq!(ByteSize(1 << 20).to_string(), "1.0 MiB");
        assert_eq!(ByteSize(7_700_000_000).to_string(), "7.2 GiB");
    }
}
