//! A pipeline bound to the columns of some data: where each is, and what its cells mean.

use std::collections::HashMap;

use super::super::column::Column;
use super::sums::Reading;
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
    meaning: Meaning,
}

/// What the cells of a column mean to the fitted one.
#[derive(Clone, Debug)]
enum Meaning {
    Number,
    /// A place in the list is this number.
    Numbers([f64; 2]),
    /// A place in the list is this fitted value, if any.
    Values(Vec<Option<usize>>),
}

impl FittedColumn {
    fn bind(&self, column: &Column) -> Option<Meaning> {
        match (self, column.values()) {
            (Self::Number { .. }, None) => Some(Meaning::Number),
            (Self::Number { .. }, Some(_)) => match Reading::of(column) {
                Reading::Indicator(numbers) => Some(Meaning::Numbers(numbers)),
                _ => None,
            },
            (Self::OneHot { .. }, None) => None,
            (Self::OneHot { values: fitted, .. }, Some(values)) => {
                let places: HashMap<&str, usize> =
                    fitted.iter().enumerate().map(|(place, v)| (v.as_str(), place)).collect();
                let values = values.iter().map(|value| places.get(value.as_str()).copied());
                Some(Meaning::Values(values.collect()))
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
    /// If `out` has not [`width`](Self::width) places, or `cells` not one a column.
    pub fn encode(&self, cells: &[f32], out: &mut [f32]) {
        assert_eq!(out.len(), self.width);
        let mut at = 0;
        for step in &self.steps {
            let cell = cells[step.place];
            match (step.fitted, &step.meaning) {
                (FittedColumn::OneHot { scales, .. }, Meaning::Values(values)) => {
                    let hot = values.get(cell as usize).filter(|_| !cell.is_nan()).copied();
                    let hot = hot.flatten();
                    for (place, scale) in scales.iter().enumerate() {
                        out[at + place] = scale.apply(f64::from(u8::from(hot == Some(place))));
                    }
                    at += scales.len();
                }
                (FittedColumn::Number { scale, .. }, Meaning::Numbers(numbers))
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

    /// Counts in `unseen`, which has one place for each fitted column, the values that were never
    /// met in fitting. A place past the end of its column's list is one of them.
    pub(in super::super) fn count_unseen(&self, cells: &[f32], unseen: &mut [u64]) {
        for (step, unseen) in self.steps.iter().zip(unseen) {
            let cell = cells[step.place];
            if let Meaning::Values(values) = &step.meaning
                && !cell.is_nan()
                && values.get(cell as usize).copied().flatten().is_none()
            {
                *unseen += 1;
            }
        }
    }
}
