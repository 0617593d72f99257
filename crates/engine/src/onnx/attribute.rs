//! Settings of operations.

use super::messages::{AttributeMessage, DOUBLE, GraphMessage, TensorMessage};

fn attribute(name: &str, kind: i32) -> AttributeMessage {
    AttributeMessage { name: name.to_owned(), r#type: kind, ..AttributeMessage::default() }
}

/// An integer.
pub(super) fn int(name: &str, value: i64) -> AttributeMessage {
    AttributeMessage { i: Some(value), ..attribute(name, 2) }
}

/// A graph.
pub(super) fn subgraph(name: &str, graph: GraphMessage) -> AttributeMessage {
    AttributeMessage { g: Some(graph), ..attribute(name, 5) }
}

/// Integers.
pub(super) fn ints(name: &str, values: &[i64]) -> AttributeMessage {
    AttributeMessage { ints: values.to_vec(), ..attribute(name, 7) }
}

/// 64-bit numbers.
pub(super) fn tensor(name: &str, values: &[f64]) -> AttributeMessage {
    let raw_data = values.iter().flat_map(|number| number.to_le_bytes()).collect();
    let dims = vec![values.len() as i64];
    let tensor = TensorMessage { dims, data_type: DOUBLE, raw_data, ..TensorMessage::default() };
    AttributeMessage { t: Some(tensor), ..attribute(name, 4) }
}

/// Texts.
pub(super) fn texts<'a>(name: &str, values: impl IntoIterator<Item = &'a str>) -> AttributeMessage {
    let strings = values.into_iter().map(|value| value.as_bytes().to_vec()).collect();
    AttributeMessage { strings, ..attribute(name, 8) }
}
