//! The layer behind a network that somebody else wrote.
//!
//! The file is not taken apart and put together again: our nodes are appended to the bytes of its graph, so that everything in it
//! stays as it is, also what is not known here.

use std::io::Read;
use std::path::{Path, PathBuf};

use prost::Message;
use rulebound_core::{Labels, Program, Thresholds};

use super::error::OnnxError;
use super::file::{check_rules, head_metadata, write};
use super::graph::{GraphBuilder, Value};
use super::head::{GraphHead, GraphOptions, NetworkOutput, OutputNames};
use super::messages::{
    BOOL, DOUBLE, FLOAT, GraphMessage, ModelMessage, TypeMessage, ValueInfoMessage,
};
use super::wire::{Field, fields, push_field, push_number};
use crate::dataset::Column;
use crate::input::{InputError, open_file};

/// The oldest version of the standard operators that has all we use.
const OLDEST: i64 = 11;
/// The oldest format in which constants need not be inputs.
const OLDEST_IR: i64 = 4;
/// 16-bit numbers.
const HALF: i32 = 10;
/// The fields of a file and of a graph.
const IR_VERSION: u64 = 1;
const GRAPH: u64 = 7;

/// An input of a network: a table of all features, or one column by its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetworkInput {
    /// Its name.
    pub name: String,
    /// How many columns it has, if that is fixed.
    pub width: Option<usize>,
    pub(super) kind: i32,
}

/// A network in a file, with the output that is made coherent.
#[derive(Clone, Debug)]
pub struct NetworkFile {
    path: PathBuf,
    bytes: Vec<u8>,
    message: ModelMessage,
    inputs: Vec<NetworkInput>,
    output: String,
    kind: i32,
}

impl NetworkFile {
    /// Reads a network whose scores for so many classes are in this output; it may be left out if there is only one that can be meant.
    ///
    /// # Errors
    /// If the file is not a network, or has no such output; the error says what its outputs are.
    pub fn read(path: &Path, output: Option<&str>, classes: usize) -> Result<Self, OnnxError> {
        let bytes = read_bytes(path)?;
        let message = decode(path, &bytes)?;
        let graph = message.graph.clone().unwrap_or_default();
        let chosen = choose(path, &graph, output, classes)?;
        let tensor = chosen.r#type.as_ref().and_then(|of| of.tensor_type.as_ref());
        let kind = tensor.map_or(FLOAT, |tensor| tensor.elem_type);
        let (output, inputs) = (chosen.name.clone(), inputs(&graph));
        Ok(Self { path: path.to_owned(), bytes, inputs, output, kind, message })
    }

    /// The output that is made coherent.
    pub fn output(&self) -> &str {
        &self.output
    }

    /// The kind of its numbers.
    #[cfg(feature = "onnx")]
    pub(super) fn output_kind(&self) -> i32 {
        self.kind
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it is given, constants left out.
    pub fn inputs(&self) -> &[NetworkInput] {
        &self.inputs
    }

    /// The columns of a table that are its features, in order: all but those that are excluded, if it takes a table; or those
    /// with the names of its inputs.
    ///
    /// # Errors
    /// If it takes something else than numbers, or there are not as many columns, or some are missing; the error names them.
    pub fn features(
        &self,
        columns: &[Column],
        excluded: &Labels,
    ) -> Result<Vec<Column>, OnnxError> {
        let refused = |reason: String| OnnxError::Network { path: self.path.clone(), reason };
        if let Some(other) = self.inputs.iter().find(|input| ![FLOAT, DOUBLE].contains(&input.kind))
        {
            return Err(refused(format!(
                "its input `{}` is not of 32-bit or 64-bit numbers",
                other.name
            )));
        }
        let chosen: Vec<Column> = match &self.inputs[..] {
            [] => return Err(refused("it has no inputs".to_owned())),
            [table] => {
                let is_feature = |column: &&Column| excluded.find(&column.name).is_none();
                let features: Vec<Column> = columns.iter().filter(is_feature).cloned().collect();
                if let Some(width) = table.width.filter(|width| *width != features.len()) {
                    let found = features.len();
                    return Err(refused(format!(
                        "its input `{}` has {width} columns, but the data has {found} that are not classes{}",
                        table.name,
                        if found > width {
                            "; --id-column and --ignore leave columns out"
                        } else {
                            ""
                        }
                    )));
                }
                features
            }
            several => {
                let find = |input: &NetworkInput| {
                    let found = columns.iter().find(|column| column.name == input.name);
                    found.cloned().ok_or_else(|| {
                        refused(format!(
                            "it takes each column by its name, and the data has none named `{}`",
                            input.name
                        ))
                    })
                };
                several.iter().map(find).collect::<Result<_, _>>()?
            }
        };
        match chosen.iter().find(|column| column.values().is_some_and(|_| !column.is_indicator())) {
            Some(text) => {
                Err(refused(format!("it takes numbers, and the column `{}` has texts", text.name)))
            }
            None => Ok(chosen),
        }
    }

    /// The same network with the layer of these rules behind it. Its own outputs stay; ours come first.
    ///
    /// # Errors
    /// If there are requirements, or the file is too old, has rules already, or would be too large.
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
        check_rules(program, thresholds)?;
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
        let graph = self.message.graph.clone().unwrap_or_default();
        let names = names(&graph);
        let mut builder = GraphBuilder::new(free_prefix(&names), opset);
        let head = GraphHead::new(program, thresholds, options);
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
        let is_split = graph.initializer.iter().any(|tensor| tensor.data_location == 1);
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
        write(path, &self.bytes)
    }
}

/// The inputs of a graph that are not constants.
fn inputs(graph: &GraphMessage) -> Vec<NetworkInput> {
    let is_given =
        |input: &&ValueInfoMessage| graph.initializer.iter().all(|of| of.name != input.name);
    let one = |input: &ValueInfoMessage| {
        let tensor =
            input.r#type.as_ref().and_then(|of| of.tensor_type.clone()).unwrap_or_default();
        let dims = tensor.shape.map(|shape| shape.dim).unwrap_or_default();
        let last = dims.last().filter(|_| dims.len() == 2).and_then(|dim| dim.dim_value);
        let width = last.and_then(|width| usize::try_from(width).ok());
        NetworkInput { name: input.name.clone(), width, kind: tensor.elem_type }
    };
    graph.input.iter().filter(is_given).map(one).collect()
}

/// The bytes of a file, up to one more than there may be.
fn read_bytes(path: &Path) -> Result<Vec<u8>, OnnxError> {
    let failed = |source| InputError::Read { path: path.to_owned(), line: 0, source };
    let mut bytes = Vec::new();
    open_file(path)?.take(i32::MAX as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    match bytes.len() > i32::MAX as usize {
        true => Err(OnnxError::TooLarge { bytes: bytes.len() }),
        false => Ok(bytes),
    }
}

fn decode(path: &Path, bytes: &[u8]) -> Result<ModelMessage, OnnxError> {
    let not =
        |reason: &str| OnnxError::NotOnnx { path: path.to_owned(), reason: reason.to_owned() };
    if bytes.is_empty() {
        return Err(not("it is empty"));
    }
    let is_whole = fields(bytes).is_some();
    let message = match ModelMessage::decode(bytes) {
        Ok(message) if is_whole => message,
        _ => return Err(not("it is of another format, cut short or damaged")),
    };
    match &message.graph {
        Some(graph) if !graph.output.is_empty() && message.ir_version > 0 => Ok(message),
        _ => Err(not("it has no graph")),
    }
}

/// The output with the scores.
fn choose<'g>(
    path: &Path,
    graph: &'g GraphMessage,
    name: Option<&str>,
    classes: usize,
) -> Result<&'g ValueInfoMessage, OnnxError> {
    let refused = |reason: String| OnnxError::Network { path: path.to_owned(), reason };
    let listed = || {
        let names: Vec<&str> = graph.output.iter().map(|output| &output.name[..]).collect();
        format!("its outputs are `{}`", names.join("`, `"))
    };
    if let Some(name) = name {
        let found = graph.output.iter().find(|output| output.name == name);
        let found =
            found.ok_or_else(|| refused(format!("it has no output `{name}`; {}", listed())))?;
        return match unfit(found, classes) {
            Some(reason) => Err(refused(reason)),
            None => Ok(found),
        };
    }
    let fit: Vec<&ValueInfoMessage> =
        graph.output.iter().filter(|output| unfit(output, classes).is_none()).collect();
    match (&fit[..], &graph.output[..]) {
        ([one], _) => Ok(one),
        ([], [one]) => Err(refused(unfit(one, classes).unwrap_or_default())),
        ([], all) => {
            let reasons: Vec<String> = all.iter().filter_map(|one| unfit(one, classes)).collect();
            Err(refused(reasons.join("; ")))
        }
        _ => Err(refused(format!("{}; choose the one with the scores with --output", listed()))),
    }
}

/// Why an output cannot be scores of so many classes.
fn unfit(output: &ValueInfoMessage, classes: usize) -> Option<String> {
    let name = &output.name;
    let of = output.r#type.clone().unwrap_or_default();
    let TypeMessage { tensor_type, sequence_type, map_type } = &of;
    if sequence_type.is_some() || map_type.is_some() {
        return Some(format!(
            "the output `{name}` is a list of dictionaries, not an array; export the classifier again with `zipmap=False`"
        ));
    }
    let tensor = tensor_type.as_ref()?;
    if ![FLOAT, DOUBLE, HALF].contains(&tensor.elem_type) {
        let kind = match tensor.elem_type {
            BOOL => "truth values",
            8 => "texts",
            6 | 7 => "integers",
            _ => "something else",
        };
        return Some(format!("the output `{name}` has {kind}, not scores"));
    }
    let shape = tensor.shape.as_ref()?;
    let dims: Vec<Option<i64>> = shape.dim.iter().map(|dim| dim.dim_value).collect();
    let shown = || {
        let one = |dim: &Option<i64>| dim.map_or("rows".to_owned(), |dim| dim.to_string());
        dims.iter().map(one).collect::<Vec<_>>().join(" × ")
    };
    match dims[..] {
        [_, Some(width)] if width != classes as i64 => Some(format!(
            "the output `{name}` has {width} columns, but there are {classes} classes"
        )),
        [_, _] => None,
        [.., Some(2)] if dims.len() == 3 => Some(format!(
            "the output `{name}` is {}: one table of two columns for each class, as of scikit-learn's MultiOutputClassifier; \
             take the second column of each and put them side by side",
            shown()
        )),
        _ => Some(format!(
            "the output `{name}` is {}, not a table with a row for each example and a column for each class",
            shown()
        )),
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
