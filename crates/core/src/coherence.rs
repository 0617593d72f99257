//! Coherence: which rules and requirements a prediction breaks.
//!
//! A *logical* violation is a rule whose body is predicted and whose head is
//! not. A *constraint* violation is a rule whose body has a greater value than
//! its head, whatever the threshold. Without constraint violations there are no
//! logical ones.

use crate::label::LabelId;
use crate::margin::Margin;
use crate::program::Program;
use crate::requirement::{Claim, Requirement, RequirementId};
use crate::rule::{Literal, RuleId};

/// A rule that a prediction breaks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Violation {
    /// The row of the prediction in its batch, from 0.
    pub row: usize,
    /// The rule.
    pub rule: RuleId,
}

/// The violations of a batch, counted by rule and by row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violations {
    /// The number of rows that break each rule, in the order of the rules.
    pub per_rule: Vec<u64>,
    /// The number of rows that break each requirement, in the order of the requirements.
    pub per_requirement: Vec<u64>,
    /// The number of rules and requirements that each row breaks.
    pub per_row: Vec<u64>,
}

impl Violations {
    /// Counts the logical violations of a batch of predictions, row-major
    /// `[batch × classes]`.
    ///
    /// ```
    /// use rulebound_core::{Program, Violations};
    /// let program: Program = "stomach -> abdomen".parse()?;
    /// let violations = Violations::logical(&program, &[true, false, true, true]);
    /// assert_eq!((violations.total(), violations.per_row), (1, vec![1, 0]));
    /// # Ok::<(), rulebound_core::RuleErrors>(())
    /// ```
    pub fn logical(program: &Program, predicted: &[bool]) -> Self {
        let mut counts =
            Self::count(program, predicted.len(), logical_violations(program, predicted));
        for (row, requirement) in broken_requirements(program, predicted) {
            counts.per_requirement[requirement.index()] += 1;
            counts.per_row[row] += 1;
        }
        counts
    }

    /// Counts the constraint violations of a batch of margins, row-major
    /// `[batch × classes]`; of rules only.
    pub fn constraint<F: Margin>(program: &Program, margins: &[F]) -> Self {
        Self::count(program, margins.len(), constraint_violations(program, margins))
    }

    fn count(program: &Program, size: usize, broken: impl Iterator<Item = Violation>) -> Self {
        let rows = size.checked_div(program.labels().len()).unwrap_or(0);
        let mut counts = Self {
            per_rule: vec![0; program.rules().len()],
            per_requirement: vec![0; program.requirements().len()],
            per_row: vec![0; rows],
        };
        for violation in broken {
            counts.per_rule[violation.rule.index()] += 1;
            counts.per_row[violation.row] += 1;
        }
        counts
    }

    /// The number of rows that break at least one rule or requirement.
    pub fn rows(&self) -> usize {
        self.per_row.iter().filter(|&&count| count > 0).count()
    }

    /// The number of violations.
    pub fn total(&self) -> u64 {
        self.per_row.iter().sum()
    }
}

/// The logical violations of a batch of predictions, row-major
/// `[batch × classes]`, ordered by row, then by rule.
///
/// ```
/// use rulebound_core::{Program, logical_violations};
/// let program: Program = "stomach -> abdomen".parse()?;
/// assert_eq!(logical_violations(&program, &[true, false, true, true]).count(), 1);
/// # Ok::<(), rulebound_core::RuleErrors>(())
/// ```
pub fn logical_violations<'a>(
    program: &'a Program,
    predicted: &'a [bool],
) -> impl Iterator<Item = Violation> + 'a {
    by_row(program, predicted, |rule, row: &[bool]| {
        let rule = program.rule(rule);
        !row[rule.head().index()] && rule.body().iter().all(|literal| literal.holds(row))
    })
}

/// The rules that one row of labels breaks although some labels are not known: every literal of the
/// body is known to hold, and the head is known not to.
///
/// ```
/// use rulebound_core::{Program, known_violations};
/// let program: Program = "stomach -> abdomen".parse()?;
/// let labels = [true, false];
/// assert_eq!(known_violations(&program, &labels, &[true, true]).count(), 1);
/// assert_eq!(known_violations(&program, &labels, &[true, false]).count(), 0);
/// # Ok::<(), rulebound_core::RuleErrors>(())
/// ```
///
/// # Panics
/// If there is not one label and one mark per class.
pub fn known_violations<'a>(
    program: &'a Program,
    labels: &'a [bool],
    known: &'a [bool],
) -> impl Iterator<Item = RuleId> + 'a {
    program.rule_ids().filter(move |&rule| {
        let rule = program.rule(rule);
        let head = rule.head().index();
        known[head]
            && !labels[head]
            && rule.body().iter().all(|body| known[body.label().index()] && body.holds(labels))
    })
}

/// The requirements that a batch of predictions breaks, row-major `[batch × classes]`, with the row from
/// 0; ordered by row, then by requirement.
///
/// ```
/// use rulebound_core::{Program, broken_requirements};
/// let program: Program = "exclusive(red, green)".parse()?;
/// assert_eq!(broken_requirements(&program, &[true, true, true, false]).count(), 1);
/// # Ok::<(), rulebound_core::RuleErrors>(())
/// ```
pub fn broken_requirements<'a>(
    program: &'a Program,
    predicted: &'a [bool],
) -> impl Iterator<Item = (usize, RequirementId)> + 'a {
    let rows = predicted.chunks(program.labels().len().max(1)).enumerate();
    rows.flat_map(move |(row, predicted)| {
        let broken = move |id: &RequirementId| !program.requirement(*id).holds(predicted);
        program.requirement_ids().filter(broken).map(move |id| (row, id))
    })
}

/// The requirements that one row of labels breaks although some labels are not known: whatever those
/// are, it does not hold.
///
/// # Panics
/// If there is not one label and one mark per class.
pub fn known_broken_requirements<'a>(
    program: &'a Program,
    labels: &'a [bool],
    known: &'a [bool],
) -> impl Iterator<Item = RequirementId> + 'a {
    let is_known = move |literal: &Literal| known[literal.label().index()];
    let is_broken = move |one: &Requirement| {
        let held = |literal: &&Literal| is_known(literal) && literal.holds(labels);
        let failed = |literal: &&Literal| is_known(literal) && !literal.holds(labels);
        let is_guarded = one.guard().iter().all(|literal| held(&literal));
        is_guarded
            && match one.claim() {
                Claim::Any(literals) => literals.iter().all(|literal| failed(&literal)),
                Claim::Count { least, most, members } => {
                    let left = members.len() - members.iter().filter(failed).count();
                    members.iter().filter(held).count() > *most as usize || left < *least as usize
                }
            }
    };
    program.requirement_ids().filter(move |&id| is_broken(program.requirement(id)))
}

/// The constraint violations of a batch of margins, row-major
/// `[batch × classes]`, ordered by row, then by rule. A margin of 0 counts as
/// what the layer turns it into.
pub fn constraint_violations<'a, F: Margin>(
    program: &'a Program,
    margins: &'a [F],
) -> impl Iterator<Item = Violation> + 'a {
    by_row(program, margins, |rule, row: &[F]| {
        let rule = program.rule(rule);
        let value = |label: LabelId| row[label.index()].canonical();
        let worth = |literal: &Literal| {
            let value = value(literal.label());
            if literal.is_negated() { -value } else { value }
        };
        let head = value(rule.head());
        // min(body) > head, without the minimum; the value of an empty body is TRUE.
        F::TRUE > head && rule.body().iter().all(|literal| worth(literal) > head)
    })
}

fn by_row<'a, T>(
    program: &'a Program,
    batch: &'a [T],
    broken: impl Fn(RuleId, &[T]) -> bool + Copy + 'a,
) -> impl Iterator<Item = Violation> + 'a {
    batch.chunks(program.labels().len().max(1)).enumerate().flat_map(move |(row, values)| {
        program
            .rule_ids()
            .filter(move |&rule| broken(rule, values))
            .map(move |rule| Violation { row, rule })
    })
}
