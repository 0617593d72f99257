//! The state of a run on disk: enough to resume it to the same bits.
//!
//! A checkpoint is trusted only after everything in it has been checked: a run resumes from a state
//! that it could have been in, or not at all.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::record::{Phase, Progress, Searched};
use super::resumable::Expected;
use crate::configuration::Configuration;
use crate::device::Device;
use crate::model::{Bundle, Content, KnownSection, Opened, Section, named_layers};
use crate::network::{Linear, Network, Shape, Trainee, kernels};
use crate::output::{Existing, OutputError};
use crate::train::error::TrainError;
use crate::train::run::member::Member;

const KIND: &str = "checkpoint";

/// The format written, and the newest one that can be read. Formats before 3 had no sections.
const FORMAT: u32 = 3;

const CONFIGURATION: KnownSection = ("configuration", 1);
/// The fingerprint of the data.
const DATA: KnownSection = ("data", 1);
/// The kind of device.
const DEVICE: KnownSection = ("device", 1);
/// The arithmetic of the steps; without it, that of the first versions.
const KERNELS: KnownSection = ("kernels", 1);
const PHASE: KnownSection = ("phase", 1);
const MEMBERS: KnownSection = ("members", 1);
/// The result of the first phase.
const SEARCHED: KnownSection = ("searched", 1);
/// Weights, Adam moments and best weights of all members.
const NETWORK: KnownSection = ("network", 1);

const KNOWN: [KnownSection; 8] =
    [CONFIGURATION, DATA, DEVICE, KERNELS, PHASE, MEMBERS, SEARCHED, NETWORK];

/// What the digest of sparse data ends with, since its rows are summed up cell by cell.
pub(in crate::train) const SPARSE_ROWS: &str = " cell by cell";

/// What to do with a checkpoint whose run rounds differently.
const ELSEWHERE: &str =
    "(resume with the version of rulebound that began the run, or remove the checkpoint)";

/// Maximum size, in bytes, of a configuration to compare with: every valid one is smaller.
const MOST_CONFIGURATION: usize = 1 << 20;

/// A run between two steps.
pub(in crate::train) struct State {
    pub phase: Phase,
    pub members: Vec<Member>,
    /// The result of the first phase, during the second.
    pub searched: Option<Vec<Searched>>,
}

/// The file's record of a member.
#[derive(Serialize, Deserialize)]
struct MemberState {
    seed: u64,
    progress: Progress,
    has_best: bool,
}

/// Names, in the file, of the networks stored for a member.
const PARTS: [&str; 4] = ["weights", "first", "second", "best"];

impl State {
    /// Writes a checkpoint. `data` is the fingerprint of the data, `device` the kind of device.
    pub fn save(
        &self,
        path: &Path,
        configuration: &Configuration,
        data: &str,
        device: &str,
    ) -> Result<(), OutputError> {
        let members: Vec<MemberState> = self.members.iter().map(MemberState::new).collect();
        let mut layers = Vec::new();
        for (index, member) in self.members.iter().enumerate() {
            let moment = |which: usize| member.trainee.moments.iter().map(move |pair| &pair[which]);
            let parts: [Vec<&Linear>; 4] = [
                member.trainee.network.layers().iter().collect(),
                moment(0).collect(),
                moment(1).collect(),
                member.best.iter().flat_map(Network::layers).collect(),
            ];
            for (part, stored) in PARTS.iter().zip(parts) {
                layers.extend(named_layers(name(index, part), stored));
            }
        }
        let mut sections = vec![
            Section::json(CONFIGURATION, configuration),
            Section::new(DATA, Content::Text(data.to_owned())),
            Section::new(DEVICE, Content::Text(device.to_owned())),
            Section::json(PHASE, &self.phase),
            Section::json(MEMBERS, &members),
            Section::json(SEARCHED, &self.searched),
            Section::new(NETWORK, Content::Layers(layers)),
        ];
        let kernels = kernels_on(device, configuration);
        sections.extend(kernels.map(|it| Section::new(KERNELS, Content::Text(it.to_owned()))));
        Bundle { kind: KIND, format: FORMAT, sections }.write(path, Existing::Replace)
    }

    /// Reads a checkpoint of this run. `steps` is the number of steps per epoch in a phase.
    pub fn load(
        path: &Path,
        configuration: &Configuration,
        data: &str,
        device: &str,
        shape: &Shape,
        steps: impl Fn(Phase) -> Result<usize, TrainError>,
    ) -> Result<Self, TrainError> {
        let file = Opened::read(path, KIND, FORMAT, &KNOWN)?;
        let differences = differences(&file, configuration, data, device)?;
        if !differences.is_empty() {
            return Err(TrainError::OtherRun { path: path.to_owned(), differences });
        }
        let phase: Phase = file.json(PHASE.0)?;
        let searched: Option<Vec<Searched>> = file.json(SEARCHED.0)?;
        let recorded: Vec<MemberState> = file.json(MEMBERS.0)?;
        if recorded.len() != configuration.members {
            let (found, expected) = (recorded.len(), configuration.members);
            let what = format!("it has {found} members, but the run has {expected}");
            return Err(file.inconsistent(what).into());
        }
        let wrong = |what: String| TrainError::from(file.inconsistent(what));
        let expected = Expected::new(configuration, phase, searched.as_deref(), steps(phase)?)
            .map_err(wrong)?;
        let activation = configuration.activation;
        let mut members = Vec::with_capacity(recorded.len());
        for (index, MemberState { seed, progress, has_best }) in recorded.into_iter().enumerate() {
            expected
                .check(index, seed, &progress, has_best)
                .map_err(|what| wrong(format!("member {index}: {what}")))?;
            let part = |part| file.network(&name(index, part), shape, activation);
            let network = part(PARTS[0])?;
            let (first, second) = (part(PARTS[1])?, part(PARTS[2])?);
            let best = if has_best { Some(part(PARTS[3])?) } else { None };
            let moments = first.layers().iter().zip(second.layers());
            let moments = moments.map(|(first, second)| [first.clone(), second.clone()]).collect();
            members.push(Member { seed, trainee: Trainee { network, moments }, progress, best });
        }
        Ok(Self { phase, members, searched })
    }
}

/// How the run of a checkpoint differs from this one.
fn differences(
    file: &Opened,
    configuration: &Configuration,
    data: &str,
    device: &str,
) -> Result<Vec<String>, TrainError> {
    let mut differences = Vec::new();
    if file.text(CONFIGURATION.0)?.len() > MOST_CONFIGURATION {
        return Err(file.inconsistent("its configuration is too large to be valid").into());
    }
    let theirs: serde_json::Value = file.json(CONFIGURATION.0)?;
    let ours = serde_json::to_value(configuration).unwrap_or_default();
    let theirs = theirs
        .as_object()
        .ok_or_else(|| file.inconsistent("its configuration is not an object"))?;
    for (name, ours) in ours.as_object().into_iter().flatten() {
        match theirs.get(name) {
            Some(theirs) if theirs == ours => {}
            Some(theirs) => differences.push(format!("{name} was {theirs}, now {ours}")),
            None => differences.push(format!("{name} was not recorded")),
        }
    }
    for (name, theirs) in theirs {
        if ours.get(name).is_none() {
            differences.push(format!("{name} was {theirs}, now not given"));
        }
    }
    let theirs = file.text(DEVICE.0)?;
    if theirs != device {
        // Rounding differs between devices, so the run would not end with the same bits.
        differences.push(format!("device was {theirs}, now {device}"));
    }
    let theirs = if file.has(KERNELS.0) { Some(file.text(KERNELS.0)?) } else { None };
    let ours = kernels_on(device, configuration);
    if theirs != ours {
        let [theirs, ours] = [theirs, ours].map(|kernels| kernels.unwrap_or("fused steps"));
        differences.push(format!(
            "the arithmetic of steps was `{theirs}`, now `{ours}`, which rounds differently {ELSEWHERE}"
        ));
    }
    let theirs = file.text(DATA.0)?;
    if data.strip_suffix(SPARSE_ROWS) == Some(theirs) {
        differences.push(format!(
            "sparse rows were summed up as dense ones, which rounds differently {ELSEWHERE}"
        ));
    } else if theirs != data {
        differences.push("the data or the rules have changed".to_owned());
    }
    Ok(differences)
}

/// The name of the arithmetic of this run's steps. A GPU has only one so far.
fn kernels_on(device: &str, configuration: &Configuration) -> Option<&'static str> {
    if device == Device::Cpu.kind() { kernels(configuration.batch) } else { None }
}

impl MemberState {
    fn new(member: &Member) -> Self {
        Self {
            seed: member.seed,
            progress: member.progress.clone(),
            has_best: member.best.is_some(),
        }
    }
}

fn name(member: usize, part: &str) -> String {
    format!("member.{member}.{part}")
}
