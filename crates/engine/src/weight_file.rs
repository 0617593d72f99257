//! Files of class weights: two columns, `class,weight`, separated by commas or tabs. The class `*`
//! means all classes that are not listed; there is no default.

use std::path::{Path, PathBuf};

use crate::class_names::{ClassNames, NameMeaning, RepeatedClass, UnknownClass};
use crate::class_records::ClassRecords;
use crate::input::{InputError, read_text};

/// Why class weights could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WeightFileError {
    /// The file cannot be opened, read, decompressed or decoded.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A line is not a known class and a weight of at least 0.
    #[error("{}:{line}: {text:?} is not a class and its weight, a number of at least 0", path.display())]
    Line {
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        text: String,
    },
    /// A name is none of the classes.
    #[error("{}:{line}: {source}", path.display())]
    UnknownClass {
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The name, with what is known about it.
        source: UnknownClass,
    },
    /// A class has two weights.
    #[error("{}:{line}: {source}", path.display())]
    Duplicate {
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The class, with both of its names.
        source: RepeatedClass,
    },
    /// A class has no weight.
    #[error("{}: no weight for `{class}`", path.display())]
    Missing { path: PathBuf, class: String },
}

/// Reads the weights of all classes.
///
/// # Errors
/// If the file cannot be read, a line is not valid, or a class has no weight or two.
pub fn read_class_weights(
    path: &Path,
    classes: &ClassNames<'_>,
) -> Result<Vec<f64>, WeightFileError> {
    let text = read_text(path)?;
    let path = path.to_path_buf();
    let labels = classes.labels();
    let mut weights: Vec<Option<(f64, usize, String)>> = vec![None; labels.len()];
    let mut others: Option<(f64, usize, String)> = None;
    for (index, record) in ClassRecords::new(&text, labels).enumerate() {
        let (line, fields) = (record.line, record.fields.unwrap_or_default());
        let wrong = || {
            let text = record.text.trim_end().to_owned();
            WeightFileError::Line { path: path.clone(), line, text }
        };
        let [name, weight] = fields.as_slice() else { return Err(wrong()) };
        let (class, weight) = (name.trim(), weight.trim());
        if index == 0 && class.eq_ignore_ascii_case("class") && weight.parse::<f64>().is_err() {
            continue;
        }
        let weight: f64 = weight.parse().map_err(|_| wrong())?;
        let slot = match classes.meaning(name, true) {
            Ok(NameMeaning::Class(label)) => &mut weights[label.index()],
            Ok(NameMeaning::AllOthers) => &mut others,
            Ok(NameMeaning::Elsewhere) => continue,
            Err(source) => return Err(WeightFileError::UnknownClass { path, line, source }),
        };
        if !(weight >= 0.0 && weight.is_finite()) {
            return Err(wrong());
        }
        let name = class.to_owned();
        if let Some((_, first, before)) = slot.take() {
            let source = RepeatedClass { name, before, first, what: "a weight" };
            return Err(WeightFileError::Duplicate { path, line, source });
        }
        *slot = Some((weight, line, name));
    }
    let others = others.map(|(weight, ..)| weight);
    let named = labels.names().zip(weights);
    let weight = |(class, own): (&str, Option<(f64, usize, String)>)| {
        let class = class.to_owned();
        let weight = own.map(|own| own.0).or(others);
        weight.ok_or_else(|| WeightFileError::Missing { path: path.clone(), class })
    };
    named.map(weight).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rulebound_core::Labels;

    #[test]
    fn every_class_has_one_weight() {
        let labels = Labels::new(["a", "b", "c"]).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        let read = |text: &str| {
            std::fs::write(file.path(), text).unwrap();
            read_class_weights(file.path(), &ClassNames::new(&labels))
        };
        assert_eq!(read("class,weight\nb,3\n*,0.5\n").unwrap(), [0.5, 3.0, 0.5]);
        for (text, part) in [
            ("a,1\n", "no weight for `b`"),
            ("a,1\na,2\n*,1\n", ":2: \"a\" already has a weight, on line 1"),
            ("a,-1\n*,1\n", ":1:"),
            ("d,1\n*,1\n", ":1:"),
            ("a,many\n*,1\n", ":1:"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
