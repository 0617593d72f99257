//! How fast the sparse layer is on hierarchies of several sizes, against the layer on whole rows.
//!
//! `cargo bench -p rulebound-core --bench sparse` prints one line per case. Times are medians on one thread, of
//! things measured in turns. `--quick` runs each case a few times only.
#![allow(clippy::unwrap_used, missing_docs)]

use rulebound_core::{
    ConstraintLayer, LabelId, Labels, Literal, Program, Rule, SparseLayer, Thresholds,
};
use rulebound_testing::{Random, in_turns};
use std::hint::black_box;

const DEPTH: usize = 14;

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let times = if quick { 5 } else { 201 };
    println!(
        "       classes parents  listed  touched    µs per row   rows per second   ns per class"
    );
    for classes in [5_000, 100_000, 1_000_000] {
        for parents in [1, 2] {
            let program = hierarchy(classes, parents);
            for listed in [5, 50, 500] {
                sparse(&program, parents, listed, times);
            }
        }
    }
    for classes in [5_000, 100_000] {
        dense(&hierarchy(classes, 1), times.min(51));
    }
}

/// A hierarchy of 14 levels that grow by the same factor, in the order of the levels; every class but the root
/// has so many parents on the level above, or a little less.
fn hierarchy(classes: usize, parents: usize) -> Program {
    let mut random = Random::new(9);
    let growth = (classes as f64).powf(1.0 / (DEPTH - 1) as f64);
    let mut starts = vec![0, 1];
    for level in 1..DEPTH {
        let size = growth.powi(level as i32) * (1.0 - 1.0 / growth);
        let end = starts[level] + (size as usize).max(1);
        starts.push(if level + 1 == DEPTH { classes } else { end.min(classes) });
    }
    let mut rules = Vec::new();
    for level in 1..DEPTH {
        for child in starts[level]..starts[level + 1] {
            let body = [Literal::positive(LabelId::new(child))];
            for _ in 0..parents {
                let above = starts[level] - starts[level - 1];
                let parent = starts[level - 1] + random.below(above);
                rules.push(Rule::new(LabelId::new(parent), body));
            }
        }
    }
    let names = (0..classes).map(|class| format!("c{class}"));
    Program::new(Labels::new(names).unwrap(), rules).unwrap()
}

/// Rows of distinct classes, most of which are leaves, as those of large classifiers are.
fn rows(classes: usize, listed: usize, count: usize) -> Vec<Vec<(LabelId, f32)>> {
    let mut random = Random::new(5);
    let row = |_| {
        let mut chosen: Vec<usize> = (0..listed).map(|_| random.below(classes)).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
            .into_iter()
            .map(|class| (LabelId::new(class), random.below(1 << 20) as f32 / (1 << 17) as f32))
            .collect()
    };
    (0..count).map(row).collect()
}

fn sparse(program: &Program, parents: usize, listed: usize, times: usize) {
    let classes = program.labels().len();
    let layer = SparseLayer::new(program).unwrap();
    let mut workspace = layer.workspace();
    // Few enough that a turn is seldom interrupted.
    let rows = rows(classes, listed, 20_000 / listed);
    let mut touched = 0;
    let [seconds] = in_turns(
        times,
        [&mut || {
            touched = 0;
            for row in &rows {
                let found = layer.forward(row.iter().copied(), &mut workspace).unwrap();
                touched += black_box(found).len();
            }
        }],
    );
    let each = seconds / rows.len() as f64;
    println!(
        "sparse {classes:7} {parents:7} {listed:7} {:8} {:13.2} {:17.0} {:14.1}",
        touched / rows.len(),
        each * 1e6,
        1.0 / each,
        seconds / touched as f64 * 1e9
    );
}

fn dense(program: &Program, times: usize) {
    let classes = program.labels().len();
    let layer = ConstraintLayer::new(program, Thresholds::uniform(classes, 0.5).unwrap());
    let mut workspace = layer.workspace_for(1);
    let rows = 16;
    let margins = vec![f32::NEG_INFINITY; classes * rows];
    let mut coherent = margins.clone();
    let [seconds] = in_turns(
        times,
        [&mut || layer.forward(black_box(&margins), &mut coherent, &mut workspace).unwrap()],
    );
    let each = seconds / rows as f64;
    println!("dense  {classes:7} {:38.2} {:17.0}", each * 1e6, 1.0 / each);
}
