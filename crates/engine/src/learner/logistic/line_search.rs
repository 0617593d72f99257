//! The line search of Moré and Thuente (ACM TOMS 20, 1994): a step along a descent direction at which
//! the strong Wolfe conditions hold.
//!
//! The function along the direction is told value by value, so that many searches can be done side
//! by side. The constants are those of L-BFGS-B, whose steps are followed.

/// The share of the first slope by which the function must fall.
const DECREASE: f64 = 1e-3;
/// The share of the first slope that may be left.
const CURVATURE: f64 = 0.9;
/// The relative width of a bracket that is not searched further.
const NARROW: f64 = 0.1;
/// Evaluations after which a search has failed.
const MOST_EVALUATIONS: usize = 50;
/// The longest step.
const LONGEST: f64 = 1e10;
/// The share of an interval to which it has to shrink in two steps.
const SHRINK: f64 = 0.66;
/// Relative differences of values that may be rounding alone.
const ROUNDING: f64 = 1e-13;

/// A step along the direction with the function's value and slope there.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Probe {
    step: f64,
    value: f64,
    slope: f64,
}

impl Probe {
    /// The same for the function less a line.
    fn less(self, line: f64) -> Self {
        Self { value: self.value - self.step * line, slope: self.slope - line, ..self }
    }
}

/// What follows from a value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Next {
    /// The function is wanted at this step.
    Try(f64),
    /// The last step will do.
    Accept,
    /// There is no better step.
    Fail,
}

/// A search that is under way.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct LineSearch {
    start: Probe,
    /// The best step, and the other end of the interval.
    best: Probe,
    other: Probe,
    bracketed: bool,
    /// Whether a step with sufficient decrease and a slope that rises was seen.
    past_minimum: bool,
    widths: [f64; 2],
    bounds: [f64; 2],
    step: f64,
    evaluations: usize,
}

impl LineSearch {
    /// A search that starts at a value with a falling slope, and first wants the function at `step`.
    pub fn new(value: f64, slope: f64, step: f64) -> Self {
        let start = Probe { step: 0.0, value, slope };
        Self {
            start,
            best: start,
            other: start,
            bracketed: false,
            past_minimum: false,
            widths: [LONGEST, 2.0 * LONGEST],
            bounds: [0.0, 5.0 * step],
            step,
            evaluations: 0,
        }
    }

    /// Goes on with the function's value and slope at the step that was wanted.
    pub fn observe(&mut self, value: f64, slope: f64) -> Next {
        self.evaluations += 1;
        let probe = Probe { step: self.step, value, slope };
        let line = DECREASE * self.start.slope;
        let enough = value <= self.start.value + self.step * line;
        let flat = slope.abs() <= -CURVATURE * self.start.slope;
        if enough && flat || self.is_rounding(probe) || self.is_exhausted(probe, enough) {
            return Next::Accept;
        }
        if self.evaluations >= MOST_EVALUATIONS {
            return Next::Fail;
        }
        if !(value.is_finite() && slope.is_finite()) {
            self.step /= 10.0;
            return Next::Try(self.step);
        }
        self.past_minimum |= enough && slope >= 0.0;
        if !self.past_minimum && value <= self.best.value && !enough {
            let (best, other) = (self.best.less(line), self.other.less(line));
            self.step = self.narrow(best, other, probe.less(line));
            self.best = self.best.less(-line);
            self.other = self.other.less(-line);
        } else {
            self.step = self.narrow(self.best, self.other, probe);
        }
        self.keep_in_bounds();
        Next::Try(self.step)
    }

    /// Near a minimum differences of values are rounding, and only slopes can be believed: the
    /// approximate conditions of Hager and Zhang.
    fn is_rounding(&self, probe: Probe) -> bool {
        (probe.value - self.start.value).abs() <= ROUNDING * self.start.value.abs()
            && probe.slope >= CURVATURE * self.start.slope
            && probe.slope <= (2.0 * DECREASE - 1.0) * self.start.slope
    }

    /// Whether nothing better can be found: the bracket is narrow, or the step is the longest.
    fn is_exhausted(&self, probe: Probe, enough: bool) -> bool {
        let [low, high] = self.bounds;
        let at_end = probe.step <= low || probe.step >= high;
        self.bracketed && (at_end || high - low <= NARROW * high)
            || probe.step >= LONGEST && enough && probe.slope <= DECREASE * self.start.slope
    }

    /// Makes the interval smaller by a step inside it, and returns the next one.
    fn narrow(&mut self, best: Probe, other: Probe, at: Probe) -> f64 {
        let next = self.interpolate(best, other, at);
        if at.value > best.value {
            (self.best, self.other) = (best, at);
        } else {
            let other = if at.slope * best.slope < 0.0 { best } else { other };
            (self.best, self.other) = (at, other);
        }
        next
    }

    /// The four cases of the paper, in its order.
    fn interpolate(&mut self, best: Probe, other: Probe, at: Probe) -> f64 {
        if at.value > best.value {
            self.bracketed = true;
            let (cubic, quadratic) = (cubic(best, at), quadratic(best, at));
            if (cubic - best.step).abs() < (quadratic - best.step).abs() {
                return cubic;
            }
            return cubic + (quadratic - cubic) / 2.0;
        }
        let secant = at.step + at.slope / (at.slope - best.slope) * (best.step - at.step);
        let is_further = |a: f64, b: f64| (a - at.step).abs() > (b - at.step).abs();
        if at.slope * best.slope < 0.0 {
            self.bracketed = true;
            let cubic = cubic(at, best);
            return if is_further(cubic, secant) { cubic } else { secant };
        }
        let [low, high] = self.bounds;
        let outwards = if at.step > best.step { high } else { low };
        if at.slope.abs() < best.slope.abs() {
            let cubic = cubic_beyond(at, best).unwrap_or(outwards);
            if !self.bracketed {
                let next = if is_further(cubic, secant) { cubic } else { secant };
                return next.min(high).max(low);
            }
            let next = if is_further(secant, cubic) { cubic } else { secant };
            let limit = at.step + SHRINK * (other.step - at.step);
            return if at.step > best.step { next.min(limit) } else { next.max(limit) };
        }
        if self.bracketed { cubic(at, other) } else { outwards }
    }

    /// Bisects an interval that hardly shrinks, and keeps the step inside its bounds.
    fn keep_in_bounds(&mut self) {
        let (best, other) = (self.best.step, self.other.step);
        if self.bracketed {
            let width = (other - best).abs();
            if width >= SHRINK * self.widths[1] {
                self.step = best + (other - best) / 2.0;
            }
            self.widths = [width, self.widths[0]];
            self.bounds = [best.min(other), best.max(other)];
        } else {
            let beyond = self.step - best;
            self.bounds = [self.step + 1.1 * beyond, self.step + 4.0 * beyond];
        }
        self.step = self.step.clamp(0.0, LONGEST);
        let [low, high] = self.bounds;
        let at_end = self.step <= low || self.step >= high;
        if self.bracketed && (at_end || high - low <= NARROW * high) {
            self.step = best;
        }
    }
}

/// Where the cubic with the values and slopes of both has its minimum.
fn cubic(from: Probe, to: Probe) -> f64 {
    let (root, sum) = root_of_cubic(from, to, f64::NEG_INFINITY);
    from.step + share(from, to, root, sum) * (to.step - from.step)
}

/// As [`cubic`], if the cubic rises towards the far side of `from`, and its minimum is there.
fn cubic_beyond(from: Probe, to: Probe) -> Option<f64> {
    let (root, sum) = root_of_cubic(from, to, 0.0);
    let share = share(from, to, root, sum);
    (share < 0.0 && root != 0.0).then_some(from.step + share * (to.step - from.step))
}

fn share(from: Probe, to: Probe, root: f64, sum: f64) -> f64 {
    (root - from.slope + sum) / (root - from.slope + root + to.slope)
}

/// The root in the formula of the cubic's minimum, of at least `least` under it, and the sum next to
/// it.
fn root_of_cubic(from: Probe, to: Probe, least: f64) -> (f64, f64) {
    let sum = 3.0 * (from.value - to.value) / (to.step - from.step) + from.slope + to.slope;
    let scale = sum.abs().max(from.slope.abs()).max(to.slope.abs());
    let inside = (sum / scale).powi(2) - (from.slope / scale) * (to.slope / scale);
    let root = scale * inside.max(least).sqrt();
    (if to.step < from.step { -root } else { root }, sum)
}

/// Where the parabola with the value and slope of the first and the value of the second has its
/// minimum.
fn quadratic(from: Probe, to: Probe) -> f64 {
    let width = to.step - from.step;
    let fall = (from.value - to.value) / width + from.slope;
    from.step + from.slope / fall / 2.0 * width
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches along a function of one variable, and returns the step and how many values it took.
    fn search(function: impl Fn(f64) -> (f64, f64), first: f64) -> (f64, usize) {
        let (value, slope) = function(0.0);
        let mut search = LineSearch::new(value, slope, first);
        let mut step = first;
        for count in 1.. {
            let (value, slope) = function(step);
            match search.observe(value, slope) {
                Next::Try(next) => step = next,
                Next::Accept => return (step, count),
                Next::Fail => panic!("failed after {count}"),
            }
        }
        unreachable!()
    }

    fn satisfies_wolfe(function: impl Fn(f64) -> (f64, f64), step: f64) -> bool {
        let ((value, slope), (now, there)) = (function(0.0), function(step));
        now <= value + DECREASE * step * slope && there.abs() <= -CURVATURE * slope
    }

    /// The first function of the paper's tests, and others whose minima are far from the first step.
    #[test]
    fn the_strong_wolfe_conditions_hold_from_any_first_step() {
        type Function = fn(f64) -> (f64, f64);
        let functions: [Function; 4] = [
            |a| (-a / (a * a + 2.0), (a * a - 2.0) / (a * a + 2.0).powi(2)),
            |a| ((a - 3.0).powi(2), 2.0 * (a - 3.0)),
            |a| ((a - 1.0).cosh(), (a - 1.0).sinh()),
            |a| (a.exp() - 100.0 * a, a.exp() - 100.0),
        ];
        for function in functions {
            for first in [1e-3, 1e-1, 1.0, 10.0] {
                let (step, count) = search(function, first);
                assert!(satisfies_wolfe(function, step), "{step} from {first}");
                assert!(count < 20, "{count} values from {first}");
            }
        }
    }

    #[test]
    fn values_that_are_not_finite_shorten_the_step() {
        let function =
            |a: f64| if a > 2.0 { (f64::NAN, f64::NAN) } else { (a * (a - 2.0), 2.0 * a - 2.0) };
        let (step, _) = search(function, 100.0);
        assert!(satisfies_wolfe(function, step));
    }

    #[test]
    fn a_function_that_only_rises_is_not_searched_forever() {
        let mut search = LineSearch::new(1.0, -1.0, 1.0);
        let ends = (0..100).any(|_| !matches!(search.observe(2.0, 1.0), Next::Try(_)));
        assert!(ends);
    }
}
