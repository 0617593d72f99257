//! The statistics against scipy, on random tables with ties and zero differences.

use std::path::Path;

use rulebound_compare::statistics::{Computed, Friedman, StudentizedRange, Wilcoxon, rank};
use rulebound_testing::{Random, python};

/// One of this many numbers, all exact in binary, so that scipy sees the ties that we see.
fn level(random: &mut Random, levels: usize) -> f64 {
    random.below(levels) as f64 / 64.0
}

/// A line for scipy, our result, and the tolerance.
struct Case {
    line: String,
    ours: Vec<f64>,
    nearness: f64,
}

fn line(name: &str, numbers: impl IntoIterator<Item = f64>) -> String {
    let mut line = name.to_owned();
    numbers.into_iter().for_each(|number| line.push_str(&format!(" {number}")));
    line
}

fn ask(cases: &[Case]) -> Vec<Vec<f64>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compare/scipy_statistics.py");
    let input = cases.iter().map(|case| format!("{}\n", case.line)).collect();
    let numbers = |line: &String| line.split(' ').map(|number| number.parse().unwrap()).collect();
    python::ask(&script, input).iter().map(numbers).collect()
}

fn agree(ours: f64, theirs: f64, nearness: f64) -> bool {
    ours == theirs || (ours - theirs).abs() <= nearness * theirs.abs() + 1e-300
}

/// The cases where scipy disagrees.
fn disagreements(cases: &[Case], answers: &[Vec<f64>]) -> Vec<String> {
    assert_eq!(answers.len(), cases.len());
    let wrong = cases.iter().zip(answers).filter(|(case, theirs)| {
        let near = |(ours, theirs): (&f64, &f64)| agree(*ours, *theirs, case.nearness);
        case.ours.len() != theirs.len() || !case.ours.iter().zip(*theirs).all(near)
    });
    let told = |(case, theirs): (&Case, &Vec<f64>)| {
        format!("{}: {:?} instead of {theirs:?}", case.line, case.ours)
    };
    wrong.map(told).collect()
}

fn friedman(random: &mut Random, cases: &mut Vec<Case>) {
    for (sets, methods) in [(2, 3), (3, 2), (5, 3), (16, 5), (20, 5), (36, 12), (200, 20)] {
        for levels in [2, 3, 9, 1 << 30] {
            let costs: Vec<f64> = (0..sets * methods).map(|_| level(random, levels)).collect();
            let none = vec![0.0; methods];
            let rankings: Vec<_> = costs.chunks(methods).map(|row| rank(row, &none)).collect();
            let Some(found) = Friedman::new(&rankings) else { continue };
            let sharper = found.iman_davenport;
            // Whether the last division is by zero depends on rounding.
            if sharper.f.is_infinite() {
                continue;
            }
            let sizes = [sets as f64, methods as f64];
            cases.push(Case {
                line: line("friedman", sizes.into_iter().chain(costs)),
                ours: vec![found.chi_square, found.p, sharper.f, sharper.p],
                nearness: 1e-9,
            });
        }
    }
}

fn wilcoxon(random: &mut Random, cases: &mut Vec<Case>) -> [usize; 3] {
    let mut kinds = [0; 3];
    for sets in [1, 2, 3, 5, 8, 12, 13, 14, 16, 20, 36, 49, 50, 51, 120] {
        // Mostly zero, mostly tied, some of both, neither.
        for levels in [2, 4, 30, 1 << 30] {
            for shift in [0.0, 0.5] {
                let pair = |_| [level(random, levels), level(random, levels) + shift];
                let costs: Vec<[f64; 2]> = (0..sets).map(pair).collect();
                let found = Wilcoxon::new(&costs);
                // Where nothing differs scipy's answer depends on the number of sets; ours is 1.
                if found.equal == sets {
                    assert_eq!(found.p, 1.0);
                    continue;
                }
                kinds[match found.computed {
                    Computed::Exact => 0,
                    Computed::ExactWithTies => 1,
                    Computed::Normal => 2,
                }] += 1;
                cases.push(Case {
                    line: line("wilcoxon", costs.into_iter().flatten()),
                    ours: vec![found.p, found.plus.min(found.minus)],
                    nearness: 1e-10,
                });
            }
        }
    }
    kinds
}

fn studentized_range(cases: &mut Vec<Case>) {
    for count in [2, 3, 5, 10, 20] {
        let ours = StudentizedRange::new(count);
        for x in [0.25, 2.0, 5.0] {
            let line = line("range", [count as f64, x]);
            cases.push(Case { line, ours: vec![ours.above(x)], nearness: 1e-7 });
        }
        for alpha in [0.1, 0.05, 0.01] {
            let line = line("quantile", [count as f64, alpha]);
            cases.push(Case { line, ours: vec![ours.quantile(alpha)], nearness: 1e-6 });
        }
    }
}

mod needs_python {
    use super::*;

    #[test]
    #[ignore = "needs RULEBOUND_PYTHON"]
    fn the_statistics_are_those_of_scipy() {
        let mut random = Random::new(6);
        let mut cases = Vec::new();
        friedman(&mut random, &mut cases);
        let kinds = wilcoxon(&mut random, &mut cases);
        studentized_range(&mut cases);
        assert!(
            kinds.iter().all(|&kind| kind >= 10),
            "every way to compute is among them: {kinds:?}"
        );
        let answers = ask(&cases);
        assert_eq!(disagreements(&cases, &answers), Vec::<String>::new());
        // The comparison itself can fail: small errors are noticed, and nothing else.
        for (place, case) in cases.iter_mut().enumerate().filter(|(place, _)| place % 7 == 0) {
            let at = place % case.ours.len();
            case.ours[at] = case.ours[at] * (1.0 + 1e-4) + 1e-12;
        }
        assert_eq!(disagreements(&cases, &answers).len(), cases.len().div_ceil(7));
    }
}
