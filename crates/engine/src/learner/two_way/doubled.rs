//! A hierarchy in both directions, as one program with twice the classes.

use crate::learner::mixture::mixed;
use rulebound_core::{ConstraintLayer, LabelId, Labels, Literal, Program, Rule, Thresholds};

/// For each class one that affirms it, then for each one that denies it; rules `child -> parent`
/// among the first, `no parent -> no child` among the second.
#[derive(Clone, Debug)]
pub(super) struct Doubled {
    classes: usize,
    /// Child and parent of each rule.
    edges: Vec<[u32; 2]>,
    program: Program,
    layer: ConstraintLayer,
}

impl PartialEq for Doubled {
    fn eq(&self, other: &Self) -> bool {
        (self.classes, &self.edges) == (other.classes, &other.edges)
    }
}

impl Doubled {
    /// The hierarchy of these rules.
    ///
    /// # Errors
    /// A sentence, if a class is out of range or the rules are not a hierarchy.
    pub fn new(classes: usize, edges: Vec<[u32; 2]>) -> Result<Self, String> {
        if let Some(edge) = edges.iter().find(|edge| edge.iter().any(|&at| at as usize >= classes))
        {
            return Err(format!("the rule {} -> {} has no such class", edge[0], edge[1]));
        }
        let rule = |head: usize, body: usize| {
            Rule::new(LabelId::new(head), [Literal::positive(LabelId::new(body))])
        };
        let up = edges.iter().map(|&[child, parent]| rule(parent as usize, child as usize));
        let down = edges
            .iter()
            .map(|&[child, parent]| rule(classes + child as usize, classes + parent as usize));
        let names = (0..classes).map(|class| format!("{class}"));
        let names = names.chain((0..classes).map(|class| format!("no {class}")));
        let labels = Labels::new(names).map_err(|error| error.to_string())?;
        let program = Program::new(labels, up.chain(down).collect());
        let program = program.map_err(|error| error.to_string())?;
        if !program.is_hierarchy() {
            return Err("the rules are not a hierarchy".to_owned());
        }
        let layer = ConstraintLayer::new(&program, Thresholds::half(2 * classes));
        Ok(Self { classes, edges, program, layer })
    }

    /// The number of classes, each counted once.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Child and parent of each rule.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The program of both directions.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The logits of classes: what affirms and what denies them, mixed after both have gone through
    /// the hierarchy.
    pub fn mix(&self, outputs: &[f32], affirmed: f64, logits: &mut [f32]) {
        let both = self.coherent(outputs);
        let rows = logits.chunks_mut(self.classes).zip(both.chunks(2 * self.classes));
        for (logits, both) in rows {
            let (yes, no) = both.split_at(self.classes);
            for ((logit, &yes), &no) in logits.iter_mut().zip(yes).zip(no) {
                *logit = mixed(f64::from(yes), -f64::from(no), affirmed) as f32;
            }
        }
    }

    /// What is affirmed goes up, what is denied goes down. A row with NaN is NaN.
    fn coherent(&self, logits: &[f32]) -> Vec<f32> {
        let mut coherent = vec![0.0; logits.len()];
        let mut space = self.layer.workspace();
        if self.layer.forward(logits, &mut coherent, &mut space).is_err() {
            let width = 2 * self.classes;
            for (row, coherent) in logits.chunks(width).zip(coherent.chunks_mut(width)) {
                if self.layer.forward(row, coherent, &mut space).is_err() {
                    coherent.fill(f32::NAN);
                }
            }
        }
        coherent
    }
}
