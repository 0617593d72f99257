//! Models whose members were trained elsewhere become one ensemble.

use std::collections::BTreeSet;

use super::difference::{Differences, ModelDifference};
use super::{Model, Part};
use crate::configuration::Stopping;

/// Why models cannot be merged.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// There is nothing to merge.
    #[error("a merge needs at least two models, not {0}")]
    TooFew(usize),
    /// Some models have no members that could be merged.
    #[error("{}", each(.0))]
    NoMembers(Vec<UnmergeableModel>),
    /// The models differ in more than their members.
    #[error("the models differ in {} ways: {}", .0.len(), each(.0))]
    Differences(Vec<ModelDifference>),
    /// Members have the same seed, so they are the same.
    #[error("the same seed occurs twice: {}", each(.0))]
    Seeds(Vec<RepeatedSeed>),
}

/// A model without members that could be merged.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{file} is {what}; only networks can be merged, one kind at a time")]
pub struct UnmergeableModel {
    /// Its file.
    pub file: String,
    /// What it is instead.
    pub what: String,
}

/// A seed that two members have.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("seed {seed} is in {first} and in {other}")]
pub struct RepeatedSeed {
    /// The seed.
    pub seed: u64,
    /// One file.
    pub first: String,
    /// The other one, or the same.
    pub other: String,
}

fn each<T: ToString>(all: &[T]) -> String {
    all.iter().map(T::to_string).collect::<Vec<_>>().join("; ")
}

/// One model of several, and what should be known about it.
#[derive(Clone, Debug)]
pub struct MergedModel {
    /// The ensemble.
    pub model: Model,
    /// What was not the same in all models and does not matter for predictions.
    pub notes: Vec<String>,
}

impl Model {
    /// One ensemble of models with their file names, in the order of the members' seeds. Where the seeds
    /// follow each other, the result is what one run with that many members gives, bit for bit.
    ///
    /// Classes, rules, thresholds, calibration, preprocessing and configuration must be the same.
    ///
    /// # Errors
    /// Everything in which the models differ, at once.
    pub fn merge(models: Vec<(String, Self)>) -> Result<MergedModel, MergeError> {
        if models.len() < 2 {
            return Err(MergeError::TooFew(models.len()));
        }
        let unmergeable = models.iter().filter_map(|(file, model)| unmergeable(file, model));
        let unmergeable: Vec<UnmergeableModel> = unmergeable.collect();
        if !unmergeable.is_empty() {
            return Err(MergeError::NoMembers(unmergeable));
        }
        let (name, first) = (&models[0].0, &models[0].1);
        let differences: Vec<ModelDifference> = models[1..]
            .iter()
            .flat_map(|(other, model)| Differences::between((name, first), (other, model)))
            .collect();
        if !differences.is_empty() {
            return Err(MergeError::Differences(differences));
        }
        let mut seeds: Vec<(u64, &str)> = Vec::new();
        for (file, model) in &models {
            let members = model.training().members.iter();
            seeds.extend(members.map(|member| (member.seed, file.as_str())));
        }
        let mut order: Vec<usize> = (0..seeds.len()).collect();
        order.sort_by_key(|&at| seeds[at].0);
        let repeated: Vec<RepeatedSeed> = order
            .windows(2)
            .filter(|pair| seeds[pair[0]].0 == seeds[pair[1]].0)
            .map(|pair| RepeatedSeed {
                seed: seeds[pair[0]].0,
                first: seeds[pair[0]].1.to_owned(),
                other: seeds[pair[1]].1.to_owned(),
            })
            .collect();
        if !repeated.is_empty() {
            return Err(MergeError::Seeds(repeated));
        }
        let notes = notes(&models, &order.iter().map(|&at| seeds[at].0).collect::<Vec<_>>());
        Ok(MergedModel { model: joined(models, &order), notes })
    }
}

fn unmergeable(file: &str, model: &Model) -> Option<UnmergeableModel> {
    let what = match model.parts() {
        [part] if part.learner.is_mergeable() => return None,
        [part] => format!("of method `{}`", part.configuration.method),
        parts => format!("a blend of {} parts", parts.len()),
    };
    Some(UnmergeableModel { file: file.to_owned(), what })
}

/// What may differ: where rows came from is remembered only if all say the same.
fn notes(models: &[(String, Model)], seeds: &[u64]) -> Vec<String> {
    let mut notes = Vec::new();
    let first = &models[0].1;
    let differs = |same: &dyn Fn(&Model) -> bool| models.iter().find(|(_, model)| !same(model));
    if let Some((file, _)) = differs(&|model| model.source() == first.source()) {
        notes.push(format!(
            "{} and {file} remember different sources or splits of their data; the merged model remembers none",
            models[0].0
        ));
    }
    let mut keys: BTreeSet<&str> = BTreeSet::new();
    for (_, model) in models {
        keys.extend(model.notes().keys().map(String::as_str));
    }
    for key in keys {
        if let Some((file, _)) = differs(&|model| model.notes().get(key) == first.notes().get(key))
        {
            let one = &models[0].0;
            notes.push(format!(
                "the note `{key}` differs in {one} and {file}; the merged model has none"
            ));
        }
    }
    if let Some((file, other)) = differs(&|model| model.training().data == first.training().data) {
        let (one, another) = (&first.training().data, &other.training().data);
        notes.push(format!(
            "the data are called `{one}` in {} and `{another}` in {file}",
            models[0].0
        ));
    }
    if let Some((file, other)) =
        differs(&|model| model.training().version == first.training().version)
    {
        let (one, another) = (&first.training().version, &other.training().version);
        notes.push(format!("{} was trained by version {one}, {file} by {another}", models[0].0));
    }
    if seeds.windows(2).any(|pair| pair[0].wrapping_add(1) != pair[1]) {
        let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
        let seeds = seeds.join(", ");
        notes.push(format!(
            "the seeds {seeds} do not follow each other: no one run has these members"
        ));
    }
    notes
}

/// All members in this order, with all that belongs to the first model.
fn joined(models: Vec<(String, Model)>, order: &[usize]) -> Model {
    let mut models = models.into_iter().map(|(_, model)| model);
    let Some(mut all) = models.next() else { unreachable!("there are at least two") };
    let mut epochs = epochs_of_each(&all.parts[0]);
    for model in models {
        if model.source != all.source {
            all.source = None;
        }
        if model.seen != all.seen {
            all.seen = None;
        }
        all.notes.retain(|key, value| model.notes.get(key) == Some(value));
        for part in model.parts {
            epochs.extend(epochs_of_each(&part));
            all.parts[0].training.members.extend(part.training.members);
            // The settings are the same, so the kind is.
            all.parts[0].learner.extend(part.learner);
        }
    }
    let part = &mut all.parts[0];
    sort(&mut part.training.members, order);
    part.learner.reorder(order);
    if let Stopping::EpochsOfEach(each) = &mut part.configuration.stopping {
        sort(&mut epochs, order);
        *each = epochs;
    }
    part.configuration.members = part.training.members.len();
    part.configuration.seed = part.training.members[0].seed;
    all
}

fn epochs_of_each(part: &Part) -> Vec<usize> {
    match &part.configuration.stopping {
        Stopping::EpochsOfEach(each) => each.clone(),
        _ => Vec::new(),
    }
}

fn sort<T: Clone>(items: &mut Vec<T>, order: &[usize]) {
    *items = order.iter().map(|&at| items[at].clone()).collect();
}
