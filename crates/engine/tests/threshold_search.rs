//! Thresholds that are searched: never worse than 0.5, as good as trying everything, and decided as
//! the layer decides.
#![allow(clippy::unwrap_used)]

#[path = "../../core/tests/strategy/mod.rs"]
mod strategy;

use proptest::prelude::*;
use rulebound::core::metrics::{Columns, Confusion, Counts, macro_f1, micro_f1};
use rulebound::core::{LabelId, Labels, Literal, Program, Requirement, Thresholds};
use rulebound::labelled_scores::{LabelledScores, ScoresOf};
use rulebound::predict::{Head, Predictions};
use rulebound::threshold_search::{ClassCosts, Objective, ThresholdSearch};

const PROBABILITIES: ScoresOf = ScoresOf::Table(rulebound_io::scores::ScoreKind::Probability);

#[derive(Debug, Clone)]
struct Case {
    program: Program,
    logits: Vec<f32>,
    truth: Vec<bool>,
    /// Of the first row all labels are known.
    known: Vec<bool>,
    evaluated: Vec<bool>,
}

/// The same with a group, where something satisfies both.
fn required(programs: impl Strategy<Value = Program>) -> impl Strategy<Value = Program> {
    let members = prop::collection::vec((0..5usize, prop::bool::weighted(0.2)), 1..5);
    (programs, members, 0..2u32, 1..3u32).prop_map(|(program, members, least, more)| {
        let classes = program.labels().len();
        let literal = |(class, negated): (usize, bool)| {
            let label = LabelId::new(class % classes);
            if negated { Literal::negative(label) } else { Literal::positive(label) }
        };
        let members = members.into_iter().map(literal);
        let group = Requirement::count([], least, least.max(more), members);
        program.clone().with_requirements(vec![group], &[]).unwrap_or(program)
    })
}

fn case() -> impl Strategy<Value = Case> {
    let programs = prop_oneof![strategy::program(5, 8), strategy::hierarchy(5), strategy::tangle()];
    let programs = prop_oneof![programs.clone(), required(programs)].boxed();
    (programs, 1..=6usize).prop_flat_map(|(program, rows)| {
        let classes = program.labels().len();
        let logit =
            prop_oneof![-3.0..3.0f32, prop::sample::select(vec![-1.0, 0.0, 0.5, 1.0, 30.0])];
        (
            prop::collection::vec(logit, rows * classes),
            prop::collection::vec(any::<bool>(), rows * classes),
            prop::sample::select(vec![1.0, 0.6]).prop_flat_map(move |share| {
                prop::collection::vec(prop::bool::weighted(share), (rows - 1) * classes)
            }),
            prop::collection::vec(prop::bool::weighted(0.85), classes),
        )
            .prop_map(move |(logits, truth, known, evaluated)| Case {
                program: program.clone(),
                logits,
                truth,
                known: [vec![true; classes], known].concat(),
                evaluated,
            })
    })
}

/// What the model itself decides: thresholds, margins, layer.
fn decisions(case: &Case, thresholds: &Thresholds) -> Vec<bool> {
    let mut head = Head::new(case.program.labels(), thresholds, Some(&case.program));
    let mut predictions = Predictions::default();
    head.predict(&case.logits, &mut predictions).unwrap();
    predictions.decisions()
}

fn confusion(case: &Case, thresholds: &Thresholds) -> Confusion {
    let columns = Columns::evaluated(&case.evaluated).with_known(case.known.clone()).unwrap();
    Confusion::new(&decisions(case, thresholds), &case.truth, &columns).unwrap()
}

/// The objective by its definition, from the decisions of the model itself.
fn value(case: &Case, objective: &Objective, thresholds: &Thresholds) -> f64 {
    let confusion = confusion(case, thresholds);
    let classes = || (0..case.evaluated.len()).filter(|&class| case.evaluated[class]);
    let per_class = || classes().zip(confusion.per_class().iter().copied());
    match objective {
        Objective::MacroF1 => per_class().map(|(_, counts)| counts.f1()).sum(),
        Objective::MicroF1 => confusion.total().unwrap_or_default().f1(),
        Objective::MinPrecision(least) => per_class()
            .map(|(_, counts)| match counts.predicted() == 0 || counts.precision() >= *least {
                true => counts.recall(),
                false => counts.precision() - least - 1.0,
            })
            .sum(),
        Objective::Costs(costs) => -per_class()
            .map(|(class, counts): (usize, Counts)| {
                costs[class].false_positive * counts.false_positives as f64
                    + costs[class].false_negative * counts.false_negatives as f64
            })
            .sum::<f64>(),
    }
}

fn objective() -> impl Strategy<Value = Objective> {
    let costs = (1..5u8, 1..5u8).prop_map(|(positive, negative)| ClassCosts {
        false_positive: f64::from(positive),
        false_negative: f64::from(negative),
    });
    prop_oneof![
        Just(Objective::MacroF1),
        Just(Objective::MicroF1),
        (0.3..1.0f64).prop_map(Objective::MinPrecision),
        prop::collection::vec(costs, 8).prop_map(Objective::Costs),
    ]
}

/// Thresholds between all scores of a class, and beyond.
fn candidates(case: &Case, class: Option<usize>) -> Vec<f64> {
    let classes = case.evaluated.len();
    let mut logits: Vec<f64> = (0..case.logits.len())
        .filter(|at| class.is_none_or(|class| at % classes == class))
        .map(|at| f64::from(case.logits[at]))
        .collect();
    logits.sort_by(f64::total_cmp);
    logits.dedup();
    let mut cuts = vec![logits[0] - 1.0, logits[logits.len() - 1] + 1.0];
    cuts.extend(logits.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0));
    cuts.into_iter().map(|logit| 1.0 / (1.0 + (-logit).exp())).collect()
}

/// Whether decisions are the same a little to the left and to the right. Where requirements compare how sure two
/// classes are, thresholds in the middle between their scores are a tie, and rounding decides it.
fn is_no_tie(case: &Case, threshold: f64, with: impl Fn(f64) -> Vec<f64>) -> bool {
    let logit = (threshold / (1.0 - threshold)).ln();
    let [left, right] = [-1e-4, 1e-4].map(|step| {
        let moved = with(1.0 / (1.0 + (-logit - step).exp()));
        decisions(case, &Thresholds::new(moved).unwrap())
    });
    left == right
}

fn run(case: &Case, search: &ThresholdSearch, before: &Thresholds) -> Thresholds {
    let scores: Vec<f64> = case.logits.iter().map(|&logit| f64::from(logit)).collect();
    let labels = case.program.labels();
    let rows = LabelledScores::new(labels, &scores, ScoresOf::Model, &case.truth)
        .with_known(&case.known[..])
        .with_evaluated(&case.evaluated)
        .with_rules(&case.program);
    let tuned = search.run(&rows, before).unwrap();
    // What it counted is what the model decides.
    let half = Thresholds::uniform(case.evaluated.len(), 0.5).unwrap();
    assert_eq!(tuned.half, confusion(case, &half).per_class());
    assert_eq!(tuned.before, confusion(case, before).per_class());
    assert_eq!(tuned.after, confusion(case, &tuned.thresholds).per_class());
    tuned.thresholds
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_single_threshold_can_be_moved_to_a_better_place(case in case(), objective in objective()) {
        let classes = case.evaluated.len();
        let half = Thresholds::uniform(classes, 0.5).unwrap();
        let search = ThresholdSearch { objective: objective.clone(), one: false, passes: 100 };
        let found = run(&case, &search, &half);
        let best = value(&case, &objective, &found);
        prop_assert!(best >= value(&case, &objective, &half));
        let values: Vec<f64> = case.program.labels().ids().map(|label| found.value(label)).collect();
        for class in (0..classes).filter(|&class| case.evaluated[class]) {
            for threshold in candidates(&case, Some(class)) {
                let with = |threshold| {
                    let mut values = values.clone();
                    values[class] = threshold;
                    values
                };
                let moved = value(&case, &objective, &Thresholds::new(with(threshold)).unwrap());
                let is_better = moved > best + 1e-9 && is_no_tie(&case, threshold, with);
                prop_assert!(!is_better, "class {} at {}: {} > {}", class, threshold, moved, best);
            }
        }
    }

    #[test]
    fn the_one_threshold_is_the_best_of_all(case in case(), objective in objective()) {
        let classes = case.evaluated.len();
        let half = Thresholds::uniform(classes, 0.5).unwrap();
        let search = ThresholdSearch { objective: objective.clone(), one: true, passes: 1 };
        let found = run(&case, &search, &half);
        let best = value(&case, &objective, &found);
        let first = found.value(LabelId::new(0));
        prop_assert!(case.program.labels().ids().all(|label| found.value(label) == first));
        for threshold in candidates(&case, None).into_iter().chain([0.5]) {
            let other = value(&case, &objective, &Thresholds::uniform(classes, threshold).unwrap());
            let is_better = other > best + 1e-9 && is_no_tie(&case, threshold, |threshold| vec![threshold; classes]);
            prop_assert!(!is_better, "{}: {} > {}", threshold, other, best);
        }
    }

    #[test]
    fn f1_is_never_below_that_of_one_half(case in case(), start in 0.01..0.99f64) {
        let classes = case.evaluated.len();
        let half = Thresholds::uniform(classes, 0.5).unwrap();
        let before = Thresholds::uniform(classes, start).unwrap();
        for (objective, metric) in [
            (Objective::MacroF1, macro_f1 as fn(&Confusion) -> Option<f64>),
            (Objective::MicroF1, micro_f1),
        ] {
            for one in [false, true] {
                let search = ThresholdSearch { objective: objective.clone(), one, passes: 2 };
                let found = run(&case, &search, &before);
                let [found, half] = [&found, &half].map(|of| metric(&confusion(&case, of)));
                prop_assert!(found.unwrap_or(0.0) >= half.unwrap_or(0.0) - 1e-12);
            }
        }
    }
}

/// A threshold moves other classes: the parent is worth more if the child is predicted less.
#[test]
fn rules_are_applied_while_thresholds_are_searched() {
    let program: Program = "child -> parent".parse().unwrap();
    let labels: &Labels = program.labels();
    // The child's scores say nothing; every row it is predicted in makes the parent wrong, except
    // the first.
    let scores = [3.0, 3.0, 2.0, -3.0, 1.0, -3.0];
    let truth = [true, true, false, false, false, false];
    let all = LabelledScores::new(labels, &scores, ScoresOf::Model, &truth);
    let both = all.clone().with_rules(&program);
    let parent = both.clone().with_evaluated(&[false, true]);
    let half = Thresholds::uniform(2, 0.5).unwrap();
    // Only the parent counts: its own scores are perfect, but the child implies it in all rows, and
    // a class that does not count keeps its threshold.
    let tuned = ThresholdSearch::default().run(&parent, &half).unwrap();
    assert_eq!(tuned.thresholds, half);
    assert!((tuned.after[0].f1() - 0.5).abs() < 1e-12);
    let tuned = ThresholdSearch::default().run(&both, &half).unwrap();
    assert!(tuned.after.iter().all(|counts| counts.f1() == 1.0), "{tuned:?}");
    let without = all.with_evaluated(&[false, true]);
    assert_eq!(ThresholdSearch::default().run(&without, &half).unwrap().after[0].f1(), 1.0);
}

#[test]
fn a_floor_of_precision_is_kept_where_it_can_be() {
    let labels = Labels::new(["a"]).unwrap();
    let scores = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4];
    let truth = [true, true, false, true, false, true];
    let rows = LabelledScores::new(&labels, &scores, PROBABILITIES, &truth);
    let half = Thresholds::uniform(1, 0.5).unwrap();
    let search = |least| ThresholdSearch {
        objective: Objective::MinPrecision(least),
        ..ThresholdSearch::default()
    };
    // Three of four right, three of four found.
    let tuned = search(0.75).run(&rows, &half).unwrap();
    assert_eq!((tuned.after[0].precision(), tuned.after[0].recall()), (0.75, 0.75));
    let tuned = search(1.0).run(&rows, &half).unwrap();
    assert_eq!((tuned.after[0].precision(), tuned.after[0].recall()), (1.0, 0.5));
    let only = LabelId::new(0);
    assert!((tuned.thresholds.value(only) - 0.75).abs() < 1e-12, "the middle between 0.8 and 0.7");
}

/// Who is surer decides, and a threshold moves how sure a class is.
#[test]
fn requirements_are_settled_while_thresholds_are_searched() {
    let program: Program = "exclusive(a, b)".parse().unwrap();
    // Both are above one half in all rows. b is right in the first two, where it is less sure than a.
    let scores = [0.9, 0.8, 0.85, 0.75, 0.95, 0.6, 0.9, 0.55];
    let truth = [false, true, false, true, true, false, true, false];
    let rows = LabelledScores::new(program.labels(), &scores, PROBABILITIES, &truth);
    let rows = rows.with_rules(&program);
    let half = Thresholds::uniform(2, 0.5).unwrap();
    let tuned = ThresholdSearch::default().run(&rows, &half).unwrap();
    assert!(tuned.half[1].true_positives == 0, "{tuned:?}");
    assert!(tuned.after.iter().all(|counts| counts.f1() == 1.0), "{tuned:?}");
}

/// Many more gaps than are tried at a time.
#[test]
fn a_threshold_is_found_among_many_under_requirements() {
    let program: Program = "exclusive(a, b)".parse().unwrap();
    let scores: Vec<f64> = (0..1000).flat_map(|row| [f64::from(row) / 1001.0, 0.01]).collect();
    let truth: Vec<bool> = (0..1000).flat_map(|row| [row >= 777, false]).collect();
    let rows = LabelledScores::new(program.labels(), &scores, PROBABILITIES, &truth);
    let rows = rows.with_evaluated(&[true, false]).with_rules(&program);
    let half = Thresholds::uniform(2, 0.5).unwrap();
    for one in [false, true] {
        let search = ThresholdSearch { one, ..ThresholdSearch::default() };
        assert_eq!(search.run(&rows, &half).unwrap().after[0].f1(), 1.0);
    }
}
