//! One cell of text: a number, a nominal value, or a label.

use std::collections::HashMap;

use super::complaint::Problem;

/// Parses the number in a cell of `column`.
pub(super) fn number(text: &str, column: &str) -> Result<f32, Problem> {
    match text.parse::<f32>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(Problem::NotFinite { column: column.to_owned() }),
        Err(_) => Err(Problem::NotANumber { column: column.to_owned() }),
    }
}

/// Whether a label cell says that the example has the label: `1` or `0`, `true` or `false`, `yes`
/// or `no`.
pub(super) fn label(text: &str) -> Option<bool> {
    match text {
        "0" => return Some(false),
        "1" => return Some(true),
        _ => {}
    }
    match text.to_ascii_lowercase().as_str() {
        "0.0" | "false" | "no" => Some(false),
        "1.0" | "true" | "yes" => Some(true),
        _ => None,
    }
}

/// The most values of a nominal column: a cell represents every index below exactly.
pub(super) const MOST_VALUES: usize = 1 << 24;

/// The index of each value of a nominal column.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    by_value: HashMap<String, usize>,
}

impl Places {
    pub(super) fn new(values: &[String]) -> Self {
        let places = values.iter().enumerate();
        Self { by_value: places.map(|(place, value)| (value.clone(), place)).collect() }
    }

    pub(super) fn find(&self, value: &str) -> Option<f32> {
        self.by_value.get(value).map(|&place| place as f32)
    }

    /// The index of a value, which is appended to `values` if it is new.
    pub(super) fn intern(&mut self, value: &str, values: &mut Vec<String>) -> f32 {
        if let Some(place) = self.find(value) {
            return place;
        }
        let place = values.len();
        values.push(value.to_owned());
        self.by_value.insert(value.to_owned(), place);
        place as f32
    }
}
