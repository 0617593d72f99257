//! Random k-labelsets (RAkEL; Tsoumakas, Katakis and Vlahavas, 2011): a softmax over the combinations
//! of a few classes that occur in training; the probability of a class is the sum over those that
//! have it, and the mean over the sets that it is in. A class on which all training rows agree is a
//! set of its own.

mod draw;
mod python_random;
mod set;
mod settings;

use std::collections::BTreeMap;

use rulebound_core::LabelId;

use super::fitted::{Fitted, counted};
use super::logistic::{
    Design, LogisticSettings, Pieces, Regression, Weights, constant, each_row, fit,
};
use super::mean_probability::MeanProbability;
use super::named_tensors::{NamedTensors, TensorValues};
use super::rows::{FitError, FitRows};
use super::watch::Watch;
use draw::label_sets;
use set::Labelset;
pub(super) use settings::METHODS;
pub use settings::{LabelsetDraw, LabelsetSettings};

/// Sets of classes with a softmax each.
#[derive(Clone, PartialEq, Debug)]
pub struct Labelsets {
    classes: usize,
    sets: Vec<Labelset>,
    /// The scores of all sets, one after the other.
    weights: Weights,
}

impl Labelsets {
    /// Draws label sets and fits them.
    ///
    /// # Errors
    /// [`FitError`]: stopped, or inputs that are not finite.
    pub fn fit(
        rows: &FitRows<'_>,
        settings: &LabelsetSettings,
        seed: u64,
        watch: &Watch<'_>,
    ) -> Result<Self, FitError> {
        // A class on which all rows agree says nothing about others.
        let (free, certain): (Vec<usize>, Vec<usize>) =
            (0..rows.classes()).partition(|&class| constant(rows, class).is_none());
        let drawn = label_sets(free.len(), settings, seed).into_iter();
        let drawn = drawn.map(|set| set.into_iter().map(|at| free[at]).collect());
        let alone = certain.into_iter().map(|class| vec![class]);
        Self::fit_sets(rows, drawn.chain(alone).collect(), &settings.logistic, watch)
    }

    /// Fits these sets, each in ascending order.
    fn fit_sets(
        rows: &FitRows<'_>,
        drawn: Vec<Vec<usize>>,
        settings: &LogisticSettings,
        watch: &Watch<'_>,
    ) -> Result<Self, FitError> {
        let design = Design::new(rows, &[])?;
        let (mut sets, mut regressions) = (Vec::new(), Vec::new());
        for labels in drawn {
            let combination = |row| {
                let bit = |(bit, &label): (usize, &usize)| {
                    u32::from(rows.labels().contains(row, LabelId::new(label))) << bit
                };
                labels.iter().enumerate().map(bit).sum()
            };
            let each: Vec<u32> = (0..rows.rows()).map(combination).collect();
            let mut numbers: BTreeMap<u32, u32> = each.iter().map(|&which| (which, 0)).collect();
            numbers.values_mut().enumerate().for_each(|(at, number)| *number = at as u32);
            let combinations: Vec<u32> = match numbers.len() {
                0 => vec![0],
                _ => numbers.keys().copied().collect(),
            };
            let labels = labels.into_iter().map(|label| label as u32).collect();
            let set = Labelset { labels, combinations };
            if set.columns() > 0 {
                regressions.push(Regression {
                    targets: each.iter().map(|which| numbers[which]).collect(),
                    classes: set.combinations.len(),
                    visible: design.width(),
                });
            }
            sets.push(set);
        }
        let pieces = Pieces { before: 0, all: regressions.len() };
        let coefficients = fit(&design, &regressions, settings, watch, pieces)?;
        let columns: usize = regressions.iter().map(Regression::columns).sum();
        let mut weights = Weights::never(rows.width(), columns);
        let each = coefficients.iter().flat_map(|one| one.chunks(design.width()));
        for (column, coefficients) in each.enumerate() {
            weights.set(column, coefficients[0], &coefficients[1..]);
        }
        Ok(Self { classes: rows.classes(), sets, weights })
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.weights.inputs()
    }

    /// The classes of each set, in ascending order.
    pub fn label_sets(&self) -> impl Iterator<Item = &[u32]> {
        self.sets.iter().map(|set| &set.labels[..])
    }

    /// Reads the arrays of a model file.
    ///
    /// # Errors
    /// A sentence about what is missing or wrong.
    pub fn from_tensors(
        mut tensors: NamedTensors,
        inputs: usize,
        classes: usize,
    ) -> Result<Self, String> {
        let [labels, sizes, combinations, counts] = ["labels", "sizes", "combinations", "counts"]
            .map(|name| tensors.take_u32(name, 1).map(|(_, values)| values));
        let (labels, combinations) = (pieces(labels?, sizes?)?, pieces(combinations?, counts?)?);
        if labels.len() != combinations.len() {
            return Err("label sets without combinations".into());
        }
        let mut is_there = vec![false; classes];
        let mut sets = Vec::with_capacity(labels.len());
        for (labels, combinations) in labels.into_iter().zip(combinations) {
            let ascends = |values: &[u32]| values.windows(2).all(|pair| pair[0] < pair[1]);
            let past = |values: &[u32], end: u64| values.iter().any(|&v| u64::from(v) >= end);
            if labels.len() > 31 || !ascends(&labels) || past(&labels, classes as u64) {
                return Err(format!("{labels:?} is not a set of some of {classes} classes"));
            }
            if !ascends(&combinations) || past(&combinations, 1 << labels.len()) {
                return Err(format!("{labels:?} has other combinations than it can have"));
            }
            labels.iter().for_each(|&label| is_there[label as usize] = true);
            sets.push(Labelset { labels, combinations });
        }
        if let Some(class) = is_there.iter().position(|is_there| !is_there) {
            return Err(format!("class {class} is in no label set"));
        }
        let columns = sets.iter().map(Labelset::columns).sum();
        let weights = Weights::load(&mut tensors, "", inputs, columns)?;
        Ok(Self { classes, sets, weights })
    }
}

impl Fitted for Labelsets {
    fn describe(&self, _members: usize) -> String {
        counted(self.sets.len(), "label set")
    }

    fn classes(&self) -> usize {
        self.classes
    }

    fn parameters(&self) -> usize {
        self.weights.parameters()
    }

    fn logits(&self, inputs: &[f32], logits: &mut [f32]) {
        each_row(inputs, self.inputs(), logits, self.classes, |row, out| {
            let mut scores = vec![0.0; self.weights.outputs()];
            self.weights.scores(row, &mut scores);
            let mut mean = MeanProbability::new(self.classes);
            let mut scores = &scores[..];
            for set in &self.sets {
                let (own, rest) = scores.split_at(set.columns());
                set.add(own, &mut mean);
                scores = rest;
            }
            mean.logits(out);
        });
    }

    fn tensors(&self) -> NamedTensors {
        let mut tensors = NamedTensors::new();
        self.weights.store(&mut tensors, "");
        let mut insert = |name: &str, values: Vec<u32>| {
            tensors.insert(name, &[values.len()], TensorValues::U32(values));
        };
        let lengths = |length: fn(&Labelset) -> usize| {
            self.sets.iter().map(|set| length(set) as u32).collect::<Vec<u32>>()
        };
        insert("labels", self.sets.iter().flat_map(|set| set.labels.clone()).collect());
        insert("sizes", lengths(|set| set.labels.len()));
        insert("combinations", self.sets.iter().flat_map(|set| set.combinations.clone()).collect());
        insert("counts", lengths(|set| set.combinations.len()));
        tensors
    }
}

/// Values cut into pieces of these lengths, none of them empty.
fn pieces(values: Vec<u32>, lengths: Vec<u32>) -> Result<Vec<Vec<u32>>, String> {
    let mut rest = &values[..];
    let mut pieces = Vec::with_capacity(lengths.len());
    for length in lengths {
        let piece = rest.split_off(..length as usize).filter(|piece| !piece.is_empty());
        pieces.push(piece.ok_or("lengths of label sets that do not fit")?.to_vec());
    }
    if rest.is_empty() { Ok(pieces) } else { Err("labels after the last label set".into()) }
}

#[cfg(test)]
mod tests {
    use super::super::logistic::LogisticSet;
    use super::super::reference_problem::{ReferenceProblem, damaged};
    use super::*;

    fn fitted(problem: &ReferenceProblem, sets: Vec<Vec<usize>>) -> Labelsets {
        let settings = LogisticSettings::default();
        problem.fit(|rows| Labelsets::fit_sets(rows, sets, &settings, &Watch::idle()).unwrap())
    }

    fn probabilities(problem: &ReferenceProblem, sets: &Labelsets) -> Vec<f64> {
        let logits = problem.logits(|inputs, logits| sets.logits(inputs, logits));
        logits.into_iter().map(|logit| 1.0 / (1.0 + f64::from(-logit).exp())).collect()
    }

    #[test]
    fn probabilities_are_those_of_scikit_learn() {
        let problem = ReferenceProblem::read();
        let sets = fitted(&problem, problem.sets.clone());
        let expected = problem.probabilities.iter().flatten();
        for (found, expected) in probabilities(&problem, &sets).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
    }

    #[test]
    fn sets_of_one_class_are_binary_relevance() {
        let problem = ReferenceProblem::read();
        let sets = fitted(&problem, (0..problem.classes).map(|class| vec![class]).collect());
        let found = problem.logits(|inputs, logits| sets.logits(inputs, logits));
        let settings = LogisticSettings::default();
        let plain = problem.fit(|rows| LogisticSet::fit(rows, &settings, &Watch::idle()).unwrap());
        let expected = problem.logits(|inputs, logits| plain.logits(inputs, logits));
        for (found, expected) in found.into_iter().zip(expected) {
            assert!(found == expected || (found - expected).abs() < 1e-4, "{found} {expected}");
        }
    }

    #[test]
    fn overlapping_sets_are_averaged() {
        let problem = ReferenceProblem::read();
        let [a, b] =
            [vec![0, 1], vec![0, 2, 3, 4]].map(|set| (set.clone(), fitted(&problem, vec![set])));
        let both = fitted(&problem, vec![a.0, b.0]);
        let [a, b, both] = [a.1, b.1, both].map(|sets| probabilities(&problem, &sets));
        for row in 0..both.len() / problem.classes {
            let at = row * problem.classes;
            assert!((both[at] - (a[at] + b[at]) / 2.0).abs() < 1e-6);
            assert!((both[at + 1] - a[at + 1]).abs() < 1e-6);
        }
    }

    #[test]
    fn draws_give_every_class_a_logit() {
        let problem = ReferenceProblem::read();
        for settings in
            [LabelsetSettings::default(), LabelsetSettings::partition(), LabelsetSettings::paper()]
        {
            let sets =
                problem.fit(|rows| Labelsets::fit(rows, &settings, 4, &Watch::idle()).unwrap());
            assert!(probabilities(&problem, &sets).iter().all(|p| (0.0..=1.0).contains(p)));
        }
    }

    #[test]
    fn arrays_are_not_believed() {
        let problem = ReferenceProblem::read();
        let sets = fitted(&problem, problem.sets.clone());
        let (width, classes) = (problem.width, problem.classes);
        assert_eq!(Labelsets::from_tensors(sets.tensors(), width, classes), Ok(sets.clone()));
        for (what, arrays) in damaged(&sets.tensors()) {
            assert!(Labelsets::from_tensors(arrays, width, classes).is_err(), "{what}");
        }
        let mut wrong = sets.clone();
        wrong.sets[1].labels = vec![0, 1];
        let error = Labelsets::from_tensors(wrong.tensors(), width, classes).unwrap_err();
        assert_eq!(error, "class 3 is in no label set");
        wrong.sets[1] = Labelset { labels: vec![1, 3], combinations: vec![0, 9] };
        let error = Labelsets::from_tensors(wrong.tensors(), width, classes).unwrap_err();
        assert_eq!(error, "[1, 3] has other combinations than it can have");
    }
}
