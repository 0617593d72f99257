//! Diagnostics of reproductions.

use super::Failure;
use crate::diagnostic::Diagnostic;
use crate::text::{count, some_names};
use rulebound_reproduction::DATA_VARIABLE;
use rulebound_reproduction::{Failed, Folder, PlanError, ReproduceError};
use std::io;

/// The most names that a message lists.
const NAMED: usize = 40;

pub fn from_run(error: ReproduceError, folder: &Folder) -> Failure {
    let hint = match error {
        ReproduceError::Stopped { done, cells } => {
            return Failure::Interrupted(format!(
                "{} has {done} of {}, shown in {}; run the same command again to continue",
                folder.path().display(),
                count(cells, "run"),
                folder.report().display(),
            ));
        }
        ReproduceError::Absent { ref tried, .. } => {
            format!(
                "{} does not exist; set --data-dir or {DATA_VARIABLE} to the folder of the data sets",
                tried.display()
            )
        }
        ReproduceError::File { ref source, .. } if is_no_folder(source) => {
            "--out must be a new folder, or one that this command made".to_owned()
        }
        ReproduceError::NotResults { .. } => "give another --out, or repair the file".to_owned(),
        _ => return Diagnostic::from_error("reproduce", &error).into(),
    };
    Diagnostic::from_error("reproduce", &error).with_hint(hint).into()
}

/// Whether something else is where a file or folder of ours should be.
fn is_no_folder(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, IsADirectory, NotADirectory};
    matches!(error.kind(), AlreadyExists | IsADirectory | NotADirectory)
}

/// The failure when the speed of this machine cannot be measured.
pub fn from_probe(error: ReproduceError) -> Failure {
    match error {
        ReproduceError::Train(error) => error.into(),
        error => Diagnostic::from_error("reproduce", &error).into(),
    }
}

/// The networks that could not be trained; the others were.
pub fn from_failed(failed: Vec<Failed>, json: bool) -> Failure {
    let diagnostic = |failed: &Failed| {
        let why = Diagnostic::from_error("reproduce", &failed.error);
        Diagnostic { message: format!("{}: {}", failed.batch, why.message), ..why }
    };
    let mut diagnostics: Vec<Diagnostic> = failed.iter().map(diagnostic).collect();
    if !json && let Some(last) = diagnostics.pop() {
        diagnostics
            .push(last.with_hint("the other results are kept; run the same command to try again"));
    }
    Failure::Input(diagnostics)
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        match &error {
            PlanError::UnknownSets { known, .. } => {
                let names = some_names(known.iter().map(String::as_str), known.len(), NAMED);
                Self::Usage(format!("--sets: {error}; known data sets: {names}"))
            }
            PlanError::UnknownSystems { known, .. } => {
                Self::Usage(format!("--systems: {error}; known systems: {}", known.join(", ")))
            }
            PlanError::Seeds(_) => Self::Usage(format!("--seeds: {error}")),
            _ => Self::Usage(error.to_string()),
        }
    }
}
