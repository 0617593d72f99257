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
use crate::network::{Linear, Network, Shape, Trainee};
use crate::output::{Existing, OutputError};
use crate::train::error::TrainError;
use crate::train::run::member::Member;

const KIND: &str = "checkpoint";

/// The format that is written and read.
const FORMAT: u32 = 3;

const CONFIGURATION: KnownSection = ("configuration", 1);
/// The fingerprint of the data.
const DATA: KnownSection = ("data", 1);
/// The kind of device.
const DEVICE: KnownSection = ("device", 1);
/// The arithmetic of the steps, if it has a name.
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

/// The same on a GPU, where the kind of GPU matters, too.
const ELSEWHERE_ON_A_GPU: &str = "(resume with the version of rulebound and the kind of GPU that began the run, or remove \
     the checkpoint)";

/// Maximum size, in bytes, of a configuration to compare with: every valid one is smaller.
const MOST_CONFIGURATION: usize = 1 << 20;

/// What must not change while a run is stopped.
#[derive(Clone, Copy)]
pub(in crate::train) struct RunIdentity<'a> {
    pub configuration: &'a Configuration,
    /// The fingerprint of the data.
    pub data: &'a str,
    /// The kind of device.
    pub device: &'a str,
    /// The name of the arithmetic of the steps; none for fused steps, and on a GPU without tensor cores.
    pub arithmetic: Option<&'a str>,
}

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
    /// Writes a checkpoint.
    pub fn save(&self, path: &Path, run: RunIdentity<'_>) -> Result<(), OutputError> {
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
            Section::json(CONFIGURATION, run.configuration),
            Section::new(DATA, Content::Text(run.data.to_owned())),
            Section::new(DEVICE, Content::Text(run.device.to_owned())),
            Section::json(PHASE, &self.phase),
            Section::json(MEMBERS, &members),
            Section::json(SEARCHED, &self.searched),
            Section::new(NETWORK, Content::Layers(layers)),
        ];
        let named = |name: &str| Section::new(KERNELS, Content::Text(name.to_owned()));
        sections.extend(run.arithmetic.map(named));
        Bundle { kind: KIND, format: FORMAT, sections }.write(path, Existing::Replace)
    }

    /// Reads a checkpoint of this run. `steps` is the number of steps per epoch in a phase.
    pub fn load(
        path: &Path,
        run: RunIdentity<'_>,
        shape: &Shape,
        steps: impl Fn(Phase) -> Result<usize, TrainError>,
    ) -> Result<Self, TrainError> {
        let file = Opened::read(path, KIND, FORMAT, &KNOWN)?;
        let configuration = run.configuration;
        let differences = differences(&file, run)?;
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
fn differences(file: &Opened, run: RunIdentity<'_>) -> Result<Vec<String>, TrainError> {
    let RunIdentity { configuration, data, device, arithmetic } = run;
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
            None => differences.push(format!("{name} was not given, now {ours}")),
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
    // It also depends on what was compared before.
    if differences.is_empty() && theirs != arithmetic {
        let (first, hint) = if device == Device::Cpu.kind() {
            ("fused steps", ELSEWHERE)
        } else {
            ("without tensor cores", ELSEWHERE_ON_A_GPU)
        };
        let [theirs, ours] = [theirs, arithmetic].map(|name| name.unwrap_or(first));
        differences.push(format!(
            "the arithmetic of steps was `{theirs}`, now `{ours}`, which rounds differently {hint}"
        ));
    }
    let theirs = file.text(DATA.0)?;
    if theirs != data {
        differences.push("the data or the rules have changed".to_owned());
    }
    Ok(differences)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::Precision;

    /// What is wrong with resuming a run on a GPU as another one, of a kind and with an arithmetic.
    fn refusal(
        [was, now]: [(Precision, Option<&str>); 2],
        device: &str,
    ) -> Result<(), Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint");
        let [before, after] = [was, now]
            .map(|(precision, _)| Configuration { precision, ..Configuration::default() });
        let run = |configuration, device, arithmetic| RunIdentity {
            configuration,
            data: "digest",
            device,
            arithmetic,
        };
        let state = State { phase: Phase::Search, members: Vec::new(), searched: None };
        state.save(&path, run(&before, "cuda", was.1)).unwrap();
        let shape = Shape { inputs: 2, hidden: vec![2], outputs: 1 };
        match State::load(&path, run(&after, device, now.1), &shape, |_| Ok(1)) {
            Err(TrainError::OtherRun { differences, .. }) => Err(differences),
            // Past all comparisons: the state has no members.
            Err(TrainError::Checkpoint(_)) => Ok(()),
            other => panic!("{:?}", other.err()),
        }
    }

    #[test]
    fn a_run_on_a_gpu_does_not_change_its_arithmetic() {
        let (fp32, tf32) = (Precision::Fp32, Precision::Tf32);
        let (ampere, hopper) = (Some("tensor cores, fp32"), Some("tensor cores, fp32, wgmma"));
        for same in [None, ampere, hopper] {
            assert_eq!(refusal([(fp32, same), (fp32, same)], "cuda"), Ok(()));
        }
        let older = refusal([(fp32, None), (fp32, hopper)], "cuda").unwrap_err();
        let expected = "the arithmetic of steps was `without tensor cores`, now \
             `tensor cores, fp32, wgmma`, which rounds differently (resume with the version of \
             rulebound and the kind of GPU that began the run, or remove the checkpoint)";
        assert_eq!(older, [expected]);
        let elsewhere = refusal([(fp32, hopper), (fp32, ampere)], "cuda").unwrap_err();
        assert!(elsewhere[0].contains("was `tensor cores, fp32, wgmma`, now `tensor cores, fp32`"));
        // Said once, as what was given.
        let rounded = Some("tensor cores, tf32");
        let other = refusal([(fp32, ampere), (tf32, rounded)], "cuda").unwrap_err();
        assert_eq!(other, ["precision was not given, now \"tf32\""]);
        let other = refusal([(tf32, rounded), (fp32, ampere)], "cuda").unwrap_err();
        assert_eq!(other, ["precision was \"tf32\", now not given"]);
        let other = refusal([(fp32, ampere), (fp32, None)], "cpu").unwrap_err();
        assert_eq!(other, ["device was cuda, now cpu"]);
    }
}
