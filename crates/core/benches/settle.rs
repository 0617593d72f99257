//! How fast requirements are settled, and compiled.
//!
//! `cargo bench -p rulebound-core --bench settle` prints one line per case. All times are medians on one
//! thread. `--quick` runs each case a few times only.
#![allow(clippy::unwrap_used, missing_docs)]

use rulebound_core::{
    ConstraintLayer, LabelId, Labels, Literal, Program, Requirement, Rule, SearchNeed, Thresholds,
};
use rulebound_testing::{Random, in_turns};
use std::hint::black_box;

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let times = if quick { 3 } else { 21 };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        gene_ontology(times);
        clauses(times);
        group(times);
    });
}

fn labels(classes: usize) -> Labels {
    Labels::new((0..classes).map(|class| format!("c{class}"))).unwrap()
}

fn logits(count: usize) -> Vec<f32> {
    let mut random = Random::new(3);
    (0..count).map(|_| random.below(1 << 20) as f32 / (1 << 17) as f32 - 6.0).collect()
}

fn positive(class: usize) -> Literal {
    Literal::positive(LabelId::new(class))
}

/// Seconds to compile a program, and to settle a row of it.
fn measure(times: usize, rows: usize, make: impl Fn() -> Program) -> (f64, f64) {
    let [build] = in_turns(times.min(5), [&mut || drop(black_box(make()))]);
    let program = make();
    let classes = program.labels().len();
    let layer = ConstraintLayer::new(&program, Thresholds::uniform(classes, 0.5).unwrap());
    let logits = logits(rows * classes);
    let mut values = vec![0.0f32; logits.len()];
    let mut workspace = layer.workspace();
    let [seconds] = in_turns(
        times,
        [&mut || {
            layer.forward(black_box(&logits), black_box(&mut values), &mut workspace).unwrap();
        }],
    );
    (build, seconds / rows as f64)
}

/// A hierarchy of Gene Ontology's shape with 500 exclusive pairs of terms near the top.
fn gene_ontology(times: usize) {
    let (classes, edges, top) = (4126, 5830, 60);
    let make = || {
        let mut random = Random::new(7);
        let mut rules = Vec::new();
        for child in 1..classes {
            rules.push(Rule::new(
                LabelId::new(random.below(child.min(classes / 3))),
                [positive(child)],
            ));
        }
        while rules.len() < edges {
            let child = 1 + random.below(classes - 1);
            rules.push(Rule::new(LabelId::new(random.below(child)), [positive(child)]));
        }
        let mut pairs = Vec::new();
        while pairs.len() < 500 {
            let (a, b) = (1 + random.below(top), 1 + random.below(top));
            // Not a term and its own ancestor.
            if a != b {
                pairs.push(Requirement::any([positive(a)], [!positive(b)]));
            }
        }
        let program = Program::new(labels(classes), rules).unwrap();
        program.with_requirements(pairs, &[]).unwrap()
    };
    let need = make().search_need();
    let (build, row) = measure(times, 64, make);
    println!("go + 500 pairs        {:8.1} us per row   build {build:.3} s   {need:?}", row * 1e6);
}

/// 250 clauses over 40 labels, mostly exclusions.
fn clauses(times: usize) {
    let make = || {
        let mut random = Random::new(5);
        let mut made = Vec::new();
        for at in 0..250 {
            let (a, b) = (random.below(40), random.below(40));
            made.push(if at % 10 == 0 {
                let others = (0..4).map(|_| positive(random.below(40)));
                Requirement::any([positive(a)], others.collect::<Vec<_>>())
            } else {
                Requirement::any([positive(a)], [!positive(if a == b { (b + 1) % 40 } else { b })])
            });
        }
        Program::new(labels(40), Vec::new()).unwrap().with_requirements(made, &[]).unwrap()
    };
    let need = make().search_need();
    let (build, row) = measure(times, 4096, make);
    let each = 1.0 / row;
    println!("250 clauses, 40 labels {each:9.0} rows per s   build {build:.3} s   {need:?}");
    assert_ne!(need, None::<SearchNeed>);
}

/// One group of 448 classes, against as many pairs.
fn group(times: usize) {
    let classes = 448;
    let of = |requirements: &[Requirement]| {
        let program = Program::new(labels(classes), Vec::new()).unwrap();
        program.with_requirements(requirements.to_vec(), &[]).unwrap()
    };
    let one = [Requirement::count([], 0, 1, (0..classes).map(positive))];
    let (build, row) = measure(times, 256, || of(&one));
    println!("exclusive of 448      {:8.1} us per row   build {build:.3} s", row * 1e6);
    let pairs: Vec<Requirement> = (0..classes)
        .flat_map(|a| (0..a).map(move |b| Requirement::any([positive(a)], [!positive(b)])))
        .collect();
    let (build, row) = measure(times.min(3), 256, || of(&pairs));
    println!("the same as {} pairs {:6.1} us per row   build {build:.3} s", pairs.len(), row * 1e6);
}
