//! The report on a reproduction: the paper's tables and figures, with ours for comparison.
//!
//! ```text
//! Folder (results, logs, models) ── Evidence ── section per target ──> Document ──┬─> HTML
//! PrintedTable (the paper) ─────────────┘                                         └─> Markdown, SVG
//! ```
//!
//! Invariants: a report depends only on its inputs, so that the same results give the same bytes. A
//! missing or damaged row, log or model is named and does not stop the rest. Every number comes
//! from networks with the requested configuration.

mod blend_columns;
mod boundaries;
mod curves;
mod difference;
mod document;
mod evidence;
mod lost;
mod misprints;
mod number;
mod own_ranks;
mod paper_table;
mod ranks;
mod section;
mod sections;
mod summary;
mod system_table;

pub use document::{Block, Cell, Column, Document, Figure, Mark, Markdown, Section, Table};

use crate::reproduce::{Folder, PlanRequest, ReproduceError, Target};
use evidence::Evidence;

/// How a report was made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Circumstances {
    /// The command, as it would be typed.
    pub command: String,
    /// The version of rulebound.
    pub version: String,
    /// Facts about the machine: name and value.
    pub machine: Vec<(String, String)>,
}

/// The report on the contents of a folder.
///
/// A target has a section if it was requested, or has results for each of its systems.
///
/// # Errors
/// If the results cannot be read.
pub fn report(
    folder: &Folder,
    request: &PlanRequest,
    circumstances: &Circumstances,
) -> Result<Document, ReproduceError> {
    let evidence = Evidence::read(folder, request)?;
    let mut sections: Vec<Section> = Target::ALL
        .into_iter()
        .filter(|target| is_shown(&evidence, *target))
        .map(|target| sections::of_target(&evidence, target))
        .collect();
    let mut lead = vec![Block::Text(
        "The experiments of “Multi-label classification neural networks with hard logical \
         constraints” (Giunchiglia and Lukasiewicz, 2021), made again by rulebound. Each part \
         begins with what its numbers come to."
            .to_owned(),
    )];
    if sections.is_empty() {
        lead.push(Block::Note("There are no results yet.".to_owned()));
    }
    sections.push(sections::appendix(&evidence, circumstances));
    Ok(Document { title: "The paper’s experiments, again".to_owned(), lead, sections })
}

fn is_shown(evidence: &Evidence<'_>, target: Target) -> bool {
    let asked = &evidence.request.targets;
    let has = |system: crate::reproduce::System| {
        target.subjects().into_iter().any(|subject| !evidence.rows(subject, system).is_empty())
    };
    asked.contains(&target) || target.systems().into_iter().all(has)
}

#[cfg(test)]
mod tests;
