//! What predicting writes.

use std::path::PathBuf;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, UInt32Type, UInt64Type};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use rulebound::dataset::{RowOptions, RowReader};
use rulebound::predict::{PredictError, PredictionPaths, PredictionSummary, Predictor};
use rulebound_core::{Labels, RuleText, Thresholds};

use crate::scene::{Function, Scene};

/// Two features that are passed through unchanged: mean 0, standard deviation 1.
const FITTED: &str = "x,y,fur,label\n1,1,yes,0\n-1,-1,no,1\n";

/// The logits are x, y and x + y.
fn network(features: &[f32], logits: &mut [f32]) {
    for (features, logits) in features.chunks(4).zip(logits.chunks_mut(3)) {
        logits.copy_from_slice(&[features[0], features[1], features[0] + features[1]]);
    }
}

const CLASSES: [&str; 3] = ["a", "b", "c"];

struct Run {
    scene: Scene,
    request: PredictionPaths,
    rules: &'static str,
    stop: bool,
    network: fn(&[f32], &mut [f32]),
}

impl Run {
    fn new(out: &str) -> Self {
        let scene = Scene::new();
        let request = PredictionPaths::new(scene.path(out));
        Self { scene, request, rules: "", stop: false, network }
    }

    fn with_all(out: &str) -> Self {
        let mut run = Self::new(out);
        run.request.decisions = Some(run.path("decisions.csv"));
        run.request.delegates = Some(run.path("delegates.csv"));
        run
    }

    fn path(&self, name: &str) -> PathBuf {
        self.scene.path(name)
    }

    fn run(&self, content: &str) -> Result<PredictionSummary, PredictError> {
        let pipeline = self.scene.fit(FITTED);
        let path = self.scene.write("in.csv", content);
        std::fs::remove_file(self.path("fitted.csv")).unwrap();
        let rows = RowReader::open(&path, &pipeline, &RowOptions::default())?;
        let labels = Labels::new(CLASSES).unwrap();
        let halves = Thresholds::uniform(3, 0.5).unwrap();
        let program = RuleText::new(self.rules).labels(labels.clone()).parse().unwrap().program;
        let rules = (!self.rules.is_empty()).then_some(&program);
        let scorer = Function::new(&pipeline, &rows, self.network);
        Predictor::of_scorer(scorer, rules, &labels, &halves)
            .write(rows, &self.request, |_| !self.stop)
    }
}

/// σ(x) as it is written.
fn p(x: f32) -> String {
    let thresholds = Thresholds::uniform(3, 0.5).unwrap();
    let value = thresholds.probability_of_margin(rulebound_core::LabelId::new(0), x);
    let text = f64::from(value).to_string();
    if text.contains('.') { text } else { format!("{text}.0") }
}

#[test]
fn without_rules_the_network_decides() {
    let run = Run::with_all("out.csv");
    let summary = run.run("photo_id,fur,y,x\n\"p,1\",no,-2,1\n,yes,0,0.5\n").unwrap();
    let expected = format!(
        "photo_id,a,b,c\n\"p,1\",{},{},{}\n,{},0.5,{}\n",
        p(1.0),
        p(-2.0),
        p(-1.0),
        p(0.5),
        p(0.5)
    );
    assert_eq!(run.scene.text("out.csv"), expected);
    assert_eq!(run.scene.text("decisions.csv"), "photo_id,a,b,c\n\"p,1\",1,0,0\n,1,0,1\n");
    assert_eq!(run.scene.text("delegates.csv"), "photo_id,a,b,c\n\"p,1\",a,b,c\n,a,b,c\n");
    let mut expected = PredictionSummary { rows: 2, predicted: 3, ..PredictionSummary::default() };
    expected.unusual.rows = 2;
    assert_eq!(summary, expected);
    assert_eq!(run.scene.names(), ["decisions.csv", "delegates.csv", "in.csv", "out.csv"]);
}

#[test]
fn rules_decide_and_the_tables_name_the_delegates() {
    let mut run = Run::with_all("out.tsv.gz");
    run.rules = "a -> b\nnot b -> c";
    let summary = run.run("x,y,fur\n2,-1,no\n-2,-1,blue\n-2,1,no\n").unwrap();
    let row = |cells: [f32; 3]| format!("{}\n", cells.map(p).join("\t"));
    let expected =
        "a\tb\tc\n".to_owned() + &row([2., 2., 1.]) + &row([-2., -1., 1.]) + &row([-2., 1., -1.]);
    assert_eq!(run.scene.text("out.tsv.gz"), expected);
    assert_eq!(run.scene.text("decisions.csv"), "a,b,c\n1,1,1\n0,0,1\n0,1,0\n");
    assert_eq!(run.scene.text("delegates.csv"), "a,b,c\na,a,c\na,b,not b\na,b,c\n");
    assert_eq!((summary.changed_rows, summary.changed_scores, summary.predicted), (2, 2, 5));
    assert_eq!(summary.unusual.unseen[0].column, "fur");
    assert_eq!((summary.unusual.unseen[0].cells, summary.unusual.unseen.len()), (1, 1));
}

#[test]
fn the_highest_classes_with_ties_in_their_order() {
    let rows = "x,y,fur\n1,1,no\n-3,0,no\n";
    for (most, lines) in [(2, 4), (0, 0), (99, 6)] {
        let mut run = Run::new("top.csv");
        run.request.top = Some(most);
        run.run(rows).unwrap();
        let text = run.scene.text("top.csv");
        assert_eq!(text.lines().count(), lines + 1, "{text}");
        if most == 2 {
            let expected = format!(
                "row,rank,class,probability\n1,1,c,{}\n1,2,a,{}\n2,1,b,0.5\n2,2,a,{}\n",
                p(2.0),
                p(1.0),
                p(-3.0)
            );
            assert_eq!(text, expected);
        }
    }
    let mut run = Run::new("top.tsv");
    run.request.top = Some(1);
    run.run("id,x,y,fur\nfirst,1,0,no\n").unwrap();
    let expected = format!("id\trank\tclass\tprobability\nfirst\t1\ta\t{}\n", p(1.0));
    assert_eq!(run.scene.text("top.tsv"), expected);
}

#[test]
fn the_highest_classes_in_parquet() {
    let mut run = Run::new("top.parquet");
    run.request.top = Some(2);
    run.run("x,y,fur\n1,2,no\n-3,0,no\n").unwrap();
    let file = std::fs::File::open(run.path("top.parquet")).unwrap();
    let mut batches = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    let batch = batches.next().unwrap().unwrap();
    let names: Vec<String> =
        batch.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["row", "rank", "class", "probability"]);
    assert_eq!(batch.column(0).as_primitive::<UInt64Type>().values(), &[1, 1, 2, 2]);
    assert_eq!(batch.column(1).as_primitive::<UInt32Type>().values(), &[1, 2, 1, 2]);
    let classes: Vec<_> = batch.column(2).as_string::<i32>().iter().flatten().collect();
    assert_eq!(classes, ["c", "b", "b", "a"]);
    assert_eq!(batch.column(3).as_primitive::<Float32Type>().value(2), 0.5);
}

#[test]
fn an_id_with_the_name_of_another_column_is_renamed() {
    for (top, name, expected) in
        [(None, "a", "a#2,a,b,c"), (Some(1), "rank", "rank#2,rank,class,probability")]
    {
        let scene = Scene::new();
        let pipeline = scene.fit(FITTED);
        let path = scene.write("in.csv", format!("{name},x,y,fur\nk,1,1,no\n"));
        let options = RowOptions { id_column: Some(name.into()), ..RowOptions::default() };
        let rows = RowReader::open(&path, &pipeline, &options).unwrap();
        let request = PredictionPaths { top, ..PredictionPaths::new(scene.path("out.csv")) };
        let (labels, halves) =
            (Labels::new(CLASSES).unwrap(), Thresholds::uniform(3, 0.5).unwrap());
        let scorer = Function::new(&pipeline, &rows, network);
        let mut predictor = Predictor::of_scorer(scorer, None, &labels, &halves);
        predictor.write(rows, &request, |_| true).unwrap();
        let text = scene.text("out.csv");
        assert_eq!(text.lines().next(), Some(expected));
        assert!(text.lines().nth(1).unwrap().starts_with("k,"), "{text}");
    }
}

#[test]
fn stopping_leaves_everything_as_it_was() {
    let mut run = Run::with_all("out.csv");
    run.stop = true;
    run.scene.write("out.csv", "before");
    let rows = "x,y,fur\n1,2,no\n";
    for content in [rows, "x,y,fur\n"] {
        let stopped = run.run(content).unwrap_err();
        assert!(matches!(stopped, PredictError::Stopped), "{stopped}");
        assert_eq!(run.scene.names(), ["in.csv", "out.csv"]);
        assert_eq!(run.scene.text("out.csv"), "before");
    }
    run.stop = false;
    assert_eq!(run.run(rows).unwrap().rows, 1);
    assert_ne!(run.scene.text("out.csv"), "before");
}

#[test]
fn a_nan_logit_names_its_row() {
    // Infinity is allowed.
    let mut infinite = Run::with_all("out.csv");
    infinite.network = |_, logits| logits.fill(f32::INFINITY);
    assert_eq!(infinite.run("x,y,fur\n1,1,no\n").unwrap().predicted, 3);
    let mut forgets = Run::with_all("out.csv");
    forgets.network = |_, logits| logits[..4].fill(0.0);
    let error = forgets.run("id,x,y,fur\np,1,1,no\nq,1,1,no\n").unwrap_err();
    let PredictError::NotANumber { row: 2, id, class, is_infinite: false } = &error else {
        panic!("{error}");
    };
    assert_eq!((id.as_deref(), class.as_str()), (Some("q"), "b"));
    let expected = "row 2, \"q\": the network gives no number for `b`";
    assert_eq!(error.to_string(), expected);
    assert_eq!(forgets.scene.names(), ["in.csv"]);
}

#[test]
fn a_feature_out_of_range_is_reported() {
    let scene = Scene::new();
    // The standard deviation is tiny, so that 1e30 exceeds the 32-bit range.
    let data = scene.data("f.csv", "x,label\n1e-30,0\n-1e-30,1\n", 1);
    let pipeline = crate::scene::fit(&data);
    let path = scene.write("in.csv", "x\n1e-30\n1e30\n");
    let rows = RowReader::open(&path, &pipeline, &RowOptions::default()).unwrap();
    let labels = Labels::new(["a"]).unwrap();
    let halves = Thresholds::uniform(1, 0.5).unwrap();
    let zero_times = |features: &[f32], logits: &mut [f32]| {
        for (logit, feature) in logits.iter_mut().zip(features) {
            *logit = 0.0 * feature;
        }
    };
    let request = PredictionPaths::new(scene.path("out.csv"));
    let scorer = Function::new(&pipeline, &rows, zero_times);
    let mut predictor = Predictor::of_scorer(scorer, None, &labels, &halves);
    let error = predictor.write(rows, &request, |_| true).unwrap_err();
    assert!(matches!(error, PredictError::NotANumber { row: 2, is_infinite: true, .. }), "{error}");
    assert!(!request.out.exists());
}

#[test]
fn a_late_mistake_or_a_bad_output_leaves_nothing() {
    let run = Run::with_all("out.csv");
    let late = format!("x,y,fur\n{}1,oops,no\n", "1,1,no\n".repeat(200_000));
    assert!(matches!(run.run(&late).unwrap_err(), PredictError::Rows(_)));
    assert_eq!(run.scene.names(), ["in.csv"]);
    let mut run = Run::with_all("out.csv");
    run.request.delegates = Some(run.path("no/such/folder.csv"));
    assert!(matches!(run.run("x,y,fur\n1,1,no\n").unwrap_err(), PredictError::Scores(_)));
    run.request.delegates = Some(run.path("delegates.xlsx"));
    assert!(matches!(run.run("x,y,fur\n1,1,no\n").unwrap_err(), PredictError::Scores(_)));
    assert_eq!(run.scene.names(), ["in.csv"]);
}

/// The last table fails only at its last bytes; the first must not exist then.
#[test]
#[cfg(target_os = "linux")]
fn no_table_appears_before_all_are_complete() {
    let mut run = Run::with_all("out.csv");
    std::os::unix::fs::symlink("/dev/full", run.path("full.csv")).unwrap();
    run.request.delegates = Some(run.path("full.csv"));
    assert!(matches!(run.run("x,y,fur\n1,1,no\n").unwrap_err(), PredictError::Scores(_)));
    assert_eq!(run.scene.names(), ["full.csv", "in.csv"]);
}
