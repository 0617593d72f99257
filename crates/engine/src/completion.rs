//! Completion: the classes that follow from the labels of a row by the rules.
//!
//! The layer itself does it, on labels as margins 1 and −1, so a completed row breaks no rule and a
//! row that breaks none stays as it is. Training, validation, evaluation and the search for roots
//! all complete labels here, so that they cannot disagree about what is true.

use rulebound_core::{ConstraintLayer, LayerWorkspace, Program, Thresholds, logical_violations};

/// Completes rows of labels, one at a time.
///
/// ```
/// use rulebound::core::Program;
/// use rulebound::completion::Completion;
/// let program: Program = "stomach -> abdomen".parse()?;
/// let mut labels = [true, false];
/// assert!(Completion::new(&program).complete(&mut labels));
/// assert_eq!(labels, [true, true]);
/// # Ok::<(), rulebound::core::RuleErrors>(())
/// ```
#[derive(Debug)]
pub struct Completion<'a> {
    program: &'a Program,
    layer: ConstraintLayer,
    space: LayerWorkspace<f32>,
    margins: Vec<f32>,
    complete: Vec<f32>,
}

impl<'a> Completion<'a> {
    /// Completes by these rules.
    pub fn new(program: &'a Program) -> Self {
        let classes = program.labels().len();
        let halves = match Thresholds::uniform(classes, 0.5) {
            Ok(halves) => halves,
            Err(error) => unreachable!("one half is a valid threshold: {error}"),
        };
        let layer = ConstraintLayer::new(program, halves);
        let space = layer.workspace();
        Self { program, layer, space, margins: Vec::new(), complete: vec![0.0; classes] }
    }

    /// Adds to a row of labels, one per class, what follows from them. Returns whether the row
    /// broke a rule before.
    ///
    /// # Panics
    /// If there is not one label per class.
    pub fn complete(&mut self, labels: &mut [bool]) -> bool {
        assert_eq!(labels.len(), self.complete.len(), "one label per class");
        if logical_violations(self.program, labels).next().is_none() {
            return false;
        }
        self.margins.clear();
        self.margins.extend(labels.iter().map(|&holds| if holds { 1.0 } else { -1.0 }));
        if let Err(error) = self.layer.forward(&self.margins, &mut self.complete, &mut self.space) {
            unreachable!("one row of numbers has a value in every class: {error}");
        }
        labels.iter_mut().zip(&self.complete).for_each(|(holds, &margin)| *holds = margin > 0.0);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_is_added_also_through_negation() {
        let program: Program = "a -> b\nb, not c -> d\n".parse().unwrap();
        let mut completion = Completion::new(&program);
        for (before, after) in [
            ([true, false, false, false], [true, true, false, true]),
            ([true, false, true, false], [true, true, true, false]),
            ([false, false, true, false], [false, false, true, false]),
        ] {
            let mut labels = before;
            assert_eq!(completion.complete(&mut labels), before != after);
            assert_eq!(labels, after);
            assert!(!completion.complete(&mut labels));
        }
    }
}
