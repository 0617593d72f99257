//! Means of probabilities, from logits to logits, in 64 bits.
//!
//! Both a probability and its complement are summed, so that neither a very small nor a very large one is rounded away.

use super::graph::{GraphBuilder, Value};
use super::messages::{DOUBLE, FLOAT};

/// The logits of a weighted mean of probabilities that are given by their logits.
pub(super) fn mixture(graph: &mut GraphBuilder, parts: &[(f64, Value)]) -> Value {
    let one = graph.doubles(&[], &[1.0]);
    let mut sums: [Option<Value>; 2] = [None, None];
    for (weight, logits) in parts {
        let weight = graph.doubles(&[], &[*weight]);
        let with = graph.cast(logits, DOUBLE);
        let without = graph.node("Neg", &[&with], Vec::new());
        for (sum, logits) in sums.iter_mut().zip([with, without]) {
            let probability = graph.logistic(&logits, &one);
            let share = graph.pair("Mul", &probability, &weight);
            *sum = Some(match sum {
                None => share,
                Some(sum) => graph.pair("Add", sum, &share),
            });
        }
    }
    let [Some(with), Some(without)] = sums else { unreachable!("there is a part") };
    odds(graph, &with, &without)
}

/// The logits of odds, which are given in 64 bits.
pub(super) fn odds(graph: &mut GraphBuilder, with: &Value, without: &Value) -> Value {
    let [with, without] = [with, without].map(|of| graph.node("Log", &[of], Vec::new()));
    let logits = graph.pair("Sub", &with, &without);
    graph.cast(&logits, FLOAT)
}
