//! Whether a graph that somebody else wrote can be run at all, and where its numbers are.
//!
//! Only what is behind a network can be ours, so that a file that no runtime loads would look as if it were our fault, and
//! only when it is used. Messages of their own are decoded here, with the few fields that matter, so that numbers are not
//! copied.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path};

use prost::Message;

/// The newest format and the newest operators that are known: those of ONNX 1.23. Operators may change their meaning
/// with any version, and ours are put beside them.
pub(super) const NEWEST_IR: i64 = 14;
pub(super) const NEWEST_OPSET: i64 = 28;

#[derive(Clone, PartialEq, Eq, Hash, Message)]
struct SurveyedModel {
    #[prost(message, optional, tag = "7")]
    graph: Option<SurveyedGraph>,
    #[prost(message, repeated, tag = "25")]
    functions: Vec<SurveyedFunction>,
}

#[derive(Clone, PartialEq, Eq, Hash, Message)]
struct SurveyedFunction {
    #[prost(message, repeated, tag = "7")]
    node: Vec<SurveyedNode>,
}

#[derive(Clone, PartialEq, Eq, Hash, Message)]
struct SurveyedGraph {
    #[prost(message, repeated, tag = "1")]
    node: Vec<SurveyedNode>,
    #[prost(message, repeated, tag = "5")]
    initializer: Vec<SurveyedTensor>,
    #[prost(message, repeated, tag = "11")]
    input: Vec<SurveyedValue>,
    #[prost(message, repeated, tag = "12")]
    output: Vec<SurveyedValue>,
    #[prost(message, repeated, tag = "15")]
    sparse_initializer: Vec<SurveyedSparse>,
}

#[derive(Clone, PartialEq, Eq, Hash, Message)]
struct SurveyedNode {
    #[prost(string, repeated, tag = "1")]
    input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    output: Vec<String>,
    #[prost(string, tag = "4")]
    op_type: String,
    #[prost(message, repeated, tag = "5")]
    attribute: Vec<SurveyedAttribute>,
}

#[derive(Clone, PartialEq, Eq, Hash, Message)]
struct SurveyedAttribute {
    #[prost(message, optional, tag = "5")]
    t: Option<SurveyedTensor>,
    #[prost(message, optional, tag = "6")]
    g: Option<SurveyedGraph>,
    #[prost(message, repeated, tag = "10")]
    tensors: Vec<SurveyedTensor>,
    #[prost(message, repeated, tag = "11")]
    graphs: Vec<SurveyedGraph>,
    #[prost(message, optional, tag = "22")]
    sparse_tensor: Option<SurveyedSparse>,
    #[prost(message, repeated, tag = "23")]
    sparse_tensors: Vec<SurveyedSparse>,
}

#[derive(Clone, PartialEq, Eq, Hash, Message)]
struct SurveyedSparse {
    #[prost(message, optional, tag = "1")]
    values: Option<SurveyedTensor>,
    #[prost(message, optional, tag = "2")]
    indices: Option<SurveyedTensor>,
}

#[derive(Clone, PartialEq, Eq, Hash, Message)]
struct SurveyedTensor {
    #[prost(string, tag = "8")]
    name: String,
    #[prost(message, repeated, tag = "13")]
    external_data: Vec<SurveyedEntry>,
    #[prost(int32, tag = "14")]
    data_location: i32,
}

#[derive(Clone, PartialEq, Eq, Hash, Message)]
struct SurveyedEntry {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(string, tag = "2")]
    value: String,
}

#[derive(Clone, PartialEq, Eq, Hash, Message)]
struct SurveyedValue {
    #[prost(string, tag = "1")]
    name: String,
}

/// What was found in a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Survey {
    /// Why no runtime would run its graph, in words.
    pub mistake: Option<String>,
    /// The other files that have its numbers, each once, relative to its folder.
    pub files: Vec<String>,
}

impl Survey {
    /// Looks through the bytes of a file that has been decoded.
    ///
    /// # Errors
    /// The name of a file with numbers that is not below the folder of the network: a network of others says which
    /// files are read.
    pub fn new(bytes: &[u8]) -> Result<Self, String> {
        // What cannot be decoded is refused by who called this.
        let model = SurveyedModel::decode(bytes).unwrap_or_default();
        let graph = model.graph.unwrap_or_default();
        let mut files = Vec::new();
        of_graph(&graph, &mut files);
        model.functions.iter().for_each(|function| of_nodes(&function.node, &mut files));
        files.sort();
        files.dedup();
        match files.iter().find(|file| !is_below(file)) {
            Some(file) => Err(file.clone()),
            None => Ok(Self { mistake: mistake(&graph, &[]), files }),
        }
    }
}

/// Whether a path stays in the folder that it is relative to.
fn is_below(file: &str) -> bool {
    let parts = Path::new(file).components();
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    !file.is_empty() && !file.contains('\\') && parts.into_iter().all(is_plain)
}

fn of_graph(graph: &SurveyedGraph, files: &mut Vec<String>) {
    graph.initializer.iter().for_each(|tensor| of_tensor(tensor, files));
    graph.sparse_initializer.iter().for_each(|tensor| of_sparse(tensor, files));
    of_nodes(&graph.node, files);
}

fn of_nodes(nodes: &[SurveyedNode], files: &mut Vec<String>) {
    for attribute in nodes.iter().flat_map(|node| &node.attribute) {
        let tensors = attribute.t.iter().chain(&attribute.tensors);
        tensors.for_each(|tensor| of_tensor(tensor, files));
        let sparse = attribute.sparse_tensor.iter().chain(&attribute.sparse_tensors);
        sparse.for_each(|tensor| of_sparse(tensor, files));
        inner(attribute).for_each(|graph| of_graph(graph, files));
    }
}

fn of_sparse(tensor: &SurveyedSparse, files: &mut Vec<String>) {
    tensor.values.iter().chain(&tensor.indices).for_each(|tensor| of_tensor(tensor, files));
}

fn of_tensor(tensor: &SurveyedTensor, files: &mut Vec<String>) {
    let location = tensor.external_data.iter().find(|entry| entry.key == "location");
    if tensor.data_location == 1 || location.is_some() {
        files.push(location.map_or(String::new(), |entry| entry.value.clone()));
    }
}

fn inner(attribute: &SurveyedAttribute) -> impl Iterator<Item = &SurveyedGraph> {
    attribute.g.iter().chain(&attribute.graphs)
}

/// Why a graph cannot be run, if it cannot: a value that nothing computes, that is computed twice, or from itself.
fn mistake(graph: &SurveyedGraph, outer: &[&HashSet<&str>]) -> Option<String> {
    let sparse = graph.sparse_initializer.iter().filter_map(|tensor| tensor.values.as_ref());
    let constants = graph.initializer.iter().chain(sparse).map(|tensor| &tensor.name[..]);
    let mut here: HashSet<&str> =
        graph.input.iter().map(|value| &value.name[..]).chain(constants).collect();
    let mut made_by: HashMap<&str, usize> = HashMap::new();
    for (at, node) in graph.node.iter().enumerate() {
        for name in node.output.iter().filter(|name| !name.is_empty()) {
            if here.contains(&name[..]) || made_by.insert(name, at).is_some() {
                return Some(format!("its value `{name}` is computed twice"));
            }
        }
    }
    here.extend(made_by.keys());
    let scopes = [outer, &[&here]].concat();
    let is_known = |name: &str| scopes.iter().any(|scope| scope.contains(name));
    // For each node, those that have to come before it.
    let mut waits: Vec<HashSet<usize>> = Vec::with_capacity(graph.node.len());
    for node in &graph.node {
        let mut read: HashSet<&str> =
            node.input.iter().map(|name| &name[..]).filter(|name| !name.is_empty()).collect();
        if let Some(name) = read.iter().find(|name| !is_known(name)) {
            return Some(format!(
                "its node {} reads `{name}`, which nothing computes",
                node.op_type
            ));
        }
        for inner in node.attribute.iter().flat_map(inner) {
            if let Some(mistake) = mistake(inner, &scopes) {
                return Some(mistake);
            }
            names_read(inner, &mut read);
        }
        waits.push(read.iter().filter_map(|name| made_by.get(name).copied()).collect());
    }
    if let Some(value) = graph.output.iter().find(|value| !is_known(&value.name)) {
        return Some(format!("its output `{}` is computed by nothing", value.name));
    }
    cycle(&waits).map(|at| {
        let name = graph.node[at].output.first().map_or("", |name| &name[..]);
        format!("its value `{name}` depends on itself")
    })
}

/// The names that a graph inside of another reads of the one outside.
fn names_read<'a>(graph: &'a SurveyedGraph, read: &mut HashSet<&'a str>) {
    let mut names: HashSet<&str> = graph.output.iter().map(|value| &value.name[..]).collect();
    for node in &graph.node {
        names.extend(node.input.iter().map(|name| &name[..]));
        node.attribute.iter().flat_map(inner).for_each(|graph| names_read(graph, &mut names));
    }
    let own = graph.input.iter().map(|value| &value.name);
    let own = own.chain(graph.initializer.iter().map(|tensor| &tensor.name));
    let own = own.chain(graph.node.iter().flat_map(|node| &node.output));
    own.for_each(|name| {
        names.remove(&name[..]);
    });
    read.extend(names);
}

/// A node that waits for itself, directly or not.
fn cycle(waits: &[HashSet<usize>]) -> Option<usize> {
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); waits.len()];
    for (at, before) in waits.iter().enumerate() {
        before.iter().for_each(|&node| followers[node].push(at));
    }
    let mut left: Vec<usize> = waits.iter().map(HashSet::len).collect();
    let mut ready: Vec<usize> = (0..waits.len()).filter(|&at| left[at] == 0).collect();
    while let Some(at) = ready.pop() {
        for &next in &followers[at] {
            left[next] -= 1;
            if left[next] == 0 {
                ready.push(next);
            }
        }
    }
    // Of those that are left each waits for another one: going back ends on a cycle.
    let mut at = left.iter().position(|&left| left > 0)?;
    for _ in 0..waits.len() {
        at = *waits[at].iter().find(|&&before| left[before] > 0)?;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(inputs: &[&str], outputs: &[&str]) -> SurveyedNode {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        SurveyedNode {
            input: names(inputs),
            output: names(outputs),
            op_type: "Add".to_owned(),
            attribute: Vec::new(),
        }
    }

    fn value(name: &str) -> SurveyedValue {
        SurveyedValue { name: name.to_owned() }
    }

    fn graph(nodes: Vec<SurveyedNode>) -> SurveyedGraph {
        SurveyedGraph {
            node: nodes,
            input: vec![value("x")],
            output: vec![value("y")],
            ..SurveyedGraph::default()
        }
    }

    fn survey(graph: SurveyedGraph) -> Result<Survey, String> {
        let model = SurveyedModel { graph: Some(graph), functions: Vec::new() };
        Survey::new(&model.encode_to_vec())
    }

    #[test]
    fn a_graph_that_no_runtime_runs_is_found() {
        let found = |nodes| survey(graph(nodes)).unwrap().mistake.unwrap_or_default();
        assert_eq!(found(vec![node(&["x"], &["y"])]), "");
        // In any order, and with what is left out.
        assert_eq!(found(vec![node(&["a", ""], &["y"]), node(&["x"], &["a", ""])]), "");
        let cyclic = vec![node(&["x", "b"], &["a"]), node(&["a"], &["b"]), node(&["b"], &["y"])];
        assert!(found(cyclic).contains("depends on itself"));
        assert!(found(vec![node(&["y"], &["y"])]).contains("`y` depends on itself"));
        assert!(found(vec![node(&["z"], &["y"])]).contains("reads `z`, which nothing computes"));
        assert!(found(vec![node(&["x"], &["a"])]).contains("output `y`"));
        let twice = vec![node(&["x"], &["y"]), node(&["x"], &["y"])];
        assert!(found(twice).contains("`y` is computed twice"));
        assert!(found(vec![node(&["y"], &["x"]), node(&["x"], &["y"])]).contains("twice"));
    }

    #[test]
    fn a_graph_inside_another_reads_what_is_outside() {
        let with = |inside: SurveyedGraph| {
            let attribute = SurveyedAttribute { g: Some(inside), ..SurveyedAttribute::default() };
            let branch = SurveyedNode { attribute: vec![attribute], ..node(&["x"], &["y"]) };
            survey(graph(vec![node(&["x"], &["a"]), branch])).unwrap().mistake
        };
        let inside = |read: &str| SurveyedGraph {
            node: vec![node(&[read], &["inside"])],
            output: vec![value("inside")],
            ..SurveyedGraph::default()
        };
        assert_eq!(with(inside("a")), None);
        assert!(with(inside("nowhere")).unwrap().contains("nowhere"));
        // What the node itself makes is not there yet.
        assert!(with(inside("y")).unwrap().contains("depends on itself"));
    }

    #[test]
    fn numbers_are_in_files_of_the_same_folder() {
        let at = |file: &str, is_attribute: bool| {
            let location = SurveyedEntry { key: "location".to_owned(), value: file.to_owned() };
            let tensor = SurveyedTensor {
                name: "w".to_owned(),
                external_data: vec![location],
                data_location: 1,
            };
            let mut graph = graph(vec![node(&["x"], &["y"])]);
            match is_attribute {
                true => graph.node[0]
                    .attribute
                    .push(SurveyedAttribute { t: Some(tensor), ..SurveyedAttribute::default() }),
                false => graph.initializer.push(tensor),
            }
            survey(graph).map(|found| found.files)
        };
        for is_attribute in [false, true] {
            assert_eq!(at("w.bin", is_attribute).unwrap(), ["w.bin"]);
            assert_eq!(at("parts/w.bin", is_attribute).unwrap(), ["parts/w.bin"]);
            for outside in ["../../etc/passwd", "/etc/passwd", "parts/../../w.bin", "", "..\\w.bin"]
            {
                assert_eq!(at(outside, is_attribute).unwrap_err(), outside);
            }
        }
    }
}
