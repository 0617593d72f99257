//! Which rules and requirements rows break, how often each is broken, and how many rows break any.
//!
//! A row is incoherent if it breaks a rule or a requirement, of predictions as of labels.

use rulebound_core::{
    Program, RequirementId, RuleId, broken_requirements, known_broken_requirements,
    known_violations, logical_violations,
};
use serde::Serialize;

/// A line of a program: a rule or a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramLine {
    /// A rule.
    Rule(RuleId),
    /// A requirement.
    Requirement(RequirementId),
}

impl ProgramLine {
    /// The line as text.
    pub fn text(self, program: &Program) -> String {
        match self {
            Self::Rule(id) => program.rule(id).display(program.labels()).to_string(),
            Self::Requirement(id) => program.requirement(id).display(program.labels()).to_string(),
        }
    }

    /// Whether it is a rule.
    pub fn is_rule(self) -> bool {
        matches!(self, Self::Rule(_))
    }

    /// The lines that one row of labels breaks although some labels are not known: whatever those are.
    ///
    /// # Panics
    /// If there is not one label and one mark per class.
    pub fn broken<'a>(
        program: &'a Program,
        labels: &'a [bool],
        known: &'a [bool],
    ) -> impl Iterator<Item = Self> + 'a {
        let rules = known_violations(program, labels, known).map(Self::Rule);
        rules.chain(known_broken_requirements(program, labels, known).map(Self::Requirement))
    }
}

/// How often a rule is broken.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct BrokenRule {
    /// The rule as text.
    pub rule: String,
    /// Its line in the file; 0 if it was not read from one.
    pub line: u32,
    /// How many rows break it.
    pub rows: u64,
}

/// How often a requirement is broken.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct BrokenRequirement {
    /// The requirement as text.
    pub requirement: String,
    /// Its line in the file; 0 if it was not read from one.
    pub line: u32,
    /// How many rows break it.
    pub rows: u64,
}

/// Rows that break rules and requirements, counted batch by batch.
///
/// ```
/// use rulebound_data::broken_lines::BrokenLines;
/// use rulebound_core::Program;
/// let program: Program = "red -> light\nexclusive(red, green)".parse()?;
/// let mut broken = BrokenLines::new(&program);
/// broken.add(&program, &[true, false, true, true, true, false]);
/// assert_eq!((broken.incoherent_rows, broken.breaking_requirements), (1, 1));
/// assert_eq!(broken.requirements(&program)[0].line, 2);
/// # Ok::<(), rulebound_core::RuleErrors>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BrokenLines {
    /// How many rows break a rule or a requirement.
    pub incoherent_rows: u64,
    /// How many rows break a rule.
    pub breaking_rules: u64,
    /// How many rows break a requirement.
    pub breaking_requirements: u64,
    per_rule: Vec<u64>,
    per_requirement: Vec<u64>,
}

impl BrokenLines {
    /// Of a program, before any row.
    pub fn new(program: &Program) -> Self {
        Self {
            per_rule: vec![0; program.rules().len()],
            per_requirement: vec![0; program.requirements().len()],
            ..Self::default()
        }
    }

    /// Adds predictions, row-major `[rows × classes]`.
    pub fn add(&mut self, program: &Program, predicted: &[bool]) {
        let rows = predicted.len().checked_div(program.labels().len()).unwrap_or(0);
        let mut breaks = vec![[false; 2]; rows];
        for violation in logical_violations(program, predicted) {
            self.per_rule[violation.rule.index()] += 1;
            breaks[violation.row][0] = true;
        }
        for (row, id) in broken_requirements(program, predicted) {
            self.per_requirement[id.index()] += 1;
            breaks[row][1] = true;
        }
        for [rule, requirement] in breaks {
            self.incoherent_rows += u64::from(rule || requirement);
            self.breaking_rules += u64::from(rule);
            self.breaking_requirements += u64::from(requirement);
        }
    }

    /// The rules that are broken, most often broken first.
    pub fn rules(&self, program: &Program) -> Vec<BrokenRule> {
        let one = |id: RuleId| BrokenRule {
            rule: ProgramLine::Rule(id).text(program),
            line: program.span(id).line,
            rows: self.per_rule[id.index()],
        };
        most_often(program.rule_ids(), |id| self.per_rule[id.index()]).map(one).collect()
    }

    /// The requirements that are broken, most often broken first.
    pub fn requirements(&self, program: &Program) -> Vec<BrokenRequirement> {
        let one = |id: RequirementId| BrokenRequirement {
            requirement: ProgramLine::Requirement(id).text(program),
            line: program.requirement_span(id).line,
            rows: self.per_requirement[id.index()],
        };
        most_often(program.requirement_ids(), |id| self.per_requirement[id.index()])
            .map(one)
            .collect()
    }
}

fn most_often<I: Copy>(
    ids: impl Iterator<Item = I>,
    rows: impl Fn(I) -> u64,
) -> impl Iterator<Item = I> {
    let mut broken: Vec<I> = ids.filter(|&id| rows(id) > 0).collect();
    broken.sort_by_key(|&id| std::cmp::Reverse(rows(id)));
    broken.into_iter()
}
