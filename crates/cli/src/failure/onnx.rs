//! Diagnostics of ONNX files.

use super::Failure;
use crate::diagnostic::Diagnostic;
use rulebound::onnx::OnnxError;

impl From<OnnxError> for Failure {
    fn from(error: OnnxError) -> Self {
        match error {
            OnnxError::Output(error) => error.into(),
            OnnxError::Model(error) => error.into(),
            other => Diagnostic::from_error("onnx", &other).into(),
        }
    }
}
