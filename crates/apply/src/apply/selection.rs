//! Scores that are only selected, never negated or moved.
//!
//! Without negation and with one threshold for all classes the coherent score of a class is the score of some
//! class, or certainty, and which one depends on the order of the scores alone: no margins are needed. The
//! layer treats two numbers in a way of its own, 0 and those next to it; where that could change the order or the
//! sign of a zero, [`run`](Selection::run) leaves the rows alone.

use rulebound_core::{
    ConstraintLayer, FloatMargin, LabelId, LayerError, LayerWorkspace, Program, ProgramKind,
    Thresholds,
};

use super::part::Part;
use rulebound_io::scores::ScoreKind;

/// Rules and scores whose order decides everything.
#[derive(Debug)]
pub(super) struct Selection<'a> {
    layer: &'a ConstraintLayer,
    kind: ScoreKind,
    /// The score above which a class is predicted.
    threshold: f64,
    /// Whether certain scores may have to be told from facts.
    has_facts: bool,
}

impl<'a> Selection<'a> {
    /// None if the rules negate or require, or the classes have different thresholds.
    pub(super) fn new(
        program: &Program,
        layer: &'a ConstraintLayer,
        thresholds: &Thresholds,
        kind: ScoreKind,
    ) -> Option<Self> {
        let classes = || (0..thresholds.len()).map(LabelId::new);
        let first = thresholds.value(classes().next()?);
        let is_uniform = classes().all(|class| thresholds.value(class) == first);
        let is_definite = program.kind() == ProgramKind::Definite && !program.has_requirements();
        if !is_definite || !is_uniform {
            return None;
        }
        let threshold = match kind {
            ScoreKind::Probability => first,
            ScoreKind::Logit => thresholds.logit(LabelId::new(0)),
        };
        let has_facts = program.rules().iter().any(|rule| rule.body().is_empty());
        Some(Self { layer, kind, threshold, has_facts })
    }

    /// Fills the results of a part and returns true, or returns false: some score is not allowed or too near
    /// to 0, or delegates are asked for that the order does not tell.
    ///
    /// # Errors
    /// If the buffers do not match.
    pub(super) fn run<F: FloatMargin>(
        &self,
        part: &mut Part<'_, F>,
        workspace: &mut LayerWorkspace<F>,
    ) -> Result<bool, LayerError> {
        let Part { scores, coherent, decisions, delegates, .. } = part;
        // A certain probability ties with a fact; as a number it is less than the layer's.
        let is_unclear =
            self.kind == ScoreKind::Probability && self.has_facts && !delegates.is_empty();
        if is_unclear || !self.accepts(scores) {
            return Ok(false);
        }
        if delegates.is_empty() {
            self.layer.forward(scores, coherent, workspace)?;
        } else {
            self.layer.forward_with_delegates(scores, coherent, delegates, workspace)?;
        }
        self.restore(scores, coherent);
        for (decision, score) in decisions.iter_mut().zip(&**coherent) {
            *decision = score.to_f64() > self.threshold;
        }
        Ok(true)
    }

    /// Whether all scores are allowed, and the layer orders them as numbers. Without a branch, so that it is
    /// vector code.
    fn accepts<F: FloatMargin>(&self, scores: &[F]) -> bool {
        match self.kind {
            ScoreKind::Probability => {
                let (least, most) = (F::default(), F::from_f64(1.0));
                scores.iter().fold(true, |all, &score| all & (score >= least) & (score <= most))
            }
            // The layer puts 0 where the largest negative normal number is, and has one zero only.
            ScoreKind::Logit => {
                let next = -stand_in::<F>().to_f64();
                scores.iter().fold(true, |all, score| {
                    let score = score.to_f64();
                    all & ((score.abs() > next) | (score.to_bits() == 0))
                })
            }
        }
    }

    /// Puts back what the layer moved.
    fn restore<F: FloatMargin>(&self, scores: &[F], coherent: &mut [F]) {
        match self.kind {
            // A class whose coherent score is 0 has kept its own: nothing is less. A fact is certain.
            ScoreKind::Probability => {
                let (least, most) = (F::default(), F::from_f64(1.0));
                for (to, &own) in coherent.iter_mut().zip(scores) {
                    let value = if *to > most { most } else { *to };
                    *to = if value < least { own } else { value };
                }
            }
            ScoreKind::Logit => {
                let (zero, stand_in) = (F::default(), stand_in::<F>());
                for to in coherent {
                    *to = if *to == stand_in { zero } else { *to };
                }
            }
        }
    }
}

/// What the layer takes for 0.
fn stand_in<F: FloatMargin>() -> F {
    F::default().canonical()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apply::Applier;
    use proptest::prelude::*;
    use rulebound_core::{Delegate, Labels, RuleText};
    use rulebound_io::scores::Scale;

    const CLASSES: usize = 6;

    /// Numbers with something special about them, and many ties.
    const SPECIAL: [f64; 22] = [
        0.0,
        -0.0,
        1.0,
        0.5,
        0.3,
        0.25,
        0.75,
        0.9,
        5e-324,
        1e-310,
        1e-40,
        1.4e-45,
        f64::MIN_POSITIVE,
        1.175_494_350_822_287_5e-38,
        0.500_000_059_604_644_8,
        0.499_999_970_197_677_6,
        1e300,
        f64::INFINITY,
        0.500_000_000_000_000_1,
        0.847_297_860_387_203_7,
        0.299_999_999_999_999_9,
        2.0,
    ];

    fn number(kind: ScoreKind, draw: (usize, bool, f64), plain: bool) -> f64 {
        let (at, is_negative, random) = draw;
        let value = if plain { random } else { SPECIAL[at] };
        match kind {
            ScoreKind::Probability => value.min(1.0),
            ScoreKind::Logit if plain => ((random - 0.5) * 8.0).round() / 2.0,
            ScoreKind::Logit => {
                if is_negative {
                    -value
                } else {
                    value
                }
            }
        }
    }

    fn assert_same<F: FloatMargin>(
        program: &Program,
        threshold: f64,
        kind: ScoreKind,
        scores: &[F],
        asked: (bool, bool),
    ) -> Result<(), TestCaseError> {
        let thresholds = Thresholds::uniform(CLASSES, threshold).unwrap();
        let layer = ConstraintLayer::new(program, thresholds.clone());
        let applier = Applier::new(program, &layer, thresholds.clone(), kind);
        let size = scores.len();
        let mut found = [(); 2].map(|()| {
            let decisions = vec![false; if asked.0 { size } else { 0 }];
            let delegates = vec![Delegate::default(); if asked.1 { size } else { 0 }];
            (vec![F::default(); size], decisions, delegates)
        });
        let [fast, slow] = &mut found;
        let decisions = asked.0.then_some(&mut fast.1[..]);
        let delegates = asked.1.then_some(&mut fast.2[..]);
        applier.apply(scores, &mut fast.0, decisions, delegates).unwrap();
        let (coherent, decisions, delegates) = (&mut slow.0[..], &mut slow.1[..], &mut slow.2[..]);
        let mut part = Part { first_row: 0, scores, coherent, decisions, delegates };
        let scale = Scale::new(kind, thresholds, size_of::<F>() == 4);
        applier.run_margins(&scale, &mut part, &mut applier.buffers()).unwrap();
        let bits = |of: &[F]| of.iter().map(|value| value.to_f64().to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(&found[0].0), bits(&found[1].0), "{:?}", scores);
        prop_assert_eq!(&found[0].1, &found[1].1);
        prop_assert_eq!(&found[0].2, &found[1].2);
        Ok(())
    }

    fn program(rules: &[(usize, Vec<usize>)]) -> Program {
        let line = |(head, body): &(usize, Vec<usize>)| {
            let body: Vec<String> = body.iter().map(|class| format!("c{class}")).collect();
            format!("{} -> c{head}\n", body.join(", "))
        };
        let text: String = rules.iter().map(line).collect();
        let labels = Labels::new((0..CLASSES).map(|class| format!("c{class}"))).unwrap();
        RuleText::new(&text).labels(Some(labels)).parse().unwrap().program
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None, ..ProptestConfig::with_cases(4_000) })]

        #[test]
        fn selected_scores_are_those_of_margins_bit_for_bit(
            rules in proptest::collection::vec((0..CLASSES, proptest::collection::vec(0..CLASSES, 0..4)), 1..9),
            draws in proptest::collection::vec((0..SPECIAL.len(), any::<bool>(), 0.0..1.0f64), CLASSES * 20),
            (plain, narrow, is_probability) in any::<(bool, bool, bool)>(),
            threshold in proptest::sample::select(vec![0.5, 0.3, 0.7]),
            asked in any::<(bool, bool)>(),
        ) {
            let kind = if is_probability { ScoreKind::Probability } else { ScoreKind::Logit };
            let program = program(&rules);
            prop_assert_eq!(program.kind(), ProgramKind::Definite);
            let scores: Vec<f64> = draws.iter().map(|&draw| number(kind, draw, plain)).collect();
            if narrow {
                let scores: Vec<f32> = scores.iter().map(|&score| score as f32).collect();
                assert_same(&program, threshold, kind, &scores, asked)?;
            } else {
                assert_same(&program, threshold, kind, &scores, asked)?;
            }
        }
    }

    #[test]
    fn what_the_order_does_not_tell_is_left_alone() {
        let program = program(&[(1, vec![0]), (2, vec![])]);
        let half = Thresholds::uniform(CLASSES, 0.5).unwrap();
        let layer = ConstraintLayer::new(&program, half.clone());
        let is_taken = |kind, score: f32, with_delegates: bool| {
            let scores = [score, 0.25, 0.25, 0.25, 0.25, 0.25];
            let (mut coherent, mut by) = ([0.0; CLASSES], [Delegate::default(); CLASSES]);
            let delegates = if with_delegates { &mut by[..] } else { &mut [] };
            let coherent = &mut coherent[..];
            let mut part =
                Part { first_row: 0, scores: &scores, coherent, decisions: &mut [], delegates };
            let selection = Selection::new(&program, &layer, &half, kind).unwrap();
            selection.run(&mut part, &mut layer.workspace_for(1)).unwrap()
        };
        for score in [0.0, -0.0, 1e-40, 0.5, 1.0] {
            assert!(is_taken(ScoreKind::Probability, score, false));
            assert!(!is_taken(ScoreKind::Probability, score, true));
        }
        for score in [1.5, -0.5, f32::NAN] {
            assert!(!is_taken(ScoreKind::Probability, score, false));
        }
        for score in [0.0, 1.0, f32::INFINITY, -2.0] {
            assert!(
                is_taken(ScoreKind::Logit, score, false) && is_taken(ScoreKind::Logit, score, true)
            );
        }
        for score in [-0.0, 1e-40, -f32::MIN_POSITIVE, f32::NAN] {
            assert!(!is_taken(ScoreKind::Logit, score, false));
        }
        let mixed = Thresholds::new(vec![0.5, 0.5, 0.5, 0.5, 0.5, 0.3]).unwrap();
        assert!(Selection::new(&program, &layer, &mixed, ScoreKind::Logit).is_none());
    }
}
