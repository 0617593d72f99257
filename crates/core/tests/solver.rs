//! Requirements that are hard: decided, or said to be undecided, and in time.
#![allow(clippy::unwrap_used)]

use rulebound_core::{
    ConstraintLayer, Delegate, Labels, LayerError, Literal, Program, Requirement, RequirementError,
    RuleError, RuleText, SettleLimit, Thresholds, UnsettledRows, broken_requirements, reference,
};
use rulebound_testing::Random;
use std::fmt::Write;

/// Random clauses of three literals over so many classes, as DIMACS.
fn clauses(classes: usize, count: usize, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = format!("p cnf {classes} {count}\n");
    for _ in 0..count {
        let mut clause: Vec<usize> = Vec::new();
        while clause.len() < 3 {
            let class = 1 + random.below(classes);
            if !clause.contains(&class) {
                clause.push(class);
            }
        }
        for class in clause {
            let sign = if random.below(2) == 0 { "-" } else { "" };
            write!(text, "{sign}{class} ").unwrap();
        }
        text += "0\n";
    }
    text
}

fn mistake(text: &str) -> RuleError {
    let errors = RuleText::new(text).parse().unwrap_err();
    assert_eq!(errors.0.len(), 1);
    errors.0[0].clone()
}

fn lines(text: &str) -> (Vec<u32>, bool) {
    match mistake(text) {
        RuleError::Unsatisfiable { problem } => {
            (problem.lines.iter().map(|line| line.span.line).collect(), problem.is_smallest)
        }
        other => panic!("{other}"),
    }
}

#[test]
fn random_clauses_that_nothing_satisfies_are_refused() {
    for (classes, count, seed) in [(100, 460, 1), (100, 600, 1), (200, 1_200, 1)] {
        let text = clauses(classes, count, seed);
        let before = std::time::Instant::now();
        let (lines, is_smallest) = lines(&text);
        eprintln!(
            "{classes}/{count}: {} lines, smallest: {is_smallest}, {:?}",
            lines.len(),
            before.elapsed()
        );
        assert!(!lines.is_empty() && lines.len() <= count);
        // Those lines alone are refused, too.
        let all: Vec<&str> = text.lines().collect();
        let clash: Vec<&str> = lines.iter().map(|&line| all[line as usize - 1]).collect();
        let clash = format!("p cnf {classes} {}\n{}\n", clash.len(), clash.join("\n"));
        assert!(matches!(mistake(&clash), RuleError::Unsatisfiable { .. }));
    }
}

/// So many pigeons, each of which sits in one of so many holes.
fn pigeons(pigeons: usize, holes: usize, guard: &str) -> String {
    let name = |pigeon: usize, hole: usize| format!("p{pigeon}h{hole}");
    let mut text = String::new();
    for pigeon in 0..pigeons {
        let anywhere: Vec<String> = (0..holes).map(|hole| name(pigeon, hole)).collect();
        writeln!(text, "{guard}one of({})", anywhere.join(", ")).unwrap();
    }
    for hole in 0..holes {
        let all: Vec<String> = (0..pigeons).map(|pigeon| name(pigeon, hole)).collect();
        writeln!(text, "exclusive({})", all.join(", ")).unwrap();
    }
    text
}

#[test]
fn more_pigeons_than_holes_are_refused_by_counting() {
    let (found, is_smallest) = lines(&pigeons(10, 9, ""));
    assert_eq!((found, is_smallest), ((1..=19).collect(), true));
    // Beside other requirements about them.
    let text = pigeons(12, 11, "") + "p0h0 -> p1h1 | p2h2\np3h3 | x\nx -> y\n";
    assert_eq!(lines(&text).0.len(), 23);
    // Under a guard, the guard never holds.
    let program: Program = pigeons(10, 9, "guard -> ").parse().unwrap();
    let [(class, false, _, because)] = &program.constant_classes()[..] else { panic!() };
    assert_eq!((program.labels().name(*class), because.len()), ("guard", 19));
}

#[test]
fn what_cannot_be_decided_is_said_to_be_undecided() {
    let text = clauses(2_000, 10_000, 1);
    let before = std::time::Instant::now();
    let error = mistake(&text);
    eprintln!("10,000 clauses: {error} {:?}", before.elapsed());
    assert!(matches!(error, RuleError::Undecided { .. } | RuleError::Unsatisfiable { .. }));
    // Pigeons in a form in which they cannot be counted: each pair of pigeons and hole by itself.
    let mut text = String::new();
    for pigeon in 0..11 {
        let anywhere: Vec<String> = (0..10).map(|hole| format!("p{pigeon}h{hole}")).collect();
        writeln!(text, "{}", anywhere.join(" | ")).unwrap();
        for (other, hole) in (0..pigeon).flat_map(|other| (0..10).map(move |hole| (other, hole))) {
            writeln!(text, "not (p{pigeon}h{hole}, p{other}h{hole})").unwrap();
        }
    }
    let limited = RuleText::new(&text).settle_limit(SettleLimit::new(2_000)).parse();
    let RuleError::Undecided { problem } = &limited.unwrap_err().0[0] else { panic!() };
    assert_eq!((problem.requirements, problem.limit.conflicts()), (561, 2_000));
    assert!(mistake_hint(&text, 2_000).contains("--settle-limit 20000"));
}

fn mistake_hint(text: &str, limit: u64) -> String {
    let parsed = RuleText::new(text).settle_limit(SettleLimit::new(limit)).parse();
    parsed.unwrap_err().0[0].hint().unwrap()
}

/// Two counters of the same classes, of which one counts those that do not hold.
fn counters(classes: usize, most: usize) -> (Labels, Vec<Requirement>) {
    let labels = Labels::new((0..classes).map(|class| format!("c{class}"))).unwrap();
    let positive: Vec<Literal> = labels.ids().map(Literal::positive).collect();
    let negative: Vec<Literal> = labels.ids().map(Literal::negative).collect();
    let groups = vec![
        Requirement::count([], 0, most as u32, positive),
        Requirement::count([], 3, 5, negative),
    ];
    (labels, groups)
}

#[test]
fn counters_of_many_members_neither_hang_nor_overflow_the_stack() {
    for classes in [24, 400, 100_000] {
        let (labels, groups) = counters(classes, classes / 2);
        let before = std::time::Instant::now();
        let program = Program::new(labels.clone(), Vec::new()).unwrap();
        let Err(RequirementError::Unsatisfiable(clash)) = program.with_requirements(groups, &[])
        else {
            panic!("{classes} members are not refused")
        };
        eprintln!("{classes} members: {:?}", before.elapsed());
        assert_eq!((clash.lines.len(), clash.is_smallest), (2, true));
        // One fewer, and they can be satisfied: by rows, too.
        let before = std::time::Instant::now();
        let (labels, groups) = counters(classes, classes - 4);
        let program = Program::new(labels, Vec::new()).unwrap();
        let program = program.with_requirements(groups, &[]).unwrap();
        let layer = ConstraintLayer::new(&program, Thresholds::uniform(classes, 0.5).unwrap());
        let margins: Vec<f32> = (0..classes).map(|class| 1.0 + class as f32).collect();
        let mut values = vec![0.0; classes];
        layer.forward(&margins, &mut values, &mut layer.workspace_for(1)).unwrap();
        assert_eq!(values.iter().filter(|value| **value < 0.0).count(), 4);
        eprintln!("{classes} members, satisfied: {:?}", before.elapsed());
    }
    // Bounds next to their ends, where there are few choices of very many members.
    let labels = Labels::new((0..100_000).map(|class| format!("c{class}"))).unwrap();
    for (least, most) in [(0, 99_999), (100_000, 100_000), (1, 99_999), (99_999, 100_000)] {
        let members = labels.ids().map(Literal::positive);
        let group = Requirement::count([], least, most, members);
        let pair = Requirement::any([], labels.ids().take(2).map(Literal::positive));
        let program = Program::new(labels.clone(), Vec::new()).unwrap();
        program.with_requirements(vec![group, pair], &[]).unwrap();
    }
    let before = std::time::Instant::now();
    let members = || labels.ids().take(30_000).map(Literal::positive);
    let groups = vec![
        Requirement::count([], 0, 1, members()),
        Requirement::count([], 2, u32::MAX, members()),
    ];
    let program = Program::new(labels.clone(), Vec::new()).unwrap();
    assert!(program.with_requirements(groups, &[]).is_err());
    eprintln!("exclusive and at least two of 30,000: {:?}", before.elapsed());
}

/// 400 groups of five that exclude each other, and 3,000 alternatives.
fn structured(classes: usize) -> Program {
    let mut random = Random::new(1);
    let mut text = String::new();
    for group in 0..classes / 5 {
        let members: Vec<String> = (0..5).map(|at| format!("c{}", 5 * group + at)).collect();
        writeln!(text, "exclusive({})", members.join(", ")).unwrap();
    }
    for _ in 0..classes * 3 / 2 {
        let [a, b, c] = std::array::from_fn(|_| random.below(classes));
        if a != b && a != c && b != c {
            writeln!(text, "c{a} -> c{b} | c{c}").unwrap();
        }
    }
    let labels = Labels::new((0..classes).map(|class| format!("c{class}"))).unwrap();
    RuleText::new(&text).labels(labels).parse().unwrap().program
}

#[test]
fn rows_of_two_thousand_classes_that_need_search_are_settled() {
    let rows = 3;
    let before = std::time::Instant::now();
    let program = structured(2_000);
    eprintln!("compiled: {:?}", before.elapsed());
    settle_densities(&program, rows, &[5, 50, 500]);
}

fn settle_densities(program: &Program, rows: usize, shares: &[usize]) {
    let classes = program.labels().len();
    let layer = ConstraintLayer::new(program, Thresholds::uniform(classes, 0.5).unwrap());
    for &share in shares {
        let mut random = Random::new(share as u64);
        let mut worst = 0.0f64;
        for _ in 0..rows {
            let margins: Vec<f64> = (0..classes)
                .map(|_| {
                    let size = (1 + random.below(1 << 20)) as f64 / (1 << 18) as f64;
                    if random.below(1_000) < share { size } else { -size }
                })
                .collect();
            let mut values = vec![0.0; classes];
            let before = std::time::Instant::now();
            let result = layer.forward(&margins, &mut values, &mut layer.workspace_for(1));
            let seconds = before.elapsed().as_secs_f64();
            assert!(result.is_ok(), "{share} per mille: not settled in {seconds} s");
            worst = worst.max(before.elapsed().as_secs_f64());
            let decided: Vec<bool> = values.iter().map(|value| *value > 0.0).collect();
            assert_eq!(broken_requirements(program, &decided).count(), 0);
        }
        eprintln!("{share} per mille: slowest of {rows} rows {worst:.3} s");
    }
}

#[test]
fn rows_that_are_not_settled_are_passed_on_and_named() {
    let program = structured(800).with_settle_limit(SettleLimit::new(1));
    let classes = 800;
    let mut random = Random::new(9);
    let mut margins: Vec<f64> = Vec::new();
    for row in 0..40 {
        for _ in 0..classes {
            let size = (1 + random.below(1 << 20)) as f64 / (1 << 18) as f64;
            let is_wanted = row % 4 == 0 && random.below(2) == 0;
            margins.push(if is_wanted { size } else { -size });
        }
    }
    let layer = ConstraintLayer::new(&program, Thresholds::uniform(classes, 0.5).unwrap());
    let mut values = vec![0.0; margins.len()];
    let error = layer.forward(&margins, &mut values, &mut layer.workspace_for(1)).unwrap_err();
    let LayerError::Unsettled { row: first, .. } = error else { panic!("{error}") };
    let layer = layer.with_unsettled(UnsettledRows::Raw);
    let mut before: Option<(Vec<f64>, Vec<LayerError>)> = None;
    for threads in [1, 4] {
        let mut workspace = layer.workspace_for(threads);
        let mut delegates = vec![Delegate::default(); margins.len()];
        layer
            .forward_with_delegates(&margins, &mut values, &mut delegates, &mut workspace)
            .unwrap();
        let unsettled = workspace.unsettled();
        let rows: Vec<usize> = unsettled
            .iter()
            .map(|error| match error {
                LayerError::Unsettled { row, .. } => *row,
                other => panic!("{other}"),
            })
            .collect();
        assert!(rows[0] == first && rows.iter().all(|row| row % 4 == 0), "{rows:?}");
        for (row, values) in values.chunks(classes).enumerate() {
            let margins = &margins[row * classes..][..classes];
            let decided: Vec<bool> = values.iter().map(|value| *value > 0.0).collect();
            if rows.contains(&row) {
                assert_eq!(values, margins);
                let delegates = &delegates[row * classes..][..classes];
                let labels = program.labels().ids();
                assert!(delegates.iter().zip(labels).all(|(one, own)| *one == Delegate::own(own)));
            } else {
                assert_eq!(broken_requirements(&program, &decided).count(), 0);
            }
        }
        let now = (values.clone(), unsettled);
        assert_eq!(*before.get_or_insert_with(|| now.clone()), now);
        // The next batch begins anew.
        layer
            .forward(&margins[classes..2 * classes], &mut values[..classes], &mut workspace)
            .unwrap();
        assert_eq!(workspace.unsettled(), []);
    }
}

#[test]
fn a_program_remembers_that_it_can_be_satisfied() {
    let program = structured(50);
    let back = Program::from_bytes(&program.to_bytes()).unwrap();
    assert_eq!(back.witness(), program.witness());
    assert_eq!(back.settle_limit(), SettleLimit::default());
    for conflicts in [0, 7, u64::MAX] {
        let limited = program.clone().with_settle_limit(SettleLimit::new(conflicts));
        let bytes = limited.to_bytes();
        let back = Program::from_bytes(&bytes).unwrap();
        assert_eq!((back.settle_limit().conflicts(), back.to_bytes()), (conflicts, bytes));
    }
    let witness = program.witness().map(<[bool]>::to_vec);
    // Within a limit in which nothing is decided.
    let text = clauses(60, 200, 5);
    let program = RuleText::new(&text).parse().unwrap().program;
    let known = program.witness().unwrap().to_vec();
    let short = || RuleText::new(&text).settle_limit(SettleLimit::new(0));
    assert!(matches!(short().parse().unwrap_err().0[0], RuleError::Undecided { .. }));
    let program = short().witness(known.clone()).parse().unwrap().program;
    assert_eq!(program.witness(), Some(&known[..]));
    // A false one makes no difference.
    let wrong: Vec<bool> = known.iter().map(|is_set| !is_set).collect();
    assert!(short().witness(wrong).parse().is_err());
    assert!(short().witness(witness).parse().is_err());
}

/// A row of requirements of every kind over 3 to 9 classes, with rules, facts and preferences, as text.
fn random_text(random: &mut Random) -> (String, usize) {
    let classes = 3 + random.below(7);
    let name = |random: &mut Random| {
        let not = if random.below(4) == 0 { "not " } else { "" };
        format!("{not}c{}", random.below(classes))
    };
    let distinct = |random: &mut Random, count: usize| {
        let mut names: Vec<String> = Vec::new();
        while names.len() < count {
            let one = name(random);
            let class = |text: &str| text.trim_start_matches("not ").to_owned();
            if names.iter().all(|other| class(other) != class(&one)) {
                names.push(one);
            }
        }
        names
    };
    let mut text = String::new();
    for _ in 0..2 + random.below(9) {
        let guard = match random.below(3) {
            0 => {
                let count = 1 + random.below(2);
                format!("{} -> ", distinct(random, count).join(", "))
            }
            _ => String::new(),
        };
        let count = 2 + random.below(classes - 1);
        let members = distinct(random, count).join(", ");
        let (low, high) = (random.below(3), 1 + random.below(count));
        let line = match random.below(9) {
            0 => format!("{guard}exclusive({members})"),
            1 => format!("{guard}one of({members})"),
            2 => format!("{guard}at most {high} of({members})"),
            3 => format!("{guard}at least {} of({members})", 1 + low.min(count - 1)),
            4 => format!("{guard}between {} and {} of({members})", low.min(high), high),
            5 => format!("not ({members})"),
            6 => {
                // A rule: its head comes after its body.
                let head = 1 + random.below(classes - 1);
                format!("c{} -> c{head}", random.below(head))
            }
            7 if random.below(4) == 0 => format!("-> c{}", random.below(classes)),
            _ => format!("{guard}{}", members.replace(", ", " | ")),
        };
        text += &(line + "\n");
    }
    if random.below(4) == 0 {
        let first = random.below(classes);
        writeln!(text, "prefer c{first}, c{}", (first + 1) % classes).unwrap();
    }
    (text, classes)
}

/// Random programs against all predictions there are.
fn against_brute_force(programs: usize, seed: u64) {
    let mut random = Random::new(seed);
    let (mut tried, mut refused, mut rows) = (0, 0, 0);
    while tried < programs {
        let (text, classes) = random_text(&mut random);
        let labels = Labels::new((0..classes).map(|class| format!("c{class}"))).unwrap();
        let parsed = RuleText::new(&text).labels(labels).parse();
        tried += 1;
        let program = match parsed {
            Ok(parsed) => parsed.program,
            Err(errors) => {
                let RuleError::Unsatisfiable { problem } = &errors.0[0] else {
                    panic!("{text}\n{errors}")
                };
                assert!(problem.is_smallest && !problem.lines.is_empty(), "{text}");
                let lines: Vec<u32> = problem.lines.iter().map(|line| line.span.line).collect();
                smallest(&text, &lines, classes);
                refused += 1;
                continue;
            }
        };
        let coherent = reference::coherent_predictions(&program);
        assert!(!coherent.is_empty(), "{text}");
        let layer = ConstraintLayer::new(&program, Thresholds::uniform(classes, 0.5).unwrap());
        let mut workspace = layer.workspace_for(1);
        for _ in 0..20 {
            let margins: Vec<f64> = (0..classes)
                .map(|_| match random.below(12) {
                    0 => [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY][random.below(4)],
                    _ => random.below(2_000) as f64 / 100.0 - 9.995,
                })
                .collect();
            let mut values = vec![0.0; classes];
            layer.forward(&margins, &mut values, &mut workspace).unwrap();
            let expected = reference::strongest_first(&program, coherent.clone(), &margins);
            let sides =
                |values: &[f64]| values.iter().map(|value| *value > 0.0).collect::<Vec<_>>();
            assert_eq!(sides(&values), sides(&expected), "{text}{margins:?}");
            rows += 1;
        }
    }
    eprintln!("{programs} programs, {refused} of them refused, {rows} rows");
}

/// Those lines cannot be satisfied, and can without any one of them.
fn smallest(text: &str, lines: &[u32], classes: usize) {
    let all: Vec<&str> = text.lines().collect();
    let satisfied = |lines: &[u32]| {
        let text: Vec<&str> = lines.iter().map(|&line| all[line as usize - 1]).collect();
        let labels = Labels::new((0..classes).map(|class| format!("c{class}"))).unwrap();
        RuleText::new(&text.join("\n")).labels(labels).parse().is_ok()
    };
    assert!(!satisfied(lines), "{text}{lines:?}");
    for at in 0..lines.len() {
        let rest: Vec<u32> = lines
            .iter()
            .enumerate()
            .filter(|(place, _)| *place != at)
            .map(|(_, &line)| line)
            .collect();
        assert!(satisfied(&rest), "{text}{lines:?}");
    }
}

#[test]
fn random_programs_are_settled_as_brute_force_does() {
    against_brute_force(200, 1);
}

/// `cargo test -p rulebound-core --release --test solver -- --ignored soak`.
mod soak {
    use super::*;

    #[test]
    #[ignore = "minutes: run it on demand"]
    fn thousands_of_random_programs_are_settled_as_brute_force_does() {
        against_brute_force(5_800, 2);
    }

    #[test]
    #[ignore = "minutes: run it on demand"]
    fn twenty_rows_of_each_density_are_settled() {
        // SETTLE_LIMIT=100000 shows what a larger limit settles.
        let limit = std::env::var("SETTLE_LIMIT").ok().and_then(|limit| limit.parse().ok());
        let limit = SettleLimit::new(limit.unwrap_or(SettleLimit::DEFAULT));
        settle_densities(&structured(2_000).with_settle_limit(limit), 20, &[5, 50, 500]);
    }
}
