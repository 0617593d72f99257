//! The dialects of the rule language, and how to tell them apart.

use super::{ccn, dimacs, edges, pishield};

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
        /// DIMACS CNF: `p cnf 3 2`, then clauses of numbers that end with 0; with weights, the hard ones.
        Dimacs = "dimacs",
        /// `y_0 or not y_3`, or `n1 :- 0`: each line a requirement.
        PiShield = "pishield",
    }
}

impl Dialect {
    /// The dialect a text is written in: `dimacs` if it starts with `p cnf`, `pishield` if with `y_0 or`;
    /// `ccn` if its first rule is a weight, a number and `:-`; `rules` if there is an arrow, or a list in
    /// parentheses, anywhere; `edges` if the first line has two columns; `rules` otherwise.
    pub fn detect(text: &str) -> Self {
        let first = text.lines().find(|line| !is_blank(line)).unwrap_or("");
        if dimacs::looks_like(text) {
            return Self::Dimacs;
        }
        if pishield::looks_like(first) {
            return Self::PiShield;
        }
        if ccn::looks_like(first) {
            return Self::Ccn;
        }
        let has_arrow = |line: &str| {
            !line.trim_start().starts_with(['#', '%'])
                && ["->", "→", ":-", "=>", "<-"].iter().any(|arrow| line.contains(arrow))
        };
        let is_rules = |line: &str| {
            has_arrow(line)
                || (!line.trim_start().starts_with(['#', '%']) && lists_in_parentheses(line))
        };
        if !text.lines().any(is_rules) && edges::looks_like(first) {
            return Self::Edges;
        }
        Self::Rules
    }
}

/// Whether a comma stands in parentheses, as in `exclusive(a, b)`, outside quotes.
fn lists_in_parentheses(line: &str) -> bool {
    let (mut depth, mut is_quoted) = (0, false);
    for c in line.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => depth -= 1,
            ',' if !is_quoted && depth > 0 => return true,
            _ => {}
        }
    }
    false
}

/// Whether a line is blank or only a comment.
pub(super) fn is_blank(line: &str) -> bool {
    let line = line.trim_start_matches('\u{feff}').trim_start();
    line.is_empty() || line.starts_with(['#', '%'])
}
