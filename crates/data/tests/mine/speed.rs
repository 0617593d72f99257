//! Time grows linearly with the rows, and the number of threads does not change the result.
//! `cargo bench -p rulebound-data --bench mine` measures.

use rulebound_data::dataset::LabelMatrix;
use rulebound_data::mine::{Options, mine};
use rulebound_testing::in_turns;

use crate::scene::topics;

#[test]
fn time_does_not_grow_with_the_square_of_the_rows() {
    let [few, many] = [6_000, 48_000].map(|rows| topics(rows, 1));
    assert_eq!((many.classes(), many.rows()), (101, 48_000));
    let options = Options { min_support: 0.005, max_body: 4, negation: true, ..Options::default() };
    let run = |labels: &LabelMatrix| {
        let mined = mine(labels, 0..labels.rows(), &options).unwrap();
        assert!(!mined.rules.is_empty());
    };
    let [few, many] = in_turns(3, [&mut || run(&few), &mut || run(&many)]);
    println!("6,000 rows in {few:.3} s, 48,000 in {many:.3} s");
    // Eight times the rows: 8 if linear, 64 if quadratic.
    assert!(many / few < 30.0, "{few} and {many}");
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
