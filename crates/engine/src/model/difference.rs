//! In what two models differ, apart from what they have learned.

use std::fmt;

use rulebound_core::LabelId;
use serde_json::{Map, Value};

use super::Model;
use crate::configuration::Stopping;
use crate::dataset::FittedColumn;

/// Something in which two models differ that must be the same, or something that cannot be merged at all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelDifference {
    /// What it is: `rule 3`, `threshold of cat`.
    pub what: String,
    /// The first file and what it has.
    pub first: (String, String),
    /// The other file and what it has.
    pub other: (String, String),
}

impl fmt::Display for ModelDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, first, other } = self;
        write!(f, "{what}: {} in {}, but {} in {}", first.1, first.0, other.1, other.0)
    }
}

/// What two models differ in, collected.
pub(super) struct Differences<'a> {
    first: &'a str,
    other: &'a str,
    found: Vec<ModelDifference>,
}

impl<'a> Differences<'a> {
    /// Everything in which two models with these names differ, apart from their members and their seeds.
    pub fn between(first: (&'a str, &Model), other: (&'a str, &Model)) -> Vec<ModelDifference> {
        let mut differences = Self { first: first.0, other: other.0, found: Vec::new() };
        let (a, b) = (first.1, other.1);
        let same_classes = differences.classes(a, b);
        differences.rules(a, b);
        if same_classes {
            differences.flags("evaluated", a, a.evaluated(), b.evaluated());
            if let (Some(one), Some(other)) = (a.seen(), b.seen()) {
                differences.flags("seen in training", a, one, other);
            }
            differences.thresholds(a, b);
        }
        let calibrated = |model: &Model| match model.calibration() {
            None => "none".to_owned(),
            Some(one) => {
                let (method, rows) = (one.method(), one.rows());
                format!("{method} of {rows} rows, temperature {}", one.temperature())
            }
        };
        if a.calibration() != b.calibration() {
            differences.add("calibration", calibrated(a), calibrated(b));
        }
        differences.columns(a, b);
        differences.configuration(a, b);
        let rows = |model: &Model| model.training().rows;
        differences.check("training rows", rows(a), rows(b));
        differences.found
    }

    fn add(&mut self, what: impl Into<String>, first: String, other: String) {
        let (first, other) = ((self.first.to_owned(), first), (self.other.to_owned(), other));
        self.found.push(ModelDifference { what: what.into(), first, other });
    }

    fn check<T: PartialEq + fmt::Display>(&mut self, what: &str, first: T, other: T) -> bool {
        let same = first == other;
        if !same {
            self.add(what, first.to_string(), other.to_string());
        }
        same
    }

    fn classes(&mut self, a: &Model, b: &Model) -> bool {
        let mut same = self.check("number of classes", a.labels().len(), b.labels().len());
        for (class, (one, other)) in a.labels().names().zip(b.labels().names()).enumerate() {
            if one != other {
                self.add(format!("class {}", class + 1), quoted(one), quoted(other));
                same = false;
                break;
            }
        }
        same
    }

    fn rules(&mut self, a: &Model, b: &Model) {
        let (a, b) = (a.program().to_text(), b.program().to_text());
        self.check("number of rules", a.lines().count(), b.lines().count());
        let mut pairs = a.lines().zip(b.lines()).enumerate();
        if let Some((at, (one, other))) = pairs.find(|(_, (one, other))| one != other) {
            self.add(format!("rule {}", at + 1), quoted(one), quoted(other));
        }
    }

    /// One value per class that is the same for both, or the first class where it is not.
    fn flags(&mut self, what: &str, model: &Model, a: &[bool], b: &[bool]) {
        if let Some(class) = a.iter().zip(b).position(|(one, other)| one != other) {
            let name = model.labels().name(LabelId::new(class));
            let said = |is: bool| if is { "yes" } else { "no" }.to_owned();
            self.add(format!("whether `{name}` is {what}"), said(a[class]), said(b[class]));
        }
    }

    fn thresholds(&mut self, a: &Model, b: &Model) {
        let value = |model: &Model, id| model.thresholds().value(id);
        let differs = |id: &LabelId| value(a, *id) != value(b, *id);
        let mut ids = a.labels().ids().filter(differs);
        if let Some(id) = ids.next() {
            let more = match ids.count() {
                0 => String::new(),
                more => format!(" (and of {more} more classes)"),
            };
            let what = format!("threshold of `{}`{more}", a.labels().name(id));
            self.add(what, value(a, id).to_string(), value(b, id).to_string());
        }
    }

    fn columns(&mut self, a: &Model, b: &Model) {
        let (a, b) = (a.pipeline().columns(), b.pipeline().columns());
        self.check("number of feature columns", a.len(), b.len());
        let mut pairs = a.iter().zip(b).enumerate();
        let Some((at, (one, other))) = pairs.find(|(_, (one, other))| one != other) else {
            return;
        };
        if one.name() != other.name() {
            let what = format!("feature column {}", at + 1);
            self.add(what, quoted(one.name()), quoted(other.name()));
        } else if encoding(one) != encoding(other) {
            let what = format!("encoding of feature `{}`", one.name());
            self.add(what, encoding(one), encoding(other));
        } else {
            let what = format!("scale of feature `{}`, so the rows it was fitted on", one.name());
            self.add(what, scale(one), scale(other));
        }
    }

    fn configuration(&mut self, a: &Model, b: &Model) {
        let (a, b) = (a.configuration(), b.configuration());
        let is_each = |stopping: &Stopping| matches!(stopping, Stopping::EpochsOfEach(_));
        let both_each = is_each(&a.stopping) && is_each(&b.stopping);
        let fields = |of| match serde_json::to_value(of) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        let (one, other) = (fields(a), fields(b));
        let mut names: Vec<&String> = one.keys().chain(other.keys()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let is_own = ["seed", "members"].contains(&name.as_str());
            if is_own || (name == "stopping" && both_each) {
                continue;
            }
            let said =
                |of: &Map<String, Value>| of.get(name).map_or("unset".into(), Value::to_string);
            if one.get(name) != other.get(name) {
                self.add(format!("setting `{name}`"), said(&one), said(&other));
            }
        }
    }
}

fn quoted(name: &str) -> String {
    format!("`{name}`")
}

fn encoding(column: &FittedColumn) -> String {
    let of = |values: &[String]| format!("one of {}", values.join(", "));
    match column {
        FittedColumn::Number { .. } => "a number".to_owned(),
        FittedColumn::OneHot { values, .. } => of(values),
        FittedColumn::Untouched { values: Some(values), .. } => format!("as it is, {}", of(values)),
        FittedColumn::Untouched { values: None, .. } => "as it is".to_owned(),
    }
}

fn scale(column: &FittedColumn) -> String {
    let text =
        |value: serde_json::Result<Value>| value.map_or_else(|_| String::new(), |v| v.to_string());
    match column {
        FittedColumn::Number { scale, .. } => text(serde_json::to_value(scale)),
        FittedColumn::OneHot { scales, .. } => text(serde_json::to_value(scales)),
        FittedColumn::Untouched { .. } => String::new(),
    }
}
