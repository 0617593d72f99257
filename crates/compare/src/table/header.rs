//! The layout of a table of results, from the names of its columns.

use super::error::{Mistakes, Problem};
use super::lines::Fields;
use crate::metric_name::MetricName;

/// One value as it appears in a file.
pub(super) struct Row {
    pub metric: Option<String>,
    pub set: String,
    pub method: String,
    pub value: Option<f64>,
}

/// Which column holds what.
pub(super) struct Layout {
    names: Vec<String>,
    set: usize,
    metric: Option<usize>,
    /// The column of methods, if every row belongs to one method.
    method: Option<usize>,
    /// The columns of values; each belongs to a method, to a metric, or to what the row says.
    values: Vec<usize>,
    /// Whether the columns of values are named after their metrics.
    named_after_metrics: bool,
}

impl Layout {
    /// The layout given by a header; `None`, with mistakes added, if the header is wrong.
    pub fn new(
        line: u64,
        fields: &Fields<'_>,
        wanted: Option<&MetricName>,
        mistakes: &mut Mistakes,
    ) -> Option<Self> {
        let names = match fields {
            Ok(names) => names.clone(),
            Err(text) => {
                mistakes.push(line, 1, text, Problem::OpenQuote);
                return None;
            }
        };
        for (at, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            if let Some(first) = names[..at].iter().position(|other| other == name) {
                let problem = Problem::SameName { first: first + 1 };
                mistakes.push(line, at + 1, name, problem);
            }
        }
        let find = |known: &[&str]| {
            let is = |name: &String| known.iter().any(|known| name.eq_ignore_ascii_case(known));
            names.iter().position(is)
        };
        let set = find(&["set", "dataset"]);
        let (metric, seed) = (find(&["metric"]), find(&["seed"]));
        let whole = names.join(",");
        let mut wrong = |problem| mistakes.push(line, 1, &whole, problem);
        let layout = match find(&["method", "model"]) {
            Some(method) => {
                let set = set.or_else(|| {
                    wrong(Problem::NoColumn { column: "set" });
                    None
                });
                let (values, named_after_metrics) = match (find(&["value"]), metric) {
                    (Some(value), _) => (vec![value], false),
                    (None, Some(_)) => {
                        wrong(Problem::NoColumn { column: "value" });
                        (vec![], false)
                    }
                    (None, None) => (metric_columns(&names, wanted, wrong), true),
                };
                Self {
                    set: set.unwrap_or(0),
                    metric,
                    method: Some(method),
                    values,
                    named_after_metrics,
                    names,
                }
            }
            None => {
                let set = set.unwrap_or(0);
                let other = |at: &usize| *at != set && Some(*at) != metric && Some(*at) != seed;
                let values: Vec<usize> = (0..names.len()).filter(other).collect();
                if values.is_empty() {
                    wrong(Problem::NoMethods);
                }
                for &at in values.iter().filter(|at| names[**at].is_empty()) {
                    mistakes.push(line, at + 1, "", Problem::NoMethodName);
                }
                Self { set, metric, method: None, values, named_after_metrics: false, names }
            }
        };
        mistakes.is_empty().then_some(layout)
    }

    /// The values of a line.
    pub fn read(
        &self,
        line: u64,
        fields: &Fields<'_>,
        rows: &mut Vec<Row>,
        mistakes: &mut Mistakes,
    ) {
        let fields = match fields {
            Ok(fields) if fields.len() == self.names.len() => fields,
            Ok(fields) => {
                let (expected, found) = (self.names.len(), fields.len());
                let at = found.min(expected + 1);
                let text = fields.get(at.saturating_sub(1)).map_or("", String::as_str);
                let problem = Problem::FieldCount { expected, found };
                return mistakes.push(line, at, text, problem);
            }
            Err(text) => return mistakes.push(line, 1, text, Problem::OpenQuote),
        };
        for at in [Some(self.set), self.method, self.metric].into_iter().flatten() {
            if fields[at].is_empty() {
                let problem = Problem::NoName { column: self.names[at].clone() };
                mistakes.push(line, at + 1, "", problem);
            }
        }
        for &at in &self.values {
            match value(&fields[at], &self.names[at]) {
                Ok(value) => rows.push(Row {
                    metric: match self.metric {
                        Some(metric) => Some(fields[metric].clone()),
                        None => self.named_after_metrics.then(|| self.names[at].clone()),
                    },
                    set: fields[self.set].clone(),
                    // A column of values is named after its method.
                    method: self.method.map_or(&self.names[at], |method| &fields[method]).clone(),
                    value,
                }),
                Err(problem) => mistakes.push(line, at + 1, &fields[at], problem),
            }
        }
    }
}

/// The column of the requested metric, or all that are named after one of ours.
fn metric_columns(
    names: &[String],
    wanted: Option<&MetricName>,
    mut wrong: impl FnMut(Problem),
) -> Vec<usize> {
    let columns = |is: &dyn Fn(&MetricName) -> bool| -> Vec<usize> {
        let of = |at: &usize| is(&MetricName::new(&names[*at]));
        (0..names.len()).filter(of).collect()
    };
    let found = match wanted {
        Some(wanted) => columns(&|metric| metric == wanted),
        None => columns(&|metric| metric.direction().is_some()),
    };
    if found.is_empty() {
        wrong(match wanted {
            Some(wanted) => Problem::NoMetricColumn { metric: wanted.name().to_owned() },
            None => Problem::NoValueColumn,
        });
    }
    found
}

fn value(text: &str, column: &str) -> Result<Option<f64>, Problem> {
    if text.is_empty() || text == "-" || text.eq_ignore_ascii_case("na") {
        return Ok(None);
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Some(value)),
        Ok(_) => Err(Problem::NotFinite { column: column.to_owned() }),
        Err(_) => Err(Problem::NotANumber { column: column.to_owned() }),
    }
}
