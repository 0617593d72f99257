//! Calibrated models: coherent bit for bit, the same decisions where thresholds were set, saved and
//! loaded, and other models as they were.
#![allow(clippy::unwrap_used)]

#[path = "../../core/tests/strategy/mod.rs"]
mod strategy;

use proptest::prelude::*;
use rulebound::calibration::{Calibration, CalibrationError, CalibrationMethod};
use rulebound::core::metrics::LabelsInMetrics;
use rulebound::core::{LabelId, Labels, Thresholds, Violations};
use rulebound::dataset::{Builtin, Split, Step};
use rulebound::labelled_scores::{LabelledScores, ScoresOf};
use rulebound::predict::{Head, Predictions};
use rulebound::{Model, Trainer};

/// A calibration fitted on random rows: a few classes get maps of their own.
fn calibration(classes: usize) -> impl Strategy<Value = Calibration> {
    let rows = 60;
    (
        prop::collection::vec(-6.0..6.0f32, rows * classes),
        prop::collection::vec(any::<bool>(), rows * classes),
    )
        .prop_map(move |(logits, truth)| {
            let labels = Labels::new((0..classes).map(|class| class.to_string())).unwrap();
            let logits = LabelledScores::new(&labels, &logits, ScoresOf::Model, &truth);
            Calibration::fit(CalibrationMethod::Isotonic, &logits).unwrap()
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn calibrated_predictions_obey_the_rules_bit_for_bit(
        (program, logits, calibration) in prop_oneof![strategy::program(6, 9), strategy::hierarchy(6)]
            .prop_flat_map(|program| {
                let classes = program.labels().len();
                let logits = prop::collection::vec(-9.0..9.0f32, 8 * classes);
                (Just(program), logits, calibration(classes))
            }),
        threshold in 0.05..0.95f64,
    ) {
        let labels = program.labels();
        let thresholds = Thresholds::uniform(labels.len(), threshold).unwrap();
        let of = |rules, thresholds: &Thresholds, calibration| {
            let mut head = Head::new(labels, thresholds, rules).calibrated(calibration);
            let mut predictions = Predictions::default();
            head.predict(&logits, &mut predictions).unwrap();
            predictions
        };
        let predictions = of(Some(&program), &thresholds, Some(&calibration));
        prop_assert_eq!(Violations::constraint(&program, predictions.margins()).total(), 0);
        prop_assert_eq!(Violations::logical(&program, &predictions.decisions()).total(), 0);
        let above = |(at, p): (usize, &f32)| {
            f64::from(*p) > thresholds.value(LabelId::new(at % labels.len()))
        };
        let probabilities = predictions.probabilities();
        let decided: Vec<bool> = probabilities.iter().enumerate().map(above).collect();
        prop_assert_eq!(decided, predictions.decisions());

        // Mapped thresholds decide as before, unless a score is at its threshold but for rounding.
        let near = |(at, logit): (usize, &f32)| {
            (f64::from(*logit) - thresholds.logit(LabelId::new(at % labels.len()))).abs() < 1e-3
        };
        if !logits.iter().enumerate().any(near) {
            let mapped = calibration.thresholds(&thresholds);
            let before = of(Some(&program), &thresholds, None).decisions();
            prop_assert_eq!(of(Some(&program), &mapped, Some(&calibration)).decisions(), before);
        }
    }
}

fn trained() -> (Model, rulebound::Dataset) {
    let data = Builtin::ThreeClasses.generate(Step::HALFWAY, 0).unwrap();
    (Trainer::new().hidden([8]).epochs(3).fit(&data).unwrap(), data)
}

fn calibrated(model: &Model, data: &rulebound::Dataset, method: CalibrationMethod) -> Model {
    let rows = data.split(Split::Train).unwrap();
    let fitted = Calibration::fit(method, &model.score(data, rows).unwrap()).unwrap();
    model.clone().with_calibration(fitted).unwrap()
}

#[test]
fn calibration_lowers_the_calibration_error() {
    let (model, data) = trained();
    let brier = |model: &Model| {
        let scored = model.score(&data, data.split(Split::Test).unwrap()).unwrap();
        let rows = model.measured(&scored, LabelsInMetrics::All).unwrap();
        let further = rows.figures(true).unwrap().further.unwrap();
        [
            rulebound::core::metrics::FurtherMetric::Brier,
            rulebound::core::metrics::FurtherMetric::CalibrationError,
        ]
        .map(|metric| further.get(metric).unwrap())
    };
    let [before, error_before] = brier(&model);
    for method in CalibrationMethod::ALL {
        let [after, error_after] = brier(&calibrated(&model, &data, method));
        assert!(
            after <= before && error_after < error_before,
            "{method}: {before} {after} {error_before} {error_after}"
        );
    }
}

#[test]
fn a_calibrated_model_is_saved_and_loaded() {
    let (model, data) = trained();
    let folder = tempfile::tempdir().unwrap();
    let [plain, path] = ["plain", "calibrated"].map(|name| folder.path().join(name));
    let model = model.with_thresholds(Thresholds::uniform(3, 0.3).unwrap());
    model.save(&plain).unwrap();
    assert!(Model::load(&plain).unwrap().calibration().is_none());
    let bytes = std::fs::read(&plain).unwrap();
    assert!(!bytes.windows(11).any(|part| part == b"calibration"));
    for method in CalibrationMethod::ALL {
        let ours = calibrated(&model, &data, method);
        ours.save(&path).unwrap();
        let loaded = Model::load(&path).unwrap();
        assert_eq!(loaded.calibration(), ours.calibration());
        let rows = || data.split(Split::Test).unwrap();
        let [a, b, before] =
            [&ours, &loaded, &model].map(|model| model.predict(&data, rows()).unwrap());
        assert_eq!(a.margins(), b.margins());
        assert_ne!(a.margins(), before.margins());
        // Its thresholds were set, so it decides as before.
        let differ =
            a.decisions().iter().zip(before.decisions()).filter(|(a, b)| **a != *b).count();
        assert_eq!(differ, 0, "{method}");
        assert_ne!(loaded.thresholds(), model.thresholds());
        let again = loaded.clone().with_calibration(ours.calibration().unwrap().clone());
        assert_eq!(again.err(), Some(CalibrationError::Calibrated));
    }
}

#[test]
fn thresholds_of_one_half_stay() {
    let (model, data) = trained();
    let ours = calibrated(&model, &data, CalibrationMethod::Isotonic);
    assert_eq!(ours.thresholds(), model.thresholds());
    assert_eq!(ours.calibration().unwrap().isotonic_classes(), 3);
    assert_eq!(
        calibrated(&model, &data, CalibrationMethod::Temperature)
            .calibration()
            .unwrap()
            .isotonic_classes(),
        0
    );
}

#[test]
fn rows_of_one_kind_cannot_be_calibrated_on() {
    let fit = |truth: &[bool]| {
        let labels = Labels::new(["a"]).unwrap();
        let logits = LabelledScores::new(&labels, &[1.0, 2.0], ScoresOf::Model, truth);
        Calibration::fit(CalibrationMethod::Temperature, &logits)
    };
    assert_eq!(fit(&[true, true]).err(), Some(CalibrationError::OneSided { rows: 2 }));
    assert_eq!(fit(&[false, false]).err(), Some(CalibrationError::OneSided { rows: 2 }));
    assert!(fit(&[true, false]).is_ok());
}

/// An explanation of a calibrated model speaks of the scores that decided.
#[test]
fn explanations_are_of_the_calibrated_scores() {
    let (model, data) = trained();
    let ours = calibrated(&model, &data, CalibrationMethod::Isotonic);
    let row = data.split(Split::Test).unwrap().start;
    let cells = data.features(row).to_vec();
    let rows = || rulebound::predict::FeatureRows::dense(&cells, cells.len()).unwrap();
    let mut raw = Predictions::default();
    ours.predictor_with(None, data.columns()).unwrap().predict(rows(), &mut raw).unwrap();
    let mut predictor = ours.predictor(data.columns()).unwrap();
    let explanation = predictor.explain(rows(), 0).unwrap();
    for label in data.classes().ids() {
        assert_eq!(explanation.network_score(label), f64::from(raw.margins()[label.index()]));
    }
}

/// What is not known is not fitted on: as if the cells were not there.
#[test]
fn unknown_label_cells_are_not_calibrated_on() {
    let logits: Vec<f32> = (0..200).map(|at| (at as f32 - 100.0) / 20.0).collect();
    let truth: Vec<bool> = (0..200).map(|at| at % 3 == 0 || at > 120).collect();
    let known: Vec<bool> = (0..200).map(|at| at % 4 != 0).collect();
    let marked: Vec<bool> = truth.iter().zip(&known).map(|(truth, known)| truth & known).collect();
    let kept = |at: &usize| known[*at];
    let fewer: Vec<f32> = (0..200).filter(kept).map(|at| logits[at]).collect();
    let fewer_truth: Vec<bool> = (0..200).filter(kept).map(|at| truth[at]).collect();
    let labels = Labels::new(["a"]).unwrap();
    for method in CalibrationMethod::ALL {
        let fit = |rows: &LabelledScores<'_, f32>| Calibration::fit(method, rows).unwrap();
        let all = LabelledScores::new(&labels, &logits, ScoresOf::Model, &marked);
        let masked = fit(&all.clone().with_known(&known[..]));
        let without = fit(&LabelledScores::new(&labels, &fewer, ScoresOf::Model, &fewer_truth));
        for logit in [-4.0, -0.5, 0.0, 1.25, 7.0] {
            let label = LabelId::new(0);
            assert_eq!(masked.logit(label, logit), without.logit(label, logit));
        }
        let unmasked = fit(&all);
        assert_ne!(unmasked.temperature(), masked.temperature());
    }
}
