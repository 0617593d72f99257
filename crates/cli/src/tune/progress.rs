//! The progress of a search on a terminal.

use crate::screen;
use crate::text::count;
use crate::train::broken_labels;
use indicatif::{ProgressBar, ProgressStyle};
use rulebound::train::{BrokenLabels, EpochRecord, Monitor, Observer, Phase};
use rulebound::tune::{Trial, TuneObserver};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Counts points and shows the best value so far; hidden when not on a terminal.
pub struct Progress {
    bar: ProgressBar,
    quiet: bool,
    monitor: Monitor,
    best: Mutex<Option<f64>>,
    warned: AtomicBool,
}

impl Progress {
    pub fn new(quiet: bool, monitor: Monitor) -> Self {
        let bar = ProgressBar::with_draw_target(None, screen::progress_target(quiet));
        Self { bar, quiet, monitor, best: Mutex::new(None), warned: AtomicBool::new(false) }
    }

    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    fn record(&self, trial: &Trial) {
        let Some(measured) = &trial.measured else { return };
        let mut best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        if best.is_none_or(|best| self.monitor.is_better(measured.value, best)) {
            *best = Some(measured.value);
            self.bar.set_prefix(format!("best {} {:.4}", self.monitor.name(), measured.value));
        }
    }
}

impl Observer for Progress {
    fn epoch(&self, record: &EpochRecord) {
        self.bar.set_message(format!("epoch {}", record.epoch));
    }

    fn broken_labels(&self, broken: &BrokenLabels) {
        // Every point has the same labels.
        if self.quiet || self.warned.swap(true, Ordering::Relaxed) {
            return;
        }
        self.bar.suspend(|| screen::note(broken_labels(broken)));
    }

    fn resumed(&self, _: Phase, epoch: usize) {
        if !self.quiet {
            self.bar.suspend(|| {
                screen::note(format_args!("resuming an unfinished point after epoch {epoch}"));
            });
        }
    }
}

impl TuneObserver for Progress {
    fn begin(&self, points: usize, known: &[Trial]) {
        if !self.quiet && !known.is_empty() {
            let (known, points) = (known.len(), count(points, "point"));
            screen::note(format_args!("{known} of {points} already in the table"));
        }
        let template = "{pos}/{len} points {wide_bar} {prefix}  {msg}  {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        self.bar.set_length(points as u64);
        self.bar.set_position(known.len() as u64);
        // Points finished earlier took no time in this run.
        self.bar.reset_eta();
        known.iter().for_each(|trial| self.record(trial));
    }

    fn finished(&self, trial: &Trial) {
        self.record(trial);
        self.bar.inc(1);
    }
}
