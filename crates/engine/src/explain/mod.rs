//! Why classes of a row are predicted, or why they are not.
//!
//! An [`Explanation`] is the derivation of one row read aloud: for each class its score, the rule
//! that gave it, the scores of that rule's body, down to what the network itself said. For a class
//! that is not predicted it names the rule that comes closest and the literal that blocks it.

mod class;
mod tree;

pub use class::{ExplainedClass, ExplainedLiteral, ExplainedRule};

use std::collections::BTreeSet;

use rulebound_core::{
    ConstraintLayer, Derivation, LabelId, LayerError, Literal, Margin, Program, RuleId, Thresholds,
};

#[doc(no_inline)]
pub use crate::scores::ScoreKind;
use crate::scores::{RankedMargin, Scale};

/// One row, and all that can be said about its classes.
///
/// ```
/// use rulebound::core::{Program, Thresholds};
/// use rulebound::explain::{Explanation, ScoreKind};
/// let program: Program = "cat -> animal".parse()?;
/// let thresholds = Thresholds::uniform(2, 0.5)?;
/// let scores = vec![0.9, 0.2];
/// let row = Explanation::new(&program, thresholds, ScoreKind::Probability, scores, false)?;
/// let animal = program.labels().find("animal").unwrap();
/// assert_eq!((row.score(animal), row.network_score(animal)), (0.9, 0.2));
/// assert!(row.tree(&[animal], 20).contains("by cat -> animal"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Explanation<'a> {
    program: &'a Program,
    derivation: Derivation<RankedMargin>,
    scale: Scale,
    scores: Vec<f64>,
}

impl<'a> Explanation<'a> {
    /// Explains a row with these scores, one for each class; `is_f32` says that they were written
    /// in 32 bits, as the scores that follow from them then are.
    ///
    /// # Errors
    /// [`LayerError::Unsettled`] where the requirements cannot be settled within the bound.
    ///
    /// # Panics
    /// If there is not one score and one threshold for each class, or a score is not a number.
    pub fn new(
        program: &'a Program,
        thresholds: Thresholds,
        kind: ScoreKind,
        scores: Vec<f64>,
        is_f32: bool,
    ) -> Result<Self, LayerError> {
        assert_eq!(scores.len(), program.labels().len(), "one score for each class");
        let layer = ConstraintLayer::new(program, thresholds.clone());
        let scale = Scale::new(kind, thresholds, is_f32).of_program(program);
        let margin = |(label, &score): (LabelId, &f64)| scale.margin(label, score);
        let margins: Vec<RankedMargin> = program.labels().ids().zip(&scores).map(margin).collect();
        let derivation = Derivation::new(program, &layer, &margins)?;
        Ok(Self { program, derivation, scale, scores })
    }

    /// The rules.
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// The classes that the rules changed.
    pub fn changed(&self) -> Vec<LabelId> {
        self.program.labels().ids().filter(|&label| self.is_by_rule(label)).collect()
    }

    /// What the network said.
    ///
    /// # Panics
    /// If there is no such class; so do all others.
    pub fn network_score(&self, label: LabelId) -> f64 {
        self.scores[label.index()]
    }

    /// The coherent score.
    pub fn score(&self, label: LabelId) -> f64 {
        let cell = self.scale.cell(label, self.derivation.delegate(label), &self.scores);
        cell.value(&self.scores, label.index())
    }

    /// What a literal is worth, as a score of its class.
    pub fn literal_score(&self, literal: Literal) -> f64 {
        self.scale.literal(literal, self.score(literal.label()))
    }

    /// Whether the class is predicted.
    pub fn is_predicted(&self, label: LabelId) -> bool {
        self.derivation.value(label).is_predicted()
    }

    /// The literal whose score decided the class: its own, or one of another class. A fact has none.
    pub fn decider(&self, label: LabelId) -> Option<Literal> {
        self.derivation.delegate(label).literal()
    }

    /// Whether a rule gave the class its score, and not the network.
    pub fn is_by_rule(&self, label: LabelId) -> bool {
        self.derivation.rule(label).is_some()
    }

    /// The rule that gave the class its score, or else comes closest to it, with the literal that
    /// its value hangs on.
    pub fn rule(&self, label: LabelId) -> Option<(RuleId, Option<Literal>)> {
        let Some(rule) = self.derivation.rule(label) else {
            let attempt = self.derivation.best_attempt(self.program, label)?;
            return Some((attempt.rule, attempt.limit));
        };
        let value = self.derivation.value(label);
        let mut body = self.program.rule(rule).body().iter().copied();
        Some((rule, body.find(|&literal| self.derivation.literal(literal) == value)))
    }

    /// These classes, and every class that they are derived from.
    pub fn with_origins(&self, labels: &[LabelId]) -> BTreeSet<LabelId> {
        let mut open: Vec<LabelId> = labels.to_vec();
        let mut found: BTreeSet<LabelId> = labels.iter().copied().collect();
        while let Some(label) = open.pop() {
            let rule = self.derivation.rule(label);
            for literal in rule.into_iter().flat_map(|rule| self.program.rule(rule).body()) {
                if found.insert(literal.label()) {
                    open.push(literal.label());
                }
            }
        }
        found
    }

    /// The explanations of these classes as text: trees, at most `depth` rules deep.
    pub fn tree(&self, labels: &[LabelId], depth: usize) -> String {
        tree::draw(self, labels, depth)
    }
}
