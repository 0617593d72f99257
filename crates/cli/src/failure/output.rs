//! Diagnostics of files that are written.

use super::Failure;
use crate::diagnostic::Diagnostic;
use rulebound_io::output::OutputError;
use rulebound_io::table::TableError;

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        if let OutputError::Exists { .. } = &error {
            let diagnostic = Diagnostic::from_error("exists", &error);
            return diagnostic.with_hint("--force replaces it").into();
        }
        Self::if_broken_pipe(&error)
            .unwrap_or_else(|| Diagnostic::from_error("output", &error).into())
    }
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Self {
        Self::if_broken_pipe(&error)
            .unwrap_or_else(|| Diagnostic::from_error("output", &error).into())
    }
}
