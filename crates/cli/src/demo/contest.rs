//! The methods, trained on one problem and measured on the same points.

use crate::diagnostic::Diagnostic;
use crate::failure::Failure;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rulebound::dataset::{Builtin, Dataset, Encoder, Source, Split, Step};
use rulebound::evaluate::Evaluation;
use rulebound::model::Model;
use rulebound::train::{
    Configuration, EpochRecord, Method, Observer, Stopping, TrainError, Trainer,
};
use rulebound_core::metrics::LabelsInMetrics;
use rulebound_core::{ConstraintLayer, LabelId, Margin};
use rulebound_reproduction::{DataSource, paper_configuration};
use std::error::Error;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

pub const PROBLEM: Builtin = Builtin::ThreeClasses;
pub const STEP: Step = Step::HALFWAY;

/// What a method is, in the width of a column.
pub fn description(method: Method) -> &'static str {
    match method {
        Method::None => "knows no rules",
        Method::Post => "the same network, rules afterwards",
        _ => "trained with the rules",
    }
}

/// A method and what it came to.
pub struct Entry {
    pub method: Method,
    pub evaluation: Evaluation,
    /// How long its network was trained.
    pub seconds: f64,
    model: Model,
}

/// All methods on the same data.
pub struct Contest {
    pub data: Dataset,
    pub entries: Vec<Entry>,
}

/// Predictions of some rows, row-major.
pub struct Predictions {
    pub probabilities: Vec<f32>,
    pub decisions: Vec<bool>,
}

impl Contest {
    /// Trains the networks at the same time and measures their predictions.
    pub fn hold(seed: u64, epochs: usize, quiet: bool, stop: &AtomicBool) -> Result<Self, Failure> {
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
        // `post` learns what `none` does: one network is enough for both.
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

    /// How many points there were to learn from.
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
        let encoder =
            self.model.pipeline().encoder(data.columns()).map_err(|error| impossible(&error))?;
        predict(self.method, &self.model, &encoder, points).map_err(|error| impossible(&*error))
    }
}

fn measure(method: Method, model: &Model, data: &Dataset) -> Result<Evaluation, Box<dyn Error>> {
    let encoder = model.pipeline().encoder(data.columns())?;
    let test = data.split(Split::Test).unwrap_or_default();
    let classes = data.classes().len();
    let mut truth = vec![false; test.len() * classes];
    for (row, truth) in test.clone().zip(truth.chunks_exact_mut(classes)) {
        data.labels().unpack(row, truth);
    }
    let points = test.map(|row| data.features(row));
    let Predictions { probabilities, decisions } = predict(method, model, &encoder, points)?;
    let evaluation = Evaluation::new(
        Some(data.program()),
        &probabilities,
        &decisions,
        &truth,
        data.evaluated(),
        LabelsInMetrics::Present,
    )?;
    Ok(evaluation)
}

/// The network's outputs, under the rules if the method obeys them.
fn predict<P: AsRef<[f32]>>(
    method: Method,
    model: &Model,
    encoder: &Encoder<'_>,
    points: impl Iterator<Item = P>,
) -> Result<Predictions, Box<dyn Error>> {
    let (classes, thresholds) = (model.labels().len(), model.thresholds());
    let mut rows = Vec::new();
    for point in points {
        let start = rows.len();
        rows.resize(start + encoder.width(), 0.0);
        encoder.encode(point.as_ref(), &mut rows[start..]);
    }
    let mut logits = vec![0.0; rows.len() / encoder.width() * classes];
    model.scorer().logits(&rows, &mut logits);
    let label = |at: usize| LabelId::new(at % classes);
    let margin = |(at, &logit): (usize, &f32)| {
        Margin::canonical(thresholds.margin_of_logit(label(at), logit))
    };
    let mut margins: Vec<f32> = logits.iter().enumerate().map(margin).collect();
    if method.is_coherent() {
        let layer = ConstraintLayer::new(model.program(), thresholds.clone());
        let mut coherent = vec![0.0; margins.len()];
        layer.forward(&margins, &mut coherent, &mut layer.workspace())?;
        margins = coherent;
    }
    let probability =
        |(at, &margin): (usize, &f32)| thresholds.probability_of_margin(label(at), margin);
    Ok(Predictions {
        probabilities: margins.iter().enumerate().map(probability).collect(),
        decisions: margins.iter().map(|margin| margin.is_predicted()).collect(),
    })
}

/// An error that no argument can cause; told all the same.
fn impossible(error: &dyn Error) -> Failure {
    Diagnostic::from_error("demo", error).into()
}

/// Epochs of all networks together, on a terminal; quiet in a pipe.
struct Progress {
    bar: ProgressBar,
}

impl Progress {
    fn new(epochs: usize, quiet: bool) -> Self {
        let target =
            if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(epochs as u64), target);
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
