//! Threshold files: two columns, `class,threshold`, separated by commas or tabs (a name may be quoted). The class `*`
//! means all classes that are not listed. There is no default: a class without a threshold is an
//! error.

use std::path::{Path, PathBuf};

use rulebound_core::{BadThreshold, LabelId, Labels, Thresholds};

use crate::class_names::{ClassNames, NameMeaning, RepeatedClass, UnknownClass};
use crate::class_records::{ClassRecord, ClassRecords};
use crate::input::{InputError, read_text};
use crate::output::{Existing, OutputFile};
use crate::table::{Format, TableError, TextFile};

/// The most mistakes that come with the nearest name: finding it looks at every class.
const SUGGESTIONS: usize = 20;

/// Why thresholds could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThresholdFileError {
    /// The file cannot be opened, read, decompressed or decoded.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Lines of the file are not valid.
    #[error("{}: {} invalid lines", path.display(), problems.len())]
    Lines {
        path: PathBuf,
        /// All of them, with their line numbers from 1.
        problems: Vec<(usize, ThresholdProblem)>,
    },
    /// Classes have no threshold.
    #[error("{}: {} classes have no threshold", path.display(), classes.len())]
    Missing { path: PathBuf, classes: Vec<String> },
}

/// What is wrong with a line of thresholds.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ThresholdProblem {
    /// Not two columns.
    #[error("expected two columns, class and threshold, found {0}")]
    Columns(usize),
    /// A quotation mark is not closed on its line.
    #[error("unclosed quotation mark")]
    OpenQuote,
    /// No such class.
    #[error(transparent)]
    UnknownClass(#[from] UnknownClass),
    /// The class already has a threshold.
    #[error(transparent)]
    Duplicate(#[from] RepeatedClass),
    /// Not a number.
    #[error("{0:?} is not a number")]
    NotANumber(String),
    /// Not strictly between 0 and 1.
    #[error(transparent)]
    OutOfRange(#[from] BadThreshold),
}

/// Reads the thresholds of all classes.
///
/// ```
/// use rulebound::class_names::ClassNames;
/// use rulebound::core::Labels;
/// use rulebound::threshold_file::read_thresholds;
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
) -> Result<Thresholds, ThresholdFileError> {
    let text = read_text(path)?;
    let labels = classes.labels();
    let mut values: Vec<Option<(f64, usize, String)>> = vec![None; labels.len()];
    let mut other: Option<(f64, usize, String)> = None;
    let mut problems = Vec::new();
    for (index, record) in ClassRecords::new(&text, labels).enumerate() {
        let (line, suggest) = (record.line, problems.len() < SUGGESTIONS);
        match read_line(record, index == 0, classes, suggest) {
            Ok(None) => {}
            Ok(Some((name, class, value))) => {
                let place = class.map_or(&mut other, |class| &mut values[class.index()]);
                match place {
                    Some((_, first, before)) => {
                        let (first, before, what) = (*first, before.clone(), "a threshold");
                        let repeated = RepeatedClass { name, before, first, what };
                        problems.push((line, repeated.into()));
                    }
                    None => *place = Some((value, line, name)),
                }
            }
            Err(problem) => problems.push((line, problem)),
        }
    }
    if !problems.is_empty() {
        return Err(ThresholdFileError::Lines { path: path.to_path_buf(), problems });
    }
    let other = other.map(|(value, ..)| value);
    let value = |own: &Option<(f64, usize, String)>| own.as_ref().map(|own| own.0).or(other);
    let missing = labels.names().zip(&values).filter(|(_, own)| value(own).is_none());
    let classes: Vec<String> = missing.map(|(name, _)| name.to_owned()).collect();
    if !classes.is_empty() {
        return Err(ThresholdFileError::Missing { path: path.to_path_buf(), classes });
    }
    let all = values.iter().filter_map(value).collect();
    Thresholds::new(all).map_err(|bad| ThresholdFileError::Lines {
        path: path.to_path_buf(),
        problems: vec![(0, bad.into())],
    })
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

type Line = (String, Option<LabelId>, f64);

/// One line; `None` for the header, and for a name that means something else. A class of `None` is `*`.
fn read_line(
    record: ClassRecord,
    header: bool,
    classes: &ClassNames<'_>,
    suggest: bool,
) -> Result<Option<Line>, ThresholdProblem> {
    let fields = record.fields.ok_or(ThresholdProblem::OpenQuote)?;
    let [name, number] = fields.as_slice() else {
        return Err(ThresholdProblem::Columns(fields.len()));
    };
    let number = number.trim();
    let is_header = |name: &str| {
        name.trim().eq_ignore_ascii_case("class") && number.eq_ignore_ascii_case("threshold")
    };
    if header && is_header(name) {
        return Ok(None);
    }
    let class = match classes.meaning(name, suggest)? {
        NameMeaning::Class(class) => Some(class),
        NameMeaning::AllOthers => None,
        NameMeaning::Elsewhere => return Ok(None),
    };
    let value: f64 = number.parse().map_err(|_| ThresholdProblem::NotANumber(number.to_owned()))?;
    Thresholds::uniform(0, value)?;
    Ok(Some((name.trim().to_owned(), class, value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<f64>, ThresholdFileError> {
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
    fn all_invalid_lines_are_reported() {
        let Err(ThresholdFileError::Lines { problems, .. }) =
            read("\u{feff}a,0.5\na,0.6\nx,0.5\nd,1\nd,half\nd\n*,0.5\n\"b, c,1\n")
        else {
            panic!("accepted")
        };
        let lines: Vec<usize> = problems.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [2, 3, 4, 5, 6, 8]);
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

    #[test]
    fn a_class_without_a_threshold_is_an_error() {
        match read("a,0.5\n") {
            Err(ThresholdFileError::Missing { classes, .. }) => assert_eq!(classes, ["b, c", "d"]),
            other => panic!("{other:?}"),
        }
    }
}
