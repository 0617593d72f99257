//! Where a probability crosses one half: marching squares.

use super::{Field, Segment};

/// The line between the regions where a class is predicted and where it is not.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Boundary {
    segments: Vec<Segment>,
}

impl Boundary {
    /// The boundary in a field, from the centres of its outermost cells inwards.
    ///
    /// ```
    /// use rulebound_reproduction::picture::{Boundary, Field};
    /// let rightwards = Field::new(2, vec![0.0, 1.0, 0.0, 1.0])?;
    /// assert_eq!(Boundary::new(&rightwards).segments(), [[[0.5, 0.25], [0.5, 0.75]]]);
    /// # Ok::<(), rulebound_reproduction::picture::BadField>(())
    /// ```
    pub fn new(field: &Field) -> Self {
        let mut segments = Vec::new();
        let side = field.side();
        for row in 1..side {
            for column in 1..side {
                square(field, column, row, &mut segments);
            }
        }
        Self { segments }
    }

    /// Its line segments.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }
}

/// The line segments between four centres, of which this cell's is the upper right.
fn square(field: &Field, column: usize, row: usize, segments: &mut Vec<Segment>) {
    // Around the square: lower left, lower right, upper right, upper left.
    let corners = [(column - 1, row - 1), (column, row - 1), (column, row), (column - 1, row)];
    let above = corners.map(|(column, row)| f64::from(field.value(column, row)) - 0.5);
    let centre = |at: usize| (at as f64 + 0.5) / field.side() as f64;
    let crossings: Vec<[f64; 2]> = (0..4)
        .filter(|&from| (above[from] > 0.0) != (above[(from + 1) % 4] > 0.0))
        .map(|from| {
            let to = (from + 1) % 4;
            let share = above[from] / (above[from] - above[to]);
            let between = |a: usize, b: usize| centre(a) + (centre(b) - centre(a)) * share;
            [between(corners[from].0, corners[to].0), between(corners[from].1, corners[to].1)]
        })
        .collect();
    match crossings[..] {
        [a, b] => segments.push([a, b]),
        // A saddle: the value in the middle decides which corners are connected.
        [a, b, c, d] => {
            let middle: f64 = above.iter().sum();
            match (middle > 0.0) == (above[0] > 0.0) {
                true => segments.extend([[a, b], [c, d]]),
                false => segments.extend([[d, a], [b, c]]),
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boundary(side: usize, value: impl Fn([f32; 2]) -> f32) -> Boundary {
        Boundary::new(&Field::new(side, Field::points(side).map(value).collect()).unwrap())
    }

    #[test]
    fn a_circle_is_found() {
        let distance = |[x, y]: [f64; 2]| (x - 0.5).hypot(y - 0.5);
        let circle = boundary(64, |[x, y]| 0.8 - distance([x.into(), y.into()]) as f32);
        let ends = circle.segments().iter().flatten();
        assert!(ends.clone().all(|&end| (distance(end) - 0.3).abs() < 1e-3));
        let length: f64 =
            circle.segments().iter().map(|[a, b]| (a[0] - b[0]).hypot(a[1] - b[1])).sum();
        assert!((length - 0.6 * std::f64::consts::PI).abs() < 1e-2, "{length}");
    }

    #[test]
    fn where_nothing_changes_there_is_none() {
        assert_eq!(boundary(8, |_| 0.9).segments(), [] as [Segment; 0]);
        // One half is not predicted, and neither is NaN.
        assert_eq!(boundary(8, |[x, _]| if x < 0.5 { 0.5 } else { f32::NAN }).segments().len(), 0);
        assert_eq!(boundary(0, |_| 0.9), Boundary::default());
    }

    #[test]
    fn a_saddle_has_two_lines() {
        let saddle = Field::new(2, vec![1.0, 0.0, 0.0, 1.0]).unwrap();
        assert_eq!(Boundary::new(&saddle).segments().len(), 2);
    }
}
