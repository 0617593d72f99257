//! Saving and loading models: which sections there are, and whether they are consistent.

use std::path::Path;

use rulebound_core::{Dialect, Labels, RuleText, Thresholds};

use super::bundle::Bundle;
use super::header::CHECKSUM;
use super::opened::Opened;
use super::section::{Content, KnownSection, Section};
use super::stored_parts::{NETWORK, StoredBlend, StoredMembers, StoredPart, read_parts};
use super::{Model, ModelError};
use crate::calibration::Calibration;
use crate::dataset::Pipeline;
use crate::learner::{self, NamedTensors};
use crate::output::{Existing, OutputError};

const KIND: &str = "model";

/// What errors call a model that is not in a file.
const IN_MEMORY: &str = "a model in memory";

/// The format that is written and read.
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
/// The weights of the parts of a blend, and everything about them but what they have learned.
const BLEND: KnownSection = ("blend", 1);

/// What is remembered about the source; optional.
const SOURCE: KnownSection = ("source", 1);

/// For each class, whether it was seen in training; optional.
const SEEN: KnownSection = ("seen", 1);

/// A prediction that satisfies all requirements, where it took a solver to find one; optional.
const WITNESS: KnownSection = ("witness", 1);
/// What somebody wrote beside the model; optional.
const NOTES: KnownSection = ("notes", 1);

/// Without those of learners that are not networks.
const KNOWN: [KnownSection; 15] = [
    BLEND,
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
    NOTES,
    SEEN,
    SOURCE,
    WITNESS,
];

/// All sections there are.
fn known() -> Vec<KnownSection> {
    [&KNOWN[..], &learner::sections()].concat()
}

/// A model with what is known of its file.
#[derive(Clone, Debug)]
pub struct ModelFile {
    /// The model.
    pub model: Model,
    /// The format of the file.
    pub format: u32,
    /// The checksum that the file has of itself, as hexadecimal digits; it was verified.
    pub checksum: String,
}

impl ModelFile {
    /// Reads a model and verifies it, as [`Model::load`] does.
    ///
    /// # Errors
    /// As [`Model::load`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let opened = Opened::read(path.as_ref(), KIND, FORMAT, &known())?;
        let (format, checksum) = (opened.format(), opened.checksum().to_owned());
        Ok(Self { model: Model::from_opened(&opened)?, format, checksum })
    }
}

impl Model {
    /// Writes the model; the file appears only once it is complete and has been read back and
    /// verified. Equal models give equal bytes.
    ///
    /// # Errors
    /// If the file cannot be written, or differs when it is read back.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), OutputError> {
        self.save_as(path, Existing::Replace)
    }

    /// As [`save`](Self::save), with a choice of what becomes of a file that exists, or that appears
    /// before this one is complete.
    ///
    /// # Errors
    /// As [`save`](Self::save), and [`OutputError::Exists`].
    pub fn save_as(&self, path: impl AsRef<Path>, existing: Existing) -> Result<(), OutputError> {
        self.bundled(|bundle| bundle.write(path.as_ref(), existing))
    }

    /// The bytes that [`save`](Self::save) writes.
    ///
    /// # Errors
    /// If there are more names than a file can hold.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        self.bundled(|bundle| bundle.to_bytes(Path::new(IN_MEMORY)))
    }

    /// The checksum of the file that [`save`](Self::save) writes, as hexadecimal digits.
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes).
    pub fn checksum(&self) -> Result<String, ModelError> {
        let bytes = self.to_bytes()?;
        Ok(String::from_utf8_lossy(&bytes[CHECKSUM]).into_owned())
    }

    /// Hands over everything that is written.
    fn bundled<T>(&self, take: impl FnOnce(&Bundle<'_>) -> T) -> T {
        let labels: Vec<&str> = self.labels().names().collect();
        let thresholds = self.labels().ids().map(|label| self.thresholds.value(label)).collect();
        let StoredMembers { entries, layers, arrays } = StoredMembers::new(&self.parts);
        let mut sections = vec![
            Section::json(LABELS, &labels),
            Section::new(RULES, Content::Text(self.program.to_text())),
            Section::new(THRESHOLDS, Content::Numbers(thresholds)),
            Section::new(EVALUATED, Content::Flags(&self.evaluated)),
            Section::json(PREPROCESSING, self.pipeline()),
            Section::json(CONFIGURATION, self.configuration()),
            Section::json(TRAINING, self.training()),
            Section::json(MEMBERS, &entries),
        ];
        if !layers.is_empty() {
            sections.push(Section::new(NETWORK, Content::Layers(layers)));
        }
        for known in learner::sections() {
            let of_kind = arrays.iter().filter(|(kind, ..)| *kind == known.0);
            let of_kind: Vec<(String, NamedTensors)> =
                of_kind.map(|(_, name, tensors)| (name.clone(), tensors.clone())).collect();
            if !of_kind.is_empty() {
                sections.push(Section::new(known, Content::Arrays(of_kind)));
            }
        }
        if self.parts.len() > 1 {
            sections.push(Section::json(BLEND, &StoredBlend::new(&self.parts)));
        }
        sections
            .extend(self.source.as_ref().map(|source| Section::json(SOURCE, source).optional()));
        if let Some(seen) = &self.seen {
            sections.push(Section::new(SEEN, Content::Flags(seen)).optional());
        }
        if let Some(witness) = self.program.witness() {
            sections.push(Section::new(WITNESS, Content::Flags(witness)).optional());
        }
        if !self.notes.is_empty() {
            sections.push(Section::json(NOTES, &self.notes).optional());
        }
        if let Some(calibration) = &self.calibration {
            sections.push(Section::json(CALIBRATION, calibration));
        }
        take(&Bundle { kind: KIND, format: FORMAT, sections })
    }

    /// Reads a model and verifies it.
    ///
    /// # Errors
    /// If the file does not exist, is of another kind, truncated, damaged or from a newer version,
    /// or if its parts are inconsistent.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        Self::from_opened(&Opened::read(path.as_ref(), KIND, FORMAT, &known())?)
    }

    /// Reads a model from the bytes of its file and verifies it.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let (length, name) = (Some(bytes.len() as u64), Path::new(IN_MEMORY));
        Self::from_opened(&Opened::read_from(bytes, length, name, KIND, FORMAT, &known())?)
    }

    fn from_opened(file: &Opened) -> Result<Self, ModelError> {
        let names: Vec<String> = file.json(LABELS.0)?;
        let labels = Labels::new(names)
            .map_err(|error| file.inconsistent(format!("its labels are invalid: {error}")))?;
        let witness = file.has(WITNESS.0).then(|| file.flags(WITNESS.0)).transpose()?;
        let parsed = RuleText::new(file.text(RULES.0)?)
            .labels(labels.clone())
            .witness(witness)
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
        let pipeline: Pipeline = file.json(PREPROCESSING.0)?;
        let first = StoredPart {
            configuration: file.json(CONFIGURATION.0)?,
            training: file.json(TRAINING.0)?,
            pipeline,
        };
        let blend = file.has(BLEND.0).then(|| file.json(BLEND.0)).transpose()?;
        let parts = read_parts(file, first, blend, file.json(MEMBERS.0)?, labels.len())?;
        let source = file.has(SOURCE.0).then(|| file.json(SOURCE.0)).transpose()?;
        let seen = file.has(SEEN.0).then(|| file.flags(SEEN.0)).transpose()?;
        if let Some(found) = seen.as_ref().map(Vec::len).filter(|&found| found != labels.len()) {
            let expected = labels.len();
            let text = format!("its `seen` has {found} entries for {expected} labels");
            return Err(file.inconsistent(text));
        }
        let notes = file.has(NOTES.0).then(|| file.json(NOTES.0)).transpose()?.unwrap_or_default();
        Ok(Self { program, evaluated, thresholds, calibration, parts, source, seen, notes })
    }
}
