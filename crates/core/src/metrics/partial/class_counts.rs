//! How often each class is true: a first pass over rows that are in many places.

use super::super::error::rows;
use super::bytes::{ByteReader, ByteWriter};
use super::error::PartialError;

const NAME: &str = "rulebound class counts";

/// How often each class is true, which can be added up. It says which classes count in metrics where those
/// without a positive do not.
///
/// ```
/// use rulebound_core::metrics::ClassCounts;
/// let (mut here, mut there) = (ClassCounts::new(3), ClassCounts::new(3));
/// here.add(&[true, false, false])?;
/// there.add(&[true, false, true, false, false, true])?;
/// here.merge(&ClassCounts::from_bytes(&there.to_bytes())?)?;
/// assert_eq!((here.rows(), here.positives()), (3, &[2, 0, 2][..]));
/// assert_eq!(here.present(), [true, false, true]);
/// # Ok::<(), rulebound_core::metrics::PartialError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassCounts {
    rows: u64,
    positives: Vec<u64>,
}

impl ClassCounts {
    /// Of no rows.
    pub fn new(classes: usize) -> Self {
        Self { rows: 0, positives: vec![0; classes] }
    }

    /// Adds rows, row-major `[rows × classes]`.
    ///
    /// # Errors
    /// If `truth` does not consist of whole rows.
    pub fn add(&mut self, truth: &[bool]) -> Result<(), PartialError> {
        let classes = self.positives.len();
        self.rows += rows(truth.len(), classes)? as u64;
        for row in truth.chunks_exact(classes.max(1)) {
            for (count, &is_true) in self.positives.iter_mut().zip(row) {
                *count += u64::from(is_true);
            }
        }
        Ok(())
    }

    /// Adds the rows of another one.
    ///
    /// # Errors
    /// If that has another number of classes.
    pub fn merge(&mut self, other: &Self) -> Result<(), PartialError> {
        if self.positives.len() != other.positives.len() {
            return Err(PartialError::Classes);
        }
        self.rows += other.rows;
        self.positives.iter_mut().zip(&other.positives).for_each(|(sum, one)| *sum += one);
        Ok(())
    }

    /// How many rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How often each class is true.
    pub fn positives(&self) -> &[u64] {
        &self.positives
    }

    /// Whether each class is true at least once.
    pub fn present(&self) -> Vec<bool> {
        self.positives.iter().map(|&count| count > 0).collect()
    }

    /// The counts as bytes; equal counts have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = ByteWriter::new(NAME);
        bytes.number(self.rows);
        bytes.number(self.positives.len() as u64);
        self.positives.iter().for_each(|&count| bytes.number(count));
        bytes.finish()
    }

    /// Reads back [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// If the bytes are not such counts, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PartialError> {
        let mut bytes = ByteReader::new(bytes, NAME)?;
        let rows = bytes.number()?;
        let classes = bytes.length(1)?;
        let positives = (0..classes).map(|_| bytes.number()).collect::<Result<Vec<u64>, _>>()?;
        bytes.expect_end()?;
        if positives.iter().any(|&count| count > rows) {
            return Err(PartialError::Damaged("a class is true in more rows than there are"));
        }
        Ok(Self { rows, positives })
    }
}
