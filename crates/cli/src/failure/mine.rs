//! Diagnostics of rule mining.

use super::Failure;
use crate::diagnostic::Diagnostic;
use rulebound::mine::MineError;

impl From<MineError> for Failure {
    fn from(error: MineError) -> Self {
        match error {
            MineError::BadSupport { .. }
            | MineError::BadConfidence { .. }
            | MineError::BodyTooLong { .. } => Self::Usage(error.to_string()),
            _ => Diagnostic::from_error("mine", &error)
                .with_hint("raise --min-support or --min-confidence, or lower --max-body")
                .into(),
        }
    }
}
