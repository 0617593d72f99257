//! Rule mining: finds the rules among labels that hold in a table of labels.
//!
//! ```text
//! LabelMatrix ── columns ──> search ──> stratify ──> Mined ──> text
//! ```
//!
//! What is mined, for the given rows:
//!
//! - A **body** is a set of literals over different labels, at most [`Options::max_body`] of them;
//!   without [`Options::negation`] all are positive. A rule with an empty body is a fact.
//! - The **support** of a rule is that of its body: the share of the rows in which the body holds.
//!   That is the weight in the published rule files. A body that holds in no row supports nothing.
//! - The **confidence** of a rule is the share of its body's rows in which the head holds too.
//! - A rule is **redundant** if a proper subset of its body reaches the minimum confidence for the
//!   same head. Such a subset has no less support, so every redundant rule has a shorter one in the
//!   result that represents it; at confidence 1 the shorter one implies it.
//!
//! [`mine`] returns exactly the rules that reach both minima and are not redundant, best first
//! ([`MinedRule::cmp_best_first`]), except those that would make the set unstratified: from the
//! best rule to the worst, one that closes a cycle through a negation with those kept before it is
//! left out. So of two rules that cannot be combined the one with less confidence is dropped, then
//! the one with less support, then the one with the longer body.
//!
//! **Which rows.** Rules to train or evaluate a model with must be mined from the training rows
//! alone. The rule files published with the paper were mined on all rows, test rows included:
//! results with them use information about the test set.
//!
//! **Effort.** The search goes depth first through the bodies of one head (see `search`); the
//! result does not depend on the number of threads. Memory: one bit per label and row for the
//! table, a quarter of a byte per pair of labels for the stratification, in each thread about
//! `max_body² / 2` bits per row, and about 100 bytes per rule found, of which there are at most
//! [`Options::max_rules`]. Time is bounded by [`Options::max_bodies`]; a search that exceeds one of
//! the two limits is an error, never a partial result. What makes a search slow is low support with
//! long bodies and a confidence below 1, where fewer bodies can be pruned; `cargo bench -p
//! rulebound --bench mine` measures it.

mod bar;
mod columns;
mod error;
mod mined;
mod node;
mod options;
mod reach;
mod requirements;
mod row_set;
mod search;
mod text;

use std::ops::Range;

pub use error::MineError;
pub use mined::{Mined, MinedRule};
pub use options::Options;
pub use requirements::{MinedRequirement, mine_requirements};

use crate::dataset::LabelMatrix;
use bar::Bar;
use columns::Columns;
use reach::Reach;
use search::Search;

/// Finds the rules among the labels that hold in `rows` of `labels`; the [module](self) defines
/// which rules those are.
///
/// ```
/// use rulebound_data::dataset::LabelMatrix;
/// use rulebound_data::mine::{Options, mine};
/// use rulebound_core::{LabelId, Labels};
/// let names = Labels::new(["cat", "animal"])?;
/// let mut labels = LabelMatrix::new(names.len());
/// for classes in [&[0, 1][..], &[1], &[]] {
///     let row = labels.push_row();
///     classes.iter().for_each(|&class| drop(labels.insert(row, LabelId::new(class))));
/// }
/// let mined = mine(&labels, 0..labels.rows(), &Options::default())?;
/// assert_eq!(mined.rules.len(), 1);
/// assert_eq!(mined.rules[0].rule.display(&names).to_string(), "cat -> animal");
/// assert_eq!((mined.rules[0].body_rows, mined.rules[0].confidence()), (1, 1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If options are out of range, the matrix does not have the rows, or the search exceeds one of its
/// limits.
pub fn mine(
    labels: &LabelMatrix,
    rows: Range<usize>,
    options: &Options,
) -> Result<Mined, MineError> {
    options.check()?;
    if rows.start > rows.end || rows.end > labels.rows() {
        return Err(MineError::NoSuchRows { asked: rows, rows: labels.rows() });
    }
    let columns = Columns::new(labels, rows);
    let bar = Bar::new(options, columns.rows());
    let mut rules = Search::new(&columns, bar, options).run()?;
    rules.sort_unstable_by(MinedRule::cmp_best_first);
    let mut reach = Reach::new(labels.classes());
    let before = rules.len();
    let unstratified = if options.keep_unstratified {
        before - rules.iter().filter(|mined| reach.admit(&mined.rule)).count()
    } else {
        rules.retain(|mined| reach.admit(&mined.rule));
        before - rules.len()
    };
    Ok(Mined { rules, unstratified, rows: columns.rows(), options: options.clone() })
}
