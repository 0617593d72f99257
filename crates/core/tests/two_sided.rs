//! The two-sided loss against its definition over clauses, and its gradient against differences.
#![allow(clippy::unwrap_used)]

use rulebound_core::{
    Claim, ConstraintLoss, Delegate, LabelId, Labels, Literal, Program, Reduction, Requirement,
    Rule, broken_requirements, logical_violations, reference,
};
use rulebound_testing::Random;

fn labels(classes: usize) -> Labels {
    Labels::new((0..classes).map(|class| format!("c{class}"))).unwrap()
}

/// Literals of different classes.
fn distinct(random: &mut Random, classes: usize, most: usize) -> Vec<Literal> {
    let mut all: Vec<usize> = (0..classes).collect();
    let count = (1 + random.below(most)).min(classes);
    let mut literals = Vec::new();
    for _ in 0..count {
        let label = LabelId::new(all.swap_remove(random.below(all.len())));
        let negated = random.below(3) == 0;
        literals.push(if negated { Literal::negative(label) } else { Literal::positive(label) });
    }
    literals
}

/// Rules whose bodies come before their heads, clauses and groups over at most 8 classes.
fn program(random: &mut Random) -> Option<Program> {
    let classes = 2 + random.below(7);
    let mut rules = Vec::new();
    for _ in 0..random.below(4) {
        let head = 1 + random.below(classes - 1);
        rules.push(Rule::new(LabelId::new(head), distinct(random, head, 2)));
    }
    let requirements = (0..1 + random.below(5)).map(|_| {
        let mut members = distinct(random, classes, 6);
        let guards = random.below(3).min(members.len() - 1);
        let guard: Vec<Literal> = members.drain(..guards).collect();
        match random.below(4) {
            0 => Requirement::count(guard, 0, 1, members),
            1 => Requirement::count(guard, 1, 1, members),
            2 => {
                let (least, most) = (random.below(3) as u32, random.below(4) as u32);
                Requirement::count(guard, least, most.max(least), members)
            }
            _ => Requirement::any(guard, members),
        }
    });
    let requirements: Vec<Requirement> = requirements.collect();
    Program::new(labels(classes), rules).ok()?.with_requirements(requirements, &[]).ok()
}

/// All subsets of so many literals.
fn subsets(literals: &[Literal], size: usize) -> Vec<Vec<Literal>> {
    match (size, literals) {
        (0, _) => vec![Vec::new()],
        (_, []) => Vec::new(),
        (_, [first, rest @ ..]) => {
            let mut all = subsets(rest, size);
            for mut with in subsets(rest, size - 1) {
                with.push(*first);
                all.push(with);
            }
            all
        }
    }
}

/// Everything as clauses. Bounds that the labels break are left out.
fn clauses(program: &Program, truth: &[bool]) -> Vec<Vec<Literal>> {
    let mut parts: Vec<Vec<Vec<Literal>>> = Vec::new();
    for rule in program.rules() {
        let denied = rule.body().iter().map(|&one| !one);
        parts.push(vec![denied.chain([Literal::positive(rule.head())]).collect()]);
    }
    for requirement in program.requirements() {
        let under_guard = |mut claim: Vec<Literal>| {
            claim.extend(requirement.guard().iter().map(|&one| !one));
            claim
        };
        let mut part = |claims: Vec<Vec<Literal>>| {
            parts.push(claims.into_iter().map(under_guard).collect());
        };
        match requirement.claim() {
            Claim::Any(literals) => part(vec![literals.to_vec()]),
            Claim::Count { least, most, members } => {
                let negated: Vec<Literal> = members.iter().map(|&one| !one).collect();
                part(subsets(&negated, *most as usize + 1));
                part(subsets(members, members.len() + 1 - *least as usize));
            }
        }
    }
    let holds = |clause: &Vec<Literal>| clause.iter().any(|one| one.holds(truth));
    parts.retain(|part| part.iter().all(holds));
    parts.concat()
}

/// What the two-sided loss selects, from its definition.
fn slow(program: &Program, logits: &[f64], truth: &[bool]) -> Vec<f64> {
    let by_rules = select(&ConstraintLoss::new(program), logits, truth).0;
    let side = |class: usize| if truth[class] { 1.0 } else { -1.0 };
    let clauses = clauses(program, truth);
    let mut right: Vec<f64> = (0..truth.len()).map(|c| side(c) * by_rules[c]).collect();
    let mut wrong: Vec<f64> = right.iter().map(|value| -value).collect();
    for _ in 0..=truth.len() {
        for clause in &clauses {
            let is_right = |one: &&Literal| one.holds(truth);
            for literal in clause {
                let class = literal.label().index();
                if literal.holds(truth) && clause.iter().filter(is_right).count() == 1 {
                    let others = clause.iter().filter(|other| *other != literal);
                    let strengths = others.map(|other| right[other.label().index()]);
                    right[class] = right[class].max(strengths.fold(f64::INFINITY, f64::min));
                }
                if !literal.holds(truth) {
                    let strengths =
                        clause.iter().filter(is_right).map(|other| wrong[other.label().index()]);
                    wrong[class] = wrong[class].max(strengths.fold(f64::INFINITY, f64::min));
                }
            }
        }
    }
    let selected = |class: usize| match right[class] >= wrong[class] {
        true => side(class) * right[class],
        false => side(class) * -wrong[class],
    };
    (0..truth.len()).map(selected).collect()
}

fn select(loss: &ConstraintLoss, logits: &[f64], truth: &[bool]) -> (Vec<f64>, Vec<Delegate>) {
    let (mut selected, mut delegates) =
        (vec![0.0; logits.len()], vec![Delegate::default(); logits.len()]);
    loss.select(logits, truth, &mut selected, &mut delegates, &mut loss.workspace()).unwrap();
    (selected, delegates)
}

fn cross_entropy(selected: &[f64], truth: &[bool]) -> f64 {
    let term = |(s, y): (&f64, &bool)| (if *y { -s } else { *s }).exp().ln_1p();
    selected.iter().zip(truth).map(term).sum()
}

/// Labels that satisfy everything, or any labels at all.
fn truth(random: &mut Random, program: &Program, is_coherent: bool) -> Vec<bool> {
    if is_coherent {
        let coherent = reference::coherent_predictions(program);
        return coherent[random.below(coherent.len())].clone();
    }
    (0..program.labels().len()).map(|_| random.below(2) == 0).collect()
}

fn logit(random: &mut Random, kind: usize) -> f64 {
    match kind {
        0 => random.below(7) as f64 - 3.0,
        1 => [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, 1.0, -1.0, 5e-324][random.below(7)],
        _ => random.below(1 << 20) as f64 / (1 << 17) as f64 - 4.0,
    }
}

#[test]
fn it_is_what_the_clauses_conclude() {
    let mut random = Random::new(7);
    let (mut rows, mut moved, mut broken) = (0, 0, 0);
    while rows < 12_000 {
        let Some(program) = program(&mut random) else { continue };
        let classes = program.labels().len();
        let loss = ConstraintLoss::two_sided(&program).reduction(Reduction::Sum);
        for row in 0..24 {
            let truth = truth(&mut random, &program, row % 4 > 0);
            let logits: Vec<f64> = (0..classes).map(|_| logit(&mut random, row % 3)).collect();
            let (selected, delegates) = select(&loss, &logits, &truth);
            assert_eq!(selected, slow(&program, &logits, &truth), "{}", program.to_text());
            for (value, delegate) in selected.iter().zip(&delegates) {
                let leaf = delegate.literal().map(|leaf| {
                    let own = logits[leaf.label().index()];
                    if leaf.is_negated() { -own } else { own }
                });
                assert_eq!(
                    *value,
                    leaf.unwrap_or(if delegate.is_never() { -1.0 } else { 1.0 } * f64::INFINITY)
                );
            }
            let mut gradient = vec![7.0; classes];
            let value = loss
                .forward_backward(&logits, &truth, &mut gradient, &mut loss.workspace())
                .unwrap();
            let is_broken = logical_violations(&program, &truth).next().is_some()
                || broken_requirements(&program, &truth).next().is_some();
            assert_eq!(value.broken_rows, usize::from(is_broken));
            if logits.iter().all(|logit| logit.is_finite()) {
                assert!((value.value - cross_entropy(&selected, &truth)).abs() < 1e-9);
            }
            // The theorem on signs: no gradient moves a class away from its label.
            for class in 0..classes {
                assert!(if truth[class] { gradient[class] <= 0.0 } else { gradient[class] >= 0.0 });
            }
            let by_rules = select(&ConstraintLoss::new(&program), &logits, &truth).0;
            moved += usize::from(by_rules != selected);
            broken += usize::from(is_broken);
            rows += 1;
        }
    }
    assert!(moved > 4000 && broken > 1000, "{moved} rows changed, {broken} broken of {rows}");
}

#[test]
fn the_gradient_is_the_finite_difference() {
    const STEP: f64 = 1e-6;
    let mut random = Random::new(8);
    let (mut rows, mut slopes) = (0, 0);
    while rows < 1000 {
        let Some(program) = program(&mut random) else { continue };
        let classes = program.labels().len();
        let truth = truth(&mut random, &program, rows % 5 > 0);
        let mut logits: Vec<f64> = (0..classes).map(|_| logit(&mut random, 2)).collect();
        let mut sizes: Vec<f64> = logits.iter().map(|logit| logit.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        if sizes[0] < 1e-5 || sizes.windows(2).any(|pair| pair[1] - pair[0] < 1e-5) {
            continue;
        }
        let evaluated = (0..classes).map(|_| random.below(4) > 0).collect();
        let weights: Vec<f32> = (0..classes).map(|_| random.below(3) as f32 / 2.0).collect();
        let loss = ConstraintLoss::two_sided(&program).evaluated(evaluated);
        let gradient = |logits: &[f64]| {
            let mut gradient = vec![7.0; classes];
            let mut space = loss.workspace();
            let value = loss
                .forward_backward_weighted(logits, &truth, &weights, &mut gradient, &mut space)
                .unwrap();
            (value.value, gradient)
        };
        let found = gradient(&logits).1;
        for class in 0..classes {
            let before = logits[class];
            logits[class] = before + STEP;
            let above = gradient(&logits).0;
            logits[class] = before - STEP;
            let below = gradient(&logits).0;
            logits[class] = before;
            let expected = (above - below) / (2.0 * STEP);
            assert!((found[class] - expected).abs() < 1e-6, "{} not {expected}", found[class]);
            slopes += usize::from(expected.abs() > 1e-3);
        }
        rows += 1;
    }
    assert!(slopes > 1000, "{slopes}");
}

/// A batch is its rows one by one, on one thread or several, to the last bit.
#[test]
fn a_batch_is_its_rows() {
    let mut random = Random::new(9);
    let text = "exclusive(a, b, c, d, e)\na -> f | g\nf -> h\nh -> at most 1 of(c, i, j)";
    let program: Program = text.parse().unwrap();
    let (classes, rows) = (program.labels().len(), 3000);
    let truth: Vec<bool> =
        (0..rows).flat_map(|row| truth(&mut random, &program, row % 4 > 0)).collect();
    let logits: Vec<f32> = truth.iter().map(|_| logit(&mut random, 2) as f32).collect();
    let loss = ConstraintLoss::two_sided(&program).reduction(Reduction::Sum);
    let all = |threads: usize| {
        let mut gradient = vec![0.0; logits.len()];
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let value = pool.install(|| {
            let mut space = loss.workspace();
            loss.forward_backward(&logits, &truth, &mut gradient, &mut space).unwrap()
        });
        (value, gradient)
    };
    let (value, gradient) = all(1);
    assert_eq!(all(3), (value, gradient.clone()));
    let mut space = loss.workspace_for(1);
    let (mut sum, mut broken) = (0.0, 0);
    for row in 0..rows {
        let at = row * classes..(row + 1) * classes;
        let mut one = vec![0.0; classes];
        let (logits, truth) = (&logits[at.clone()], &truth[at.clone()]);
        let value = loss.forward_backward(logits, truth, &mut one, &mut space).unwrap();
        assert_eq!(one, gradient[at]);
        sum += value.value;
        broken += value.broken_rows;
    }
    assert_eq!((sum, broken), (value.value, value.broken_rows));
}

#[test]
fn hierarchies_as_clauses_change_nothing_and_rules_alone_are_todays_loss() {
    let mut random = Random::new(10);
    for _ in 0..300 {
        let classes = 2 + random.below(7);
        let rules: Vec<Rule> = (0..random.below(2 * classes))
            .map(|_| {
                let head = 1 + random.below(classes - 1);
                let child = LabelId::new(random.below(head));
                Rule::new(LabelId::new(head), [Literal::positive(child)])
            })
            .collect();
        let plain = Program::new(labels(classes), rules).unwrap();
        let Some(rule) = plain.rules().first() else { continue };
        // A requirement that says nothing new makes the rules clauses, too.
        let also = vec![Requirement::of_rule(rule)];
        let also = plain.clone().with_requirements(also, &[]).unwrap();
        let free: Vec<bool> = (0..classes).map(|_| random.below(2) == 0).collect();
        let truth = reference::stable_model(&plain, &free);
        let logits: Vec<f64> = (0..classes).map(|_| logit(&mut random, 2)).collect();
        let today = select(&ConstraintLoss::new(&plain), &logits, &truth);
        assert_eq!(select(&ConstraintLoss::two_sided(&plain), &logits, &truth), today);
        assert_eq!(select(&ConstraintLoss::two_sided(&also), &logits, &truth).0, today.0);
    }
}

#[test]
fn literals_that_occur_twice_count_as_they_mean() {
    // One of a and not a holds, so neither b nor c may; under g, g is the one of its group.
    let never = f64::NEG_INFINITY;
    for (text, logits, expected) in [
        ("at most 1 of(a, not a, b, c)", [1.0, 2.0, 3.0], [1.0, never, never]),
        ("g -> at most 1 of(g, b, c)", [4.0, 2.0, 5.0], [-5.0, -4.0, 5.0]),
    ] {
        let program: Program = text.parse().unwrap();
        let loss = ConstraintLoss::two_sided(&program);
        assert_eq!(select(&loss, &logits, &[true, false, false]).0, expected, "{text}");
    }
}

#[test]
fn a_group_of_many_costs_its_members() {
    let classes = 100_000;
    let members = (0..classes).map(|class| Literal::positive(LabelId::new(class)));
    let program = Program::new(labels(classes), Vec::new()).unwrap();
    let program =
        program.with_requirements(vec![Requirement::count([], 1, 1, members)], &[]).unwrap();
    let loss = ConstraintLoss::two_sided(&program);
    let mut truth = vec![false; classes];
    truth[5] = true;
    let logits: Vec<f32> = (0..classes).map(|class| if class == 5 { 2.0 } else { 1.0 }).collect();
    let mut gradient = vec![0.0; classes];
    loss.forward_backward(&logits, &truth, &mut gradient, &mut loss.workspace()).unwrap();
    let learned: Vec<usize> = (0..classes).filter(|&class| gradient[class] != 0.0).collect();
    assert_eq!(learned, [5]);
}
