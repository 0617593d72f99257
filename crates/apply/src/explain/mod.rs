//! Why classes of a row are predicted, or why they are not.
//!
//! An [`Explanation`] is the derivation of one row read aloud: for each class its score, the rule
//! that gave it, the scores of that rule's body, down to what the network itself said. For a class
//! that is not predicted it names the rule that comes closest and the literal that blocks it.

mod class;
mod member_decisions;
mod tree;

pub use class::{
    ExplainedClass, ExplainedDecision, ExplainedLiteral, ExplainedRule, ExplainedSettlement,
};
pub use member_decisions::{MemberDecision, MemberDecisions};

use std::collections::BTreeSet;

use rulebound_core::{
    ConstraintLayer, Delegate, Derivation, LabelId, LayerError, Literal, Margin, Program,
    RequirementId, RuleId, Settled, SettledBy, Thresholds,
};

#[doc(no_inline)]
pub use rulebound_io::scores::ScoreKind;
use rulebound_io::scores::{RankedMargin, Scale};

/// The most requirements and rules that are written out for one class.
const SHOWN: usize = 8;

/// One row, and all that can be said about its classes.
///
/// ```
/// use rulebound_core::{Program, Thresholds};
/// use rulebound_apply::explain::{Explanation, ScoreKind};
/// let program: Program = "cat -> animal".parse()?;
/// let thresholds = Thresholds::half(2);
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
    members: Option<MemberDecisions>,
}

impl<'a> Explanation<'a> {
    /// Explains a row with these scores, one for each class; `is_f32` says that they were written
    /// in 32 bits, as the scores that follow from them then are. It compiles the rules: for more than one
    /// row, compile them once and use [`with_layer`](Self::with_layer).
    ///
    /// # Errors
    /// [`LayerError::Shape`] if there is not one score and one threshold for each class,
    /// [`LayerError::NotANumber`] for a score that is NaN, and [`LayerError::Unsettled`] where the
    /// requirements cannot be settled within the bound.
    pub fn new(
        program: &'a Program,
        thresholds: Thresholds,
        kind: ScoreKind,
        scores: Vec<f64>,
        is_f32: bool,
    ) -> Result<Self, LayerError> {
        let layer = ConstraintLayer::try_new(program, thresholds)?;
        Self::with_layer(program, &layer, kind, scores, is_f32)
    }

    /// As [`new`](Self::new), with rules that were compiled before; the thresholds are those of the layer.
    ///
    /// ```
    /// use rulebound_core::{ConstraintLayer, Program, Thresholds};
    /// use rulebound_apply::explain::{Explanation, ScoreKind};
    /// let program: Program = "cat -> animal".parse()?;
    /// let layer = ConstraintLayer::new(&program, Thresholds::half(2));
    /// for scores in [vec![0.9, 0.2], vec![0.1, 0.3]] {
    ///     let kind = ScoreKind::Probability;
    ///     let row = Explanation::with_layer(&program, &layer, kind, scores, false)?;
    ///     println!("{}", row.tree(&row.changed(), 20));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// # Panics
    /// If `layer` is not the layer of `program`.
    pub fn with_layer(
        program: &'a Program,
        layer: &ConstraintLayer,
        kind: ScoreKind,
        scores: Vec<f64>,
        is_f32: bool,
    ) -> Result<Self, LayerError> {
        let labels = program.labels();
        if scores.len() != labels.len() {
            let expected = format!("{}, one for each class", labels.len());
            return Err(LayerError::Shape { buffer: "the row", expected, found: scores.len() });
        }
        if let Some(label) = labels.ids().find(|label| scores[label.index()].is_nan()) {
            return Err(LayerError::NotANumber { row: 0, label: labels.name(label).to_owned() });
        }
        let scale = Scale::new(kind, layer.thresholds().clone(), is_f32).of_program(program);
        let margin = |(label, &score): (LabelId, &f64)| scale.margin(label, score);
        let margins: Vec<RankedMargin> = labels.ids().zip(&scores).map(margin).collect();
        let derivation = Derivation::new(program, layer, &margins)?;
        Ok(Self { program, derivation, scale, scores, members: None })
    }

    /// The same where the scores are the mean of members that were made coherent before.
    #[must_use]
    pub fn of_members(mut self, members: Option<MemberDecisions>) -> Self {
        self.members = members;
        self
    }

    /// How the members decided whose mean the scores are; none if they are what one network said.
    pub fn members(&self) -> Option<&MemberDecisions> {
        self.members.as_ref()
    }

    /// The rules.
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// The classes that the rules and requirements changed: each whose score is another one, or whose
    /// score a rule gave it.
    pub fn changed(&self) -> Vec<LabelId> {
        self.program.labels().ids().filter(|&label| self.is_changed(label)).collect()
    }

    /// Whether the rules or requirements changed the class.
    pub fn is_changed(&self, label: LabelId) -> bool {
        let is_overruled = || self.settled(label).is_some_and(|settled| settled.is_overruled);
        self.is_by_rule(label) || self.score(label) != self.network_score(label) || is_overruled()
    }

    /// How requirements gave the class its side, if something surer did.
    pub fn settled(&self, label: LabelId) -> Option<&Settled> {
        // What is settled at its own strength needs no explanation.
        let is_own = self.derivation.delegate(label) == Delegate::own(label);
        let settled = self.derivation.settled(label)?;
        (settled.is_overruled || (settled.by != SettledBy::Own && !is_own)).then_some(settled)
    }

    /// What gave a settled class its side, in words: requirements and rules with their lines.
    pub fn settled_by(&self, settled: &Settled) -> String {
        let SettledBy::Lines { rules, requirements } = &settled.by else {
            return "the other side contradicts what is surer (which lines say so was not found within \
                    --settle-limit)"
                .to_owned();
        };
        let (labels, program) = (self.program.labels(), self.program);
        let of_rule = |&id: &RuleId| program.rule(id).display(labels).to_string();
        let of_requirement =
            |&id: &RequirementId| program.requirement(id).display(labels).to_string();
        let mut texts: Vec<String> = requirements.iter().map(of_requirement).collect();
        texts.extend(rules.iter().map(of_rule));
        texts.truncate(SHOWN);
        format!("{}  ({})", texts.join("; "), program.named_lines(rules, requirements))
    }

    /// The lines of what gave a settled class its side; none for what was not read from a text.
    pub fn settled_lines(&self, settled: &Settled) -> Vec<u32> {
        let SettledBy::Lines { rules, requirements } = &settled.by else { return Vec::new() };
        let of_rules = rules.iter().map(|&id| self.program.span(id).line);
        let of_requirements = requirements.iter().map(|&id| self.program.requirement_span(id).line);
        let mut lines: Vec<u32> =
            of_rules.chain(of_requirements).filter(|&line| line > 0).collect();
        lines.sort_unstable();
        lines
    }

    /// Why what decided a settled class came before it: `preferred`, or `surer`; `None` if it follows from
    /// nothing.
    pub fn precedence(&self, settled: &Settled) -> Option<&'static str> {
        let is_preferred = self.program.preferred().contains(&settled.decider?.label());
        Some(if is_preferred { "preferred" } else { "surer" })
    }

    /// What the network said; of several members, the mean of what they say, each coherent by itself.
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

    /// Whether a rule gave the class its score, and not the network or a requirement.
    pub fn is_by_rule(&self, label: LabelId) -> bool {
        self.derivation.rule(label).is_some() && self.settled(label).is_none()
    }

    /// The rule that gave the class its score, or else comes closest to it, with the literal that
    /// its value hangs on.
    pub fn rule(&self, label: LabelId) -> Option<(RuleId, Option<Literal>)> {
        let Some(rule) = self.derivation.rule(label) else {
            let attempt = self.derivation.best_attempt(self.program, label)?;
            return Some((attempt.rule, attempt.limit));
        };
        let raised = |literal: Literal| {
            let value = self.derivation.raised(literal.label());
            if literal.is_negated() { -value } else { value }
        };
        let value = raised(Literal::positive(label));
        let mut body = self.program.rule(rule).body().iter().copied();
        Some((rule, body.find(|&literal| raised(literal) == value)))
    }

    /// These classes, and every class that they are derived from.
    pub fn with_origins(&self, labels: &[LabelId]) -> BTreeSet<LabelId> {
        let mut open: Vec<LabelId> = labels.to_vec();
        let mut found: BTreeSet<LabelId> = labels.iter().copied().collect();
        while let Some(label) = open.pop() {
            let settled = self.settled(label);
            let rule = self.derivation.rule(label).filter(|_| settled.is_none());
            let because = settled.into_iter().flat_map(|settled| &settled.because);
            let body = rule.into_iter().flat_map(|rule| self.program.rule(rule).body());
            for literal in body.chain(because) {
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
