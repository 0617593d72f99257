//! The state of a run on disk: enough to go on to the same bits.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::TrainError;
use super::member::Member;
use super::record::Progress;
use super::record::{Phase, Searched};
use crate::configuration::Configuration;
use crate::model::{Bundle, Opened, named_layers};
use crate::network::{Linear, Network, Shape, Trainee};
use crate::output::OutputError;

const KIND: &str = "checkpoint";
const FORMAT: u32 = 2;

/// A run between two steps.
pub(super) struct State {
    pub phase: Phase,
    pub members: Vec<Member>,
    /// What the first phase found, in the second.
    pub searched: Option<Vec<Searched>>,
}

/// What the header tells of a member.
#[derive(Serialize, Deserialize)]
struct MemberState {
    seed: u64,
    progress: Progress,
    has_best: bool,
}

/// The networks of a member in the file, by the name of what they hold.
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
        let members: Vec<MemberState> = self.members.iter().map(MemberState::of).collect();
        let json = |value: serde_json::Result<String>| match value {
            Ok(text) => text,
            Err(error) => unreachable!("numbers and texts are JSON: {error}"),
        };
        let texts = vec![
            ("configuration", json(serde_json::to_string(configuration))),
            ("data", data.to_owned()),
            ("device", device.to_owned()),
            ("phase", json(serde_json::to_string(&self.phase))),
            ("members", json(serde_json::to_string(&members))),
            ("searched", json(serde_json::to_string(&self.searched))),
        ];
        let mut layers = Vec::new();
        for (index, member) in self.members.iter().enumerate() {
            let moment = |which: usize| member.trainee.moments.iter().map(move |pair| &pair[which]);
            let parts: [Vec<&Linear>; 4] = [
                member.trainee.network.layers().iter().collect(),
                moment(0).collect(),
                moment(1).collect(),
                member.best.iter().flat_map(Network::layers).collect(),
            ];
            for (part, of) in PARTS.iter().zip(parts) {
                layers.extend(named_layers(name(index, part), of));
            }
        }
        Bundle { kind: KIND, format: FORMAT, texts, layers }.write(path)
    }

    /// Reads a checkpoint of this run.
    pub fn load(
        path: &Path,
        configuration: &Configuration,
        data: &str,
        device: &str,
        shape: &Shape,
    ) -> Result<Self, TrainError> {
        let mut file = Opened::read(path, KIND, FORMAT)?;
        let mut differences = Vec::new();
        let theirs: serde_json::Value = file.json("configuration")?;
        let ours = serde_json::to_value(configuration).unwrap_or_default();
        if let (Some(ours), Some(theirs)) = (ours.as_object(), theirs.as_object()) {
            for (name, ours) in ours {
                match theirs.get(name) {
                    Some(theirs) if theirs == ours => {}
                    Some(theirs) => differences.push(format!("{name} was {theirs}, now {ours}")),
                    None => differences.push(format!("{name} was not told")),
                }
            }
        }
        let theirs = file.text("device")?;
        if theirs != device {
            // Rounding differs, so the run would not end where it would have.
            differences.push(format!("device was {theirs}, now {device}"));
        }
        if file.text("data")? != data {
            differences.push("the data or the rules have changed".to_owned());
        }
        if !differences.is_empty() {
            return Err(TrainError::OtherRun { path: path.to_owned(), differences });
        }
        let told: Vec<MemberState> = file.json("members")?;
        if told.len() != configuration.members {
            return Err(file.inconsistent("it has not all members").into());
        }
        let activation = configuration.activation;
        let mut members = Vec::with_capacity(told.len());
        for (index, MemberState { seed, progress, has_best }) in told.into_iter().enumerate() {
            let mut part = |part| file.network(&name(index, part), shape, activation);
            let network = part(PARTS[0])?;
            let (first, second) = (part(PARTS[1])?, part(PARTS[2])?);
            let best = if has_best { Some(part(PARTS[3])?) } else { None };
            let moments = first.layers().iter().zip(second.layers());
            let moments = moments.map(|(first, second)| [first.clone(), second.clone()]).collect();
            members.push(Member { seed, trainee: Trainee { network, moments }, progress, best });
        }
        Ok(Self { phase: file.json("phase")?, members, searched: file.json("searched")? })
    }
}

impl MemberState {
    fn of(member: &Member) -> Self {
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
