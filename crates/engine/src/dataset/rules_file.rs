//! The rules that come with a data set, as a file of their own.

use std::path::Path;

use rulebound_core::{Dialect, Labels, Program, Rule, RuleErrors, RuleText};

use super::error::DatasetError;
use super::lines::Bytes;
use super::ontology::Ontology;

/// Bytes of a file of rules we are ready to hold.
const MOST: u64 = 1 << 28;

/// The rules of `path` about `labels`, after those that are there already. The file is in any
/// dialect of rules (told by its looks unless given), or an ontology if its name ends in `.obo`.
pub(super) fn read_rules(
    path: &Path,
    dialect: Option<Dialect>,
    labels: &Labels,
    before: &[Rule],
) -> Result<Program, DatasetError> {
    let wrong = |source: RuleErrors| DatasetError::Rules { path: path.to_path_buf(), source };
    if is_obo(path) {
        let more = Ontology::read(path)?.rules_for(labels);
        return Ok(Program::new(labels.clone(), before.iter().cloned().chain(more).collect())?);
    }
    let text = Bytes::open(path)?.read_text(MOST)?;
    let read = RuleText::new(&text)
        .labels(labels.clone())
        .dialect(dialect)
        .parse()
        .map_err(wrong)?
        .program;
    if before.is_empty() {
        return Ok(read);
    }
    let rules = before.iter().chain(read.rules()).cloned().collect();
    Ok(Program::new(labels.clone(), rules)?)
}

pub(super) fn is_obo(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    name.ends_with(".obo") || name.ends_with(".obo.gz")
}
