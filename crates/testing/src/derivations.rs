//! Problems in which rules derive a class in several ways: where members of an ensemble can differ in
//! which way they learn, and still mean the same.
//!
//! Labels follow from the columns without noise and break no rule. Every problem has two classes that
//! derive each other: `one -> both`, `other -> both`, `both, not one -> other`.

use crate::Random;

/// Rules as text, and rows with labels that obey them.
#[derive(Debug, Clone)]
pub struct Derivations {
    /// The rules, one a line.
    pub rules: String,
    /// The names of the classes, in the order of the labels.
    pub classes: Vec<String>,
    /// The features of each row, between -1 and 1.
    pub features: Vec<[f32; COLUMNS]>,
    /// The labels of each row.
    pub labels: Vec<Vec<bool>>,
}

/// The features of a row.
pub const COLUMNS: usize = 4;

/// A literal: a class, and whether it is negated.
type Literal = (usize, bool);

/// A rule: its body and its head.
type Rule = (Vec<Literal>, usize);

impl Derivations {
    /// A row is a cat, a dog, or no animal: `cat -> animal`, `dog -> animal`, `animal, not cat -> dog`.
    pub fn animals(rows: usize, seed: u64) -> Self {
        let rules =
            vec![(vec![(0, false)], 1), (vec![(2, false)], 1), (vec![(1, false), (0, true)], 2)];
        let classes = ["cat", "animal", "dog"].map(str::to_owned).to_vec();
        let mut random = Random::new(seed);
        let features = features(&mut random, rows);
        let labels = features.iter().map(|[a, b, _, _]| {
            let [is_cat, is_dog] = [a + b > 0.5, a + b < -0.5];
            vec![is_cat, is_cat || is_dog, is_dog]
        });
        Self { labels: labels.collect(), rules: text(&rules, &classes), classes, features }
    }

    /// A random stratified program of 8 classes, most of which have several derivations, and rows
    /// of labels: classes are regions of the columns, and what the rules derive is added. Of the programs of a seed
    /// the first is taken in which each class has rows with and without it.
    pub fn random(rows: usize, seed: u64) -> Self {
        let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        loop {
            let rules = program(&mut random);
            let features = features(&mut random, rows);
            let regions: Vec<[f32; COLUMNS]> = (0..CLASSES).map(|_| region(&mut random)).collect();
            let labels: Vec<Vec<bool>> = features
                .iter()
                .map(|row| {
                    let is_in = |region: &[f32; COLUMNS]| {
                        let sum: f32 = row.iter().zip(region).map(|(x, w)| x * w).sum();
                        sum + row[0] * row[1] > 0.75
                    };
                    let own = regions.iter().map(is_in).collect();
                    closed(&rules, own)
                })
                .collect();
            let share = |class: usize| {
                labels.iter().filter(|row| row[class]).count() as f64 / rows.max(1) as f64
            };
            if (0..CLASSES).all(|class| (0.1..0.9).contains(&share(class))) {
                let classes: Vec<String> = (0..CLASSES).map(|class| format!("c{class}")).collect();
                return Self { rules: text(&rules, &classes), classes, features, labels };
            }
        }
    }
}

/// Classes of a random program, in order of their strata.
const CLASSES: usize = 8;

fn stratum(class: usize) -> usize {
    3 * class / CLASSES
}

fn features(random: &mut Random, rows: usize) -> Vec<[f32; COLUMNS]> {
    (0..rows).map(|_| std::array::from_fn(|_| number(random))).collect()
}

fn number(random: &mut Random) -> f32 {
    random.below(20_001) as f32 / 10_000.0 - 1.0
}

/// Weights of the columns.
fn region(random: &mut Random) -> [f32; COLUMNS] {
    std::array::from_fn(|_| 1.5 * number(random))
}

/// Two classes that derive each other, and two rules for every class but the lowest.
fn program(random: &mut Random) -> Vec<Rule> {
    let [low, high] = [0, 3];
    let mut rules = vec![
        (vec![(low, false)], high),
        (vec![(high + 1, false)], high),
        (vec![(high, false), (low, true)], high + 1),
    ];
    for head in 1..CLASSES {
        for _ in 0..2 {
            let mut body: Vec<Literal> = Vec::new();
            for _ in 0..=random.below(2) {
                let class = random.below(CLASSES);
                let is_new = class != head && body.iter().all(|(known, _)| *known != class);
                let may_be_negated = stratum(class) < stratum(head);
                if is_new && stratum(class) <= stratum(head) {
                    body.push((class, may_be_negated && random.below(2) == 0));
                }
            }
            // `not x` alone would make the head true nearly everywhere.
            if body.iter().any(|(_, negated)| !negated) {
                rules.push((body, head));
            }
        }
    }
    rules
}

/// The labels with all that follows from them, the lowest stratum first.
fn closed(rules: &[Rule], mut row: Vec<bool>) -> Vec<bool> {
    for level in 0..=stratum(CLASSES - 1) {
        loop {
            let before = row.clone();
            for (body, head) in rules.iter().filter(|(_, head)| stratum(*head) == level) {
                row[*head] |= body.iter().all(|&(class, negated)| row[class] != negated);
            }
            if row == before {
                break;
            }
        }
    }
    row
}

fn text(rules: &[Rule], classes: &[String]) -> String {
    let literal = |&(class, negated): &Literal| {
        format!("{}{}", if negated { "not " } else { "" }, classes[class])
    };
    let line = |(body, head): &Rule| {
        let body: Vec<String> = body.iter().map(literal).collect();
        format!("{} -> {}\n", body.join(", "), classes[*head])
    };
    rules.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_labels_are_closed_under_the_rules_and_no_class_is_trivial() {
        for seed in 0..10 {
            let problem = Derivations::random(200, seed);
            assert!(problem.rules.lines().count() >= 6, "{}", problem.rules);
            assert_eq!(problem.rules, Derivations::random(200, seed).rules);
            for class in 0..CLASSES {
                let with = problem.labels.iter().filter(|row| row[class]).count();
                assert!((20..180).contains(&with), "{seed} {class} {with}");
            }
        }
        let animals = Derivations::animals(100, 1);
        assert!(animals.labels.iter().all(|row| row[1] == (row[0] != row[2])));
        let cats = animals.labels.iter().filter(|row| row[0]).count();
        assert!((15..45).contains(&cats), "{cats}");
    }
}
