//! The inputs of a model's graph, and its preprocessing.
//!
//! The columns of numbers are one input, those of categories another one with the code of each value; or every column is an
//! input by its name, and categories are texts. A missing number is NaN; a missing or unknown category is −1, or any text that
//! is not among its values. Encoding is that of [`Encoder`](crate::dataset::Encoder), operation by operation in 64 bits.

use super::attribute::{int, ints, texts};
use super::error::OnnxError;
use super::file::{ML, entry};
use super::graph::{GraphBuilder, Value};
use super::head::OUTPUTS;
use super::messages::{DOUBLE, EntryMessage, FLOAT, INT64, STRING, ValueInfoMessage};
use crate::dataset::{FittedColumn, Pipeline, Scale};

/// A column, as a graph is given it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ColumnInput {
    name: String,
    /// The values of categories; their codes are their places.
    values: Option<Vec<String>>,
}

/// The columns that a model reads, as inputs of a graph.
#[derive(Debug)]
pub(super) struct GraphInputs {
    columns: Vec<ColumnInput>,
    named: bool,
    numbers: Option<Value>,
    codes: Option<Value>,
}

/// What the inputs are called, unless each column has its own.
const NUMBERS: &str = "numbers";
const CODES: &str = "codes";

impl GraphInputs {
    /// The columns of all pipelines, each once; values become codes where columns are inputs of their own.
    pub fn new<'p>(
        graph: &mut GraphBuilder,
        pipelines: impl IntoIterator<Item = &'p Pipeline>,
        named: bool,
    ) -> Result<Self, OnnxError> {
        let mut columns: Vec<ColumnInput> = Vec::new();
        for fitted in pipelines.into_iter().flat_map(Pipeline::columns) {
            let name = fitted.name().to_owned();
            let values = values_of(fitted).map(<[String]>::to_vec);
            match columns.iter_mut().find(|column| column.name == name) {
                None if named && OUTPUTS.contains(&&name[..]) => {
                    return Err(OnnxError::ColumnName { name });
                }
                None => columns.push(ColumnInput { name, values }),
                Some(known) => match (&mut known.values, values) {
                    (None, None) => {}
                    (Some(all), Some(values)) => {
                        let new: Vec<String> =
                            values.into_iter().filter(|value| !all.contains(value)).collect();
                        all.extend(new);
                    }
                    _ => return Err(OnnxError::Column { name }),
                },
            }
        }
        let mut inputs = Self { columns, named, numbers: None, codes: None };
        let has = |kind: bool| inputs.columns.iter().any(|column| column.values.is_some() == kind);
        let (has_numbers, has_codes) = (has(false), has(true));
        if named {
            inputs.numbers = has_numbers.then(|| inputs.joined_numbers(graph));
            inputs.codes = has_codes.then(|| inputs.joined_codes(graph));
        } else {
            inputs.numbers = has_numbers.then(|| Value::named(NUMBERS));
            inputs.codes = has_codes.then(|| Value::named(CODES));
        }
        Ok(inputs)
    }

    fn of_kind(&self, nominal: bool) -> impl Iterator<Item = &ColumnInput> {
        self.columns.iter().filter(move |column| column.values.is_some() == nominal)
    }

    fn joined_numbers(&self, graph: &mut GraphBuilder) -> Value {
        let each: Vec<Value> =
            self.of_kind(false).map(|column| Value::named(&column.name)).collect();
        graph.concat(&each, 1)
    }

    fn joined_codes(&self, graph: &mut GraphBuilder) -> Value {
        let each: Vec<Value> = self
            .of_kind(true)
            .map(|column| {
                let values = column.values.iter().flatten();
                let codes: Vec<i64> = (0..values.clone().count() as i64).collect();
                let attributes = vec![
                    texts("keys_strings", values.map(String::as_str)),
                    ints("values_int64s", &codes),
                    int("default_int64", -1),
                ];
                graph.node_in(ML, "LabelEncoder", &[&Value::named(&column.name)], attributes)
            })
            .collect();
        graph.concat(&each, 1)
    }

    /// The inputs as they are declared.
    pub fn declared(&self) -> Vec<ValueInfoMessage> {
        if self.named {
            let kind = |column: &ColumnInput| if column.values.is_some() { STRING } else { FLOAT };
            let one = |column: &ColumnInput| {
                ValueInfoMessage::tensor(&column.name, kind(column), &[None, Some(1)])
            };
            return self.columns.iter().map(one).collect();
        }
        [(NUMBERS, FLOAT, false), (CODES, INT64, true)]
            .into_iter()
            .map(|(name, kind, nominal)| (name, kind, self.of_kind(nominal).count()))
            .filter(|(_, _, count)| *count > 0)
            .map(|(name, kind, count)| ValueInfoMessage::tensor(name, kind, &[None, Some(count)]))
            .collect()
    }

    /// The names of the columns of each input, and the values of categories, as JSON.
    pub fn metadata(&self) -> Vec<EntryMessage> {
        let numbers: Vec<&str> = self.of_kind(false).map(|column| &column.name[..]).collect();
        let codes: Vec<serde_json::Value> = self
            .of_kind(true)
            .map(|column| serde_json::json!({"column": column.name, "values": column.values}))
            .collect();
        vec![
            entry("rulebound.numbers", serde_json::Value::from(numbers).to_string()),
            entry("rulebound.codes", serde_json::Value::from(codes).to_string()),
        ]
    }

    /// Where a column is among those of its kind.
    fn place(&self, name: &str, nominal: bool) -> usize {
        let found = self.of_kind(nominal).position(|column| column.name == name);
        found.unwrap_or_else(|| unreachable!("every column of a pipeline is an input"))
    }

    /// The values with codes of a column.
    fn values(&self, name: &str) -> &[String] {
        let column = self.columns.iter().find(|column| column.name == name);
        column.and_then(|column| column.values.as_deref()).unwrap_or_default()
    }

    /// The encoded columns of a pipeline, `[rows, width]`.
    pub fn encoded(&self, graph: &mut GraphBuilder, pipeline: &Pipeline) -> Value {
        let mut parts = Vec::new();
        let mut order = Vec::new();
        let mut scaled = Vec::new();
        let mut start = 0;
        let mut nominal = Vec::new();
        for fitted in pipeline.columns() {
            match fitted {
                FittedColumn::Number { name, scale } => scaled.push((name, Some(*scale), start)),
                FittedColumn::Untouched { name, values: None } => scaled.push((name, None, start)),
                FittedColumn::OneHot { .. } | FittedColumn::Untouched { .. } => {
                    nominal.push((fitted, start));
                }
            }
            start += fitted.width();
        }
        if !scaled.is_empty() {
            order.extend(scaled.iter().map(|(.., start)| *start));
            parts.push(self.numbers_of(graph, &scaled));
        }
        for (fitted, start) in nominal {
            order.extend(start..start + fitted.width());
            parts.push(self.codes_of(graph, fitted));
        }
        let all = graph.concat(&parts, 1);
        if order.is_sorted() {
            return all;
        }
        let mut place_of = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &column)| place_of[column] = place);
        graph.columns(&all, &place_of)
    }

    fn numbers_of(
        &self,
        graph: &mut GraphBuilder,
        columns: &[(&String, Option<Scale>, usize)],
    ) -> Value {
        let Some(numbers) = &self.numbers else { unreachable!("there is a column of numbers") };
        let places: Vec<usize> = columns.iter().map(|(name, ..)| self.place(name, false)).collect();
        let is_all = places.is_sorted() && places.len() == self.of_kind(false).count();
        let numbers = if is_all { numbers.clone() } else { graph.columns(numbers, &places) };
        let Some(scales) = columns.iter().map(|(_, scale, _)| *scale).collect::<Option<Vec<_>>>()
        else {
            // A pipeline for trees leaves every column as it is.
            return numbers;
        };
        let is_plain = |scale: &Scale| scale.deviation == 1.0 && scale.offset == Some(0.0);
        let scaled = if scales.iter().all(is_plain) {
            numbers.clone()
        } else {
            let offsets: Vec<f64> =
                scales.iter().map(|scale| scale.offset.unwrap_or(scale.mean)).collect();
            // A column that becomes 0 everywhere is divided by infinity.
            let divisor = |scale: &Scale| match scale.deviation == 0.0 {
                true => f64::INFINITY,
                false => scale.deviation,
            };
            let divisors: Vec<f64> = scales.iter().map(divisor).collect();
            let [offsets, divisors] =
                [offsets, divisors].map(|of| graph.doubles(&[1, of.len()], &of));
            let wide = graph.cast(&numbers, DOUBLE);
            let moved = graph.pair("Sub", &wide, &offsets);
            let divided = graph.pair("Div", &moved, &divisors);
            graph.cast(&divided, FLOAT)
        };
        let fill: Vec<f32> = scales.iter().map(|scale| scale.apply(f64::NAN)).collect();
        let fill = graph.floats(&[1, fill.len()], &fill);
        let is_missing = graph.node("IsNaN", &[&numbers], Vec::new());
        graph.node("Where", &[&is_missing, &fill, &scaled], Vec::new())
    }

    fn codes_of(&self, graph: &mut GraphBuilder, fitted: &FittedColumn) -> Value {
        let Some(codes) = &self.codes else { unreachable!("there is a column of categories") };
        let code = graph.columns(codes, &[self.place(fitted.name(), true)]);
        let known = self.values(fitted.name());
        let code_of = |value: &String| {
            let found = known.iter().position(|known| known == value);
            found.unwrap_or_else(|| unreachable!("every value has a code"))
        };
        let fitted_values = values_of(fitted).unwrap_or_default();
        let own: Vec<usize> = fitted_values.iter().map(code_of).collect();
        let dims = [1, own.len()];
        let numbers = graph.integers(&dims, own.iter().copied());
        let is_value = graph.pair("Equal", &code, &numbers);
        match fitted {
            FittedColumn::OneHot { scales, .. } => {
                let [hot, cold] = [1.0, 0.0].map(|value| {
                    let values: Vec<f32> = scales.iter().map(|scale| scale.apply(value)).collect();
                    graph.floats(&dims, &values)
                });
                graph.node("Where", &[&is_value, &hot, &cold], Vec::new())
            }
            // The place of the value among those of training, or NaN: below every place.
            _ => {
                let places: Vec<f32> = (0..own.len()).map(|place| place as f32).collect();
                let places = graph.floats(&dims, &places);
                let none = graph.floats(&[], &[-1.0]);
                let place = graph.node("Where", &[&is_value, &places, &none], Vec::new());
                let place = graph.reduce_kept("ReduceMax", &place, 1);
                let missing = graph.floats(&[], &[f32::NAN]);
                let is_known = graph.pair("Greater", &place, &none);
                graph.node("Where", &[&is_known, &place, &missing], Vec::new())
            }
        }
    }
}

/// The values of a column of categories.
fn values_of(fitted: &FittedColumn) -> Option<&[String]> {
    match fitted {
        FittedColumn::OneHot { values, .. } => Some(values),
        FittedColumn::Untouched { values, .. } => values.as_deref(),
        FittedColumn::Number { .. } => None,
    }
}
