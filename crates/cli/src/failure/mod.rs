//! How a command ends when it does not end well.
//!
//! Every library error becomes a failure here, one file per module of the libraries: what is wrong,
//! where, and what the user can do. Commands only pass them on.
//!
//! Exit codes: 1 invalid input, 2 invalid command line (also those of clap), 3 something that was required
//! does not hold, 4 the machine failed, 130 interrupted.

pub mod compare;
mod data;
mod evaluate;
mod mine;
mod model;
mod onnx;
mod output;
pub mod reproduce;
mod rules;
mod tables;

use crate::diagnostic::{Cause, Diagnostic, LONGEST};
use crate::screen;
use crate::text::{count, shortened, visible};
use std::error::Error;
use std::io;
use std::process::ExitCode;

/// The most errors printed that are one line each, and the most drawn with the lines they are about; a
/// file of the wrong kind can have millions.
const PRINTED: usize = 101;
const DRAWN: usize = 20;

/// The exit codes.
const INVALID_INPUT: u8 = 1;
const INVALID_COMMAND_LINE: u8 = 2;
const NOT_MET: u8 = 3;
const MACHINE: u8 = 4;
pub const INTERRUPTED: u8 = 130;

#[derive(Debug)]
pub enum Failure {
    /// Something about the files, or about the machine that they are on.
    Input(Vec<Diagnostic>),
    /// Something about the command line.
    Usage(String),
    /// There are warnings, already printed, and none is allowed.
    Denied(usize),
    /// Results, already printed, are not what is required of them.
    Unmet(Vec<String>),
    /// Stopped from the keyboard or by a signal, with nothing written.
    Stopped,
    /// Stopped, with the work so far kept; how to resume.
    Interrupted(String),
    /// The reader of our output has gone; there is nothing left to report.
    BrokenPipe,
}

impl Failure {
    /// The failure for an error caused only by a closed pipe.
    pub fn if_broken_pipe(error: &(dyn Error + 'static)) -> Option<Self> {
        let mut cause = Some(error);
        while let Some(below) = cause {
            let io = below.downcast_ref::<io::Error>();
            if io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
                return Some(Self::BrokenPipe);
            }
            cause = below.source();
        }
        None
    }

    /// Prints what went wrong, as text or as JSON, and returns the exit code.
    pub fn report(self, json: bool) -> ExitCode {
        match self {
            Self::Input(diagnostics) => {
                match json {
                    true => as_json(&diagnostics),
                    false => draw(&diagnostics),
                }
                let is = |cause| diagnostics.iter().any(|diagnostic| diagnostic.cause == cause);
                ExitCode::from(match (is(Cause::Machine), is(Cause::Limit)) {
                    (true, _) => MACHINE,
                    (false, true) => NOT_MET,
                    (false, false) => INVALID_INPUT,
                })
            }
            Self::Usage(message) => {
                match json {
                    true => as_json(&[Diagnostic::plain("usage", message)]),
                    false => {
                        let message = shortened(&message, LONGEST);
                        let message = visible(&message);
                        screen::error(format_args!(
                            "error: {message}\n\nFor more information, try '--help'."
                        ));
                    }
                }
                ExitCode::from(INVALID_COMMAND_LINE)
            }
            Self::Denied(warnings) => {
                if !json {
                    let warnings = count(warnings, "warning");
                    screen::error(format_args!("error: {warnings} (--deny-warnings)"));
                }
                ExitCode::from(NOT_MET)
            }
            Self::Unmet(unmet) => {
                for line in unmet {
                    screen::error(format_args!("error: {}", visible(&line)));
                }
                ExitCode::from(NOT_MET)
            }
            Self::Stopped => {
                screen::error("stopped; nothing was written");
                ExitCode::from(INTERRUPTED)
            }
            Self::Interrupted(message) => {
                screen::error(format_args!("stopped; {message}"));
                ExitCode::from(INTERRUPTED)
            }
            Self::BrokenPipe => ExitCode::SUCCESS,
        }
    }
}

/// Draws errors on standard error.
fn draw(diagnostics: &[Diagnostic]) {
    let has_places = diagnostics.iter().any(|diagnostic| !diagnostic.places.is_empty());
    let most = if has_places { DRAWN } else { PRINTED };
    for diagnostic in diagnostics.iter().take(most) {
        screen::error(format_args!("{}\n", diagnostic.draw()));
    }
    if diagnostics.len() > most {
        let more = diagnostics.len() - most;
        screen::error(format_args!("… and {more} more errors (--json lists all)"));
    } else if diagnostics.len() > 1 {
        screen::error(format_args!("{} errors", diagnostics.len()));
    }
}

fn as_json(diagnostics: &[Diagnostic]) {
    let errors: Vec<_> = diagnostics.iter().map(Diagnostic::to_json).collect();
    // If standard output is closed too, the exit code still reports the failure.
    screen::json(&serde_json::json!({ "errors": errors })).ok();
}

/// What is wrong with the command line, without the usage text that clap appends.
impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        let text = error.render().to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        let ends = ["\n\nUsage:", "\n\nFor more information"].map(|end| text.find(end));
        let end = ends.into_iter().flatten().min().unwrap_or(text.len());
        Self::Usage(text[..end].trim_end().to_owned())
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Input(vec![diagnostic])
    }
}

/// Errors of standard output; files have their own error types.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::BrokenPipe;
        }
        let diagnostic =
            Diagnostic::plain("output", format!("cannot write to standard output: {error}"));
        diagnostic.because_of(&error).into()
    }
}
