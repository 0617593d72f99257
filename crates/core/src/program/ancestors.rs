//! Ancestors: the classes that follow from one class alone.
//!
//! Only rules with a single positive literal count, `child -> parent`: those that make a hierarchy.

use super::Program;
use crate::label::LabelId;

/// The parents of every class.
///
/// ```
/// use rulebound_core::{Ancestors, Program};
/// let program: Program = "cat -> animal\nanimal -> living\ncat, wild -> tiger".parse()?;
/// let mut row = [true, false, false, false, false];
/// Ancestors::new(&program).close(&mut row);
/// assert_eq!(row, [true, true, true, false, false]);
/// # Ok::<(), rulebound_core::RuleErrors>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ancestors {
    parents: Vec<Vec<LabelId>>,
}

impl Ancestors {
    /// The ancestors that these rules give.
    pub fn new(program: &Program) -> Self {
        let mut parents = vec![Vec::new(); program.labels().len()];
        for rule in program.rules() {
            if let [child] = rule.body()
                && !child.is_negated()
            {
                parents[child.label().index()].push(rule.head());
            }
        }
        Self { parents }
    }

    /// Whether no class has a parent.
    pub fn is_empty(&self) -> bool {
        self.parents.iter().all(Vec::is_empty)
    }

    /// Adds to each row, one value for each class, the ancestors of its classes.
    pub fn close(&self, rows: &mut [bool]) {
        let mut left = Vec::new();
        for row in rows.chunks_exact_mut(self.parents.len().max(1)) {
            left.extend((0..row.len()).filter(|&class| row[class]));
            while let Some(class) = left.pop() {
                for parent in &self.parents[class] {
                    if !std::mem::replace(&mut row[parent.index()], true) {
                        left.push(parent.index());
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_end_and_negations_do_not_count() {
        let program: Program = "a -> b\nb -> a\nnot a -> c".parse().unwrap();
        let ancestors = Ancestors::new(&program);
        let mut rows = [false, true, false, false, false, true];
        ancestors.close(&mut rows);
        assert_eq!(rows, [true, true, false, false, false, true]);
        let facts: Program = "-> a".parse().unwrap();
        assert!(Ancestors::new(&facts).is_empty() && !ancestors.is_empty());
    }
}
