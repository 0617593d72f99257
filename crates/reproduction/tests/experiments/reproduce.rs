//! From a plan to results: once, again, in parallel with others, stopped and resumed.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rulebound::dataset::{Builtin, Split, Step};
use rulebound::device::Device;
use rulebound::train::{self, Configuration, EpochRecord, Silent, Stopping, Trainer};
use rulebound_core::metrics::LabelsInMetrics;
use rulebound_reproduction::{
    Batch, ENSEMBLE, Folder, Known, Observer, Plan, PlanRequest, ReproduceError, Reproduction, Row,
    Seeds, Target, reproduce,
};

/// The plan of a target with networks that take no time.
fn quick(target: Target, sets: &[&str], seeds: usize, epochs: usize) -> Plan {
    let sets = sets.iter().map(|set| (*set).to_owned()).collect();
    let request =
        PlanRequest { targets: vec![target], sets, systems: vec![], seeds, searches_epochs: false };
    let mut plan = Plan::new(&request).unwrap();
    for batch in &mut plan.batches {
        let stopping = Stopping::Epochs(epochs);
        batch.configuration =
            Configuration { hidden: vec![6], batch: 250, stopping, ..batch.configuration.clone() };
    }
    plan
}

fn go(
    plan: &Plan,
    folder: &Path,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Vec<Row>, ReproduceError> {
    let folder = Folder::new(folder);
    let reproduction = Reproduction {
        plan,
        folder: &folder,
        data_dir: None,
        device: &Device::Cpu,
        jobs: 3,
        checkpoint_interval: Duration::ZERO,
    };
    let failed = reproduce(&reproduction, observer, stop)?;
    assert!(failed.is_empty(), "{failed:?}");
    folder.results().read()
}

/// Rows without the time they took, in an order that does not depend on speed.
fn timeless(rows: Vec<Row>) -> Vec<Row> {
    let mut rows: Vec<Row> = rows.into_iter().map(|row| Row { seconds: 0.0, ..row }).collect();
    let key = |row: &Row| (row.set.clone(), row.method.clone(), row.seeds);
    rows.sort_by_key(key);
    rows
}

#[test]
fn a_row_is_what_training_and_evaluating_by_hand_gives() {
    let folder = tempfile::tempdir().unwrap();
    let plan = quick(Target::Rectangles, &["rectangles-1"], 2, 40);
    let rows = go(&plan, folder.path(), &Silent, &AtomicBool::new(false)).unwrap();
    assert_eq!(rows.len(), 6);
    for batch in &plan.batches {
        let seed = batch.configuration.seed;
        let data = Builtin::Rectangles.generate(Step::OUTSIDE, seed).unwrap();
        let model = Trainer::new().configuration(batch.configuration.clone()).fit(&data).unwrap();
        let test = data.split(Split::Test).unwrap();
        let by_hand = model.evaluate(&data, test, LabelsInMetrics::All).unwrap();
        let method = batch.method().name();
        let row =
            rows.iter().find(|row| row.method == method && row.seeds == Seeds::One(seed)).unwrap();
        assert_eq!(row.all, by_hand.ensemble.metrics, "{batch}");
        assert_eq!((row.broken_rows, row.epochs), (0, 40.0));
        assert_eq!(row.delegated.is_some(), method == "ccn");
        assert!(row.seconds > 0.0);
        let kept = Folder::new(folder.path()).model(batch.subject, batch.method(), seed);
        let kept = rulebound::model::Model::load(&kept).unwrap();
        assert_eq!(kept.members(), model.members());
    }
}

#[test]
fn what_is_there_is_not_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let never = AtomicBool::new(false);
    let few = go(&quick(Target::NineRectangles, &[], 1, 2), folder.path(), &Silent, &never);
    let more = quick(Target::NineRectangles, &[], 3, 2);
    let started = Started::default();
    let rows = go(&more, folder.path(), &started, &never).unwrap();
    assert_eq!(started.0.load(Ordering::Relaxed), 4);
    assert_eq!((&few.unwrap()[..], rows.len()), (&rows[..2], 6));
    go(&more, folder.path(), &started, &never).unwrap();
    assert_eq!(started.0.load(Ordering::Relaxed), 4);
    // Another configuration is another result.
    let other = go(&quick(Target::NineRectangles, &[], 1, 3), folder.path(), &started, &never);
    assert_eq!(other.unwrap().len(), 8);
}

#[derive(Default)]
struct Started(AtomicUsize);

impl train::Observer for Started {}

impl Observer for Started {
    fn started(&self, _: &Batch) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn two_who_share_a_folder_divide_the_work() {
    let plan = quick(Target::MovingThreeClasses, &[], 2, 30);
    let [alone, shared] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let never = AtomicBool::new(false);
    let expected = timeless(go(&plan, alone.path(), &Silent, &never).unwrap());
    let counts = [(); 2].map(|()| Started::default());
    std::thread::scope(|scope| {
        for started in &counts {
            scope.spawn(|| go(&plan, shared.path(), started, &AtomicBool::new(false)).unwrap());
        }
    });
    let counts = counts.map(|started| started.0.load(Ordering::Relaxed));
    assert_eq!(counts.iter().sum::<usize>(), 36);
    assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
    let results = Folder::new(shared.path()).results().read().unwrap();
    assert_eq!(timeless(results), expected);
}

/// Requests a stop after this many epochs.
struct Impatient<'a> {
    stop: &'a AtomicBool,
    left: AtomicUsize,
}

impl train::Observer for Impatient<'_> {
    fn epoch(&self, _: &EpochRecord) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

impl Observer for Impatient<'_> {}

#[test]
fn stopped_and_resumed_it_ends_where_it_would_have() {
    let plan = quick(Target::ThreeClasses, &["three-classes-5"], 2, 300);
    let [whole, parts] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let expected = go(&plan, whole.path(), &Silent, &AtomicBool::new(false)).unwrap();
    let mut stops = 0;
    let rows = loop {
        let stop = AtomicBool::new(false);
        let observer = Impatient { stop: &stop, left: AtomicUsize::new(250) };
        match go(&plan, parts.path(), &observer, &stop) {
            Ok(rows) => break rows,
            Err(ReproduceError::Stopped { done, cells }) => assert!(done < cells && cells == 4),
            Err(error) => panic!("{error}"),
        }
        stops += 1;
        assert!(stops < 100);
    };
    assert!(stops > 1, "{stops}");
    assert_eq!(timeless(rows), timeless(expected));
    let left = std::fs::read_dir(parts.path().join("checkpoints")).unwrap().count();
    assert_eq!(left, 0);
}

#[test]
fn sets_that_are_absent_are_all_named_before_anything_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = quick(Target::Lcmc, &["yeast", "scene"], 1, 1);
    plan.batches.extend(quick(Target::NineRectangles, &[], 1, 1).batches);
    let nowhere = folder.path().join("nowhere");
    let place = Folder::new(folder.path());
    let reproduction = Reproduction {
        plan: &plan,
        folder: &place,
        data_dir: Some(&nowhere),
        device: &Device::Cpu,
        jobs: 1,
        checkpoint_interval: Duration::ZERO,
    };
    let error = reproduce(&reproduction, &Silent, &AtomicBool::new(false)).unwrap_err();
    assert_eq!(error.to_string(), "2 data sets of the paper are missing: scene, yeast");
    assert!(place.results().read().unwrap().is_empty());
}

mod needs_data {
    use super::*;
    use rulebound_testing::needs;

    #[test]
    #[ignore = "needs RULEBOUND_DATA"]
    fn members_of_a_set_have_rows_and_their_ensemble_has_one() {
        // The plan finds the set by the same variable.
        needs::data();
        let folder = tempfile::tempdir().unwrap();
        let never = AtomicBool::new(false);
        let rows = go(&quick(Target::Lcmc, &["emotions"], 3, 4), folder.path(), &Silent, &never);
        let rows = rows.unwrap();
        let seeds: Vec<Seeds> = rows.iter().map(|row| row.seeds).collect();
        let expected = [Seeds::One(0), Seeds::One(1), Seeds::One(2), Seeds::Ensemble(0, 2)];
        assert_eq!(seeds, expected);
        assert_eq!(rows[3].method, format!("ccn{ENSEMBLE}"));
        // A seed alone gives the same row as among others.
        let alone = tempfile::tempdir().unwrap();
        let one = go(&quick(Target::Lcmc, &["emotions"], 1, 4), alone.path(), &Silent, &never);
        assert_eq!(timeless(one.unwrap()), timeless(vec![rows[0].clone()]));
        // A larger ensemble needs its networks again; existing rows are not duplicated.
        let more = go(&quick(Target::Lcmc, &["emotions"], 4, 4), folder.path(), &Silent, &never);
        let more = more.unwrap();
        let added: Vec<Seeds> = more[4..].iter().map(|row| row.seeds).collect();
        assert_eq!(
            (&more[..4], &added[..]),
            (&rows[..], &[Seeds::One(3), Seeds::Ensemble(0, 3)][..])
        );
    }
}

#[test]
fn the_results_in_the_repository_are_whole_and_break_no_rule() {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reproduction");
    let rows = Folder::new(&place).results().read().unwrap();
    let all = PlanRequest {
        targets: Target::ALL.to_vec(),
        sets: vec![],
        systems: vec![],
        seeds: 10,
        searches_epochs: false,
    };
    let mut plan = Plan::new(&all).unwrap();
    plan.batches.retain(|batch| batch.system.is_network());
    let rows: Vec<Row> = rows.into_iter().filter(|row| row.facts.is_none()).collect();
    let known = Known::from_rows(&rows);
    // Missing batches are listed as open in docs/reproduction.md.
    let document = std::fs::read_to_string(place.join("../reproduction.md")).unwrap();
    for batch in &plan.batches {
        let name = batch.subject.to_string().replace('_', "\\_");
        let line = format!("- {name}, {}: seeds 0–9", batch.method());
        assert_eq!(known.has_all(batch), !document.contains(&line), "{batch}");
    }
    // No row has other settings, and none breaks a rule.
    let digests: Vec<String> = plan.batches.iter().map(Batch::digest).collect();
    for row in &rows {
        assert!(digests.contains(&row.configuration), "{} {} {}", row.set, row.method, row.seeds);
        assert_eq!(row.broken_rows, 0, "{} {} {}", row.set, row.method, row.seeds);
    }
}

#[test]
fn a_damaged_checkpoint_is_discarded() {
    let plan = quick(Target::ThreeClasses, &["three-classes-5"], 1, 60);
    let [whole, damaged] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let expected = go(&plan, whole.path(), &Silent, &AtomicBool::new(false)).unwrap();
    let stop = AtomicBool::new(false);
    let observer = Impatient { stop: &stop, left: AtomicUsize::new(30) };
    assert!(go(&plan, damaged.path(), &observer, &stop).is_err());
    for entry in std::fs::read_dir(damaged.path().join("checkpoints")).unwrap() {
        std::fs::write(entry.unwrap().path(), "cut").unwrap();
    }
    let rows = go(&plan, damaged.path(), &Silent, &AtomicBool::new(false)).unwrap();
    assert_eq!(timeless(rows), timeless(expected));
}
