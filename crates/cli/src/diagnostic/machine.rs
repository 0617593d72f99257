//! Whether the input or the machine is at fault: what a script does next depends on it.
//!
//! A broken input fails again tomorrow; a full disk, a file that may not be read, too little memory or a GPU
//! that does not answer are mended elsewhere, and then the same command works.

use rulebound::cuda::CudaError;
use rulebound::dataset::{DatasetError, PipelineError};
use rulebound::predict::PredictError;
use rulebound::storage::StorageError;
use rulebound::train::TrainError;
use rulebound_io::output::OutputError;
use rulebound_io::scores::ScoreError;
use rulebound_io::table::TableError;
use std::error::Error;
use std::io::{self, ErrorKind};

/// Whether an error, or one of its causes, is one of the machine.
pub fn is_of_the_machine(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(below) = cause {
        if is_io(below) || is_memory(below) || is_output(below) || below.is::<CudaError>() {
            return true;
        }
        cause = below.source();
    }
    false
}

/// Whether an error of the operating system is not about what the user named.
fn is_io_of_the_machine(error: &io::Error) -> bool {
    match error.kind() {
        ErrorKind::NotFound
        | ErrorKind::AlreadyExists
        | ErrorKind::InvalidInput
        | ErrorKind::InvalidData
        | ErrorKind::UnexpectedEof
        | ErrorKind::IsADirectory
        | ErrorKind::NotADirectory
        | ErrorKind::DirectoryNotEmpty
        | ErrorKind::InvalidFilename
        | ErrorKind::Unsupported
        | ErrorKind::BrokenPipe => false,
        ErrorKind::PermissionDenied
        | ErrorKind::StorageFull
        | ErrorKind::QuotaExceeded
        | ErrorKind::FileTooLarge
        | ErrorKind::ReadOnlyFilesystem
        | ErrorKind::OutOfMemory
        | ErrorKind::WriteZero
        | ErrorKind::TimedOut
        | ErrorKind::ResourceBusy => true,
        // The rest has a number of the operating system, unless it is a message of a library.
        _ => error.raw_os_error().is_some(),
    }
}

fn is_io(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(is_io_of_the_machine)
}

/// Memory that was refused before it was used, by us or by the system. A transparent error hides the one
/// within it, so that each is asked for.
fn is_memory(error: &(dyn Error + 'static)) -> bool {
    let full = |error: &StorageError| matches!(error, StorageError::Memory { .. });
    let of_pipeline =
        |error: &PipelineError| matches!(error, PipelineError::Storage(error) if full(error));
    if let Some(error) = error.downcast_ref::<DatasetError>() {
        return match error {
            DatasetError::Memory { .. } | DatasetError::OutOfMemory { .. } => true,
            DatasetError::Storage(error) => full(error),
            _ => false,
        };
    }
    if let Some(error) = error.downcast_ref::<TrainError>() {
        return match error {
            TrainError::Memory { .. } => true,
            TrainError::Pipeline(error) => of_pipeline(error),
            _ => false,
        };
    }
    error.downcast_ref::<StorageError>().is_some_and(full)
        || error.downcast_ref::<PipelineError>().is_some_and(of_pipeline)
}

/// An output that another run holds, or that may not be written.
fn is_output(error: &(dyn Error + 'static)) -> bool {
    let held = |error: &OutputError| {
        matches!(error, OutputError::InUse { .. } | OutputError::ReadOnly { .. })
    };
    let within = |error: &(dyn Error + 'static)| match error.downcast_ref::<ScoreError>() {
        Some(ScoreError::Output(error)) => held(error),
        _ => false,
    };
    within(error)
        || matches!(error.downcast_ref(), Some(TrainError::Output(error)) if held(error))
        || matches!(error.downcast_ref(), Some(PredictError::Output(error)) if held(error))
        || matches!(error.downcast_ref(), Some(DatasetError::Output(error)) if held(error))
        || matches!(error.downcast_ref(), Some(TableError::Output(error)) if held(error))
        || error.downcast_ref::<OutputError>().is_some_and(held)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn a_missing_file_is_input_and_a_full_disk_is_the_machine() {
        let write = |kind: ErrorKind| OutputError::Write {
            path: PathBuf::from("x"),
            source: io::Error::from(kind),
        };
        assert!(is_of_the_machine(&write(ErrorKind::StorageFull)));
        assert!(is_of_the_machine(&TrainError::Output(write(ErrorKind::PermissionDenied))));
        assert!(!is_of_the_machine(&write(ErrorKind::NotFound)));
        assert!(!is_of_the_machine(&write(ErrorKind::InvalidData)));
        let held = || OutputError::InUse { path: PathBuf::from("x") };
        assert!(is_of_the_machine(&held()));
        assert!(is_of_the_machine(&TrainError::Output(held())));
        assert!(is_of_the_machine(&PredictError::Output(held())));
        // An error of the hardware has no kind of its own.
        assert!(is_io_of_the_machine(&io::Error::from_raw_os_error(5)));
        assert!(!is_io_of_the_machine(&io::Error::other("a message")));
    }
}
