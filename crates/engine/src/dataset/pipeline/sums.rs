//! Sums over the rows that a pipeline is fitted on, in 64 bits.

use super::super::column::Column;
use super::Scale;

/// Sums of one column over the fitted rows.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    known: usize,
    sum: f64,
    squares: f64,
    low: f64,
    high: f64,
    /// How many rows have each value of a nominal column.
    pub(super) counts: Vec<usize>,
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
        Self { known: 0, sum: 0.0, squares: 0.0, low, high, counts }
    }

    pub(super) fn add(&mut self, kind: &CellKind, cell: f32) {
        if cell.is_nan() {
            return;
        }
        if let CellKind::Value = kind {
            self.counts[cell as usize] += 1;
            return;
        }
        let number = kind.number(cell);
        self.known += 1;
        self.sum += number;
        self.low = self.low.min(number);
        self.high = self.high.max(number);
    }

    fn mean(&self) -> f64 {
        self.sum / self.known.max(1) as f64
    }

    pub(super) fn add_square(&mut self, kind: &CellKind, cell: f32) {
        if !cell.is_nan() && !matches!(kind, CellKind::Value) {
            self.squares += (kind.number(cell) - self.mean()).powi(2);
        }
    }

    /// The scale; a missing number counts as the mean, with no deviation.
    pub(super) fn scale(&self, rows: usize) -> Scale {
        let is_constant = self.known == 0 || self.low == self.high;
        let deviation = if is_constant { 0.0 } else { (self.squares / rows as f64).sqrt() };
        Scale { mean: self.mean(), deviation }
    }
}

/// The scale of a column that is 1 in `ones` of `rows` rows and 0 elsewhere.
pub(super) fn share_scale(ones: usize, rows: usize) -> Scale {
    let mean = ones as f64 / rows as f64;
    Scale { mean, deviation: (mean * (1.0 - mean)).sqrt() }
}
