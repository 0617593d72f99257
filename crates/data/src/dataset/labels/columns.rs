//! Which columns of a table are labels.

use std::collections::HashSet;
use std::convert::Infallible;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::dataset::error::DatasetError;

/// Which columns of a table are labels.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LabelColumns {
    /// The columns with these names.
    Named(Vec<String>),
    /// The columns whose names start with this prefix.
    Prefix(String),
    /// The last columns of the table, this many.
    Last(usize),
    /// One column with the names of an example's labels, separated by `|`.
    Joined(String),
    /// None: the table has features only.
    None,
}

/// How label columns are written: `a,b,c`, a prefix `label_*`, or how many at the end.
impl FromStr for LabelColumns {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(count) = text.parse() {
            return Ok(Self::Last(count));
        }
        Ok(match text.strip_suffix('*') {
            Some(prefix) => Self::Prefix(prefix.to_owned()),
            None => Self::Named(text.split(',').map(|name| name.trim().to_owned()).collect()),
        })
    }
}

impl fmt::Display for LabelColumns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(names) => write!(f, "`{}`", names.join("`, `")),
            Self::Prefix(prefix) => write!(f, "that starts with `{prefix}`"),
            Self::Last(count) => write!(f, "among the last {count}"),
            Self::Joined(name) => write!(f, "`{name}`"),
            Self::None => f.write_str("at all"),
        }
    }
}

/// The most names in one message.
const NAMED: usize = 20;

impl LabelColumns {
    /// The positions of the label columns among `names`, in table order.
    pub(in crate::dataset) fn places(
        &self,
        names: &[String],
        path: &Path,
    ) -> Result<Vec<usize>, DatasetError> {
        let absent =
            |wanted: String| Err(DatasetError::NoLabelColumn { path: path.to_path_buf(), wanted });
        let matching = |matches: &dyn Fn(&str) -> bool| -> Vec<usize> {
            (0..names.len()).filter(|&place| matches(&names[place])).collect()
        };
        let found = match self {
            Self::None => return Ok(Vec::new()),
            Self::Last(count) if *count > names.len() => {
                return Err(DatasetError::TooFewColumns {
                    path: path.to_path_buf(),
                    wanted: *count,
                    columns: names.len(),
                });
            }
            Self::Last(count) => return Ok((names.len() - count..names.len()).collect()),
            Self::Prefix(prefix) => matching(&|name| name.starts_with(prefix.as_str())),
            Self::Joined(joined) => matching(&|name| name == joined),
            Self::Named(wanted) => {
                let known: HashSet<&str> = names.iter().map(String::as_str).collect();
                let missing = wanted.iter().filter(|name| !known.contains(name.as_str()));
                let missing: Vec<_> = missing.collect();
                if !missing.is_empty() {
                    let shown = missing.iter().take(NAMED).map(|name| format!("`{name}`"));
                    let shown = shown.collect::<Vec<_>>().join(", ");
                    return absent(match missing.len().saturating_sub(NAMED) {
                        0 => shown,
                        more => format!("{shown} and {more} more"),
                    });
                }
                let wanted: HashSet<&str> = wanted.iter().map(String::as_str).collect();
                matching(&|name| wanted.contains(name))
            }
        };
        if found.is_empty() {
            return absent(self.to_string());
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_ways_to_name_label_columns() {
        assert_eq!("14".parse(), Ok(LabelColumns::Last(14)));
        assert_eq!("label_*".parse(), Ok(LabelColumns::Prefix("label_".into())));
        assert_eq!("a, b".parse(), Ok(LabelColumns::Named(vec!["a".into(), "b".into()])));
    }
}
