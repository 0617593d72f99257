//! A network of others as what computes the logits, run by onnxruntime.

use std::path::Path;

use ort::session::{Session, SessionInputValue};
use ort::value::Tensor;
use rulebound_core::{LabelId, Thresholds};

use super::error::OnnxError;
use super::head::NetworkOutput;
use super::library::environment;
use super::messages::{DOUBLE, FLOAT};
use super::network_file::{NetworkFile, NetworkInput};
use crate::dataset::Encoder;
use crate::predict::{FeatureRows, PredictError, Scorer};

/// A network in a file, ready to score rows.
pub struct NetworkScorer<'a> {
    session: Session,
    encoder: Encoder<'a>,
    inputs: Vec<NetworkInput>,
    output: String,
    output_kind: i32,
    kind: NetworkOutput,
    thresholds: Thresholds,
    features: Vec<f32>,
}

/// What the network computed is not what it said.
#[derive(Debug, thiserror::Error)]
enum RunError {
    #[error("the output `{output}` has the shape {found:?} instead of {expected:?}")]
    Shape { output: String, found: Vec<i64>, expected: [i64; 2] },
    #[error("onnxruntime: {0}")]
    Runtime(String),
}

impl From<ort::Error> for RunError {
    fn from(error: ort::Error) -> Self {
        Self::Runtime(error.to_string())
    }
}

impl<'a> NetworkScorer<'a> {
    /// Loads a network with the library at this path, or with the one that is found. The encoder makes its features of rows.
    ///
    /// # Errors
    /// If there is no library, or it refuses the network.
    pub fn new(
        network: &NetworkFile,
        encoder: Encoder<'a>,
        kind: NetworkOutput,
        thresholds: &Thresholds,
        library: Option<&Path>,
    ) -> Result<Self, OnnxError> {
        let path = || network.path().to_owned();
        if ![FLOAT, DOUBLE].contains(&network.output_kind()) {
            let reason = format!(
                "its output `{}` has 16-bit numbers; export it with 32-bit ones",
                network.output()
            );
            return Err(OnnxError::Network { path: path(), reason });
        }
        let environment = environment(library)?;
        let refused = |reason: String| OnnxError::Network {
            path: path(),
            reason: format!("onnxruntime refuses it: {reason}"),
        };
        let builder = Session::builder(&environment).map_err(|error| refused(error.to_string()))?;
        let builder = builder.with_intra_threads(rayon::current_num_threads());
        let mut builder = builder.map_err(|error| refused(error.to_string()))?;
        // From the file, so that numbers in other files are found.
        let session =
            builder.commit_from_file(network.path()).map_err(|error| refused(error.to_string()))?;
        Ok(Self {
            session,
            encoder,
            inputs: network.inputs().to_vec(),
            output: network.output().to_owned(),
            output_kind: network.output_kind(),
            kind,
            thresholds: thresholds.clone(),
            features: Vec::new(),
        })
    }

    fn run(&mut self, rows: FeatureRows<'_>, logits: &mut [f32]) -> Result<(), RunError> {
        let (count, width) = (rows.rows(), self.encoder.width());
        self.features.resize(count * width, 0.0);
        for (row, cells) in self.features.chunks_exact_mut(width.max(1)).enumerate() {
            self.encoder.encode(rows.row(row), cells);
        }
        let mut given = Vec::new();
        for (at, input) in self.inputs.iter().enumerate() {
            let is_table = self.inputs.len() == 1;
            let cells: Vec<f32> = match is_table {
                true => self.features.clone(),
                false => self.features.iter().skip(at).step_by(width.max(1)).copied().collect(),
            };
            let shape = [count, if is_table { width } else { 1 }];
            let value: SessionInputValue<'_> = if input.kind == DOUBLE {
                let cells: Vec<f64> = cells.into_iter().map(f64::from).collect();
                Tensor::from_array((shape, cells))?.into()
            } else {
                Tensor::from_array((shape, cells))?.into()
            };
            given.push((input.name.clone(), value));
        }
        let outputs = self.session.run(given)?;
        let classes = self.thresholds.len();
        let value = &outputs[&self.output[..]];
        let expected = [count as i64, classes as i64];
        let is_right = |shape: &[i64]| match shape == expected {
            true => Ok(()),
            false => {
                let (output, found) = (self.output.clone(), shape.to_vec());
                Err(RunError::Shape { output, found, expected })
            }
        };
        let scores: Vec<f32> = if self.output_kind == FLOAT {
            let (shape, scores) = value.try_extract_tensor::<f32>()?;
            is_right(shape)?;
            scores.to_vec()
        } else {
            let (shape, scores) = value.try_extract_tensor::<f64>()?;
            is_right(shape)?;
            scores.iter().map(|&score| score as f32).collect()
        };
        drop(outputs);
        for (at, (logit, score)) in logits.iter_mut().zip(scores).enumerate() {
            *logit = self.logit(LabelId::new(at % classes), score);
        }
        Ok(())
    }

    fn logit(&self, label: LabelId, score: f32) -> f32 {
        match self.kind {
            NetworkOutput::Logits => score,
            NetworkOutput::Margins => self.thresholds.logit_of_margin(label, score),
            // Not a probability: not a number.
            NetworkOutput::Probabilities if !(0.0..=1.0).contains(&score) => f32::NAN,
            NetworkOutput::Probabilities => {
                let margin = self.thresholds.margin_of_probability(label, score);
                self.thresholds.logit_of_margin(label, margin)
            }
        }
    }
}

impl Scorer for NetworkScorer<'_> {
    fn logits(&mut self, rows: FeatureRows<'_>, logits: &mut [f32]) -> Result<(), PredictError> {
        self.run(rows, logits).map_err(|error| PredictError::Scorer(Box::new(error)))
    }
}
