//! The parts of a model in its file: what they have learned, and what belongs to them.
//!
//! The first part has the sections that a model always had; a blend has one more section with the
//! weights of all parts and everything about the others. Networks are stored layer by layer, other
//! learners as arrays named `part.N.KIND.ARRAY`.

use serde::{Deserialize, Serialize};

use super::bundle::named_layers;
use super::opened::Opened;
use super::part::Part;
use super::section::KnownSection;
use super::{ModelError, Training};
use crate::configuration::Configuration;
use crate::dataset::Pipeline;
use crate::learner::{Learner, NamedTensors};
use crate::network::{Linear, Shape};

/// The weights of members that are networks.
pub(super) const NETWORK: KnownSection = ("network", 1);

/// The file's record of a member.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MemberEntry {
    /// The section that holds members of its kind.
    kind: String,
    /// The number of its part, and so of its preprocessing.
    preprocessing: usize,
}

/// Everything about a part but what it has learned.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredPart {
    pub configuration: Configuration,
    pub training: Training,
    pub pipeline: Pipeline,
}

/// What a blend has in addition.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredBlend {
    /// The weight of each part.
    weights: Vec<f64>,
    /// The parts after the first.
    others: Vec<StoredPart>,
}

impl StoredBlend {
    pub fn new(parts: &[Part]) -> Self {
        let others = parts[1..].iter().map(|part| StoredPart {
            configuration: part.configuration.clone(),
            training: part.training.clone(),
            pipeline: part.pipeline.clone(),
        });
        Self { weights: parts.iter().map(|part| part.weight).collect(), others: others.collect() }
    }
}

/// What all parts have learned, as it is written.
pub(super) struct StoredMembers<'a> {
    pub entries: Vec<MemberEntry>,
    pub layers: Vec<(String, &'a Linear)>,
    /// Kind, prefix of the names, arrays.
    pub arrays: Vec<(&'static str, String, NamedTensors)>,
}

impl<'a> StoredMembers<'a> {
    pub fn new(parts: &'a [Part]) -> Self {
        let mut stored = Self { entries: Vec::new(), layers: Vec::new(), arrays: Vec::new() };
        for (at, part) in parts.iter().enumerate() {
            let kind = part.learner.kind();
            let entry = || MemberEntry { kind: kind.to_owned(), preprocessing: at };
            match &part.learner {
                Learner::Networks(networks) => {
                    for (member, network) in networks.iter().enumerate() {
                        stored.entries.push(entry());
                        let name = member_name(at, member);
                        stored.layers.extend(named_layers(name, network.layers()));
                    }
                }
                learner => {
                    stored.entries.push(entry());
                    stored.arrays.push((kind, arrays_name(at, kind), learner.tensors()));
                }
            }
        }
        stored
    }
}

/// Reads what all parts have learned, and checks that everything fits together.
pub(super) fn read_parts(
    file: &Opened,
    first: StoredPart,
    blend: Option<StoredBlend>,
    entries: Vec<MemberEntry>,
    classes: usize,
) -> Result<Vec<Part>, ModelError> {
    let blend = blend.unwrap_or(StoredBlend { weights: vec![1.0], others: Vec::new() });
    if blend.weights.len() != 1 + blend.others.len() {
        return Err(file.inconsistent("its `blend` does not have one weight per part"));
    }
    let sum: f64 = blend.weights.iter().sum();
    if !blend.weights.iter().all(|&weight| weight >= 0.0)
        || (sum - 1.0).abs().is_nan()
        || (sum - 1.0).abs() >= 1e-6
    {
        return Err(file.inconsistent("the weights of its `blend` are not shares of 1"));
    }
    let stored: Vec<StoredPart> = std::iter::once(first).chain(blend.others).collect();
    let mut kinds: Vec<Vec<String>> = stored.iter().map(|_| Vec::new()).collect();
    for entry in entries {
        let name = || format!("preprocessing.{}", entry.preprocessing);
        let part = kinds.get_mut(entry.preprocessing);
        part.ok_or_else(|| file.unusable(&name()))?.push(entry.kind);
    }
    let parts = stored.into_iter().zip(kinds).zip(blend.weights).enumerate();
    let part = |(at, ((part, kinds), weight)): (usize, ((StoredPart, Vec<String>), f64))| {
        let learner = read_learner(file, at, &part, &kinds, classes)?;
        let StoredPart { configuration, training, pipeline } = part;
        Ok(Part { configuration, training, pipeline, learner, weight })
    };
    parts.map(part).collect()
}

fn read_learner(
    file: &Opened,
    at: usize,
    part: &StoredPart,
    kinds: &[String],
    classes: usize,
) -> Result<Learner, ModelError> {
    let StoredPart { configuration, training, pipeline } = part;
    if let Some(mistake) = pipeline.mistake() {
        return Err(file.inconsistent(format!("its preprocessing: {mistake}")));
    }
    if let Some(mistake) = configuration.mistakes().first() {
        return Err(file.inconsistent(format!("its configuration: {mistake}")));
    }
    let members = configuration.members;
    if training.members.len() != members {
        return Err(file.inconsistent("it does not record the training of each member"));
    }
    let kind = kinds.first().map_or("", String::as_str);
    if let Some(other) = kinds.iter().find(|other| *other != kind) {
        return Err(file.unusable(other));
    }
    let expected = if kind == NETWORK.0 { members } else { 1 };
    if kinds.len() != expected {
        let found = kinds.len();
        let what = format!("its `members` has {found} entries for {expected} members");
        return Err(file.inconsistent(what));
    }
    if !file.has(kind) {
        return Err(file.unusable(kind));
    }
    let inputs = pipeline.width();
    if kind != NETWORK.0 {
        let tensors = file.arrays(&arrays_name(at, kind))?;
        let learner = Learner::from_tensors(kind, tensors, inputs, classes);
        let learner = learner.ok_or_else(|| file.unusable(kind))?;
        let learner =
            learner.map_err(|what| file.inconsistent(format!("its part {at} ({kind}): {what}")))?;
        return match configuration.method.is_network() {
            true => Err(file.inconsistent(format!("its part {at} is not of its own method"))),
            false => Ok(learner),
        };
    }
    if !configuration.method.is_network() {
        return Err(file.inconsistent(format!("its part {at} is not of its own method")));
    }
    let shape = Shape { inputs, hidden: configuration.hidden.clone(), outputs: classes };
    let networks = (0..members)
        .map(|member| file.network(&member_name(at, member), &shape, configuration.activation));
    Ok(Learner::Networks(networks.collect::<Result<_, _>>()?))
}

/// The name of a network; those of the first part are named as ever.
fn member_name(part: usize, member: usize) -> String {
    match part {
        0 => format!("member.{member}"),
        _ => format!("part.{part}.member.{member}"),
    }
}

/// What the names of the arrays of a learner begin with.
fn arrays_name(part: usize, kind: &str) -> String {
    format!("part.{part}.{kind}.")
}
