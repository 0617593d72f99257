//! The probability of a class over the unit square.

use super::colour::{palette, shade};
use super::raster::Raster;

/// Probabilities at the centres of `side × side` cells, from the lowest row up, left to right.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    side: usize,
    values: Vec<f32>,
}

/// Values that do not fill a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a field of side {side} has {} values, not {found}", .side * .side)]
pub struct BadField {
    /// Cells in each direction.
    pub side: usize,
    /// The number of values given.
    pub found: usize,
}

impl Field {
    /// A field of values in the order of [`points`](Self::points).
    ///
    /// ```
    /// use rulebound_reproduction::picture::Field;
    /// let rising = Field::new(2, Field::points(2).map(|[_, y]| y).collect())?;
    /// assert_eq!(rising.value(0, 1), 0.75);
    /// # Ok::<(), rulebound_reproduction::picture::BadField>(())
    /// ```
    ///
    /// # Errors
    /// If there is not one value per cell.
    pub fn new(side: usize, values: Vec<f32>) -> Result<Self, BadField> {
        if side.checked_mul(side) != Some(values.len()) {
            return Err(BadField { side, found: values.len() });
        }
        Ok(Self { side, values })
    }

    /// The centres of the cells of a field.
    pub fn points(side: usize) -> impl Iterator<Item = [f32; 2]> {
        let centre = move |at: usize| ((at as f64 + 0.5) / side as f64) as f32;
        (0..side).flat_map(move |row| (0..side).map(move |column| [centre(column), centre(row)]))
    }

    /// Cells in each direction.
    pub fn side(&self) -> usize {
        self.side
    }

    /// The value of a cell, the lowest row first.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn value(&self, column: usize, row: usize) -> f32 {
        assert!(column < self.side, "column {column} of {}", self.side);
        self.values[row * self.side + column]
    }

    /// The field in colours: one pixel per cell, the highest row first.
    pub fn raster(&self) -> Raster {
        let rows = self.values.chunks(self.side.max(1)).rev();
        let pixels = rows.flatten().map(|&value| shade(value)).collect();
        Raster::new(self.side, self.side, palette().to_vec(), pixels)
    }
}

#[cfg(test)]
mod tests {
    use super::super::of_probability;
    use super::*;

    #[test]
    fn pixels_have_the_colours_of_their_places() {
        let field = Field::new(2, vec![0.1, 0.2, 0.7, 0.9]).unwrap();
        let raster = field.raster();
        // The first values are the lowest row, and the lowest row of a picture is its last.
        assert_eq!(raster.colour(0, 0), of_probability(0.7));
        assert_eq!(raster.colour(1, 0), of_probability(0.9));
        assert_eq!(raster.colour(0, 1), of_probability(0.1));
        assert_eq!(raster.colour(1, 1), of_probability(0.2));
    }

    #[test]
    fn points_are_centres() {
        let points: Vec<_> = Field::points(2).collect();
        assert_eq!(points, [[0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75]]);
    }

    #[test]
    fn a_field_is_a_square() {
        assert_eq!(Field::new(3, vec![0.0; 8]), Err(BadField { side: 3, found: 8 }));
        assert!(Field::new(usize::MAX, vec![]).is_err());
        assert!(Field::new(0, vec![]).unwrap().raster().colours().is_empty());
    }
}
