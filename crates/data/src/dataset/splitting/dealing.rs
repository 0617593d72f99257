//! Iterative stratification: deals units to parts of given sizes, the rarest class first.
//!
//! A part wants as many rows of a class as its share of all rows, times the rows of the class. The unit
//! goes to the part that still wants most of the class; ties go to the part that still wants most rows,
//! then to the first. A part that is full takes nothing more, so that sizes are exact; only a group may
//! overfill a part, and then the one with most room left.

use std::collections::BTreeSet;

use super::super::labels::matrix::LabelMatrix;
use super::units::Units;
use rulebound_io::random::{Draws, Purpose};

/// The part of each unit; part `p` gets `sizes[p]` rows. Classes count only if `labels` is given.
pub(super) fn deal(
    units: &Units,
    labels: Option<&LabelMatrix>,
    sizes: &[usize],
    seed: u64,
) -> Vec<usize> {
    let order = Draws::new(seed, Purpose::Split).shuffle(units.rows.len());
    let order: Vec<usize> = order.into_iter().map(|unit| unit as usize).collect();
    let mut parts = Parts::new(units, labels, sizes);
    if let Some(labels) = labels {
        let mut with: Vec<Vec<usize>> = vec![Vec::new(); labels.classes()];
        for &unit in &order {
            for (class, _) in class_counts(labels, &units.rows[unit]) {
                with[class].push(unit);
            }
        }
        while let Some(class) = parts.rarest() {
            for &unit in &with[class] {
                parts.give(unit, &units.rows[unit], Some(class));
            }
        }
    }
    for &unit in &order {
        parts.give(unit, &units.rows[unit], None);
    }
    parts.part_of.into_iter().map(|part| part.unwrap_or(0)).collect()
}

/// How many of these rows have each class that occurs in them, in the order of the classes.
fn class_counts(labels: &LabelMatrix, rows: &[usize]) -> Vec<(usize, usize)> {
    let mut classes: Vec<usize> =
        rows.iter().flat_map(|&row| labels.positives(row)).map(|class| class.index()).collect();
    classes.sort_unstable();
    let runs = classes.chunk_by(|a, b| a == b);
    runs.map(|run| (run[0], run.len())).collect()
}

struct Parts<'a> {
    labels: Option<&'a LabelMatrix>,
    /// Rows that each part still has room for.
    room: Vec<usize>,
    /// Rows of each class that each part still wants: `wanted[part][class]`.
    wanted: Vec<Vec<f64>>,
    /// Rows of each class that have not been dealt.
    left: Vec<usize>,
    /// The classes with such rows, the rarest first.
    rarity: BTreeSet<(usize, usize)>,
    part_of: Vec<Option<usize>>,
}

impl<'a> Parts<'a> {
    fn new(units: &Units, labels: Option<&'a LabelMatrix>, sizes: &[usize]) -> Self {
        let mut left = vec![0; labels.map_or(0, LabelMatrix::classes)];
        if let Some(labels) = labels {
            for &row in units.rows.iter().flatten() {
                labels.positives(row).for_each(|class| left[class.index()] += 1);
            }
        }
        let all = sizes.iter().sum::<usize>().max(1) as f64;
        let wanted = |&size: &usize| left.iter().map(|&n| n as f64 * size as f64 / all).collect();
        let rarity = left.iter().enumerate().filter(|(_, left)| **left > 0);
        Self {
            labels,
            room: sizes.to_vec(),
            wanted: sizes.iter().map(wanted).collect(),
            rarity: rarity.map(|(class, &left)| (left, class)).collect(),
            part_of: vec![None; units.rows.len()],
            left,
        }
    }

    /// The class with the fewest rows left.
    fn rarest(&self) -> Option<usize> {
        self.rarity.first().map(|(_, class)| *class)
    }

    /// Deals a unit, for the sake of a class if one is given, unless it was dealt before.
    fn give(&mut self, unit: usize, rows: &[usize], sake: Option<usize>) {
        if self.part_of[unit].is_some() {
            return;
        }
        let wish = |part: usize| sake.map_or(0.0, |class| self.wanted[part][class]);
        let better = |a: &usize, b: &usize| {
            let fits = |part: usize| self.room[part] >= rows.len();
            // Where it fits nowhere, the roomiest part is the least wrong.
            let wish = |part: usize| if fits(part) { wish(part) } else { 0.0 };
            let order = fits(*a).cmp(&fits(*b)).then(wish(*a).total_cmp(&wish(*b)));
            order.then(self.room[*a].cmp(&self.room[*b])).then(b.cmp(a))
        };
        let part = (0..self.room.len()).max_by(better).unwrap_or(0);
        self.part_of[unit] = Some(part);
        self.room[part] = self.room[part].saturating_sub(rows.len());
        let Some(labels) = self.labels else { return };
        for (class, count) in class_counts(labels, rows) {
            self.wanted[part][class] -= count as f64;
            let left = &mut self.left[class];
            self.rarity.remove(&(*left, class));
            *left -= count;
            if *left > 0 {
                self.rarity.insert((*left, class));
            }
        }
    }
}
