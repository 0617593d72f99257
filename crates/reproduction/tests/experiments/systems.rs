//! Systems that are not networks of the paper, and blends: from a plan to rows.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rulebound::blend::LearnerChoice;
use rulebound::dataset::{Builtin, Split, Step};
use rulebound::device::Device;
use rulebound::train::{
    self, Configuration, EarlyStopping, EpochRecord, Method, Silent, Stopping, Trainer,
};
use rulebound_core::metrics::LabelsInMetrics;
use rulebound_reproduction::{
    Batch, ChosenOn, ENSEMBLE, Folder, Known, Observer, Plan, ReproduceError, Reproduction, Row,
    Seeds, Subject, System, methods, reproduce,
};

const STEP: Step = Step::HALFWAY;

/// Settings that take no time.
fn small(method: Method, count: Option<usize>) -> Configuration {
    let early = EarlyStopping { most: Some(3), retrain: true, ..EarlyStopping::default() };
    let base = Configuration {
        hidden: vec![6],
        dropout: 0.0,
        batch: 250,
        stopping: Stopping::Early(early),
        ..Configuration::default()
    };
    LearnerChoice { method, count }.configuration(&base).unwrap()
}

fn batch(system: System, configuration: Configuration, others: Vec<Configuration>) -> Batch {
    let subject = Subject::Synthetic(Builtin::Rectangles, Some(STEP));
    Batch { subject, system, configuration, others, folds: None }
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
        jobs: 1,
        checkpoint_interval: Duration::ZERO,
    };
    let failed = reproduce(&reproduction, observer, stop)?;
    assert!(failed.is_empty(), "{failed:?}");
    folder.results().read()
}

/// One small run of every method that is not a network of the paper.
#[test]
fn every_method_has_its_row() {
    let counted = |method| match method {
        methods::CLUS | Method::FOREST => Some(3),
        methods::ECC => Some(2),
        _ => None,
    };
    let others = Method::all().filter(|method| !method.is_network());
    let batches: Vec<Batch> = others
        .map(|method| batch(System::Own(method), small(method, counted(method)), Vec::new()))
        .collect();
    assert_eq!(batches.len(), 13);
    let plan = Plan { batches };
    let folder = tempfile::tempdir().unwrap();
    let rows = go(&plan, folder.path(), &Silent, &AtomicBool::new(false)).unwrap();
    let data = Builtin::Rectangles.generate(STEP, 0).unwrap();
    let test = data.split(Split::Test).unwrap();
    assert_eq!(rows.len(), plan.batches.len());
    for (batch, row) in plan.batches.iter().zip(&rows) {
        assert_eq!((&row.method, row.seeds), (&batch.system.to_string(), Seeds::One(0)));
        assert_eq!(row.broken_rows, 0, "{batch}");
        let facts = row.facts.as_ref().unwrap();
        let expected =
            if batch.method().has_epochs() { ChosenOn::Validation } else { ChosenOn::Fixed };
        assert_eq!((facts.chosen_on, &facts.weights[..]), (expected, &[][..]), "{batch}");
        // Only these are cheap enough to fit twice.
        if matches!(batch.method(), Method::BR | Method::FOREST) {
            let model =
                Trainer::new().configuration(batch.configuration.clone()).fit(&data).unwrap();
            let by_hand = |labels| model.evaluate(&data, test.clone(), labels).unwrap().ensemble;
            assert_eq!(row.all, by_hand(LabelsInMetrics::All).metrics, "{batch}");
            assert_eq!(facts.seen, by_hand(LabelsInMetrics::Seen).metrics, "{batch}");
        }
    }
    assert!(!folder.path().join("results.csv").exists(), "it is for networks");
    assert_eq!(Known::from_rows(&rows).cells(&plan), plan.cells());
}

fn blend() -> Plan {
    let others = vec![small(Method::FOREST, Some(3)), small(Method::BR, None)];
    Plan { batches: vec![batch(System::Blend, small(Method::Ccn, Some(3)), others)] }
}

/// Rows without the time they took.
fn timeless(rows: Vec<Row>) -> Vec<Row> {
    rows.into_iter().map(|row| Row { seconds: 0.0, ..row }).collect()
}

#[test]
fn a_blend_has_a_row_without_each_network_and_one_with_all() {
    let folder = tempfile::tempdir().unwrap();
    let rows = go(&blend(), folder.path(), &Silent, &AtomicBool::new(false)).unwrap();
    let seeds: Vec<Seeds> = rows.iter().map(|row| row.seeds).collect();
    assert_eq!(seeds, [Seeds::One(0), Seeds::One(1), Seeds::One(2), Seeds::Ensemble(0, 2)]);
    let names: Vec<&str> = rows.iter().map(|row| row.method.as_str()).collect();
    let whole = format!("blend{ENSEMBLE}");
    assert_eq!(names, ["blend", "blend", "blend", &whole]);
    for row in &rows {
        let facts = row.facts.as_ref().unwrap();
        assert_eq!((facts.weights.len(), facts.chosen_on), (3, ChosenOn::Validation));
        assert!((facts.weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!(row.broken_rows, 0);
    }
    assert_ne!(rows[0].all, rows[3].all);
    assert_eq!(Known::from_rows(&rows).cells(&blend()), 3);
}

/// Requests a stop after this many epochs or fitted pieces.
struct Impatient<'a> {
    stop: &'a AtomicBool,
    left: AtomicUsize,
}

impl Impatient<'_> {
    fn count(&self) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

impl train::Observer for Impatient<'_> {
    fn epoch(&self, _: &EpochRecord) {
        self.count();
    }

    fn pieces(&self, _: usize, _: usize) {
        self.count();
    }
}

impl Observer for Impatient<'_> {}

#[test]
fn a_blend_that_was_stopped_ends_where_it_would_have() {
    let [whole, parts] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let expected = go(&blend(), whole.path(), &Silent, &AtomicBool::new(false)).unwrap();
    let (mut stops, mut patience) = (0, 4);
    let rows = loop {
        let stop = AtomicBool::new(false);
        let observer = Impatient { stop: &stop, left: AtomicUsize::new(patience) };
        match go(&blend(), parts.path(), &observer, &stop) {
            Ok(rows) => break rows,
            Err(ReproduceError::Stopped { done: 0, cells: 3 }) => {}
            Err(error) => panic!("{error}"),
        }
        (stops, patience) = (stops + 1, patience + 2);
        assert!(stops < 50);
    };
    assert!(stops > 1, "{stops}");
    assert_eq!(timeless(rows), timeless(expected));
    let left = std::fs::read_dir(parts.path().join("checkpoints")).unwrap().count();
    assert_eq!(left, 0, "everything of an unfinished batch is removed");
}
