//! How fast the layer and the loss are, against copying the same bytes.
//!
//! `cargo bench -p rulebound-core --bench layer` prints one line a case. All
//! times are medians on one thread; a ratio is taken between two things
//! measured in turns in the same run, so that a noisy machine disturbs both.
//! `--quick` runs each case a few times only, `--go` leaves the scaling out.
#![allow(clippy::unwrap_used, missing_docs)]

use rulebound_core::{
    ConstraintLayer, ConstraintLoss, Delegate, LabelId, Labels, Literal, Program, Rule, Thresholds,
};
use rulebound_testing::{Random, in_turns};
use std::hint::black_box;

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let go = std::env::args().any(|argument| argument == "--go");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        gene_ontology(if quick { 5 } else { 41 });
        if go {
            return;
        }
        scaling(if quick { 3 } else { 11 });
    });
}

fn logits(seed: u64, count: usize) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.below(1 << 20) as f32 / (1 << 17) as f32 - 6.0).collect()
}

/// A directed acyclic hierarchy: `classes` classes on `depth` levels, each with
/// a parent on the level above, and `edges` edges in all.
fn hierarchy(classes: usize, edges: usize, depth: usize, seed: u64) -> Program {
    let mut random = Random::new(seed);
    // Levels grow towards the middle and shrink again, as in Gene Ontology.
    let weight = |level: usize| 1 + level * (depth - level);
    let total: usize = (0..depth).map(weight).sum();
    let mut starts = vec![0];
    for level in 0..depth {
        let before = starts[level];
        let size = (classes * weight(level) / total).max(1);
        starts.push(if level + 1 == depth {
            classes
        } else {
            (before + size).min(classes - (depth - level - 1))
        });
    }
    let level_of = |class: usize| starts.partition_point(|&start| start <= class) - 1;
    let rule = |child: usize, parent: usize| {
        Rule::new(LabelId::new(parent), [Literal::positive(LabelId::new(child))])
    };
    let mut rules = Vec::with_capacity(edges);
    for child in starts[1]..classes {
        let level = level_of(child);
        rules
            .push(rule(child, starts[level - 1] + random.below(starts[level] - starts[level - 1])));
    }
    while rules.len() < edges {
        let child = starts[1] + random.below(classes - starts[1]);
        rules.push(rule(child, random.below(starts[level_of(child)])));
    }
    Program::new(Labels::new((0..classes).map(|class| format!("c{class}"))).unwrap(), rules)
        .unwrap()
}

fn layer(program: &Program) -> ConstraintLayer {
    ConstraintLayer::new(program, Thresholds::uniform(program.labels().len(), 0.5).unwrap())
}

fn gene_ontology(times: usize) {
    let (classes, edges, batch) = (4126, 5830, 1024);
    let program = hierarchy(classes, edges, 14, 7);
    let size = classes * batch;
    let logits = logits(3, size);
    // Labels as they are: a few classes and all their ancestors.
    let labels: Vec<bool> = {
        let layer = layer(&program);
        let mut random = Random::new(5);
        let seeds: Vec<f32> =
            (0..size).map(|_| if random.below(800) == 0 { 1.0 } else { -1.0 }).collect();
        let mut closed = vec![0.0; size];
        layer.forward(&seeds, &mut closed, &mut layer.workspace()).unwrap();
        closed.into_iter().map(|margin| margin > 0.0).collect()
    };
    let layer = layer(&program);
    let loss = ConstraintLoss::new(&program);
    let [mut copied, mut values, mut with_delegates, mut gradient] = [const { Vec::new() }; 4];
    for buffer in [&mut copied, &mut values, &mut with_delegates, &mut gradient] {
        buffer.resize(size, 0.0f32);
    }
    let mut delegates = vec![Delegate::default(); size];
    let (mut first, mut second) = (layer.workspace(), layer.workspace());
    let mut third = loss.workspace();
    let [copy, plain, delegated, trained] = in_turns(
        times,
        [
            &mut || black_box(&mut copied).copy_from_slice(black_box(&logits)),
            &mut || layer.forward(black_box(&logits), black_box(&mut values), &mut first).unwrap(),
            &mut || {
                layer
                    .forward_with_delegates(
                        black_box(&logits),
                        black_box(&mut with_delegates),
                        &mut delegates,
                        &mut second,
                    )
                    .unwrap();
            },
            &mut || {
                let value = loss.forward_backward(
                    black_box(&logits),
                    &labels,
                    black_box(&mut gradient),
                    &mut third,
                );
                assert_eq!(value.unwrap().broken_rows, 0);
            },
        ],
    );
    let bytes = (2 * size * size_of::<f32>()) as f64;
    println!("go copy       {:8.2} ms  {:6.2} GB/s  ratio 1.00", copy * 1e3, bytes / copy / 1e9);
    for (name, seconds) in [("values", plain), ("delegates", delegated), ("loss", trained)] {
        let each = seconds / size as f64 * 1e9;
        println!(
            "go {name:10} {:8.2} ms  {each:6.3} ns per value  ratio {:.2}",
            seconds * 1e3,
            seconds / copy
        );
    }
}

/// Cost per rule as programs grow, against the smallest.
fn scaling(times: usize) {
    let batch = 64;
    let mut first = None;
    for edges in [1_000, 10_000, 100_000, 1_000_000] {
        let classes = edges * 7 / 10;
        let program = hierarchy(classes, edges, 14, 11);
        let layer = layer(&program);
        let logits = logits(3, classes * batch);
        let mut values = vec![0.0f32; logits.len()];
        let mut workspace = layer.workspace();
        let repeat = (200_000 / edges).max(1);
        let [seconds] = in_turns(
            times,
            [&mut || {
                for _ in 0..repeat {
                    layer
                        .forward(black_box(&logits), black_box(&mut values), &mut workspace)
                        .unwrap();
                }
            }],
        );
        let each = seconds / (repeat * edges) as f64 * 1e9;
        let smallest = *first.get_or_insert(each);
        println!("scaling {edges:9} rules  {each:8.2} ns per rule  ratio {:.2}", each / smallest);
    }
}
