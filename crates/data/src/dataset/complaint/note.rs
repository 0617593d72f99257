//! What a reader noticed in a file and the user should know.

use std::path::PathBuf;

use rulebound_io::input::DisplayPath;

/// Something about a file that is not a mistake.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum ReadNote {
    /// The fields of a `.csv` file are not separated by commas.
    Delimiter { path: PathBuf, delimiter: char },
    /// A table of labels and the data do not have the same ids.
    LabelTable {
        path: PathBuf,
        /// Its ids that the data does not have.
        unknown: usize,
        /// Rows of the data that it has no label for.
        without: usize,
    },
    /// Classes that are not terms of the ontology.
    UnknownTerms {
        path: PathBuf,
        /// The classes, with what the ontology knows about them.
        classes: Vec<String>,
        of: usize,
    },
    /// Labels that are not classes of the model, of which nobody knows what they imply.
    NotOfTheModel {
        classes: Vec<String>,
        /// Whether what they imply would count if it were known.
        is_completed: bool,
    },
    /// Rows without any label are left out.
    Unlabelled { rows: usize },
    /// Numbers are written with decimal commas.
    DecimalComma {
        path: PathBuf,
        /// The columns that have such numbers.
        columns: Vec<String>,
    },
}

impl std::fmt::Display for ReadNote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Delimiter { path, delimiter } => {
                let path = DisplayPath::input(path);
                match delimiter {
                    '\t' => write!(f, "{path} is separated by tabs and is read so"),
                    other => write!(f, "{path} is separated by `{other}` and is read so"),
                }
            }
            Self::LabelTable { path, unknown, without } => {
                let path = DisplayPath::input(path);
                write!(
                    f,
                    "{path}: {unknown} ids are not in the data; {without} rows of the data have no label"
                )
            }
            Self::UnknownTerms { path, classes, of } => write!(
                f,
                "{} of {of} classes are not terms of {} and have no rules: {}",
                classes.len(),
                DisplayPath::input(path),
                named(classes)
            ),
            Self::NotOfTheModel { classes, is_completed } => write!(
                f,
                "labels of {} that the model does not have are left out: {}{}",
                if classes.len() == 1 {
                    "1 class".to_owned()
                } else {
                    format!("{} classes", classes.len())
                },
                named(classes),
                if *is_completed {
                    "; with --rules FILE they count for what they imply"
                } else {
                    ""
                }
            ),
            Self::Unlabelled { rows } => {
                write!(f, "{rows} rows have no label and are left out")
            }
            Self::DecimalComma { path, columns } => {
                let path = DisplayPath::input(path);
                let (shown, more) = columns.split_at(columns.len().min(8));
                write!(
                    f,
                    "{path}: decimal commas are read as decimal points in `{}`",
                    shown.join("`, `")
                )?;
                if more.is_empty() { Ok(()) } else { write!(f, " and {} more columns", more.len()) }
            }
        }
    }
}

/// The most names in one note.
const NAMED: usize = 20;

fn named(names: &[String]) -> String {
    let shown = format!("`{}`", names[..names.len().min(NAMED)].join("`, `"));
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
