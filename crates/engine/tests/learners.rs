//! What every method that is not a network promises: coherent predictions, the same bits from a
//! file, in any batch and with any number of threads, explanations, and refusals in words.
#![allow(clippy::unwrap_used)]

use rulebound::Trainer;
use rulebound::attribution::AttributionMethod;
use rulebound::core::metrics::{LabelsInMetrics, Metric};
use rulebound::core::{LabelId, Violations};
use rulebound::dataset::{Builtin, Dataset, Split, Step};
use rulebound::importance::{ImportanceOptions, largest_weights};
use rulebound::learner::{LearnerSettings, LevelNetworkSettings, SetOption, TwoWaySettings};
use rulebound::model::Model;
use rulebound::predict::{FeatureRows, Predictions};
use rulebound::train::{Configuration, EarlyStopping, Method, Monitor, Stopping, TrainError};

/// All methods but networks.
fn others() -> impl Iterator<Item = Method> {
    Method::all().filter(|method| !method.is_network())
}

/// A small hierarchy: one rectangle inside another.
fn rectangles() -> Dataset {
    Builtin::Rectangles.generate(Step::INSIDE, 0).unwrap()
}

/// Small learners, trained shortly: these tests are not about accuracy.
fn configuration(method: Method) -> Configuration {
    let mut learner = method.learner_settings();
    if let Some(own) = &mut learner {
        if let Some(two_way) = own.get_mut::<TwoWaySettings>() {
            two_way.hidden = vec![8];
        }
        if let Some(levels) = own.get_mut::<LevelNetworkSettings>() {
            levels.units = 8;
        }
    }
    let stopping = match method.has_epochs() {
        true => Stopping::Epochs(2),
        false => Stopping::Early(EarlyStopping::default()),
    };
    Configuration { method, learner, stopping, seed: 3, ..Configuration::default() }
}

fn fitted(method: Method, data: &Dataset) -> Model {
    Trainer::new().configuration(configuration(method)).fit(data).unwrap()
}

fn test_rows(data: &Dataset) -> Vec<f32> {
    let rows = data.split(Split::Test).unwrap().take(200);
    rows.flat_map(|row| data.features(row).to_vec()).collect()
}

fn predicted(model: &Model, data: &Dataset, cells: &[f32]) -> Predictions {
    let mut out = Predictions::default();
    let rows = FeatureRows::dense(cells, data.columns().len()).unwrap();
    model.predictor(data.columns()).unwrap().predict(rows, &mut out).unwrap();
    out
}

/// What is written of a method's settings is read as the same settings, and its options change them.
#[test]
fn settings_come_back_from_json() {
    for method in others() {
        let own = method.learner_settings().unwrap();
        assert_eq!(own.mistakes(), [], "{method}");
        let json = serde_json::to_string(&own).unwrap();
        assert_eq!(serde_json::from_str::<LearnerSettings>(&json).unwrap(), own, "{method}");
        assert_eq!(json, format!(r#"{{"{}":{}}}"#, own.kind(), own.to_json().unwrap()));
        for option in method.learner().unwrap().options {
            let mut changed = own.clone();
            match option.set {
                SetOption::Count(set) => set(&mut changed, 77),
                SetOption::Counts(set) => set(&mut changed, &[77]),
                SetOption::Number(set) => set(&mut changed, 0.7654),
                SetOption::Pair(set) => set(&mut changed, [0.75, 0.25]),
                SetOption::Name(names, set) => set(&mut changed, names[names.len() - 1]),
                SetOption::Switch(set) => set(&mut changed, true),
            }
            assert_ne!(changed, own, "{method} --{}", option.name);
        }
    }
}

#[test]
fn predictions_are_coherent_and_come_back_from_a_file() {
    let data = rectangles();
    let folder = tempfile::tempdir().unwrap();
    for method in others() {
        let model = fitted(method, &data);
        let path = folder.path().join(format!("{method}.rulebound"));
        model.save(&path).unwrap();
        let loaded = Model::load(&path).unwrap();
        assert_eq!(loaded.parts()[0].learner(), model.parts()[0].learner(), "{method}");
        let cells = test_rows(&data);
        let predictions = predicted(&model, &data, &cells);
        let again = predicted(&loaded, &data, &cells);
        assert_eq!(predictions.margins(), again.margins(), "{method}");
        let broken = Violations::constraint(data.program(), predictions.margins()).total();
        assert_eq!(broken, 0, "{method}");
        let second = folder.path().join("again.rulebound");
        loaded.save(&second).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(&second).unwrap(), "{method}");
    }
}

#[test]
fn rows_threads_and_batches_make_no_difference() {
    let data = rectangles();
    let cells = test_rows(&data);
    for method in others() {
        let model = fitted(method, &data);
        let all = predicted(&model, &data, &cells);
        let one_by_one: Vec<f32> = cells
            .chunks_exact(data.columns().len())
            .flat_map(|row| predicted(&model, &data, row).margins().to_vec())
            .collect();
        assert_eq!(all.margins(), one_by_one, "{method}");
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let same = alone.install(|| fitted(method, &data));
        assert_eq!(same.parts()[0].learner(), model.parts()[0].learner(), "{method}");
    }
}

/// The evaluation on data scores what a predictor scores.
#[test]
fn evaluation_and_prediction_agree() {
    let data = rectangles();
    let test = data.split(Split::Test).unwrap();
    for method in others() {
        let model = fitted(method, &data);
        let evaluation = model.evaluate(&data, test.clone(), LabelsInMetrics::All).unwrap();
        assert!(evaluation.ensemble.metrics.get(Metric::Auprc).is_some(), "{method}");
        let predictions = model.predict(&data, test.clone()).unwrap();
        let decisions = predictions.decisions();
        let mut truth = vec![false; data.classes().len()];
        let mut wrong = 0;
        for (at, row) in test.clone().enumerate() {
            data.labels().unpack(row, &mut truth);
            let decided = &decisions[at * truth.len()..][..truth.len()];
            wrong += decided.iter().zip(&truth).filter(|(a, b)| a != b).count();
        }
        let loss = wrong as f64 / decisions.len() as f64;
        let hamming = evaluation.ensemble.metrics.get(Metric::HammingLoss).unwrap();
        assert!((hamming - loss).abs() < 1e-12, "{method}: {hamming} {loss}");
    }
}

#[test]
fn every_learner_can_be_explained() {
    let data = rectangles();
    for method in others() {
        let model = fitted(method, &data);
        let row = data.features(data.split(Split::Test).unwrap().start);
        let asked = AttributionMethod::Gradients;
        assert_eq!(model.attribution_method(asked), AttributionMethod::Occlusion);
        let found = model.attribution(data.columns(), row, LabelId::new(0), asked).unwrap();
        assert!(!found.logit.is_nan() && !found.baseline.is_nan(), "{method}");
        let columns = largest_weights(&model, 5);
        let options = ImportanceOptions { repeats: 1, columns, ..ImportanceOptions::default() };
        let rows = data.split(Split::Test).unwrap();
        let importance = model.importance(&data, rows.start..rows.start + 100, &options, || ());
        assert_eq!(importance.unwrap().columns.len(), data.columns().len(), "{method}");
    }
}

#[test]
fn what_a_method_cannot_use_is_refused() {
    let data = rectangles();
    for method in others() {
        let is_alone = method.learner_settings().unwrap().abilities().is_deterministic;
        let result = Trainer::new().configuration(configuration(method)).members(2).fit(&data);
        if is_alone {
            let error = result.unwrap_err();
            assert!(
                matches!(&error, TrainError::Configuration(list) if list.len() == 1),
                "{error}"
            );
            assert!(error.to_string().contains("deterministic"), "{error}");
        }
    }
    let plain = Configuration { plain: true, ..Configuration::default() };
    let error = Trainer::new().configuration(plain).fit(&data).unwrap_err().to_string();
    assert!(error.contains("`none`, if predictions may break rules"), "{error}");
}

#[test]
fn without_the_layer_a_learner_is_left_alone() {
    let data = rectangles();
    for method in others() {
        let configuration = Configuration { plain: true, ..configuration(method) };
        let model = Trainer::new().configuration(configuration).fit(&data).unwrap();
        assert!(model.rules().is_none(), "{method}");
    }
}

/// The frequencies, with one pseudo-row, and nothing else.
#[test]
fn the_prior_is_the_frequency_of_each_class() {
    let data = rectangles();
    let configuration =
        Configuration { method: Method::PRIOR, plain: true, ..Configuration::default() };
    let model = Trainer::new().configuration(configuration).fit(&data).unwrap();
    let rows = data.split(Split::Train).unwrap();
    let rows = rows.chain(data.split(Split::Valid).unwrap_or_default()).collect::<Vec<_>>();
    let cells = data.features(0).to_vec();
    let probabilities = predicted(&model, &data, &cells).probabilities();
    for class in data.classes().ids() {
        let count = rows.iter().filter(|&&row| data.labels().contains(row, class)).count();
        let expected = (count as f64 + 0.5) / (rows.len() as f64 + 1.0);
        let found = f64::from(probabilities[class.index()]);
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }
}

/// Members are the same as if each were alone, early stopping is recorded, a second training takes
/// the epochs of the first, and general rules are refused in words.
#[test]
fn learners_with_epochs_search_and_are_trained_again() {
    let data = rectangles();
    for method in others().filter(|method| method.has_epochs()) {
        let early = |retrain| {
            let early = EarlyStopping { patience: 2, most: Some(4), retrain, ..Default::default() };
            Configuration { stopping: Stopping::Early(early), ..configuration(method) }
        };
        let train = |configuration| Trainer::new().configuration(configuration).fit(&data).unwrap();
        let pair = train(Configuration { members: 2, ..early(false) });
        let second = train(Configuration { seed: 4, ..early(false) });
        let logits = |model: &Model| {
            let inputs = vec![0.25; 2 * model.pipeline().width()];
            model.parts()[0].learner().member_logits(&inputs, 2)
        };
        assert_eq!(logits(&pair)[1], logits(&second)[0], "{method}");
        assert_ne!(logits(&pair)[0], logits(&pair)[1], "{method}");
        let record = &pair.training().members;
        assert_eq!(record.iter().map(|member| member.seed).collect::<Vec<_>>(), [3, 4]);
        assert!(record.iter().all(|of| of.best.is_some() && (1..=4).contains(&of.epochs)));
        let again = train(early(true));
        let epochs = again.training().members[0].epochs;
        assert_eq!(epochs, record[0].epochs, "{method}");
        assert!(again.training().rows > pair.training().rows, "{method}");
        let given = Configuration { stopping: Stopping::Epochs(epochs), ..configuration(method) };
        assert_eq!(logits(&train(given)), logits(&again), "{method}");
        let loss = Stopping::Early(EarlyStopping { monitor: Monitor::Loss, ..Default::default() });
        let wrong = Configuration { stopping: loss, ..configuration(method) };
        let error = Trainer::new().configuration(wrong).fit(&data).unwrap_err().to_string();
        assert!(error.contains("auprc"), "{error}");
        let general = Builtin::ThreeClasses.generate(Step::INSIDE, 0).unwrap();
        assert!(!general.program().is_hierarchy());
        let trainer = Trainer::new().configuration(configuration(method));
        let error = trainer.fit(&general).unwrap_err().to_string();
        assert!(error.contains("not a hierarchy"), "{method}: {error}");
    }
}
