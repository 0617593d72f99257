//! Saving and loading models: which sections there are, and whether they are consistent.

use std::path::Path;

use rulebound_core::{Dialect, Labels, RuleText, Thresholds};
use serde::{Deserialize, Serialize};

use super::bundle::{Bundle, named_layers};
use super::opened::Opened;
use super::section::{Content, KnownSection, Section};
use super::{Model, ModelError, Training};
use crate::calibration::Calibration;
use crate::configuration::Configuration;
use crate::dataset::Pipeline;
use crate::network::Shape;
use crate::output::OutputError;

const KIND: &str = "model";

/// The format written, and the newest one that can be read.
const FORMAT: u32 = 2;

/// The names of the classes.
const LABELS: KnownSection = ("labels", 1);
/// The rules, as text.
const RULES: KnownSection = ("rules", 1);
/// The threshold of each class.
const THRESHOLDS: KnownSection = ("thresholds", 1);
/// For each class, whether it is evaluated.
const EVALUATED: KnownSection = ("evaluated", 1);
/// How logits are calibrated; only in models that are.
const CALIBRATION: KnownSection = ("calibration", 1);
/// The preprocessing of features. There may be several of these sections, numbered in order.
const PREPROCESSING: KnownSection = ("preprocessing.0", 1);
/// The configuration of training.
const CONFIGURATION: KnownSection = ("configuration", 1);
/// How training went.
const TRAINING: KnownSection = ("training", 1);
/// For each member, its kind and which preprocessing its inputs go through.
const MEMBERS: KnownSection = ("members", 1);
/// The weights of members that are networks.
const NETWORK: KnownSection = ("network", 1);

/// What is remembered about the source; optional.
const SOURCE: KnownSection = ("source", 1);

const KNOWN: [KnownSection; 11] = [
    CALIBRATION,
    LABELS,
    RULES,
    THRESHOLDS,
    EVALUATED,
    PREPROCESSING,
    CONFIGURATION,
    TRAINING,
    MEMBERS,
    NETWORK,
    SOURCE,
];

/// The file's record of a member.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MemberEntry {
    /// The section that holds members of its kind.
    kind: String,
    /// The number of its preprocessing section.
    preprocessing: usize,
}

impl Model {
    /// Writes the model; the file appears only once it is complete and has been read back and
    /// verified. Equal models give equal bytes.
    ///
    /// # Errors
    /// If the file cannot be written, or differs when it is read back.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), OutputError> {
        let path = path.as_ref();
        let labels: Vec<&str> = self.labels().names().collect();
        let thresholds = self.labels().ids().map(|label| self.thresholds.value(label)).collect();
        let entry = |_| MemberEntry { kind: NETWORK.0.to_owned(), preprocessing: 0 };
        let members: Vec<MemberEntry> = self.members.iter().map(entry).collect();
        let layers = self.members.iter().enumerate();
        let layers =
            layers.flat_map(|(at, network)| named_layers(member_name(at), network.layers()));
        let mut sections = vec![
            Section::json(LABELS, &labels),
            Section::new(RULES, Content::Text(self.program.to_text())),
            Section::new(THRESHOLDS, Content::Numbers(thresholds)),
            Section::new(EVALUATED, Content::Flags(&self.evaluated)),
            Section::json(PREPROCESSING, &self.pipeline),
            Section::json(CONFIGURATION, &self.configuration),
            Section::json(TRAINING, &self.training),
            Section::json(MEMBERS, &members),
            Section::new(NETWORK, Content::Layers(layers.collect())),
        ];
        sections
            .extend(self.source.as_ref().map(|source| Section::json(SOURCE, source).optional()));
        if let Some(calibration) = &self.calibration {
            sections.push(Section::json(CALIBRATION, calibration));
        }
        Bundle { kind: KIND, format: FORMAT, sections }.write(path)
    }

    /// Reads a model and verifies it.
    ///
    /// # Errors
    /// If the file does not exist, is of another kind, truncated, damaged or from a newer version,
    /// or if its parts are inconsistent.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        let file = Opened::read(path, KIND, FORMAT, &KNOWN)?;
        let names: Vec<String> = file.json(LABELS.0)?;
        let labels = Labels::new(names)
            .map_err(|error| file.inconsistent(format!("its labels are invalid: {error}")))?;
        let parsed = RuleText::new(file.text(RULES.0)?)
            .labels(labels.clone())
            .dialect(Dialect::Rules)
            .parse();
        let program = parsed
            .map_err(|errors| file.inconsistent(format!("its rules are invalid: {errors}")))?
            .program;
        if program.labels().len() != labels.len() {
            return Err(file.inconsistent("its rules have classes that are not among its labels"));
        }
        let thresholds = Thresholds::new(file.numbers(THRESHOLDS.0)?)
            .map_err(|error| file.inconsistent(error.to_string()))?;
        let evaluated = file.flags(EVALUATED.0)?;
        for (what, found) in [("thresholds", thresholds.len()), ("evaluated", evaluated.len())] {
            if found != labels.len() {
                let expected = labels.len();
                let text = format!("its `{what}` has {found} entries for {expected} labels");
                return Err(file.inconsistent(text));
            }
        }
        let calibration: Option<Calibration> =
            file.has(CALIBRATION.0).then(|| file.json(CALIBRATION.0)).transpose()?;
        if let Some(mistake) = calibration.as_ref().and_then(|of| of.mistake(labels.len())) {
            return Err(file.inconsistent(format!("its calibration has {mistake}")));
        }
        // Before there were sections, there was one preprocessing, and its name had no number.
        let preprocessing = if file.has_sections() { PREPROCESSING.0 } else { "preprocessing" };
        let pipeline: Pipeline = file.json(preprocessing)?;
        if let Some(mistake) = pipeline.mistake() {
            return Err(file.inconsistent(format!("its preprocessing: {mistake}")));
        }
        let configuration: Configuration = file.json(CONFIGURATION.0)?;
        if let Some(mistake) = configuration.mistakes().first() {
            return Err(file.inconsistent(format!("its configuration: {mistake}")));
        }
        let training: Training = file.json(TRAINING.0)?;
        if training.members.len() != configuration.members {
            return Err(file.inconsistent("it does not record the training of each member"));
        }
        if file.has_sections() {
            expect_networks(&file, configuration.members)?;
        }
        let shape = Shape {
            inputs: pipeline.width(),
            hidden: configuration.hidden.clone(),
            outputs: labels.len(),
        };
        let members = (0..configuration.members)
            .map(|index| file.network(&member_name(index), &shape, configuration.activation));
        let members = members.collect::<Result<Vec<_>, _>>()?;
        let source = file.has(SOURCE.0).then(|| file.json(SOURCE.0)).transpose()?;
        Ok(Self {
            program,
            evaluated,
            thresholds,
            calibration,
            pipeline,
            configuration,
            training,
            members,
            source,
        })
    }
}

/// Checks that all members are networks that share one preprocessing; newer versions may write
/// others.
fn expect_networks(file: &Opened, members: usize) -> Result<(), ModelError> {
    let entries: Vec<MemberEntry> = file.json(MEMBERS.0)?;
    if entries.len() != members {
        let found = entries.len();
        let what = format!("its `members` has {found} entries for {members} members");
        return Err(file.inconsistent(what));
    }
    for entry in &entries {
        if entry.kind != NETWORK.0 || !file.has(NETWORK.0) {
            return Err(file.unusable(&entry.kind));
        }
        if entry.preprocessing != 0 {
            return Err(file.unusable(&format!("preprocessing.{}", entry.preprocessing)));
        }
    }
    Ok(())
}

fn member_name(index: usize) -> String {
    format!("member.{index}")
}
