//! The constraint layer as nodes of a graph.
//!
//! Rows are classes and columns are examples: taking rows copies whole runs of memory. Nothing is scattered, and everything
//! selects: `Gather`, `ReduceMax`, `ReduceMin`, `Max`, and a product with ±1, so that the bits are those of
//! [`ConstraintLayer`](rulebound_core::ConstraintLayer). Where bodies or heads have different numbers of entries, one entry is
//! repeated; the largest and the smallest value do not depend on that.

use std::collections::BTreeMap;
use std::collections::HashMap;

use rulebound_core::Literal;

use super::cycle::{self, Loops};
use super::graph::{GraphBuilder, Value};
use super::plan::{Head, LayerPlan, bucket, grouped};

/// How margins of exactly 0 are treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Zeros {
    /// There are none: they have been made [canonical](rulebound_core::Margin::canonical).
    Canonical,
    /// They are made canonical where something is negated, which is all that decisions and probabilities need.
    UnderNot,
}

/// Rows that can be read, and which class each of them is.
pub(super) struct Rows {
    value: Option<Value>,
    row_of: HashMap<usize, usize>,
}

impl Rows {
    pub fn new(value: Value, classes: impl IntoIterator<Item = usize>) -> Self {
        let row_of = classes.into_iter().enumerate().map(|(row, class)| (class, row)).collect();
        Self { value: Some(value), row_of }
    }

    /// The row of a class.
    ///
    /// # Panics
    /// If it is not among them.
    pub fn row(&self, class: usize) -> usize {
        self.row_of[&class]
    }

    pub fn value(&self) -> &Value {
        match &self.value {
            Some(value) => value,
            None => unreachable!("rules read what is carried"),
        }
    }

    fn classes(&self) -> Vec<usize> {
        let mut classes: Vec<usize> = self.row_of.keys().copied().collect();
        classes.sort_unstable_by_key(|class| self.row_of[class]);
        classes
    }
}

/// Appends the layer: margins in the order of the plan, `[classes, rows]`, become coherent ones in the order of the class
/// list, `[classes, rows]`.
pub(super) fn append(
    graph: &mut GraphBuilder,
    plan: &LayerPlan,
    margins: &Value,
    zeros: Zeros,
    loops: Loops,
) -> Value {
    let mut own = own_values(graph, plan, margins).into_iter();
    let mut carried = Rows { value: None, row_of: HashMap::new() };
    let mut levels = Vec::with_capacity(plan.levels.len());
    for (at, level) in plan.levels.iter().enumerate() {
        let mut pieces = Vec::new();
        for group in groups(&level.heads) {
            let Some(own) = own.next() else { unreachable!("a piece for each group") };
            pieces.push(match group {
                [Head { is_fact: true, .. }, ..] => {
                    let always = graph.floats(&[], &[f32::INFINITY]);
                    graph.pair("Max", &own, &always)
                }
                [Head { bodies, .. }, ..] if bodies.is_empty() => own,
                heads => {
                    let bodies: Vec<&[Vec<Literal>]> =
                        heads.iter().map(|head| &head.bodies[..]).collect();
                    let raised = raised(graph, &bodies, &carried, zeros);
                    graph.pair("Max", &own, &raised)
                }
            });
        }
        let value = graph.concat(&pieces, 0);
        let mut rows = Rows::new(value, level.heads.iter().map(|head| head.class));
        if !level.cycles.is_empty() {
            let value = cycle::append(graph, level, &rows, &carried, zeros, loops);
            rows.value = Some(value);
        }
        carried = carry(graph, &carried, &rows, |class| plan.last_read[class] > at);
        levels.push(rows.value().clone());
    }
    let all = graph.concat(&levels, 0);
    let order = plan.order();
    let mut row_of = vec![0; order.len()];
    order.iter().enumerate().for_each(|(row, &class)| row_of[class] = row);
    if row_of.is_sorted() { all } else { graph.gather(&all, &[row_of.len()], &row_of) }
}

/// The heads of a level that are treated alike: raised by rules, facts, neither.
fn groups(heads: &[Head]) -> impl Iterator<Item = &[Head]> {
    let kind = |head: &Head| (head.is_fact, head.bodies.is_empty());
    heads.chunk_by(move |left, right| kind(left) == kind(right))
}

/// The margins of each group of each level.
fn own_values(graph: &mut GraphBuilder, plan: &LayerPlan, margins: &Value) -> Vec<Value> {
    let sizes: Vec<usize> =
        plan.levels.iter().flat_map(|level| groups(&level.heads)).map(<[Head]>::len).collect();
    graph.split(margins, &sizes)
}

/// What later levels read. Rows that are not read any more are left out once they are a quarter of all: to leave out each at once
/// would take more time than it saves.
fn carry(
    graph: &mut GraphBuilder,
    before: &Rows,
    new: &Rows,
    is_read: impl Fn(usize) -> bool,
) -> Rows {
    let mut parts = Vec::new();
    let mut classes = Vec::new();
    for rows in [before, new] {
        let all = rows.classes();
        let kept: Vec<usize> = all.iter().copied().filter(|&class| is_read(class)).collect();
        if kept.is_empty() {
            continue;
        }
        if 4 * kept.len() > 3 * all.len() {
            parts.push(rows.value().clone());
            classes.extend(all);
        } else {
            let numbers: Vec<usize> = kept.iter().map(|&class| rows.row(class)).collect();
            parts.push(graph.gather(rows.value(), &[numbers.len()], &numbers));
            classes.extend(kept);
        }
    }
    if parts.is_empty() {
        return Rows { value: None, row_of: HashMap::new() };
    }
    Rows::new(graph.concat(&parts, 0), classes)
}

/// The largest body of each head, one row for each. Heads come by the [`bucket`] of their number of bodies, and each has
/// one.
pub(super) fn raised(
    graph: &mut GraphBuilder,
    heads: &[&[Vec<Literal>]],
    rows: &Rows,
    zeros: Zeros,
) -> Value {
    let (pool, row_of_body) = body_values(graph, heads, rows, zeros);
    let mut parts = Vec::new();
    let mut first = 0;
    let counts: Vec<usize> = heads.iter().map(|head| head.len()).collect();
    for (range, width) in grouped(&counts) {
        let alike = &heads[range];
        let mut numbers = Vec::with_capacity(alike.len() * width);
        for head in alike {
            let bodies = &row_of_body[first..first + head.len()];
            first += head.len();
            numbers.extend((0..width).map(|slot| bodies[slot.min(bodies.len() - 1)]));
        }
        parts.push(if width == 1 {
            graph.gather(&pool, &[alike.len()], &numbers)
        } else {
            let each = graph.gather(&pool, &[alike.len(), width], &numbers);
            graph.reduce("ReduceMax", &each, 1)
        });
    }
    graph.concat(&parts, 0)
}

/// A value with a row for each body, and the row of each, head after head. A body of one literal that is not negated is
/// the row of its class.
fn body_values(
    graph: &mut GraphBuilder,
    heads: &[&[Vec<Literal>]],
    rows: &Rows,
    zeros: Zeros,
) -> (Value, Vec<usize>) {
    let bodies: Vec<&Vec<Literal>> = heads.iter().flat_map(|head| head.iter()).collect();
    let is_plain = |body: &[Literal]| matches!(body, [one] if !one.is_negated());
    let mut alike: BTreeMap<(usize, bool), Vec<usize>> = BTreeMap::new();
    for (at, body) in bodies.iter().enumerate().filter(|(_, body)| !is_plain(body)) {
        let negates = body.iter().any(|literal| literal.is_negated());
        alike.entry((bucket(body.len()), negates)).or_default().push(at);
    }
    let mut parts = Vec::new();
    let mut row_of_body = vec![0; bodies.len()];
    let mut next = 0;
    if bodies.iter().any(|body| is_plain(body)) {
        parts.push(rows.value().clone());
        for (row, body) in row_of_body.iter_mut().zip(&bodies) {
            *row = rows.row(body[0].label().index());
        }
        next = rows.row_of.len();
    }
    for ((width, negates), of) in alike {
        let chosen: Vec<&[Literal]> = of.iter().map(|&at| &bodies[at][..]).collect();
        parts.push(smallest(graph, &chosen, width, negates, rows, zeros));
        for at in of {
            row_of_body[at] = next;
            next += 1;
        }
    }
    (graph.concat(&parts, 0), row_of_body)
}

/// The smallest literal of each body; all are padded to one width.
fn smallest(
    graph: &mut GraphBuilder,
    bodies: &[&[Literal]],
    width: usize,
    negates: bool,
    rows: &Rows,
    zeros: Zeros,
) -> Value {
    let padded =
        bodies.iter().flat_map(|body| (0..width).map(|slot| body[slot.min(body.len() - 1)]));
    let literals: Vec<Literal> = padded.collect();
    let numbers: Vec<usize> =
        literals.iter().map(|literal| rows.row(literal.label().index())).collect();
    let shape = [bodies.len(), width];
    let shape = if width == 1 { &shape[..1] } else { &shape[..] };
    let mut values = graph.gather(rows.value(), shape, &numbers);
    if negates {
        if zeros == Zeros::UnderNot {
            values = graph.canonical(&values);
        }
        let sign = |literal: &Literal| if literal.is_negated() { -1.0 } else { 1.0 };
        let signs: Vec<f32> = literals.iter().map(sign).collect();
        let signs = graph.floats(&[shape, &[1]].concat(), &signs);
        values = graph.pair("Mul", &values, &signs);
    }
    if width == 1 { values } else { graph.reduce("ReduceMin", &values, 1) }
}
