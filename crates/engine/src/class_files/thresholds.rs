//! Threshold files: two columns, `class,threshold`.

use std::path::Path;

use rulebound_core::{Labels, Thresholds};

use super::{ClassFileError, ClassNumbers, ClassTable};
use crate::class_names::ClassNames;
use crate::output::{Existing, OutputFile};
use crate::table::{Format, TableError, TextFile};

const TABLE: ClassTable<1> = ClassTable {
    numbers: &ClassNumbers {
        columns: &["threshold"],
        noun: "threshold",
        what: "a threshold",
        expected: "a threshold: a number strictly between 0 and 1",
        others: "*,0.5",
        code: "threshold",
        missing_code: "no-threshold",
    },
    fits: |number| number > 0.0 && number < 1.0,
};

/// Reads the thresholds of all classes.
///
/// ```
/// use rulebound::class_names::ClassNames;
/// use rulebound::core::Labels;
/// use rulebound::class_files::read_thresholds;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("thresholds.csv");
/// std::fs::write(&path, "class,threshold\ncat,0.3\n*,0.5\n")?;
/// let labels = Labels::new(["cat", "animal"])?;
/// let thresholds = read_thresholds(&path, &ClassNames::new(&labels))?;
/// assert_eq!(labels.ids().map(|id| thresholds.value(id)).collect::<Vec<_>>(), [0.3, 0.5]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If the file cannot be read, or with all invalid lines, or with all classes that have no
/// threshold.
pub fn read_thresholds(
    path: &Path,
    classes: &ClassNames<'_>,
) -> Result<Thresholds, ClassFileError> {
    let values = TABLE.read(path, classes)?.into_iter().map(|[value]| value).collect();
    match Thresholds::new(values) {
        Ok(thresholds) => Ok(thresholds),
        Err(error) => unreachable!("each was checked: {error}"),
    }
}

/// Writes a threshold file, `.csv` or `.tsv`; it reads back as the same thresholds.
///
/// # Errors
/// If the name has another ending, or the file cannot be written.
pub fn write_thresholds(
    path: &Path,
    labels: &Labels,
    thresholds: &Thresholds,
) -> Result<(), TableError> {
    write_thresholds_as(path, labels, thresholds, Existing::Replace)
}

/// As [`write_thresholds`], with a choice of what becomes of an existing file.
///
/// # Errors
/// As [`write_thresholds`], and if the file exists and is kept.
pub fn write_thresholds_as(
    path: &Path,
    labels: &Labels,
    thresholds: &Thresholds,
    existing: Existing,
) -> Result<(), TableError> {
    let delimiter = Format::text_delimiter(path)?;
    let mut file = TextFile::new(OutputFile::create_as(path, existing)?, delimiter, false);
    file.row(["class", "threshold"])?;
    for (label, name) in labels.ids().zip(labels.names()) {
        file.row([name, &thresholds.value(label).to_string()])?;
    }
    Ok(file.finish()?.publish()?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<f64>, ClassFileError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let labels = Labels::new(["a", "b, c", "d"]).unwrap();
        let thresholds = read_thresholds(file.path(), &ClassNames::new(&labels))?;
        Ok(labels.ids().map(|label| thresholds.value(label)).collect())
    }

    #[test]
    fn listed_classes_and_all_others() {
        assert_eq!(read("class,threshold\n\"b, c\",0.3\n*,0.6\n").unwrap(), [0.6, 0.3, 0.6]);
        assert_eq!(read("a\t0.1\nb, c\t0.2\n\nd\t0.3").unwrap(), [0.1, 0.2, 0.3]);
    }

    #[test]
    fn what_is_written_is_read_back_whatever_the_names() {
        let names = ["a\tb", "two\nlines", "a\r\nb", "b, c", "\"", " space ", "*", "class", "1"];
        let labels = Labels::new(names).unwrap();
        let values: Vec<f64> = (1..=names.len()).map(|place| place as f64 / 16.0).collect();
        let thresholds = Thresholds::new(values.clone()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        for name in ["t.csv", "t.tsv"] {
            let path = folder.path().join(name);
            write_thresholds(&path, &labels, &thresholds).unwrap();
            let back = read_thresholds(&path, &ClassNames::new(&labels)).unwrap();
            assert!(labels.ids().map(|label| back.value(label)).eq(values.iter().copied()));
        }
    }
}
