//! Diagnostics of training, model files, predictions and the GPU.

use super::Failure;
use crate::diagnostic::Diagnostic;
use rulebound::calibration::CalibrationError;
use rulebound::cuda::CudaError;
use rulebound::dataset::PipelineError;
use rulebound::model::{MergeError, ModelError};
use rulebound::predict::PredictError;
use rulebound::storage::StorageError;
use rulebound::train::TrainError;
use rulebound_io::output::OutputError;

impl From<TrainError> for Failure {
    fn from(error: TrainError) -> Self {
        let error = match error {
            TrainError::Cuda(error) => return error.into(),
            TrainError::Output(error @ OutputError::Exists { .. }) => return error.into(),
            other => other,
        };
        let hint = match &error {
            TrainError::Configuration(mistakes) => {
                let list: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
                return Self::Usage(list.join("\nerror: "));
            }
            TrainError::Stopped { checkpoint: Some(path) } => {
                let path = path.display();
                return Self::Interrupted(format!(
                    "progress is saved in {path}; run the same command with --resume to continue"
                ));
            }
            TrainError::Stopped { checkpoint: None } => return Self::Stopped,
            TrainError::Unfinished { .. } => "--resume continues it, --restart discards it",
            TrainError::OtherRun { .. } => {
                "give the same options and data to resume it, or --restart to discard it"
            }
            TrainError::Checkpoint(_) => "--restart discards it and starts over",
            TrainError::Diverged { .. } => "try a lower --learning-rate",
            TrainError::Memory { .. }
            | TrainError::Pipeline(PipelineError::Storage(StorageError::Memory { .. })) => {
                "`train --stream` keeps rows on disk; fewer --members, smaller --hidden layers, a smaller --batch or fewer validation rows need less memory"
            }
            TrainError::Pipeline(PipelineError::CentredSparse { .. }) => {
                "--scaling scale divides without centring, so that 0 remains 0"
            }
            TrainError::Pipeline(PipelineError::Storage(_)) => {
                "--stream-folder DIR names a folder on a disk with room for the rows"
            }
            TrainError::Undefined => "--monitor loss works without positive rows",
            TrainError::TextColumns(_) => {
                "--ignore NAME leaves a column out; --nominal NAME makes an input of each of its values"
            }
            TrainError::OtherStart { .. } => "give the options and data that it was trained with",
            TrainError::TooFewRows { .. } => "--epochs N trains without validation",
            TrainError::BrokenLabels { .. } => {
                "--label-policy complete adds the labels that the rules imply, --label-policy keep leaves them as they are"
            }
            _ => return Diagnostic::from_error("train", &error).into(),
        };
        Diagnostic::from_error("train", &error).with_hint(hint).into()
    }
}

impl From<MergeError> for Failure {
    fn from(error: MergeError) -> Self {
        let (each, hint): (Vec<String>, &str) = match &error {
            MergeError::Differences(all) => (
                all.iter().map(ToString::to_string).collect(),
                "train all members with the same data, rules and settings, and only --seed different",
            ),
            MergeError::Seeds(all) => (
                all.iter().map(ToString::to_string).collect(),
                "a member that is there twice counts twice; give each its own --seed",
            ),
            MergeError::NoMembers(all) => (
                all.iter().map(ToString::to_string).collect(),
                "`train --learners` makes one model of several kinds",
            ),
            other => return Diagnostic::from_error("merge", other).into(),
        };
        let last = each.len().saturating_sub(1);
        let diagnostics = each.into_iter().enumerate().map(|(at, message)| {
            let diagnostic = Diagnostic::plain("merge", message);
            if at == last { diagnostic.with_hint(hint) } else { diagnostic }
        });
        Self::Input(diagnostics.collect())
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        let hint = match &error {
            ModelError::OtherKind { kind: "model", .. } => "`rulebound train` writes model files",
            ModelError::CutOff { .. }
            | ModelError::TooLong { .. }
            | ModelError::HeaderTooLarge { .. }
            | ModelError::Damaged { .. } => "copy the file again, or retrain the model",
            ModelError::Newer { .. } => "use a newer rulebound",
            _ => return Diagnostic::from_error("model", &error).into(),
        };
        Diagnostic::from_error("model", &error).with_hint(hint).into()
    }
}

impl From<CalibrationError> for Failure {
    fn from(error: CalibrationError) -> Self {
        let hint = match &error {
            CalibrationError::Calibrated => "calibrate the model it was made from",
            _ => "choose rows with positives and negatives: --split",
        };
        Diagnostic::from_error("calibration", &error).with_hint(hint).into()
    }
}

impl From<PredictError> for Failure {
    fn from(error: PredictError) -> Self {
        match error {
            PredictError::Rows(error) => error.into(),
            PredictError::Scores(error) => error.into(),
            PredictError::Output(error) => Diagnostic::from_error("output", &error).into(),
            PredictError::Stopped => Self::Stopped,
            PredictError::Layer(rulebound_core::LayerError::Unsettled { .. }) => {
                Diagnostic::from_error("unsettled", &error)
                    .with_hint(super::tables::UNSETTLED)
                    .into()
            }
            other => Diagnostic::from_error("predict", &other).into(),
        }
    }
}

impl From<CudaError> for Failure {
    fn from(error: CudaError) -> Self {
        let hint = match &error {
            CudaError::Memory { .. } => {
                "fewer --members or smaller --hidden layers need less memory"
            }
            CudaError::NoDriver | CudaError::DriverFails(_) | CudaError::NoDevice { .. } => {
                "`rulebound devices` lists the available devices; --device cpu needs no GPU"
            }
            _ => "--device cpu needs no GPU",
        };
        Diagnostic::from_error("cuda", &error).with_hint(hint).into()
    }
}
