//! The requirements of a program, and the proof that something satisfies them.

use super::Program;
use crate::label::{LabelId, Labels};
use crate::name::Quoted;
use crate::requirement::{Requirement, RequirementId};
use crate::rule::{Literal, Rule, RuleId};
use crate::settle::{Refusal, SearchNeed, SettleLimit, SettlePlan, Settler, Source, clash};
use crate::span::Span;
use std::fmt;
use std::sync::Arc;

/// What is required beside the rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Required {
    requirements: Vec<Requirement>,
    spans: Vec<Span>,
    preferred: Vec<LabelId>,
    /// Where each class is preferred; empty if that is not known.
    preferred_spans: Vec<Span>,
    limit: SettleLimit,
    /// None where there is no requirement.
    settler: Option<Arc<Settler>>,
}

impl Required {
    pub fn to_text(&self, labels: &Labels) -> String {
        let lines = self.requirements.iter().map(|one| format!("{}\n", one.display(labels)));
        let mut text: String = lines.collect();
        if !self.preferred.is_empty() {
            let names = self.preferred.iter().map(|&id| Quoted(labels.name(id)).to_string());
            text.push_str(&format!("prefer {}\n", names.collect::<Vec<_>>().join(", ")));
        }
        text
    }
}

/// One of the rules and requirements that clash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClashingLine {
    /// The rule or requirement as text.
    pub text: String,
    /// Where it was written; line 0 if it was not read from a text.
    pub span: Span,
}

/// Rules and requirements that no prediction satisfies together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsatisfiable {
    /// Some of them that clash, in the order written.
    pub lines: Vec<ClashingLine>,
    /// Whether this is a smallest set: without any one of these, the others can be satisfied. If not,
    /// that was not found within the limit.
    pub is_smallest: bool,
}

/// Whether any prediction satisfies all rules and requirements was not found within the limit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "whether any prediction satisfies the {requirements} requirements was not decided within {limit} conflicts"
)]
pub struct Undecided {
    /// How many requirements there are.
    pub requirements: usize,
    /// The limit.
    pub limit: SettleLimit,
}

/// Why requirements cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RequirementError {
    /// Nothing satisfies them.
    #[error(transparent)]
    Unsatisfiable(#[from] Unsatisfiable),
    /// Whether anything satisfies them was not found.
    #[error(transparent)]
    Undecided(#[from] Undecided),
}

impl fmt::Display for Unsatisfiable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 20;
        f.write_str("no prediction satisfies all of these: ")?;
        for (at, line) in self.lines.iter().take(SHOWN).enumerate() {
            let comma = if at > 0 { "; " } else { "" };
            write!(f, "{comma}`{}`", line.text)?;
            if line.span.line > 0 {
                write!(f, " (line {})", line.span.line)?;
            }
        }
        if self.lines.len() > SHOWN {
            write!(f, " and {} more", self.lines.len() - SHOWN)?;
        }
        Ok(())
    }
}

impl std::error::Error for Unsatisfiable {}

impl Program {
    /// The same rules with requirements. The classes of `preferred` are settled before all others, in
    /// this order.
    ///
    /// ```
    /// use rulebound_core::{Literal, Program, Requirement};
    /// let program: Program = "car -> vehicle\ntruck -> vehicle".parse()?;
    /// let [car, truck] = ["car", "truck"].map(|name| program.labels().find(name).unwrap());
    /// let members = [car, truck].map(Literal::positive);
    /// let program = program.with_requirements(vec![Requirement::count([], 0, 1, members)], &[])?;
    /// assert!(program.to_text().ends_with("exclusive(car, truck)\n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Rules and requirements that no prediction satisfies together, or that it was not decided within
    /// the [limit](Self::with_settle_limit) whether one does.
    ///
    /// # Panics
    /// If a class past the end of the labels occurs, or a class is preferred twice.
    pub fn with_requirements(
        self,
        requirements: Vec<Requirement>,
        preferred: &[LabelId],
    ) -> Result<Self, RequirementError> {
        let spans = vec![Span::default(); requirements.len()];
        self.with_written_requirements(requirements, spans, preferred)
    }

    /// As [`with_requirements`](Self::with_requirements), with the place of each requirement.
    ///
    /// # Errors
    /// As there; the lines have their places.
    ///
    /// # Panics
    /// As there, or if there is not one place for each requirement.
    pub fn with_written_requirements(
        self,
        requirements: Vec<Requirement>,
        spans: Vec<Span>,
        preferred: &[LabelId],
    ) -> Result<Self, RequirementError> {
        self.require(requirements, spans, preferred, None)
    }

    /// The same, given a prediction that satisfies all of them, if one is known.
    pub(crate) fn require(
        mut self,
        requirements: Vec<Requirement>,
        spans: Vec<Span>,
        preferred: &[LabelId],
        witness: Option<&[bool]>,
    ) -> Result<Self, RequirementError> {
        assert_eq!(requirements.len(), spans.len(), "one place for each requirement");
        let classes = self.labels.len();
        let exists = |id: &LabelId| id.index() < classes;
        let exist = |one: &Requirement| one.literals().all(|literal| exists(&literal.label()));
        assert!(requirements.iter().all(exist), "a class of the program");
        assert!(preferred.iter().all(exists), "a class of the program");
        let distinct: std::collections::HashSet<&LabelId> = preferred.iter().collect();
        assert_eq!(distinct.len(), preferred.len(), "a class is preferred once");
        let settler = match requirements.is_empty() {
            true => None,
            false => {
                let limit = self.required.limit;
                match Settler::new(classes, &self.rules, &requirements, preferred, limit, witness) {
                    Ok(settler) => Some(Arc::new(settler)),
                    Err(Refusal::Unsatisfiable) => {
                        return Err(self.unsatisfiable(&requirements, &spans).into());
                    }
                    Err(Refusal::Undecided) => {
                        let requirements = requirements.len();
                        return Err(Undecided { requirements, limit }.into());
                    }
                }
            }
        };
        let preferred = preferred.to_vec();
        let preferred_spans = Vec::new();
        self.required =
            Required { requirements, spans, preferred, preferred_spans, settler, ..self.required };
        Ok(self)
    }

    /// The same with a limit on what is spent on requirements: on deciding whether those that are added
    /// can be satisfied, and on each row that needs search.
    #[must_use]
    pub fn with_settle_limit(mut self, limit: SettleLimit) -> Self {
        self.required.limit = limit;
        let settler = self.required.settler.take();
        self.required.settler = settler.map(|settler| Arc::new(settler.with_limit(limit)));
        self
    }

    /// A prediction that satisfies all rules and requirements, where it took a solver to find one: kept with a
    /// program, it saves deciding that again ([`RuleText::witness`](crate::RuleText::witness)).
    pub fn witness(&self) -> Option<&[bool]> {
        self.settler()?.witness()
    }

    /// Whether a prediction satisfies all these requirements, and the rules.
    pub(crate) fn is_satisfied(&self, requirements: &[Requirement], predicted: &[bool]) -> bool {
        let holds = |rule: &Rule| Requirement::of_rule(rule).holds(predicted);
        self.rules.iter().all(holds) && requirements.iter().all(|one| one.holds(predicted))
    }

    /// What may be spent on requirements.
    pub fn settle_limit(&self) -> SettleLimit {
        self.required.limit
    }

    fn unsatisfiable(&self, requirements: &[Requirement], spans: &[Span]) -> Unsatisfiable {
        let limit = self.required.limit;
        let (core, is_smallest) = match clash(self.labels.len(), &self.rules, requirements, limit) {
            Some(clash) => (clash.sources, clash.is_smallest),
            // It was found on the way to settling rows, and is not found again: all of them.
            None => ((0..(self.rules.len() + requirements.len()) as Source).collect(), false),
        };
        let line = |source: Source| match (source as usize).checked_sub(self.rules.len()) {
            Some(at) => ClashingLine {
                text: requirements[at].display(&self.labels).to_string(),
                span: spans[at],
            },
            None => ClashingLine {
                text: self.rules[source as usize].display(&self.labels).to_string(),
                span: self.spans[source as usize],
            },
        };
        let mut lines: Vec<ClashingLine> = core.into_iter().map(line).collect();
        lines.sort_by_key(|line| line.span);
        Unsatisfiable { lines, is_smallest }
    }

    /// The requirements in the order written.
    pub fn requirements(&self) -> &[Requirement] {
        &self.required.requirements
    }

    /// One requirement.
    pub fn requirement(&self, id: RequirementId) -> &Requirement {
        &self.required.requirements[id.index()]
    }

    /// The ids of all requirements in the order written.
    pub fn requirement_ids(&self) -> impl ExactSizeIterator<Item = RequirementId> + use<> {
        (0..self.required.requirements.len()).map(RequirementId::new)
    }

    /// Where a requirement was written; line 0 if it was not read from a text.
    pub fn requirement_span(&self, id: RequirementId) -> Span {
        self.required.spans[id.index()]
    }

    /// Whether there are any requirements.
    pub fn has_requirements(&self) -> bool {
        !self.required.requirements.is_empty()
    }

    /// The classes that are settled before all others, in order.
    pub fn preferred(&self) -> &[LabelId] {
        &self.required.preferred
    }

    /// Where the class at this place of [`preferred`](Self::preferred) is preferred; line 0 if that was not
    /// read from a text.
    pub fn preferred_span(&self, place: usize) -> Span {
        self.required.preferred_spans.get(place).copied().unwrap_or_default()
    }

    /// The same with the places where classes are preferred.
    pub(crate) fn with_preferred_spans(mut self, spans: Vec<Span>) -> Self {
        self.required.preferred_spans = spans;
        self
    }

    /// The same rules without requirements and preferences.
    #[must_use]
    pub fn without_requirements(&self) -> Self {
        let required = Required { limit: self.required.limit, ..Required::default() };
        Self { required, ..self.clone() }
    }

    /// The same with every rule as a clause: a requirement like any other, which raises nothing.
    ///
    /// ```
    /// use rulebound_core::Program;
    /// let program: Program = "not red, not amber -> green".parse()?;
    /// assert_eq!(program.rules_as_clauses()?.to_text(), "red | amber | green\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If no prediction satisfies all of them, which a rule that raises cannot say.
    pub fn rules_as_clauses(&self) -> Result<Self, RequirementError> {
        let mut requirements: Vec<Requirement> =
            self.rules.iter().map(Requirement::of_rule).collect();
        requirements.extend(self.requirements().iter().cloned());
        let spans = self.spans.iter().chain(&self.required.spans).copied().collect();
        self.without_rules().with_written_requirements(requirements, spans, self.preferred())
    }

    /// The same rules and requirements about other classes: `place` gives the new number of each class
    /// that occurs in them.
    ///
    /// # Panics
    /// If two classes get the same number, or one past the end of `labels`.
    #[must_use]
    pub fn renumbered(&self, labels: Labels, place: impl Fn(LabelId) -> LabelId) -> Self {
        let literal = |literal: Literal| match literal.is_negated() {
            true => Literal::negative(place(literal.label())),
            false => Literal::positive(place(literal.label())),
        };
        let rules = self
            .rules
            .iter()
            .map(|rule| Rule::new(place(rule.head()), rule.body().iter().map(|&one| literal(one))));
        let program = match Self::from_source(labels, rules.collect(), self.spans.clone()) {
            Ok(program) => program.with_settle_limit(self.settle_limit()),
            Err(error) => panic!("two classes have the same number: {error}"),
        };
        let requirements = self.requirements().iter().map(|one| one.map(literal)).collect();
        let preferred: Vec<LabelId> = self.preferred().iter().map(|&class| place(class)).collect();
        let spans = self.required.spans.clone();
        match program.with_written_requirements(requirements, spans, &preferred) {
            Ok(program) => program.with_preferred_spans(self.required.preferred_spans.clone()),
            Err(error) => panic!("two classes have the same number: {error}"),
        }
    }

    /// The classes that occur in a rule or a requirement.
    pub fn mentioned(&self) -> impl Iterator<Item = LabelId> + '_ {
        let rules = self.rules.iter().flat_map(|rule| {
            std::iter::once(rule.head()).chain(rule.body().iter().map(|literal| literal.label()))
        });
        let requirements = self.requirements().iter().flat_map(Requirement::literals);
        rules.chain(requirements.map(Literal::label)).chain(self.preferred().iter().copied())
    }

    /// Whether rows can need search; `None` where there are no requirements.
    pub fn search_need(&self) -> Option<SearchNeed> {
        self.settler().map(|settler| settler.need())
    }

    /// How rows are settled by counting alone; `None` where there are no requirements, or rows can need
    /// search.
    pub fn settle_plan(&self) -> Option<SettlePlan> {
        self.settler()?.plan(self.rules.len())
    }

    /// Classes that every prediction has (`true`) or none (`false`) because of the requirements, with
    /// the rules and requirements that say so.
    pub fn constant_classes(&self) -> Vec<(LabelId, bool, Vec<RuleId>, Vec<RequirementId>)> {
        let Some(settler) = self.settler() else { return Vec::new() };
        let constant = |id: LabelId| {
            let side = settler.always(id)?;
            let (rules, requirements) = self.lines_of(&settler.why_always(id));
            Some((id, side, rules, requirements))
        };
        self.labels.ids().filter_map(constant).collect()
    }

    /// Rules and requirements in words: `line 3, line 7`, or by number where they were not read from a
    /// text; at most eight of them.
    pub fn named_lines(&self, rules: &[RuleId], requirements: &[RequirementId]) -> String {
        const SHOWN: usize = 8;
        let name = |what: &str, index: usize, span: Span| match span.line {
            0 => (span, format!("{what} {}", index + 1)),
            line => (span, format!("line {line}")),
        };
        let mut names: Vec<(Span, String)> =
            rules.iter().map(|&id| name("rule", id.index(), self.span(id))).collect();
        let of_requirement =
            |&id: &RequirementId| name("requirement", id.index(), self.requirement_span(id));
        names.extend(requirements.iter().map(of_requirement));
        names.sort_by_key(|(span, _)| *span);
        let more = names.len().saturating_sub(SHOWN);
        let shown: Vec<String> = names.into_iter().take(SHOWN).map(|(_, name)| name).collect();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", shown.join(", "))
    }

    /// The rules and requirements with these numbers.
    pub(crate) fn lines_of(&self, sources: &[Source]) -> (Vec<RuleId>, Vec<RequirementId>) {
        let (mut rules, mut requirements) = (Vec::new(), Vec::new());
        for &source in sources {
            match (source as usize).checked_sub(self.rules.len()) {
                Some(at) => requirements.push(RequirementId::new(at)),
                None => rules.push(RuleId::new(source as usize)),
            }
        }
        (rules, requirements)
    }

    pub(crate) fn settler(&self) -> Option<&Arc<Settler>> {
        self.required.settler.as_ref()
    }
}
