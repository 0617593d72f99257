//! The messages of the ONNX format that are written here, with the field numbers of `onnx.proto`.
//!
//! The format is that of protocol buffers, version 2: fields that may be 0 are optional, so that a 0 is written.

use prost::Message;

/// A file.
#[derive(Clone, PartialEq, Message)]
pub struct ModelMessage {
    /// The version of the format.
    #[prost(int64, tag = "1")]
    pub ir_version: i64,
    /// The program that wrote it.
    #[prost(string, tag = "2")]
    pub producer_name: String,
    /// Its version.
    #[prost(string, tag = "3")]
    pub producer_version: String,
    /// What it computes.
    #[prost(message, optional, tag = "7")]
    pub graph: Option<GraphMessage>,
    /// The operators that it uses.
    #[prost(message, repeated, tag = "8")]
    pub opset_import: Vec<OperatorSetMessage>,
    /// Anything else about it.
    #[prost(message, repeated, tag = "14")]
    pub metadata_props: Vec<EntryMessage>,
}

/// A set of operators.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub struct OperatorSetMessage {
    /// Empty for the standard ones.
    #[prost(string, tag = "1")]
    pub domain: String,
    /// Which version of them.
    #[prost(int64, tag = "2")]
    pub version: i64,
}

/// A key and its value.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub struct EntryMessage {
    /// The key.
    #[prost(string, tag = "1")]
    pub key: String,
    /// The value.
    #[prost(string, tag = "2")]
    pub value: String,
}

/// Nodes, each after those whose outputs it reads.
#[derive(Clone, PartialEq, Message)]
pub struct GraphMessage {
    /// The nodes.
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<NodeMessage>,
    /// The name of the graph.
    #[prost(string, tag = "2")]
    pub name: String,
    /// Constants.
    #[prost(message, repeated, tag = "5")]
    pub initializer: Vec<TensorMessage>,
    /// What it is given.
    #[prost(message, repeated, tag = "11")]
    pub input: Vec<ValueInfoMessage>,
    /// What it returns.
    #[prost(message, repeated, tag = "12")]
    pub output: Vec<ValueInfoMessage>,
    /// What is known about values inside.
    #[prost(message, repeated, tag = "13")]
    pub value_info: Vec<ValueInfoMessage>,
}

/// One operation.
#[derive(Clone, PartialEq, Message)]
pub struct NodeMessage {
    /// The names of what it reads.
    #[prost(string, repeated, tag = "1")]
    pub input: Vec<String>,
    /// The names of what it computes.
    #[prost(string, repeated, tag = "2")]
    pub output: Vec<String>,
    /// Its own name.
    #[prost(string, tag = "3")]
    pub name: String,
    /// The operator.
    #[prost(string, tag = "4")]
    pub op_type: String,
    /// Its settings.
    #[prost(message, repeated, tag = "5")]
    pub attribute: Vec<AttributeMessage>,
    /// The set of operators; empty for the standard ones.
    #[prost(string, tag = "7")]
    pub domain: String,
}

/// A setting of an operation.
#[derive(Clone, PartialEq, Message)]
pub struct AttributeMessage {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// A number.
    #[prost(float, optional, tag = "2")]
    pub f: Option<f32>,
    /// An integer.
    #[prost(int64, optional, tag = "3")]
    pub i: Option<i64>,
    /// A text.
    #[prost(bytes = "vec", optional, tag = "4")]
    pub s: Option<Vec<u8>>,
    /// An array.
    #[prost(message, optional, tag = "5")]
    pub t: Option<TensorMessage>,
    /// A graph: the body of a loop.
    #[prost(message, optional, tag = "6")]
    pub g: Option<GraphMessage>,
    /// Numbers.
    #[prost(float, repeated, packed = "false", tag = "7")]
    pub floats: Vec<f32>,
    /// Integers.
    #[prost(int64, repeated, packed = "false", tag = "8")]
    pub ints: Vec<i64>,
    /// Texts.
    #[prost(bytes = "vec", repeated, tag = "9")]
    pub strings: Vec<Vec<u8>>,
    /// Which of them it is.
    #[prost(int32, tag = "20")]
    pub r#type: i32,
}

/// An array of numbers.
#[derive(Clone, PartialEq, Message)]
pub struct TensorMessage {
    /// Its shape; none for a single number.
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub dims: Vec<i64>,
    /// The kind of its numbers: [`FLOAT`], [`INT64`], …
    #[prost(int32, tag = "2")]
    pub data_type: i32,
    /// Its name.
    #[prost(string, tag = "8")]
    pub name: String,
    /// The numbers, little-endian.
    #[prost(bytes = "vec", tag = "9")]
    pub raw_data: Vec<u8>,
    /// 1 if the numbers are in another file.
    #[prost(int32, tag = "14")]
    pub data_location: i32,
}

/// A value by name, with its type.
#[derive(Clone, PartialEq, Message)]
pub struct ValueInfoMessage {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its type.
    #[prost(message, optional, tag = "2")]
    pub r#type: Option<TypeMessage>,
}

/// The type of a value.
#[derive(Clone, PartialEq, Message)]
pub struct TypeMessage {
    /// An array.
    #[prost(message, optional, tag = "1")]
    pub tensor_type: Option<TensorTypeMessage>,
    /// A list, such as the one of dictionaries that scikit-learn's exporter makes of probabilities.
    #[prost(message, optional, tag = "4")]
    pub sequence_type: Option<OpaqueMessage>,
    /// A dictionary.
    #[prost(message, optional, tag = "5")]
    pub map_type: Option<OpaqueMessage>,
}

/// A message whose contents do not matter here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Message)]
pub struct OpaqueMessage {}

/// The type of an array.
#[derive(Clone, PartialEq, Message)]
pub struct TensorTypeMessage {
    /// The kind of its numbers.
    #[prost(int32, tag = "1")]
    pub elem_type: i32,
    /// Its shape, where known.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<ShapeMessage>,
}

/// The shape of an array.
#[derive(Clone, PartialEq, Message)]
pub struct ShapeMessage {
    /// Its dimensions.
    #[prost(message, repeated, tag = "1")]
    pub dim: Vec<DimensionMessage>,
}

/// One dimension: a number, a name, or neither.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub struct DimensionMessage {
    /// The number.
    #[prost(int64, optional, tag = "1")]
    pub dim_value: Option<i64>,
    /// The name of one that varies.
    #[prost(string, optional, tag = "2")]
    pub dim_param: Option<String>,
}

/// 32-bit numbers.
pub const FLOAT: i32 = 1;
/// 64-bit integers.
pub const INT64: i32 = 7;
/// Bytes.
pub const UINT8: i32 = 2;
/// Texts.
pub const STRING: i32 = 8;
/// Truth values.
pub const BOOL: i32 = 9;
/// 64-bit numbers.
pub const DOUBLE: i32 = 11;

impl ValueInfoMessage {
    /// An array by name; a dimension of `None` is the number of rows.
    pub fn tensor(name: &str, kind: i32, dims: &[Option<usize>]) -> Self {
        let dim = |dim: &Option<usize>| DimensionMessage {
            dim_value: dim.map(|dim| dim as i64),
            dim_param: dim.is_none().then(|| "rows".to_owned()),
        };
        let shape = ShapeMessage { dim: dims.iter().map(dim).collect() };
        let tensor = TensorTypeMessage { elem_type: kind, shape: Some(shape) };
        let r#type = TypeMessage { tensor_type: Some(tensor), ..TypeMessage::default() };
        Self { name: name.to_owned(), r#type: Some(r#type) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by onnx 1.23.2: `tests/onnx/make_fixture.py` says how.
    const WRITTEN_ELSEWHERE: &[u8] = include_bytes!("../../tests/onnx/fixture.onnx");

    #[test]
    fn what_onnx_wrote_is_read_and_written_back() {
        let model = ModelMessage::decode(WRITTEN_ELSEWHERE).unwrap();
        assert_eq!((model.ir_version, &model.producer_name[..]), (8, "fixture"));
        assert_eq!(model.opset_import[0].version, 13);
        assert_eq!(model.metadata_props[0], EntryMessage { key: "k".into(), value: "v".into() });
        let graph = model.graph.as_ref().unwrap();
        let operators: Vec<&str> = graph.node.iter().map(|node| &node.op_type[..]).collect();
        assert_eq!(operators, ["Gather", "Loop", "LabelEncoder"]);
        let axis = &graph.node[0].attribute[0];
        assert_eq!((&axis.name[..], axis.i, axis.r#type), ("axis", Some(0), 2));
        let body = graph.node[1].attribute[0].g.as_ref().unwrap();
        assert_eq!(body.output.len(), 2);
        let encoder = &graph.node[2];
        assert_eq!(encoder.domain, "ai.onnx.ml");
        assert_eq!(encoder.attribute[0].strings, [b"a".to_vec(), b"b".to_vec()]);
        assert_eq!(encoder.attribute[1].floats, [0.0, 1.5]);
        assert_eq!(graph.initializer[0].dims, [2]);
        assert_eq!(graph.initializer[0].raw_data, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(graph.input[0], ValueInfoMessage::tensor("x", FLOAT, &[Some(3), None]));
        // Every field is one of ours, in the order of their numbers: so are the bytes.
        assert_eq!(model.encode_to_vec(), WRITTEN_ELSEWHERE);
    }
}
