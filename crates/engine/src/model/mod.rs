//! A model: networks or other learners, and everything needed to interpret their outputs.
//!
//! One file holds what all members have learned, the rules, the classes, the thresholds, the
//! preprocessing, the configuration and a record of training, each in its own section. A model
//! never exists apart from its rules. Loading verifies all of it.
//!
//! ```text
//! Model ── file ── section ── tensor ── bundle ──> bytes     (read back before they get a name)
//! bytes ── verified ── header ── opened ── file ──> Model    (checksum before anything is parsed)
//! ```

mod bundle;
mod difference;
mod error;
mod file;
mod header;
mod merge;
mod opened;
mod part;
mod section;
mod stored_parts;
mod tensor;
mod verified;

pub use difference::ModelDifference;
pub use error::ModelError;
pub use file::ModelFile;
pub use merge::{MergeError, MergedModel, RepeatedSeed, UnmergeableModel};
pub use part::Part;

pub(crate) use bundle::{Bundle, MOST_LAYERS, named_layers};
pub(crate) use opened::Opened;
pub(crate) use section::{Content, KnownSection, Section};

use std::collections::BTreeMap;

use rulebound_core::{Labels, Program, SettleLimit, Thresholds};
use serde::{Deserialize, Serialize};

use crate::calibration::{Calibration, CalibrationError};
use crate::class_names::ClassNames;
use crate::configuration::{Configuration, LabelPolicy, Monitor, Stopping};
use crate::dataset::{Dataset, Pipeline, SourceMemory};
use crate::exact_number;
use crate::network::Network;

/// Notes by their keys.
pub type Notes = BTreeMap<String, String>;

/// A trained model.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) program: Program,
    pub(crate) evaluated: Vec<bool>,
    pub(crate) thresholds: Thresholds,
    pub(crate) calibration: Option<Calibration>,
    /// At least one.
    pub(crate) parts: Vec<Part>,
    pub(crate) source: Option<SourceMemory>,
    /// For each class, whether it was seen in training; none if it was merged of models that saw different ones.
    pub(crate) seen: Option<Vec<bool>>,
    /// What somebody wrote beside it.
    pub(crate) notes: Notes,
}

/// How training went; nothing here depends on the machine or the clock.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Training {
    /// The name of the data.
    pub data: String,
    /// The number of rows the networks were trained on.
    pub rows: usize,
    /// The version of rulebound.
    pub version: String,
    /// The members, in order.
    pub members: Vec<MemberTraining>,
    /// Classes of the rules that the data did not have and that were kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept_labels: Vec<String>,
}

/// How the training of a member went.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MemberTraining {
    /// Its seed.
    pub seed: u64,
    /// The number of epochs its weights were trained for.
    pub epochs: usize,
    /// The mean training loss of the epoch whose weights it has.
    #[serde(deserialize_with = "exact_number::deserialize")]
    pub loss: f64,
    /// What was monitored, and the best value; none if nothing was monitored.
    #[serde(deserialize_with = "exact_number::pair::deserialize")]
    pub best: Option<(Monitor, f64)>,
}

impl Training {
    /// The training of these members on some rows of a data set, by this version.
    pub(crate) fn new(data: &Dataset, rows: usize, members: Vec<MemberTraining>) -> Self {
        Self {
            data: data.name().to_owned(),
            rows,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            members,
            kept_labels: data.kept_labels().map(str::to_owned).collect(),
        }
    }
}

impl Model {
    /// A model of one part, with the classes and rules of the data it was trained on and thresholds
    /// of a half.
    pub(crate) fn new(data: &Dataset, part: Part) -> Self {
        Self {
            program: data.program().clone(),
            evaluated: data.evaluated().to_vec(),
            thresholds: Thresholds::half(data.classes().len()),
            calibration: None,
            parts: vec![part],
            source: None,
            seen: Some(data.seen()),
            notes: Notes::default(),
        }
    }

    /// Whether anything in it was fitted on the validation rows of its data, beyond choosing when
    /// to stop.
    pub fn is_fitted_on_validation_rows(&self) -> bool {
        self.parts.iter().any(|part| match &part.configuration.stopping {
            Stopping::Early(early) => early.retrain || !part.configuration.method.has_epochs(),
            Stopping::Epochs(_) | Stopping::EpochsOfEach(_) => true,
        })
    }

    /// The rules.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The classes.
    pub fn labels(&self) -> &Labels {
        self.program.labels()
    }

    /// For each class, whether it counts in the loss and the metrics.
    pub fn evaluated(&self) -> &[bool] {
        &self.evaluated
    }

    /// For each class, whether one of the training and validation rows had it and one did not; none
    /// if the model does not remember.
    pub fn seen(&self) -> Option<&[bool]> {
        self.seen.as_deref()
    }

    /// The same model with all classes evaluated, also the roots of a hierarchy.
    #[must_use]
    pub fn with_evaluated_roots(mut self) -> Self {
        self.evaluated.fill(true);
        self
    }

    /// The threshold above which each class is predicted.
    pub fn thresholds(&self) -> &Thresholds {
        &self.thresholds
    }

    /// The same model with other thresholds.
    ///
    /// # Panics
    /// If there is not one threshold per class.
    #[must_use]
    pub fn with_thresholds(mut self, thresholds: Thresholds) -> Self {
        assert_eq!(thresholds.len(), self.labels().len(), "one threshold per class");
        self.thresholds = thresholds;
        self
    }

    /// The same model with another limit on what is spent on each row that needs search.
    #[must_use]
    pub fn with_settle_limit(mut self, limit: SettleLimit) -> Self {
        self.program = self.program.with_settle_limit(limit);
        self
    }

    /// How its logits are calibrated before thresholds and layer, if they are.
    pub fn calibration(&self) -> Option<&Calibration> {
        self.calibration.as_ref()
    }

    /// The same model, calibrated. If all thresholds are 0.5, they stay 0.5; other thresholds are
    /// mapped, so that decisions stay the same.
    ///
    /// # Errors
    /// If it is calibrated already.
    ///
    /// # Panics
    /// If the calibration is of another number of classes.
    pub fn with_calibration(mut self, calibration: Calibration) -> Result<Self, CalibrationError> {
        assert_eq!(calibration.mistake(self.labels().len()), None, "a map for each class");
        if self.calibration.is_some() {
            return Err(CalibrationError::Calibrated);
        }
        if self.has_own_thresholds() {
            self.thresholds = calibration.thresholds(&self.thresholds);
        }
        self.calibration = Some(calibration);
        Ok(self)
    }

    /// Whether a threshold is not 0.5.
    pub fn has_own_thresholds(&self) -> bool {
        self.labels().ids().any(|label| self.thresholds.value(label) != 0.5)
    }

    /// Its parts: one, unless it is a blend of several learners.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The preprocessing of features; that of the first part.
    pub fn pipeline(&self) -> &Pipeline {
        &self.parts[0].pipeline
    }

    /// The configuration it was trained with; that of the first part.
    pub fn configuration(&self) -> &Configuration {
        &self.parts[0].configuration
    }

    /// The names of its classes; also those that the ontology of training knows for them, if it is there and
    /// unchanged.
    pub fn class_names(&self) -> ClassNames<'_> {
        let rules = self.source.as_ref().and_then(|memory| memory.rules.as_ref());
        ClassNames::new(self.labels()).with_rules_of_training(rules)
    }

    /// What to do with labels that break rules where it is measured: what is asked for, else what training did. A model
    /// whose classes had columns says nothing about labels that are written by their names.
    pub fn label_policy(&self, asked: Option<LabelPolicy>, labels_by_name: bool) -> LabelPolicy {
        let trained = self.configuration().labels;
        let was_by_name = self.source.as_ref().is_some_and(SourceMemory::labels_by_name);
        let is_open = labels_by_name && !was_by_name && trained == LabelPolicy::default_for(false);
        asked.unwrap_or(if is_open { LabelPolicy::default_for(true) } else { trained })
    }

    /// How training went; the training of the first part.
    pub fn training(&self) -> &Training {
        &self.parts[0].training
    }

    /// What it remembers about the source of its data; nothing if it was not told.
    pub fn source(&self) -> Option<&SourceMemory> {
        self.source.as_ref()
    }

    /// The same model with a memory of the source of its data.
    #[must_use]
    pub fn with_source(mut self, source: SourceMemory) -> Self {
        self.source = Some(source);
        self
    }

    /// What somebody wrote beside it: a ticket, a name, a commit. Predictions do not depend on it.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// The same model with one more note, which replaces one with the same key.
    ///
    /// ```
    /// use rulebound::dataset::{Builtin, Step};
    /// use rulebound::Trainer;
    /// let data = Builtin::ThreeClasses.generate(Step::HALFWAY, 0)?;
    /// let model = Trainer::new().hidden([4]).epochs(1).fit(&data)?.with_note("ticket", "ML-42");
    /// assert_eq!(model.notes().get("ticket").map(String::as_str), Some("ML-42"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_note(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.notes.insert(key.into(), value.into());
        self
    }

    /// Its networks, if it consists of networks alone; empty otherwise.
    pub fn members(&self) -> &[Network] {
        match &self.parts[..] {
            [one] => one.learner.networks(),
            _ => &[],
        }
    }
}
