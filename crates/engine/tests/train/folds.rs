//! Cross-validation: scores of rows that were not seen, and runs that are stopped and resumed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rulebound::Trainer;
use rulebound::cross_validation::CrossValidation;
use rulebound::dataset::{Builtin, Dataset, Folds, Split, SplitRecipe, Step};
use rulebound::train::{Configuration, Observer, Phase, RunPaths, Stopping};
use rulebound_core::Thresholds;

/// The first rows of a small problem.
fn data() -> Dataset {
    let data = Builtin::ThreeClasses.generate(Step::HALFWAY, 1).unwrap();
    let keep = |row: usize| (row < 80).then_some(Split::Train);
    data.selected(&(0..data.rows()).map(keep).collect::<Vec<_>>()).unwrap()
}

fn validation(
    trainer: Trainer<'_>,
    configuration: Configuration,
    paths: RunPaths,
) -> CrossValidation<'_> {
    let (folds, recipe) = (4, SplitRecipe::default());
    let thresholds = Thresholds::uniform(3, 0.5).unwrap();
    CrossValidation { trainer, configuration, paths, folds, recipe, thresholds }
}

fn configuration() -> Configuration {
    Configuration { hidden: vec![3], stopping: Stopping::Epochs(2), ..Configuration::default() }
}

#[test]
fn out_of_fold_scores_are_those_of_a_model_without_the_fold() {
    let data = data();
    let trainer = Trainer::new();
    let (model, found, scores) =
        validation(trainer, configuration(), RunPaths::default()).run(&data).unwrap();
    assert_eq!(scores.rows(), (0..80).collect::<Vec<_>>());
    assert_eq!((found.final_epochs, model.training().rows), (2, 80));
    let folds = Folds::deal(&data, 4, &SplitRecipe::default()).unwrap();
    for fold in 0..4 {
        let part = folds.data(&data, fold).unwrap();
        let model = Trainer::new().configuration(configuration()).fit(&part).unwrap();
        let evaluation =
            model.evaluate(&part, part.split(Split::Test).unwrap(), Default::default());
        assert_eq!(evaluation.unwrap().ensemble, found.metrics.each[fold]);
    }
    assert!(scores.probabilities().iter().all(|p| (0.0..=1.0).contains(p)));
}

/// Stops the run when the third fit begins.
struct StopAtThird<'a> {
    fits: AtomicUsize,
    stop: &'a AtomicBool,
}

impl Observer for StopAtThird<'_> {
    fn phase(&self, _: Phase, _: usize, _: usize, _: Option<usize>) {
        if self.fits.fetch_add(1, Ordering::Relaxed) == 2 {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_stopped_run_keeps_the_folds_that_are_done() {
    let (data, folder) = (data(), tempfile::tempdir().unwrap());
    let paths = |resume| RunPaths {
        checkpoint: Some(folder.path().join("m.checkpoint")),
        resume,
        ..RunPaths::default()
    };
    let stop = AtomicBool::new(false);
    let watcher = StopAtThird { fits: AtomicUsize::new(0), stop: &stop };
    let trainer = Trainer::new().stop(&stop).observer(&watcher);
    let many = Configuration { stopping: Stopping::Epochs(500), ..configuration() };
    validation(trainer, many.clone(), paths(false)).run(&data).unwrap_err();
    let names = || {
        let names = std::fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<_> =
            names.map(|n| n.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(
        names(),
        ["m.checkpoint.fold1", "m.checkpoint.fold2", "m.checkpoint.fold3.checkpoint"]
    );
    // Not to be resumed: refused. Another run: refused. The same run: two fits fewer, the same bits.
    let refused = |configuration, resume| {
        validation(Trainer::new(), configuration, paths(resume)).run(&data).unwrap_err().to_string()
    };
    assert!(refused(many.clone(), false).contains("unfinished run"));
    assert!(refused(configuration(), true).contains("belongs to another run: the configuration"));
    let never = AtomicBool::new(false);
    let counter = StopAtThird { fits: AtomicUsize::new(10), stop: &never };
    let trainer = Trainer::new().observer(&counter);
    let resumed = validation(trainer, many.clone(), paths(true)).run(&data).unwrap();
    assert_eq!(counter.fits.load(Ordering::Relaxed), 13, "two folds and the final model");
    assert!(names().is_empty() || names() == ["m.checkpoint"], "{:?}", names());
    let whole = validation(Trainer::new(), many, RunPaths::default()).run(&data).unwrap();
    assert!(resumed.2 == whole.2 && resumed.1 == whole.1);
}
