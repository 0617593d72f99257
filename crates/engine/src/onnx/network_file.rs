//! A network that somebody else wrote: what it is given, and which of its outputs has the scores.

use std::io::Read;
use std::path::{Path, PathBuf};

use prost::Message;
use rulebound_core::Labels;

use super::error::OnnxError;
use super::messages::{
    BOOL, DOUBLE, FLOAT, GraphMessage, ModelMessage, TypeMessage, ValueInfoMessage,
};
use super::survey::Survey;
use super::wire::fields;
use crate::dataset::Column;
use crate::input::{InputError, open_file};

/// 16-bit numbers.
const HALF: i32 = 10;

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
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
    pub(super) message: ModelMessage,
    inputs: Vec<NetworkInput>,
    pub(super) output: String,
    pub(super) kind: i32,
    pub(super) survey: Survey,
}

impl NetworkFile {
    /// Reads a network whose scores for so many classes are in this output; it may be left out if there is only one that can be meant.
    ///
    /// # Errors
    /// If the file is not a network, or has no such output; the error says what its outputs are.
    pub fn read(path: &Path, output: Option<&str>, classes: usize) -> Result<Self, OnnxError> {
        let network = Self::from_bytes(path, read_bytes(path)?, output, classes)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        match network.survey.files.iter().find(|file| !folder.join(file).is_file()) {
            None => Ok(network),
            Some(file) => Err(OnnxError::Network {
                path: path.to_owned(),
                reason: format!(
                    "its weights are in the file `{file}` beside it, which is not there"
                ),
            }),
        }
    }

    /// As [`read`](Self::read), of the bytes of a file that errors call `path`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn from_bytes(
        path: &Path,
        bytes: Vec<u8>,
        output: Option<&str>,
        classes: usize,
    ) -> Result<Self, OnnxError> {
        let message = decode(path, &bytes)?;
        let survey = Survey::new(&bytes).map_err(|file| OnnxError::Network {
            path: path.to_owned(),
            reason: format!(
                "its weights are said to be in the file `{file}`, which is not in its own folder"
            ),
        })?;
        let graph = message.graph.clone().unwrap_or_default();
        let chosen = choose(path, &graph, output, classes)?;
        let tensor = chosen.r#type.as_ref().and_then(|of| of.tensor_type.as_ref());
        let kind = tensor.map_or(FLOAT, |tensor| tensor.elem_type);
        let (output, inputs) = (chosen.name.clone(), inputs(&graph));
        Ok(Self { path: path.to_owned(), bytes, inputs, output, kind, message, survey })
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
