//! The metrics of a partition.

use std::fmt;

use super::super::columns::Columns;
use super::super::confusion::{Confusion, Counts};
use super::super::ranking::Ranking;
use super::super::score::Score;
use super::bounded::PairCounts;
use super::bytes::{ByteReader, ByteWriter};
use super::error::PartialError;
use super::f_max_change::{FMaxChange, each_change};
use super::row_sums::RowSums;
use super::tally::Tally;

const NAME: &str = "rulebound metrics";

/// Classes whose flags are in one byte.
const FLAGS: usize = 7;

/// How finely scores are told apart in metrics of rankings over many rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Resolution {
    /// As they are. The summary has an entry per class and distinct score.
    #[default]
    Exact,
    /// By the first so many bits of the score as `f32`, 8 to 32: sign, exponent, and what is left of the
    /// fraction. The summary has at most 2 to that power entries per class, and probabilities half of that.
    Bits(u8),
}

impl fmt::Display for Resolution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("nothing"),
            Self::Bits(bits) => write!(f, "{bits} bits"),
        }
    }
}

impl Resolution {
    /// An integer that is ordered as scores are.
    #[inline(always)]
    fn key<F: Score>(self, score: F) -> u64 {
        match self {
            Self::Exact => score.wide_key(),
            Self::Bits(bits) => u64::from(score.narrow_key() >> (32 - bits)),
        }
    }
}

/// The metrics of the rows of a partition, which can be added up with those of others; see the module.
///
/// ```
/// use rulebound_core::metrics::{Metric, PartialMetrics, Resolution};
/// let (scores, truth) = ([0.9, 0.2, 0.4, 0.7], [true, false, false, true]);
/// let decisions = scores.map(|score| score > 0.5);
/// let mut all = PartialMetrics::new(&[true, true], Resolution::Exact)?;
/// for row in [0..2, 2..4] {
///     let mut one = PartialMetrics::new(&[true, true], Resolution::Exact)?;
///     one.add(&scores[row.clone()], &decisions[row.clone()], &truth[row])?;
///     all.merge(&PartialMetrics::from_bytes(&one.to_bytes())?)?;
/// }
/// let result = all.finish();
/// assert_eq!(result.metrics.get(Metric::Auprc), Some(1.0));
/// assert_eq!(result.f_max.map(|f_max| f_max.value), Some(1.0));
/// # Ok::<(), rulebound_core::metrics::PartialError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PartialMetrics {
    pub(super) columns: Columns,
    pub(super) resolution: Resolution,
    pub(super) rows: u64,
    pub(super) sums: RowSums,
    /// Of the classes that count.
    pub(super) counts: Vec<Counts>,
    /// By class and score.
    pub(super) pairs: Tally<(u32, u64), PairCounts>,
    /// By score.
    pub(super) f_max: Tally<u64, FMaxChange>,
}

impl PartialMetrics {
    /// Of no rows; `counted` says for each class whether it counts. All labels of rows must be known.
    ///
    /// # Errors
    /// If scores cannot be cut to so many bits.
    pub fn new(counted: &[bool], resolution: Resolution) -> Result<Self, PartialError> {
        if let Resolution::Bits(bits) = resolution
            && !(8..=32).contains(&bits)
        {
            return Err(PartialError::Bits(bits.into()));
        }
        let columns = Columns::evaluated(counted);
        let counts = vec![Counts::default(); columns.counted().len()];
        Ok(Self {
            columns,
            resolution,
            rows: 0,
            sums: RowSums::default(),
            counts,
            pairs: Tally::default(),
            f_max: Tally::default(),
        })
    }

    /// Adds rows: scores, decisions and truth, all row-major `[rows × classes]`.
    ///
    /// # Errors
    /// If the sizes do not match, or a score of a class that counts is NaN; nothing is added then.
    pub fn add<F: Score>(
        &mut self,
        scores: &[F],
        decisions: &[bool],
        truth: &[bool],
    ) -> Result<(), PartialError> {
        let ranking = Ranking::new(scores, truth, &self.columns)?;
        let confusion = Confusion::new(decisions, truth, &self.columns)?;
        self.rows += ranking.rows() as u64;
        for (sum, one) in self.counts.iter_mut().zip(confusion.per_class()) {
            *sum += *one;
        }
        ranking.each_row(|row| self.sums.add(row));
        let mut ranked: Vec<(u64, bool)> = Vec::new();
        for row in 0..ranking.rows() {
            let (scores, truth) = ranking.row(row);
            ranked.clear();
            for &class in self.columns.counted() {
                let (key, is_true) = (self.resolution.key(scores[class]), truth[class]);
                let (positives, negatives) = (u64::from(is_true), u64::from(!is_true));
                self.pairs.add((class as u32, key), PairCounts { positives, negatives });
                ranked.push((key, is_true));
            }
            let support = ranked.iter().filter(|one| one.1).count() as u64;
            if support > 0 {
                ranked.sort_unstable_by_key(|one| std::cmp::Reverse(one.0));
                each_change(&ranked, support, |key, change| self.f_max.add(key, change));
            }
        }
        Ok(())
    }

    /// Adds the rows of another one.
    ///
    /// # Errors
    /// If that counts other classes, or cuts scores differently.
    pub fn merge(&mut self, other: &Self) -> Result<(), PartialError> {
        if self.columns != other.columns {
            return Err(PartialError::Classes);
        }
        if self.resolution != other.resolution {
            return Err(PartialError::Resolutions(self.resolution, other.resolution));
        }
        self.rows += other.rows;
        self.sums += other.sums;
        self.counts.iter_mut().zip(&other.counts).for_each(|(sum, one)| *sum += *one);
        self.pairs.merge(&other.pairs);
        self.f_max.merge(&other.f_max);
        Ok(())
    }

    /// How many rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The number of classes in a row, whether they count or not.
    pub fn classes(&self) -> usize {
        self.columns.classes()
    }

    /// How finely scores are told apart.
    pub fn resolution(&self) -> Resolution {
        self.resolution
    }

    /// The summary as bytes. The same rows have the same bytes, however they were split and merged.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = ByteWriter::new(NAME);
        bytes.number(match self.resolution {
            Resolution::Exact => 0,
            Resolution::Bits(bits) => bits.into(),
        });
        bytes.number(self.columns.classes() as u64);
        let mut flags = vec![0; self.columns.classes().div_ceil(FLAGS)];
        for class in self.columns.counted() {
            flags[class / FLAGS] |= 1 << (class % FLAGS);
        }
        flags.into_iter().for_each(|flags| bytes.number(flags));
        let sums = self.sums;
        for number in [self.rows, sums.rows, sums.coverage, sums.top_wrong, sums.top_rows] {
            bytes.number(number);
        }
        bytes.number(sums.supported);
        bytes.sum(sums.average_precision);
        bytes.sum(sums.ranking_loss);
        for counts in &self.counts {
            bytes.number(counts.true_positives);
            bytes.number(counts.false_positives);
            bytes.number(counts.false_negatives);
        }
        let pairs = self.pairs.entries();
        bytes.number(pairs.len() as u64);
        for &((class, key), counts) in &*pairs {
            bytes.number(class.into());
            bytes.number(key);
            bytes.number(counts.positives);
            bytes.number(counts.negatives);
        }
        let changes = self.f_max.entries();
        bytes.number(changes.len() as u64);
        for &(key, change) in &*changes {
            bytes.number(key);
            for sum in [change.precision, change.best, change.recall] {
                bytes.sum(sum);
            }
            bytes.number(change.rows);
            bytes.number(change.right_rows);
        }
        bytes.finish()
    }

    /// Reads back [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// If the bytes are not such a summary, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PartialError> {
        let bytes = &mut ByteReader::new(bytes, NAME)?;
        let resolution = match bytes.number()? {
            0 => Resolution::Exact,
            bits => Resolution::Bits(u8::try_from(bits).unwrap_or(u8::MAX)),
        };
        let damaged = PartialError::Damaged;
        let classes = bytes.flags(FLAGS)?;
        let mut is_counted = Vec::new();
        while is_counted.len() < classes {
            let flags = bytes.number()?;
            let rest = FLAGS.min(classes - is_counted.len());
            if flags >> rest != 0 {
                return Err(damaged("a class that does not exist counts"));
            }
            is_counted.extend((0..rest).map(|place| flags >> place & 1 == 1));
        }
        let mut found = Self::new(&is_counted, resolution)?;
        found.rows = bytes.number()?;
        let sums = &mut found.sums;
        sums.rows = bytes.number()?;
        sums.coverage = bytes.number()?;
        sums.top_wrong = bytes.number()?;
        sums.top_rows = bytes.number()?;
        sums.supported = bytes.number()?;
        sums.average_precision = bytes.sum()?;
        sums.ranking_loss = bytes.sum()?;
        for counts in &mut found.counts {
            counts.true_positives = bytes.number()?;
            counts.false_positives = bytes.number()?;
            counts.false_negatives = bytes.number()?;
        }
        let count = bytes.length(4)?;
        let mut pairs = Vec::with_capacity(count);
        for _ in 0..count {
            let class = u32::try_from(bytes.number()?).map_err(|_| damaged("no such class"))?;
            let key = bytes.number()?;
            let counts = PairCounts { positives: bytes.number()?, negatives: bytes.number()? };
            pairs.push(((class, key), counts));
        }
        let count = bytes.length(51)?;
        let mut changes = Vec::with_capacity(count);
        for _ in 0..count {
            let key = bytes.number()?;
            let (precision, best, recall) = (bytes.sum()?, bytes.sum()?, bytes.sum()?);
            let (rows, right_rows) = (bytes.number()?, bytes.number()?);
            changes.push((key, FMaxChange { precision, best, recall, rows, right_rows }));
        }
        bytes.expect_end()?;
        let is_ascending = pairs.is_sorted_by(|a, b| a.0 < b.0);
        if !is_ascending || !changes.is_sorted_by(|a, b| a.0 < b.0) {
            return Err(damaged("its scores are out of order"));
        }
        if pairs.iter().any(|entry| is_counted.get(entry.0.0 as usize) != Some(&true)) {
            return Err(damaged("it has scores of a class that does not count"));
        }
        found.pairs = Tally::from_settled(pairs);
        found.f_max = Tally::from_settled(changes);
        Ok(found)
    }
}

impl PartialEq for PartialMetrics {
    fn eq(&self, other: &Self) -> bool {
        self.to_bytes() == other.to_bytes()
    }
}
