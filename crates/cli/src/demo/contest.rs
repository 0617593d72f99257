//! The methods, trained on one problem and measured on the same points.

use crate::diagnostic::Diagnostic;
use crate::failure::Failure;
use crate::screen;
use indicatif::{ProgressBar, ProgressStyle};
use rulebound::dataset::{Builtin, Column, Dataset, Source, Split, Step};
use rulebound::evaluate::Evaluation;
use rulebound::labelled_scores::{LabelledScores, ScoresOf};
use rulebound::model::Model;
use rulebound::predict::{FeatureRows, PredictError, Predictions};
use rulebound::train::{
    Configuration, EpochRecord, Method, Observer, Stopping, TrainError, Trainer,
};
use rulebound_core::metrics::LabelsInMetrics;
use rulebound_io::scores::ScoreKind;
use rulebound_reproduction::{DataSource, paper_configuration};
use std::error::Error;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

pub const PROBLEM: Builtin = Builtin::ThreeClasses;
pub const STEP: Step = Step::HALFWAY;

/// A method in a few words, to fit a column.
pub fn description(method: Method) -> &'static str {
    match method {
        Method::None => "knows no rules",
        Method::Post => "the same network, rules afterwards",
        _ => "trained with the rules",
    }
}

/// A method and its result.
pub struct Entry {
    pub method: Method,
    pub evaluation: Evaluation,
    /// Training time of its network.
    pub seconds: f64,
    model: Model,
}

/// All methods on the same data.
pub struct Contest {
    pub data: Dataset,
    pub entries: Vec<Entry>,
}

impl Contest {
    /// Trains the networks at the same time and measures their predictions.
    pub fn run(seed: u64, epochs: usize, quiet: bool, stop: &AtomicBool) -> Result<Self, Failure> {
        let data = PROBLEM.generate(STEP, seed).map_err(|error| impossible(&error))?;
        let base = paper_configuration(&DataSource::Other(Source::Builtin(PROBLEM)), false)
            .unwrap_or_default();
        let base = Configuration { seed, stopping: Stopping::Epochs(epochs), ..base };
        let progress = Progress::new(2 * epochs, quiet);
        let trained = |method| -> Result<(Model, f64), TrainError> {
            let start = Instant::now();
            let configuration = Configuration { method, ..base.clone() };
            let model = Trainer::new()
                .configuration(configuration.clone())
                .observer(&progress)
                .stop(stop)
                .fit(&data)?;
            Ok((model, start.elapsed().as_secs_f64()))
        };
        // `post` and `none` train the same network: one is enough for both.
        let (plain, ccn) = rayon::join(|| trained(Method::None), || trained(Method::Ccn));
        progress.bar.finish_and_clear();
        let ((plain, plain_seconds), (ccn, ccn_seconds)) = (plain?, ccn?);
        let entries = [
            (Method::None, plain.clone(), plain_seconds),
            (Method::Post, plain, plain_seconds),
            (Method::Ccn, ccn, ccn_seconds),
        ];
        let entries = entries.map(|(method, model, seconds)| {
            let evaluation = measure(method, &model, &data).map_err(|error| impossible(&*error))?;
            Ok(Entry { method, evaluation, seconds, model })
        });
        let entries = entries.into_iter().collect::<Result<_, Failure>>()?;
        Ok(Self { data, entries })
    }

    /// The number of training points.
    pub fn trained_on(&self) -> usize {
        self.data.split(Split::Train).map_or(0, |rows| rows.len())
    }
}

impl Entry {
    /// What the method predicts at these points.
    pub fn predict(
        &self,
        data: &Dataset,
        points: impl Iterator<Item = [f32; 2]>,
    ) -> Result<Predictions, Failure> {
        let cells: Vec<f32> = points.flatten().collect();
        predict(self.method, &self.model, data.columns(), &cells)
            .map_err(|error| impossible(&error))
    }
}

fn measure(method: Method, model: &Model, data: &Dataset) -> Result<Evaluation, Box<dyn Error>> {
    let test = data.split(Split::Test).unwrap_or_default();
    let classes = data.classes().len();
    let mut truth = vec![false; test.len() * classes];
    for (row, truth) in test.clone().zip(truth.chunks_exact_mut(classes)) {
        data.labels().unpack(row, truth);
    }
    let cells: Vec<f32> = test.flat_map(|row| data.features(row)).copied().collect();
    let predictions = predict(method, model, data.columns(), &cells)?;
    let scores = predictions.probabilities();
    let of = ScoresOf::Table(ScoreKind::Probability);
    let rows = LabelledScores::new(data.classes(), &scores, of, &truth)
        .with_rules(data.program())
        .with_evaluated(data.evaluated());
    Ok(rows.decided(predictions.decisions(), LabelsInMetrics::Present).evaluate()?)
}

/// The predictions, with the constraint layer if the method has one.
fn predict(
    method: Method,
    model: &Model,
    columns: &[Column],
    cells: &[f32],
) -> Result<Predictions, PredictError> {
    let rows = FeatureRows::dense(cells, columns.len())?;
    // `post` is the network of `none`, with the rules at prediction.
    let rules = method.is_coherent().then(|| model.program());
    let mut predictor = model.predictor_with(rules, columns)?;
    let mut predictions = Predictions::default();
    predictor.predict(rows, &mut predictions)?;
    Ok(predictions)
}

/// An error that no argument can cause, reported all the same.
pub fn impossible(error: &(dyn Error + 'static)) -> Failure {
    Diagnostic::from_error("demo", error).into()
}

/// Counts the epochs of all networks together; hidden when not on a terminal.
struct Progress {
    bar: ProgressBar,
}

impl Progress {
    fn new(epochs: usize, quiet: bool) -> Self {
        let bar =
            ProgressBar::with_draw_target(Some(epochs as u64), screen::progress_target(quiet));
        let template = "training two networks {wide_bar} {percent} %  {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar }
    }
}

impl Observer for Progress {
    fn epoch(&self, _: &EpochRecord) {
        self.bar.inc(1);
    }
}
