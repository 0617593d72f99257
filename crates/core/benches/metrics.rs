//! How fast the metrics are, against sorting the same scores.
//!
//! `cargo bench -p rulebound-core --bench metrics` prints one line a case: 1,288 examples and 4,128
//! classes (the test rows of a Gene Ontology data set), 1.5 % of the pairs positive, 5.3 million in
//! all. All times are medians on one thread; a ratio is taken between two things measured in turns
//! in the same run. `--quick` runs each case a few times only.
#![allow(clippy::unwrap_used, missing_docs)]

use rulebound_core::metrics::{
    Columns, Confusion, Metric, Metrics, Ranking, Score, auprc, average_precision, macro_auprc,
    micro_f1,
};
use rulebound_testing::in_turns;
use std::hint::black_box;

const ROWS: usize = 1288;
const CLASSES: usize = 4128;

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let times = if quick { 3 } else { 15 };
    let (margins, truth) = examples();
    case("f32", times, &margins, &truth, f32::total_cmp);
    let wide: Vec<f64> = margins.iter().map(|&margin| f64::from(margin)).collect();
    case("f64", times, &wide, &truth, f64::total_cmp);
}

/// Margins of a network that has learned something: the sum of four uniform numbers, lower for
/// classes that few examples have, higher where the class is true.
fn examples() -> (Vec<f32>, Vec<bool>) {
    let mut state = 7u64;
    let mut uniform = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32
    };
    let shares: Vec<f32> = (0..CLASSES).map(|_| 0.075 * uniform().powi(4)).collect();
    let mut margins = Vec::with_capacity(ROWS * CLASSES);
    let mut truth = Vec::with_capacity(ROWS * CLASSES);
    for _ in 0..ROWS {
        for share in &shares {
            let is_true = uniform() < *share;
            let noise: f32 = (0..4).map(|_| 2.0 * uniform() - 1.0).sum();
            truth.push(is_true);
            margins.push((share + 1e-4).ln() + noise + if is_true { 1.5 } else { 0.0 });
        }
    }
    (margins, truth)
}

fn case<F: Score + PartialOrd + Default>(
    name: &str,
    times: usize,
    scores: &[F],
    truth: &[bool],
    order: fn(&F, &F) -> std::cmp::Ordering,
) {
    let columns = Columns::all(CLASSES);
    let decisions: Vec<bool> = scores.iter().map(|score| *score > F::default()).collect();
    let ranking = || Ranking::new(black_box(scores), truth, &columns).unwrap();
    let seconds = in_turns(
        times,
        [
            &mut || {
                let mut sorted = black_box(scores).to_vec();
                sorted.sort_unstable_by(order);
                black_box(sorted);
            },
            &mut || assert!(auprc(&ranking()).is_some()),
            &mut || assert!(macro_auprc(&ranking()).is_some()),
            &mut || assert!(average_precision(&ranking()).is_some()),
            &mut || {
                let confusion = Confusion::new(black_box(&decisions), truth, &columns).unwrap();
                assert!(micro_f1(&confusion).is_some());
            },
            &mut || {
                let all = Metrics::new(black_box(scores), &decisions, truth, &columns).unwrap();
                assert!(all.get(Metric::Auprc).is_some());
            },
        ],
    );
    let positives = truth.iter().filter(|is_true| **is_true).count();
    println!("{name}: {} pairs, {positives} positive", truth.len());
    let names =
        ["sorting", "auprc", "macro_auprc", "average_precision", "micro_f1", "all ten metrics"];
    for (name, each) in names.iter().zip(seconds) {
        println!("  {name:18} {:8.1} ms  ratio {:.2}", each * 1e3, each / seconds[0]);
    }
}
