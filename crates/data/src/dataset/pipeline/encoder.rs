//! A pipeline bound to the columns of some data: where each is, and how its cells are encoded.

use std::collections::HashMap;

use super::super::column::Column;
use super::range::ANYTHING;
use super::sums::CellKind;
use super::unusual::{ColumnCounts, Familiarity, UnusualCounts};
use super::{FittedColumn, FittedRange, OutOfRange, Pipeline, PipelineError, Unseen, UnusualCells};
use rulebound_io::features::FeatureRow;

/// A pipeline bound to the columns of some data.
#[derive(Clone, Debug)]
pub struct Encoder<'a> {
    steps: Vec<EncoderStep<'a>>,
    width: usize,
    /// For each column of the data, the step that encodes it, if there is one.
    step_of: Vec<Option<u32>>,
    /// What cells that are 0 become, where that is not 0, in the order of encoded columns.
    absent: Vec<Absent>,
    /// The columns of the data where 0 is unusual.
    unusual_zeros: Vec<u32>,
    /// Of each fitted column.
    ranges: Vec<Option<FittedRange>>,
}

/// An encoded cell of a column whose cell is 0.
#[derive(Clone, Copy, Debug)]
struct Absent {
    /// The column of the data.
    place: u32,
    encoded: usize,
    value: f32,
}

#[derive(Clone, Debug)]
struct EncoderStep<'a> {
    fitted: &'a FittedColumn,
    place: usize,
    /// The first encoded column.
    start: usize,
    meaning: CellMapping,
    /// What is below or above is far outside of what the column was fitted on.
    limits: [f32; 2],
}

impl EncoderStep<'_> {
    /// What a cell is to the fitted column. An index past the end of its column's list is a word that did
    /// not occur in fitting.
    fn familiarity(&self, cell: f32) -> Familiarity {
        match &self.meaning {
            CellMapping::Number if cell < self.limits[0] || cell > self.limits[1] => {
                Familiarity::OutOfRange
            }
            CellMapping::Values(values)
                if !cell.is_nan() && values.get(cell as usize).copied().flatten().is_none() =>
            {
                Familiarity::Unseen
            }
            _ => Familiarity::Known,
        }
    }

    /// Encodes a cell into the encoded columns of the step.
    fn encode(&self, cell: f32, out: &mut [f32]) {
        match (self.fitted, &self.meaning) {
            (FittedColumn::OneHot { scales, .. }, CellMapping::Values(values)) => {
                let hot = values.get(cell as usize).filter(|_| !cell.is_nan()).copied();
                let hot = hot.flatten();
                for (place, scale) in scales.iter().enumerate() {
                    out[place] = scale.apply(f64::from(u8::from(hot == Some(place))));
                }
            }
            (FittedColumn::Number { scale, .. }, CellMapping::Numbers(numbers))
                if !cell.is_nan() =>
            {
                out[0] = scale.apply(numbers[cell as usize]);
            }
            (FittedColumn::Number { scale, .. }, _) => out[0] = scale.apply(f64::from(cell)),
            (FittedColumn::Untouched { .. }, CellMapping::Values(values)) => {
                let code = values.get(cell as usize).filter(|_| !cell.is_nan()).copied().flatten();
                out[0] = code.map_or(f32::NAN, |code| code as f32);
            }
            (FittedColumn::Untouched { .. }, _) => out[0] = cell,
            (FittedColumn::OneHot { .. }, _) => {}
        }
    }
}

/// How the cells of a column map to those of the fitted column.
#[derive(Clone, Debug)]
enum CellMapping {
    Number,
    /// The number for each index.
    Numbers([f64; 2]),
    /// The fitted value for each index, if there is one.
    Values(Vec<Option<usize>>),
}

impl FittedColumn {
    fn bind(&self, column: &Column) -> Option<CellMapping> {
        match (self, column.values()) {
            (Self::Number { .. } | Self::Untouched { values: None, .. }, None) => {
                Some(CellMapping::Number)
            }
            (Self::Number { .. }, Some(_)) => match CellKind::new(column) {
                CellKind::Indicator(numbers) => Some(CellMapping::Numbers(numbers)),
                _ => None,
            },
            (Self::OneHot { .. } | Self::Untouched { values: Some(_), .. }, None)
            | (Self::Untouched { values: None, .. }, Some(_)) => None,
            (
                Self::OneHot { values: fitted, .. } | Self::Untouched { values: Some(fitted), .. },
                Some(values),
            ) => {
                let places: HashMap<&str, usize> =
                    fitted.iter().enumerate().map(|(place, v)| (v.as_str(), place)).collect();
                let values = values.iter().map(|value| places.get(value.as_str()).copied());
                Some(CellMapping::Values(values.collect()))
            }
        }
    }
}

impl<'a> Encoder<'a> {
    /// Finds the fitted columns among `columns`, by name.
    pub(super) fn bind(pipeline: &'a Pipeline, columns: &[Column]) -> Result<Self, PipelineError> {
        let places: HashMap<&str, usize> =
            columns.iter().enumerate().map(|(place, c)| (c.name.as_str(), place)).collect();
        let mut missing = Vec::new();
        let mut wrong = Vec::new();
        let mut steps = Vec::with_capacity(pipeline.columns.len());
        let mut start = 0;
        for (fitted, range) in pipeline.columns.iter().zip(pipeline.ranges()) {
            let limits = range.map_or(ANYTHING, FittedRange::limits);
            let Some(&place) = places.get(fitted.name()) else {
                missing.push(fitted.name().to_owned());
                continue;
            };
            match fitted.bind(&columns[place]) {
                Some(meaning) => steps.push(EncoderStep { fitted, place, start, meaning, limits }),
                None => wrong.push(fitted.name().to_owned()),
            }
            start += fitted.width();
        }
        if !missing.is_empty() {
            return Err(PipelineError::MissingColumns { names: missing });
        }
        if !wrong.is_empty() {
            return Err(PipelineError::WrongKind { names: wrong });
        }
        let mut step_of = vec![None; columns.len()];
        let mut absent = Vec::new();
        let mut cells = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            step_of[step.place] = Some(index as u32);
            cells.clear();
            cells.resize(step.fitted.width(), 0.0);
            step.encode(0.0, &mut cells);
            let encoded = cells.iter().enumerate().filter(|(_, value)| value.to_bits() != 0);
            absent.extend(encoded.map(|(at, &value)| Absent {
                place: step.place as u32,
                encoded: step.start + at,
                value,
            }));
        }
        let is_unusual = |step: &&EncoderStep<'_>| step.familiarity(0.0) != Familiarity::Known;
        let unusual_zeros = steps.iter().filter(is_unusual).map(|step| step.place as u32).collect();
        let ranges = pipeline.ranges().collect();
        Ok(Self { steps, width: start, step_of, absent, unusual_zeros, ranges })
    }

    /// Whether nine of ten encoded cells of zeros are zeros.
    pub(super) fn keeps_zeros(&self) -> bool {
        self.absent.len() <= self.width / 10
    }

    /// How many cells an encoded row has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Encodes one row, dense or sparse.
    ///
    /// # Panics
    /// If the length of `out` is not [`width`](Self::width), or `cells` does not have one cell per
    /// column.
    pub fn encode<'r>(&self, cells: impl Into<FeatureRow<'r>>, out: &mut [f32]) {
        assert_eq!(out.len(), self.width);
        match cells.into() {
            FeatureRow::Dense(cells) => {
                for step in &self.steps {
                    let out = &mut out[step.start..][..step.fitted.width()];
                    step.encode(cells[step.place], out);
                }
            }
            sparse => {
                out.fill(0.0);
                self.absent.iter().for_each(|absent| out[absent.encoded] = absent.value);
                for (step, cell) in self.listed(sparse) {
                    step.encode(cell, &mut out[step.start..][..step.fitted.width()]);
                }
            }
        }
    }

    /// Encodes one row to the cells that are not 0, with ascending columns.
    ///
    /// # Panics
    /// If the row does not have one cell per column.
    pub(super) fn encode_sparse(&self, row: FeatureRow<'_>, out: &mut Vec<(usize, f32)>) {
        out.clear();
        let mut encoded = Vec::new();
        for (step, cell) in self.listed(row) {
            encoded.clear();
            encoded.resize(step.fitted.width(), 0.0);
            step.encode(cell, &mut encoded);
            let cells = encoded.iter().enumerate().filter(|(_, value)| value.to_bits() != 0);
            out.extend(cells.map(|(at, &value)| (step.start + at, value)));
        }
        if let FeatureRow::Sparse { columns, .. } = row {
            let is_absent = |absent: &&Absent| columns.binary_search(&absent.place).is_err();
            let absent = self.absent.iter().filter(is_absent);
            out.extend(absent.map(|absent| (absent.encoded, absent.value)));
        }
        if !out.is_sorted_by_key(|(column, _)| *column) {
            out.sort_unstable_by_key(|(column, _)| *column);
        }
    }

    /// The stored cells of a row that are encoded, with their steps.
    fn listed<'r>(
        &'r self,
        row: FeatureRow<'r>,
    ) -> impl Iterator<Item = (&'r EncoderStep<'a>, f32)> {
        assert_eq!(row.len(), self.step_of.len());
        row.stored().filter_map(|(place, cell)| {
            let step = self.step_of[place]? as usize;
            Some((&self.steps[step], cell))
        })
    }

    /// Counts the cells of a row that training saw nothing like.
    pub(in super::super) fn count_unusual<'r>(
        &self,
        row: impl Into<FeatureRow<'r>>,
        counts: &mut UnusualCounts,
    ) {
        counts.columns.resize(self.steps.len(), ColumnCounts::default());
        let mut is_out = false;
        match row.into() {
            FeatureRow::Dense(cells) => {
                for (step, column) in self.steps.iter().zip(&mut counts.columns) {
                    let cell = cells[step.place];
                    is_out |= column.add(step.familiarity(cell), cell);
                }
            }
            sparse => {
                for (place, cell) in sparse.stored() {
                    let Some(step) = self.step_of[place].map(|step| step as usize) else {
                        continue;
                    };
                    is_out |= counts.columns[step].add(self.steps[step].familiarity(cell), cell);
                }
                let FeatureRow::Sparse { columns, .. } = sparse else { return };
                let absent = |place: &&u32| columns.binary_search(place).is_err();
                for &place in self.unusual_zeros.iter().filter(absent) {
                    let Some(step) = self.step_of[place as usize].map(|step| step as usize) else {
                        continue;
                    };
                    is_out |= counts.columns[step].add(self.steps[step].familiarity(0.0), 0.0);
                }
            }
        }
        counts.rows += 1;
        counts.rows_out_of_range += u64::from(is_out);
    }

    /// What was counted, with the names of the columns.
    pub(in super::super) fn unusual(&self, counts: &UnusualCounts) -> UnusualCells {
        let mut found = UnusualCells {
            rows: counts.rows,
            out_of_range_rows: counts.rows_out_of_range,
            ..UnusualCells::default()
        };
        for ((step, range), counts) in self.steps.iter().zip(&self.ranges).zip(&counts.columns) {
            let column = step.fitted.name().to_owned();
            if counts.unseen > 0 {
                found.unseen.push(Unseen { column, cells: counts.unseen });
            } else if let (Some(fitted), true) = (*range, counts.out_of_range > 0) {
                let [low, high] = [counts.low, counts.high].map(f64::from);
                let found_range = FittedRange { low, high };
                let cells = counts.out_of_range;
                found.out_of_range.push(OutOfRange { column, cells, fitted, found: found_range });
            }
        }
        found.out_of_range.sort_by_key(|column| std::cmp::Reverse(column.cells));
        found
    }
}
