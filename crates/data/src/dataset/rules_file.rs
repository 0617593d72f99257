//! The separate rule file of a data set.

use std::path::Path;

use rulebound_core::{Dialect, LabelId, Labels, Program, RuleText, RulesAs, SettleLimit};

use crate::unknown_labels::{FittedRules, UnknownLabels, fit};

use super::error::DatasetError;
use super::ontology::Ontology;
use rulebound_io::input::{FileText, read_text};

/// A rule file in any dialect of rules (detected unless given), or an ontology.
pub(super) struct RulesFile<'a> {
    path: &'a Path,
    text: String,
    ontology: Option<Ontology>,
    dialect: Option<Dialect>,
    limit: SettleLimit,
}

impl<'a> RulesFile<'a> {
    /// Reads the file.
    pub(super) fn read(
        path: &'a Path,
        dialect: Option<Dialect>,
        limit: SettleLimit,
    ) -> Result<Self, DatasetError> {
        let text = read_text(path)?;
        let is_ontology = dialect.is_none() && Ontology::is_ontology(path, &text);
        let ontology = is_ontology.then(|| Ontology::from_text(path, &text)).transpose()?;
        Ok(Self { path, text, ontology, dialect, limit })
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        self.path
    }

    /// The ontology, if it is one.
    pub(super) fn ontology(&self) -> Option<&Ontology> {
        self.ontology.as_ref()
    }

    /// The rules about `labels`, after the existing ones; kept classes come after `labels`.
    pub(super) fn fit(
        &self,
        labels: &Labels,
        before: &Program,
        treatment: UnknownLabels,
        rules_as: RulesAs,
    ) -> Result<FittedRules, DatasetError> {
        let limit = self.limit;
        let read = match &self.ontology {
            Some(ontology) => ontology.fit(self.path, labels, treatment)?,
            None => {
                let parsed = RuleText::new(&self.text).labels(labels.clone()).open_labels();
                let parsed = parsed.rules_as(rules_as).settle_limit(limit).dialect(self.dialect);
                match parsed.parse().and_then(|parsed| fit(&parsed, labels, treatment)) {
                    Ok(fitted) => fitted,
                    Err(source) => {
                        let text = FileText(self.text.clone());
                        return Err(DatasetError::Rules { path: self.path.into(), text, source });
                    }
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
}
