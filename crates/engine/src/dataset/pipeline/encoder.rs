//! A pipeline bound to the columns of some data: where each is, and how its cells are encoded.

use std::collections::HashMap;

use super::super::column::Column;
use super::sums::CellKind;
use super::{FittedColumn, Pipeline, PipelineError};

/// A pipeline bound to the columns of some data.
#[derive(Clone, Debug)]
pub struct Encoder<'a> {
    steps: Vec<EncoderStep<'a>>,
    width: usize,
}

#[derive(Clone, Debug)]
struct EncoderStep<'a> {
    fitted: &'a FittedColumn,
    place: usize,
    meaning: CellMapping,
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
            (Self::Number { .. }, None) => Some(CellMapping::Number),
            (Self::Number { .. }, Some(_)) => match CellKind::new(column) {
                CellKind::Indicator(numbers) => Some(CellMapping::Numbers(numbers)),
                _ => None,
            },
            (Self::OneHot { .. }, None) => None,
            (Self::OneHot { values: fitted, .. }, Some(values)) => {
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
        for fitted in &pipeline.columns {
            let Some(&place) = places.get(fitted.name()) else {
                missing.push(fitted.name().to_owned());
                continue;
            };
            match fitted.bind(&columns[place]) {
                Some(meaning) => steps.push(EncoderStep { fitted, place, meaning }),
                None => wrong.push(fitted.name().to_owned()),
            }
        }
        if !missing.is_empty() {
            return Err(PipelineError::MissingColumns { names: missing });
        }
        if !wrong.is_empty() {
            return Err(PipelineError::WrongKind { names: wrong });
        }
        Ok(Self { steps, width: pipeline.width() })
    }

    /// How many cells an encoded row has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Encodes one row.
    ///
    /// # Panics
    /// If the length of `out` is not [`width`](Self::width), or `cells` does not have one cell per
    /// column.
    pub fn encode(&self, cells: &[f32], out: &mut [f32]) {
        assert_eq!(out.len(), self.width);
        let mut at = 0;
        for step in &self.steps {
            let cell = cells[step.place];
            match (step.fitted, &step.meaning) {
                (FittedColumn::OneHot { scales, .. }, CellMapping::Values(values)) => {
                    let hot = values.get(cell as usize).filter(|_| !cell.is_nan()).copied();
                    let hot = hot.flatten();
                    for (place, scale) in scales.iter().enumerate() {
                        out[at + place] = scale.apply(f64::from(u8::from(hot == Some(place))));
                    }
                    at += scales.len();
                }
                (FittedColumn::Number { scale, .. }, CellMapping::Numbers(numbers))
                    if !cell.is_nan() =>
                {
                    out[at] = scale.apply(numbers[cell as usize]);
                    at += 1;
                }
                (FittedColumn::Number { scale, .. }, _) => {
                    out[at] = scale.apply(f64::from(cell));
                    at += 1;
                }
                (FittedColumn::OneHot { .. }, _) => {}
            }
        }
    }

    /// Counts values that did not occur in fitting in `unseen`, which has one entry per fitted
    /// column. An index past the end of its column's list is one of them.
    pub(in super::super) fn count_unseen(&self, cells: &[f32], unseen: &mut [u64]) {
        for (step, unseen) in self.steps.iter().zip(unseen) {
            let cell = cells[step.place];
            if let CellMapping::Values(values) = &step.meaning
                && !cell.is_nan()
                && values.get(cell as usize).copied().flatten().is_none()
            {
                *unseen += 1;
            }
        }
    }
}
