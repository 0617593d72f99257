//! The progress of a reproduction on a terminal.

use crate::screen;
use crate::text::count;
use indicatif::{ProgressBar, ProgressStyle};
use rulebound::train::{EpochRecord, Observer as TrainObserver, Phase};
use rulebound_reproduction::{Batch, Failed, Observer, Row};

/// Counts runs and shows the time left; hidden when not on a terminal.
pub struct Progress {
    bar: ProgressBar,
    quiet: bool,
}

impl Progress {
    pub fn new(quiet: bool) -> Self {
        Self { bar: ProgressBar::with_draw_target(None, screen::progress_target(quiet)), quiet }
    }

    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    fn say(&self, text: &str) {
        if !self.quiet {
            self.bar.suspend(|| screen::note(text));
        }
    }
}

impl TrainObserver for Progress {
    fn epoch(&self, record: &EpochRecord) {
        let word = match record.phase {
            Phase::Search => "search, epoch",
            Phase::Final => "epoch",
        };
        self.bar.set_message(format!("{word} {}", record.epoch));
    }
}

impl Observer for Progress {
    fn begin(&self, cells: usize, known: usize) {
        if known > 0 {
            self.say(&format!("{known} of {} already have results", count(cells, "run")));
        }
        let template = "{pos}/{len} runs {wide_bar} {prefix}  {msg}  {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        self.bar.set_length(cells as u64);
        self.bar.set_position(known as u64);
        // Runs finished earlier took no time in this run.
        self.bar.reset_eta();
    }

    fn started(&self, batch: &Batch) {
        self.bar.set_prefix(batch.to_string());
    }

    fn finished(&self, batch: &Batch, _: &[Row]) {
        self.bar.inc(batch.configuration.members as u64);
    }

    fn skipped(&self, batch: &Batch) {
        self.bar.inc(batch.configuration.members as u64);
        self.say(&format!("skipped {batch}: another process is training or has trained it"));
    }

    fn failed(&self, failed: &Failed) {
        self.bar.inc(failed.batch.configuration.members as u64);
    }
}
