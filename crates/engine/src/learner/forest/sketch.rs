//! Label sets projected onto random directions.
//!
//! The variance of the projections is, up to noise, that of the labels themselves; with some dozens
//! of directions instead of thousands of classes a split is valued in a fraction of the time, and
//! the noise is no harm to trees that are random anyway, each with directions of its own.

use super::rows::ForestRows;
use crate::random::{Draws, unit};

/// A vector for each label set, the mean over all rows taken off.
pub(super) struct Sketch {
    width: usize,
    values: Vec<f32>,
}

impl Sketch {
    /// Projections onto `width` Gaussian directions; if there are no more classes than that, the
    /// labels themselves.
    pub(super) fn new(rows: &ForestRows, width: usize, draws: Draws) -> Self {
        let ForestRows { sets, set_of, classes, .. } = rows;
        let classes = *classes;
        let is_exact = classes <= width;
        let width = width.min(classes);
        let direction = |class: usize, at: usize| match is_exact {
            true => f64::from(u8::from(class == at)),
            false => gaussian(&draws, class as u32, at as u32) / (width as f64).sqrt(),
        };
        let directions: Vec<f64> =
            (0..classes * width).map(|place| direction(place / width, place % width)).collect();
        let mut exact = vec![0.0; sets.len() * width];
        for (set, sums) in exact.chunks_mut(width.max(1)).enumerate() {
            for &class in sets.set(set as u32) {
                let direction = &directions[class as usize * width..][..width];
                sums.iter_mut().zip(direction).for_each(|(sum, value)| *sum += value);
            }
        }
        let mut mean = vec![0.0; width];
        for &set in set_of {
            let values = &exact[set as usize * width..][..width];
            mean.iter_mut().zip(values).for_each(|(mean, value)| *mean += value);
        }
        let rows = set_of.len() as f64;
        let values = exact.iter().enumerate();
        let values =
            values.map(|(place, value)| (value - mean[place % width] / rows) as f32).collect();
        Self { width, values }
    }

    /// The number of directions.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The vector of a label set.
    pub(super) fn of(&self, set: u32) -> &[f32] {
        &self.values[set as usize * self.width..][..self.width]
    }
}

/// A normal number at a place, by Box and Muller.
fn gaussian(draws: &Draws, row: u32, at: u32) -> f64 {
    let [radius, angle, ..] = draws.four(at, row, 0);
    // One minus a number below 1 is not 0.
    let radius = (-2.0 * libm::log(1.0 - f64::from(unit(radius)))).sqrt();
    radius * libm::cos(std::f64::consts::TAU * f64::from(unit(angle)))
}
