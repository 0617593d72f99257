//! Warnings about rules.

use super::{Diagnostic, Place};
use rulebound::rule_file::RuleFile;
use rulebound_core::{Lint, RequirementLint, RuleId, Span};

/// The warnings about one rule file.
pub struct Warnings<'a> {
    file: &'a RuleFile,
    name: String,
    lines: Vec<&'a str>,
}

impl<'a> Warnings<'a> {
    pub fn new(file: &'a RuleFile) -> Self {
        Self { file, name: file.path.display().to_string(), lines: file.text.lines().collect() }
    }

    pub fn lint(&self, lint: &Lint) -> Diagnostic {
        let program = &self.file.parsed.program;
        self.at(lint.rule, lint.kind.code(), lint.describe(program).to_string())
    }

    pub fn repeated_literal(&self, rule: RuleId) -> Diagnostic {
        let message = "duplicate literal in the body; it counts once".to_owned();
        self.at(rule, "repeated-literal", message)
    }

    pub fn requirement(&self, lint: &RequirementLint) -> Diagnostic {
        let program = &self.file.parsed.program;
        let span = program.requirement_span(lint.requirement);
        self.in_text(span, lint.kind.code(), lint.describe(program).to_string())
    }

    fn at(&self, rule: RuleId, code: &'static str, message: String) -> Diagnostic {
        self.in_text(self.file.parsed.program.span(rule), code, message)
    }

    fn in_text(&self, span: Span, code: &'static str, message: String) -> Diagnostic {
        let places = vec![Place::new(&self.name, &self.lines, span, "")];
        Diagnostic { code, message, warning: true, places, ..Diagnostic::default() }
    }
}
