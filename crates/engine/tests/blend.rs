//! Blends: unlike learners in one model, weights from validation rows, coherent, the same bits from
//! a file and after an interruption.
#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rulebound::blend::{
    Blend, BlendError, BlendReport, BlendWeights, LearnerChoice, discard_learners,
};
use rulebound::core::Violations;
use rulebound::core::metrics::{LabelsInMetrics, Metric};
use rulebound::dataset::{Builtin, Dataset, Folds, Split, SplitRecipe, Step};
use rulebound::model::Model;
use rulebound::train::{
    Configuration, EarlyStopping, EpochRecord, Observer, RunPaths, Stopping, Trainer,
};

/// Stops a run after some epochs.
struct StopsLater {
    after: usize,
    epochs: AtomicUsize,
    stop: AtomicBool,
}

impl StopsLater {
    fn after(after: usize) -> Self {
        Self { after, epochs: AtomicUsize::new(0), stop: AtomicBool::new(false) }
    }
}

impl Observer for StopsLater {
    fn epoch(&self, _: &EpochRecord) {
        if self.epochs.fetch_add(1, Ordering::Relaxed) + 1 >= self.after {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

fn data() -> Dataset {
    Builtin::Rectangles.generate(Step::INSIDE, 0).unwrap()
}

fn base(retrain: bool) -> Configuration {
    let early = EarlyStopping { most: Some(4), retrain, ..EarlyStopping::default() };
    Configuration {
        hidden: vec![8],
        dropout: 0.0,
        stopping: Stopping::Early(early),
        ..Configuration::default()
    }
}

fn blend(learners: &[&str], base: &Configuration, weights: BlendWeights) -> Blend<'static> {
    let choice = |text: &&str| text.parse::<LearnerChoice>().unwrap().configuration(base).unwrap();
    Blend {
        trainer: Trainer::new(),
        configurations: learners.iter().map(choice).collect(),
        weights,
        paths: RunPaths::default(),
        folds: None,
        recipe: SplitRecipe::default(),
        holdout: 0.15,
    }
}

fn trained(learners: &[&str], base: &Configuration, weights: BlendWeights) -> (Model, BlendReport) {
    blend(learners, base, weights).run(&data()).unwrap()
}

#[test]
fn a_blend_is_coherent_and_comes_back_from_a_file() {
    let data = data();
    let half = BlendWeights::given(&[1.0, 1.0, 2.0]).unwrap();
    let (model, report) = trained(&["ccn:2", "prior", "post"], &base(false), half);
    assert_eq!(report.learners.iter().map(|of| of.weight).collect::<Vec<_>>(), [0.25, 0.25, 0.5]);
    assert_eq!(report.search, None);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.rulebound");
    model.save(&path).unwrap();
    let loaded = Model::load(&path).unwrap();
    assert_eq!(loaded.parts().len(), 3);
    let test = data.split(Split::Test).unwrap();
    let predictions = model.predict(&data, test.clone()).unwrap();
    let again = loaded.predict(&data, test.clone()).unwrap();
    assert_eq!(predictions.margins(), again.margins());
    assert_eq!(Violations::constraint(data.program(), predictions.margins()).total(), 0);
    // The evaluation scores the same predictions.
    let scored = model.score(&data, test).unwrap();
    let mut of_evaluation = rulebound::predict::Predictions::default();
    model.head().predict(scored.scores(), &mut of_evaluation).unwrap();
    assert_eq!(predictions.margins(), of_evaluation.margins());
    // Byte by byte the same file.
    let second = folder.path().join("n.rulebound");
    loaded.save(&second).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(&second).unwrap());
}

/// The probabilities are the weighted mean of those of the parts.
#[test]
fn a_blend_is_the_weighted_mean_of_its_parts() {
    let data = data();
    let weights = BlendWeights::given(&[3.0, 1.0]).unwrap();
    let (model, _) = trained(&["ccn", "prior"], &base(false), weights);
    let of = |method: &str| {
        let only = BlendWeights::given(&[1.0, 0.0]).unwrap();
        let other = if method == "ccn" { "prior" } else { "ccn" };
        trained(&[method, other], &base(false), only).0
    };
    let rows = || data.split(Split::Test).unwrap().take(50);
    let [ccn, prior] = ["ccn", "prior"].map(|method| {
        let model = of(method);
        assert_eq!(model.parts().len(), 1, "what counts nothing is left out");
        model.predict(&data, rows()).unwrap().probabilities()
    });
    let both = model.predict(&data, rows()).unwrap().probabilities();
    for ((both, ccn), prior) in both.iter().zip(ccn).zip(prior) {
        let expected = 0.75 * ccn + 0.25 * prior;
        assert!((both - expected).abs() < 1e-6, "{both} {expected}");
    }
}

/// Weights are chosen where the learners have not been fitted, and a useless learner is left out.
#[test]
fn weights_are_chosen_on_validation_rows() {
    let data = data();
    let chosen = BlendWeights::Chosen(Metric::Auprc);
    let (model, report) = trained(&["ccn", "prior"], &base(false), chosen.clone());
    let search = report.search.unwrap();
    assert!(search.alone[0] > search.alone[1], "{search:?}");
    assert!(search.value >= search.alone[0] && search.value >= search.equal, "{search:?}");
    assert!(search.weights[0] > 0.5, "{search:?}");
    let area = |model: &Model| {
        let test = data.split(Split::Test).unwrap();
        let evaluation = model.evaluate(&data, test, LabelsInMetrics::All).unwrap();
        evaluation.ensemble.metrics.get(Metric::Auprc).unwrap()
    };
    let only = BlendWeights::given(&[0.0, 1.0]).unwrap();
    let (prior, _) = trained(&["ccn", "prior"], &base(false), only);
    assert!(area(&model) > area(&prior));
    // With a second training, networks see all rows for the epochs that were found.
    let (retrained, _) = trained(&["ccn:2", "post"], &base(true), chosen);
    let rows = data.rows() - data.split(Split::Test).unwrap().len();
    for part in retrained.parts() {
        assert_eq!(part.training().rows, rows);
        assert!(matches!(part.configuration().stopping, Stopping::EpochsOfEach(_)));
    }
}

/// In folds every row that is not a test row is predicted once, by learners that were fitted on other
/// rows; the final fits are those of blends with given weights.
#[test]
fn weights_are_chosen_out_of_fold() {
    let data = data();
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("m.checkpoint");
    let paths = RunPaths { checkpoint: Some(checkpoint.clone()), ..RunPaths::default() };
    let chosen = blend(&["ccn", "prior"], &base(true), BlendWeights::Chosen(Metric::Auprc));
    let (model, report) = Blend { folds: Some(3), paths, ..chosen }.run(&data).unwrap();
    let search = report.search.unwrap();
    let rows = data.rows() - data.split(Split::Test).unwrap().len();
    assert_eq!((search.rows, search.folds), (rows, Some(3)));
    assert!(search.alone[0] > search.alone[1], "{search:?}");
    let folds = Folds::deal(&data, 3, &SplitRecipe::default()).unwrap();
    for fold in 0..3 {
        let name = format!("m.checkpoint.learner2.fold{}", fold + 1);
        let kept = Model::load(folder.path().join(&name)).unwrap();
        assert_eq!(kept.training().rows, rows - folds.rows(fold).count(), "{name}");
    }
    let given = BlendWeights::given(&search.weights).unwrap();
    let (expected, _) = trained(&["ccn", "prior"], &base(true), given);
    let test = data.split(Split::Test).unwrap();
    let margins = |model: &Model| model.predict(&data, test.clone()).unwrap().margins().to_vec();
    assert_eq!(margins(&model), margins(&expected));
    discard_learners(&checkpoint, 2, Some(3));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn an_interrupted_blend_resumes_to_the_same_bits() {
    let data = data();
    let folder = tempfile::tempdir().unwrap();
    let paths = |resume| RunPaths {
        checkpoint: Some(folder.path().join("m.checkpoint")),
        resume,
        ..RunPaths::default()
    };
    let run = |resume, watched: &StopsLater| {
        let blend = blend(&["ccn", "post"], &base(true), BlendWeights::Chosen(Metric::Auprc));
        let trainer = Trainer::new().stop(&watched.stop).observer(watched);
        Blend { trainer, paths: paths(resume), ..blend }.run(&data)
    };
    let whole = run(false, &StopsLater::after(1000)).unwrap().0;
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    assert!(files() > 0, "the fits are kept until the model is saved");
    discard_learners(&folder.path().join("m.checkpoint"), 2, None);
    assert_eq!(files(), 0, "nothing is left behind");
    // In the second learner.
    assert!(matches!(run(false, &StopsLater::after(6)), Err(BlendError::Train(_))));
    let refused = run(false, &StopsLater::after(1000)).unwrap_err().to_string();
    assert!(refused.contains("unfinished run"), "{refused}");
    let watched = StopsLater::after(1000);
    let resumed = run(true, &watched).unwrap().0;
    assert!(watched.epochs.load(Ordering::Relaxed) < 12, "the first learner was not fitted again");
    let bytes = |model: &Model| {
        let path = folder.path().join("bytes.rulebound");
        model.save(&path).unwrap();
        std::fs::read(&path).unwrap()
    };
    assert_eq!(bytes(&whole), bytes(&resumed));
}

#[test]
fn what_cannot_be_blended_is_refused() {
    let given = || BlendWeights::given(&[1.0, 1.0]).unwrap();
    let error = |learners: &[&str], weights| {
        blend(learners, &base(false), weights).run(&data()).unwrap_err().to_string()
    };
    assert_eq!(error(&["ccn"], given()), "a blend needs at least two learners");
    assert_eq!(error(&["ccn", "none"], given()), "a blend obeys the rules, but `none` would not");
    assert_eq!(error(&["ccn", "cm", "post"], given()), "2 weights for 3 learners");
}
