//! Models to files and back.

use std::path::Path;

use rulebound_core::{Dialect, Labels, RuleText, Thresholds};

use super::bundle::{Bundle, Opened, named_layers};
use super::{Model, ModelError, Training};
use crate::configuration::Configuration;
use crate::dataset::Pipeline;
use crate::network::Shape;
use crate::output::OutputError;

const KIND: &str = "model";

/// The format that is written, and the latest that is read.
const FORMAT: u32 = 1;

impl Model {
    /// Writes the model; the file appears only when it is complete. Equal models give equal bytes.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), OutputError> {
        let json = |value: serde_json::Result<String>| match value {
            Ok(text) => text,
            Err(error) => unreachable!("numbers and texts are JSON: {error}"),
        };
        let labels: Vec<&str> = self.labels().names().collect();
        let thresholds: Vec<f64> =
            self.labels().ids().map(|label| self.thresholds.value(label)).collect();
        let texts = vec![
            ("labels", json(serde_json::to_string(&labels))),
            ("rules", self.program.to_text()),
            ("thresholds", json(serde_json::to_string(&thresholds))),
            ("evaluated", json(serde_json::to_string(&self.evaluated))),
            ("preprocessing", json(serde_json::to_string(&self.pipeline))),
            ("configuration", json(serde_json::to_string(&self.configuration))),
            ("training", json(serde_json::to_string(&self.training))),
        ];
        let layers = self.members.iter().enumerate();
        let layers =
            layers.flat_map(|(at, network)| named_layers(member_name(at), network.layers()));
        Bundle { kind: KIND, format: FORMAT, texts, layers: layers.collect() }.write(path)
    }

    /// Reads a model and verifies it.
    ///
    /// # Errors
    /// When the file is not there, is another, cut off, damaged or of a later version, or when its
    /// parts do not fit together.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        let mut file = Opened::read(path, KIND, FORMAT)?;
        let names: Vec<String> = file.json("labels")?;
        let labels = Labels::new(names)
            .map_err(|error| file.inconsistent(format!("its labels cannot be used: {error}")))?;
        let parsed = RuleText::new(file.text("rules")?)
            .labels(labels.clone())
            .dialect(Dialect::Rules)
            .parse();
        let program = parsed
            .map_err(|errors| file.inconsistent(format!("its rules cannot be used: {errors}")))?
            .program;
        if program.labels().len() != labels.len() {
            return Err(file.inconsistent("its rules have classes that its labels do not have"));
        }
        let thresholds = Thresholds::new(file.json("thresholds")?)
            .map_err(|error| file.inconsistent(error.to_string()))?;
        let evaluated: Vec<bool> = file.json("evaluated")?;
        for (what, found) in [("thresholds", thresholds.len()), ("evaluated", evaluated.len())] {
            if found != labels.len() {
                let expected = labels.len();
                let text = format!("its `{what}` has {found} entries for {expected} labels");
                return Err(file.inconsistent(text));
            }
        }
        let pipeline: Pipeline = file.json("preprocessing")?;
        if let Some(mistake) = pipeline.mistake() {
            return Err(file.inconsistent(format!("its preprocessing: {mistake}")));
        }
        let configuration: Configuration = file.json("configuration")?;
        if let Some(mistake) = configuration.mistakes().first() {
            return Err(file.inconsistent(format!("its configuration: {mistake}")));
        }
        let training: Training = file.json("training")?;
        if training.members.len() != configuration.members {
            return Err(file.inconsistent("it does not tell how each member was trained"));
        }
        let shape = Shape {
            inputs: pipeline.width(),
            hidden: configuration.hidden.clone(),
            outputs: labels.len(),
        };
        let members = (0..configuration.members)
            .map(|index| file.network(&member_name(index), &shape, configuration.activation));
        let members = members.collect::<Result<Vec<_>, _>>()?;
        Ok(Self { program, evaluated, thresholds, pipeline, configuration, training, members })
    }
}

fn member_name(index: usize) -> String {
    format!("member.{index}")
}
