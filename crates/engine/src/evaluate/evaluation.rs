//! All there is to say about some predictions, and how it is written as JSON.

use rulebound_core::metrics::{Columns, LabelsInMetrics, Metrics, Score};
use rulebound_core::{Program, Violations};
use serde::{Deserialize, Serialize};

use super::error::EvaluateError;

/// How many predictions break a rule.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct ViolationRate {
    /// How many rows break at least one rule.
    pub rows: usize,
    /// Their share of all rows; `None` where there is no row.
    pub rate: Option<f64>,
}

/// What predictions are worth.
///
/// Written as one flat JSON object: every metric by its name, then `violations`, `rows` and
/// `classes`. What is undefined is `null`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Evaluation {
    /// The metrics.
    #[serde(flatten)]
    pub metrics: Metrics,
    /// How many rows break a rule; `None` where no rules are given.
    pub violations: Option<ViolationRate>,
    /// How many rows there are.
    pub rows: usize,
    /// How many classes count in the metrics.
    pub classes: usize,
}

impl Evaluation {
    /// Evaluates scores and decisions against the truth, all row-major `[rows × classes]`.
    /// `evaluated` says which classes may count; rules are looked at for all classes.
    ///
    /// ```
    /// use rulebound::evaluate::Evaluation;
    /// use rulebound_core::Program;
    /// use rulebound_core::metrics::{LabelsInMetrics, Metric};
    /// let program: Program = "stomach -> abdomen".parse()?;
    /// let (scores, truth) = ([0.9f32, 0.2, 0.4, 0.7], [true, true, false, true]);
    /// let decisions = scores.map(|score| score > 0.5);
    /// let evaluation = Evaluation::new(
    ///     Some(&program), &scores, &decisions, &truth, &[true; 2], LabelsInMetrics::Present,
    /// )?;
    /// assert_eq!(evaluation.metrics.get(Metric::HammingLoss), Some(0.25));
    /// assert_eq!(evaluation.violations.map(|broken| broken.rows), Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the sizes do not fit each other or the classes of the program, or a score of a class that
    /// counts is NaN.
    pub fn new<F: Score>(
        program: Option<&Program>,
        scores: &[F],
        decisions: &[bool],
        truth: &[bool],
        evaluated: &[bool],
        labels_in_metrics: LabelsInMetrics,
    ) -> Result<Self, EvaluateError> {
        let classes = evaluated.len();
        if let Some(program) = program.filter(|program| program.labels().len() != classes) {
            let rules = program.labels().len();
            return Err(EvaluateError::Classes { rules, evaluated: classes });
        }
        let columns = Columns::new(evaluated, truth, labels_in_metrics)?;
        let metrics = Metrics::new(scores, decisions, truth, &columns)?;
        let rows = truth.len().checked_div(classes).unwrap_or(0);
        let violations = program.map(|program| {
            let broken = Violations::logical(program, decisions).rows();
            ViolationRate { rows: broken, rate: (rows > 0).then(|| broken as f64 / rows as f64) }
        });
        Ok(Self { metrics, violations, rows, classes: columns.counted().len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rulebound_core::metrics::Metric;

    #[test]
    fn what_is_undefined_is_null() {
        let none: [f64; 0] = [];
        let program: Program = "a -> b".parse().unwrap();
        let evaluation =
            Evaluation::new(Some(&program), &none, &[], &[], &[true; 2], LabelsInMetrics::All);
        let value = serde_json::to_value(evaluation.unwrap()).unwrap();
        assert_eq!(value.as_object().unwrap().len(), 13);
        assert!(value["auprc"].is_null() && value["macro_f1"].is_null());
        assert_eq!(value["violations"], serde_json::json!({ "rows": 0, "rate": null }));
        assert_eq!((&value["rows"], &value["classes"]), (&0.into(), &2.into()));
    }

    #[test]
    fn rules_of_other_classes_are_refused() {
        let program: Program = "a -> b\nb -> c".parse().unwrap();
        let evaluation = Evaluation::new(
            Some(&program),
            &[0.5f32; 2],
            &[true; 2],
            &[true; 2],
            &[true; 2],
            LabelsInMetrics::Present,
        );
        let expected = EvaluateError::Classes { rules: 3, evaluated: 2 }.to_string();
        assert_eq!(evaluation.unwrap_err().to_string(), expected);
    }

    #[test]
    fn a_class_that_is_not_evaluated_can_still_break_a_rule() {
        let program: Program = "a -> root".parse().unwrap();
        let evaluation = Evaluation::new(
            Some(&program),
            &[0.9, 0.1],
            &[true, false],
            &[true, true],
            &[true, false],
            LabelsInMetrics::Present,
        )
        .unwrap();
        assert_eq!(evaluation.classes, 1);
        assert_eq!(evaluation.metrics.get(Metric::HammingLoss), Some(0.0));
        assert_eq!(evaluation.violations, Some(ViolationRate { rows: 1, rate: Some(1.0) }));
    }
}
