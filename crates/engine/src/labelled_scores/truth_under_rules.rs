//! Ground truth that breaks rules: counted, and kept, completed or refused.

use rulebound_core::Program;
use serde::Serialize;

use crate::broken_lines::ProgramLine;
use crate::completion::Completion;
use crate::label_policy::LabelPolicy;

/// A row of the ground truth breaks a rule, and the label policy is strict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("row {row} of the ground truth breaks the rule `{rule}`")]
pub struct BrokenTruth {
    /// The row, from 1.
    pub row: u64,
    /// The rule.
    pub rule: String,
}

/// How the ground truth agrees with the rules, and what was done where it does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct TruthUnderRules {
    /// How many rows of the ground truth broke a rule as they were given, or break a requirement.
    pub incoherent_truth_rows: usize,
    /// How many of them broke a rule.
    #[serde(skip)]
    pub rows_breaking_rules: usize,
    /// What was done with them.
    pub label_policy: LabelPolicy,
}

impl TruthUnderRules {
    /// Applies a policy to the ground truth, row-major `[rows × classes]`, in place. Where labels are
    /// not known, `known` has a mark for each: a rule is broken only by labels that are known, and what
    /// is completed is known afterwards.
    ///
    /// # Errors
    /// [`BrokenTruth`] if the policy is strict and a row breaks a rule.
    pub fn apply(
        program: &Program,
        truth: &mut [bool],
        mut known: Option<&mut [bool]>,
        label_policy: LabelPolicy,
    ) -> Result<Self, BrokenTruth> {
        let mut completion = Completion::new(program);
        let (mut incoherent_truth_rows, mut rows_breaking_rules) = (0, 0);
        let classes = program.labels().len();
        let mut all = vec![true; classes];
        for (row, truth) in truth.chunks_exact_mut(classes.max(1)).enumerate() {
            let known = match &mut known {
                Some(known) => &mut known[row * classes..][..classes],
                None => &mut all[..],
            };
            let mut first = ProgramLine::broken(program, truth, known).find(|line| line.is_rule());
            rows_breaking_rules += usize::from(first.is_some());
            if label_policy == LabelPolicy::Complete {
                completion.complete_known(truth, known);
            }
            // A requirement is never repaired: it does not say which class gives way.
            first = first.or_else(|| ProgramLine::broken(program, truth, known).next());
            let Some(line) = first else { continue };
            if label_policy == LabelPolicy::Strict {
                let rule = line.text(program);
                return Err(BrokenTruth { row: row as u64 + 1, rule });
            }
            incoherent_truth_rows += 1;
        }
        Ok(Self { incoherent_truth_rows, rows_breaking_rules, label_policy })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truth_is_kept_completed_or_refused() {
        let program: Program = "a -> b".parse().unwrap();
        let given = [true, false, false, true];
        let apply = |policy| {
            let mut truth = given;
            TruthUnderRules::apply(&program, &mut truth, None, policy)
                .map(|told| (told.incoherent_truth_rows, truth))
        };
        assert_eq!(apply(LabelPolicy::Keep).unwrap(), (1, given));
        assert_eq!(apply(LabelPolicy::Complete).unwrap(), (1, [true, true, false, true]));
        let error = apply(LabelPolicy::Strict).unwrap_err().to_string();
        assert_eq!(error, "row 1 of the ground truth breaks the rule `a -> b`");
    }

    #[test]
    fn a_broken_requirement_is_reported_and_not_repaired() {
        let program: Program = "a -> b\nexclusive(b, c)".parse().unwrap();
        let given = [true, false, true, false, true, true, false, false, true];
        let apply = |policy| {
            let mut truth = given;
            TruthUnderRules::apply(&program, &mut truth, None, policy)
                .map(|told| (told.incoherent_truth_rows, truth))
        };
        assert_eq!(apply(LabelPolicy::Keep).unwrap(), (2, given));
        let completed = [true, true, true, false, true, true, false, false, true];
        assert_eq!(apply(LabelPolicy::Complete).unwrap(), (2, completed));
        let mut truth = [false, true, true];
        let strict = TruthUnderRules::apply(&program, &mut truth, None, LabelPolicy::Strict);
        let error = strict.unwrap_err().to_string();
        assert_eq!(error, "row 1 of the ground truth breaks the rule `exclusive(b, c)`");
    }
}
