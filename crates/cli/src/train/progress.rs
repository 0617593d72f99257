//! The progress of a run on a terminal.

use crate::screen::{self, speed};
use crate::text::count;
use indicatif::{ProgressBar, ProgressStyle};
use rulebound::train::{BrokenLabels, EpochRecord, LabelPolicy, Observer, Phase};
use rulebound_io::memory::ByteSize;
use std::sync::atomic::{AtomicU64, Ordering};

/// Draws epoch, loss, validation, examples per second and time left; hidden when not on a terminal.
pub struct Progress {
    bar: ProgressBar,
    pending: AtomicU64,
    /// Maximum epochs of the phase; 0 if unknown.
    epochs: AtomicU64,
    quiet: bool,
}

/// Examples between two updates of the bar.
const TICK: u64 = 64;

impl Progress {
    pub fn new(quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, screen::progress_target(quiet));
        Self { bar, pending: AtomicU64::new(0), epochs: AtomicU64::new(0), quiet }
    }

    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Progress {
    fn phase(&self, phase: Phase, members: usize, examples: usize, epochs: Option<usize>) {
        let word = match phase {
            Phase::Search => "search",
            Phase::Final => "train ",
        };
        let template = match epochs {
            Some(_) => {
                format!("{word} {{wide_bar}} {{msg}}  {{speed}} examples/s  {{eta}} left at most")
            }
            None => format!("{word} {{spinner}} {{msg}}  {{speed}} examples/s  {{elapsed}}"),
        };
        self.epochs.store(epochs.unwrap_or(0) as u64, Ordering::Relaxed);
        self.bar.reset();
        match epochs {
            Some(epochs) => self.bar.set_length((members * examples * epochs) as u64),
            None => self.bar.unset_length(),
        }
        if let Ok(style) = ProgressStyle::with_template(&template) {
            self.bar.set_style(style.with_key("speed", speed));
        }
    }

    fn examples(&self, count: usize) {
        let before = self.pending.fetch_add(count as u64, Ordering::Relaxed);
        if before + count as u64 >= TICK {
            // The first thread takes everything; another one then finds nothing.
            self.bar.inc(self.pending.swap(0, Ordering::Relaxed));
        }
    }

    fn pieces(&self, pieces: usize, all: usize) {
        self.bar.set_length(all as u64);
        self.bar.set_position(pieces as u64);
    }

    fn epoch(&self, record: &EpochRecord) {
        let of = match self.epochs.load(Ordering::Relaxed) {
            0 => String::new(),
            epochs => format!(" of {epochs}"),
        };
        let mut message = format!("epoch {}{of}  loss {:.5}", record.epoch, record.loss);
        if let Some(area) = record.valid_auprc {
            message += &format!("  valid AU(PRC) {area:.4}");
        }
        if let Some(loss) = record.valid_loss {
            message += &format!("  valid loss {loss:.5}");
        }
        self.bar.set_message(message);
    }

    fn broken_labels(&self, broken: &BrokenLabels) {
        if self.quiet {
            return;
        }
        screen::note(broken_labels(broken));
    }

    fn shuffle_buffer(&self, rows: usize, bytes: u64) {
        if !self.quiet {
            let (rows, size) = (count(rows, "row"), ByteSize(bytes));
            screen::note(format_args!(
                "note: rows are on disk, shuffled among {rows} ({size}) at a time"
            ));
        }
    }

    fn resumed(&self, phase: Phase, epoch: usize) {
        if !self.quiet {
            let phase = match phase {
                Phase::Search => "the early-stopping search",
                Phase::Final => "training",
            };
            screen::note(format_args!("resuming {phase} after epoch {epoch}"));
        }
    }
}

/// A warning about labels that are kept as they are, or a note about those that were completed.
pub fn broken_labels(broken: &BrokenLabels) -> String {
    let rows = count(broken.rows, "training row");
    let rules = broken.rules.join("`, `");
    match broken.policy {
        // A requirement does not say which label is wrong.
        LabelPolicy::Keep | LabelPolicy::Complete if broken.breaking_rules == 0 => format!(
            "warning: the labels of {rows} break requirements: `{rules}`\n  \
             they are kept as they are; --label-policy strict refuses to train"
        ),
        LabelPolicy::Complete => {
            format!("note: the labels of {rows} were completed by the rules: `{rules}`")
        }
        LabelPolicy::Keep | LabelPolicy::Strict => format!(
            "warning: the labels of {rows} break rules: `{rules}`\n  \
             --label-policy complete adds the labels that the rules imply, --label-policy strict \
             refuses to train"
        ),
    }
}
