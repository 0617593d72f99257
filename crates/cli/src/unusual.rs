//! What rows have that training saw nothing like, as text and as JSON.

use crate::screen;
use crate::text::{count, in_line};
use rulebound::dataset::{Dataset, FittedRange, UnusualCells};
use rulebound::evaluate::EvaluateError;
use rulebound::model::Model;
use serde_json::{Map, Value, json};
use std::ops::Range;

/// The most columns that are listed as text.
const SHOWN: usize = 20;

/// What rows of a data set have that the training of a model saw nothing like.
pub fn of_rows(
    model: &Model,
    data: &Dataset,
    rows: Range<usize>,
) -> Result<UnusualCells, EvaluateError> {
    model.pipeline().unusual(data, rows).map_err(EvaluateError::Features)
}

/// Says on standard error what is unusual.
pub fn note(unusual: &UnusualCells) {
    warnings(unusual).iter().for_each(screen::note);
}

/// One warning per column: new words, then numbers that are far outside.
pub fn warnings(unusual: &UnusualCells) -> Vec<String> {
    let unseen = unusual.unseen.iter().map(|unseen| {
        let (cells, column) = (count(unseen.cells as usize, "cell"), in_line(&unseen.column));
        format!(
            "warning: {cells} of `{column}` with a value not seen in training, treated as missing"
        )
    });
    let outside = unusual.out_of_range.iter().map(|column| {
        let (cells, name) = (count(column.cells as usize, "cell"), in_line(&column.column));
        let (fitted, found) = (between(column.fitted), between(column.found));
        format!("warning: {cells} of `{name}` far outside of what training saw ({fitted}): {found}")
    });
    let mut lines: Vec<String> = unseen.take(SHOWN).chain(outside.take(SHOWN)).collect();
    let columns = [unusual.unseen.len(), unusual.out_of_range.len()];
    let more: usize = columns.iter().map(|columns| columns.saturating_sub(SHOWN)).sum();
    if more > 0 {
        let more = count(more, "more column");
        lines.push(format!("warning: … and {more} with such cells (--json lists all)"));
    }
    lines
}

fn between(range: FittedRange) -> String {
    let FittedRange { low, high } = range;
    if low == high { low.to_string() } else { format!("{low} to {high}") }
}

/// The entries of a result.
pub fn to_json(unusual: &UnusualCells) -> Map<String, Value> {
    let entries = [
        ("unseen_values", unseen_values(unusual)),
        ("out_of_range_rows", json!(unusual.out_of_range_rows)),
        ("out_of_range", out_of_range(unusual)),
    ];
    entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The columns with new words.
fn unseen_values(unusual: &UnusualCells) -> Value {
    let entry = |unseen: &rulebound::dataset::Unseen| json!({ "column": unseen.column, "cells": unseen.cells });
    unusual.unseen.iter().map(entry).collect()
}

/// The columns with numbers that are far outside.
pub fn out_of_range(unusual: &UnusualCells) -> Value {
    let entry = |column: &rulebound::dataset::OutOfRange| {
        json!({
            "column": column.column,
            "cells": column.cells,
            "training_range": column.fitted,
            "found_range": column.found,
        })
    };
    unusual.out_of_range.iter().map(entry).collect()
}

/// A share of rows on the command line.
pub fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("expected a share of the rows, from 0 to 1".to_owned()),
    }
}
