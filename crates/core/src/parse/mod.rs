//! Text → a validated program.
//!
//! Five dialects, which [`Dialect::detect`] tells apart:
//!
//! | dialect | a line | source |
//! |---|---|---|
//! | `rules` | `abdomen, not upperAbdomen -> lowerAbdomen` | written by people |
//! | `ccn`   | `0.121 5 :- n2 4` | the authors' rule files |
//! | `edges` | `stomach,gastrointestinalSystem` | hierarchies as tables |
//! | `dimacs` | `1 -2 0` | solvers |
//! | `pishield` | `y_0 or not y_3` | PiShield |
//!
//! Invariant: a reader never stops at the first mistake. It records it and
//! continues with the next rule; all mistakes are returned together, including
//! the cycles of the rules that could be read.

mod ccn;
mod claim;
mod dialect;
mod dimacs;
mod draft;
mod edges;
mod error;
mod lexer;
mod pishield;
mod removal;
mod rule_text;
mod rules;
mod rules_as;

pub use dialect::Dialect;
pub use error::{RuleError, RuleErrors, SyntaxProblem};
pub(crate) use removal::{Fate, remove};
pub use rule_text::{ParsedRules, RuleText};
pub use rules_as::RulesAs;
