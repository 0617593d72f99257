//! Rectangles in the unit square, and how the paper moves one into the other.
//!
//! The paper prints no coordinates for its two rectangles, only what they do: R1 starts outside R2
//! and moves in nine uniform steps to its centre; they are apart in steps 1 to 3, touch from step
//! 4 on, R1 is halfway at step 5, and from step 6 at least 65 % of R1 lies in R2. These are ours,
//! chosen so that all of that holds.

use super::super::error::DatasetError;

/// A rectangle, `[low, high)` in both directions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rectangle {
    low: [f32; 2],
    high: [f32; 2],
}

impl Rectangle {
    pub(super) const fn new(low: [f32; 2], high: [f32; 2]) -> Self {
        Self { low, high }
    }

    /// The lower left corner.
    pub fn low(&self) -> [f32; 2] {
        self.low
    }

    /// The upper right corner.
    pub fn high(&self) -> [f32; 2] {
        self.high
    }

    pub(super) fn contains(&self, point: [f32; 2]) -> bool {
        (0..2).all(|axis| self.low[axis] <= point[axis] && point[axis] < self.high[axis])
    }

    #[cfg(test)]
    fn share_in(&self, other: &Self) -> f32 {
        let shares = (0..2).map(|axis| {
            let low = self.low[axis].max(other.low[axis]);
            let high = self.high[axis].min(other.high[axis]);
            (high - low).max(0.0) / (self.high[axis] - self.low[axis])
        });
        shares.product()
    }
}

/// The larger rectangle, which stays.
pub(super) const R2: Rectangle = Rectangle::new([0.445, 0.24], [0.965, 0.76]);

/// The side of the smaller one.
const SIDE: f32 = 0.22;

/// The centre of R1 at step 9, and how far it moves per step.
const CENTRE: [f32; 2] = [0.705, 0.5];
const STEP: f32 = 0.07;

/// How far R1 has moved into R2.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Step(u8);

impl Step {
    /// R1 outside R2, step 1: the second arrangement of the paper's figure.
    pub const OUTSIDE: Self = Self(1);
    /// R1 halfway, step 5: the third arrangement.
    pub const HALFWAY: Self = Self(5);
    /// R1 at the centre of R2, step 9: the first arrangement.
    pub const INSIDE: Self = Self(9);

    /// A step from 1 (outside) to 9 (inside).
    ///
    /// # Errors
    /// [`DatasetError::NoStep`] for any other number.
    pub fn new(step: u8) -> Result<Self, DatasetError> {
        match step {
            1..=9 => Ok(Self(step)),
            _ => Err(DatasetError::NoStep(step)),
        }
    }

    /// The number.
    pub fn number(self) -> u8 {
        self.0
    }

    /// R1 at this step.
    pub(super) fn r1(self) -> Rectangle {
        let x = CENTRE[0] - f32::from(9 - self.0) * STEP;
        let half = SIDE / 2.0;
        Rectangle::new([x - half, CENTRE[1] - half], [x + half, CENTRE[1] + half])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rectangles_do_what_the_paper_says() {
        let share = |step: u8| Step(step).r1().share_in(&R2);
        for step in 1..=9 {
            assert_eq!(Step(step).r1().share_in(&Rectangle::new([0.0; 2], [1.0; 2])), 1.0);
        }
        assert!((1..=3).all(|step| share(step) == 0.0));
        assert!((4..=5).all(|step| 0.0 < share(step) && share(step) < 0.65));
        assert!((6..=9).all(|step| share(step) >= 0.65));
        assert_eq!(share(9), 1.0);
        assert!(Step::new(0).is_err() && Step::new(10).is_err());
    }
}
