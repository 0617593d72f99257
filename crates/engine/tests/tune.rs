//! Tuning: grids, values equal to those of training, tables that survive interruptions.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use rulebound::dataset::{Builtin, Column, Dataset, DatasetBuilder, Split, Step};
use rulebound::train::{Configuration, EarlyStopping, Method, Monitor, Silent, Stopping, Trainer};
use rulebound::train::{EpochRecord, Observer};
use rulebound::tune::{Grid, Point, Trial, TuneError, TuneObserver, Tuner};
use rulebound_core::{LabelId, Labels, RuleText};

fn data() -> Dataset {
    Builtin::Rectangles.generate(Step::HALFWAY, 3).unwrap()
}

fn base(monitor: Monitor) -> Configuration {
    let early = EarlyStopping { monitor, patience: 2, most: Some(4), ..EarlyStopping::default() };
    Configuration { seed: 5, members: 2, stopping: Stopping::Early(early), ..Default::default() }
}

/// Four points that take no time.
fn grid() -> Grid {
    Grid {
        hidden: vec![6, 3],
        learning_rates: vec![1e-2, 1e-3],
        dropouts: vec![0.1],
        weight_decays: vec![0.0],
        batches: vec![250],
    }
}

/// Where a search of a test keeps its trials, and how.
#[derive(Default)]
struct Places {
    table: Option<PathBuf>,
    checkpoint_interval: Duration,
    jobs: usize,
}

fn tune(
    data: &Dataset,
    base: &Configuration,
    points: &[Point],
    places: &Places,
    observer: &dyn TuneObserver,
    stop: &AtomicBool,
) -> Result<Vec<Trial>, TuneError> {
    let mut tuner = Tuner::new(base.clone())
        .checkpoint_interval(places.checkpoint_interval)
        .jobs(places.jobs)
        .observer(observer)
        .stop(stop);
    if let Some(table) = &places.table {
        tuner = tuner.table(table);
    }
    tuner.run(data, points)
}

fn places(table: &Path) -> Places {
    Places { table: Some(table.to_owned()), ..Places::default() }
}

fn quick(points: &[Point], places: &Places) -> Result<Vec<Trial>, TuneError> {
    tune(&data(), &base(Monitor::Auprc), points, places, &Silent, &AtomicBool::new(false))
}

/// Trials without the time they took.
fn timeless(trials: &[Trial]) -> Vec<Trial> {
    trials.iter().map(|trial| Trial { seconds: 0.0, ..trial.clone() }).collect()
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("tuned.csv");
    (folder, table)
}

#[test]
fn duplicates_count_once_and_too_many_are_refused() {
    let twins = Grid { hidden: vec![3, 6, 3], dropouts: vec![0.0, -0.0], ..grid() };
    assert_eq!(twins.points().unwrap().len(), 4);
    let huge = Grid {
        hidden: (1..=2000).collect(),
        batches: (1..=2000).collect(),
        learning_rates: vec![0.1],
        ..grid()
    };
    assert!(huge.points().is_err() && huge.random(3, 0).is_err());
    let long = Grid { hidden: vec![1; 20_000], ..grid() };
    assert!(long.points().is_err());
    let none = Grid { batches: vec![], ..grid() };
    assert!(none.points().unwrap().is_empty() && none.random(3, 0).unwrap().is_empty());
}

/// 576 points.
fn large_grid() -> Grid {
    Grid {
        hidden: (1..=16).map(|step| 250 * step).collect(),
        learning_rates: vec![1e-3, 1e-4, 1e-5],
        dropouts: vec![0.6, 0.7],
        weight_decays: vec![1e-3, 1e-5],
        batches: vec![4, 64, 256],
    }
}

proptest! {
    #[test]
    fn random_points_are_distinct_points_of_the_grid(seed: u64, budget in 0_usize..700) {
        let grid = large_grid();
        let all: HashSet<String> = grid.points().unwrap().iter().map(Point::to_string).collect();
        let drawn = grid.random(budget, seed).unwrap();
        let names: HashSet<String> = drawn.iter().map(Point::to_string).collect();
        prop_assert_eq!(names.len(), budget.min(576));
        prop_assert_eq!(names.len(), drawn.len());
        prop_assert!(names.is_subset(&all));
        prop_assert_eq!(&grid.random(budget / 2, seed).unwrap()[..], &drawn[..drawn.len().min(budget / 2)]);
    }
}

#[test]
fn another_seed_draws_other_points() {
    let draw = |seed| large_grid().random(20, seed).unwrap();
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
}

/// Members, monitor, and a base configuration with a second training.
#[test]
fn values_are_those_that_training_reports() {
    let data = data();
    for monitor in [Monitor::Auprc, Monitor::Loss] {
        let mut base = base(monitor);
        let Stopping::Early(early) = &mut base.stopping else { unreachable!() };
        early.retrain = true;
        let points = grid().points().unwrap();
        let never = AtomicBool::new(false);
        let trials = tune(&data, &base, &points, &Places::default(), &Silent, &never).unwrap();
        for (trial, point) in trials.iter().zip(&points) {
            assert_eq!(&trial.point, point);
            let configuration = point.configuration(&base);
            let epochs = Epochs::default();
            let model = Trainer::new()
                .configuration(configuration.clone())
                .observer(&epochs)
                .fit(&data)
                .unwrap();
            let members = &model.training().members;
            let values: Vec<f64> = members.iter().map(|member| member.best.unwrap().1).collect();
            let measured = trial.measured.as_ref().unwrap();
            assert_eq!(measured.value, (values[0] + values[1]) / 2.0);
            let deviation = (values[0] - values[1]).abs() / 2.0_f64.sqrt();
            assert!((measured.deviation.unwrap() - deviation).abs() < 1e-12);
            let best: Vec<usize> = members.iter().map(|member| member.epochs).collect();
            assert_eq!(measured.best_epochs, best);
            assert_eq!(trial.epochs, epochs.0.into_inner());
        }
    }
}

/// Counts epochs.
#[derive(Default)]
struct Epochs(AtomicUsize);

impl Observer for Epochs {
    fn epoch(&self, _: &EpochRecord) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Counts trials, and stops the search after some examples or trials.
struct Stopper<'a> {
    stop: &'a AtomicBool,
    after_trials: usize,
    after_examples: usize,
    trials: AtomicUsize,
    examples: AtomicUsize,
    known: Mutex<Vec<Trial>>,
    resumed: AtomicUsize,
}

impl<'a> Stopper<'a> {
    fn new(stop: &'a AtomicBool, after_trials: usize, after_examples: usize) -> Self {
        let zero = || AtomicUsize::new(0);
        let (trials, examples, resumed) = (zero(), zero(), zero());
        Self {
            stop,
            after_trials,
            after_examples,
            trials,
            examples,
            known: Mutex::default(),
            resumed,
        }
    }
}

impl Observer for Stopper<'_> {
    fn examples(&self, count: usize) {
        let seen = self.examples.fetch_add(count, Ordering::Relaxed) + count;
        if seen > self.after_examples {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn resumed(&self, _: rulebound::train::Phase, _: usize) {
        self.resumed.fetch_add(1, Ordering::Relaxed);
    }
}

impl TuneObserver for Stopper<'_> {
    fn begin(&self, _: usize, known: &[Trial]) {
        *self.known.lock().unwrap() = known.to_vec();
    }

    fn finished(&self, _: &Trial) {
        if self.trials.fetch_add(1, Ordering::Relaxed) + 1 >= self.after_trials {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_stopped_search_resumes() {
    let (_folder, table) = folder();
    let points = grid().points().unwrap();
    let whole = quick(&points, &Places::default()).unwrap();

    let stop = AtomicBool::new(false);
    let first = Stopper::new(&stop, 2, usize::MAX);
    let base = base(Monitor::Auprc);
    let error = tune(&data(), &base, &points, &places(&table), &first, &stop).unwrap_err();
    assert!(matches!(error, TuneError::Stopped { done: 2, points: 4 }), "{error}");
    assert_eq!(fs::read_to_string(&table).unwrap().lines().count(), 3);

    let stop = AtomicBool::new(false);
    let second = Stopper::new(&stop, usize::MAX, usize::MAX);
    let trials = tune(&data(), &base, &points, &places(&table), &second, &stop).unwrap();
    assert_eq!(second.known.into_inner().unwrap().len(), 2);
    assert_eq!(second.trials.into_inner(), 2);
    assert_eq!(timeless(&trials), timeless(&whole));

    // All are known now: nothing is trained, and not even the times differ.
    let before = fs::read(&table).unwrap();
    assert_eq!(quick(&points, &places(&table)).unwrap(), trials);
    assert_eq!(fs::read(&table).unwrap(), before);
}

#[test]
fn a_trial_resumes_from_its_checkpoint() {
    let (folder, table) = folder();
    let points = &grid().points().unwrap()[..1];
    let whole = quick(points, &Places::default()).unwrap();
    let stop = AtomicBool::new(false);
    // In the third epoch of 2125 rows and two members.
    let stopper = Stopper::new(&stop, usize::MAX, 9000);
    let base = base(Monitor::Auprc);
    let error = tune(&data(), &base, points, &places(&table), &stopper, &stop).unwrap_err();
    assert!(matches!(error, TuneError::Stopped { done: 0, points: 1 }), "{error}");
    let beside = folder.path().join(format!("tuned.csv.{}.checkpoint", points[0]));
    assert!(beside.exists());

    let stop = AtomicBool::new(false);
    let again = Stopper::new(&stop, usize::MAX, usize::MAX);
    let trials = tune(&data(), &base, points, &places(&table), &again, &stop).unwrap();
    assert_eq!(again.resumed.into_inner(), 1);
    assert_eq!(timeless(&trials), timeless(&whole));
    assert!(!beside.exists());
}

#[test]
fn a_checkpoint_of_other_settings_is_not_resumed() {
    let (_folder, table) = folder();
    let points = &grid().points().unwrap()[..1];
    let stop = AtomicBool::new(false);
    let stopper = Stopper::new(&stop, usize::MAX, 3000);
    let other = Configuration { method: Method::None, ..base(Monitor::Auprc) };
    tune(&data(), &other, points, &places(&table), &stopper, &stop).unwrap_err();
    let whole = quick(points, &Places::default()).unwrap();
    assert_eq!(timeless(&quick(points, &places(&table)).unwrap()), timeless(&whole));
}

#[test]
fn several_at_a_time_are_the_same() {
    let (folder, table) = folder();
    let points = grid().points().unwrap();
    let whole = quick(&points, &Places::default()).unwrap();
    let several =
        Places { jobs: 3, checkpoint_interval: Duration::from_millis(1), ..places(&table) };
    assert_eq!(timeless(&quick(&points, &several).unwrap()), timeless(&whole));
    // Read back from the table, whatever the order of its lines.
    assert_eq!(timeless(&quick(&points, &places(&table)).unwrap()), timeless(&whole));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn what_a_kill_leaves_is_dropped() {
    let (_folder, table) = folder();
    let points = grid().points().unwrap();
    let trials = quick(&points, &places(&table)).unwrap();
    let text = fs::read_to_string(&table).unwrap();
    // Cut anywhere in the last line, in the header, or before it.
    let last = text.trim_end().rfind('\n').unwrap() + 1;
    for cut in [last, last + 1, last + 9, text.len() - 1, 20, 0] {
        fs::write(&table, &text[..cut]).unwrap();
        let again = quick(&points, &places(&table)).unwrap();
        assert_eq!(timeless(&again), timeless(&trials), "cut at {cut}");
        let kept = if cut >= last { 3 } else { 0 };
        assert_eq!(again[..kept], trials[..kept], "cut at {cut}");
        assert_eq!(fs::read_to_string(&table).unwrap().lines().count(), 5);
    }
}

/// A validation row so far from the others that its outputs are NaN.
fn far() -> Dataset {
    let program =
        RuleText::new("a -> b").labels(Labels::new(["a", "b"]).unwrap()).parse().unwrap().program;
    let mut builder = DatasetBuilder::new("far", vec![Column::numeric("x")], vec![], 2).unwrap();
    for (split, rows) in [(Split::Train, &[0.0, 1e-3, 0.0, 1e-3][..]), (Split::Valid, &[3e38])] {
        builder.begin(split).unwrap();
        for &x in rows {
            let row = builder.push(&[x], &[]).unwrap();
            builder.labels_mut().insert(row, LabelId::new(1));
        }
    }
    builder.finish(program).unwrap()
}

#[test]
fn a_network_that_diverges_is_a_trial_without_a_value() {
    let (folder, table) = folder();
    let points = Grid { hidden: vec![40, 50], ..grid() }.points().unwrap();
    let never = AtomicBool::new(false);
    let base = base(Monitor::Auprc);
    let run = || tune(&far(), &base, &points, &places(&table), &Silent, &never).unwrap();
    let trials = run();
    assert_eq!(trials.len(), 4);
    assert!(trials.iter().all(|trial| trial.measured.is_none() && trial.epochs == 1));
    let text = fs::read_to_string(&table).unwrap();
    assert_eq!(text.matches(",diverged,auprc,,,,1,").count(), 4, "{text}");
    assert_eq!(run(), trials);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn the_table_of_another_search_is_refused_and_left() {
    let (_folder, table) = folder();
    let points = &grid().points().unwrap()[..1];
    quick(points, &places(&table)).unwrap();
    // The truncated line is left too.
    let text = fs::read_to_string(&table).unwrap() + "12,0.0";
    fs::write(&table, &text).unwrap();
    let refused = |data: &Dataset, base: &Configuration| {
        let never = AtomicBool::new(false);
        let error = tune(data, base, points, &places(&table), &Silent, &never).unwrap_err();
        assert!(matches!(error, TuneError::OtherSearch { .. }), "{error}");
        assert_eq!(fs::read_to_string(&table).unwrap(), text);
        error.to_string()
    };
    let ours = base(Monitor::Auprc);
    let with = |change: fn(&mut Configuration)| {
        let mut other = ours.clone();
        change(&mut other);
        refused(&data(), &other)
    };
    assert!(with(|c| c.seed = 6).ends_with("the seed was 5, now 6"));
    assert!(with(|c| c.method = Method::Cm).ends_with("the method was ccn, now cm"));
    assert!(with(|c| c.members = 1).ends_with("members was 2, now 1"));
    assert!(with(|c| c.activation = rulebound_network::Activation::Tanh).contains("activation"));
    assert!(refused(&data(), &base(Monitor::Loss)).ends_with("the monitor was auprc, now loss"));
    let other = Builtin::Rectangles.generate(Step::HALFWAY, 4).unwrap();
    assert!(refused(&other, &ours).ends_with("the data or the rules have changed"));
    assert_eq!(quick(points, &places(&table)).unwrap().len(), 1);
}

#[test]
fn a_file_that_is_not_a_table_is_refused_and_left() {
    let (folder, table) = folder();
    let points = &grid().points().unwrap()[..1];
    quick(points, &places(&table)).unwrap();
    let good = fs::read_to_string(&table).unwrap();
    let line = good.lines().nth(1).unwrap();
    let wrong = [
        ("a,b\n1,2\n".to_owned(), "not a table of trials"),
        ("x".repeat(10_000), "not a table of trials"),
        (format!("{good}1,2\n"), "line 3 has 2 cells instead of 17"),
        (
            format!("{good}{}\n", line.replacen("3,", "three,", 1)),
            "line 3: `three` is not a valid value of `hidden`",
        ),
        (good.replace(",measured,", ",lost,"), "line 2: `lost` is not a valid value of `outcome`"),
        (good.replace(",ccn,", ",magic,"), "line 2: `magic` is not a valid value of `method`"),
        (good.replacen("0.01", "NaN", 1), "line 2: `NaN` is not a valid value of `learning_rate`"),
    ];
    for (text, expected) in wrong {
        fs::write(&table, &text).unwrap();
        let error = quick(points, &places(&table)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(fs::read_to_string(&table).unwrap(), text);
    }
    let error = quick(points, &places(folder.path())).unwrap_err().to_string();
    assert!(error.ends_with("not a file"), "{error}");
    let nowhere = folder.path().join("no/such/folder.csv");
    assert!(matches!(quick(points, &places(&nowhere)), Err(TuneError::Table { .. })));
}

#[test]
fn two_searches_do_not_share_a_table() {
    let (_folder, table) = folder();
    let other = fs::File::create(&table).unwrap();
    other.lock().unwrap();
    let error = quick(&grid().points().unwrap(), &places(&table)).unwrap_err();
    assert!(matches!(error, TuneError::InUse { .. }), "{error}");
}

#[test]
fn without_validation_there_is_nothing_to_compare() {
    let base = Configuration { stopping: Stopping::Epochs(3), ..Configuration::default() };
    let points = grid().points().unwrap();
    let never = AtomicBool::new(false);
    let result = tune(&data(), &base, &points, &Places::default(), &Silent, &never);
    assert!(matches!(result, Err(TuneError::NoMonitor)));
}
