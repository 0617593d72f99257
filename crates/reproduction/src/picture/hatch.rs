//! Hatching: regions marked by lines across them.

use super::Segment;

/// Diagonal lines over the marked cells of the unit square.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Hatch {
    segments: Vec<Segment>,
}

impl Hatch {
    /// Lines over the marked cells of a square, in the order of
    /// [`Field::points`](super::Field::points), `apart` cells from each other.
    ///
    /// # Panics
    /// If there is not one mark per cell.
    pub fn new(side: usize, marked: &[bool], apart: usize) -> Self {
        assert_eq!(marked.len(), side * side, "one mark per cell");
        let edge = |at: usize| at as f64 / side as f64;
        let mut segments = Vec::new();
        // The cells of a line have the same sum of column and row.
        for sum in (0..(2 * side).saturating_sub(1)).step_by(apart.max(1)) {
            let first = sum.saturating_sub(side - 1);
            let last = sum.min(side - 1);
            let mut start = None;
            for column in first..=last + 1 {
                let is_marked = column <= last && marked[(sum - column) * side + column];
                match (is_marked, start) {
                    (true, None) => start = Some(column),
                    (false, Some(from)) => {
                        // From the upper left corner of the first to the lower right of the last.
                        let high = edge(sum - from + 1);
                        segments.push([[edge(from), high], [edge(column), edge(sum + 1 - column)]]);
                        start = None;
                    }
                    _ => {}
                }
            }
        }
        Self { segments }
    }

    /// Its lines.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_cross_marked_cells_only() {
        // The lower left cell of four.
        let hatch = Hatch::new(2, &[true, false, false, false], 1);
        assert_eq!(hatch.segments(), [[[0.0, 0.5], [0.5, 0.0]]]);
        // The upper row.
        let hatch = Hatch::new(2, &[false, false, true, true], 1);
        assert_eq!(hatch.segments(), [[[0.0, 1.0], [0.5, 0.5]], [[0.5, 1.0], [1.0, 0.5]]]);
    }

    #[test]
    fn a_line_goes_on_as_long_as_cells_are_marked() {
        let hatch = Hatch::new(4, &[true; 16], 3);
        assert_eq!(
            hatch.segments(),
            [[[0.0, 0.25], [0.25, 0.0]], [[0.0, 1.0], [1.0, 0.0]], [[0.75, 1.0], [1.0, 0.75]],]
        );
        assert_eq!(Hatch::new(0, &[], 1), Hatch::default());
        assert_eq!(Hatch::new(3, &[false; 9], 1), Hatch::default());
    }
}
