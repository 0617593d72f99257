//! The separate rule file of a data set.

use std::path::Path;

use rulebound_core::{Dialect, Labels, Program, Rule, RuleText};

use super::error::DatasetError;
use super::ontology::Ontology;
use crate::input::read_text;

/// The rules of `path` about `labels`, after the existing ones. The file is in any dialect of rules
/// (detected unless given), or an ontology.
pub(super) fn read_rules(
    path: &Path,
    dialect: Option<Dialect>,
    labels: &Labels,
    before: &[Rule],
) -> Result<Program, DatasetError> {
    let text = read_text(path)?;
    let read = if dialect.is_none() && Ontology::is_ontology(path, &text) {
        Ontology::from_text(path, &text)?.program_for(labels.clone())?
    } else {
        match RuleText::new(&text).labels(labels.clone()).dialect(dialect).parse() {
            Ok(parsed) => parsed.program,
            Err(source) => return Err(DatasetError::Rules { path: path.into(), text, source }),
        }
    };
    if before.is_empty() {
        return Ok(read);
    }
    let rules = before.iter().chain(read.rules()).cloned().collect();
    Ok(Program::new(labels.clone(), rules)?)
}
