//! All there is to say about some predictions, and how it is written as JSON.

use rulebound_core::metrics::{MetricError, Metrics, Score};
use serde::{Deserialize, Serialize};

use super::error::EvaluateError;
use crate::broken_lines::{BrokenLines, BrokenRequirement, BrokenRule};
use crate::label_policy::LabelPolicy;
use crate::labelled_scores::{LabelledPredictions, LabelledScores, TruthUnderRules};

/// How many predictions break a rule or a requirement.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct ViolationRate {
    /// How many rows break at least one rule or requirement.
    #[serde(rename = "incoherent_rows")]
    pub rows: usize,
    /// Their share of all rows; `None` where there is no row.
    #[serde(rename = "violation_rate")]
    pub rate: Option<f64>,
}

/// What predictions are worth.
///
/// Written as one flat JSON object: every metric by its name, then `incoherent_rows` and `violation_rate`
/// where rules are given, `rows` and `classes`. What is undefined is `null`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Evaluation {
    /// The metrics.
    #[serde(flatten)]
    pub metrics: Metrics,
    /// How many rows break a rule or a requirement; `None` where no rules are given.
    #[serde(flatten)]
    pub violations: Option<ViolationRate>,
    /// How many rows break a rule; `None` where there are no requirements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_breaking_rules: Option<u64>,
    /// How many rows break a requirement; `None` where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_breaking_requirements: Option<u64>,
    /// The rules that rows break, most often broken first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub broken_rules: Vec<BrokenRule>,
    /// The requirements that rows break, most often broken first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub broken_requirements: Vec<BrokenRequirement>,
    /// How the ground truth agrees with the rules; `None` where no rules are given.
    #[serde(flatten)]
    pub truth: Option<TruthUnderRules>,
    /// How many classes of the rules have no scores and are hidden.
    #[serde(skip_serializing_if = "is_none")]
    pub hidden_classes: usize,
    /// How many labels of the ground truth are not known: they do not count in the metrics.
    #[serde(skip_serializing_if = "is_none")]
    pub unknown_label_cells: usize,
    /// How many rows there are.
    pub rows: usize,
    /// How many classes count in the metrics.
    pub classes: usize,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

impl<F: Score> LabelledPredictions<'_, F> {
    /// Evaluates them. Rows of the ground truth that break a rule are counted; a
    /// [`TruthUnderRules`] that completes or refuses them is applied before.
    ///
    /// # Errors
    /// If the sizes do not fit each other or the classes of the rules, or a score of a class that
    /// counts is NaN.
    pub fn evaluate(&self) -> Result<Evaluation, EvaluateError> {
        let LabelledScores { scores, truth, known, .. } = &self.rows;
        let (classes, program) = (self.rows.evaluated.len(), self.rows.program());
        if let Some(program) = program.filter(|program| program.labels().len() != classes) {
            let rules = program.labels().len();
            return Err(EvaluateError::Classes { rules, evaluated: classes });
        }
        let marks = known.as_ref().map(|known| known.len());
        if let Some(found) = marks.filter(|&found| found != truth.len()) {
            return Err(MetricError::Sizes { expected: truth.len(), found }.into());
        }
        let under_rules = match (program, self.rows.under_rules) {
            (Some(program), None) => {
                let mut known = known.as_deref().map(<[bool]>::to_vec);
                let (mut truth, known) = (truth.to_vec(), known.as_deref_mut());
                Some(TruthUnderRules::apply(program, &mut truth, known, LabelPolicy::Keep)?)
            }
            (_, told) => told,
        };
        let columns = self.columns()?;
        let metrics = Metrics::new(scores, &self.decisions, truth, &columns)?;
        let rows = self.rows.rows();
        let mut broken = BrokenLines::default();
        if let Some(program) = program {
            broken = BrokenLines::new(program);
            broken.add(program, &self.decisions);
        }
        let violations = program.map(|_| {
            let broken = broken.incoherent_rows as usize;
            ViolationRate { rows: broken, rate: (rows > 0).then(|| broken as f64 / rows as f64) }
        });
        let with_requirements = program.filter(|program| program.has_requirements());
        Ok(Evaluation {
            metrics,
            violations,
            rows_breaking_rules: with_requirements.map(|_| broken.breaking_rules),
            rows_breaking_requirements: with_requirements.map(|_| broken.breaking_requirements),
            broken_rules: program.map(|program| broken.rules(program)).unwrap_or_default(),
            broken_requirements: program
                .map(|program| broken.requirements(program))
                .unwrap_or_default(),
            truth: under_rules,
            hidden_classes: self.rows.hidden,
            unknown_label_cells: self.rows.unknown_cells(),
            rows,
            classes: columns.counted().len(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labelled_scores::ScoresOf;
    use rulebound_core::metrics::{LabelsInMetrics, Metric};
    use rulebound_core::{Labels, Program};

    #[test]
    fn what_is_undefined_is_null() {
        let program: Program = "a -> b".parse().unwrap();
        let none = LabelledScores::<f64>::new(program.labels(), &[], ScoresOf::Model, &[]);
        let evaluation = none.with_rules(&program).decided(vec![], LabelsInMetrics::All).evaluate();
        let value = serde_json::to_value(evaluation.unwrap()).unwrap();
        let others = [
            "incoherent_rows",
            "violation_rate",
            "incoherent_truth_rows",
            "label_policy",
            "rows",
            "classes",
        ];
        for key in others {
            assert!(value.get(key).is_some(), "{key}");
        }
        assert_eq!(value.as_object().unwrap().len(), Metric::ALL.len() + others.len());
        assert!(value["auprc"].is_null() && value["macro_f1"].is_null());
        assert_eq!(value["incoherent_rows"], 0);
        assert!(value["violation_rate"].is_null());
        assert_eq!((&value["rows"], &value["classes"]), (&0.into(), &2.into()));
    }

    #[test]
    fn rules_of_other_classes_are_refused() {
        let program: Program = "a -> b\nb -> c".parse().unwrap();
        let (labels, all) = (Labels::new(["a", "b"]).unwrap(), [true; 2]);
        let rows = LabelledScores::new(&labels, &[0.5f32; 2], ScoresOf::Model, &all);
        let evaluation =
            rows.with_rules(&program).decided(&all[..], LabelsInMetrics::All).evaluate();
        let expected = EvaluateError::Classes { rules: 3, evaluated: 2 }.to_string();
        assert_eq!(evaluation.unwrap_err().to_string(), expected);
    }

    #[test]
    fn a_class_that_is_not_evaluated_can_still_break_a_rule() {
        let program: Program = "a -> root".parse().unwrap();
        let labels = program.labels();
        let rows = LabelledScores::new(labels, &[0.9, 0.1], ScoresOf::Model, &[true, true]);
        let rows = rows.with_rules(&program).with_evaluated(&[true, false]);
        let decided = rows.decided(vec![true, false], LabelsInMetrics::Present);
        let evaluation = decided.evaluate().unwrap();
        assert_eq!(evaluation.classes, 1);
        assert_eq!(evaluation.metrics.get(Metric::HammingLoss), Some(0.0));
        assert_eq!(evaluation.violations, Some(ViolationRate { rows: 1, rate: Some(1.0) }));
    }
}
