//! Learners of any kind as nodes of a graph, from the arrays that a model file has of them.

use super::error::OnnxError;
use super::graph::{GraphBuilder, Value};
use super::{levels, linear, network, trees};
use crate::learner::{Learner, NamedTensors};

/// Appends a member of a learner: from its arrays and encoded rows to logits, `[classes, rows]` with classes in
/// this order.
type Nodes = fn(&mut GraphBuilder, &NamedTensors, &Value, &[usize]) -> Value;

/// The nodes of each kind of learner.
const NODES: [(&str, Nodes); 10] = [
    ("prior", network::prior),
    ("logistic", linear::regressions),
    ("chains", linear::chains),
    ("labelsets", linear::label_sets),
    ("camel", linear::kernels),
    ("clus", trees::trees),
    ("forest", trees::trees),
    ("lmlp", levels::local_perceptrons),
    ("level-network", levels::level_network),
    ("two-way", levels::two_way),
];

/// The logits of each of a learner's members, `[classes, rows]` with classes in this order.
pub(super) fn members(
    graph: &mut GraphBuilder,
    learner: &Learner,
    encoded: &Value,
    order: &[usize],
) -> Result<Vec<Value>, OnnxError> {
    let members = match learner {
        Learner::Networks(members) => {
            let one = |one| network::network(graph, one, encoded, order);
            return Ok(members.iter().map(one).collect());
        }
        Learner::Members(members) => members,
    };
    let refused = |reason| OnnxError::Learner { learner: learner.to_string(), reason };
    let nodes = NODES.iter().find(|(kind, _)| *kind == learner.kind());
    let (_, nodes) = nodes.ok_or_else(|| refused("there are no nodes for this kind of learner"))?;
    let one = |tensors: NamedTensors| match linear::has_long_chain(&tensors) {
        false => Ok(nodes(graph, &tensors, encoded, order)),
        true => Err(refused(
            "each class waits for the decisions of all before it, and there are more than 512",
        )),
    };
    members.iter().map(|member| member.tensors()).map(one).collect()
}
