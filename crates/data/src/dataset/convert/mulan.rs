//! Writes a split as ARFF, and the XML list that says which attributes are labels.

use std::io::{self, Write};
use std::ops::Range;

use rulebound_core::LabelId;

use super::super::arff::quote;
use super::super::error::DatasetError;
use super::super::set::{Dataset, Value};
use super::write_text;
use rulebound_io::output::OutputFile;

pub(super) fn write(
    data: &Dataset,
    rows: Range<usize>,
    output: OutputFile,
) -> Result<(), DatasetError> {
    write_text(output, |file| {
        writeln!(file, "@relation {}\n", quote(data.name()))?;
        for identifier in data.identifiers() {
            writeln!(file, "@attribute {} string", quote(&identifier.name))?;
        }
        for column in data.columns() {
            write!(file, "@attribute {} ", quote(&column.name))?;
            match column.values() {
                None => writeln!(file, "numeric")?,
                Some(values) => {
                    let values: Vec<_> = values.iter().map(|value| quote(value)).collect();
                    writeln!(file, "{{{}}}", values.join(","))?;
                }
            }
        }
        for label in data.classes().names() {
            writeln!(file, "@attribute {} {{0,1}}", quote(label))?;
        }
        writeln!(file, "\n@data")?;
        let mut line = String::new();
        let mut labels = vec![false; data.classes().len()];
        for row in rows {
            line.clear();
            match data.feature_matrix().is_sparse() {
                true => write_sparse_row(data, row, &mut line),
                false => write_row(data, row, &mut labels, &mut line),
            }
            writeln!(file, "{line}")?;
        }
        Ok(())
    })
}

fn write_row(data: &Dataset, row: usize, labels: &mut [bool], line: &mut String) {
    let mut push = |text: &str| {
        if !line.is_empty() {
            line.push(',');
        }
        line.push_str(text);
    };
    for identifier in data.identifiers() {
        match &identifier.values[row] {
            Some(value) => push(&quote(value)),
            None => push("?"),
        }
    }
    for column in 0..data.columns().len() {
        match data.value(row, column) {
            Value::Missing => push("?"),
            Value::Nominal(value) => push(&quote(value)),
            Value::Number(number) => push(ryu::Buffer::new().format_finite(number)),
        }
    }
    data.labels().unpack(row, labels);
    for (class, &has) in labels.iter().enumerate() {
        match data.labels().is_known(row, LabelId::new(class)) {
            true => push(if has { "1" } else { "0" }),
            false => push("?"),
        }
    }
}

/// `{index value, …}`: what is not listed is 0, or the first value of its list.
fn write_sparse_row(data: &Dataset, row: usize, line: &mut String) {
    let mut push = |attribute: usize, text: &str| {
        line.push_str(if line.is_empty() { "{" } else { "," });
        line.push_str(&format!("{attribute} {text}"));
    };
    let identifiers = data.identifiers();
    for (place, identifier) in identifiers.iter().enumerate() {
        push(place, &identifier.values[row].as_deref().map_or("?".into(), quote));
    }
    for (column, _) in data.features(row).stored() {
        let place = identifiers.len() + column;
        match data.value(row, column) {
            Value::Missing => push(place, "?"),
            Value::Nominal(value) => push(place, &quote(value)),
            Value::Number(number) => push(place, ryu::Buffer::new().format_finite(number)),
        }
    }
    let first = identifiers.len() + data.columns().len();
    let labels = data.labels();
    let mut listed: Vec<(LabelId, &str)> =
        labels.positives(row).map(|class| (class, "1")).collect();
    listed.extend(labels.unknown(row).map(|class| (class, "?")));
    listed.sort_unstable();
    listed.iter().for_each(|(class, text)| push(first + class.index(), text));
    line.push_str(if line.is_empty() { "{}" } else { "}" });
}

/// Writes the list of labels.
pub(super) fn write_list(data: &Dataset, file: &mut impl Write) -> io::Result<()> {
    writeln!(file, "<?xml version=\"1.0\" encoding=\"utf-8\"?>")?;
    writeln!(file, "<labels xmlns=\"http://mulan.sourceforge.net/labels\">")?;
    for label in data.classes().names() {
        writeln!(file, "<label name=\"{}\"></label>", quick_xml::escape::escape(label))?;
    }
    writeln!(file, "</labels>")
}
