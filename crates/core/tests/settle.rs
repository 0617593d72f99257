//! Requirements: strongest first against the definition, by brute force.
#![allow(clippy::unwrap_used)]

use rulebound_core::{
    ConstraintLayer, Delegate, Derivation, Dialect, LabelId, Margin, Program, RuleText, SearchNeed,
    Thresholds, Violations, reference,
};
use rulebound_testing::Random;

#[path = "strategy/draft.rs"]
mod draft;
use draft::{Draft, labels};

fn margin(random: &mut Random, is_extreme: bool) -> f64 {
    let special = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, 1.0, -1.0, 5e-324, -5e-324];
    if is_extreme {
        return special[random.below(special.len())];
    }
    match random.below(3) {
        0 => random.below(7) as f64 - 3.0,
        _ => random.below(1 << 20) as f64 / (1 << 17) as f64 - 4.0,
    }
}

fn apply<F: Margin>(program: &Program, margins: &[F]) -> (Vec<F>, Vec<Delegate>) {
    let classes = program.labels().len();
    let layer = ConstraintLayer::new(program, Thresholds::uniform(classes, 0.5).unwrap());
    let mut values = vec![F::default(); margins.len()];
    let mut delegates = vec![Delegate::default(); margins.len()];
    let mut workspace = layer.workspace();
    layer.forward_with_delegates(margins, &mut values, &mut delegates, &mut workspace).unwrap();
    let mut alone = vec![F::default(); margins.len()];
    layer.forward(margins, &mut alone, &mut workspace).unwrap();
    assert_eq!(alone, values);
    (values, delegates)
}

fn decisions<F: Margin>(values: &[F]) -> Vec<bool> {
    values.iter().map(|value| value.is_predicted()).collect()
}

/// Each value is the margin of its delegate, or its negation.
fn check_delegates<F: Margin>(margins: &[F], values: &[F], delegates: &[Delegate]) {
    for (value, delegate) in values.iter().zip(delegates) {
        let expected = match delegate.literal() {
            Some(leaf) => {
                let margin = margins[leaf.label().index()].canonical();
                if leaf.is_negated() { -margin } else { margin }
            }
            None if delegate.is_never() => F::FALSE,
            None => F::TRUE,
        };
        assert_eq!(*value, expected);
    }
}

#[test]
fn what_comes_out_is_the_lexicographic_optimum() {
    let mut random = Random::new(19);
    let (mut rows, mut closed, mut programs, mut overruled) = (0, 0, 0, 0);
    while rows < 12_000 {
        let draft = Draft::new(&mut random);
        let Some(program) = draft.program() else { continue };
        let coherent = reference::coherent_predictions(&program);
        assert!(!coherent.is_empty());
        programs += 1;
        let is_closed = program.search_need() == Some(SearchNeed::Closed);
        let shuffled = draft.shuffled(&mut random).program().unwrap();
        let is_idempotent = is_closed
            && draft.preferred.is_empty()
            && draft.rules.iter().all(|rule| rule.body().len() == 1);
        let count = 30;
        let margins: Vec<f64> = (0..count * draft.classes)
            .map(|at| margin(&mut random, (at / draft.classes).is_multiple_of(3)))
            .collect();
        let (values, delegates) = apply(&program, &margins);
        let (other, _) = apply(&shuffled, &margins);
        let (again, _) = apply(&program, &values);
        assert_eq!(decisions(&values), decisions(&other), "order of lines");
        assert_eq!(decisions(&values), decisions(&again), "twice is once");
        assert_eq!(Violations::logical(&program, &decisions(&values)).total(), 0);
        for row in 0..count {
            let at = row * draft.classes..(row + 1) * draft.classes;
            let (margins, values) = (&margins[at.clone()], &values[at.clone()]);
            let expected = reference::strongest_first(&program, coherent.clone(), margins);
            let text = program.to_text();
            assert_eq!(decisions(values), decisions(&expected), "{text} {margins:?}");
            check_delegates(margins, values, &delegates[at.clone()]);
            if is_closed {
                assert_eq!(values, expected, "{text} {margins:?}");
                assert_eq!(values, &other[at.clone()], "order of lines");
                closed += 1;
            }
            if is_idempotent {
                assert_eq!(values, &again[at.clone()], "{text} {margins:?}");
            }
            overruled += usize::from(
                decisions(values) != decisions(&reference::fixpoint(&program, margins)),
            );
            rows += 1;
        }
    }
    eprintln!("{programs} programs, {rows} rows, {closed} closed, {overruled} overruled");
    assert!(closed > rows / 2 && overruled > rows / 4);
}

#[test]
fn single_precision_decides_as_double_precision() {
    let mut random = Random::new(20);
    let mut rows = 0;
    while rows < 1_000 {
        let Some(program) = Draft::new(&mut random).program() else { continue };
        let classes = program.labels().len();
        let margins: Vec<f64> =
            (0..20 * classes).map(|_| f64::from(margin(&mut random, false) as f32)).collect();
        let narrow: Vec<f32> = margins.iter().map(|&margin| margin as f32).collect();
        let (values, delegates) = apply(&program, &margins);
        let (narrow_values, narrow_delegates) = apply(&program, &narrow);
        assert_eq!(decisions(&values), decisions(&narrow_values));
        assert_eq!(delegates, narrow_delegates);
        rows += 20;
    }
}

#[test]
fn hiding_a_class_is_giving_it_no_chance() {
    let mut random = Random::new(29);
    let (mut rows, mut refused) = (0, 0);
    while rows < 2_000 {
        let mut draft = Draft::new(&mut random);
        let hidden = random.below(draft.classes);
        draft.preferred.clear();
        let hidden_id = LabelId::new(hidden);
        draft.rules.retain(|rule| {
            rule.head() != hidden_id && rule.body().iter().all(|one| one.label() != hidden_id)
        });
        let Some(program) = draft.program() else { continue };
        let without = match program.hiding(|id| id != hidden_id) {
            Ok(without) => without,
            Err(error) => {
                // Every coherent prediction has it.
                let coherent = reference::coherent_predictions(&program);
                assert!(coherent.iter().all(|prediction| prediction[hidden]), "{error}");
                refused += 1;
                continue;
            }
        };
        for _ in 0..10 {
            let mut margins: Vec<f64> =
                (0..draft.classes).map(|_| margin(&mut random, false)).collect();
            margins[hidden] = f64::NEG_INFINITY;
            let (values, _) = apply(&program, &margins);
            margins.remove(hidden);
            let (others, _) = apply(&without, &margins);
            let mut expected = decisions(&values);
            assert!(!expected.remove(hidden));
            assert_eq!(decisions(&others), expected, "{}", program.to_text());
            rows += 1;
        }
    }
    assert!(refused > 0);
}

#[test]
fn what_an_overruled_class_raised_is_taken_back() {
    for (text, margins, expected) in [
        // red gives way to green, and stop is as the model said.
        ("red -> stop\nexclusive(red, green)", [2.2, -2.2, 2.9], [-2.9, -2.2, 2.9]),
        // Another class that stays raises it still.
        ("a -> c\nb -> c\nnot (a)", [2.0, 1.0, -3.0], [f64::NEG_INFINITY, 1.0, 1.0]),
        // What is absent because it gave way is absent for negation too: b, which was surely absent, is raised.
        ("not a -> b\nexclusive(a, c)", [1.0, -5.0, 2.0], [-2.0, 2.0, 2.0]),
        // b is lifted because one of both is required, and c was raised by its absence.
        ("not b -> c\na | b", [-3.0, -1.0, -2.0], [-3.0, 3.0, -2.0]),
    ] {
        let program: Program = text.parse().unwrap();
        let named = |name: &str| program.labels().find(name).unwrap().index();
        let order: Vec<usize> = match text.starts_with("red") {
            true => ["red", "stop", "green"].map(named).to_vec(),
            false => ["a", "b", "c"].map(named).to_vec(),
        };
        let mut row = [0.0; 3];
        order.iter().zip(margins).for_each(|(&class, margin)| row[class] = margin);
        let (values, delegates) = apply(&program, &row);
        let found: Vec<f64> = order.iter().map(|&class| values[class]).collect();
        assert_eq!(found, expected, "{text}");
        check_delegates(&row, &values, &delegates);
    }
}

#[test]
fn in_a_settled_row_nothing_is_raised_by_what_does_not_hold() {
    let mut random = Random::new(37);
    let (mut rows, mut taken_back) = (0, 0);
    while rows < 3_000 {
        let Some(program) = Draft::new(&mut random).program() else { continue };
        let classes = program.labels().len();
        let thresholds = Thresholds::uniform(classes, 0.5).unwrap();
        let layer = ConstraintLayer::new(&program, thresholds);
        for _ in 0..20 {
            let margins: Vec<f64> = (0..classes).map(|_| margin(&mut random, false)).collect();
            let row = Derivation::new(&program, &layer, &margins).unwrap();
            for label in program.labels().ids() {
                let Some(rule) = row.rule(label).filter(|_| row.raised(label).is_predicted())
                else {
                    continue;
                };
                let mut body = program.rule(rule).body().iter();
                assert!(body.all(|&one| row.literal(one).is_predicted()), "{}", program.to_text());
            }
            let once = reference::fixpoint(&program, &margins);
            let is_other = |label: LabelId| once[label.index()] != row.raised(label);
            taken_back += usize::from(program.labels().ids().any(is_other));
            rows += 1;
        }
    }
    assert!(taken_back > 200, "{taken_back} rows");
}

/// Values of PiShield's own layer; the fixture says how they were made.
#[test]
fn what_pishield_makes_coherent_stays_as_it_is() {
    let fixture = include_str!("fixtures/pishield.txt");
    let mut rows = 0;
    for set in fixture.split("\n\n").skip(1).filter(|set| !set.trim().is_empty()) {
        let (numbers, clauses): (Vec<&str>, Vec<&str>) =
            set.lines().partition(|line| line.starts_with("> "));
        let text = clauses.join("\n");
        let parsed = RuleText::new(&text).labels(labels(7)).dialect(Dialect::PiShield);
        let program = parsed.parse().unwrap().program;
        let coherent = reference::coherent_predictions(&program);
        for line in numbers {
            let (_, after) = line[2..].split_once(" = ").unwrap();
            // Distances from one half: exact, and negation is exact too.
            let margins: Vec<f64> =
                after.split(' ').map(|number| number.parse::<f64>().unwrap() - 512.0).collect();
            assert!(coherent.contains(&decisions(&margins)), "{text}\n{line}");
            // Numbers may change: a class that the clauses alone decide is certain here.
            let decided = decisions(&apply(&program, &margins).0);
            assert_eq!(decided, decisions(&margins), "{text}\n{line}");
            rows += 1;
        }
    }
    assert_eq!(rows, 150);
}

/// More pigeons than holes wherever the first class holds, as text.
fn pigeons(holes: usize) -> Program {
    let name = |pigeon: usize, hole: usize| format!("p{pigeon}h{hole}");
    let mut text = String::new();
    for pigeon in 0..=holes {
        let anywhere: Vec<String> = (0..holes).map(|hole| name(pigeon, hole)).collect();
        text += &format!("guard -> {}\n", anywhere.join(" | "));
    }
    for hole in 0..holes {
        let all: Vec<String> = (0..=holes).map(|pigeon| name(pigeon, hole)).collect();
        text += &format!("exclusive({})\n", all.join(", "));
    }
    text.parse().unwrap()
}

#[test]
fn a_guard_of_what_is_impossible_never_holds() {
    for holes in [5, 9] {
        let program = pigeons(holes);
        let classes = program.labels().len();
        let mut margins = vec![-1.0f32; classes];
        margins[0] = 9.0;
        let (values, delegates) = apply(&program, &margins);
        assert!(!values[0].is_predicted() && delegates[0].is_never());
        assert!(values[1..].iter().all(|value| *value == -1.0));
    }
}

#[test]
fn bits_do_not_depend_on_threads_and_batches() {
    let mut random = Random::new(31);
    for _ in 0..20 {
        let Some(program) = Draft::new(&mut random).program() else { continue };
        let classes = program.labels().len();
        let rows = 20_000;
        let margins: Vec<f64> = (0..rows * classes).map(|_| margin(&mut random, false)).collect();
        let layer = ConstraintLayer::new(&program, Thresholds::uniform(classes, 0.5).unwrap());
        let run = |threads: usize, size: usize| {
            let mut workspace = layer.workspace_for(threads);
            let mut values = vec![0.0; margins.len()];
            for (margins, values) in
                margins.chunks(size * classes).zip(values.chunks_mut(size * classes))
            {
                layer.forward(margins, values, &mut workspace).unwrap();
            }
            values.into_iter().map(f64::to_bits).collect::<Vec<_>>()
        };
        let expected = run(1, rows);
        assert_eq!(run(4, rows), expected);
        assert_eq!(run(2, 777), expected);
        assert_eq!(run(1, 3), expected);
    }
}

mod needs_data {
    use super::*;
    use rulebound_core::RulesAs;
    use rulebound_testing::needs;

    #[test]
    #[ignore = "needs RULEBOUND_DATA"]
    fn as_clauses_the_published_rule_files_need_no_search() {
        let mut files = 0;
        for set in std::fs::read_dir(needs::data().join("lcmc")).unwrap() {
            let set = set.unwrap().path();
            let name = set.file_name().unwrap().to_string_lossy().into_owned();
            let text =
                std::fs::read_to_string(set.join(format!("{name}_constraints.txt"))).unwrap();
            let parsed = RuleText::new(&text).rules_as(RulesAs::Clauses).parse().unwrap();
            assert_eq!(parsed.program.search_need(), Some(SearchNeed::Closed), "{name}");
            files += 1;
        }
        assert_eq!(files, 16);
    }
}
