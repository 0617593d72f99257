//! Sums over the rows that a pipeline is fitted on, in 64 bits.
//!
//! Invariant: unless columns are centred, sums do not depend on whether the zeros among the cells
//! were added one by one or counted, so that sparse and dense rows give the same bits.

use super::super::column::Column;
use super::{FittedRange, Scale, Scaling};

/// Sums of one column over the fitted rows.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    known: usize,
    zeros: usize,
    sum: f64,
    squares: f64,
    low: f64,
    high: f64,
    /// How many rows have each value of a nominal column.
    counts: Vec<usize>,
}

/// How the cells of a column are read when fitting.
#[derive(Clone, Copy, Debug)]
pub(super) enum CellKind {
    Number,
    Indicator([f64; 2]),
    Value,
}

impl CellKind {
    pub(super) fn new(column: &Column) -> Self {
        match column.values() {
            None => Self::Number,
            Some([first, _]) if column.is_indicator() => {
                Self::Indicator(if first == "1" { [1.0, 0.0] } else { [0.0, 1.0] })
            }
            Some(_) => Self::Value,
        }
    }

    /// The number of a cell that is not missing.
    fn number(self, cell: f32) -> f64 {
        match self {
            Self::Indicator(numbers) => numbers[cell as usize],
            Self::Number | Self::Value => f64::from(cell),
        }
    }
}

impl Sums {
    pub(super) fn new(column: &Column) -> Self {
        let (low, high) = (f64::INFINITY, f64::NEG_INFINITY);
        let counts = vec![0; column.values().map_or(0, <[String]>::len)];
        Self { known: 0, zeros: 0, sum: 0.0, squares: 0.0, low, high, counts }
    }

    pub(super) fn add(&mut self, kind: &CellKind, cell: f32) {
        self.add_times(kind, cell, 1);
    }

    /// Adds `times` equal cells. More than one must be zeros, or indices of values.
    pub(super) fn add_times(&mut self, kind: &CellKind, cell: f32, times: usize) {
        if cell.is_nan() || times == 0 {
            return;
        }
        if let CellKind::Value = kind {
            self.counts[cell as usize] += times;
            return;
        }
        let number = kind.number(cell);
        self.known += times;
        self.zeros += if number == 0.0 { times } else { 0 };
        self.sum += number * times as f64;
        self.low = self.low.min(number);
        self.high = self.high.max(number);
    }

    /// The smallest and the largest number, if there was one.
    pub(super) fn range(&self) -> Option<FittedRange> {
        (self.known > 0).then_some(FittedRange { low: self.low, high: self.high })
    }

    fn mean(&self) -> f64 {
        self.sum / self.known.max(1) as f64
    }

    /// Adds the square of a cell's distance from the mean. Zeros of columns that are not centred,
    /// and indicators, are only counted.
    pub(super) fn add_square(&mut self, kind: &CellKind, cell: f32, scaling: Scaling) {
        if cell.is_nan() || matches!(kind, CellKind::Value) {
            return;
        }
        let is_counted = matches!(kind, CellKind::Indicator(_)) || kind.number(cell) == 0.0;
        if scaling == Scaling::Standard || !is_counted {
            self.squares += (kind.number(cell) - self.mean()).powi(2);
        }
    }

    /// The standard deviation over `rows` rows; a missing number counts as the mean.
    fn deviation(&self, kind: &CellKind, rows: usize, scaling: Scaling) -> f64 {
        let mean = self.mean();
        let counted = match (scaling, kind) {
            (Scaling::Standard, _) => 0.0,
            (_, CellKind::Indicator(_)) => {
                let ones = self.known - self.zeros;
                ones as f64 * (1.0 - mean).powi(2) + self.zeros as f64 * mean.powi(2)
            }
            _ => self.zeros as f64 * mean.powi(2),
        };
        ((self.squares + counted) / rows as f64).sqrt()
    }

    /// The scale of a column of numbers.
    pub(super) fn scale(
        &self,
        kind: &CellKind,
        rows: usize,
        scaling: Scaling,
        is_sparse: bool,
    ) -> Scale {
        let mean = self.mean();
        let is_constant = self.known == 0 || self.low == self.high;
        let (offset, divisor) = match scaling {
            Scaling::None | Scaling::Untouched => {
                return Scale { mean, deviation: 1.0, offset: Some(0.0) };
            }
            Scaling::Standard => (None, self.deviation(kind, rows, scaling)),
            Scaling::Scale => (Some(0.0), self.deviation(kind, rows, scaling)),
            Scaling::MinMax if is_sparse => (Some(0.0), self.high.abs().max(self.low.abs())),
            Scaling::MinMax => (Some(self.low), self.high - self.low),
        };
        match is_constant {
            true => Scale { mean, deviation: 0.0, offset: offset.map(|_| 0.0) },
            false => Scale { mean, deviation: divisor, offset },
        }
    }

    /// The scales of the values of a nominal column, each of which is 1 in some rows and 0 in the
    /// others.
    pub(super) fn value_scales(&self, rows: usize, scaling: Scaling) -> Vec<Scale> {
        let scale = |&ones: &usize| {
            let mean = ones as f64 / rows as f64;
            let is_constant = ones == 0 || ones == rows;
            let (offset, deviation) = match scaling {
                Scaling::Standard => (None, (mean * (1.0 - mean)).sqrt()),
                Scaling::Scale => (Some(0.0), (mean * (1.0 - mean)).sqrt()),
                Scaling::MinMax => (Some(0.0), if is_constant { 0.0 } else { 1.0 }),
                Scaling::None | Scaling::Untouched => (Some(0.0), 1.0),
            };
            Scale { mean, deviation, offset }
        };
        self.counts.iter().map(scale).collect()
    }
}
