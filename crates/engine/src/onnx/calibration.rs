//! Calibration as nodes of a graph.

use rulebound_core::LabelId;

use super::graph::{GraphBuilder, Value};
use super::messages::{DOUBLE, FLOAT};
use crate::calibration::Calibration;

/// The calibrated logits, `[classes, rows]` with classes in this order, in 64 bits in between.
pub(super) fn calibrated(
    graph: &mut GraphBuilder,
    calibration: &Calibration,
    logits: &Value,
    order: &[usize],
) -> Value {
    let wide = graph.cast(logits, DOUBLE);
    let temperature = graph.doubles(&[], &[calibration.temperature()]);
    let mut result = graph.pair("Div", &wide, &temperature);
    if calibration.isotonic_classes() > 0 {
        let has_own: Vec<u8> = order
            .iter()
            .map(|&class| u8::from(calibration.map(LabelId::new(class)).is_some()))
            .collect();
        let has_own = graph.truths(&[order.len(), 1], has_own);
        let own = lines(graph, calibration, &wide, order);
        result = graph.node("Where", &[&has_own, &own, &result], Vec::new());
    }
    graph.cast(&result, FLOAT)
}

/// A number of the points of a class.
type NumberOf<'a> = &'a dyn Fn(&[(f64, f64)]) -> f64;

/// The lines through the points of each class, piece by piece: slope 1 before the first and after the last. A class with fewer
/// points than others has pieces of no length.
fn lines(
    graph: &mut GraphBuilder,
    calibration: &Calibration,
    logits: &Value,
    order: &[usize],
) -> Value {
    let points: Vec<Vec<(f64, f64)>> = order
        .iter()
        .map(|&class| calibration.map(LabelId::new(class)))
        .map(|map| map.map_or_else(|| vec![(0.0, 0.0)], |map| map.points().collect()))
        .collect();
    let column = |graph: &mut GraphBuilder, of: NumberOf<'_>| {
        let numbers: Vec<f64> = points.iter().map(|points| of(points)).collect();
        graph.doubles(&[numbers.len(), 1], &numbers)
    };
    let zero = graph.doubles(&[], &[0.0]);
    let first = column(graph, &|points| points[0].0);
    let before = graph.pair("Sub", logits, &first);
    let before = graph.pair("Min", &before, &zero);
    let start = column(graph, &|points| points[0].1);
    let mut sum = graph.pair("Add", &before, &start);
    let most = points.iter().map(Vec::len).max().unwrap_or(1);
    for piece in 0..most - 1 {
        let ends = move |points: &[(f64, f64)]| {
            let last = points.len() - 1;
            (points[piece.min(last)], points[(piece + 1).min(last)])
        };
        let left = column(graph, &|points| ends(points).0.0);
        let length = column(graph, &|points| ends(points).1.0 - ends(points).0.0);
        let slope = column(graph, &|points| match ends(points) {
            ((from, _), (to, _)) if from == to => 0.0,
            ((from, low), (to, high)) => (high - low) / (to - from),
        });
        let along = graph.pair("Sub", logits, &left);
        let along = graph.pair("Max", &along, &zero);
        let along = graph.pair("Min", &along, &length);
        let risen = graph.pair("Mul", &along, &slope);
        sum = graph.pair("Add", &sum, &risen);
    }
    let last = column(graph, &|points| points[points.len() - 1].0);
    let after = graph.pair("Sub", logits, &last);
    let after = graph.pair("Max", &after, &zero);
    graph.pair("Add", &sum, &after)
}
