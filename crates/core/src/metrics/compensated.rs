//! A sum that does not lose what is small: numbers are added and taken away again many times.

/// A sum with its rounding error (Neumaier).
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(super) struct Compensated {
    sum: f64,
    lost: f64,
}

impl Compensated {
    pub(super) fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        self.lost += if self.sum.abs() >= value.abs() {
            (self.sum - sum) + value
        } else {
            (value - sum) + self.sum
        };
        self.sum = sum;
    }

    pub(super) fn value(self) -> f64 {
        self.sum + self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_can_be_taken_away() {
        let mut sum = Compensated::default();
        for value in [1.0, 1e100, 1.0, -1e100] {
            sum.add(value);
        }
        assert_eq!(sum.value(), 2.0);
    }
}
