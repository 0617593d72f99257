//! Rows on a disk: the same networks as from rows in memory, whatever they are read from.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Duration;

use rulebound::dataset::{
    Builtin, ConvertFormat, Dataset, DatasetError, LabelColumns, PipelineError, ReadOptions,
    Scaling, Source, SplitRecipe, convert,
};
use rulebound::storage::{Storage, StorageError};
use rulebound::train::{
    Configuration, LabelPolicy, Method, Monitor, RunPaths, Stopping, TrainError, Trainer,
};
use rulebound_testing::{Random, Scene};

use super::same::StopAfter;
use super::scene::{bytes, early, problem, quick, run};

const ROWS: usize = 300;

/// A table with numbers, a nominal column, missing cells, weights and labels that break the rule.
fn table(delimiter: char) -> String {
    let mut random = Random::new(9);
    let mut text = ["x", "y", "colour", "weight", "a", "b"].join(&delimiter.to_string()) + "\n";
    for row in 0..ROWS {
        let (x, y) = (random.below(1000), random.below(1000));
        let cells = [
            if row % 17 == 3 { String::new() } else { format!("0.{x:03}") },
            format!("{}", y as f64 / 7.0),
            ["red", "green", "blue"][random.below(3)].to_owned(),
            format!("{}", 1 + random.below(3)),
            u8::from(x > 600).to_string(),
            u8::from(x > 400 && row % 29 != 0).to_string(),
        ];
        text += &(cells.join(&delimiter.to_string()) + "\n");
    }
    text
}

/// Few numbers among many columns: enough cells to be kept sparse.
fn words() -> String {
    let mut random = Random::new(4);
    let mut text = String::new();
    for row in 0..1200 {
        write!(text, "{},{}", row % 3, 3 + row % 2).unwrap();
        let mut columns: Vec<usize> = (0..6).map(|_| 1 + random.below(16_000)).collect();
        columns.sort_unstable();
        columns.dedup();
        columns.iter().for_each(|column| write!(text, " {column}:0.{}", 1 + column % 9).unwrap());
        text += "\n";
    }
    text + "1 16000:1\n"
}

fn read(scene: &Scene, name: &str, options: &ReadOptions, storage: Storage) -> Dataset {
    Source::Path(scene.path(name)).read(&ReadOptions { storage, ..options.clone() }).unwrap()
}

/// Trains on the same rows in memory and on a disk.
fn expect_same(scene: &Scene, name: &str, options: &ReadOptions, configuration: &Configuration) {
    let in_memory = read(scene, name, options, Storage::Memory);
    let disk = Storage::Disk(scene.path(""));
    let on_disk = read(scene, name, options, disk.clone());
    assert_eq!(on_disk.feature_matrix().storage(), disk, "{name}");
    assert!(in_memory == on_disk, "{name}");
    let [expected, found] =
        [&in_memory, &on_disk].map(|data| bytes(&run(data, configuration).unwrap()));
    assert!(expected == found, "{name}: {configuration:?}");
    // A buffer for all rows is no buffer.
    let without = Configuration { shuffle_buffer: None, ..configuration.clone() };
    let [expected, found] = [&in_memory, &on_disk].map(|data| run(data, &without).unwrap());
    assert_eq!(expected.members(), found.members(), "{name}");
    assert_eq!(
        found.configuration().shuffle_buffer.map(|rows| rows > in_memory.rows()),
        Some(true)
    );
    assert_eq!(expected.configuration().shuffle_buffer, None);
}

#[test]
fn every_format_trains_the_same_networks() {
    let scene = Scene::with(&[
        ("t.csv", &table(',')),
        ("t.tsv", &table('\t')),
        ("words.svm", &words()),
        ("t.rules", "a -> b\n"),
    ]);
    let mut formats = vec![(ConvertFormat::Csv, "csv"), (ConvertFormat::Mulan, "mulan")];
    if cfg!(feature = "parquet") {
        formats.push((ConvertFormat::Parquet, "parquet"));
    }
    let problem = problem(Builtin::NineRectangles);
    for &(format, name) in &formats {
        convert(&problem, format, &scene.path(name)).unwrap();
    }
    let table = ReadOptions {
        labels: Some(LabelColumns::Named(vec!["a".to_owned(), "b".to_owned()])),
        rules: Some(scene.path("t.rules")),
        ..ReadOptions::default()
    };
    let buffered = |configuration: Configuration| Configuration {
        shuffle_buffer: Some(90),
        members: 2,
        ..configuration
    };
    let stopping = early(Monitor::Auprc, true);
    let configuration = buffered(Configuration { stopping, ..quick(Method::Ccn) });
    expect_same(&scene, "t.csv", &table, &configuration);
    // Rows drawn for other splits, weights of rows, labels that the rules complete.
    let recipe =
        SplitRecipe { test_share: Some(0.2), valid_share: Some(0.2), ..SplitRecipe::default() };
    let weight_column = Some("weight".to_owned());
    let options = ReadOptions { splitting: recipe, weight_column, ..table };
    let complete = Configuration { labels: LabelPolicy::Complete, ..configuration.clone() };
    expect_same(&scene, "t.tsv", &options, &complete);
    let few = buffered(Configuration { stopping: Stopping::Epochs(2), ..quick(Method::Post) });
    for (_, name) in formats {
        expect_same(&scene, name, &ReadOptions::default(), &few);
    }
    for scaling in [None, Some(Scaling::None)] {
        let sparse = Configuration { scaling, ..few.clone() };
        expect_same(&scene, "words.svm", &ReadOptions::default(), &sparse);
    }
    let files = scene.names();
    assert!(files.iter().all(|name| !name.starts_with(".tmp")), "nothing is left: {files:?}");
}

#[test]
fn columns_can_be_left_out_of_rows_on_a_disk() {
    let scene = Scene::with(&[("words.svm", &words())]);
    let options = ReadOptions { ignored: vec!["7*".to_owned()], ..ReadOptions::default() };
    let in_memory = read(&scene, "words.svm", &options, Storage::Memory);
    let on_disk = read(&scene, "words.svm", &options, Storage::Disk(scene.path("")));
    assert!(in_memory.columns().len() < 16_000 && in_memory == on_disk);
    assert!(on_disk.feature_matrix().storage().is_disk());
}

#[test]
fn a_buffer_changes_the_order_and_is_part_of_the_run() {
    let data = problem(Builtin::ThreeClasses);
    let configuration = quick(Method::Ccn);
    let buffered =
        |rows: usize| Configuration { shuffle_buffer: Some(rows), ..configuration.clone() };
    let bits = |configuration: &Configuration| run(&data, configuration).unwrap();
    let (all, some) = (bits(&configuration), bits(&buffered(500)));
    assert_ne!(all.members(), some.members());
    assert_eq!(some.members(), bits(&buffered(500)).members());
    assert_ne!(some.members(), bits(&buffered(400)).members());
    let none = run(&data, &buffered(0)).unwrap_err().to_string();
    assert_eq!(none, "the shuffle buffer is 0; it must be from 1 to 4294967295 rows");
}

#[test]
fn a_stopped_run_resumes_from_rows_on_a_disk_to_the_same_bits() {
    let scene = Scene::with(&[("t.csv", &table(','))]);
    let options = ReadOptions { labels: Some(LabelColumns::Last(2)), ..ReadOptions::default() };
    let data = || read(&scene, "t.csv", &options, Storage::Disk(scene.path("")));
    let configuration = Configuration { shuffle_buffer: Some(64), batch: 16, ..quick(Method::Ccn) };
    let whole = bytes(&run(&data(), &configuration).unwrap());
    let checkpoint = scene.path("m.checkpoint");
    let paths = |interval| RunPaths {
        checkpoint: Some(checkpoint.clone()),
        resume: true,
        checkpoint_interval: interval,
        ..RunPaths::default()
    };
    let stop = AtomicBool::new(false);
    let observer = StopAfter { steps: AtomicUsize::new(45), stop: &stop };
    let trainer = Trainer::new().configuration(configuration.clone());
    let stopped =
        trainer.clone().paths(paths(Duration::ZERO)).observer(&observer).stop(&stop).fit(&data());
    assert!(matches!(stopped, Err(TrainError::Stopped { .. })));
    // Another buffer is another run.
    let other = Configuration { shuffle_buffer: Some(65), ..configuration };
    let other = Trainer::new().configuration(other).paths(paths(Duration::ZERO)).fit(&data());
    let other = other.unwrap_err().to_string();
    assert!(other.contains("shuffle_buffer was 64, now 65"), "{other}");
    let resumed = trainer.paths(paths(Duration::from_secs(10))).fit(&data()).unwrap();
    assert!(bytes(&resumed) == whole);
}

#[test]
fn what_cannot_be_kept_or_trained_is_said() {
    let scene = Scene::with(&[("t.csv", &table(','))]);
    let options = ReadOptions { labels: Some(LabelColumns::Last(2)), ..ReadOptions::default() };
    let gone = Storage::Disk(scene.path("gone"));
    let error = Source::Path(scene.path("t.csv"))
        .read(&ReadOptions { storage: gone, ..options.clone() })
        .unwrap_err();
    assert!(matches!(&error, DatasetError::Storage(StorageError::Create { .. })), "{error}");
    assert!(error.to_string().contains("gone: No such file"), "{error}");
    let data = read(&scene, "t.csv", &options, Storage::Disk(scene.path("")));
    let forest = Configuration { method: Method::FOREST, ..Configuration::default() };
    let error = run(&data, &forest).unwrap_err().to_string();
    assert_eq!(error, "`forest` does not support rows on a disk; methods that train networks do");
    // The folder is gone when the rows are encoded.
    let folder = tempfile::tempdir().unwrap();
    let data = read(&scene, "t.csv", &options, Storage::Disk(folder.path().to_owned()));
    drop(folder);
    let error = run(&data, &quick(Method::Ccn)).unwrap_err();
    let expected = matches!(&error, TrainError::Pipeline(PipelineError::Storage(_)));
    assert!(expected, "{error}");
}
