//! Lists of scores become what whole rows become, bit for bit, and what is cut is coherent still.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use rulebound_apply::apply::{Applier, ScoreKind};
use rulebound_apply::sparse::{CoherentLists, Cut, CutError, ScoreLists, SparseApplier};
use rulebound_core::{
    ConstraintLayer, Delegate, FloatMargin, LabelId, Labels, Literal, Program, Rule, SparseLayer,
    Thresholds,
};

const CLASSES: usize = 8;

/// Rules of bodies that look at lower classes, negated ones too, or at any class.
fn program(negated: bool) -> impl Strategy<Value = Program> {
    let literal = (0..CLASSES, any::<bool>());
    let rule = (0..CLASSES, proptest::collection::vec(literal, 0..=3), 0..6u8);
    proptest::collection::vec(rule, 0..=12).prop_map(move |drafts| {
        let labels = Labels::new((0..CLASSES).map(|class| format!("c{class}"))).unwrap();
        let rule = |(head, body, fact): (usize, Vec<(usize, bool)>, u8)| {
            let literal = |&(class, is_negated): &(usize, bool)| {
                let label = LabelId::new(class);
                match (negated && is_negated, class < head) {
                    (true, true) => Some(Literal::negative(label)),
                    (false, _) if class <= head || !negated => Some(Literal::positive(label)),
                    _ => None,
                }
            };
            let literals: Vec<Literal> = body.iter().filter_map(literal).collect();
            let is_meant = !literals.is_empty() || (body.is_empty() && fact == 0);
            is_meant.then(|| Rule::new(LabelId::new(head), literals))
        };
        Program::new(labels, drafts.into_iter().filter_map(rule).collect()).unwrap()
    })
}

fn cell() -> impl Strategy<Value = Option<f64>> {
    let special = vec![
        0.0,
        -0.0,
        1.0,
        0.5,
        0.25,
        0.75,
        5e-324,
        1e-40,
        0.3,
        0.7,
        f64::from(0.3f32),
        0.500_000_059_604_644_8,
    ];
    prop_oneof![
        3 => Just(None),
        2 => proptest::sample::select(special).prop_map(Some),
        1 => (0.0..=1.0f64).prop_map(Some),
    ]
}

fn thresholds() -> impl Strategy<Value = Vec<f64>> {
    let one = proptest::sample::select(vec![0.5, 0.3, 0.7, 1e-3]);
    prop_oneof![
        Just(vec![0.5; CLASSES]),
        one.clone().prop_map(|one| vec![one; CLASSES]),
        proptest::collection::vec(one, CLASSES)
    ]
}

/// Probabilities as they are, or logits around 0, with both infinities.
fn score(kind: ScoreKind, value: f64) -> f64 {
    match kind {
        ScoreKind::Probability => value,
        ScoreKind::Logit if value == 1.0 => f64::INFINITY,
        ScoreKind::Logit => (value - 0.5) * 8.0,
    }
}

fn lists<F: FloatMargin>(
    rows: &[Vec<Option<f64>>],
    kind: ScoreKind,
) -> (Vec<i64>, Vec<i64>, Vec<F>) {
    let (mut offsets, mut classes, mut scores) = (vec![0], Vec::new(), Vec::new());
    for row in rows {
        for (class, cell) in row.iter().enumerate().rev() {
            if let Some(value) = cell {
                classes.push(class as i64);
                scores.push(F::from_f64(score(kind, *value)));
            }
        }
        offsets.push(classes.len() as i64);
    }
    (offsets, classes, scores)
}

fn check<F: FloatMargin>(
    program: &Program,
    levels: &[f64],
    kind: ScoreKind,
    rows: &[Vec<Option<f64>>],
) -> TestCaseResult {
    let thresholds = Thresholds::new(levels.to_vec()).unwrap();
    let layer = SparseLayer::new(program).unwrap();
    let narrow = size_of::<F>() == 4;
    let applier = SparseApplier::new(program, &layer, thresholds.clone(), kind, narrow);
    let (offsets, classes, scores) = lists::<F>(rows, kind);
    let found = applier.apply(ScoreLists::new(&offsets, &classes, &scores).unwrap(), true).unwrap();

    let absent = F::from_f64(applier.absent());
    let cell = |cell: &Option<f64>| cell.map_or(absent, |one| F::from_f64(score(kind, one)));
    let whole: Vec<F> = rows.iter().flatten().map(cell).collect();
    let dense = ConstraintLayer::new(program, thresholds.clone());
    let mut coherent = whole.clone();
    let mut delegates = vec![Delegate::default(); whole.len()];
    Applier::new(program, &dense, thresholds, kind)
        .apply(&whole, &mut coherent, None, Some(&mut delegates))
        .unwrap();
    for row in 0..rows.len() {
        let at = found.offsets[row] as usize..found.offsets[row + 1] as usize;
        let mut listed = found.classes[at.clone()].iter().zip(at).peekable();
        for class in 0..CLASSES {
            let place = row * CLASSES + class;
            match listed.next_if(|(one, _)| **one == class as i64) {
                Some((_, at)) => {
                    let bits = |value: F| value.to_f64().to_bits();
                    prop_assert_eq!(bits(found.scores[at]), bits(coherent[place]));
                    prop_assert_eq!(found.delegates[at], delegates[place]);
                }
                None => prop_assert_eq!(coherent[place], absent, "class {}", class),
            }
        }
        prop_assert!(listed.next().is_none());
    }
    Ok(())
}

/// Whether the classes of a row break no rule.
fn is_coherent(program: &Program, kept: &[i64]) -> bool {
    let has = |class: LabelId| kept.contains(&(class.index() as i64));
    program
        .rules()
        .iter()
        .all(|rule| has(rule.head()) || !rule.body().iter().all(|literal| has(literal.label())))
}

fn row_of<F>(lists: &CoherentLists<F>, row: usize) -> &[i64] {
    &lists.classes[lists.offsets[row] as usize..lists.offsets[row + 1] as usize]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4_000) })]

    #[test]
    fn lists_become_what_whole_rows_become(
        program in any::<bool>().prop_flat_map(program),
        levels in thresholds(),
        rows in proptest::collection::vec(proptest::collection::vec(cell(), CLASSES), 1..6),
        (narrow, logits) in any::<(bool, bool)>(),
    ) {
        let kind = if logits { ScoreKind::Logit } else { ScoreKind::Probability };
        if narrow {
            check::<f32>(&program, &levels, kind, &rows)?;
        } else {
            check::<f64>(&program, &levels, kind, &rows)?;
        }
    }

    #[test]
    fn what_is_kept_is_coherent_and_the_highest(
        program in program(false),
        levels in thresholds(),
        rows in proptest::collection::vec(proptest::collection::vec(cell(), CLASSES), 1..4),
        top in proptest::option::of(0..=CLASSES),
        above in proptest::option::of(proptest::sample::select(vec![0.0, 0.25, 0.3, 0.6])),
    ) {
        let uniform = levels.iter().all(|&level| level == levels[0]);
        let above = above.filter(|_| uniform);
        let layer = SparseLayer::new(&program).unwrap();
        let thresholds = Thresholds::new(levels).unwrap();
        let new = || SparseApplier::new(&program, &layer, thresholds.clone(), ScoreKind::Probability, false);
        let (offsets, classes, scores) = lists::<f64>(&rows, ScoreKind::Probability);
        let given = ScoreLists::new(&offsets, &classes, &scores).unwrap();
        let all = new().apply(given, false).unwrap();
        let kept = new().cut(Cut { top, above }).unwrap().apply(given, false).unwrap();
        for row in 0..rows.len() {
            let (all_of, kept_of) = (row_of(&all, row), row_of(&kept, row));
            prop_assert!(kept_of.is_sorted() && kept_of.iter().all(|class| all_of.contains(class)));
            prop_assert!(is_coherent(&program, kept_of));
            let score = |class: i64| {
                let at = all.offsets[row] as usize + all_of.iter().position(|&one| one == class).unwrap();
                all.scores[at]
            };
            let left_out = all_of.iter().filter(|class| !kept_of.contains(class));
            let highest = left_out.clone().map(|&class| score(class)).fold(0.0, f64::max);
            let lowest = kept_of.iter().map(|&class| score(class)).fold(1.0, f64::min);
            if uniform {
                prop_assert!(lowest >= highest);
            }
            if let Some(above) = above {
                prop_assert!(kept_of.iter().all(|&class| score(class) > above));
            }
            let room = top.unwrap_or(CLASSES);
            for &class in left_out {
                prop_assert!(kept_of.len() >= room || above.is_some_and(|above| score(class) <= above));
            }
        }
    }
}

#[test]
fn threads_change_nothing() {
    let text: String =
        (1..500).map(|class| format!("c{class} -> c{}\n", (class - 1) / 3)).collect();
    let program: Program = text.parse().unwrap();
    let layer = SparseLayer::new(&program).unwrap();
    let halves = Thresholds::uniform(layer.classes(), 0.5).unwrap();
    let applier = SparseApplier::new(&program, &layer, halves, ScoreKind::Probability, true);
    let offsets: Vec<i64> = (0..=3_000).map(|row| row * 5).collect();
    let classes: Vec<i64> = (0..15_000).map(|at| (at / 5 * 31 + at % 5 * 97) % 500).collect();
    let scores: Vec<f32> = (0..15_000).map(|at| (at * 37 % 101) as f32 / 100.0).collect();
    let lists = ScoreLists::new(&offsets, &classes, &scores).unwrap();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| applier.apply(lists, true).unwrap())
    };
    let alone = run(1);
    assert_eq!(alone.offsets.len(), 3_001);
    assert!(run(2) == alone && run(5) == alone);
}

#[test]
fn what_is_wrong_is_named() {
    let program: Program = "cat -> animal\nnot dog -> other".parse().unwrap();
    let layer = SparseLayer::new(&program).unwrap();
    let halves = Thresholds::uniform(4, 0.5).unwrap();
    let new =
        || SparseApplier::new(&program, &layer, halves.clone(), ScoreKind::Probability, false);
    let error = |classes: &[i64], scores: &[f64]| {
        let offsets = [0, 0, classes.len() as i64];
        let lists = ScoreLists::new(&offsets, classes, scores).unwrap();
        new().apply(lists, false).unwrap_err().to_string()
    };
    assert_eq!(error(&[0], &[1.5]), "row 1: the score 1.5 of `cat` is outside [0, 1]");
    assert_eq!(error(&[0, 0], &[0.5, 0.5]), "row 1: `cat` is listed twice");
    assert_eq!(error(&[-1], &[0.5]), "row 1: there is no class -1; there are 4, counted from 0");
    assert_eq!(error(&[4], &[0.5]), "row 1: there is no class 4; there are 4, counted from 0");
    let offsets =
        |offsets: &[i64]| ScoreLists::new(offsets, &[0, 1], &[0.5f32; 2]).unwrap_err().to_string();
    let rise = "offsets must rise from 0 to 2, the number of scores; offset";
    assert_eq!(offsets(&[]), format!("{rise} 0 is 0"));
    assert_eq!(offsets(&[1, 2]), format!("{rise} 0 is 1"));
    assert_eq!(offsets(&[0, 2, 1, 2]), format!("{rise} 2 is 1"));
    assert_eq!(offsets(&[0, 1]), format!("{rise} 1 is 1"));
    let top = Cut { top: Some(1), above: None };
    assert_eq!(new().cut(top).err(), Some(CutError::Negation));
}
