//! How much smaller the variance of a node becomes when its rows are divided.
//!
//! With S_c the weight of the rows that have class c and n that of all, the sum of squares of a set
//! of rows is SS = Σ_c w_c (S_c − S_c²/n). The first terms of the two parts add up to those of the
//! whole, so a split is worth Q₊/n₊ + Q₋/n₋ − Q/n with Q = Σ_c w_c S_c². When a row moves to the
//! part `yes`, only the terms of its own classes change: that is why a threshold costs as much as a
//! row has labels and not as much as there are classes. Q₋ follows from Q₊ and X = Σ_c w_c T_c S_c,
//! T the sums of the whole: Q₋ = Q − 2X + Q₊.

use super::f_test::FTest;

/// A gain is nothing below this, as a mean over the classes.
const LEAST_GAIN: f64 = 1e-9;

/// Sums of a class: of the part `yes` and, times the class's weight, of the whole.
#[derive(Clone, Copy, Default)]
struct Sums {
    part: f64,
    whole: f64,
    weight: f64,
}

/// The sums of a node and of the part of it that goes to `yes`.
pub(super) struct NodeSums {
    classes: Vec<Sums>,
    /// Those of which the whole has some.
    present: Vec<u32>,
    whole: Whole,
    part: Part,
}

/// What is known of the rows that are divided.
#[derive(Clone, Copy, Default)]
struct Whole {
    weight: f64,
    squares: f64,
    linear: f64,
}

/// What is known of the part that goes to `yes`.
#[derive(Clone, Copy, Default)]
pub(super) struct Part {
    pub(super) weight: f64,
    squares: f64,
    cross: f64,
}

impl NodeSums {
    pub(super) fn new(weights: &[f64]) -> Self {
        let classes = weights.iter().map(|&weight| Sums { weight, ..Sums::default() }).collect();
        Self { classes, present: Vec::new(), whole: Whole::default(), part: Part::default() }
    }

    /// Begins with a node of these rows: their weights and classes.
    pub(super) fn begin<'r>(&mut self, rows: impl Iterator<Item = (f64, &'r [u32])>) {
        for class in self.present.drain(..) {
            self.classes[class as usize].whole = 0.0;
        }
        self.whole = Whole::default();
        for (weight, classes) in rows {
            self.whole.weight += weight;
            for &class in classes {
                let sums = &mut self.classes[class as usize];
                if sums.whole == 0.0 && sums.weight > 0.0 {
                    self.present.push(class);
                }
                sums.whole += weight * sums.weight;
            }
        }
        for &class in &self.present {
            let sums = &self.classes[class as usize];
            self.whole.squares += sums.whole * sums.whole / sums.weight;
            self.whole.linear += sums.whole;
        }
    }

    /// Leaves out rows, or takes them back in.
    pub(super) fn without<'r>(&mut self, rows: impl Iterator<Item = (f64, &'r [u32])>) -> LeftOut {
        let left = LeftOut { whole: self.whole, sums: Vec::new() };
        let mut left = left;
        let mut missing = 0.0;
        for (weight, classes) in rows {
            missing += weight;
            for &class in classes {
                let sums = &mut self.classes[class as usize];
                left.sums.push((class, sums.whole));
                let less = sums.whole - weight * sums.weight;
                if sums.weight > 0.0 {
                    self.whole.squares += (less * less - sums.whole * sums.whole) / sums.weight;
                    self.whole.linear -= weight * sums.weight;
                }
                sums.whole = less;
            }
        }
        self.whole.weight -= missing;
        left
    }

    /// Takes back in what was left out.
    pub(super) fn restore(&mut self, left: LeftOut) {
        self.whole = left.whole;
        for &(class, whole) in left.sums.iter().rev() {
            self.classes[class as usize].whole = whole;
        }
    }

    /// Empties the part.
    pub(super) fn empty(&mut self) {
        self.part = Part::default();
        for &class in &self.present {
            self.classes[class as usize].part = 0.0;
        }
    }

    /// Moves a row with this weight and these classes to the part.
    #[inline]
    pub(super) fn add(&mut self, weight: f64, classes: &[u32]) {
        let (mut squares, mut cross) = (0.0, 0.0);
        for &class in classes {
            let sums = &mut self.classes[class as usize];
            squares += sums.weight * (2.0 * sums.part + weight);
            cross += sums.whole;
            sums.part += weight;
        }
        self.part.squares += squares * weight;
        self.part.cross += cross * weight;
        self.part.weight += weight;
    }

    /// The part with more rows: their weight, and that of each class among them.
    pub(super) fn with(&self, weight: f64, classes: &[(u32, f64)]) -> Part {
        let mut part = self.part;
        for &(class, count) in classes {
            let sums = &self.classes[class as usize];
            part.squares += sums.weight * count * (2.0 * sums.part + count);
            part.cross += sums.whole * count;
        }
        part.weight += weight;
        part
    }

    /// Moves more rows to the part, which is then `part`.
    pub(super) fn extend(&mut self, part: Part, classes: &[(u32, f64)]) {
        for &(class, count) in classes {
            self.classes[class as usize].part += count;
        }
        self.part = part;
    }

    /// The part.
    pub(super) fn part(&self) -> Part {
        self.part
    }

    /// The weight of the rows that are divided.
    pub(super) fn weight(&self) -> f64 {
        self.whole.weight
    }

    /// What dividing off this part is worth, as a mean over `counted` classes; `None` if a side is
    /// too small, or it is worth nothing or fails the test.
    #[inline]
    pub(super) fn gain(&self, part: Part, least: f64, counted: f64, test: &FTest) -> Option<f64> {
        let other = self.whole.weight - part.weight;
        if part.weight < least || other < least {
            return None;
        }
        let squares = self.whole.squares - 2.0 * part.cross + part.squares;
        let before = self.whole.squares / self.whole.weight;
        let gain = (part.squares / part.weight + squares / other - before) / counted;
        if gain < LEAST_GAIN {
            return None;
        }
        let before = (self.whole.linear - before) / counted;
        test.passes(self.whole.weight, before, before - gain).then_some(gain)
    }
}

/// What was left out of a node.
pub(super) struct LeftOut {
    whole: Whole,
    sums: Vec<(u32, f64)>,
}
