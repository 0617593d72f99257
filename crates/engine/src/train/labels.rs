//! The labels that a run learns from, under its policy on labels that break rules.

use std::ops::Range;

use rulebound_core::{ConstraintLayer, LabelId, Program, Rule, Thresholds, logical_violations};

use super::error::TrainError;
use crate::configuration::{LabelPolicy, Method};
use crate::dataset::{Dataset, LabelMatrix};

/// Rows whose labels break a rule, and the rules they break.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BrokenLabels {
    /// The number of such rows.
    pub rows: usize,
    /// The first few broken rules, as text.
    pub rules: Vec<String>,
}

/// The number of rules that a warning names.
const NAMED: usize = 5;

/// The labels that a run learns from under its policy, and which of the given labels break rules.
///
/// # Errors
/// [`TrainError::BrokenLabels`] if the policy is strict and a row of `rows` breaks a rule.
pub fn prepare_labels(
    data: &Dataset,
    rows: Range<usize>,
    policy: LabelPolicy,
    method: Method,
) -> Result<(LabelMatrix, BrokenLabels), TrainError> {
    let program = data.program();
    let classes = program.labels().len();
    let mut broken = BrokenLabels::default();
    let mut labels = LabelMatrix::new(classes);
    let mut truth = vec![false; classes];
    let layer = ConstraintLayer::new(program, Thresholds::uniform(classes, 0.5)?);
    let mut space = layer.workspace::<f32>();
    for row in 0..data.rows() {
        data.labels().unpack(row, &mut truth);
        if rows.contains(&row) {
            let mut rules = logical_violations(program, &truth).peekable();
            if let Some(first) = rules.peek() {
                let text = |rule: &Rule| rule.display(program.labels()).to_string();
                if policy == LabelPolicy::Strict {
                    let rule = text(program.rule(first.rule));
                    return Err(TrainError::BrokenLabels { row: row - rows.start + 1, rule });
                }
                broken.rows += 1;
                for violation in rules {
                    let rule = text(program.rule(violation.rule));
                    if broken.rules.len() < NAMED && !broken.rules.contains(&rule) {
                        broken.rules.push(rule);
                    }
                }
                if policy == LabelPolicy::Complete {
                    let margins: Vec<f32> =
                        truth.iter().map(|&holds| if holds { 1.0 } else { -1.0 }).collect();
                    let mut complete = vec![0.0; classes];
                    layer.forward(&margins, &mut complete, &mut space)?;
                    truth.iter_mut().zip(complete).for_each(|(holds, m)| *holds = m > 0.0);
                }
            }
        }
        if method == Method::Complement {
            truth = complement(program, &truth);
        }
        let new = labels.push_row();
        for class in (0..classes).filter(|&class| truth[class]) {
            labels.insert(new, LabelId::new(class));
        }
    }
    Ok((labels, broken))
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
