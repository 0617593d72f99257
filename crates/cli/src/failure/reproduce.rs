//! What is said when a reproduction does not end well.

use super::Failure;
use crate::diagnostic::Diagnostic;
use crate::text::{count, some_names};
use rulebound_reproduction::DATA_VARIABLE;
use rulebound_reproduction::{Failed, Folder, PlanError, ReproduceError};
use std::io;

/// How many names a message lists.
const NAMED: usize = 40;

pub fn of(error: ReproduceError, folder: &Folder) -> Failure {
    let hint = match error {
        ReproduceError::Stopped { done, cells } => {
            return Failure::Interrupted(format!(
                "{} keeps {done} of {}, {} shows them; the same command goes on",
                folder.path().display(),
                count(cells, "network"),
                folder.report().display(),
            ));
        }
        ReproduceError::Absent { ref tried, .. } => {
            format!(
                "{} is not there; --data-dir or {DATA_VARIABLE} says where the sets are",
                tried.display()
            )
        }
        ReproduceError::File { ref source, .. } if is_no_folder(source) => {
            "--out is a folder of this command's own".to_owned()
        }
        ReproduceError::NotResults { .. } => "give another --out, or mend the file".to_owned(),
        _ => return Diagnostic::from_error("reproduce", &error).into(),
    };
    Diagnostic::from_error("reproduce", &error).with_hint(hint).into()
}

/// Whether something else lies where a file or folder of ours should.
fn is_no_folder(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, IsADirectory, NotADirectory};
    matches!(error.kind(), AlreadyExists | IsADirectory | NotADirectory)
}

/// When not even a probe can be trained.
pub fn of_probe(error: ReproduceError) -> Failure {
    match error {
        ReproduceError::Train(error) => error.into(),
        error => Diagnostic::from_error("reproduce", &error).into(),
    }
}

/// All that could not be done; the rest was.
pub fn of_batches(failed: Vec<Failed>, json: bool) -> Failure {
    let told = |failed: &Failed| {
        let why = Diagnostic::from_error("reproduce", &failed.error);
        Diagnostic { message: format!("{}: {}", failed.batch, why.message), ..why }
    };
    let mut diagnostics: Vec<Diagnostic> = failed.iter().map(told).collect();
    if !json && let Some(last) = diagnostics.pop() {
        diagnostics
            .push(last.with_hint("the other results are kept; the same command tries again"));
    }
    Failure::Input(diagnostics)
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        match &error {
            PlanError::UnknownSets { known, .. } => {
                let names = some_names(known.iter().map(String::as_str), known.len(), NAMED);
                Self::Usage(format!("--sets: {error}; there are {names}"))
            }
            PlanError::Seeds(_) => Self::Usage(format!("--seeds: {error}")),
            _ => Self::Usage(error.to_string()),
        }
    }
}
