//! Derivations: for one example, which rule gave each class its value.
//!
//! The same evaluation as the layer's, with the rules recorded: the source of
//! explanations. Following [`Derivation::rule`] from class to body always ends at
//! facts or at classes that have their value from the network. Where there are
//! requirements, [`Derivation::settled`] says what they made of that.

use crate::delegate::Delegate;
use crate::label::LabelId;
use crate::layer::{ConstraintLayer, LayerError, Raising, Reading, expect_len, find_nan};
use crate::margin::Margin;
use crate::program::Program;
use crate::rule::{Literal, RuleId};
use crate::settle::{Settled, Settlement};

/// How every class of one example got its value.
#[derive(Clone, Debug)]
pub struct Derivation<F> {
    own: Vec<F>,
    /// After the rules, before the requirements.
    raised: Vec<F>,
    settled: Vec<Reading<F>>,
    rules: Vec<Option<RuleId>>,
    settlement: Option<Settlement>,
}

/// A rule and the value of its body: what it would take to derive a class.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RuleAttempt<F> {
    /// The rule.
    pub rule: RuleId,
    /// The value of its body.
    pub value: F,
    /// The literal with that value, which limits the rule; `None` for a fact.
    pub limit: Option<Literal>,
}

impl<F: Margin> Derivation<F> {
    /// Derives one row of margins.
    ///
    /// # Errors
    /// [`LayerError::Shape`] if the row does not have one margin per class, [`LayerError::NotANumber`] if one
    /// is NaN, [`LayerError::Unsettled`] where the requirements cannot be settled within the bound.
    ///
    /// # Panics
    /// If `layer` is not the layer of `program`.
    pub fn new(
        program: &Program,
        layer: &ConstraintLayer,
        margins: &[F],
    ) -> Result<Self, LayerError> {
        expect_len("the row", margins.len(), program.labels().len())?;
        if margins.iter().any(|margin| margin.is_nan()) {
            return Err(find_nan(margins, program.labels()));
        }
        let own: Vec<F> = margins.iter().map(|margin| margin.canonical()).collect();
        let plan = layer.plan();
        let mut raising = Raising::new(plan);
        raising.run(plan, margins);
        let mut settled = raising.readings.clone();
        let mut raised: Vec<F> = settled.iter().map(|reading| reading.value).collect();
        let mut settlement = None;
        if let Some(settling) = layer.settling() {
            let mut space = settling.space(plan);
            let mut values = raised.clone();
            let mut delegates: Vec<Delegate> =
                settled.iter().map(|reading| reading.delegate).collect();
            let of_row = |unsettled| settling.error(0, &unsettled);
            if space.raising.is_some() {
                space.raising = Some(raising.clone());
            }
            let done = settling.settle_row(plan, margins, &mut values, &mut delegates, &mut space);
            done.map_err(of_row)?;
            let (rules, requirements) = (program.rules(), program.requirements());
            let settler = settling.settler();
            let found = settler.settlement(&space.raised, rules, requirements, &mut space.settle);
            settlement = Some(found.map_err(of_row)?);
            let readings = values.into_iter().zip(delegates);
            settled = readings.map(|(value, delegate)| Reading { value, delegate }).collect();
            raised = space.raised;
            raising = space.raising.unwrap_or(raising);
        }
        let rule_at = |(label, place): (LabelId, Option<usize>)| {
            let rules = program.rules_of(label).iter().copied();
            rules.filter(|&rule| !program.rule(rule).supports_itself()).nth(place?)
        };
        let rules = program.labels().ids().zip(raising.places).map(rule_at).collect();
        Ok(Self { own, raised, settled, rules, settlement })
    }

    /// The value after the rules, before any requirement was settled.
    pub fn raised(&self, label: LabelId) -> F {
        self.raised[label.index()]
    }

    /// How the requirements settled the class; `None` if there are none.
    pub fn settled(&self, label: LabelId) -> Option<&Settled> {
        self.settlement.as_ref().map(|settlement| settlement.of(label))
    }

    /// The margin before any rule, as the network gave it.
    pub fn own(&self, label: LabelId) -> F {
        self.own[label.index()]
    }

    /// The coherent value.
    pub fn value(&self, label: LabelId) -> F {
        self.settled[label.index()].value
    }

    /// The value of a literal.
    pub fn literal(&self, literal: Literal) -> F {
        let value = self.value(literal.label());
        if literal.is_negated() { -value } else { value }
    }

    /// The delegate of the class: the literal or fact that decided it.
    pub fn delegate(&self, label: LabelId) -> Delegate {
        self.settled[label.index()].delegate
    }

    /// The rule that gave the class its value, before requirements; `None` if the network did.
    pub fn rule(&self, label: LabelId) -> Option<RuleId> {
        self.rules[label.index()]
    }

    /// The rule of a class that comes closest to deriving it: the one whose body
    /// has the greatest value, the first of them if there are several. `None` if
    /// the class has no rule that can add anything.
    pub fn best_attempt(&self, program: &Program, label: LabelId) -> Option<RuleAttempt<F>> {
        let mut best: Option<RuleAttempt<F>> = None;
        for &rule in program.rules_of(label) {
            if program.rule(rule).supports_itself() {
                continue;
            }
            let mut attempt = RuleAttempt { rule, value: F::TRUE, limit: None };
            for &literal in program.rule(rule).body() {
                if attempt.limit.is_none() || self.literal(literal) < attempt.value {
                    attempt =
                        RuleAttempt { rule, value: self.literal(literal), limit: Some(literal) };
                }
            }
            if best.is_none_or(|best| attempt.value > best.value) {
                best = Some(attempt);
            }
        }
        best
    }
}
