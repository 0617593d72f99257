//! All there is to say about some predictions, and how it is written as JSON.

use rulebound_core::Program;
use rulebound_core::metrics::{Columns, LabelsInMetrics, MetricError, Metrics, Score};
use serde::{Deserialize, Serialize};

use super::error::EvaluateError;
use super::truth_policy::TruthUnderRules;
use crate::broken_lines::{BrokenLines, BrokenRequirement, BrokenRule};
use crate::configuration::LabelPolicy;

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

impl Evaluation {
    /// Evaluates predictions, with options that [`EvaluationRequest`] has.
    ///
    /// ```
    /// use rulebound::Evaluation;
    /// use rulebound::core::Program;
    /// use rulebound::evaluate::ScoredRows;
    /// use rulebound::core::metrics::Metric;
    /// let program: Program = "stomach -> abdomen".parse()?;
    /// let (scores, truth) = ([0.9f32, 0.2, 0.4, 0.7], [true, true, false, true]);
    /// let decisions = scores.map(|score| score > 0.5);
    /// let rows = ScoredRows { scores: &scores, decisions: &decisions, truth: &truth, classes: 2 };
    /// let evaluation = Evaluation::of(rows).rules(&program).compute()?;
    /// assert_eq!(evaluation.metrics.get(Metric::HammingLoss), Some(0.25));
    /// assert_eq!(evaluation.violations.map(|broken| broken.rows), Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of<F: Score>(rows: ScoredRows<'_, F>) -> EvaluationRequest<'_, F> {
        let labels_in_metrics = LabelsInMetrics::All;
        let (label_policy, truth) = (LabelPolicy::Keep, None);
        EvaluationRequest {
            rows,
            program: None,
            evaluated: None,
            labels_in_metrics,
            label_policy,
            truth,
            known: None,
        }
    }
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// Predictions and the truth, all row-major `[rows × classes]`.
#[derive(Clone, Copy, Debug)]
pub struct ScoredRows<'a, F> {
    /// What classes are ranked by.
    pub scores: &'a [F],
    /// Which classes are predicted.
    pub decisions: &'a [bool],
    /// Which classes are true.
    pub truth: &'a [bool],
    /// How many classes there are.
    pub classes: usize,
}

/// An evaluation with its options; [`compute`](Self::compute) does the work.
#[derive(Clone, Copy, Debug)]
pub struct EvaluationRequest<'a, F> {
    rows: ScoredRows<'a, F>,
    program: Option<&'a Program>,
    evaluated: Option<&'a [bool]>,
    labels_in_metrics: LabelsInMetrics,
    label_policy: LabelPolicy,
    truth: Option<TruthUnderRules>,
    known: Option<&'a [bool]>,
}

impl<'a, F: Score> EvaluationRequest<'a, F> {
    /// Rules whose violations are counted, over all classes [default: none].
    #[must_use]
    pub fn rules(mut self, program: impl Into<Option<&'a Program>>) -> Self {
        self.program = program.into();
        self
    }

    /// Which classes may count in the metrics [default: all].
    #[must_use]
    pub fn evaluated(mut self, evaluated: &'a [bool]) -> Self {
        self.evaluated = Some(evaluated);
        self
    }

    /// Which classes count [default: all that are evaluated]. With [`LabelsInMetrics::Seen`],
    /// [`evaluated`](Self::evaluated) is to say which classes were seen in training.
    #[must_use]
    pub fn labels_in_metrics(mut self, labels: LabelsInMetrics) -> Self {
        self.labels_in_metrics = labels;
        self
    }

    /// What to do with rows of the ground truth that break a rule [default: keep them].
    #[must_use]
    pub fn label_policy(mut self, policy: LabelPolicy) -> Self {
        self.label_policy = policy;
        self
    }

    /// Which labels of the ground truth are known, row-major; the others do not count in the metrics
    /// [default: all].
    #[must_use]
    pub fn known(mut self, known: impl Into<Option<&'a [bool]>>) -> Self {
        self.known = known.into();
        self
    }

    /// A policy was already applied to the ground truth, with this result.
    #[must_use]
    pub(super) fn applied(mut self, truth: impl Into<Option<TruthUnderRules>>) -> Self {
        self.truth = truth.into();
        self
    }

    /// Evaluates.
    ///
    /// # Errors
    /// If the sizes do not fit each other or the classes of the rules, a score of a class that
    /// counts is NaN, or the policy is strict and a row of the ground truth breaks a rule.
    pub fn compute(&self) -> Result<Evaluation, EvaluateError> {
        let ScoredRows { scores, decisions, truth, classes } = self.rows;
        let all = vec![true; classes];
        let evaluated = self.evaluated.unwrap_or(&all);
        if let Some(program) = self.program.filter(|program| program.labels().len() != classes) {
            let rules = program.labels().len();
            return Err(EvaluateError::Classes { rules, evaluated: classes });
        }
        if let Some(found) = self.known.map(<[bool]>::len).filter(|&found| found != truth.len()) {
            return Err(MetricError::Sizes { expected: truth.len(), found }.into());
        }
        let mut completed = Vec::new();
        let mut known = self.known.map(<[bool]>::to_vec);
        let (truth, under_rules) = match (self.program, self.truth) {
            (Some(program), None) => {
                completed.extend_from_slice(truth);
                let marks = known.as_deref_mut();
                let told =
                    TruthUnderRules::apply(program, &mut completed, marks, self.label_policy)?;
                (&completed[..], Some(told))
            }
            (_, told) => (truth, told),
        };
        let mut columns = Columns::new(evaluated, truth, self.labels_in_metrics)?;
        let unknown_label_cells = known.iter().flatten().filter(|is_known| !**is_known).count();
        if let Some(known) = known.filter(|_| unknown_label_cells > 0) {
            columns = columns.with_known(known)?;
        }
        let metrics = Metrics::new(scores, decisions, truth, &columns)?;
        let rows = truth.len().checked_div(classes).unwrap_or(0);
        let mut broken = BrokenLines::default();
        if let Some(program) = self.program {
            broken = BrokenLines::new(program);
            broken.add(program, decisions);
        }
        let violations = self.program.map(|_| {
            let broken = broken.incoherent_rows as usize;
            ViolationRate { rows: broken, rate: (rows > 0).then(|| broken as f64 / rows as f64) }
        });
        let with_requirements = self.program.filter(|program| program.has_requirements());
        let classes = columns.counted().len();
        let truth = under_rules;
        Ok(Evaluation {
            metrics,
            violations,
            rows_breaking_rules: with_requirements.map(|_| broken.breaking_rules),
            rows_breaking_requirements: with_requirements.map(|_| broken.breaking_requirements),
            broken_rules: self.program.map(|program| broken.rules(program)).unwrap_or_default(),
            broken_requirements: self
                .program
                .map(|program| broken.requirements(program))
                .unwrap_or_default(),
            truth,
            hidden_classes: 0,
            unknown_label_cells,
            rows,
            classes,
        })
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
            Evaluation::of(ScoredRows { scores: &none, decisions: &[], truth: &[], classes: 2 })
                .rules(&program)
                .compute();
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
        let (scores, all) = (&[0.5f32; 2], &[true; 2]);
        let rows = ScoredRows { scores, decisions: all, truth: all, classes: 2 };
        let evaluation = Evaluation::of(rows).rules(&program).compute();
        let expected = EvaluateError::Classes { rules: 3, evaluated: 2 }.to_string();
        assert_eq!(evaluation.unwrap_err().to_string(), expected);
    }

    #[test]
    fn a_class_that_is_not_evaluated_can_still_break_a_rule() {
        let program: Program = "a -> root".parse().unwrap();
        let rows = ScoredRows {
            scores: &[0.9, 0.1],
            decisions: &[true, false],
            truth: &[true, true],
            classes: 2,
        };
        let evaluation = Evaluation::of(rows)
            .rules(&program)
            .evaluated(&[true, false])
            .labels_in_metrics(LabelsInMetrics::Present)
            .compute()
            .unwrap();
        assert_eq!(evaluation.classes, 1);
        assert_eq!(evaluation.metrics.get(Metric::HammingLoss), Some(0.0));
        assert_eq!(evaluation.violations, Some(ViolationRate { rows: 1, rate: Some(1.0) }));
    }
}
