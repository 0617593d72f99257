//! The search itself: what the limit on implicates normally keeps from happening.

use super::*;
use crate::label::Labels;
use crate::program::Program;
use crate::reference::{coherent_predictions, strongest_first};
use rulebound_testing::Random;

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
        let settler = Settler::within(classes, &[], &requirements, &[], 0).unwrap();
        assert_eq!(settler.need(), SearchNeed::Unknown);
        let coherent = coherent_predictions(&program);
        let mut space = settler.space();
        for _ in 0..50 {
            let margins: Vec<f64> =
                (0..classes).map(|_| random.below(2_000) as f64 / 100.0 - 9.995).collect();
            let mut values = margins.clone();
            settler.settle(&mut values, &mut [], &mut space).unwrap();
            turns += space.search.turns;
            let expected = strongest_first(&program, coherent.clone(), &margins);
            let sides =
                |values: &[f64]| values.iter().map(|value| *value > 0.0).collect::<Vec<_>>();
            assert_eq!(sides(&values), sides(&expected), "{}", program.to_text());
            // What is not closed is settled no sooner than it could be.
            for (value, expected) in values.iter().zip(&expected) {
                assert!(value.abs() <= expected.abs());
            }
            rows += 1;
        }
    }
    assert!(turns > 100, "{turns} turns");
}

/// More pigeons than holes, wherever the guard holds.
fn pigeons(holes: usize) -> (usize, Vec<Requirement>) {
    let guard = Literal::positive(LabelId::new(0));
    let sits = |pigeon: usize, hole: usize| LabelId::new(1 + pigeon * holes + hole);
    let mut requirements = Vec::new();
    for pigeon in 0..=holes {
        let anywhere = (0..holes).map(|hole| Literal::positive(sits(pigeon, hole)));
        requirements.push(Requirement::any([guard], anywhere));
    }
    for hole in 0..holes {
        let all = (0..=holes).map(|pigeon| Literal::positive(sits(pigeon, hole)));
        requirements.push(Requirement::count([], 0, 1, all));
    }
    (1 + (holes + 1) * holes, requirements)
}

#[test]
fn a_row_past_the_bound_is_an_error_with_its_sources() {
    let (classes, requirements) = pigeons(9);
    let settler = Settler::within(classes, &[], &requirements, &[], 1_000).unwrap();
    let mut space = settler.space();
    // Sure of the guard, and of no pigeon.
    let mut values = vec![-1.0f32; classes];
    values[0] = 9.0;
    let error = settler.settle(&mut values, &mut [], &mut space).unwrap_err();
    assert!(error.sources.len() > 9 && error.sources.len() <= requirements.len());
    // The space is as good as new.
    let mut values = vec![-1.0f32; classes];
    settler.settle(&mut values, &mut [], &mut space).unwrap();
    assert!(values.iter().all(|value| *value < 0.0));
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
        let Some(core) = clash(classes, &[], &requirements) else { continue };
        let of = |sources: &[Source]| -> Vec<Requirement> {
            sources.iter().map(|&source| requirements[source as usize].clone()).collect()
        };
        assert!(Settler::new(classes, &[], &of(&core), &[]).is_none());
        for at in 0..core.len() {
            let mut rest = core.clone();
            rest.remove(at);
            assert!(Settler::new(classes, &[], &of(&rest), &[]).is_some());
        }
        cores += 1;
    }
}
