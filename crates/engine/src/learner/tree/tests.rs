//! Stored trees come back; damaged ones are refused or harmless; the two ways to walk agree.

use proptest::prelude::*;

use super::reached::ReachedLeaf;
use super::{GrowingTree, LabelSets, Tree, Trees};
use crate::learner::named_tensors::{NamedTensors, TensorValues};

const INPUTS: usize = 3;
const CLASSES: usize = 4;

fn sets() -> LabelSets {
    LabelSets::from_parts(vec![1, 3, 3, 6], vec![0, 0, 1, 1, 2, 3], CLASSES).unwrap()
}

/// A tree with the given shares of missing values.
fn tree(shares: [f32; 3]) -> Tree {
    let mut tree = GrowingTree::default();
    tree.above(0, 0.5, shares[0]);
    tree.among(2, [1].into(), shares[1]);
    tree.leaf([(0, 1.0), (3, 3.0), (0, 1.0)].into_iter());
    tree.next_is_no_of(1);
    tree.leaf([(1, 1.0)].into_iter());
    tree.next_is_no_of(0);
    tree.above(1, -1.0, shares[2]);
    tree.leaf([(2, 2.0), (1, 1.0)].into_iter());
    tree.next_is_no_of(4);
    tree.leaf([(3, 1.0)].into_iter());
    tree.finish()
}

fn trees() -> Trees {
    let shared = tree([0.25, 0.5, 0.75]);
    Trees::new(vec![tree([0.0, 1.0, 1.0]), shared], sets(), INPUTS, CLASSES)
}

#[test]
fn entries_are_merged_and_sum_to_one() {
    let tree = tree([0.0; 3]);
    let (first, end) = tree.leaf(2);
    assert_eq!(tree.entries(first, end), [(0, 0.4), (3, 0.6)]);
}

#[test]
fn a_mean_is_that_of_the_leaves() {
    // The first tree: set 3 at x = (0, -2, any); the second the same.
    let mut logits = [0.0; CLASSES];
    trees().logits(&[0.0, -2.0, 0.0], &mut logits);
    let (sure, never) = (f32::INFINITY, f32::NEG_INFINITY);
    assert_eq!(logits, [never, sure, sure, sure]);
    // Missing in the first input: the first tree says no, the second goes both ways.
    trees().logits(&[f32::NAN, -2.0, 0.0], &mut logits);
    let probability = (0.0 + 0.25) / 2.0f64;
    assert!((f64::from(logits[0]) - (probability / (1.0 - probability)).ln()).abs() < 1e-6);
}

fn cell() -> impl Strategy<Value = f32> {
    prop_oneof![4 => (-3i8..3).prop_map(f32::from), 1 => Just(f32::NAN), 1 => Just(f32::INFINITY)]
}

proptest! {
    #[test]
    fn both_ways_to_walk_agree(
        cells in prop::collection::vec(cell(), INPUTS * 40),
        bits in prop::array::uniform3(any::<bool>()),
    ) {
        let tree = tree(bits.map(|bit| f32::from(u8::from(bit))));
        let mut leaves = vec![0; 40];
        tree.walk().unwrap().leaves(&cells, INPUTS, &mut leaves);
        let mut waiting = Vec::new();
        for (row, &leaf) in cells.chunks(INPUTS).zip(&leaves) {
            let mut visited = Vec::new();
            tree.leaves_of(row, &mut waiting, &mut visited);
            let (first, end) = tree.leaf(leaf);
            prop_assert_eq!(visited, vec![ReachedLeaf { first, end, part: 1.0 }]);
        }
    }

    /// Whatever one number of a file is changed to, the answer is an error or trees that predict and
    /// can be stored again.
    #[test]
    fn damaged_arrays_are_refused_or_are_other_trees(at in any::<prop::sample::Index>(), bits in any::<u32>()) {
        let whole = trees().tensors();
        let all: usize = whole.iter().map(|(_, _, values)| values.len()).sum();
        let mut at = at.index(all);
        let mut damaged = NamedTensors::new();
        for (name, shape, values) in whole.iter() {
            let mut values = values.clone();
            if at < values.len() {
                match &mut values {
                    TensorValues::U32(values) => values[at] = bits,
                    TensorValues::F32(values) => values[at] = f32::from_bits(bits),
                    TensorValues::F64(_) => unreachable!("trees have none"),
                }
                at = usize::MAX;
            } else if at != usize::MAX {
                at -= values.len();
            }
            damaged.insert(name, shape, values);
        }
        if let Ok(trees) = Trees::from_tensors(damaged, INPUTS, CLASSES) {
            let mut logits = [0.0; CLASSES];
            trees.logits(&[0.0, f32::NAN, 1.0], &mut logits);
            prop_assert!(logits.iter().all(|logit| !logit.is_nan()), "{logits:?}");
            let stored = Trees::from_tensors(trees.tensors(), INPUTS, CLASSES).unwrap();
            let mut again = [0.0; CLASSES];
            stored.logits(&[0.0, f32::NAN, 1.0], &mut again);
            prop_assert_eq!(again, logits);
        }
    }
}

#[test]
fn stored_trees_come_back() {
    let trees = trees();
    let again = Trees::from_tensors(trees.tensors(), INPUTS, CLASSES).unwrap();
    assert_eq!(again, trees);
    let few = Trees::from_tensors(trees.tensors(), 2, CLASSES).unwrap_err();
    assert_eq!(few, "a node tests an input that does not exist");
    let few = Trees::from_tensors(trees.tensors(), INPUTS, 3).unwrap_err();
    assert_eq!(few, "the classes of a label set are not ascending class numbers");
    let none = Trees::from_tensors(NamedTensors::new(), INPUTS, CLASSES).unwrap_err();
    assert_eq!(none, "`tree_ends` is missing");
}
