//! The header of an ARFF file: the relation's name and the attributes.

use std::path::Path;

use super::super::complaint::{Mistakes, Problem};
use super::super::error::DatasetError;
use super::super::labels::hierarchy::Hierarchy;
use super::words::{Cursor, Slip, Word};
use rulebound_io::input::Lines;

/// One attribute.
#[derive(Clone, Debug)]
pub(in super::super) struct Attribute {
    pub(in super::super) name: String,
    pub(in super::super) kind: AttributeKind,
}

/// What an attribute holds.
#[derive(Clone, Debug)]
pub(in super::super) enum AttributeKind {
    Numeric,
    Nominal(Vec<String>),
    Text,
    Hierarchical(Box<Hierarchy>),
}

/// Everything before `@data`.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Header {
    pub(super) relation: String,
    pub(in super::super) attributes: Vec<Attribute>,
}

impl Header {
    /// Reads up to `@data`.
    pub(in super::super) fn read(lines: &mut Lines) -> Result<Self, DatasetError> {
        let mut header = Self::default();
        let mut mistakes = Mistakes::default();
        let mut is_whole = false;
        loop {
            let number = lines.number() + 1;
            let Some(line) = lines.next(&mut mistakes)? else {
                break;
            };
            let text = line.trim();
            if text.is_empty() || text.starts_with('%') {
                continue;
            }
            let (keyword, _) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
            if keyword.eq_ignore_ascii_case("@data") {
                is_whole = true;
                break;
            }
            let start = line.len() - line.trim_start().len() + keyword.len();
            let mut cursor = Cursor::new(&line, start);
            let read = match keyword.to_ascii_lowercase().as_str() {
                "@relation" => {
                    cursor.word(|_| false).map(|word| header.relation = word.text.into())
                }
                "@attribute" => header.attribute(&mut cursor, number, &mut mistakes),
                _ => Err((start - keyword.len(), Problem::NotAHeader)),
            };
            if let Err((at, problem)) = read {
                mistakes.push(number, column(&line, at), &line[at..], problem);
            }
        }
        DatasetError::expect_none(lines.path(), mistakes)?;
        if !is_whole {
            return Err(DatasetError::NoData { path: lines.path().to_path_buf() });
        }
        Ok(header)
    }

    fn attribute(
        &mut self,
        cursor: &mut Cursor<'_>,
        line: u64,
        mistakes: &mut Mistakes,
    ) -> Result<(), Slip> {
        let name = cursor.word(|c| c.is_whitespace() || c == '{')?;
        cursor.skip_space();
        let start = cursor.at();
        if cursor.rest().is_empty() || (name.text.is_empty() && !name.quoted) {
            return Err((name.start, Problem::NotAnAttribute));
        }
        let kind = if cursor.take('{') {
            AttributeKind::Nominal(nominal_values(cursor)?)
        } else {
            let kind = cursor.word(|c| c.is_whitespace())?;
            match kind.text.to_ascii_lowercase().as_str() {
                "numeric" | "real" | "integer" => AttributeKind::Numeric,
                "string" | "date" | "key" => AttributeKind::Text,
                "hierarchical" if self.hierarchy().is_some() => {
                    return Err((start, Problem::SecondHierarchy));
                }
                "hierarchical" => {
                    cursor.skip_space();
                    let before = cursor.before();
                    let list = cursor.rest();
                    let hierarchy = Hierarchy::from_list(list, |place, entry, problem| {
                        let column = || before + column(list, place);
                        mistakes.push_at(line, column, entry, problem);
                    });
                    AttributeKind::Hierarchical(Box::new(hierarchy))
                }
                _ => return Err((start, Problem::UnknownType)),
            }
        };
        self.attributes.push(Attribute { name: name.text.into(), kind });
        Ok(())
    }

    /// The hierarchy and its attribute, if there is one.
    pub(super) fn hierarchy(&self) -> Option<(usize, &Hierarchy)> {
        self.attributes.iter().enumerate().find_map(|(place, attribute)| match &attribute.kind {
            AttributeKind::Hierarchical(hierarchy) => Some((place, hierarchy.as_ref())),
            _ => None,
        })
    }

    /// The hierarchy of an attribute, if it is one.
    pub(super) fn hierarchy_at(&self, attribute: Option<usize>) -> Option<&Hierarchy> {
        match &self.attributes.get(attribute?)?.kind {
            AttributeKind::Hierarchical(hierarchy) => Some(hierarchy),
            _ => None,
        }
    }

    /// The number that MEKA writes into the relation's name: `-C 6` means that the first six
    /// attributes are labels, `-C -6` the last six.
    pub(in super::super) fn meka_labels(&self) -> Option<i64> {
        let mut words = self.relation.split(|c: char| c.is_whitespace() || c == ':');
        words.find(|word| *word == "-C")?;
        words.next()?.parse().ok()
    }

    /// Returns an error if the hierarchy has a cycle.
    pub(super) fn check_hierarchy(&self, path: &Path) -> Result<(), DatasetError> {
        match self.hierarchy().and_then(|(_, hierarchy)| hierarchy.cycle()) {
            Some(classes) => Err(DatasetError::Cycle { path: path.to_path_buf(), classes }),
            None => Ok(()),
        }
    }
}

/// The values of a nominal attribute, after its opening brace.
fn nominal_values(cursor: &mut Cursor<'_>) -> Result<Vec<String>, Slip> {
    let open = cursor.at() - 1;
    let mut values = Vec::new();
    loop {
        let Word { text, quoted, .. } = cursor.word(|c| c == ',' || c == '}')?;
        let is_last = cursor.take('}');
        if !(is_last && values.is_empty() && text.is_empty() && !quoted) {
            values.push(text.into_owned());
        }
        if is_last {
            return Ok(values);
        }
        if !cursor.take(',') {
            return Err((open, Problem::NotAnAttribute));
        }
    }
}

/// The column (in characters from 1) of byte `at` of `line`.
pub(super) fn column(line: &str, at: usize) -> usize {
    line[..at].chars().count() + 1
}
