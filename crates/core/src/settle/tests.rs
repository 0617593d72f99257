//! The search itself: what the limit on implicates normally keeps from happening.

use super::*;
use crate::label::Labels;
use crate::program::Program;
use crate::reference::{coherent_predictions, strongest_first};
use rulebound_testing::Random;

const LIMIT: SettleLimit = SettleLimit::new(SettleLimit::DEFAULT);

fn literal(random: &mut Random, classes: usize) -> Literal {
    let label = LabelId::new(random.below(classes));
    if random.below(2) == 0 { Literal::negative(label) } else { Literal::positive(label) }
}

/// Many clauses of three and four literals, and some groups.
fn requirements(random: &mut Random, classes: usize) -> Vec<Requirement> {
    let mut made = Vec::new();
    for _ in 0..3 * classes {
        let size = 3 + random.below(2);
        made.push(Requirement::any([], (0..size).map(|_| literal(random, classes))));
    }
    for _ in 0..random.below(3) {
        let members: Vec<Literal> = (0..5).map(|_| literal(random, classes)).collect();
        made.push(Requirement::count([literal(random, classes)], 1, 2, members));
    }
    made
}

#[test]
fn rows_that_need_search_are_the_lexicographic_optimum_too() {
    let mut random = Random::new(7);
    let (mut rows, mut turns) = (0, 0);
    while rows < 3_000 {
        let classes = 10;
        let requirements = requirements(&mut random, classes);
        let labels = Labels::new((0..classes).map(|class| format!("c{class}"))).unwrap();
        let program = Program::new(labels, Vec::new()).unwrap();
        let Ok(program) = program.with_requirements(requirements.clone(), &[]) else { continue };
        let mut settler =
            Settler::within(classes, &[], &requirements, &[], LIMIT, None, 0).unwrap();
        assert_eq!(settler.need(), SearchNeed::Unknown);
        let searching = settler.clone();
        // The same by the solver alone.
        settler.turns = 0;
        let coherent = coherent_predictions(&program);
        let (mut space, mut searched) = (settler.space(), searching.space());
        for _ in 0..50 {
            let margins: Vec<f64> =
                (0..classes).map(|_| random.below(2_000) as f64 / 100.0 - 9.995).collect();
            let mut values = margins.clone();
            settler.settle(&mut values, &mut [], &mut space).unwrap();
            let mut by_search = margins.clone();
            searching.settle(&mut by_search, &mut [], &mut searched).unwrap();
            turns += searched.search.turns;
            let expected = strongest_first(&program, coherent.clone(), &margins);
            let sides =
                |values: &[f64]| values.iter().map(|value| *value > 0.0).collect::<Vec<_>>();
            assert_eq!(sides(&values), sides(&expected), "{}", program.to_text());
            assert_eq!(sides(&by_search), sides(&expected), "{}", program.to_text());
            check_lines(&settler, &requirements, &margins, &mut space);
            // What is not closed is settled no sooner than it could be.
            for (value, expected) in values.iter().zip(&expected) {
                assert!(value.abs() <= expected.abs());
            }
            rows += 1;
        }
    }
    assert!(turns > 100, "{turns} turns");
}

#[test]
fn a_core_cannot_be_made_smaller() {
    let mut random = Random::new(11);
    let mut cores = 0;
    while cores < 60 {
        let classes = 4 + random.below(4);
        let mut requirements = requirements(&mut random, classes);
        requirements.extend((0..6).map(|_| {
            Requirement::any([literal(&mut random, classes)], [literal(&mut random, classes)])
        }));
        let Some(core) = clash(classes, &[], &requirements, LIMIT) else { continue };
        assert!(core.is_smallest);
        let core = core.sources;
        let of = |sources: &[Source]| -> Vec<Requirement> {
            sources.iter().map(|&source| requirements[source as usize].clone()).collect()
        };
        assert!(Settler::new(classes, &[], &of(&core), &[], LIMIT, None).is_err());
        for at in 0..core.len() {
            let mut rest = core.clone();
            rest.remove(at);
            assert!(Settler::new(classes, &[], &of(&rest), &[], LIMIT, None).is_ok());
        }
        cores += 1;
    }
}

/// The lines of each class that was settled, with what they rest on, exclude its other side.
fn check_lines(
    settler: &Settler,
    requirements: &[Requirement],
    margins: &[f64],
    space: &mut SettleSpace,
) {
    let classes = margins.len();
    let settlement = settler.settlement(margins, &[], requirements, space).unwrap();
    for class in 0..classes {
        let settled = settlement.of(LabelId::new(class));
        assert!(!settled.is_overruled || settled.by != SettledBy::Own);
        let SettledBy::Lines { requirements: lines, .. } = &settled.by else {
            assert_eq!(settled.by, SettledBy::Own, "no lines");
            continue;
        };
        let mut all: Vec<Requirement> =
            lines.iter().map(|id| requirements[id.index()].clone()).collect();
        all.extend(settled.because.iter().map(|&literal| Requirement::any([], [literal])));
        let label = LabelId::new(class);
        let other =
            if settled.predicted { Literal::negative(label) } else { Literal::positive(label) };
        all.push(Requirement::any([], [other]));
        assert!(Settler::new(classes, &[], &all, &[], LIMIT, None).is_err());
        // What it rests on is surer, and settled as it is said to be.
        for literal in &settled.because {
            let because = settlement.of(literal.label());
            assert_eq!(because.predicted, !literal.is_negated());
        }
    }
}

#[test]
fn a_row_past_the_limit_is_an_error_and_the_next_one_is_settled() {
    let mut random = Random::new(3);
    let classes = 40;
    let mut requirements: Vec<Requirement> = Vec::new();
    for _ in 0..150 {
        requirements.push(Requirement::any([], (0..3).map(|_| literal(&mut random, classes))));
    }
    let Ok(mut settler) = Settler::within(classes, &[], &requirements, &[], LIMIT, None, 0) else {
        panic!("the seed is of a set that can be satisfied")
    };
    settler.turns = 0;
    let with_limit = |conflicts: u64| settler.with_limit(SettleLimit::new(conflicts));
    let margins: Vec<f64> =
        (0..classes).map(|_| random.below(2_000) as f64 / 100.0 - 9.995).collect();
    let mut expected = margins.clone();
    settler.settle(&mut expected, &mut [], &mut settler.space()).unwrap();
    let short = with_limit(0);
    let mut space = short.space();
    let mut values = margins.clone();
    let error = short.settle(&mut values, &mut [], &mut space).unwrap_err();
    assert!(error.sources.iter().all(|&source| (source as usize) < requirements.len()));
    // What was learned, or not, from one row changes nothing in the next.
    let mut values = margins.clone();
    settler.settle(&mut values, &mut [], &mut space).unwrap();
    assert_eq!(values, expected);
}
