//! Labels: the classes of a problem, by name and by number.
//!
//! A [`Labels`] list fixes the classes and their order once; everything after
//! it speaks of a class as a [`LabelId`], its place in that list. Invariant:
//! names are unique and not empty.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The place of a class in its [`Labels`] list, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LabelId(u32);

impl LabelId {
    /// The most classes a list can hold: a delegate needs one bit of 32 for its
    /// polarity and one for facts, and two codes for the constants.
    pub const LIMIT: usize = (u32::MAX >> 2) as usize;

    /// The label at `index`.
    ///
    /// # Panics
    /// If `index` is [`LabelId::LIMIT`] or more; [`Labels`] never grows so far.
    pub fn new(index: usize) -> Self {
        assert!(index < Self::LIMIT, "label index {index} out of range");
        Self(index as u32)
    }

    /// The place in the list, for indexing columns.
    pub const fn index(self) -> usize {
        self.0 as usize
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

/// Why a list of names is not a list of labels.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LabelError {
    /// The same name stands twice.
    #[error("the label `{name}` stands twice, as number {first} and as number {second}")]
    Duplicate {
        /// The name.
        name: String,
        /// Where it stands first, from 1.
        first: usize,
        /// Where it stands again, from 1.
        second: usize,
    },
    /// A name is empty.
    #[error("label number {position} has an empty name")]
    Empty {
        /// Where, from 1.
        position: usize,
    },
}

impl Labels {
    /// A list of labels in the given order.
    ///
    /// # Errors
    /// The first name that is empty or stands twice.
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

    /// How many labels there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no label at all.
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

    /// The list as text, one name a line. A name that could not be read back
    /// from a line of its own stands in quotes, as in the rule language.
    pub fn to_text(&self) -> String {
        let odd = |name: &str| {
            name.trim() != name || name.starts_with('"') || name.chars().any(char::is_control)
        };
        let line = |name: &str| match odd(name) {
            true => format!("{}\n", Quoted::always(name)),
            false => format!("{name}\n"),
        };
        self.names().map(line).collect()
    }

    /// The name on a line of a label list: without the spaces around it, and
    /// without quotes if the whole line is one quoted name.
    pub fn name_of_line(line: &str) -> std::borrow::Cow<'_, str> {
        let line = line.trim();
        crate::parse::unquote(line).unwrap_or(line.into())
    }

    /// The known name most like `name`, if one is like it at all: the text of
    /// a "did you mean". Looks at every label once.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        let folded = name.to_lowercase();
        self.names()
            .map(|known| (strsim::jaro_winkler(&folded, &known.to_lowercase()), known))
            .filter(|(likeness, _)| *likeness > 0.8)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, known)| known)
    }
}

/// A name as the rule language writes it: bare where that is unambiguous,
/// otherwise in double quotes.
pub(crate) struct Quoted<'a>(pub &'a str);

impl Quoted<'_> {
    /// In quotes, whether it needs them or not.
    fn always(name: &str) -> String {
        let mut quoted = String::from("\"");
        for c in name.chars() {
            match c {
                '"' => quoted.push_str("\\\""),
                '\\' => quoted.push_str("\\\\"),
                '\n' => quoted.push_str("\\n"),
                '\r' => quoted.push_str("\\r"),
                '\t' => quoted.push_str("\\t"),
                c => quoted.push(c),
            }
        }
        quoted + "\""
    }

    fn is_bare(&self) -> bool {
        let name = self.0;
        !name.is_empty()
            && !matches!(name, "not" | "and")
            && !name.starts_with(['!', '~', '¬', '\u{feff}'])
            && !name.ends_with('.')
            && !["->", "→", ":-", "=>", "<-", "<="].iter().any(|arrow| name.contains(arrow))
            && !name
                .chars()
                .any(|c| c.is_whitespace() || c.is_control() || ",&\"#%|;()".contains(c))
    }
}

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_bare() {
            return f.write_str(self.0);
        }
        f.write_str(&Self::always(self.0))
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
    }

    #[test]
    fn nearest_forgives_case_and_typing_but_not_everything() {
        let labels = Labels::new(["gastrointestinalSystem", "abdomen"]).unwrap();
        assert_eq!(labels.nearest("Gastrointestinalsystem"), Some("gastrointestinalSystem"));
        assert_eq!(labels.nearest("abdomne"), Some("abdomen"));
        assert_eq!(labels.nearest("xyz"), None);
    }

    #[test]
    fn a_list_is_read_back_from_its_lines() {
        let names = ["plain", "with space", " padded ", "\"quoted\"", "two\nlines", "not", "a\"b"];
        let text = Labels::new(names).unwrap().to_text();
        let back: Vec<_> = text.lines().map(Labels::name_of_line).collect();
        assert_eq!(back, names);
        assert!(text.contains("\nwith space\n") && text.contains("\nnot\n"));
    }

    #[test]
    fn only_ambiguous_names_are_quoted() {
        for bare in ["GO:0008150", "01.01.03", "t-cell", "a'b", "notable", "Größe"] {
            assert_eq!(Quoted(bare).to_string(), bare);
        }
        for quoted in ["a b", "not", "x.", "a->b", "!a", "a,b", "", "C#", "f(x)"] {
            assert_eq!(Quoted(quoted).to_string(), format!("\"{quoted}\""));
        }
        assert_eq!(Quoted("say \"hi\"\\").to_string(), r#""say \"hi\"\\""#);
    }
}
