//! Standard output and standard error: colours on a terminal only, no panic when the reader of a pipe
//! has gone, and only as much as `--quiet` and `--verbose` allow.

use crate::diagnostic::LONGEST;
use crate::text::{shortened, thousands, visible};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use rulebound::clock::now;
use rulebound_io::input::bytes_read;
use rulebound_io::memory::ByteSize;
use serde::Serialize;
use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

/// How much is said besides results and errors; there is one terminal, so this is global.
static VOLUME: AtomicU8 = AtomicU8::new(NORMAL);
const QUIET: u8 = 0;
const NORMAL: u8 = 1;
const VERBOSE: u8 = 2;

/// Sets how much is said.
pub fn set_volume(quiet: bool, verbose: bool) {
    let volume = match (quiet, verbose) {
        (true, _) => QUIET,
        (false, true) => VERBOSE,
        (false, false) => NORMAL,
    };
    VOLUME.store(volume, Ordering::Relaxed);
}

/// Whether lines on standard error begin with the time.
static TIMESTAMPS: AtomicBool = AtomicBool::new(false);

/// Sets whether lines on standard error begin with the time.
pub fn set_timestamps(asked: bool) {
    TIMESTAMPS.store(asked, Ordering::Relaxed);
}

/// Whether they do.
pub fn has_timestamps() -> bool {
    TIMESTAMPS.load(Ordering::Relaxed)
}

/// Prints a text that contains nothing that a terminal would obey, except colours, to standard error. If
/// that is closed, there is nowhere left to report to.
pub fn error(text: impl fmt::Display) {
    let mut text = text.to_string();
    if has_timestamps() {
        let now = now();
        let stamped = |line: &str| match line.is_empty() {
            true => String::new(),
            false => format!("{now} {line}"),
        };
        text = text.split('\n').map(stamped).collect::<Vec<_>>().join("\n");
    }
    writeln!(anstream::stderr().lock(), "{text}").ok();
}

/// Whether notes, summaries and progress are hidden.
pub fn is_quiet() -> bool {
    VOLUME.load(Ordering::Relaxed) == QUIET
}

/// Prints a result to standard output.
pub fn print(text: &str) -> io::Result<()> {
    // Names of classes, files and data sets are anybody's text.
    print_drawn(&visible(text))
}

/// Prints text that contains drawn diagnostics, with their colours, to standard output.
pub fn print_drawn(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Prints what was done and where it is to standard output; nothing with `--quiet`.
pub fn summary(text: &str) -> io::Result<()> {
    if is_quiet() { Ok(()) } else { print(text) }
}

/// Prints a note or a warning to standard error; nothing with `--quiet`.
pub fn note(text: impl fmt::Display) {
    note_drawn(visible(&text.to_string()));
}

/// Prints what onnxruntime reports by itself. It is called by that library, which a panic must not reach: a closed
/// standard error is no reason for one.
pub fn runtime_error(message: &str) {
    if !is_quiet() {
        let message = shortened(message, LONGEST);
        writeln!(anstream::stderr(), "onnxruntime: {}", visible(&message)).ok();
    }
}

/// Prints a warning that is drawn already, with its colours; nothing with `--quiet`.
pub fn note_drawn(text: impl fmt::Display) {
    if !is_quiet() {
        error(text);
    }
}

/// Prints a detail to standard error; only with `--verbose`.
pub fn detail(text: impl FnOnce() -> String) {
    if VOLUME.load(Ordering::Relaxed) == VERBOSE {
        error(visible(&text()));
    }
}

/// The version of all JSON that is printed: it grows when a key is renamed or removed, or means something
/// else. docs/json.md lists the keys.
const JSON_VERSION: u32 = 1;

/// Something with the version in front.
#[derive(Serialize)]
struct Versioned<'a, T> {
    json_version: u32,
    #[serde(flatten)]
    value: &'a T,
}

/// Prints an object as JSON to standard output, with the keys in their own order.
pub fn json(value: &impl Serialize) -> io::Result<()> {
    print(&json_text(value)?)
}

/// An object as JSON, with the version.
pub fn json_text(value: &impl Serialize) -> io::Result<String> {
    let text = serde_json::to_string_pretty(&Versioned { json_version: JSON_VERSION, value })?;
    Ok(text + "\n")
}

/// Where progress is drawn: standard error, if it is a terminal; nowhere with `--quiet`.
pub fn progress_target(hidden: bool) -> ProgressDrawTarget {
    if hidden || is_quiet() { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() }
}

/// A progress bar that counts rows; hidden when not on a terminal.
pub fn rows_bar(hidden: bool) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, progress_target(hidden));
    let template = "{spinner} {human_pos} rows  {speed} rows/s  {elapsed}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.with_key("speed", speed));
    }
    bar
}

/// A line that shows how much has been read; hidden when not on a terminal.
pub fn reading_bar() -> ProgressBar {
    let start = bytes_read();
    let bar = ProgressBar::with_draw_target(None, progress_target(false));
    if let Ok(style) = ProgressStyle::with_template("{spinner} reading  {read}  {elapsed}") {
        bar.set_style(style.with_key(
            "read",
            move |_: &ProgressState, out: &mut dyn fmt::Write| {
                // A line that cannot be drawn is not worth an error.
                let _ = write!(out, "{}", ByteSize(bytes_read() - start));
            },
        ));
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Items per second, for a progress bar.
pub fn speed(state: &ProgressState, out: &mut dyn fmt::Write) {
    // A bar that cannot be drawn is not worth an error.
    let _ = out.write_str(&thousands(state.per_sec() as u64));
}
