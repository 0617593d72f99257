//! Summaries as bytes: a name, a version, numbers, and a checksum.

use super::error::PartialError;
use super::fixed_sum::FixedSum;

const VERSION: u64 = 1;

/// Puts numbers after each other.
pub(super) struct ByteWriter {
    bytes: Vec<u8>,
}

impl ByteWriter {
    pub fn new(name: &'static str) -> Self {
        let mut writer = Self { bytes: name.as_bytes().to_vec() };
        writer.number(VERSION);
        writer
    }

    /// Seven bits per byte, the lowest first: most counts are small.
    pub fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    pub fn sum(&mut self, sum: FixedSum) {
        self.bytes.extend(sum.0.to_le_bytes());
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.extend(checksum(&self.bytes).to_le_bytes());
        self.bytes
    }
}

/// Takes numbers from the front.
pub(super) struct ByteReader<'a> {
    bytes: &'a [u8],
}

impl<'a> ByteReader<'a> {
    pub fn new(bytes: &'a [u8], name: &'static str) -> Result<Self, PartialError> {
        let Some(rest) = bytes.strip_prefix(name.as_bytes()) else {
            return Err(PartialError::NotASummary(name));
        };
        let Some((_, sum)) = bytes.split_last_chunk() else {
            return Err(PartialError::Damaged("it ends too early"));
        };
        if rest.len() < sum.len() {
            return Err(PartialError::Damaged("it ends too early"));
        }
        // The version first: another one may have another checksum.
        let mut reader = Self { bytes: &rest[..rest.len() - sum.len()] };
        match reader.number()? {
            VERSION => {}
            other => return Err(PartialError::Version(other)),
        }
        if u64::from_le_bytes(*sum) != checksum(&bytes[..bytes.len() - sum.len()]) {
            return Err(PartialError::Damaged("its checksum is wrong"));
        }
        Ok(reader)
    }

    pub fn number(&mut self) -> Result<u64, PartialError> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) =
                self.bytes.split_first().ok_or(PartialError::Damaged("it ends too early"))?;
            self.bytes = rest;
            let part = u64::from(byte & 0x7f);
            if shift == 63 && part > 1 {
                break;
            }
            value |= part << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(PartialError::Damaged("a number is too large"))
    }

    /// How many entries follow, of at least `size` bytes each.
    pub fn length(&mut self, size: usize) -> Result<usize, PartialError> {
        let count = self.number()? as usize;
        let fits = count.checked_mul(size).is_some_and(|bytes| bytes <= self.bytes.len());
        fits.then_some(count).ok_or(PartialError::Damaged("it ends too early"))
    }

    /// How many flags follow, so many to a byte.
    pub fn flags(&mut self, to_a_byte: usize) -> Result<usize, PartialError> {
        let count = self.number()?;
        let fits = count.div_ceil(to_a_byte as u64) <= self.bytes.len() as u64;
        fits.then_some(count as usize).ok_or(PartialError::Damaged("it ends too early"))
    }

    pub fn sum(&mut self) -> Result<FixedSum, PartialError> {
        let (bytes, rest) =
            self.bytes.split_first_chunk().ok_or(PartialError::Damaged("it ends too early"))?;
        self.bytes = rest;
        Ok(FixedSum(i128::from_le_bytes(*bytes)))
    }

    /// Fails if something is left.
    pub fn expect_end(&self) -> Result<(), PartialError> {
        self.bytes.is_empty().then_some(()).ok_or(PartialError::Damaged("it is too long"))
    }
}

/// FNV-1a: finds what was cut off or changed by accident.
fn checksum(bytes: &[u8]) -> u64 {
    let add = |sum: u64, &byte: &u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, add)
}
