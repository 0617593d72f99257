//! Rows to predictions, on the CPU or a GPU.

use rulebound_core::{LabelId, Labels, LayerError, Program, Thresholds, UnsettledRows};

use super::error::PredictError;
use super::head::Head;
use super::member_scorer::MemberScorer;
use super::predictions::Predictions;
use super::rows::FeatureRows;
use super::scorer::Scorer;
use crate::dataset::{Column, Dataset};
use crate::device::Device;
use crate::explain::Explanation;
use crate::features::FeatureMatrix;
use crate::model::Model;
use crate::scores::ScoreKind;

/// Makes predictions for rows that have certain columns; see [`Model::predictor`].
///
/// It has memory of its own, so predicting needs `&mut`: a service gives each of its threads one, or keeps
/// some in a pool. It is `Send` and `Sync`, and borrows from its model. A thread that owns a share of the
/// model can lend it to its own predictor:
///
/// ```
/// use std::sync::{Arc, mpsc};
/// use rulebound::dataset::{Builtin, Step};
/// use rulebound::predict::{FeatureRows, PredictError, Predictions};
/// use rulebound::Trainer;
/// let data = Builtin::ThreeClasses.generate(Step::HALFWAY, 0)?;
/// let model = Arc::new(Trainer::new().hidden([4]).epochs(1).fit(&data)?);
/// let columns = data.columns().to_vec();
/// let (requests, inbox) = mpsc::channel::<Vec<f32>>();
/// let worker = std::thread::spawn(move || -> Result<usize, PredictError> {
///     let mut predictor = model.predictor(&columns)?;
///     let mut out = Predictions::default();
///     let mut rows = 0;
///     for cells in inbox {
///         predictor.predict(FeatureRows::dense(&cells, columns.len())?, &mut out)?;
///         rows += out.rows();
///     }
///     Ok(rows)
/// });
/// requests.send(vec![0.5, 0.5, 0.1, 0.9])?;
/// drop(requests);
/// assert_eq!(worker.join().unwrap()?, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A program that keeps one model until it ends may make it `'static` with
/// `Box::leak(Box::new(model))`; its predictors can then be kept anywhere.
pub struct Predictor<'a> {
    labels: &'a Labels,
    program: Option<&'a Program>,
    scorer: Box<dyn Scorer + 'a>,
    head: Head,
    /// Computes margins and delegates on a GPU; the scorer then only finds what went wrong.
    #[cfg(feature = "cuda")]
    gpu: Option<super::gpu::GpuPredictor<'a>>,
    logits: Vec<f32>,
    unsettled: UnsettledRows,
}

impl<'a> Predictor<'a> {
    /// A predictor around anything that computes logits. With `rules`, its predictions obey them.
    ///
    /// # Panics
    /// If there is not one threshold for each label.
    pub fn of_scorer(
        scorer: impl Scorer + 'a,
        rules: Option<&'a Program>,
        labels: &'a Labels,
        thresholds: &Thresholds,
    ) -> Self {
        Self::boxed(Box::new(scorer), rules, labels, thresholds)
    }

    fn boxed(
        scorer: Box<dyn Scorer + 'a>,
        rules: Option<&'a Program>,
        labels: &'a Labels,
        thresholds: &Thresholds,
    ) -> Self {
        Self {
            labels,
            program: rules,
            scorer,
            head: Head::new(labels, thresholds, rules),
            #[cfg(feature = "cuda")]
            gpu: None,
            logits: Vec::new(),
            unsettled: UnsettledRows::Error,
        }
    }

    /// Says what becomes of rows whose requirements cannot be settled within the limit: unless that is an
    /// error, they get what the network says by itself, and [`unsettled`](Self::unsettled) names them;
    /// [`write`](Self::write) leaves those that are to be marked blank.
    pub fn set_unsettled(&mut self, rows: UnsettledRows) {
        self.unsettled = rows;
        self.head.set_unsettled(rows);
    }

    /// The rows of the last batch that could not be settled: an error for each.
    pub fn unsettled(&self) -> Vec<LayerError> {
        self.head.unsettled()
    }

    /// The margins of the last batch before the rules. With requirements, they are always here and not on a GPU.
    pub(super) fn raw_margins(&self) -> &[f32] {
        self.head.raw()
    }

    pub(super) fn marks_unsettled(&self) -> bool {
        self.unsettled == UnsettledRows::Mark
    }

    /// The classes.
    pub fn labels(&self) -> &'a Labels {
        self.labels
    }

    /// The rules that predictions obey; none of a plain network.
    pub(super) fn rules(&self) -> Option<&'a Program> {
        self.program
    }

    /// Predicts a batch of rows.
    ///
    /// # Errors
    /// [`PredictError::NotANumber`] where a logit is not a number, and whatever the scorer or the
    /// GPU reports.
    pub fn predict(
        &mut self,
        rows: FeatureRows<'_>,
        out: &mut Predictions,
    ) -> Result<(), PredictError> {
        #[cfg(feature = "cuda")]
        if let Some(gpu) = &mut self.gpu {
            let classes = self.labels.len();
            out.reset(self.head.thresholds(), rows.rows() * classes);
            if gpu.predict(rows, out)? {
                return Ok(());
            }
            // A logit was not a number: found again on the CPU, with its place.
        }
        self.score(rows)?;
        match self.head.predict(&self.logits, out) {
            Err(LayerError::NotANumber { row, label }) => Err(self.not_a_number(rows, row, label)),
            result => Ok(result?),
        }
    }

    /// The probabilities that the network gives by itself, before the rules, row-major; of several
    /// members, the mean of what they give, each coherent by itself. They are computed on the CPU.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn raw_probabilities(&mut self, rows: FeatureRows<'_>) -> Result<Vec<f32>, PredictError> {
        self.score(rows)?;
        let mut raw = Predictions::default();
        let mut head = Head::new(self.labels, self.head.thresholds(), None);
        match head.predict(&self.logits, &mut raw) {
            Err(LayerError::NotANumber { row, label }) => Err(self.not_a_number(rows, row, label)),
            Err(error) => Err(error.into()),
            Ok(()) => Ok(raw.probabilities()),
        }
    }

    /// Explains the predictions of one row of a batch. The rules are not compiled again.
    ///
    /// # Errors
    /// As [`predict`](Self::predict), and [`PredictError::NoRules`] without rules.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn explain(
        &mut self,
        rows: FeatureRows<'_>,
        row: usize,
    ) -> Result<Explanation<'a>, PredictError> {
        let program = self.program.ok_or(PredictError::NoRules)?;
        self.score(rows)?;
        let classes = self.labels.len();
        let logits = &self.logits[row * classes..][..classes];
        if let Some(class) = logits.iter().position(|logit| logit.is_nan()) {
            let label = self.labels.name(LabelId::new(class)).to_owned();
            return Err(self.not_a_number(rows, row, label));
        }
        let logits = logits.iter().enumerate();
        let scores = logits
            .map(|(class, &logit)| f64::from(self.head.logit(LabelId::new(class), logit)))
            .collect();
        let members = self.scorer.member_decisions(rows, row)?;
        let layer = self.head.layer().ok_or(PredictError::NoRules)?;
        let explanation = Explanation::with_layer(program, layer, ScoreKind::Logit, scores, true)?;
        Ok(explanation.of_members(members))
    }

    /// The logits of the rows into the buffer.
    fn score(&mut self, rows: FeatureRows<'_>) -> Result<(), PredictError> {
        self.logits.clear();
        // A place that the scorer forgets is an error, not a guess.
        self.logits.resize(rows.rows() * self.labels.len(), f32::NAN);
        self.scorer.logits(rows, &mut self.logits)
    }

    #[cold]
    fn not_a_number(&self, rows: FeatureRows<'_>, row: usize, class: String) -> PredictError {
        let is_infinite = self.scorer.is_out_of_range(rows, row);
        PredictError::NotANumber { row: row as u64 + 1, id: None, class, is_infinite }
    }
}

// A pool of a service keeps predictors, whatever scores their rows.
const _: () = {
    const fn can_be_kept_anywhere<T: Send + Sync>() {}
    can_be_kept_anywhere::<Predictor<'static>>();
    can_be_kept_anywhere::<Predictions>();
};

impl std::fmt::Debug for Predictor<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Predictor").field("classes", &self.labels.len()).finish_non_exhaustive()
    }
}

impl Model {
    /// Predicts rows with these columns, which are matched to the model's by name; other columns
    /// are ignored. Several members are each made coherent by the rules, then averaged as probabilities;
    /// then the rules come again.
    ///
    /// ```
    /// use rulebound::dataset::{Builtin, Step};
    /// use rulebound::predict::{FeatureRows, Predictions};
    /// use rulebound::Trainer;
    /// let data = Builtin::ThreeClasses.generate(Step::HALFWAY, 0)?;
    /// let model = Trainer::new().hidden([4]).epochs(1).fit(&data)?;
    /// let mut predictor = model.predictor(data.columns())?;
    /// let mut out = Predictions::default();
    /// predictor.predict(FeatureRows::dense(&[0.5, 0.5, 0.1, 0.9], 2)?, &mut out)?;
    /// assert_eq!((out.rows(), out.classes()), (2, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PredictError::Columns`] when columns of the model are missing or of another kind.
    pub fn predictor(&self, columns: &[Column]) -> Result<Predictor<'_>, PredictError> {
        self.predictor_with(self.rules(), columns)
    }

    /// As [`predictor`](Self::predictor), but obeying other rules about the same classes in the end, or none:
    /// what the network says by itself. Of several members each still obeys the model's own rules
    /// before they are averaged.
    ///
    /// # Errors
    /// As [`predictor`](Self::predictor).
    ///
    /// # Panics
    /// If the rules have another number of classes.
    pub fn predictor_with<'a>(
        &'a self,
        rules: Option<&'a Program>,
        columns: &[Column],
    ) -> Result<Predictor<'a>, PredictError> {
        let scorer = self.scorer(columns)?;
        let mut predictor = Predictor::boxed(scorer, rules, self.labels(), self.thresholds());
        predictor.head = predictor.head.calibrated(self.calibration());
        Ok(predictor)
    }

    /// What computes the logits of rows with these columns: all parts together.
    pub(crate) fn scorer(&self, columns: &[Column]) -> Result<Box<dyn Scorer + '_>, PredictError> {
        Ok(Box::new(MemberScorer::new(self, columns)?))
    }

    /// As [`predictor`](Self::predictor), on a device: on a GPU, network and layer both run there; of
    /// a calibrated model, one with requirements, or one of several members, the networks only. A model that is not of networks alone uses the CPU.
    ///
    /// # Errors
    /// As [`predictor`](Self::predictor), and when the model does not fit on the GPU.
    pub fn predictor_on<'a>(
        &'a self,
        device: &'a Device,
        columns: &[Column],
    ) -> Result<Predictor<'a>, PredictError> {
        #[cfg_attr(not(feature = "cuda"), allow(unused_mut))]
        let mut predictor = self.predictor(columns)?;
        match device {
            Device::Cpu => {}
            #[cfg(feature = "cuda")]
            Device::Cuda(_) if self.members().is_empty() => {}
            #[cfg(feature = "cuda")]
            Device::Cuda(gpu) => {
                let encoder = self.pipeline().encoder(columns)?;
                let is_settled = self.rules().is_some_and(Program::has_requirements);
                let is_alone = self.members().len() == 1;
                if self.calibration().is_none() && !is_settled && is_alone {
                    predictor.gpu = Some(super::gpu::GpuPredictor::new(gpu, encoder, self)?);
                } else {
                    let logits = super::gpu::GpuMembers::new(gpu, encoder, self)?;
                    predictor.scorer = Box::new(logits);
                }
            }
            #[cfg(not(feature = "cuda"))]
            Device::Cuda(gpu) => match **gpu {},
        }
        Ok(predictor)
    }

    /// Predicts rows of a data set, whose columns are matched to the model's by name.
    ///
    /// # Errors
    /// As [`predictor`](Self::predictor), and where a logit is not a number.
    ///
    /// # Panics
    /// If a row is past the end.
    pub fn predict(
        &self,
        data: &Dataset,
        rows: impl IntoIterator<Item = usize>,
    ) -> Result<Predictions, PredictError> {
        let features = data.feature_matrix();
        let mut chosen = match features.is_sparse() {
            true => FeatureMatrix::sparse(features.width()),
            false => FeatureMatrix::dense(features.width()),
        };
        rows.into_iter().for_each(|row| chosen.push(features.row(row)));
        let mut predictions = Predictions::default();
        self.predictor(data.columns())?.predict((&chosen).into(), &mut predictions)?;
        Ok(predictions)
    }

    /// What its logits become: margins through the rules, if the method obeys them.
    #[doc(hidden)]
    pub fn head(&self) -> Head {
        Head::new(self.labels(), self.thresholds(), self.rules()).calibrated(self.calibration())
    }

    /// The rules that its predictions obey; none for a plain network, which may break them.
    pub fn rules(&self) -> Option<&Program> {
        self.configuration().is_coherent().then(|| self.program())
    }
}
