//! What is chosen for a trained model on rows that it was not trained on: calibration and thresholds; and what it looks at:
//! the importance of columns, and what moved a logit.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rulebound::attribution::AttributionMethod;
use rulebound::calibration::{Calibration, CalibrationMethod};
use rulebound::importance::{ImportanceOptions, largest_weights};
use rulebound::labelled_scores::LabelledScores;
use rulebound::threshold_search::{ClassCosts, Objective, ThresholdSearch};
use rulebound::{Dataset, Model};
use rulebound_core::metrics::{Counts, FurtherMetric, LabelsInMetrics};
use rulebound_core::{LabelId, Labels};
use serde_json::{Map, Value, json};

use crate::dataset::PyDataset;
use crate::failure::{evaluate_error, predict_error, value_error};
use crate::model::PyModel;
use crate::threads;

/// The same model with calibrated probabilities, and what that did, as JSON.
#[pyfunction]
pub fn calibrate(
    py: Python<'_>,
    model: &PyModel,
    data: &PyDataset,
    method: &str,
) -> PyResult<(PyModel, String)> {
    let method: CalibrationMethod = method.parse().map_err(|error| value_error(&error))?;
    let (model, data) = (&model.model, &data.data);
    let figures = |model: &Model, scored: &LabelledScores<'_, f32>| -> PyResult<Value> {
        let rows = model.measured(scored, LabelsInMetrics::All);
        let rows = rows.map_err(|error| evaluate_error(&error))?;
        let found = rows.figures(true).map_err(|error| value_error(&error))?;
        let further = found.further.unwrap_or_default();
        let (brier, ece) = (FurtherMetric::Brier, FurtherMetric::CalibrationError);
        Ok(json!({ "brier": further.get(brier), "ece": further.get(ece) }))
    };
    py.detach(|| {
        threads::run(|| {
            let scored = score(model, data)?;
            let fitted = Calibration::fit(method, &scored);
            let fitted = fitted.map_err(|error| value_error(&error))?;
            let mut told = json!({
                "method": fitted.method().name(),
                "rows": fitted.rows(),
                "temperature": fitted.temperature(),
                "isotonic_classes": fitted.isotonic_classes(),
                "thresholds_mapped": model.has_own_thresholds(),
            });
            let calibrated = model.clone().with_calibration(fitted);
            let calibrated = calibrated.map_err(|error| value_error(&error))?;
            told["before"] = figures(model, &scored)?;
            told["after"] = figures(&calibrated, &score(&calibrated, data)?)?;
            Ok((PyModel::new(calibrated), told.to_string()))
        })
    })
}

fn score<'a>(model: &'a Model, data: &Dataset) -> PyResult<LabelledScores<'a, f32>> {
    model.score(data, 0..data.rows()).map_err(|error| evaluate_error(&error))
}

/// What thresholds are chosen for: its name, the least precision, and the costs of a false positive and a false negative of
/// each class.
type Aim = (String, Option<f64>, Option<Vec<(f64, f64)>>);

/// The thresholds that are best for something, and what was found, as JSON.
#[pyfunction]
pub fn tune_thresholds(
    py: Python<'_>,
    model: &PyModel,
    data: &PyDataset,
    aim: Aim,
    one: bool,
    passes: usize,
) -> PyResult<(Vec<f64>, String)> {
    let (model, data) = (&model.model, &data.data);
    let objective = objective(aim, model.labels())?;
    let search = ThresholdSearch { objective, one, passes };
    let labels = model.labels();
    let tuned = py.detach(|| {
        threads::run(|| {
            let scored = score(model, data)?;
            let rows = model.before_thresholds(&scored);
            search.run(&rows, model.thresholds()).map_err(|error| value_error(&error))
        })
    })?;
    let thresholds: Vec<f64> = labels.ids().map(|id| tuned.thresholds.value(id)).collect();
    let told = json!({
        "rows": data.rows(),
        "classes": tuned.after.len(),
        "passes": tuned.passes,
        "at_half": f1(&tuned.half),
        "before": f1(&tuned.before),
        "after": f1(&tuned.after),
    });
    Ok((thresholds, told.to_string()))
}

fn f1(counts: &[Counts]) -> Value {
    let total = counts.iter().fold(Counts::default(), |sum, counts| Counts {
        true_positives: sum.true_positives + counts.true_positives,
        false_positives: sum.false_positives + counts.false_positives,
        false_negatives: sum.false_negatives + counts.false_negatives,
    });
    let mean = counts.iter().map(|counts| counts.f1()).sum::<f64>() / counts.len().max(1) as f64;
    json!({ "macro_f1": mean, "micro_f1": total.f1() })
}

fn objective((name, least, costs): Aim, labels: &Labels) -> PyResult<Objective> {
    match (name.as_str(), least, costs) {
        ("min_precision", Some(least), None) if (0.0..=1.0).contains(&least) => {
            Ok(Objective::MinPrecision(least))
        }
        ("costs", None, Some(costs)) if costs.len() == labels.len() => {
            let bad = |cost: f64| !(cost.is_finite() && cost >= 0.0);
            if costs.iter().any(|&(one, other)| bad(one) || bad(other)) {
                return Err(PyValueError::new_err("a cost is a number of at least 0"));
            }
            let cost =
                |(false_positive, false_negative)| ClassCosts { false_positive, false_negative };
            Ok(Objective::Costs(costs.into_iter().map(cost).collect()))
        }
        ("macro_f1", None, None) => Ok(Objective::MacroF1),
        ("micro_f1", None, None) => Ok(Objective::MicroF1),
        _ => Err(PyValueError::new_err(format!(
            "{name:?} is not an objective: there are \"macro_f1\", \"micro_f1\", min_precision from 0 to 1, and costs"
        ))),
    }
}

/// What a model loses when columns are shuffled, as JSON: those named, or the `most` with the largest weights.
#[pyfunction]
pub fn importance(
    py: Python<'_>,
    model: &PyModel,
    data: &PyDataset,
    columns: Option<Vec<String>>,
    most: usize,
    repeats: usize,
    seed: u64,
) -> PyResult<String> {
    let (model, data) = (&model.model, &data.data);
    let all = model.pipeline().columns();
    let places = match columns {
        None => largest_weights(model, most),
        Some(names) => {
            let place = |name: &String| {
                let found = all.iter().position(|column| column.name() == name);
                let absent = || PyValueError::new_err(format!("the model has no column `{name}`"));
                found.ok_or_else(absent)
            };
            names.iter().map(place).collect::<PyResult<_>>()?
        }
    };
    let options =
        ImportanceOptions { repeats, seed, columns: places, ..ImportanceOptions::default() };
    let run = || model.importance(data, 0..data.rows(), &options, || ());
    let found = py.detach(|| threads::run(run)).map_err(|error| evaluate_error(&error))?;
    let labels = model.labels();
    let columns = found.columns.iter().map(|column| {
        let classes = labels.ids().zip(labels.names());
        let classes: Map<String, Value> = classes
            .map(|(id, name)| (name.to_owned(), json!(column.classes[id.index()])))
            .collect();
        json!({
            "column": all[column.column].name(),
            "auprc": column.micro,
            "average_precision": classes,
        })
    });
    let columns: Vec<Value> = columns.collect();
    let intact = json!({ "auprc": found.intact.micro });
    Ok(json!({ "rows": found.rows, "intact": intact, "columns": columns }).to_string())
}

/// How columns moved the logit of a class in a row, as JSON, the largest parts first.
#[pyfunction]
pub fn attribution(
    py: Python<'_>,
    model: &PyModel,
    data: &PyDataset,
    row: usize,
    label: usize,
) -> PyResult<String> {
    let (model, data) = (&model.model, &data.data);
    if row >= data.rows() {
        let rows = data.rows();
        return Err(PyValueError::new_err(format!("no row {row}; there are {rows}")));
    }
    let class = LabelId::try_from(label).ok().filter(|id| id.index() < model.labels().len());
    let class = class.ok_or_else(|| PyValueError::new_err("there is no such class"))?;
    let method = model.attribution_method(AttributionMethod::Gradients);
    let attribute = || model.attribution(data.columns(), data.features(row), class, method);
    let found = py.detach(attribute).map_err(|error| predict_error(&error))?;
    Ok(json!({
        "class": model.labels().name(class),
        "method": method.name(),
        "logit": found.logit,
        "baseline_logit": found.baseline,
        "gap": found.gap,
        "columns": found.columns,
    })
    .to_string())
}
