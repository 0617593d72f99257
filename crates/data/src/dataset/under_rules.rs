//! A data set under rules: what follows is added before classes are counted, and classes are chosen last.
//!
//! Labels that are written by their names take what follows from them, unless the policy on labels says
//! otherwise; so a class that no label names but that follows from one has rows, and is a class. A class that is left out
//! has left what it implies to those that stay. Where each class has a column, a 0 was written on purpose: labels
//! stay as they are unless the policy is to complete them. A strict policy refuses labels before any class is left out.

use std::collections::HashSet;

use rulebound_core::{LabelId, Labels, Program, RulesAs, known_broken_requirements};

use super::complaint::ReadNote;
use super::error::DatasetError;
use super::rules_file::RulesFile;
use super::set::Dataset;
use super::source::ReadOptions;
use super::split::Split;
use crate::completion::Completion;
use crate::label_policy::LabelPolicy;
use crate::unknown_labels::{FittedRules, UnknownLabels};

/// Which classes a data set has in the end.
struct Choice<'a> {
    /// Those with so many training rows.
    least: usize,
    /// Only these, in their order.
    only: Option<&'a Labels>,
    /// Whether what follows from labels can be a new class.
    may_grow: bool,
    treatment: UnknownLabels,
    policy: LabelPolicy,
    /// Whether classes are counted as the labels are written, without what follows from them.
    counts_written: bool,
}

/// How many rows have each class, once labels are completed.
struct Counts {
    train: Vec<usize>,
    all: Vec<usize>,
}

impl Dataset {
    /// The same data under the rules of a file, if one is given, with the classes that the options ask for.
    pub(super) fn under_rules(
        self,
        file: Option<&RulesFile<'_>>,
        options: &ReadOptions,
    ) -> Result<Self, DatasetError> {
        let by_name = options.labels_by_name();
        let only = options.only_classes.as_ref().filter(|_| by_name);
        let (least, treatment) = (options.min_count, options.unknown_labels);
        let mut data = self;
        if let Some((ontology, path)) = file.and_then(|file| Some((file.ontology()?, file.path())))
        {
            // A list of classes says how they are called.
            match by_name && options.classes.is_none() {
                true => data = data.with_terms(ontology, path, treatment)?,
                false => data.note_unknown_terms(ontology, path),
            }
        }
        let policy = options.policy();
        let may_grow = by_name && options.classes.is_none() && file.is_some();
        let has_rules = file.is_some()
            || !data.program.rules().is_empty()
            || !data.program.requirements().is_empty();
        let is_looked_at = by_name && has_rules && policy != LabelPolicy::Keep;
        if least == 0 && only.is_none() && !is_looked_at {
            return match file {
                Some(file) => {
                    let rules_as = options.rules_as;
                    let fitted = file.fit(data.classes(), data.program(), treatment, rules_as)?;
                    data.with_fitted(fitted)
                }
                None => Ok(data),
            };
        }
        let counts_written = by_name && policy == LabelPolicy::Keep;
        let choice = Choice { least, only, may_grow, treatment, policy, counts_written };
        data.with_chosen_classes(file, &choice, options.rules_as)
    }

    fn with_chosen_classes(
        mut self,
        file: Option<&RulesFile<'_>>,
        choice: &Choice<'_>,
        rules_as: RulesAs,
    ) -> Result<Self, DatasetError> {
        // Rules among all classes, to see what follows.
        let whole = match file {
            Some(file) => {
                let keep = UnknownLabels::Keep;
                file.fit(self.classes(), &self.program, keep, RulesAs::Rules)?
            }
            None => FittedRules { program: self.program.clone(), unknown: Vec::new() },
        };
        let own = self.classes().len();
        if choice.policy == LabelPolicy::Strict {
            let grows = choice.may_grow && choice.treatment != UnknownLabels::Hide;
            self.expect_complete(&whole.program, if grows { usize::MAX } else { own })?;
        }
        let counts = self.counts(&whole.program, choice.counts_written);
        let stays = |class: LabelId| {
            let (place, name) = (class.index(), whole.program.labels().name(class));
            let is_enough = counts.train[place] >= choice.least;
            match choice.only {
                Some(only) => only.find(name).is_some(),
                None if place < own => is_enough,
                None => match choice.treatment {
                    UnknownLabels::Hide => false,
                    UnknownLabels::Keep => is_enough,
                    UnknownLabels::HideInRules | UnknownLabels::Error => {
                        choice.may_grow && counts.all[place] > 0 && is_enough
                    }
                },
            }
        };
        let names = whole.program.labels();
        let stay: Vec<bool> = names.ids().map(stays).collect();
        if choice.only.is_none() && own > 0 && !stay.contains(&true) {
            let (data, least) = (self.name.clone(), choice.least);
            let most = counts.train.iter().copied().max().unwrap_or(0);
            return Err(DatasetError::NoFrequentClass { data, least, most });
        }
        let lost = (0..own).filter(|&class| !stay[class] && counts.all[class] > 0);
        let lost: Vec<usize> = lost.collect();
        let kept: Vec<&str> = match choice.only {
            Some(only) => only.names().collect(),
            None => names.ids().filter(|id| stay[id.index()]).map(|id| names.name(id)).collect(),
        };
        if let Some(only) = choice.only {
            if own > 0 && !stay.contains(&true) {
                let classes = self.classes().names().map(str::to_owned).collect();
                let example = only.names().next().unwrap_or_default().to_owned();
                return Err(DatasetError::NoClassInCommon { data: self.name, classes, example });
            }
            if !lost.is_empty() && file.is_none() {
                let classes = lost.iter().map(|&class| names.name(LabelId::new(class)).to_owned());
                let (classes, is_completed) =
                    (classes.collect(), choice.policy == LabelPolicy::Complete);
                self.notes.push(ReadNote::NotOfTheModel { classes, is_completed });
            }
        }
        let wrong = |source| DatasetError::Labels { path: self.name.clone().into(), source };
        let kept = Labels::new(kept).map_err(wrong)?;
        let place_of: Vec<Option<LabelId>> =
            names.ids().map(|id| kept.find(names.name(id)).filter(|_| stay[id.index()])).collect();
        let mut labels = self.labels.mapped(kept.len(), |class| place_of[class.index()]);
        if choice.policy == LabelPolicy::Complete {
            completed(&self, &whole.program, |row, class, is_known| {
                if let Some(place) = place_of[class.index()] {
                    match is_known {
                        true => _ = labels.insert(row, place),
                        false => labels.set_unknown(row, place),
                    }
                }
            });
        }
        let mut evaluated = vec![true; kept.len()];
        for (place, is) in place_of.iter().zip(&self.evaluated) {
            place.iter().for_each(|place| evaluated[place.index()] = *is);
        }
        let mut unknown = Vec::new();
        let program = match choice.only {
            // Rules are those of the model.
            Some(_) => Program::new(kept, Vec::new())?,
            None => {
                let before = self.rules_among(&kept, &stay[..own])?;
                match file {
                    None => before,
                    Some(file) => {
                        let (treatment, known) = match choice.treatment {
                            // All that are wanted are classes.
                            UnknownLabels::Keep => (UnknownLabels::Hide, whole.unknown),
                            other => (other, Vec::new()),
                        };
                        let fitted = file.fit(&kept, &before, treatment, rules_as)?;
                        unknown = if known.is_empty() { fitted.unknown } else { known };
                        fitted.program
                    }
                }
            }
        };
        self.unknown.extend(unknown);
        (self.labels, self.evaluated, self.program) = (labels, evaluated, program);
        Ok(self)
    }

    /// The rules of the data itself among the classes that stay, as classes of `kept`.
    fn rules_among(&self, kept: &Labels, stay: &[bool]) -> Result<Program, DatasetError> {
        let hidden = self.program.hiding(|id| stay[id.index()]);
        let hidden = hidden.map_err(|error| DatasetError::RareClassInRules {
            class: error.class().to_owned(),
            problem: Box::new(error),
        })?;
        let names: HashSet<&str> = hidden.labels().names().collect();
        debug_assert!(kept.names().take(names.len()).all(|name| names.contains(name)));
        // Those that stay come first, in their order.
        Ok(hidden.renumbered(kept.clone(), |id| id))
    }

    /// How many rows have each class of a program: as labels are written, or once its rules have said what follows.
    fn counts(&self, program: &Program, as_written: bool) -> Counts {
        let classes = program.labels().len();
        let mut counts = Counts { train: vec![0; classes], all: vec![0; classes] };
        let train = self.split(Split::Train).unwrap_or_default();
        let mut found = |row, class: LabelId| {
            counts.all[class.index()] += 1;
            counts.train[class.index()] += usize::from(train.contains(&row));
        };
        if as_written {
            for row in 0..self.rows() {
                self.labels.positives(row).for_each(|class| found(row, class));
            }
            return counts;
        }
        completed(self, program, |row, class, is_known| {
            if is_known {
                found(row, class);
            }
        });
        counts
    }

    /// Refuses labels that lack one of the first classes of a program although its rules imply it, and labels that
    /// break a requirement.
    fn expect_complete(&self, program: &Program, classes: usize) -> Result<(), DatasetError> {
        let own = self.classes().len();
        let names = program.labels();
        let mut completion = Completion::new(program);
        let mut labels = vec![false; names.len()];
        let mut known = vec![true; names.len()];
        for row in 0..self.rows() {
            labels.fill(false);
            known.fill(true);
            self.labels.unpack(row, &mut labels[..own]);
            self.labels.unpack_known(row, &mut known[..own]);
            if let Some(broken) = known_broken_requirements(program, &labels, &known).next() {
                let requirement = program.requirement(broken).display(names).to_string();
                let (data, row) = (self.name.clone(), self.row_in_words(row));
                return Err(DatasetError::BrokenRequirement { data, row, requirement });
            }
            let (written, was_known) = (labels.clone(), known.clone());
            completion.complete_known(&mut labels, &mut known);
            let lacks = |&class: &usize| labels[class] && !written[class] && was_known[class];
            if let Some(class) = (0..names.len().min(classes)).find(lacks) {
                let class = names.name(LabelId::new(class)).to_owned();
                let (data, row) = (self.name.clone(), self.row_in_words(row));
                return Err(DatasetError::IncompleteLabels { data, row, class });
            }
        }
        Ok(())
    }

    /// A row by its identifier, or by its number in its split.
    fn row_in_words(&self, row: usize) -> String {
        let id = self.identifiers.first().and_then(|id| id.values.get(row)?.as_deref());
        let split = self.splits().find(|(_, rows)| rows.contains(&row));
        match (id, split) {
            (Some(id), _) => format!("`{id}`"),
            (None, Some((split, rows))) => format!("row {} of {split}", row - rows.start + 1),
            (None, None) => format!("row {}", row + 1),
        }
    }
}

/// Passes on the positive labels of each row, and those that are not known, after the rules have said what follows.
/// The classes of the program begin with those of the data.
fn completed(data: &Dataset, program: &Program, mut found: impl FnMut(usize, LabelId, bool)) {
    let own = data.classes().len();
    let mut completion = Completion::new(program);
    let mut labels = vec![false; program.labels().len()];
    let mut known = vec![true; program.labels().len()];
    for row in 0..data.rows() {
        labels.fill(false);
        known.fill(true);
        data.labels().unpack(row, &mut labels[..own]);
        data.labels().unpack_known(row, &mut known[..own]);
        completion.complete_known(&mut labels, &mut known);
        for (class, (&holds, &is_known)) in labels.iter().zip(&known).enumerate() {
            if holds || !is_known {
                found(row, LabelId::new(class), holds);
            }
        }
    }
}
