//! Scores to margins and back, without losing a bit.
//!
//! The layer only compares and negates, so any numbers will do that keep order and threshold. For
//! probabilities at the threshold 1/2 the order of `p` and `1 − p` is kept exactly, with no
//! logarithm: two doubles that differ in the last place never become a tie. For other thresholds
//! the margin is the difference of logits, as the negation `σ(2t − z)` needs, and scores whose
//! margins round to the same number are ordered by the scores themselves.
//!
//! Scores are not rounded: a class that keeps its score, or copies another's, does so to the last
//! digit. Only a negation is a new number, and it is on the side of the threshold that the rules
//! require.

use std::ops::Neg;

use rulebound_core::{Delegate, LabelId, Literal, Margin, Program, Thresholds};

use super::{Cell, ScoreKind};

/// A margin with the score it was computed from, to break ties.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct RankedMargin {
    margin: f64,
    rank: f64,
}

impl RankedMargin {
    /// A stand-in that is ordered as scores are, where all classes have one threshold.
    pub fn in_order_of(score: f64) -> Self {
        Self { margin: score, rank: score }
    }
}

impl Neg for RankedMargin {
    type Output = Self;

    fn neg(self) -> Self {
        Self { margin: -self.margin, rank: -self.rank }
    }
}

impl Margin for RankedMargin {
    const TRUE: Self = Self { margin: f64::INFINITY, rank: f64::INFINITY };
    const FALSE: Self = Self { margin: f64::NEG_INFINITY, rank: f64::NEG_INFINITY };

    /// The largest negative subnormal, not the largest negative normal number: nothing here flushes
    /// subnormals to zero, and no score may lie in between.
    fn canonical(self) -> Self {
        if self.margin == 0.0 { Self { margin: -f64::from_bits(1), ..self } } else { self }
    }

    fn is_nan(self) -> bool {
        self.margin.is_nan() || self.rank.is_nan()
    }

    fn is_predicted(self) -> bool {
        self.margin > 0.0
    }

    /// Of the margin alone: ranks of different sides cannot be compared. Only a score that is exactly at its
    /// threshold has the smallest margin for another rank, and is less sure than any other.
    fn sureness(self) -> u64 {
        let smallest = f64::from_bits(1);
        let is_zero = self.margin.abs() == smallest && self.rank.abs() != smallest;
        if is_zero { 0 } else { self.margin.abs().to_bits() }
    }
}

/// Converts the scores of a table to margins and back.
#[derive(Debug, Clone)]
pub struct Scale {
    kind: ScoreKind,
    thresholds: Thresholds,
    /// All thresholds are 1/2, where negation is `1 − p`.
    halves: bool,
    /// All thresholds are the same.
    uniform: bool,
    /// Scores are written as `f32`.
    narrow: bool,
    /// Scores may also be lowered.
    settles: bool,
}

impl Scale {
    /// The scale of a table; `narrow` if its scores are `f32`.
    pub fn new(kind: ScoreKind, thresholds: Thresholds, narrow: bool) -> Self {
        let halves =
            (0..thresholds.len()).all(|class| thresholds.value(LabelId::new(class)) == 0.5);
        let mut classes = (1..thresholds.len()).map(LabelId::new);
        let uniform =
            classes.all(|class| thresholds.value(class) == thresholds.value(LabelId::new(0)));
        Self { kind, thresholds, halves, uniform, narrow, settles: false }
    }

    /// The same for a program: where it has requirements, scores may also be lowered.
    #[must_use]
    pub fn of_program(mut self, program: &Program) -> Self {
        self.settles = program.has_requirements();
        self
    }

    /// The margin of a score, which must not be NaN and, if a probability, in [0, 1].
    pub fn margin(&self, label: LabelId, score: f64) -> RankedMargin {
        let margin = match self.kind {
            ScoreKind::Logit => score - self.thresholds.logit(label),
            ScoreKind::Probability if self.halves => order_around_half(score),
            ScoreKind::Probability => self.thresholds.margin_of_probability(label, score),
        };
        // Certainty is the same for every kind of score.
        let rank = if margin.is_infinite() { margin } else { score };
        RankedMargin { margin, rank }.canonical()
    }

    /// Whether a score is above the threshold.
    pub fn predicts(&self, label: LabelId, score: f64) -> bool {
        match self.kind {
            ScoreKind::Logit => score > self.thresholds.logit(label),
            ScoreKind::Probability => score > self.thresholds.value(label),
        }
    }

    /// Whether all classes have the same threshold: then a higher margin is a higher score.
    pub fn is_uniform(&self) -> bool {
        self.uniform
    }

    /// The output cell of a class that `delegate` decided, given the scores of its row.
    #[inline]
    pub fn cell(&self, label: LabelId, delegate: Delegate, scores: &[f64]) -> Cell {
        let Some(literal) = delegate.literal() else {
            return Cell::Changed(match (self.kind, delegate.is_never()) {
                (ScoreKind::Logit, false) => f64::INFINITY,
                (ScoreKind::Logit, true) => f64::NEG_INFINITY,
                (ScoreKind::Probability, false) => 1.0,
                (ScoreKind::Probability, true) => 0.0,
            });
        };
        let source = literal.label();
        if delegate == Delegate::own(label) {
            return Cell::Kept;
        }
        if !literal.is_negated()
            && (self.uniform || self.thresholds.value(source) == self.thresholds.value(label))
        {
            return Cell::Copied(source.index());
        }
        // A converted score is rounded: if it does not exceed the class's own score on the same
        // side of the threshold, the class keeps its own. Requirements also lower scores.
        let converted = self.converted(label, literal, scores[source.index()]);
        if self.settles || converted > scores[label.index()] {
            Cell::Changed(converted)
        } else {
            Cell::Kept
        }
    }

    /// The value of a literal as a score of its own class.
    pub fn literal(&self, literal: Literal, score: f64) -> f64 {
        if literal.is_negated() { self.converted(literal.label(), literal, score) } else { score }
    }

    /// The score of `label` that has the margin of `literal`, whose class has
    /// the score `score`.
    fn converted(&self, label: LabelId, literal: Literal, score: f64) -> f64 {
        let source = literal.label();
        let negated = literal.is_negated();
        let half = |label: LabelId| self.thresholds.value(label) == 0.5;
        let predicted = self.predicts(source, score) != negated;
        match self.kind {
            ScoreKind::Probability => {
                let value = if half(source) && half(label) {
                    if negated { 1.0 - score } else { score }
                } else {
                    let margin: f64 = self.thresholds.margin_of_probability(source, score);
                    let margin = if negated { -margin } else { margin };
                    self.thresholds.probability_of_margin(label, margin)
                };
                self.on_side(value, self.thresholds.value(label), 1.0, predicted)
            }
            ScoreKind::Logit => {
                let (from, to) = (self.thresholds.logit(source), self.thresholds.logit(label));
                let margin = score - from;
                let value = if negated { to - margin } else { to + margin };
                self.on_side(value, to, f64::INFINITY, predicted)
            }
        }
    }

    /// The value in the precision in which it is written, moved back to its side of the threshold
    /// if rounding put it on the other.
    fn on_side(&self, value: f64, threshold: f64, most: f64, predicted: bool) -> f64 {
        if self.narrow {
            let value = value as f32;
            let at = threshold as f32;
            let below = if f64::from(at) > threshold { at.next_down() } else { at };
            let above = if f64::from(at) > threshold { at } else { at.next_up() };
            let value = match predicted {
                true if f64::from(value) <= threshold => above.min(most as f32),
                false if f64::from(value) > threshold => below,
                _ => value,
            };
            f64::from(value)
        } else {
            match predicted {
                true if value <= threshold => threshold.next_up().min(most),
                false if value > threshold => threshold,
                _ => value,
            }
        }
    }
}

/// A number that orders probabilities and their complements exactly: its sign is the side of 1/2,
/// and its magnitude grows as the smaller of `p` and `1 − p` shrinks. That smaller one is exact,
/// and so is the order of its bits.
fn order_around_half(p: f64) -> f64 {
    let predicted = p > 0.5;
    // −0 is 0; 1 − p is exact from 1/2 on.
    let smaller = if predicted { 1.0 - p } else { p.abs() };
    let size = if smaller == 0.0 {
        f64::INFINITY
    } else {
        f64::from_bits(0.5f64.to_bits() - smaller.to_bits() + f64::MIN_POSITIVE.to_bits())
    };
    if predicted { size } else { -size }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn probability() -> impl Strategy<Value = f64> {
        let special = vec![
            0.0,
            -0.0,
            1.0,
            0.5,
            0.5f64.next_up(),
            0.5f64.next_down(),
            5e-324,
            1.0f64.next_down(),
            0.25,
            0.75,
        ];
        prop_oneof![
            0.0..=1.0,
            proptest::sample::select(special),
            (0u64..0x3FF0_0000_0000_0000).prop_map(f64::from_bits)
        ]
    }

    /// A threshold: anything but 0 and 1.
    fn inside() -> impl Strategy<Value = f64> {
        probability().prop_map(|p| p.abs().clamp(5e-324, 1.0f64.next_down()))
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None, ..ProptestConfig::with_cases(10_000) })]

        #[test]
        fn the_order_of_scores_is_the_order_of_margins(p in probability(), q in probability(), theta in 0.01..0.99f64, step in -3i64..4) {
            let near = f64::from_bits((p.abs().to_bits() as i64 + step).clamp(0, 1.0f64.to_bits() as i64) as u64);
            for threshold in [0.5, theta] {
                let scale = Scale::new(ScoreKind::Probability, Thresholds::uniform(1, threshold).unwrap(), false);
                let label = LabelId::new(0);
                for q in [q, near] {
                    let (a, b) = (scale.margin(label, p), scale.margin(label, q));
                    prop_assert_eq!(a.partial_cmp(&b), p.partial_cmp(&q), "{} {} at {}", p, q, threshold);
                    prop_assert_eq!(a.is_predicted(), p > threshold);
                    prop_assert_eq!((-a).is_predicted(), p <= threshold);
                }
            }
        }

        #[test]
        fn at_one_half_complements_are_ordered_exactly(p in probability(), q in probability()) {
            let label = LabelId::new(0);
            let scale = Scale::new(ScoreKind::Probability, Thresholds::uniform(1, 0.5).unwrap(), false);
            let (a, b) = (scale.margin(label, p), -scale.margin(label, q));
            // p against 1 − q, that is p + q against 1: two-sum is exact.
            let sum = p + q;
            let error = { let t = sum - p; (p - (sum - t)) + (q - t) };
            let order = (sum - 1.0).partial_cmp(&-error);
            if p != 0.5 || q != 0.5 {
                prop_assert_eq!(a.margin.partial_cmp(&b.margin), order);
            }
        }

        #[test]
        fn in_32_bits_the_threshold_is_the_next_number_below(score in probability(), theta in inside(), step in -2i32..3) {
            // What docs/semantics.md says of comparing `float32` scores without widening them.
            let at = theta as f32;
            let below = if f64::from(at) > theta { at.next_down() } else { at };
            let near = f32::from_bits((at.to_bits() as i32 + step).max(0) as u32);
            let scale = Scale::new(ScoreKind::Probability, Thresholds::uniform(1, theta).unwrap(), true);
            for score in [score as f32, near] {
                prop_assert_eq!(scale.predicts(LabelId::new(0), f64::from(score)), score > below);
            }
        }

        #[test]
        fn written_scores_are_on_the_right_side(score in probability(), theta in inside(), other in inside(), narrow in any::<bool>(), negated in any::<bool>()) {
            let thresholds = Thresholds::new(vec![theta, other]).unwrap();
            let [a, b] = [0, 1].map(LabelId::new);
            let literal = if negated { Literal::negative(b) } else { Literal::positive(b) };
            for kind in [ScoreKind::Probability, ScoreKind::Logit] {
                let score = if kind == ScoreKind::Logit { (score - 0.5) * 8.0 } else { score };
                let score = if narrow { f64::from(score as f32) } else { score };
                let scale = Scale::new(kind, thresholds.clone(), narrow);
                let value = scale.converted(a, literal, score);
                prop_assert_eq!(scale.predicts(a, value), scale.predicts(b, score) != negated);
                prop_assert!(!narrow || f64::from(value as f32) == value);
                prop_assert!(kind == ScoreKind::Logit || (0.0..=1.0).contains(&value));
            }
        }
    }

    #[test]
    fn nothing_is_less_sure_than_a_score_at_its_threshold() {
        for (kind, theta) in
            [(ScoreKind::Logit, 0.5), (ScoreKind::Logit, 0.3), (ScoreKind::Probability, 0.5)]
        {
            let thresholds = Thresholds::uniform(1, theta).unwrap();
            let at = match kind {
                ScoreKind::Logit => thresholds.logit(LabelId::new(0)),
                ScoreKind::Probability => theta,
            };
            let scale = Scale::new(kind, thresholds, false);
            let margin = |score: f64| scale.margin(LabelId::new(0), score);
            for other in [at.next_up(), at.next_down()] {
                assert!(margin(at).sureness() < margin(other).sureness(), "{kind:?} {theta}");
                assert!((-margin(at)).sureness() < margin(other).sureness());
            }
            assert!(!margin(at).is_predicted() && (-margin(at)).is_predicted());
        }
    }

    #[test]
    fn certainty_is_no_less_than_a_fact() {
        for theta in [0.5, 0.3] {
            let thresholds = Thresholds::uniform(1, theta).unwrap();
            for (kind, sure) in [(ScoreKind::Probability, 1.0), (ScoreKind::Logit, f64::INFINITY)] {
                let scale = Scale::new(kind, thresholds.clone(), false);
                assert_eq!(scale.margin(LabelId::new(0), sure), RankedMargin::TRUE);
            }
            let scale = Scale::new(ScoreKind::Probability, thresholds, false);
            assert_eq!(scale.margin(LabelId::new(0), 0.0), RankedMargin::FALSE);
            assert_eq!(scale.margin(LabelId::new(0), -0.0), RankedMargin::FALSE);
        }
    }

    #[test]
    fn one_minus_is_one_minus() {
        let scale = Scale::new(ScoreKind::Probability, Thresholds::uniform(2, 0.5).unwrap(), false);
        let [a, b] = [0, 1].map(LabelId::new);
        for p in [0.3, 0.1, 0.9, 1e-20, 0.0, 1.0] {
            assert_eq!(scale.converted(a, Literal::negative(b), p), 1.0 - p);
        }
        // Here one minus rounds to the threshold itself.
        assert_eq!(scale.converted(a, Literal::negative(b), 0.5f64.next_down()), 0.5f64.next_up());
        assert_eq!(scale.converted(a, Literal::negative(b), 0.5), 0.5f64.next_up());
    }
}
