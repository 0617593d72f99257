//! The separate rule file of a data set.

use std::path::Path;

use rulebound_core::{Dialect, Labels, Program, Rule, RuleText, RulesAs};

use crate::unknown_labels::{FittedRules, UnknownLabels, fit};

use super::error::DatasetError;
use super::ontology::Ontology;
use crate::input::read_text;

/// The rules of `path` about `labels`, after the existing ones; kept classes come after `labels`. The file is in any dialect of rules
/// (detected unless given), or an ontology.
pub(super) fn read_rules(
    path: &Path,
    dialect: Option<Dialect>,
    labels: &Labels,
    before: &[Rule],
    treatment: UnknownLabels,
    rules_as: RulesAs,
) -> Result<FittedRules, DatasetError> {
    let text = read_text(path)?;
    let read = if dialect.is_none() && Ontology::is_ontology(path, &text) {
        Ontology::from_text(path, &text)?.fit(path, labels, treatment)?
    } else {
        let parsed = RuleText::new(&text).labels(labels.clone()).open_labels().rules_as(rules_as);
        let parsed = parsed.dialect(dialect).parse();
        match parsed.and_then(|parsed| fit(&parsed, labels, treatment)) {
            Ok(fitted) => fitted,
            Err(source) => return Err(DatasetError::Rules { path: path.into(), text, source }),
        }
    };
    if before.is_empty() {
        return Ok(read);
    }
    let rules = before.iter().chain(read.program.rules()).cloned().collect();
    let program = Program::new(read.program.labels().clone(), rules)?;
    let spans = read.program.requirement_ids().map(|id| read.program.requirement_span(id));
    let program = program.with_written_requirements(
        read.program.requirements().to_vec(),
        spans.collect(),
        read.program.preferred(),
    )?;
    Ok(FittedRules { program, ..read })
}
