//! Requirements that hold among labels: classes that exclude each other, and classes of which there is
//! always one.
//!
//! Each holds in every row. What would hardly ever be broken by chance is left out: a requirement counts
//! only if at least [`Options::FEW_ROWS`] rows would break it were its classes independent. What follows
//! from a found one by a subset of rows is left out, too: where every row of `a` is one of `p`, and `p`
//! excludes `b`, then so does `a`.

use std::ops::Range;

use rulebound_core::{LabelId, Literal, Requirement};

use super::columns::Columns;
use super::error::MineError;
use super::options::Options;
use crate::dataset::LabelMatrix;

/// A requirement that holds in all rows.
#[derive(Clone, PartialEq, Debug)]
pub struct MinedRequirement {
    /// The requirement.
    pub requirement: Requirement,
    /// The number of rows that it says something about: those with one of its classes, or with its guard.
    pub rows: usize,
    /// How many of them would break it if its classes were independent.
    pub expected: f64,
}

/// Finds classes that exclude each other, and classes of which every row, or every row with another class,
/// has at least one, in `rows` of `labels`. Labels that are not known count as absent.
///
/// ```
/// use rulebound_data::dataset::LabelMatrix;
/// use rulebound_data::mine::mine_requirements;
/// use rulebound_core::{LabelId, Labels};
/// let names = Labels::new(["red", "green"])?;
/// let mut labels = LabelMatrix::new(names.len());
/// for row in 0..60 {
///     labels.push_row();
///     labels.insert(row, LabelId::new(row % 2));
/// }
/// let mined = mine_requirements(&labels, 0..labels.rows())?;
/// assert_eq!(mined.len(), 1);
/// assert_eq!(mined[0].requirement.display(&names).to_string(), "one of(red, green)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the matrix does not have the rows.
pub fn mine_requirements(
    labels: &LabelMatrix,
    rows: Range<usize>,
) -> Result<Vec<MinedRequirement>, MineError> {
    if rows.start > rows.end || rows.end > labels.rows() {
        return Err(MineError::NoSuchRows { asked: rows, rows: labels.rows() });
    }
    let table = Table::new(Columns::new(labels, rows));
    let mut found = table.exclusions();
    found.extend(table.always_one(None, &found));
    for guard in 0..table.counts.len() {
        found.extend(table.always_one(Some(guard), &found));
    }
    Ok(found)
}

struct Table {
    columns: Columns,
    counts: Vec<usize>,
    /// The classes that occur, the most frequent first.
    frequent: Vec<usize>,
}

impl Table {
    fn new(columns: Columns) -> Self {
        let count = |class: usize| {
            columns.column(LabelId::new(class)).iter().map(|word| word.count_ones()).sum::<u32>()
        };
        let counts: Vec<usize> =
            (0..columns.labels().len()).map(|class| count(class) as usize).collect();
        let mut frequent: Vec<usize> =
            (0..counts.len()).filter(|&class| counts[class] > 0).collect();
        frequent.sort_by_key(|&class| (std::cmp::Reverse(counts[class]), class));
        Self { columns, counts, frequent }
    }

    fn of(&self, class: usize) -> &[u64] {
        self.columns.column(LabelId::new(class))
    }

    fn share(&self, class: usize) -> f64 {
        self.counts[class] as f64 / self.columns.rows() as f64
    }

    fn are_apart(&self, a: usize, b: usize) -> bool {
        self.of(a).iter().zip(self.of(b)).all(|(a, b)| a & b == 0)
    }

    /// Whether every row of `a` is one of `b`, and not the other way round.
    fn is_part(&self, a: usize, b: usize) -> bool {
        self.counts[a] < self.counts[b]
            && self.of(a).iter().zip(self.of(b)).all(|(a, b)| a & !b == 0)
    }

    fn expected_together(&self, a: usize, b: usize) -> f64 {
        self.share(a) * self.counts[b] as f64
    }

    /// The classes that some other one is expected together with often enough, the most frequent first: no
    /// other can exclude anything. Tables of pairs are tables of these alone.
    fn comparable(&self) -> &[usize] {
        let Some(&most) = self.frequent.first() else { return &[] };
        let few = Options::FEW_ROWS as f64;
        let end =
            self.frequent.partition_point(|&class| self.expected_together(class, most) >= few);
        &self.frequent[..end]
    }

    fn exclusions(&self) -> Vec<MinedRequirement> {
        let few = Options::FEW_ROWS as f64;
        let classes = self.comparable();
        let size = classes.len();
        let mut apart = vec![false; size * size];
        for (a, &class) in classes.iter().enumerate() {
            for (b, &other) in classes[..a].iter().enumerate() {
                if self.expected_together(class, other) < few {
                    // Less frequent ones are expected together still less.
                    break;
                }
                let is = self.are_apart(class, other);
                (apart[a * size + b], apart[b * size + a]) = (is, is);
            }
        }
        // A class is a part of more frequent ones only.
        let wholes: Vec<Vec<usize>> = (0..size)
            .map(|a| (0..a).filter(|&b| self.is_part(classes[a], classes[b])).collect())
            .collect();
        let follows = |a: usize, b: usize| {
            wholes[a].iter().any(|&whole| apart[whole * size + b])
                || wholes[b].iter().any(|&whole| apart[whole * size + a])
        };
        let mut is_covered = vec![false; size * size];
        let mut found = Vec::new();
        for a in 0..size {
            for b in a + 1..size {
                if !apart[a * size + b] || is_covered[a * size + b] || follows(a, b) {
                    continue;
                }
                let mut group = vec![a, b];
                for c in 0..size {
                    let fits = |&member: &usize| apart[member * size + c] && !follows(member, c);
                    if !group.contains(&c) && group.iter().all(fits) {
                        group.push(c);
                    }
                }
                for &one in &group {
                    group.iter().for_each(|&other| is_covered[one * size + other] = true);
                }
                let mut group: Vec<usize> = group.into_iter().map(|at| classes[at]).collect();
                group.sort_unstable();
                found.push(self.exclusion(&group));
            }
        }
        found
    }

    fn exclusion(&self, group: &[usize]) -> MinedRequirement {
        let rows: usize = group.iter().map(|&class| self.counts[class]).sum();
        // They are apart, so the sum of their rows is all of them.
        let least = u32::from(rows == self.columns.rows());
        let none: f64 = group.iter().map(|&class| 1.0 - self.share(class)).product();
        let one: f64 = group
            .iter()
            .map(|&class| {
                none * self.share(class) / (1.0 - self.share(class)).max(f64::MIN_POSITIVE)
            })
            .sum();
        let broken = (1.0 - one - if least == 0 { none } else { 0.0 }).max(0.0);
        MinedRequirement {
            requirement: Requirement::count([], least, 1, literals(group)),
            rows,
            expected: broken * self.columns.rows() as f64,
        }
    }

    /// The smallest set, found by leaving out rare classes first, of which every row (of the guard) has one.
    fn always_one(
        &self,
        guard: Option<usize>,
        exclusions: &[MinedRequirement],
    ) -> Option<MinedRequirement> {
        let all = match guard {
            Some(guard) => self.of(guard).to_vec(),
            None => self.columns.all_rows().collect(),
        };
        let rows = guard.map_or(self.columns.rows(), |guard| self.counts[guard]);
        if rows < Options::FEW_ROWS {
            return None;
        }
        let is_candidate = |&class: &usize| match guard {
            Some(guard) => self.is_part(class, guard),
            None => self.counts[class] < rows,
        };
        let mut chosen: Vec<usize> = self.frequent.iter().copied().filter(is_candidate).collect();
        let covers = |classes: &[usize]| {
            let mut left = all.clone();
            for &class in classes {
                left.iter_mut().zip(self.of(class)).for_each(|(left, word)| *left &= !word);
            }
            left.iter().all(|&word| word == 0)
        };
        if chosen.len() < 2 || !covers(&chosen) {
            return None;
        }
        // How many of the chosen each row has; one that no row needs can go.
        for at in (0..chosen.len()).rev() {
            let class = chosen.remove(at);
            if !covers(&chosen) {
                chosen.insert(at, class);
            }
        }
        let none: f64 =
            chosen.iter().map(|&class| 1.0 - self.counts[class] as f64 / rows as f64).product();
        let expected = none * rows as f64;
        if chosen.len() < 2 || expected < Options::FEW_ROWS as f64 {
            return None;
        }
        chosen.sort_unstable();
        let requirement = Requirement::any(
            guard.map(|guard| Literal::positive(LabelId::new(guard))),
            literals(&chosen),
        );
        // A group that says exactly one says this too.
        let is_known = exclusions.iter().any(|mined| {
            guard.is_none()
                && mined.rows == rows
                && mined.requirement.members().iter().all(|m| requirement.members().contains(m))
        });
        (!is_known).then_some(MinedRequirement { requirement, rows, expected })
    }
}

fn literals(classes: &[usize]) -> impl Iterator<Item = Literal> + '_ {
    classes.iter().map(|&class| Literal::positive(LabelId::new(class)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rulebound_core::Labels;

    fn mined(rows: &[&[usize]], times: usize) -> Vec<String> {
        let names = Labels::new(["a", "b", "c", "d", "e"]).unwrap();
        let mut labels = LabelMatrix::new(5);
        for _ in 0..times {
            for classes in rows {
                let row = labels.push_row();
                for &class in *classes {
                    labels.insert(row, LabelId::new(class));
                }
            }
        }
        let found = mine_requirements(&labels, 0..labels.rows()).unwrap();
        // Everything found holds in every row.
        for row in 0..labels.rows() {
            let mut truth = vec![false; 5];
            labels.unpack(row, &mut truth);
            assert!(found.iter().all(|mined| mined.requirement.holds(&truth)));
        }
        found.iter().map(|mined| mined.requirement.display(&names).to_string()).collect()
    }

    #[test]
    fn exclusions_become_groups_and_groups_that_cover_all_rows_one_of() {
        assert_eq!(mined(&[&[0], &[1], &[2], &[0, 3], &[]], 60), ["exclusive(a, b, c)"]);
        assert_eq!(mined(&[&[0], &[1], &[2]], 30), ["one of(a, b, c)"]);
        assert_eq!(mined(&[&[0], &[1], &[2]], 2), [""; 0]);
    }

    #[test]
    fn alternatives_are_found_also_under_a_guard() {
        let found = mined(&[&[0, 1], &[0], &[1, 2], &[1]], 30);
        assert_eq!(found[..2], ["exclusive(a, c)", "a | b"]);
        let under = mined(&[&[0, 1], &[0, 2], &[0, 1, 2], &[], &[3], &[3]], 30);
        assert!(under.contains(&"a -> b | c".to_owned()), "{under:?}");
    }

    /// Pairs of rare classes are neither compared nor stored: of 20,000 classes, two are.
    #[test]
    fn rare_classes_cost_no_pairs() {
        let mut labels = LabelMatrix::new(20_000);
        for row in 0..200 {
            labels.push_row();
            labels.insert(row, LabelId::new(row % 2));
            labels.insert(row, LabelId::new(2 + row));
        }
        let table = Table::new(Columns::new(&labels, 0..200));
        assert_eq!(table.comparable(), [0, 1]);
        assert_eq!(table.exclusions().len(), 1);
    }

    #[test]
    fn what_follows_from_a_whole_is_left_out() {
        // d is a part of a, and a excludes b.
        let found = mined(&[&[0], &[0, 3], &[1], &[]], 60);
        assert_eq!(found, ["exclusive(a, b)"]);
    }
}
