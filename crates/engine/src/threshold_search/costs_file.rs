//! Cost tables: three columns, `class,false_positive,false_negative`, separated by commas or tabs.
//! The class `*` means all classes that are not listed. There is no default: a class without costs
//! is an error.

use std::path::{Path, PathBuf};

use rulebound_core::LabelId;

use super::objective::ClassCosts;
use crate::class_names::{ClassNames, NameMeaning, RepeatedClass, UnknownClass};
use crate::class_records::{ClassRecord, ClassRecords};
use crate::input::{InputError, read_text};

/// Why costs could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum CostFileError {
    /// The file cannot be opened, read, decompressed or decoded.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Lines of the file are not valid.
    #[error("{}: {} invalid lines", path.display(), problems.len())]
    Lines {
        path: PathBuf,
        /// All of them, with their line numbers from 1.
        problems: Vec<(usize, CostProblem)>,
    },
    /// Classes have no costs.
    #[error("{}: {} classes have no costs", path.display(), classes.len())]
    Missing { path: PathBuf, classes: Vec<String> },
}

/// What is wrong with a line of costs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CostProblem {
    /// Not three columns.
    #[error("expected three columns, class, false_positive and false_negative, found {0}")]
    Columns(usize),
    /// A quotation mark is not closed on its line.
    #[error("unclosed quotation mark")]
    OpenQuote,
    /// No such class.
    #[error(transparent)]
    UnknownClass(#[from] UnknownClass),
    /// The class already has costs.
    #[error(transparent)]
    Duplicate(#[from] RepeatedClass),
    /// Not a number of at least 0.
    #[error("{0:?} is not a cost: a number of at least 0")]
    NotACost(String),
}

/// Reads the costs of all classes.
///
/// # Errors
/// If the file cannot be read, or with all invalid lines, or with all classes that have no costs.
pub fn read_costs(path: &Path, classes: &ClassNames<'_>) -> Result<Vec<ClassCosts>, CostFileError> {
    let text = read_text(path)?;
    let labels = classes.labels();
    let mut values: Vec<Option<(ClassCosts, usize, String)>> = vec![None; labels.len()];
    let mut other: Option<(ClassCosts, usize, String)> = None;
    let mut problems = Vec::new();
    for (index, record) in ClassRecords::new(&text, labels).enumerate() {
        let (line, suggest) = (record.line, problems.len() < SUGGESTIONS);
        match read_line(record, index == 0, classes, suggest) {
            Ok(None) => {}
            Ok(Some((name, class, costs))) => {
                let place = class.map_or(&mut other, |class| &mut values[class.index()]);
                match place {
                    Some((_, first, before)) => {
                        let (first, before, what) = (*first, before.clone(), "costs");
                        let repeated = RepeatedClass { name, before, first, what };
                        problems.push((line, repeated.into()));
                    }
                    None => *place = Some((costs, line, name)),
                }
            }
            Err(problem) => problems.push((line, problem)),
        }
    }
    let path = path.to_path_buf();
    if !problems.is_empty() {
        return Err(CostFileError::Lines { path, problems });
    }
    let other = other.map(|(costs, ..)| costs);
    let costs = |own: &Option<(ClassCosts, usize, String)>| own.as_ref().map(|own| own.0).or(other);
    let missing = labels.names().zip(&values).filter(|(_, own)| costs(own).is_none());
    let classes: Vec<String> = missing.map(|(name, _)| name.to_owned()).collect();
    if !classes.is_empty() {
        return Err(CostFileError::Missing { path, classes });
    }
    Ok(values.iter().filter_map(costs).collect())
}

/// The most mistakes that come with the nearest name: finding it looks at every class.
const SUGGESTIONS: usize = 20;

type Line = (String, Option<LabelId>, ClassCosts);

/// One line; `None` for the header, and for a name that means something else. A class of `None` is `*`.
fn read_line(
    record: ClassRecord,
    is_first: bool,
    classes: &ClassNames<'_>,
    suggest: bool,
) -> Result<Option<Line>, CostProblem> {
    let fields = record.fields.ok_or(CostProblem::OpenQuote)?;
    let [name, positive, negative] = fields.as_slice() else {
        return Err(CostProblem::Columns(fields.len()));
    };
    let is_header = |wanted: &str, found: &str| found.trim().eq_ignore_ascii_case(wanted);
    if is_first && is_header("class", name) && is_header("false_positive", positive) {
        return Ok(None);
    }
    let class = match classes.meaning(name, suggest)? {
        NameMeaning::Class(class) => Some(class),
        NameMeaning::AllOthers => None,
        NameMeaning::Elsewhere => return Ok(None),
    };
    let cost = |text: &String| {
        let value = text.trim().parse().ok().filter(|cost: &f64| cost.is_finite() && *cost >= 0.0);
        value.ok_or_else(|| CostProblem::NotACost(text.trim().to_owned()))
    };
    let costs = ClassCosts { false_positive: cost(positive)?, false_negative: cost(negative)? };
    Ok(Some((name.trim().to_owned(), class, costs)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rulebound_core::Labels;

    fn read(text: &str) -> Result<Vec<(f64, f64)>, CostFileError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let labels = Labels::new(["a", "b", "c"]).unwrap();
        let costs = read_costs(file.path(), &ClassNames::new(&labels))?;
        Ok(costs.into_iter().map(|costs| (costs.false_positive, costs.false_negative)).collect())
    }

    #[test]
    fn listed_classes_and_all_others() {
        let text = "class,false_positive,false_negative\nb,1,10\n*,1,1\n";
        assert_eq!(read(text).unwrap(), [(1.0, 1.0), (1.0, 10.0), (1.0, 1.0)]);
    }

    #[test]
    fn all_mistakes_are_reported() {
        let Err(CostFileError::Lines { problems, .. }) =
            read("a,1,1\na,1,1\nd,1,1\nb,-1,1\nb,1\nb,1,much\n\"c,1,1\n*,1,1\n")
        else {
            panic!("accepted")
        };
        let lines: Vec<usize> = problems.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [2, 3, 4, 5, 6, 7]);
        match read("a,1,1\n") {
            Err(CostFileError::Missing { classes, .. }) => assert_eq!(classes, ["b", "c"]),
            other => panic!("{other:?}"),
        }
    }
}
