//! Standard output and standard error: colours on a terminal only, and no
//! panic when the reader of a pipe has gone.

use crate::text::{thousands, visible};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use rulebound::input::bytes_read;
use rulebound::memory::ByteSize;
use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

/// Prints text to standard output.
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

/// Prints a value as JSON to standard output.
pub fn json(value: &serde_json::Value) -> io::Result<()> {
    print(&format!("{value:#}\n"))
}

/// A progress bar that counts rows; hidden when not on a terminal.
pub fn rows_bar(hidden: bool) -> ProgressBar {
    let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(None, target);
    let template = "{spinner} {human_pos} rows  {speed} rows/s  {elapsed}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.with_key("speed", speed));
    }
    bar
}

/// A line that shows how much has been read; hidden when not on a terminal.
pub fn reading_bar() -> ProgressBar {
    let start = bytes_read();
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
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
