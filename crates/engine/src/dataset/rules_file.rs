//! The separate rule file of a data set.

use std::path::Path;

use rulebound_core::{Dialect, LabelId, Labels, Program, RuleText, RulesAs, SettleLimit};

use crate::unknown_labels::{FittedRules, UnknownLabels, fit};

use super::error::DatasetError;
use super::ontology::Ontology;
use crate::input::{FileText, read_text};

/// The rules of `path` about `labels`, after the existing ones; kept classes come after `labels`. The file is in any dialect of rules
/// (detected unless given), or an ontology.
pub(super) fn read_rules(
    path: &Path,
    dialect: Option<Dialect>,
    labels: &Labels,
    before: &Program,
    treatment: UnknownLabels,
    rules_as: RulesAs,
    limit: SettleLimit,
) -> Result<FittedRules, DatasetError> {
    let text = read_text(path)?;
    let read = if dialect.is_none() && Ontology::is_ontology(path, &text) {
        Ontology::from_text(path, &text)?.fit(path, labels, treatment)?
    } else {
        let parsed = RuleText::new(&text).labels(labels.clone()).open_labels().rules_as(rules_as);
        let parsed = parsed.settle_limit(limit).dialect(dialect).parse();
        match parsed.and_then(|parsed| fit(&parsed, labels, treatment)) {
            Ok(fitted) => fitted,
            Err(source) => {
                let text = FileText(text);
                return Err(DatasetError::Rules { path: path.into(), text, source });
            }
        }
    };
    if before.rules().is_empty() && before.requirements().is_empty() {
        return Ok(read);
    }
    let rules = before.rules().iter().chain(read.program.rules()).cloned().collect();
    let (mut requirements, mut spans) = (Vec::new(), Vec::new());
    let mut preferred: Vec<LabelId> = Vec::new();
    for program in [before, &read.program] {
        requirements.extend(program.requirements().iter().cloned());
        spans.extend(program.requirement_ids().map(|id| program.requirement_span(id)));
        let more = program.preferred().iter().filter(|class| !preferred.contains(class));
        preferred.extend(more.copied().collect::<Vec<_>>());
    }
    let program = Program::new(read.program.labels().clone(), rules)?.with_settle_limit(limit);
    let program = program.with_written_requirements(requirements, spans, &preferred)?;
    Ok(FittedRules { program, ..read })
}
