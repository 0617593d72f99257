//! Judges the columns of a table by their values; see [`ColumnDoubt`].

use super::column::Column;
use super::complaint::{ColumnDoubt, DoubtKind};
use super::identifier::looks_like_id;
use super::set::{Dataset, Value};

/// The most values of a text column that is taken as nominal however few rows there are.
const FEW: usize = 50;

/// The most values of a text column that is taken as nominal however many rows there are.
const MANY: usize = 1000;

/// Rows for each value of a text column with more than a few values, at least.
const ROWS_PER_VALUE: usize = 20;

impl Dataset {
    /// The same data with its columns judged as those of an untyped table, whatever it was read from; `is_given` says
    /// whose kind the caller gave. What was found is in [`doubts`](Self::doubts).
    #[must_use]
    pub fn judged(mut self, is_given: impl Fn(&str) -> bool) -> Self {
        self.doubts = doubts(&self, is_given);
        self
    }
}

/// The doubtful columns; `is_given` says whose kind the caller gave.
fn doubts(data: &Dataset, is_given: impl Fn(&str) -> bool) -> Vec<ColumnDoubt> {
    let mut found = Vec::new();
    for identifier in data.identifiers().iter().filter(|identifier| !is_given(&identifier.name)) {
        let mut values = identifier.values.iter().flatten();
        let Some(example) = values.next().cloned() else { continue };
        let is_date = is_date(&example) && values.all(|value| is_date(value));
        found.push(ColumnDoubt {
            name: identifier.name.clone(),
            kind: if is_date { DoubtKind::Date } else { DoubtKind::Text },
            distinct: identifier.values.len(),
            example,
            is_feature: false,
        });
    }
    for (place, column) in data.columns().iter().enumerate().filter(|(_, c)| !is_given(&c.name)) {
        let doubt = match column.values() {
            Some(values) => text_doubt(values, data.rows()).map(|kind| (kind, values.len())),
            None => counts_rows(data, place, column).then(|| (DoubtKind::Id, data.rows())),
        };
        let Some((kind, distinct)) = doubt else { continue };
        let example = match column.values() {
            Some(values) => values[0].clone(),
            None => {
                (0..data.rows()).find_map(|row| number(data, row, place)).unwrap_or(0.0).to_string()
            }
        };
        let name = column.name.clone();
        found.push(ColumnDoubt { name, kind, distinct, example, is_feature: true });
    }
    found
}

/// What a column of these texts probably is, if it is not simply nominal.
fn text_doubt(values: &[String], rows: usize) -> Option<DoubtKind> {
    if !values.is_empty() && values.iter().all(|value| is_date(value)) {
        return Some(DoubtKind::Date);
    }
    let is_text = values.len() > MANY || values.len() > FEW && values.len() * ROWS_PER_VALUE > rows;
    is_text.then_some(DoubtKind::Text)
}

fn number(data: &Dataset, row: usize, column: usize) -> Option<f32> {
    match data.value(row, column) {
        Value::Number(number) => Some(number),
        Value::Missing | Value::Nominal(_) => None,
    }
}

/// Whether a numeric column numbers the rows: integers under the name of an id, or consecutive ones.
fn counts_rows(data: &Dataset, place: usize, column: &Column) -> bool {
    if data.rows() <= 2 {
        return false;
    }
    let is_called = looks_like_id(&column.name);
    let mut previous: Option<f32> = None;
    for row in 0..data.rows() {
        let Some(cell) = number(data, row, place) else { return false };
        if cell.fract() != 0.0 || !is_called && previous.is_some_and(|before| cell != before + 1.0)
        {
            return false;
        }
        previous = Some(cell);
    }
    true
}

/// Whether a text is a date, perhaps with a time: `2024-05-31`, `31.5.2024`, `5/31/24 12:00`.
fn is_date(text: &str) -> bool {
    let day = text.trim().split([' ', 'T']).next().unwrap_or_default();
    let Some(mark) = day.chars().find(|c| ['-', '/', '.'].contains(c)) else { return false };
    let parts: Vec<&str> = day.split(mark).collect();
    let [first, middle, last] = parts[..] else { return false };
    let number = |text: &str| {
        let is_short = (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        is_short.then(|| text.parse::<u32>().ok()).flatten()
    };
    let (Some(a), Some(b), Some(c)) = (number(first), number(middle), number(last)) else {
        return false;
    };
    let is_day = |day: u32, month: u32| (1..=31).contains(&day) && (1..=12).contains(&month);
    match (first.len(), last.len()) {
        (4, 1 | 2) => is_day(c, b),
        (1 | 2, 2 | 4) => is_day(a, b) || is_day(b, a),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_recognised() {
        for text in ["2024-05-31", "31.5.2024", "5/31/24", "2024-05-31T12:00:00Z", "1.1.2020 08:15"]
        {
            assert!(is_date(text), "{text}");
        }
        for text in
            ["", "2024", "1.5", "192.168.0.1", "2024-13-31", "a-b-c", "10-20", "1-2-3", "40.1.2020"]
        {
            assert!(!is_date(text), "{text}");
        }
    }

    #[test]
    fn few_values_are_nominal_and_many_are_text() {
        let values = |count: usize| (0..count).map(|n| format!("v{n}")).collect::<Vec<_>>();
        assert_eq!(text_doubt(&values(50), 60), None);
        assert_eq!(text_doubt(&values(51), 60), Some(DoubtKind::Text));
        assert_eq!(text_doubt(&values(51), 51 * 20), None);
        assert_eq!(text_doubt(&values(1001), 10_000_000), Some(DoubtKind::Text));
        assert_eq!(text_doubt(&["1.1.2020".to_owned()], 1000), Some(DoubtKind::Date));
    }
}
