//! The sparse layer is the layer, with −∞ for everything that is not listed: values and delegates, bit for
//! bit, row after row in one workspace.
#![allow(clippy::unwrap_used)]

mod strategy;

#[path = "strategy/draft.rs"]
mod draft;

use draft::Draft;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use rulebound_core::{
    ConstraintLayer, Delegate, LabelId, Literal, Margin, Program, Rule, SparseError, SparseLayer,
    SparseWorkspace, Thresholds, reference,
};
use rulebound_testing::Random;
use strategy::{hierarchy, labels, margin, program, tangle};

/// A program, and rows of which some classes are listed.
fn rows(
    programs: impl Strategy<Value = Program>,
) -> impl Strategy<Value = (Program, Vec<Vec<Option<f64>>>)> {
    programs.prop_flat_map(|program| {
        let cell = prop_oneof![3 => Just(None), 2 => margin().prop_map(Some)];
        let row = proptest::collection::vec(cell, program.labels().len());
        (Just(program), proptest::collection::vec(row, 1..=6))
    })
}

/// Without negation, with bodies of several literals, cycles and facts.
fn definite() -> impl Strategy<Value = Program> {
    (1..=9usize).prop_flat_map(|classes| {
        let rule = (0..classes, proptest::collection::vec(0..classes, 0..=4), 0..8u8);
        proptest::collection::vec(rule, 0..=14).prop_map(move |drafts| {
            let literal = |label| Literal::positive(LabelId::new(label));
            let rules = drafts.into_iter().filter(|draft| !draft.1.is_empty() || draft.2 == 0);
            let rule = |(head, body, _): (usize, Vec<usize>, u8)| {
                Rule::new(LabelId::new(head), body.into_iter().map(literal))
            };
            Program::new(labels(classes), rules.map(rule).collect()).unwrap()
        })
    })
}

trait Bits: Margin {
    fn bits(self) -> u64;
    fn narrowed(value: f64) -> Self;
}

impl Bits for f64 {
    fn bits(self) -> u64 {
        self.to_bits()
    }
    fn narrowed(value: f64) -> Self {
        value
    }
}

impl Bits for f32 {
    fn bits(self) -> u64 {
        u64::from(self.to_bits())
    }
    fn narrowed(value: f64) -> Self {
        value as Self
    }
}

fn check_row<F: Bits>(
    program: &Program,
    sparse: &SparseLayer,
    workspace: &mut SparseWorkspace<F>,
    row: &[Option<f64>],
) -> TestCaseResult {
    let dense: Vec<F> = row.iter().map(|cell| cell.map_or(F::FALSE, F::narrowed)).collect();
    let thresholds = Thresholds::uniform(dense.len(), 0.5).unwrap();
    let layer = ConstraintLayer::new(program, thresholds);
    let mut values = dense.clone();
    let mut delegates = vec![Delegate::default(); dense.len()];
    let mut space = layer.workspace();
    layer.forward_with_delegates(&dense, &mut values, &mut delegates, &mut space).unwrap();
    prop_assert_eq!(&values, &reference::fixpoint(program, &dense));
    let expected: Vec<(usize, u64, Delegate)> = (0..dense.len())
        .filter(|&class| values[class] > F::FALSE)
        .map(|class| (class, values[class].bits(), delegates[class]))
        .collect();
    // Listed backwards: the order must not matter.
    let listed = row.iter().enumerate().rev();
    let listed =
        listed.filter_map(|(class, cell)| Some((LabelId::new(class), F::narrowed((*cell)?))));
    let found = sparse.forward(listed, workspace).unwrap();
    let found: Vec<(usize, u64, Delegate)> =
        found.iter().map(|one| (one.label.index(), one.value.bits(), one.delegate)).collect();
    prop_assert_eq!(found, expected);
    Ok(())
}

fn check(program: &Program, rows: &[Vec<Option<f64>>]) -> TestCaseResult {
    let sparse = SparseLayer::new(program).unwrap();
    let (mut wide, mut narrow) = (sparse.workspace::<f64>(), sparse.workspace::<f32>());
    for row in rows {
        check_row(program, &sparse, &mut wide, row)?;
        check_row(program, &sparse, &mut narrow, row)?;
        // What is wrong leaves nothing behind.
        let first = LabelId::new(0);
        prop_assert!(sparse.forward([(first, 1.0), (first, 2.0)], &mut wide).is_err());
    }
    // Bodies before heads, and the members of a cycle are together.
    for rule in program.rules() {
        for literal in rule.body() {
            let (body, head) = (literal.label(), rule.head());
            let together = sparse.cycle(body).is_some() && sparse.cycle(body) == sparse.cycle(head);
            prop_assert!(together || body == head || sparse.place(body) < sparse.place(head));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10_000) })]

    #[test]
    fn definite_programs((program, rows) in rows(definite())) {
        check(&program, &rows)?;
    }

    #[test]
    fn hierarchies((program, rows) in rows(hierarchy(12))) {
        check(&program, &rows)?;
    }

    #[test]
    fn tangles((program, rows) in rows(tangle())) {
        check(&program, &rows)?;
    }

    #[test]
    fn programs_with_negation_and_facts((program, rows) in rows(program(9, 14))) {
        check(&program, &rows)?;
    }
}

#[test]
fn what_nobody_lists_may_hold() {
    let program: Program = "not a -> b\nb -> c\n-> d\nd, e -> f".parse().unwrap();
    let layer = SparseLayer::new(&program).unwrap();
    let mut workspace = layer.workspace();
    let mut of = |row: &[(&str, f64)]| -> Vec<String> {
        let id = |name: &str| program.labels().find(name).unwrap();
        let row = row.iter().map(|&(name, value)| (id(name), value));
        let found = layer.forward(row, &mut workspace).unwrap();
        found
            .iter()
            .map(|one| {
                let delegate = one.delegate.display(program.labels());
                format!("{} {} {delegate}", program.labels().name(one.label), one.value)
            })
            .collect()
    };
    assert_eq!(of(&[]), ["b inf not a", "c inf not a", "d inf -> d"]);
    let expected = ["a 2 a", "b -2 not a", "c 1 c", "d inf -> d"];
    assert_eq!(of(&[("a", 2.0), ("c", 1.0)]), expected);
    assert_eq!(
        of(&[("e", 0.5)]),
        ["b inf not a", "c inf not a", "d inf -> d", "e 0.5 e", "f 0.5 e"]
    );
    let sure = [("a", f64::INFINITY)];
    assert_eq!(of(&sure), ["a inf a", "d inf -> d"]);
}

#[test]
fn what_cannot_be_done_is_said() {
    let program: Program = "cat -> animal".parse().unwrap();
    let layer = SparseLayer::new(&program).unwrap();
    let mut workspace = layer.workspace::<f32>();
    let [cat, nobody] = [0, 7].map(LabelId::new);
    let mut of = |row: &[(LabelId, f32)]| {
        layer.forward(row.iter().copied(), &mut workspace).unwrap_err().to_string()
    };
    assert_eq!(of(&[(cat, f32::NAN)]), "the value of `cat` is not a number");
    assert_eq!(of(&[(cat, 1.0), (cat, 1.0)]), "`cat` is listed twice");
    assert_eq!(of(&[(nobody, 1.0)]), "there is no class 7; there are 2, counted from 0");
    assert!(layer.forward([], &mut workspace).unwrap().is_empty());
}

/// What is not listed is as surely absent as can be; the rest is settled as in the whole row.
#[test]
fn lists_are_settled_as_whole_rows_are() {
    let mut random = Random::new(7);
    let (mut rows, mut more) = (0, 0);
    while rows < 3_000 {
        let Some(program) = Draft::new(&mut random).program() else { continue };
        let classes = program.labels().len();
        let sparse = SparseLayer::new(&program).unwrap();
        let dense = ConstraintLayer::new(&program, Thresholds::uniform(classes, 0.5).unwrap());
        let (mut few, mut whole) = (sparse.workspace(), dense.workspace());
        for _ in 0..20 {
            let mut own = vec![f64::NEG_INFINITY; classes];
            let mut listed = Vec::new();
            for label in program.labels().ids() {
                if random.below(3) == 0 {
                    continue;
                }
                let margin = random.below(9) as f64 - 4.0;
                own[label.index()] = margin;
                listed.push((label, margin));
            }
            let mut values = vec![0.0; classes];
            let mut delegates = vec![Delegate::default(); classes];
            dense.forward_with_delegates(&own, &mut values, &mut delegates, &mut whole).unwrap();
            let expected: Vec<(usize, f64, Delegate)> = (0..classes)
                .filter(|&class| values[class] > f64::NEG_INFINITY)
                .map(|class| (class, values[class], delegates[class]))
                .collect();
            let found = sparse.forward(listed.iter().copied(), &mut few).unwrap();
            let found: Vec<(usize, f64, Delegate)> =
                found.iter().map(|one| (one.label.index(), one.value, one.delegate)).collect();
            assert_eq!(found, expected, "{}", program.to_text());
            more += usize::from(found.len() > listed.len());
            rows += 1;
        }
        let twice = [(LabelId::new(0), f64::NEG_INFINITY); 2];
        let error = sparse.forward(twice, &mut few).unwrap_err();
        assert!(matches!(error, SparseError::Duplicate { .. }));
    }
    assert!(more > 100, "{more} rows have more classes than they list");
}
