//! Learners of any kind as nodes of a graph.

use super::error::OnnxError;
use super::graph::{GraphBuilder, Value};
use super::{levels, linear, network, trees};
use crate::learner::Learner;

/// The logits of each of a learner's members, `[classes, rows]` with classes in this order.
pub(super) fn members(
    graph: &mut GraphBuilder,
    learner: &Learner,
    encoded: &Value,
    order: &[usize],
) -> Result<Vec<Value>, OnnxError> {
    Ok(match learner {
        Learner::Networks(members) => {
            members.iter().map(|one| network::network(graph, one, encoded, order)).collect()
        }
        Learner::Prior(prior) => vec![network::prior(graph, prior, encoded, order)],
        Learner::Logistic(set) => {
            vec![linear::regressions(graph, &set.tensors(), encoded, order)]
        }
        Learner::Chains(chains) if chains.classes() > linear::LONGEST_CHAIN => {
            return Err(OnnxError::Learner {
                learner: learner.to_string(),
                reason: "each class waits for the decisions of all before it, and there are more than 512",
            });
        }
        Learner::Chains(of) => {
            vec![linear::chains(graph, &of.tensors(), of.chains(), encoded, order)]
        }
        Learner::Labelsets(sets) => {
            vec![linear::label_sets(graph, &sets.tensors(), encoded, order)]
        }
        Learner::Camel(camel) => vec![linear::kernels(graph, &camel.tensors(), encoded, order)],
        Learner::Clus(clus) => vec![trees::trees(graph, clus.tensors(), encoded, order)],
        Learner::Forest(forest) => vec![trees::trees(graph, forest.tensors(), encoded, order)],
        Learner::Lmlps(members) => members
            .iter()
            .map(|one| levels::local_perceptrons(graph, &one.tensors(), encoded, order))
            .collect(),
        Learner::LevelNetworks(members) => members
            .iter()
            .map(|one| levels::level_network(graph, &one.tensors(), encoded, one.inputs(), order))
            .collect(),
        Learner::TwoWays(members) => {
            members.iter().map(|one| levels::two_way(graph, one, encoded, order)).collect()
        }
    })
}
