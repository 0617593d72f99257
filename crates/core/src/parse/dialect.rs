//! The dialects of the rule language, and how to tell them apart.

use super::{ccn, edges};

crate::named_enum! {
    /// A way of writing rules.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Dialect: "a rule format" {
        /// `a, not b -> c` and `c :- a, not b.`
        Rules = "rules",
        /// `<weight> <head> :- <body>` with class numbers.
        Ccn = "ccn",
        /// `child,parent`.
        Edges = "edges",
    }
}

impl Dialect {
    /// The dialect a text is written in: `ccn` if its first rule is a weight,
    /// a number and `:-`; `rules` if there is an arrow anywhere; `edges` if
    /// the first line has two columns; `rules` otherwise.
    pub fn detect(text: &str) -> Self {
        let first = text.lines().find(|line| !is_blank(line)).unwrap_or("");
        if ccn::looks_like(first) {
            return Self::Ccn;
        }
        let has_arrow = |line: &str| {
            !line.trim_start().starts_with(['#', '%'])
                && ["->", "→", ":-", "=>", "<-"].iter().any(|arrow| line.contains(arrow))
        };
        if !text.lines().any(has_arrow) && edges::looks_like(first) {
            return Self::Edges;
        }
        Self::Rules
    }
}

/// Whether a line is blank or only a comment.
pub(super) fn is_blank(line: &str) -> bool {
    let line = line.trim_start_matches('\u{feff}').trim_start();
    line.is_empty() || line.starts_with(['#', '%'])
}
