//! Training a model, its file, its predictions, and the GPU that any of them may use.

use super::Failure;
use crate::diagnostic::Diagnostic;
use rulebound::cuda::CudaError;
use rulebound::model::ModelError;
use rulebound::predict::PredictError;
use rulebound::train::TrainError;

impl From<TrainError> for Failure {
    fn from(error: TrainError) -> Self {
        let error = match error {
            TrainError::Cuda(error) => return error.into(),
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
                    "{path} keeps what was done; the same command with --resume goes on"
                ));
            }
            TrainError::Stopped { checkpoint: None } => return Self::Stopped,
            TrainError::Unfinished { .. } => "--resume goes on with it, --restart forgets it",
            TrainError::OtherRun { .. } => {
                "give the same options and data to go on with it, or --restart to forget it"
            }
            TrainError::Checkpoint(_) => "--restart begins again",
            TrainError::Diverged { .. } => "try a lower --learning-rate",
            TrainError::Memory { .. } => "fewer --members, or smaller --hidden layers, need less",
            TrainError::Undefined => "--monitor loss needs no positive rows",
            TrainError::TooFewRows { .. } => "--epochs N trains without validation",
            TrainError::BrokenLabels { .. } => {
                "--labels complete adds what follows from the labels, --labels keep leaves them"
            }
            _ => return Diagnostic::from_error("train", &error).into(),
        };
        Diagnostic::from_error("train", &error).with_hint(hint).into()
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        let hint = match &error {
            ModelError::OtherKind { kind: "model", .. } => "models are made by `rulebound train`",
            ModelError::CutOff { .. }
            | ModelError::TooLong { .. }
            | ModelError::HeaderTooLarge { .. }
            | ModelError::Damaged { .. } => "copy the file again, or train again",
            ModelError::Newer { .. } => "use a newer rulebound",
            _ => return Diagnostic::from_error("model", &error).into(),
        };
        Diagnostic::from_error("model", &error).with_hint(hint).into()
    }
}

impl From<PredictError> for Failure {
    fn from(error: PredictError) -> Self {
        match error {
            PredictError::Rows(error) => error.into(),
            PredictError::Scores(error) => error.into(),
            PredictError::Output(error) => Diagnostic::from_error("output", &error).into(),
            PredictError::Stopped => Self::Stopped,
            other => Diagnostic::from_error("predict", &other).into(),
        }
    }
}

impl From<CudaError> for Failure {
    fn from(error: CudaError) -> Self {
        let hint = match &error {
            CudaError::Memory { .. } => "fewer --members, or smaller --hidden layers, need less",
            CudaError::NoDriver | CudaError::DriverFails(_) | CudaError::NoDevice { .. } => {
                "`rulebound devices` lists what is there; --device cpu needs no GPU"
            }
            _ => "--device cpu needs no GPU",
        };
        Diagnostic::from_error("cuda", &error).with_hint(hint).into()
    }
}
