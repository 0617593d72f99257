//! L-BFGS (Liu and Nocedal, 1989) that is told values and gradients, so that many minima are sought
//! side by side with one product for all.
//!
//! It takes the steps of L-BFGS-B without bounds: ten pairs of memory, a first step of length 1,
//! curvature pairs that say nothing are left out, and a failed search forgets the memory once.

use std::collections::VecDeque;

use super::line_search::{LineSearch, Next};

/// Pairs of steps and changes of the gradient that are remembered.
const MEMORY: usize = 10;
/// Iterations without a decrease above rounding after which no more is expected.
const STALLED: usize = 20;

/// When a minimum is near enough.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Stopping {
    /// The largest entry of the gradient that is let be.
    pub gradient: f64,
    /// The number of iterations, at most.
    pub iterations: usize,
}

/// A step of the past, the change of the gradient, and one over their product.
#[derive(Clone, PartialEq, Debug)]
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    curvature: f64,
}

#[derive(Clone, PartialEq, Debug)]
enum State {
    Start,
    Searching(LineSearch),
    Finished,
}

/// A search for the minimum of one function.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Minimizer {
    stopping: Stopping,
    point: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    direction: Vec<f64>,
    /// Where the function is wanted.
    trial: Vec<f64>,
    memory: VecDeque<Pair>,
    iterations: usize,
    stalled: usize,
    state: State,
}

impl Minimizer {
    /// Starts at zero.
    pub fn new(size: usize, stopping: Stopping) -> Self {
        Self {
            stopping,
            point: vec![0.0; size],
            value: f64::INFINITY,
            gradient: Vec::new(),
            direction: Vec::new(),
            trial: vec![0.0; size],
            memory: VecDeque::new(),
            iterations: 0,
            stalled: 0,
            state: State::Start,
        }
    }

    /// Whether no more values are wanted.
    pub fn is_finished(&self) -> bool {
        self.state == State::Finished
    }

    /// Where the function and its gradient are wanted.
    pub fn trial(&self) -> &[f64] {
        &self.trial
    }

    /// The best point so far.
    pub fn into_point(self) -> Vec<f64> {
        self.point
    }

    /// The number of iterations done.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Goes on with the function's value and gradient at [`trial`](Self::trial).
    pub fn observe(&mut self, value: f64, gradient: Vec<f64>) {
        match &mut self.state {
            State::Finished => {}
            State::Start => {
                (self.value, self.gradient) = (value, gradient);
                self.go_on(0.0);
            }
            State::Searching(search) => {
                match search.observe(value, dot(&gradient, &self.direction)) {
                    Next::Try(step) => self.try_step(step),
                    Next::Accept => self.accept(value, gradient),
                    Next::Fail => self.forget(),
                }
            }
        }
    }

    fn accept(&mut self, value: f64, gradient: Vec<f64>) {
        let step: Vec<f64> = difference(&self.trial, &self.point);
        let change = difference(&gradient, &self.gradient);
        let expected = -dot(&self.gradient, &step);
        let product = dot(&change, &step);
        if product > f64::EPSILON * expected {
            if self.memory.len() == MEMORY {
                self.memory.pop_front();
            }
            self.memory.push_back(Pair { step, change, curvature: 1.0 / product });
        }
        let decrease = self.value - value;
        self.point.copy_from_slice(&self.trial);
        (self.value, self.gradient) = (value, gradient);
        self.iterations += 1;
        self.go_on(decrease);
    }

    /// Stops or starts the next search, after a decrease.
    fn go_on(&mut self, decrease: f64) {
        let steepest = self.gradient.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
        let rounding = f64::EPSILON * self.value.abs();
        self.stalled = if decrease <= rounding { self.stalled + 1 } else { 0 };
        let is_enough = steepest <= self.stopping.gradient || self.stalled > STALLED;
        if is_enough || self.iterations >= self.stopping.iterations || !self.value.is_finite() {
            self.state = State::Finished;
        } else {
            self.search();
        }
    }

    /// Searches along the quasi-Newton direction.
    fn search(&mut self) {
        self.direction = self.newton_direction();
        let slope = dot(&self.gradient, &self.direction);
        if slope >= 0.0 || !slope.is_finite() {
            return self.forget();
        }
        let step = if self.iterations == 0 {
            1.0 / dot(&self.direction, &self.direction).sqrt()
        } else {
            1.0
        };
        self.state = State::Searching(LineSearch::new(self.value, slope, step));
        self.try_step(step);
    }

    /// Starts again from the gradient alone; ends if that has failed, too.
    fn forget(&mut self) {
        if self.memory.is_empty() {
            self.state = State::Finished;
        } else {
            self.memory.clear();
            self.search();
        }
    }

    fn try_step(&mut self, step: f64) {
        let moved = self.point.iter().zip(&self.direction);
        self.trial.iter_mut().zip(moved).for_each(|(to, (at, along))| *to = at + step * along);
    }

    /// The two loops over the remembered pairs.
    fn newton_direction(&self) -> Vec<f64> {
        let mut direction: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
        let mut shares = Vec::with_capacity(self.memory.len());
        for pair in self.memory.iter().rev() {
            let share = pair.curvature * dot(&pair.step, &direction);
            add(&mut direction, -share, &pair.change);
            shares.push(share);
        }
        if let Some(last) = self.memory.back() {
            let scale = 1.0 / (last.curvature * dot(&last.change, &last.change));
            direction.iter_mut().for_each(|d| *d *= scale);
        }
        for (pair, share) in self.memory.iter().zip(shares.into_iter().rev()) {
            let back = pair.curvature * dot(&pair.change, &direction);
            add(&mut direction, share - back, &pair.step);
        }
        direction
    }
}

/// The sum of the products, in eight interleaved parts that are the same on every machine.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a, b) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in a.0.iter().zip(b.0) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a.1.iter().zip(b.1).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

fn add(to: &mut [f64], share: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += share * what);
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIGHT: Stopping = Stopping { gradient: 1e-10, iterations: 500 };

    fn minimize(
        size: usize,
        stopping: Stopping,
        function: impl Fn(&[f64]) -> (f64, Vec<f64>),
    ) -> Minimizer {
        let mut minimizer = Minimizer::new(size, stopping);
        while !minimizer.is_finished() {
            let (value, gradient) = function(minimizer.trial());
            minimizer.observe(value, gradient);
        }
        minimizer
    }

    /// Rosenbrock's valley: curved, and badly scaled.
    fn valley(at: &[f64]) -> (f64, Vec<f64>) {
        let mut gradient = vec![0.0; at.len()];
        let mut value = 0.0;
        for i in 0..at.len() - 1 {
            let (across, along) = (at[i + 1] - at[i] * at[i], 1.0 - at[i]);
            value += 100.0 * across * across + along * along;
            gradient[i] -= 400.0 * across * at[i] + 2.0 * along;
            gradient[i + 1] += 200.0 * across;
        }
        (value, gradient)
    }

    #[test]
    fn the_bottom_of_a_curved_valley_is_found() {
        let minimizer = minimize(6, TIGHT, valley);
        assert!(minimizer.iterations() < 100, "{}", minimizer.iterations());
        assert!(minimizer.into_point().iter().all(|x| (x - 1.0).abs() < 1e-9));
    }

    #[test]
    fn the_number_of_iterations_is_kept() {
        let stopping = Stopping { iterations: 7, ..TIGHT };
        assert_eq!(minimize(6, stopping, valley).iterations(), 7);
    }

    /// A value far above its changes: differences are rounding long before the gradient is small.
    #[test]
    fn rounding_of_the_value_does_not_end_the_search() {
        let function = |at: &[f64]| {
            let value = 1e6 + (at[0] - 2.0).powi(2) + 10.0 * (at[1] + 1.0).powi(4) + at[1] * at[1];
            (value, vec![2.0 * (at[0] - 2.0), 40.0 * (at[1] + 1.0).powi(3) + 2.0 * at[1]])
        };
        let minimizer = minimize(2, Stopping { gradient: 1e-8, ..TIGHT }, function);
        let (_, gradient) = function(&minimizer.clone().into_point());
        assert!(gradient.iter().all(|g| g.abs() <= 1e-8), "{gradient:?}");
    }

    #[test]
    fn a_function_without_numbers_ends_at_once() {
        let minimizer = minimize(1, TIGHT, |_| (f64::NAN, vec![f64::NAN]));
        assert_eq!(minimizer.into_point(), [0.0]);
    }
}
