//! How much smaller the variance of a node becomes when its rows are divided.
//!
//! With S_c the weight of the rows that have class c and n that of all, the sum of squares of a set
//! of rows is SS = Σ_c w_c (S_c − S_c²/n). The first terms of the two parts add up to those of the
//! whole, so a split is worth Q₊/n₊ + Q₋/n₋ − Q/n with Q = Σ_c w_c S_c². When a row moves to the
//! part `yes`, only the terms of its own classes change: a threshold costs as much as a row has
//! labels and not as much as there are classes. Q₋ follows from Q₊ and X = Σ_c w_c T_c S_c, T the
//! sums of the whole: Q₋ = Q − 2X + Q₊.
//!
//! Two kinds of classes need no sums at all: one that all rows of the node have changes nothing, and
//! one that a single row has changes by a constant of that row.

use super::f_test::FTest;
use super::rows::TreeRows;

/// A gain is nothing below this, as a mean over the classes.
const LEAST_GAIN: f64 = 1e-9;

/// The sums of a node, of its rows whose value is known, and of the part that goes to `yes`.
pub(super) struct NodeSums {
    /// Of each class of the data: how many rows have it, then its number here.
    numbers: Vec<u32>,
    present: Vec<u32>,
    /// Of each class that has a number here: twice its weight times that of the part.
    part_of: Vec<f64>,
    /// Its weight times that of the whole, and the same before rows were left out.
    whole_of: Vec<f64>,
    before_of: Vec<f64>,
    /// The classes of the node's rows and twice their weights, row after row.
    classes: Vec<(u32, f64)>,
    rows: Vec<RowSums>,
    whole: Whole,
    part: Part,
    before: Whole,
    is_whole: bool,
}

/// What is needed to move a row.
#[derive(Clone, Copy, Default)]
struct RowSums {
    weight: f64,
    first: u32,
    end: u32,
    /// The weights of its classes, all and those that no other row has.
    own: f64,
    single: f64,
    cross: f64,
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

/// Sums of some rows: their weight; class by class twice the class's weight, and the rows'; what
/// single classes add.
#[derive(Clone, Default)]
pub(super) struct GroupSums {
    weight: f64,
    classes: Vec<(u32, f64, f64)>,
    single: f64,
}

impl NodeSums {
    pub(super) fn new(rows: &TreeRows) -> Self {
        Self {
            numbers: vec![0; rows.weights.len()],
            present: Vec::new(),
            part_of: Vec::new(),
            whole_of: Vec::new(),
            before_of: Vec::new(),
            classes: Vec::new(),
            rows: vec![RowSums::default(); rows.set_of.len()],
            whole: Whole::default(),
            part: Part::default(),
            before: Whole::default(),
            is_whole: true,
        }
    }

    /// Begins with a node of these rows and weights.
    pub(super) fn begin(&mut self, data: &TreeRows, rows: &[(u32, f64)]) {
        const SINGLE: u32 = u32::MAX;
        const NEEDLESS: u32 = u32::MAX - 1;
        self.numbers.fill(0);
        self.present.clear();
        for &class in rows.iter().flat_map(|&(row, _)| data.classes(row)) {
            let count = &mut self.numbers[class as usize];
            if *count == 0 {
                self.present.push(class);
            }
            *count += 1;
        }
        let mut next = 0;
        for &class in &self.present {
            let number = &mut self.numbers[class as usize];
            *number = match *number as usize {
                _ if data.weights[class as usize] == 0.0 => NEEDLESS,
                count if count == rows.len() => NEEDLESS,
                1 => SINGLE,
                _ => {
                    next += 1;
                    next - 1
                }
            };
        }
        self.whole = Whole::default();
        self.whole_of.clear();
        self.whole_of.resize(next as usize, 0.0);
        self.part_of.clear();
        self.part_of.resize(next as usize, 0.0);
        self.classes.clear();
        for &(row, weight) in rows {
            let first = self.classes.len() as u32;
            let (mut own, mut single) = (0.0, 0.0);
            for &class in data.classes(row) {
                let class_weight = data.weights[class as usize];
                match self.numbers[class as usize] {
                    NEEDLESS => continue,
                    SINGLE => single += class_weight,
                    number => {
                        self.classes.push((number, 2.0 * class_weight));
                        self.whole_of[number as usize] += weight * class_weight;
                    }
                }
                own += class_weight;
            }
            self.whole.weight += weight;
            self.whole.linear += weight * own;
            self.whole.squares += weight * weight * single;
            let end = self.classes.len() as u32;
            self.rows[row as usize] = RowSums { weight, first, end, own, single, cross: 0.0 };
        }
        for &class in &self.present {
            let number = self.numbers[class as usize];
            if number < NEEDLESS {
                let sum = self.whole_of[number as usize];
                self.whole.squares += sum * sum / data.weights[class as usize];
            }
        }
        for &(row, _) in rows {
            self.rows[row as usize].cross = self.cross(row);
        }
    }

    /// What a row adds to X for each unit of its weight.
    fn cross(&self, row: u32) -> f64 {
        let row = &self.rows[row as usize];
        let classes = &self.classes[row.first as usize..row.end as usize];
        let sum: f64 = classes.iter().map(|class| self.whole_of[class.0 as usize]).sum();
        sum + row.weight * row.single
    }

    /// Leaves rows out, and empties the part.
    pub(super) fn without(&mut self, rows: impl Iterator<Item = u32>) {
        self.part = Part::default();
        self.part_of.fill(0.0);
        self.before = self.whole;
        self.is_whole = true;
        let mut missing = 0.0;
        for row in rows {
            if self.is_whole {
                self.before_of.clone_from(&self.whole_of);
                self.is_whole = false;
            }
            let RowSums { weight, first, end, own, single, .. } = self.rows[row as usize];
            missing += weight;
            let mut less = 0.0;
            for &(class, twice) in &self.classes[first as usize..end as usize] {
                let sum = &mut self.whole_of[class as usize];
                less += *sum;
                *sum -= weight * (0.5 * twice);
            }
            // With T the sum and o the row's own weights, T² − (T − o)² is o (2T − o).
            self.whole.squares -= weight * (2.0 * less - weight * (own - single) + weight * single);
            self.whole.linear -= weight * own;
        }
        self.whole.weight -= missing;
    }

    /// Takes back in what was left out.
    pub(super) fn restore(&mut self) {
        self.whole = self.before;
        if !self.is_whole {
            std::mem::swap(&mut self.whole_of, &mut self.before_of);
        }
    }

    /// Moves a row to the part.
    #[inline]
    pub(super) fn add(&mut self, row: u32) {
        let RowSums { weight, first, end, own, single, cross } = self.rows[row as usize];
        let classes = &self.classes[first as usize..end as usize];
        // Two sums at a time, because an addition waits for the one before it.
        let (mut sums, mut crosses) = ([0.0; 2], [0.0; 2]);
        let mut pairs = classes.chunks_exact(2);
        let mut move_one = |at: usize, (class, twice): (u32, f64), cross: &mut f64| {
            let part = &mut self.part_of[class as usize];
            sums[at] += *part;
            *part += weight * twice;
            if !self.is_whole {
                *cross += self.whole_of[class as usize];
            }
        };
        for pair in &mut pairs {
            let [first, second] = &mut crosses;
            move_one(0, pair[0], first);
            move_one(1, pair[1], second);
        }
        for &class in pairs.remainder() {
            move_one(0, class, &mut crosses[0]);
        }
        let cross = match self.is_whole {
            true => cross,
            false => crosses[0] + crosses[1] + weight * single,
        };
        self.part.squares += weight * (sums[0] + sums[1] + weight * own);
        self.part.cross += weight * cross;
        self.part.weight += weight;
    }

    /// The sums of these rows.
    pub(super) fn group(&self, rows: impl Iterator<Item = u32>) -> GroupSums {
        let mut group = GroupSums::default();
        for row in rows {
            let RowSums { weight, first, end, single, .. } = self.rows[row as usize];
            group.weight += weight;
            group.single += weight * weight * single;
            let classes = &self.classes[first as usize..end as usize];
            group.classes.extend(classes.iter().map(|&(class, twice)| (class, twice, weight)));
        }
        group.classes.sort_by_key(|class| class.0);
        group.classes.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.2 += next.2;
            }
            is_same
        });
        group
    }

    /// The part with a group.
    pub(super) fn with(&self, group: &GroupSums) -> Part {
        let mut part = self.part;
        part.weight += group.weight;
        part.squares += group.single;
        part.cross += group.single;
        for &(class, twice, weight) in &group.classes {
            part.squares += weight * (self.part_of[class as usize] + weight * twice / 2.0);
            part.cross += weight * self.whole_of[class as usize];
        }
        part
    }

    /// Moves a group to the part, which is then `part`.
    pub(super) fn extend(&mut self, part: Part, group: &GroupSums) {
        for &(class, twice, weight) in &group.classes {
            self.part_of[class as usize] += weight * twice;
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
