//! What cannot be trained, and how labels that break rules are treated.

use std::sync::Mutex;

use rulebound::dataset::{Builtin, Column, Dataset, DatasetBuilder, Split};
use rulebound::train::{
    BrokenLabels, Configuration, EarlyStopping, EpochRecord, LabelPolicy, Method, Observer,
    Stopping, TrainError, Trainer,
};
use rulebound_core::{LabelId, Labels, RuleText};

use super::scene::{problem, quick, run};

/// Rows of one number; the labels of each are given.
fn small(rows: &[&[usize]], split: Split) -> Dataset {
    let labels = Labels::new(["a", "b"]).unwrap();
    let program = RuleText::new("a -> b").labels(labels).parse().unwrap().program;
    let columns = vec![Column::numeric("x")];
    let mut builder = DatasetBuilder::new("small", columns, vec![], 2).unwrap();
    builder.begin(split).unwrap();
    for (index, classes) in rows.iter().enumerate() {
        let row = builder.push(&[index as f32], &[]).unwrap();
        for &class in *classes {
            builder.labels_mut().insert(row, LabelId::new(class));
        }
    }
    builder.finish(program).unwrap()
}

#[test]
fn data_without_training_rows() {
    let error = run(&small(&[&[0, 1]], Split::Test), &quick(Method::Ccn)).unwrap_err();
    assert_eq!(error.to_string(), "`small` has no train rows");
}

#[test]
fn data_without_features() {
    let labels = Labels::new(["a", "b"]).unwrap();
    let program = RuleText::new("a -> b").labels(labels).parse().unwrap().program;
    let mut builder = DatasetBuilder::new("bare", vec![], vec![], 2).unwrap();
    builder.begin(Split::Train).unwrap();
    builder.push(&[], &[]).unwrap();
    let error = run(&builder.finish(program).unwrap(), &quick(Method::Ccn)).unwrap_err();
    assert_eq!(error.to_string(), "`bare` has no features to learn from");
}

#[test]
fn too_few_rows_to_hold_some_out() {
    let early = Stopping::Early(EarlyStopping::default());
    let configuration = Configuration { stopping: early, ..quick(Method::Ccn) };
    let error = run(&small(&[&[1]], Split::Train), &configuration).unwrap_err();
    assert!(matches!(error, TrainError::TooFewRows { rows: 1, .. }), "{error}");
}

#[test]
fn a_validation_without_positives_cannot_be_monitored() {
    let early = Stopping::Early(EarlyStopping::default());
    let configuration = Configuration { stopping: early, ..quick(Method::Ccn) };
    let error = run(&small(&[&[], &[], &[], &[]], Split::Train), &configuration).unwrap_err();
    assert!(matches!(error, TrainError::Undefined), "{error}");
}

#[test]
fn a_network_that_diverges_is_reported() {
    let data = problem(Builtin::Rectangles);
    let configuration = Configuration {
        learning_rate: 10.0,
        hidden: vec![40; 30],
        dropout: 0.0,
        stopping: Stopping::Epochs(3),
        ..quick(Method::Ccn)
    };
    let error = run(&data, &configuration).unwrap_err();
    assert!(matches!(error, TrainError::Diverged { seed: 7, .. }), "{error}");
}

#[derive(Default)]
struct Warned(Mutex<Option<BrokenLabels>>);

impl Observer for Warned {
    fn broken_labels(&self, broken: &BrokenLabels) {
        *self.0.lock().unwrap() = Some(broken.clone());
    }
}

#[test]
fn labels_that_break_a_rule_are_counted_completed_or_refused() {
    let broken = small(&[&[0, 1], &[0], &[], &[1]], Split::Train);
    let whole = small(&[&[0, 1], &[0, 1], &[], &[1]], Split::Train);
    let with = |labels| Configuration { labels, batch: 2, ..quick(Method::Ccn) };

    let warned = Warned::default();
    let keep = with(LabelPolicy::Keep);
    let kept = Trainer::new().configuration(keep.clone()).observer(&warned).fit(&broken).unwrap();
    let told = warned.0.into_inner().unwrap().unwrap();
    let (rules, policy) = (vec!["a -> b".to_owned()], LabelPolicy::Keep);
    assert_eq!(told, BrokenLabels { rows: 1, breaking_rules: 1, rules, policy });

    let completed = run(&broken, &with(LabelPolicy::Complete)).unwrap();
    let expected = run(&whole, &keep).unwrap();
    assert_eq!(completed.members(), expected.members());
    assert_ne!(kept.members(), expected.members());

    let error = run(&broken, &with(LabelPolicy::Strict)).unwrap_err();
    assert_eq!(error.to_string(), "training row 2: its labels break the rule `a -> b`");
}

/// Before the first epoch: a run must not end with a model that no file can hold.
#[test]
fn more_layers_than_a_file_can_hold() {
    let data = problem(Builtin::Rectangles);
    let configuration = Configuration { members: 1000, hidden: vec![1; 100], ..quick(Method::Ccn) };
    let error = run(&data, &configuration).unwrap_err();
    let expected = "all networks together have 101000 layers; the maximum is 80000";
    assert_eq!(error.to_string(), expected);
}

/// The monitor measured against the labels as they were given, the loss against the completed.
#[test]
fn raw_labels_completed_give_the_log_of_completed_labels() {
    let raw: &[&[usize]] = &[&[0], &[], &[0], &[1], &[], &[0], &[1], &[0], &[], &[0]];
    let whole: &[&[usize]] =
        &[&[0, 1], &[], &[0, 1], &[1], &[], &[0, 1], &[1], &[0, 1], &[], &[0, 1]];
    let (raw, whole) = (small(raw, Split::Train), small(whole, Split::Train));
    for method in Method::NETWORKS {
        let stopping = Stopping::Early(EarlyStopping {
            most: Some(6),
            holdout: 0.4,
            ..EarlyStopping::default()
        });
        let keep = Configuration { stopping, batch: 2, ..quick(method) };
        let complete = Configuration { labels: LabelPolicy::Complete, ..keep.clone() };
        let (asked, given) = (Epochs::default(), Epochs::default());
        Trainer::new().configuration(complete).observer(&asked).fit(&raw).unwrap();
        Trainer::new().configuration(keep).observer(&given).fit(&whole).unwrap();
        let (asked, given) = (asked.0.into_inner().unwrap(), given.0.into_inner().unwrap());
        assert_eq!(asked, given, "{method}");
        assert!(!asked.is_empty());
    }
}

/// Loss, validation AU(PRC) and validation loss of an epoch.
type EpochValues = (f64, Option<f64>, Option<f64>);

/// The values of every epoch.
#[derive(Default)]
struct Epochs(Mutex<Vec<EpochValues>>);

impl Observer for Epochs {
    fn epoch(&self, record: &EpochRecord) {
        let values = (record.loss, record.valid_auprc, record.valid_loss);
        self.0.lock().unwrap().push(values);
    }
}

/// The loss of the last epoch was reported for the weights of the best one.
#[test]
fn the_loss_reported_is_that_of_the_epoch_kept() {
    let data = problem(Builtin::Rectangles);
    let stopping =
        Stopping::Early(EarlyStopping { most: Some(9), patience: 2, ..EarlyStopping::default() });
    let configuration = Configuration { stopping, learning_rate: 0.1, ..quick(Method::Ccn) };
    let epochs = Epochs::default();
    let model = Trainer::new().configuration(configuration).observer(&epochs).fit(&data).unwrap();
    let epochs = epochs.0.into_inner().unwrap();
    let member = &model.training().members[0];
    assert!(member.epochs < epochs.len(), "the best epoch is the last: nothing is tested");
    let (loss, area, _) = epochs[member.epochs - 1];
    assert_eq!((member.loss, member.best.map(|(_, value)| value)), (loss, area));
}
