//! The layer behind a network that somebody else wrote.
//!
//! The file is not taken apart and put together again: our nodes are appended to the bytes of its graph, so that everything in it
//! stays as it is, also what is not known here.

use std::path::{Path, PathBuf};

use prost::Message;
use rulebound_core::{Program, Thresholds};

use super::error::OnnxError;
use super::file::{head_metadata, written};
use super::graph::{GraphBuilder, Value};
use super::head::{GraphHead, GraphOptions, NetworkOutput, OutputNames};
use super::messages::{FLOAT, GraphMessage, ModelMessage, ValueInfoMessage};
use super::network_file::NetworkFile;
use super::survey::{NEWEST_IR, NEWEST_OPSET};
use super::wire::{Field, fields, push_field, push_number};
use crate::output::Existing;

/// The oldest version of the standard operators that has all we use.
const OLDEST: i64 = 11;
/// The oldest format in which constants need not be inputs.
const OLDEST_IR: i64 = 4;
/// The fields of a file and of a graph.
const IR_VERSION: u64 = 1;
const GRAPH: u64 = 7;

impl NetworkFile {
    /// The same network with the layer of these rules behind it. Its own outputs stay; ours come first.
    ///
    /// # Errors
    /// If there are requirements that a graph cannot settle, or the file is too old, has rules already, or would be too large.
    ///
    /// # Panics
    /// If there is not one threshold for each class.
    pub fn with_rules(
        &self,
        program: &Program,
        thresholds: &Thresholds,
        kind: NetworkOutput,
        options: GraphOptions,
    ) -> Result<CoherentNetwork, OnnxError> {
        let refused = |reason: String| OnnxError::Network { path: self.path.clone(), reason };
        if self.message.metadata_props.iter().any(|entry| entry.key.starts_with("rulebound.")) {
            return Err(refused("it has rules already".to_owned()));
        }
        let standard =
            self.message.opset_import.iter().find(|set| matches!(&set.domain[..], "" | "ai.onnx"));
        let opset = standard.map_or(1, |set| set.version);
        if opset < OLDEST {
            return Err(refused(format!(
                "it uses version {opset} of the operators; export it again with version {OLDEST} or later"
            )));
        }
        if opset > NEWEST_OPSET {
            return Err(refused(format!(
                "it uses version {opset} of the operators, and versions up to {NEWEST_OPSET} are known; export it again with an older one"
            )));
        }
        if self.message.ir_version > NEWEST_IR {
            return Err(refused(format!(
                "it has version {} of the format, and versions up to {NEWEST_IR} are known; export it again with an older one",
                self.message.ir_version
            )));
        }
        if let Some(mistake) = &self.survey.mistake {
            return Err(refused(format!("no runtime can run it: {mistake}")));
        }
        let graph = self.message.graph.clone().unwrap_or_default();
        let names = names(&graph);
        let mut builder = GraphBuilder::new(free_prefix(&names), opset);
        let head = GraphHead::new(program, thresholds, options)?;
        let mut scores = Value::named(&self.output);
        if self.kind != FLOAT {
            scores = builder.cast(&scores, FLOAT);
        }
        let margins = head.margins_of_scores(&mut builder, &scores, kind);
        let output_names = OutputNames::beside(&names);
        let outputs = head.append(&mut builder, &margins, &output_names);
        let added = builder.finish("");
        let metadata = head_metadata(program.labels(), thresholds, Some(program));
        let bytes = self.joined(
            &outputs,
            &added,
            ModelMessage { metadata_props: metadata, ..ModelMessage::default() },
        );
        let outputs = outputs.into_iter().map(|output| output.name).collect();
        let is_split = !self.survey.files.is_empty();
        Ok(CoherentNetwork { network: self.path.clone(), bytes, outputs, is_split })
    }

    /// The bytes of the file, with outputs before those of its graph, nodes and constants behind, and more about the model.
    fn joined(
        &self,
        outputs: &[ValueInfoMessage],
        added: &GraphMessage,
        about: ModelMessage,
    ) -> Vec<u8> {
        let found: Vec<Field> = fields(&self.bytes).unwrap_or_default();
        let mut bytes = Vec::with_capacity(self.bytes.len() + added.encoded_len() + 4096);
        push_number(&mut bytes, IR_VERSION, self.message.ir_version.max(OLDEST_IR) as u64);
        let before = GraphMessage { output: outputs.to_vec(), ..GraphMessage::default() };
        let mut graph = before.encode_to_vec();
        for field in &found {
            match field.number {
                IR_VERSION => {}
                GRAPH => graph.extend_from_slice(&self.bytes[field.content.clone()]),
                _ => bytes.extend_from_slice(&self.bytes[field.whole.clone()]),
            }
        }
        graph.extend(added.encode_to_vec());
        push_field(&mut bytes, GRAPH, &graph);
        bytes.extend(about.encode_to_vec());
        bytes
    }
}

/// A network with a layer behind it.
#[derive(Clone, Debug)]
pub struct CoherentNetwork {
    network: PathBuf,
    bytes: Vec<u8>,
    outputs: Vec<String>,
    /// Numbers are in other files beside it.
    is_split: bool,
}

impl CoherentNetwork {
    /// The outputs that are ours: probabilities, decisions, and margins if asked for.
    pub fn outputs(&self) -> &[String] {
        &self.outputs
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes the file, which appears only once it is complete.
    ///
    /// # Errors
    /// If it cannot be written, or its numbers are in files of another folder.
    pub fn write(&self, path: &Path) -> Result<(), OnnxError> {
        self.write_as(path, Existing::Replace)
    }

    /// As [`write`](Self::write), with a choice of what becomes of a file that exists.
    ///
    /// # Errors
    /// As [`write`](Self::write), and [`OutputError::Exists`](crate::output::OutputError::Exists).
    pub fn write_as(&self, path: &Path, existing: Existing) -> Result<(), OnnxError> {
        let folder = |path: &Path| {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            folder.unwrap_or(Path::new(".")).canonicalize().ok()
        };
        if self.is_split && folder(path) != folder(&self.network) {
            return Err(OnnxError::Network {
                path: self.network.clone(),
                reason:
                    "its weights are in other files beside it; write the output to the same folder"
                        .to_owned(),
            });
        }
        Ok(written(path, &self.bytes, existing)?.publish()?)
    }
}

/// Every name of a graph that an added one could be mistaken for.
fn names(graph: &GraphMessage) -> Vec<&str> {
    let values = graph.input.iter().chain(&graph.output).map(|value| &value.name);
    let constants = graph.initializer.iter().map(|tensor| &tensor.name);
    let nodes = graph.node.iter().flat_map(|node| node.output.iter().chain([&node.name]));
    values.chain(constants).chain(nodes).map(|name| &name[..]).collect()
}

fn free_prefix(names: &[&str]) -> String {
    let mut prefix = super::file::PREFIX.to_owned();
    while names.iter().any(|name| name.starts_with(&prefix)) {
        prefix.insert(0, '_');
    }
    prefix
}
