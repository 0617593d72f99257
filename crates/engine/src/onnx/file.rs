//! A complete ONNX file.

use std::io::Write;
use std::path::Path;

use prost::Message;
use rulebound_core::{Labels, Program, Thresholds};

use super::error::OnnxError;
use super::graph::{GraphBuilder, OPSET, Value};
use super::head::{GraphHead, GraphOptions, NetworkOutput, OutputNames};
use super::messages::{
    EntryMessage, FLOAT, GraphMessage, ModelMessage, OperatorSetMessage, ValueInfoMessage,
};
use crate::output::{Existing, FinishedFile, OutputFile};

/// The version of the format; that of the year of operator set 15, which everything still in use can read.
const IR_VERSION: i64 = 8;

/// What the constants and nodes of a file begin with.
pub(super) const PREFIX: &str = "rulebound/";

/// The version of the operators for trees and texts.
const ML_OPSET: i64 = 3;

/// The name of that set of operators.
pub(super) const ML: &str = "ai.onnx.ml";

/// An ONNX file, ready to be written.
#[derive(Clone, PartialEq, Debug)]
pub struct OnnxFile {
    message: ModelMessage,
}

impl OnnxFile {
    /// The layer of rules alone: scores of any kind in, `[rows, classes]`, coherent probabilities and decisions out.
    ///
    /// ```
    /// use rulebound::core::{Program, Thresholds};
    /// use rulebound::onnx::{GraphOptions, NetworkOutput, OnnxFile};
    /// let program: Program = "cat -> animal".parse()?;
    /// let thresholds = Thresholds::half(2);
    /// let options = GraphOptions::default();
    /// let file = OnnxFile::of_rules(&program, &thresholds, NetworkOutput::Logits, options)?;
    /// assert!(!file.to_bytes().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OnnxError::Requirements`], [`OnnxError::RequirementsTooLarge`] and [`OnnxError::NoClasses`].
    ///
    /// # Panics
    /// If there is not one threshold for each class.
    pub fn of_rules(
        program: &Program,
        thresholds: &Thresholds,
        kind: NetworkOutput,
        options: GraphOptions,
    ) -> Result<Self, OnnxError> {
        let mut graph = GraphBuilder::new(PREFIX, OPSET);
        let head = GraphHead::new(program, thresholds, options)?;
        let input = kind.to_string();
        let names = OutputNames::beside(&[&input]);
        let margins = head.margins_of_scores(&mut graph, &Value::named(&input), kind);
        let outputs = head.append(&mut graph, &margins, &names);
        let shape = [None, Some(thresholds.len())];
        let inputs = vec![ValueInfoMessage::tensor(&input, FLOAT, &shape)];
        let metadata = head_metadata(program.labels(), thresholds, Some(program));
        Ok(Self::assemble(graph, inputs, outputs, metadata))
    }

    pub(super) fn assemble(
        graph: GraphBuilder,
        input: Vec<ValueInfoMessage>,
        output: Vec<ValueInfoMessage>,
        metadata_props: Vec<EntryMessage>,
    ) -> Self {
        let graph = GraphMessage { input, output, ..graph.finish("rulebound") };
        let mut opset_import = vec![OperatorSetMessage { domain: String::new(), version: OPSET }];
        if graph.node.iter().any(|node| node.domain == ML) {
            opset_import.push(OperatorSetMessage { domain: ML.to_owned(), version: ML_OPSET });
        }
        let message = ModelMessage {
            ir_version: IR_VERSION,
            producer_name: "rulebound".to_owned(),
            producer_version: env!("CARGO_PKG_VERSION").to_owned(),
            graph: Some(graph),
            opset_import,
            metadata_props,
        };
        Self { message }
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.message.encode_to_vec()
    }

    /// The operators that it uses, each once, in alphabetical order.
    pub fn operators(&self) -> Vec<&str> {
        fn collect<'a>(graph: &'a GraphMessage, found: &mut Vec<&'a str>) {
            for node in &graph.node {
                found.push(&node.op_type);
                node.attribute
                    .iter()
                    .filter_map(|of| of.g.as_ref())
                    .for_each(|g| collect(g, found));
            }
        }
        let mut found = Vec::new();
        self.message.graph.iter().for_each(|graph| collect(graph, &mut found));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The names of its outputs.
    pub fn outputs(&self) -> impl Iterator<Item = &str> {
        let outputs = self.message.graph.iter().flat_map(|graph| &graph.output);
        outputs.map(|output| &output.name[..])
    }

    /// How many nodes it has.
    pub fn nodes(&self) -> usize {
        self.message.graph.as_ref().map_or(0, |graph| graph.node.len())
    }

    /// Writes the file, which appears only once it is complete.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), OnnxError> {
        self.write_as(path, Existing::Replace)
    }

    /// As [`write`](Self::write), with a choice of what becomes of a file that exists.
    ///
    /// # Errors
    /// As [`write`](Self::write), and [`OutputError::Exists`](crate::output::OutputError::Exists).
    pub fn write_as(&self, path: &Path, existing: Existing) -> Result<(), OnnxError> {
        Ok(written(path, &self.to_bytes(), existing)?.publish()?)
    }
}

/// A complete file that has not appeared yet.
pub(super) fn written(
    path: &Path,
    bytes: &[u8],
    existing: Existing,
) -> Result<FinishedFile, OnnxError> {
    if bytes.len() > i32::MAX as usize {
        return Err(OnnxError::TooLarge { bytes: bytes.len() });
    }
    let mut file = OutputFile::create_as(path, existing)?;
    file.write_all(bytes).map_err(|source| file.failed(source))?;
    Ok(file.finish()?)
}

/// What is said about classes, thresholds and rules: JSON, and the text of the rules.
pub(super) fn head_metadata(
    labels: &Labels,
    thresholds: &Thresholds,
    rules: Option<&Program>,
) -> Vec<EntryMessage> {
    let names: Vec<&str> = labels.ids().map(|label| labels.name(label)).collect();
    let values: Vec<f64> = labels.ids().map(|label| thresholds.value(label)).collect();
    let mut entries = vec![
        entry("rulebound.version", env!("CARGO_PKG_VERSION")),
        entry("rulebound.classes", serde_json::Value::from(names).to_string()),
        entry("rulebound.thresholds", serde_json::Value::from(values).to_string()),
    ];
    entries.extend(rules.map(|rules| entry("rulebound.rules", rules.to_text())));
    entries
}

pub(super) fn entry(key: &str, value: impl Into<String>) -> EntryMessage {
    EntryMessage { key: key.to_owned(), value: value.into() }
}
