//! Labels: the classes of a problem, by name and by number.
//!
//! A [`Labels`] list fixes the classes and their order once; everything after
//! it refers to a class by its [`LabelId`], the position in that list.
//! Invariant: names are unique and not empty.

use crate::name::{Quoted, unquote};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// The position of a class in its [`Labels`] list, from 0.
///
/// ```
/// use rulebound_core::LabelId;
/// assert_eq!(usize::from(LabelId::new(7)), 7);
/// assert_eq!(LabelId::try_from(7), Ok(LabelId::new(7)));
/// assert!(LabelId::try_from(usize::MAX).is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LabelId(u32);

impl LabelId {
    /// The maximum number of classes in a list: of 32 bits, a delegate needs one for
    /// its polarity and one for facts, and two codes for the constants.
    pub const LIMIT: usize = (u32::MAX >> 2) as usize;

    /// The label at `index`.
    ///
    /// # Panics
    /// If `index` is [`LabelId::LIMIT`] or more. Use `LabelId::try_from` for an index
    /// that may be out of range.
    pub fn new(index: usize) -> Self {
        assert!(index < Self::LIMIT, "label index {index} out of range");
        Self(index as u32)
    }

    /// The position in the list, for indexing columns.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An index that is too large for a [`LabelId`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("label index {0} is out of range (maximum {max})", max = LabelId::LIMIT - 1)]
pub struct LabelIdOutOfRange(pub usize);

impl TryFrom<usize> for LabelId {
    type Error = LabelIdOutOfRange;

    fn try_from(index: usize) -> Result<Self, Self::Error> {
        if index < Self::LIMIT { Ok(Self(index as u32)) } else { Err(LabelIdOutOfRange(index)) }
    }
}

impl From<LabelId> for usize {
    fn from(id: LabelId) -> Self {
        id.index()
    }
}

/// An ordered list of distinct class names.
///
/// ```
/// use rulebound_core::Labels;
/// let labels = Labels::new(["stomach", "abdomen"])?;
/// assert_eq!(labels.find("abdomen").map(|id| id.index()), Some(1));
/// # Ok::<(), rulebound_core::LabelError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Labels {
    names: Vec<Arc<str>>,
    ids: HashMap<Arc<str>, LabelId>,
}

/// Why a list of names is not a valid list of labels.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum LabelError {
    /// The same name occurs twice.
    #[error("duplicate label `{name}` (positions {first} and {second})")]
    Duplicate {
        name: String,
        /// The position where it occurs first, from 1.
        first: usize,
        /// The position where it occurs again, from 1.
        second: usize,
    },
    /// A name is empty.
    #[error("empty label name (position {position})")]
    Empty {
        /// The position, from 1.
        position: usize,
    },
}

impl Labels {
    /// A list of labels in the given order.
    ///
    /// # Errors
    /// The first name that is empty or a duplicate.
    pub fn new<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Result<Self, LabelError> {
        let mut labels = Self::default();
        for name in names {
            let name: String = name.into();
            let position = labels.len() + 1;
            if name.is_empty() {
                return Err(LabelError::Empty { position });
            }
            let id = labels.intern(&name);
            if id.index() + 1 != position {
                return Err(LabelError::Duplicate {
                    name,
                    first: id.index() + 1,
                    second: position,
                });
            }
        }
        Ok(labels)
    }

    /// The label of this name, added at the end if it is new.
    pub(crate) fn intern(&mut self, name: &str) -> LabelId {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = LabelId::new(self.names.len());
        let name: Arc<str> = name.into();
        self.names.push(Arc::clone(&name));
        self.ids.insert(name, id);
        id
    }

    /// The number of labels.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no labels at all.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The name of a label.
    pub fn name(&self, id: LabelId) -> &str {
        &self.names[id.index()]
    }

    /// The label with this name.
    pub fn find(&self, name: &str) -> Option<LabelId> {
        self.ids.get(name).copied()
    }

    /// All labels in order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = LabelId> + use<> {
        (0..self.names.len() as u32).map(LabelId)
    }

    /// All names in order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(AsRef::as_ref)
    }

    /// The list as text, one name per line. A name that could not be read back
    /// from a line of its own is quoted, as in the rule language.
    pub fn to_text(&self) -> String {
        let odd = |name: &str| {
            name.trim() != name || name.starts_with('"') || name.chars().any(char::is_control)
        };
        let line = |name: &str| {
            if odd(name) { format!("{}\n", Quoted::always(name)) } else { format!("{name}\n") }
        };
        self.names().map(line).collect()
    }

    /// The name on a line of a label list: without the spaces around it, and
    /// without quotes if the whole line is one quoted name.
    pub fn name_of_line(line: &str) -> Cow<'_, str> {
        let line = line.trim();
        unquote(line).unwrap_or(line.into())
    }

    /// The label most similar to `name`, if any is similar at all: for a "did you
    /// mean". Looks at every label once.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        // Comparing takes time in proportion to the product of the lengths, and nobody mistypes a name
        // that is a page long.
        const LONGEST: usize = 200;
        if name.len() > LONGEST {
            return None;
        }
        let folded = name.to_lowercase();
        self.names()
            .filter(|known| known.len() <= LONGEST)
            .map(|known| (strsim::jaro_winkler(&folded, &known.to_lowercase()), known))
            .filter(|(likeness, _)| *likeness > 0.8)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, known)| known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_twice_is_an_error_with_both_places() {
        assert_eq!(
            Labels::new(["a", "b", "a"]).unwrap_err(),
            LabelError::Duplicate { name: "a".into(), first: 1, second: 3 }
        );
        assert_eq!(Labels::new(["a", ""]).unwrap_err(), LabelError::Empty { position: 2 });
        let text = Labels::new(["a", "b", "a"]).unwrap_err().to_string();
        assert_eq!(text, "duplicate label `a` (positions 1 and 3)");
    }

    #[test]
    fn nearest_forgives_case_and_typing_but_not_everything() {
        let labels = Labels::new(["gastrointestinalSystem", "abdomen"]).unwrap();
        assert_eq!(labels.nearest("Gastrointestinalsystem"), Some("gastrointestinalSystem"));
        assert_eq!(labels.nearest("abdomne"), Some("abdomen"));
        assert_eq!(labels.nearest("xyz"), None);
        assert_eq!(labels.nearest(&"abdomen".repeat(1_000_000)), None);
    }

    #[test]
    fn a_list_is_read_back_from_its_lines() {
        let names = ["plain", "with space", " padded ", "\"quoted\"", "two\nlines", "not", "a\"b"];
        let text = Labels::new(names).unwrap().to_text();
        let back: Vec<_> = text.lines().map(Labels::name_of_line).collect();
        assert_eq!(back, names);
        assert!(text.contains("\nwith space\n") && text.contains("\nnot\n"));
    }
}
