//! An axis: a range of numbers with ticks at round ones.

/// The range of an axis, and its ticks.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Axis {
    /// The smallest number shown.
    pub low: f64,
    /// The largest number shown.
    pub high: f64,
    /// The distance between ticks: 1, 2 or 5 times a power of ten.
    step: f64,
}

impl Axis {
    /// An axis that shows all these finite numbers, with about this many ticks.
    pub fn covering(numbers: impl Iterator<Item = f64>, ticks: usize) -> Self {
        let bounds = numbers.filter(|number| number.is_finite()).fold(None, |bounds, number| {
            let (low, high) = bounds.unwrap_or((number, number));
            Some((number.min(low), number.max(high)))
        });
        let (mut low, mut high) = bounds.unwrap_or((0.0, 1.0));
        // A single number goes in the middle.
        if high - low <= 1e-9 * high.abs().max(1e-3) {
            let room = (0.05 * high.abs()).max(0.05);
            // If no number is negative, the axis does not extend below zero.
            (low, high) = (if low < 0.0 { low - room } else { (low - room).max(0.0) }, high + room);
        }
        let step = round_step((high - low) / ticks.max(1) as f64);
        let outwards = |number: f64| number / step;
        Self {
            low: (outwards(low) + 1e-9).floor() * step,
            high: (outwards(high) - 1e-9).ceil() * step,
            step,
        }
    }

    /// An axis with these ends and a tick at every integer.
    pub fn whole(low: f64, high: f64) -> Self {
        Self { low: low - 0.5, high: high + 0.5, step: 1.0 }
    }

    /// The position of a number between the ends, from 0 to 1.
    pub fn share(&self, number: f64) -> f64 {
        (number - self.low) / (self.high - self.low)
    }

    /// The ticks with their labels.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let decimals = (-(self.step.log10() + 1e-9).floor()).max(0.0) as usize;
        let (first, last) =
            ((self.low / self.step - 1e-9).ceil(), (self.high / self.step + 1e-9).floor());
        let count = (last - first).clamp(0.0, 100.0) as usize;
        let tick = |at: usize| {
            let number = (first + at as f64) * self.step;
            (number, fixed(number, decimals))
        };
        (0..=count).map(tick).collect()
    }
}

/// A number with a fixed number of decimals and a real minus sign; never a negative zero.
pub fn fixed(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    match text.strip_prefix('-') {
        Some(size) if size.chars().any(|digit| ('1'..='9').contains(&digit)) => format!("−{size}"),
        Some(size) => size.to_owned(),
        None => text,
    }
}

/// The nearest of 1, 2 and 5 times a power of ten, on a logarithmic scale.
fn round_step(wanted: f64) -> f64 {
    let power = 10f64.powf(wanted.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| 1.45 * factor * power >= wanted);
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(numbers: &[f64], ticks: usize) -> Vec<String> {
        let axis = Axis::covering(numbers.iter().copied(), ticks);
        axis.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(&[0.912, 0.987], 4), ["0.90", "0.92", "0.94", "0.96", "0.98", "1.00"]);
        assert_eq!(labels(&[1.0, 237.0], 5), ["0", "50", "100", "150", "200", "250"]);
        assert_eq!(labels(&[-0.31, -0.3], 2), ["−0.310", "−0.305", "−0.300"]);
        assert_eq!(labels(&[0.0, 0.0], 2), ["0.00", "0.02", "0.04", "0.06"]);
        assert_eq!(labels(&[-1.0], 2), ["−1.05", "−1.00", "−0.95"]);
        assert_eq!(labels(&[], 2), ["0.0", "0.5", "1.0"]);
    }

    #[test]
    fn numbers_have_their_places() {
        let axis = Axis::covering([0.0, 1.0].into_iter(), 5);
        assert_eq!((axis.share(0.0), axis.share(0.25), axis.share(1.0)), (0.0, 0.25, 1.0));
        assert_eq!(Axis::whole(1.0, 9.0).ticks().len(), 9);
        let one = Axis::covering([f64::NAN, 2.0, f64::INFINITY].into_iter(), 2);
        assert!((one.share(2.0) - 0.5).abs() < 1e-9);
    }
}
