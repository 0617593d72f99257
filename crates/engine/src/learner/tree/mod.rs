//! Trees: tests of inputs, and leaves that are weighted lists of label sets.
//!
//! A leaf does not keep a vector of class means, which would be long and mostly zero, but the label
//! sets of the rows that reached it with their share of the weight: a mean is a sum over a short
//! list. Many rows have the same labels, so the sets are stored once.
//!
//! Invariants: the nodes of a tree are in preorder (the branch `yes` follows its node); where the
//! sets are closed under a hierarchy, sums over them are too, to the last bit, because every class
//! is summed in the same order and its ancestors have at least its terms.

mod bagging;
mod growing;
mod label_sets;
mod reached;
mod single;
mod stored;
#[cfg(test)]
mod tests;
mod trees;
mod walk;

pub(in crate::learner) use bagging::bootstrap;
pub(in crate::learner) use growing::GrowingTree;
pub(in crate::learner) use label_sets::{LabelSets, SetNumbers};
pub(in crate::learner) use single::{Node, Tree};
pub(in crate::learner) use trees::Trees;
