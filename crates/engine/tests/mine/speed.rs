//! Time, on 101 labels and 6,000 rows with bodies of up to 4 at a support of 0.5 %, and that
//! threads change nothing. `cargo run --release -p rulebound --example mine_speed` measures.

use std::time::{Duration, Instant};

use rulebound::dataset::LabelMatrix;
use rulebound::mine::{Mined, Options, mine};

use crate::scene::topics;

fn in_time(what: &str, labels: &LabelMatrix, negation: bool) -> Mined {
    let options = Options { min_support: 0.005, max_body: 4, negation, ..Options::default() };
    let begun = Instant::now();
    let mined = mine(labels, 0..labels.rows(), &options).unwrap();
    let took = begun.elapsed();
    println!("{what}, negation {negation}: {} rules in {took:?}", mined.rules.len());
    // A minute is the promise of the release profile; this one is slower and must keep it still.
    assert!(took < Duration::from_secs(60), "{took:?}");
    mined
}

#[test]
fn generated_topics_take_less_than_a_minute() {
    let labels = topics(6000, 1);
    assert_eq!((labels.classes(), labels.rows()), (101, 6000));
    in_time("topics", &labels, false);
    in_time("topics", &labels, true);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let labels = topics(500, 2);
    let options =
        Options { min_support: 0.01, min_confidence: 0.9, negation: true, ..Options::default() };
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| mine(&labels, 0..500, &options)).unwrap()
    };
    let one = with(1);
    assert!(!one.rules.is_empty());
    assert!(one == with(2) && one == with(7));
}
