//! Completion: the classes that follow from the labels of a row by the rules.
//!
//! The layer of the rules itself does it, on labels as margins 1 and −1, so a completed row breaks no rule and a
//! row that breaks none stays as it is. Training, validation, evaluation and the search for roots
//! all complete labels here, so that they cannot disagree about what is true.

use rulebound_core::{
    ConstraintLayer, LayerWorkspace, Program, Thresholds, known_violations, logical_violations,
};

/// The margin of a label that is known to be true.
const KNOWN: f32 = 1.0;

/// Completes rows of labels, one at a time.
///
/// ```
/// use rulebound_core::Program;
/// use rulebound_data::completion::Completion;
/// let program: Program = "stomach -> abdomen".parse()?;
/// let mut labels = [true, false];
/// assert!(Completion::new(&program).complete(&mut labels));
/// assert_eq!(labels, [true, true]);
/// # Ok::<(), rulebound_core::RuleErrors>(())
/// ```
#[derive(Debug)]
pub struct Completion<'a> {
    program: &'a Program,
    layer: ConstraintLayer,
    space: LayerWorkspace<f32>,
    margins: Vec<f32>,
    complete: Vec<f32>,
    /// Of a program in which every rule says that one class is another: the heads of each class.
    heads: Option<Vec<Vec<usize>>>,
    waiting: Vec<usize>,
}

impl<'a> Completion<'a> {
    /// Completes by these rules.
    pub fn new(program: &'a Program) -> Self {
        let classes = program.labels().len();
        let halves = Thresholds::half(classes);
        // Labels that break a requirement are reported and not repaired.
        let layer = ConstraintLayer::new(&program.without_requirements(), halves);
        let space = layer.workspace();
        let (margins, complete) = (Vec::new(), vec![0.0; classes]);
        let (heads, waiting) = (heads(program), Vec::new());
        Self { program, layer, space, margins, complete, heads, waiting }
    }

    /// Adds to a row of labels, one per class, what follows from them. Returns whether the row
    /// broke a rule before.
    ///
    /// # Panics
    /// If there is not one label per class.
    pub fn complete(&mut self, labels: &mut [bool]) -> bool {
        assert_eq!(labels.len(), self.complete.len(), "one label per class");
        if let Some(heads) = &self.heads {
            let mut has_changed = false;
            self.waiting.extend((0..labels.len()).filter(|&class| labels[class]));
            while let Some(class) = self.waiting.pop() {
                for &head in &heads[class] {
                    if !std::mem::replace(&mut labels[head], true) {
                        has_changed = true;
                        self.waiting.push(head);
                    }
                }
            }
            return has_changed;
        }
        if logical_violations(self.program, labels).next().is_none() {
            return false;
        }
        self.margins.clear();
        self.margins.extend(labels.iter().map(|&holds| if holds { KNOWN } else { -KNOWN }));
        self.fill(labels);
        true
    }

    /// As [`complete`](Self::complete) where some labels are not known: adds what follows whatever
    /// they are, which is then known. Returns whether labels that are known broke a rule before.
    ///
    /// # Panics
    /// If there is not one label and one mark per class.
    pub fn complete_known(&mut self, labels: &mut [bool], known: &mut [bool]) -> bool {
        if !known.contains(&false) {
            return self.complete(labels);
        }
        assert_eq!(labels.len(), self.complete.len(), "one label per class");
        assert_eq!(known.len(), labels.len(), "one mark per class");
        let is_broken = known_violations(self.program, labels, known).next().is_some();
        self.margins.clear();
        // The layer selects: what comes out as KNOWN rests on known labels alone, also under negation.
        self.margins.extend(labels.iter().zip(&*known).map(|label| match label {
            (true, _) => KNOWN,
            (false, true) => -KNOWN,
            (false, false) => -KNOWN / 2.0,
        }));
        self.fill(labels);
        known.iter_mut().zip(labels).for_each(|(known, holds)| *known |= *holds);
        is_broken
    }

    /// The labels that the layer makes of the margins.
    fn fill(&mut self, labels: &mut [bool]) {
        if let Err(error) = self.layer.forward(&self.margins, &mut self.complete, &mut self.space) {
            unreachable!("one row of numbers has a value in every class: {error}");
        }
        labels.iter_mut().zip(&self.complete).for_each(|(holds, &margin)| *holds = margin >= KNOWN);
    }
}

/// The heads of each class, if the body of every rule is one class.
fn heads(program: &Program) -> Option<Vec<Vec<usize>>> {
    let mut heads = vec![Vec::new(); program.labels().len()];
    for rule in program.rules() {
        let [literal] = rule.body() else { return None };
        if literal.is_negated() {
            return None;
        }
        heads[literal.label().index()].push(rule.head().index());
    }
    Some(heads)
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

    #[test]
    fn unknown_label_cells_become_known_only_where_they_follow() {
        let program: Program = "a -> b\nb, not c -> d\n".parse().unwrap();
        let mut completion = Completion::new(&program);
        let all = [true; 4];
        for (before, known, after, known_after) in [
            // a and b are known, c is not: d does not follow.
            (
                [true, false, false, false],
                [true, false, false, true],
                [true, true, false, false],
                { [true, true, false, true] },
            ),
            // c is known to be false: d follows, also where it was unknown.
            (
                [true, false, false, false],
                [true, false, true, false],
                [true, true, false, true],
                all,
            ),
            // What is unknown implies nothing.
            ([false, false, false, false], [false, true, true, true], [false; 4], {
                [false, true, true, true]
            }),
        ] {
            let (mut labels, mut marks) = (before, known);
            assert!(!completion.complete_known(&mut labels, &mut marks));
            assert_eq!((labels, marks), (after, known_after));
        }
        let (mut labels, mut marks) = ([true, false, false, false], [true, true, false, true]);
        assert!(completion.complete_known(&mut labels, &mut marks));
        assert_eq!((labels, marks), ([true, true, false, false], [true, true, false, true]));
    }
}
