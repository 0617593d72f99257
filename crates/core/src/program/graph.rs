//! The dependency graph G_Π and its strongly connected components.
//!
//! An edge goes from every class in the body of a rule to the rule's head,
//! marked negative where the class is negated. Nothing here recurses, so a
//! chain of a million rules needs no deeper stack than a chain of two.

use crate::label::LabelId;
use crate::rule::{Rule, RuleId};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use std::collections::VecDeque;

/// One edge of the graph: a dependency between two classes, from one rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dependency {
    /// The class in the body.
    pub from: LabelId,
    /// The head.
    pub to: LabelId,
    /// Whether `from` is negated there.
    pub negated: bool,
    /// The rule.
    pub rule: RuleId,
}

/// The dependency graph of a set of rules.
#[derive(Clone, Debug)]
pub struct DependencyGraph {
    graph: DiGraph<(), (RuleId, bool)>,
}

/// The maximum number of negative edges per component that are tried in the
/// search for a short cycle: each costs one pass over the component.
const CYCLE_TRIES: usize = 16;

impl DependencyGraph {
    /// The graph of `rules` over `labels` classes.
    pub fn new(labels: usize, rules: &[Rule]) -> Self {
        let edges = rules.iter().map(|rule| rule.body().len()).sum();
        let mut graph = DiGraph::with_capacity(labels, edges);
        for _ in 0..labels {
            graph.add_node(());
        }
        for (index, rule) in rules.iter().enumerate() {
            for literal in rule.body() {
                let edge = (RuleId::new(index), literal.is_negated());
                graph.add_edge(node(literal.label()), node(rule.head()), edge);
            }
        }
        Self { graph }
    }

    /// All edges, in the order of the rules.
    pub fn dependencies(&self) -> impl Iterator<Item = Dependency> + '_ {
        self.graph.edge_references().map(|edge| dependency(&edge))
    }

    /// The strongly connected components, bodies before heads.
    pub fn components(&self) -> Components {
        let mut found = kosaraju_scc(&self.graph);
        found.reverse();
        let mut components = Components {
            members: Vec::with_capacity(self.graph.node_count()),
            starts: Vec::with_capacity(found.len() + 1),
            of: vec![0; self.graph.node_count()],
        };
        for mut nodes in found {
            nodes.sort_unstable();
            components.starts.push(components.members.len() as u32);
            for node in nodes {
                components.of[node.index()] = components.starts.len() as u32 - 1;
                components.members.push(LabelId::new(node.index()));
            }
        }
        components.starts.push(components.members.len() as u32);
        components
    }

    /// For every component with a negative edge inside, a cycle that starts with
    /// such an edge: the reasons why the rules are not stratified. The cycles are
    /// short, but not always the shortest.
    pub fn negative_cycles(&self, components: &Components) -> Vec<Vec<Dependency>> {
        let mut inside: Vec<Vec<Dependency>> = vec![Vec::new(); components.len()];
        for edge in self.dependencies().filter(|edge| edge.negated) {
            let component = components.component_of(edge.from);
            if component == components.component_of(edge.to)
                && inside[component].len() < CYCLE_TRIES
            {
                inside[component].push(edge);
            }
        }
        let shortest = |negative: Vec<Dependency>| {
            negative.into_iter().map(|edge| self.close(edge, components)).min_by_key(Vec::len)
        };
        inside.into_iter().filter_map(shortest).collect()
    }

    /// The cycle of `edge` and a shortest path back.
    fn close(&self, edge: Dependency, components: &Components) -> Vec<Dependency> {
        let component = components.component_of(edge.from);
        let mut reached_by: Vec<Option<Dependency>> = vec![None; self.graph.node_count()];
        let mut queue = VecDeque::from([edge.to]);
        while let Some(at) = queue.pop_front() {
            if at == edge.from {
                break;
            }
            for next in self.graph.edges(node(at)) {
                let step = dependency(&next);
                let seen = step.to == edge.to || reached_by[step.to.index()].is_some();
                if !seen && components.component_of(step.to) == component {
                    reached_by[step.to.index()] = Some(step);
                    queue.push_back(step.to);
                }
            }
        }
        let mut path = Vec::new();
        let mut at = edge.from;
        while at != edge.to {
            let Some(step) = reached_by[at.index()] else { break };
            path.push(step);
            at = step.from;
        }
        path.push(edge);
        path.reverse();
        path
    }
}

fn node(label: LabelId) -> NodeIndex {
    NodeIndex::new(label.index())
}

fn dependency<'g>(edge: &impl EdgeRef<NodeId = NodeIndex, Weight = (RuleId, bool)>) -> Dependency
where
    (RuleId, bool): 'g,
{
    let (rule, negated) = *edge.weight();
    Dependency {
        from: LabelId::new(edge.source().index()),
        to: LabelId::new(edge.target().index()),
        negated,
        rule,
    }
}

/// The strongly connected components of a dependency graph, numbered so that
/// every edge goes from a component to itself or to a later one.
#[derive(Clone, Debug)]
pub struct Components {
    members: Vec<LabelId>,
    starts: Vec<u32>,
    of: Vec<u32>,
}

impl Components {
    /// The number of components.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no components: no class at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The component of a label.
    pub fn component_of(&self, label: LabelId) -> usize {
        self.of[label.index()] as usize
    }

    /// The labels of one component, ascending.
    pub fn members(&self, component: usize) -> &[LabelId] {
        &self.members[self.starts[component] as usize..self.starts[component + 1] as usize]
    }

    /// The labels of each component, ascending.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[LabelId]> {
        self.starts.windows(2).map(|ends| &self.members[ends[0] as usize..ends[1] as usize])
    }
}
