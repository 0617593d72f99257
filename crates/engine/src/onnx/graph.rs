//! A graph that grows node by node.
//!
//! Every value has one name, which begins with the prefix of the builder; equal constants are written once. The operators
//! are those of version 13 of the standard set, in the spelling of the version that is asked for: from 18 on the axes
//! of a reduction are an input.

use std::collections::HashMap;

use super::attribute::{int, ints, subgraph};
use super::messages::{
    AttributeMessage, BOOL, DOUBLE, FLOAT, GraphMessage, INT64, NodeMessage, TensorMessage, UINT8,
    ValueInfoMessage,
};

/// The version of the standard operators that is written where nothing else has to be fitted.
pub(super) const OPSET: i64 = 13;

/// The name of a value in a graph.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Value(pub String);

impl Value {
    /// A value that somebody else has named.
    pub fn named(name: impl Into<String>) -> Self {
        Self(name.into())
    }
}

/// Nodes and constants in the making.
#[derive(Debug)]
pub(super) struct GraphBuilder {
    prefix: String,
    opset: i64,
    nodes: Vec<NodeMessage>,
    constants: Vec<TensorMessage>,
    known: HashMap<(i32, Vec<i64>, Vec<u8>), Value>,
    count: usize,
}

impl GraphBuilder {
    /// An empty graph whose names begin with `prefix`.
    pub fn new(prefix: impl Into<String>, opset: i64) -> Self {
        Self {
            prefix: prefix.into(),
            opset,
            nodes: Vec::new(),
            constants: Vec::new(),
            known: HashMap::new(),
            count: 0,
        }
    }

    fn fresh(&mut self, what: &str) -> Value {
        self.count += 1;
        Value(format!("{}{what}_{}", self.prefix, self.count))
    }

    /// Adds a node with one output.
    pub fn node(
        &mut self,
        op: &str,
        inputs: &[&Value],
        attributes: Vec<AttributeMessage>,
    ) -> Value {
        self.node_in("", op, inputs, attributes)
    }

    /// Adds a node of another set of operators, with one output.
    pub fn node_in(
        &mut self,
        domain: &str,
        op: &str,
        inputs: &[&Value],
        attributes: Vec<AttributeMessage>,
    ) -> Value {
        let output = self.fresh(op);
        self.push(domain, op, inputs, std::slice::from_ref(&output), attributes);
        output
    }

    /// Gives a value that a node computes a name of the caller's choice.
    pub fn rename(&mut self, value: &Value, name: &str) {
        for node in &mut self.nodes {
            let names = node.input.iter_mut().chain(&mut node.output);
            names.filter(|known| **known == value.0).for_each(|known| *known = name.to_owned());
        }
    }

    fn push(
        &mut self,
        domain: &str,
        op: &str,
        inputs: &[&Value],
        outputs: &[Value],
        attribute: Vec<AttributeMessage>,
    ) {
        self.nodes.push(NodeMessage {
            input: inputs.iter().map(|input| input.0.clone()).collect(),
            output: outputs.iter().map(|output| output.0.clone()).collect(),
            name: format!("{}node_{}", self.prefix, self.nodes.len()),
            op_type: op.to_owned(),
            attribute,
            domain: domain.to_owned(),
        });
    }

    fn constant(&mut self, data_type: i32, dims: &[usize], raw_data: Vec<u8>) -> Value {
        let dims: Vec<i64> = dims.iter().map(|&dim| dim as i64).collect();
        let key = (data_type, dims, raw_data);
        if let Some(value) = self.known.get(&key) {
            return value.clone();
        }
        let value = self.fresh("constant");
        let (_, dims, raw_data) = key.clone();
        let name = value.0.clone();
        self.constants.push(TensorMessage { dims, data_type, name, raw_data, data_location: 0 });
        // Large ones are hardly ever equal.
        if key.2.len() <= 1 << 12 {
            self.known.insert(key, value.clone());
        }
        value
    }

    /// A constant of 32-bit numbers; of no dimensions if `dims` is empty.
    pub fn floats(&mut self, dims: &[usize], numbers: &[f32]) -> Value {
        debug_assert_eq!(dims.iter().product::<usize>(), numbers.len());
        self.constant(FLOAT, dims, numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
    }

    /// A constant of 64-bit numbers.
    pub fn doubles(&mut self, dims: &[usize], numbers: &[f64]) -> Value {
        debug_assert_eq!(dims.iter().product::<usize>(), numbers.len());
        self.constant(
            DOUBLE,
            dims,
            numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
        )
    }

    /// A constant of integers.
    pub fn integers(&mut self, dims: &[usize], numbers: impl IntoIterator<Item = usize>) -> Value {
        let bytes = numbers.into_iter().flat_map(|number| (number as i64).to_le_bytes()).collect();
        self.constant(INT64, dims, bytes)
    }

    /// A constant of bytes.
    pub fn bytes(&mut self, dims: &[usize], numbers: Vec<u8>) -> Value {
        self.constant(UINT8, dims, numbers)
    }

    /// A constant of truth values, 0 or 1.
    pub fn truths(&mut self, dims: &[usize], values: Vec<u8>) -> Value {
        self.constant(BOOL, dims, values)
    }

    /// What always holds.
    pub fn truth(&mut self) -> Value {
        self.truths(&[], vec![1])
    }

    /// The rows with these numbers, which are arranged in this shape.
    pub fn gather(&mut self, rows: &Value, dims: &[usize], numbers: &[usize]) -> Value {
        let numbers = self.integers(dims, numbers.iter().copied());
        self.node("Gather", &[rows, &numbers], vec![int("axis", 0)])
    }

    /// The columns with these numbers.
    pub fn columns(&mut self, values: &Value, numbers: &[usize]) -> Value {
        let numbers = self.integers(&[numbers.len()], numbers.iter().copied());
        self.node("Gather", &[values, &numbers], vec![int("axis", 1)])
    }

    /// `left · rightᵀ + plus`.
    pub fn product(&mut self, left: &Value, right: &Value, plus: &Value) -> Value {
        self.node("Gemm", &[left, right, plus], vec![int("transB", 1)])
    }

    /// `1 / (1 + e⁻ˣ)`; `one` is a 1 of the same kind of numbers.
    pub fn logistic(&mut self, values: &Value, one: &Value) -> Value {
        let negated = self.node("Neg", &[values], Vec::new());
        let small = self.node("Exp", &[&negated], Vec::new());
        let sum = self.pair("Add", one, &small);
        self.pair("Div", one, &sum)
    }

    /// `ReduceMax` or `ReduceMin` over one axis, which disappears.
    pub fn reduce(&mut self, op: &str, values: &Value, axis: usize) -> Value {
        self.reduced(op, values, axis, 0)
    }

    /// As [`reduce`](Self::reduce), but the axis stays, with one entry.
    pub fn reduce_kept(&mut self, op: &str, values: &Value, axis: usize) -> Value {
        self.reduced(op, values, axis, 1)
    }

    fn reduced(&mut self, op: &str, values: &Value, axis: usize, kept: i64) -> Value {
        if self.opset >= 18 {
            let axes = self.integers(&[1], [axis]);
            self.node(op, &[values, &axes], vec![int("keepdims", kept)])
        } else {
            self.node(op, &[values], vec![ints("axes", &[axis as i64]), int("keepdims", kept)])
        }
    }

    /// Values one below the other; one value is itself.
    pub fn concat(&mut self, values: &[Value], axis: usize) -> Value {
        match values {
            [one] => one.clone(),
            several => {
                let inputs: Vec<&Value> = several.iter().collect();
                self.node("Concat", &inputs, vec![int("axis", axis as i64)])
            }
        }
    }

    /// Rows in groups of these sizes; none may be empty.
    pub fn split(&mut self, rows: &Value, sizes: &[usize]) -> Vec<Value> {
        if let [_] = sizes {
            return vec![rows.clone()];
        }
        let outputs: Vec<Value> = sizes.iter().map(|_| self.fresh("Split")).collect();
        if self.opset < 13 {
            let sizes: Vec<i64> = sizes.iter().map(|&size| size as i64).collect();
            let attributes = vec![int("axis", 0), ints("split", &sizes)];
            self.push("", "Split", &[rows], &outputs, attributes);
        } else {
            let sizes = self.integers(&[sizes.len()], sizes.iter().copied());
            self.push("", "Split", &[rows, &sizes], &outputs, vec![int("axis", 0)]);
        }
        outputs
    }

    /// The largest (`Max`) or smallest (`Min`) of two values, element by element.
    pub fn pair(&mut self, op: &str, left: &Value, right: &Value) -> Value {
        self.node(op, &[left, right], Vec::new())
    }

    /// Rows and columns exchanged.
    pub fn transpose(&mut self, value: &Value) -> Value {
        self.node("Transpose", &[value], vec![ints("perm", &[1, 0])])
    }

    /// The same numbers as another kind.
    pub fn cast(&mut self, value: &Value, kind: i32) -> Value {
        self.node("Cast", &[value], vec![int("to", i64::from(kind))])
    }

    /// Moves 0 (of either sign) below the threshold, as [`Margin::canonical`](rulebound_core::Margin::canonical) does.
    pub fn canonical(&mut self, margins: &Value) -> Value {
        let zero = self.floats(&[], &[0.0]);
        let below = self.floats(&[], &[-f32::MIN_POSITIVE]);
        let is_zero = self.pair("Equal", margins, &zero);
        self.node("Where", &[&is_zero, &below, margins], Vec::new())
    }

    /// Whether any of these truth values, of two dimensions, is true.
    pub fn any(&mut self, truths: &Value) -> Value {
        let numbers = self.cast(truths, FLOAT);
        let some = self.reduce("ReduceMax", &numbers, 0);
        // Of no rows at all there is no largest value.
        let none = self.floats(&[1], &[0.0]);
        let some = self.concat(&[some, none], 0);
        let some = self.reduce("ReduceMax", &some, 0);
        self.cast(&some, BOOL)
    }

    /// A `Loop`: `turn` makes new states of those it is given, at least once and at most `most` times, as long as the truth value
    /// that it also returns is true. Each state is a table of numbers, with this many rows.
    pub fn repeat(
        &mut self,
        name: &str,
        most: usize,
        states: &[(&Value, usize)],
        turn: impl FnOnce(&mut Self, &[Value]) -> (Value, Vec<Value>),
    ) -> Vec<Value> {
        let mut body = Self::new(format!("{}{name}{}/", self.prefix, self.count), self.opset);
        self.count += 1;
        let [count, condition] = ["turn", "goes_on"].map(|of| format!("{}{of}", body.prefix));
        let inputs: Vec<Value> =
            (0..states.len()).map(|at| Value(format!("{}state_{at}", body.prefix))).collect();
        let (goes_on, results) = turn(&mut body, &inputs);
        // What a turn returns must be of its own making, and each under a name of its own.
        let results: Vec<Value> =
            results.iter().map(|result| body.node("Identity", &[result], Vec::new())).collect();
        let table = |(value, (_, rows)): (&Value, &(&Value, usize))| {
            ValueInfoMessage::tensor(&value.0, FLOAT, &[Some(*rows), None])
        };
        let mut inside = body.finish(name);
        self.constants.append(&mut inside.initializer);
        inside.input = vec![
            ValueInfoMessage::tensor(&count, INT64, &[]),
            ValueInfoMessage::tensor(&condition, BOOL, &[]),
        ];
        inside.input.extend(inputs.iter().zip(states).map(table));
        inside.output = vec![ValueInfoMessage::tensor(&goes_on.0, BOOL, &[])];
        inside.output.extend(results.iter().zip(states).map(table));
        let most = self.integers(&[], [most]);
        // The condition may be left out, but not every runtime then takes it for true.
        let truth = self.truth();
        let given: Vec<&Value> =
            [&most, &truth].into_iter().chain(states.iter().map(|(value, _)| *value)).collect();
        let outputs: Vec<Value> = states.iter().map(|_| self.fresh("Loop")).collect();
        self.push("", "Loop", &given, &outputs, vec![subgraph("body", inside)]);
        outputs
    }

    /// The nodes and constants, as a graph without inputs and outputs.
    pub fn finish(self, name: &str) -> GraphMessage {
        GraphMessage {
            node: self.nodes,
            name: name.to_owned(),
            initializer: self.constants,
            ..GraphMessage::default()
        }
    }
}
