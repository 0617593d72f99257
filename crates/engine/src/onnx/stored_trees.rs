//! Trees, read from the arrays of a learner.

use crate::learner::NamedTensors;

/// The nodes of all trees.
pub(super) struct StoredTrees {
    pub nodes: Vec<StoredNode>,
    /// The first node of each tree.
    pub starts: Vec<usize>,
    /// The classes of each label set.
    pub sets: Vec<Vec<usize>>,
}

/// A node.
pub(super) struct StoredNode {
    pub tree: usize,
    pub test: Test,
    /// The part of a missing value that goes to `yes`.
    pub share: f32,
    pub yes: usize,
    pub no: usize,
}

/// What a node asks.
pub(super) enum Test {
    Above { input: usize, threshold: f32 },
    Among { input: usize, codes: Vec<u32> },
    Leaf { entries: Vec<(usize, f32)> },
}

impl Test {
    pub fn input(&self) -> usize {
        match self {
            Self::Above { input, .. } | Self::Among { input, .. } => *input,
            Self::Leaf { .. } => 0,
        }
    }
}

impl StoredTrees {
    /// Reads the arrays of a learner; their invariants hold.
    pub fn new(tensors: &NamedTensors) -> Self {
        let [ends, inputs, others, code_ends, codes, entry_sets, set_ends, set_classes] = [
            "tree_ends",
            "node_inputs",
            "node_others",
            "code_ends",
            "codes",
            "entry_sets",
            "set_ends",
            "set_classes",
        ]
        .map(|name| tensors.indices(name));
        let [thresholds, shares, entry_shares] =
            ["node_thresholds", "node_shares", "entry_shares"].map(|name| tensors.floats(name));
        let mut code_lists = parted(codes, code_ends).map(<[u32]>::to_vec);
        let mut entries =
            entry_sets.iter().map(|&set| set as usize).zip(entry_shares.iter().copied());
        let mut nodes = Vec::with_capacity(inputs.len());
        let mut starts = Vec::new();
        let mut first = 0;
        for (tree, &end) in ends.iter().enumerate() {
            starts.push(first);
            for at in first..end as usize {
                let other = others[at] as usize;
                let test = match inputs[at] {
                    u32::MAX => Test::Leaf { entries: entries.by_ref().take(other).collect() },
                    input if thresholds[at].is_nan() => {
                        let codes = code_lists.next().unwrap_or_default();
                        Test::Among { input: input as usize, codes }
                    }
                    input => Test::Above { input: input as usize, threshold: thresholds[at] },
                };
                let no = first + other;
                nodes.push(StoredNode { tree, test, share: shares[at], yes: at + 1, no });
            }
            first = end as usize;
        }
        let sets = parted(set_classes, set_ends)
            .map(|set| set.iter().map(|&class| class as usize).collect())
            .collect();
        Self { nodes, starts, sets }
    }

    /// Whether also a missing value follows one branch at every node.
    pub fn follows_one_branch(&self) -> bool {
        self.nodes.iter().all(|node| {
            matches!(node.test, Test::Leaf { .. }) || node.share == 0.0 || node.share == 1.0
        })
    }
}

/// The pieces of a list that end at these places.
fn parted<'a>(list: &'a [u32], ends: &'a [u32]) -> impl Iterator<Item = &'a [u32]> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends).map(|(start, &end)| &list[start as usize..end as usize])
}
