//! How a command ends when it does not end well.
//!
//! Every library error becomes a failure here, one file per module of the libraries: what is wrong,
//! where, and what the user can do. Commands only pass them on.
//!
//! Exit codes: 1 invalid input, 2 invalid command line (also those of clap), 130 interrupted.

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

use crate::diagnostic::{Diagnostic, LONGEST};
use crate::screen;
use crate::text::{count, shortened, visible};
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

/// The most errors printed that are one line each, and the most drawn with the lines they are about; a
/// file of the wrong kind can have millions.
const PRINTED: usize = 101;
const DRAWN: usize = 20;

#[derive(Debug)]
pub enum Failure {
    /// Something about the files.
    Input(Vec<Diagnostic>),
    /// Something about the command line.
    Usage(String),
    /// There are warnings, already printed, and none is allowed.
    Denied(usize),
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
                ExitCode::from(1)
            }
            Self::Usage(message) => {
                match json {
                    true => as_json(&[Diagnostic::plain("usage", message)]),
                    false => {
                        let message = shortened(&message, LONGEST);
                        let message = visible(&message);
                        anstream::eprintln!(
                            "error: {message}\n\nFor more information, try '--help'."
                        );
                    }
                }
                ExitCode::from(2)
            }
            Self::Denied(warnings) => {
                if !json {
                    anstream::eprintln!("error: {} (--deny-warnings)", count(warnings, "warning"));
                }
                ExitCode::from(1)
            }
            Self::Stopped => {
                anstream::eprintln!("stopped; nothing was written");
                ExitCode::from(130)
            }
            Self::Interrupted(message) => {
                anstream::eprintln!("stopped; {message}");
                ExitCode::from(130)
            }
            Self::BrokenPipe => ExitCode::SUCCESS,
        }
    }
}

/// Draws errors on standard error.
fn draw(diagnostics: &[Diagnostic]) {
    let mut out = anstream::stderr().lock();
    // If standard error is closed, there is nowhere left to report to.
    let has_places = diagnostics.iter().any(|diagnostic| !diagnostic.places.is_empty());
    let most = if has_places { DRAWN } else { PRINTED };
    for diagnostic in diagnostics.iter().take(most) {
        writeln!(out, "{}\n", diagnostic.draw()).ok();
    }
    if diagnostics.len() > most {
        writeln!(out, "… and {} more errors (--json lists all)", diagnostics.len() - most).ok();
    } else if diagnostics.len() > 1 {
        writeln!(out, "{} errors", diagnostics.len()).ok();
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
        Diagnostic::plain("output", format!("cannot write to standard output: {error}")).into()
    }
}
