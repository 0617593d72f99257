//! The labels of a run under its policy on labels that break rules: one matrix for the loss, the
//! monitor and the validation rows.

use std::borrow::Cow;
use std::ops::Range;

use rulebound_core::{LabelId, Program, Rule};

use super::error::TrainError;
use crate::broken_lines::ProgramLine;
use crate::completion::Completion;
use crate::configuration::{LabelPolicy, Method};
use crate::dataset::{Dataset, LabelMatrix};

/// Rows whose labels break a rule or a requirement, what they break, and what was done about it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BrokenLabels {
    /// The number of such rows.
    pub rows: usize,
    /// How many of them break a rule.
    pub breaking_rules: usize,
    /// The first few broken rules and requirements, as text.
    pub rules: Vec<String>,
    /// What the run does with them.
    pub policy: LabelPolicy,
}

/// The labels of a run.
pub(super) struct PreparedLabels<'a> {
    /// What is true under the policy: of every row, as predictions are measured against it. Borrowed from the data
    /// unless the policy changes it.
    pub truth: Cow<'a, LabelMatrix>,
    /// What the loss is computed on where that is not the truth itself.
    complemented: Option<LabelMatrix>,
    /// Which of the given labels break rules.
    pub broken: BrokenLabels,
}

/// The number of rules that a warning names.
const NAMED: usize = 5;

impl<'a> PreparedLabels<'a> {
    /// The labels of `data` under a policy, for a method.
    ///
    /// # Errors
    /// [`TrainError::BrokenLabels`] if the policy is strict and a row of `rows` breaks a rule.
    pub fn new(
        data: &'a Dataset,
        rows: Range<usize>,
        policy: LabelPolicy,
        method: Method,
    ) -> Result<Self, TrainError> {
        let program = data.program();
        let classes = program.labels().len();
        let mut broken = BrokenLabels { policy, ..BrokenLabels::default() };
        let mut completed = (policy == LabelPolicy::Complete).then(|| LabelMatrix::new(classes));
        let mut complemented = (method == Method::Complement).then(|| LabelMatrix::new(classes));
        let mut completion = Completion::new(program);
        let mut truth = vec![false; classes];
        let mut known = truth.clone();
        for row in 0..data.rows() {
            data.labels().unpack(row, &mut truth);
            data.labels().unpack_known(row, &mut known);
            if rows.contains(&row) {
                let lines: Vec<ProgramLine> =
                    ProgramLine::broken(program, &truth, &known).collect();
                if let Some(first) = lines.first() {
                    if policy == LabelPolicy::Strict {
                        let rule = first.text(program);
                        return Err(TrainError::BrokenLabels { row: row - rows.start + 1, rule });
                    }
                    broken.rows += 1;
                    broken.breaking_rules += usize::from(first.is_rule());
                    for line in lines {
                        if broken.rules.len() == NAMED {
                            break;
                        }
                        let text = line.text(program);
                        if !broken.rules.contains(&text) {
                            broken.rules.push(text);
                        }
                    }
                }
                if policy == LabelPolicy::Complete {
                    completion.complete_known(&mut truth, &mut known);
                }
            }
            if let Some(completed) = &mut completed {
                push(completed, &truth, &known);
            }
            if let Some(complemented) = &mut complemented {
                push(complemented, &complement(program, &truth), &known);
            }
        }
        let truth = completed.map_or(Cow::Borrowed(data.labels()), Cow::Owned);
        Ok(Self { truth, complemented, broken })
    }

    /// The labels that the loss is computed on.
    pub fn learned(&self) -> &LabelMatrix {
        self.complemented.as_ref().unwrap_or(&self.truth)
    }
}

fn push(labels: &mut LabelMatrix, truth: &[bool], known: &[bool]) {
    let row = labels.push_row();
    for class in (0..truth.len()).filter(|&class| truth[class]) {
        labels.insert(row, LabelId::new(class));
    }
    for class in (0..known.len()).filter(|&class| !known[class]) {
        labels.set_unknown(row, LabelId::new(class));
    }
}

/// The true classes that no rule implies: A ∖ A₁ for a rule `A1 -> A`.
pub(super) fn complement(program: &Program, truth: &[bool]) -> Vec<bool> {
    let holds = |rule: &Rule| {
        !rule.body().is_empty()
            && rule.body().iter().all(|l| truth[l.label().index()] != l.is_negated())
    };
    let implied = |class: LabelId| program.rules_of(class).iter().any(|&r| holds(program.rule(r)));
    program.labels().ids().map(|class| truth[class.index()] && !implied(class)).collect()
}
