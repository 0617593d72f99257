//! How a command ends when it does not end well.
//!
//! All errors of the libraries become failures here, one file for each room of theirs: what is
//! wrong, where, and what the user can do. Commands only pass them on.
//!
//! Exit codes: 1 the input is wrong, 2 the command line is wrong (clap's own
//! too), 130 stopped from the keyboard.

pub mod compare;
mod data;
mod evaluate;
mod mine;
mod model;
pub mod reproduce;
mod rules;
mod tables;

use crate::diagnostic::Diagnostic;
use crate::screen;
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

/// How many errors are drawn; a file of the wrong kind can have millions.
const DRAWN: usize = 1000;

#[derive(Debug)]
pub enum Failure {
    /// Something about the files.
    Input(Vec<Diagnostic>),
    /// Something about the command line.
    Usage(String),
    /// Stopped from the keyboard or by a signal, with nothing written.
    Stopped,
    /// Stopped, but what was done is kept; how to go on.
    Interrupted(String),
    /// Whoever read our output has gone: nothing to say to anybody.
    NobodyListens,
}

impl Failure {
    /// If the error is only the other end of a pipe that closed.
    pub fn of_closed_pipe(error: &(dyn Error + 'static)) -> Option<Self> {
        let mut cause = Some(error);
        while let Some(below) = cause {
            let io = below.downcast_ref::<io::Error>();
            if io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
                return Some(Self::NobodyListens);
            }
            cause = below.source();
        }
        None
    }

    /// Says what went wrong, as text or as JSON, and gives the exit code.
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
                    false => anstream::eprintln!(
                        "error: {message}\n\nFor more information, try '--help'."
                    ),
                }
                ExitCode::from(2)
            }
            Self::Stopped => {
                anstream::eprintln!("stopped; nothing was written");
                ExitCode::from(130)
            }
            Self::Interrupted(message) => {
                anstream::eprintln!("stopped; {message}");
                ExitCode::from(130)
            }
            Self::NobodyListens => ExitCode::SUCCESS,
        }
    }
}

/// Draws errors on standard error.
fn draw(diagnostics: &[Diagnostic]) {
    let mut out = anstream::stderr().lock();
    // Where standard error is gone there is nowhere left to complain.
    for diagnostic in diagnostics.iter().take(DRAWN) {
        writeln!(out, "{}\n", diagnostic.draw()).ok();
    }
    if diagnostics.len() > DRAWN {
        writeln!(out, "… and {} more errors (--json lists all)", diagnostics.len() - DRAWN).ok();
    } else if diagnostics.len() > 1 {
        writeln!(out, "{} errors", diagnostics.len()).ok();
    }
}

fn as_json(diagnostics: &[Diagnostic]) {
    let errors: Vec<_> = diagnostics.iter().map(Diagnostic::to_json).collect();
    // If nobody listens to the errors either, the code still tells.
    screen::json(&serde_json::json!({ "errors": errors })).ok();
}

/// What is wrong with a command line, without the usage that follows on a screen.
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

/// Errors of standard output; files have errors of their own.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::NobodyListens;
        }
        Diagnostic::plain("output", format!("cannot write to standard output: {error}")).into()
    }
}
