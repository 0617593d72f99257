//! What is fitted.

use std::any::Any;
use std::fmt::Debug;

use super::named_tensors::NamedTensors;

/// A fitted learner, or one member of several.
pub trait Fitted: Comparable {
    /// What so many members are, for people: `a forest of 200 trees`.
    fn describe(&self, members: usize) -> String;

    /// The number of classes.
    fn classes(&self) -> usize;

    /// The number of numbers that were learned.
    fn parameters(&self) -> usize;

    /// The logits of encoded rows, row-major, before any rule: those of a row depend on that row alone.
    ///
    /// # Panics
    /// If `inputs` or `logits` does not hold whole rows, as many as the other.
    fn logits(&self, inputs: &[f32], logits: &mut [f32]);

    /// Its arrays, for the model file; [`Fit::restore`](super::Fit::restore) reads them.
    fn tensors(&self) -> NamedTensors;
}

/// Equality behind [`Fitted`]; every learner with `PartialEq` has it.
pub trait Comparable: Any + Debug + Send + Sync {
    /// Whether the other learner is the same.
    fn is_same(&self, other: &dyn Any) -> bool;
}

impl<L: Any + Debug + Send + Sync + PartialEq> Comparable for L {
    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

/// `a NOUN` or `N NOUNs`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("a {noun}"),
        _ => format!("{count} {noun}s"),
    }
}
