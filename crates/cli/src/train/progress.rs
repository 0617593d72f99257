//! The progress of a run on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rulebound::train::{BrokenLabels, EpochRecord, Observer, Phase};
use std::sync::atomic::{AtomicU64, Ordering};

/// Draws epoch, loss, validation, examples per second and time left; quiet in a pipe.
pub struct Progress {
    bar: ProgressBar,
    pending: AtomicU64,
    quiet: bool,
}

/// Examples between two updates of the bar.
const TICK: u64 = 64;

impl Progress {
    pub fn new(quiet: bool) -> Self {
        let target =
            if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(None, target);
        Self { bar, pending: AtomicU64::new(0), quiet }
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
                format!("{word} {{wide_bar}} {{msg}}  {{per_sec}} examples  {{eta}} left at most")
            }
            None => format!("{word} {{spinner}} {{msg}}  {{per_sec}} examples  {{elapsed}}"),
        };
        self.bar.reset();
        match epochs {
            Some(epochs) => self.bar.set_length((members * examples * epochs) as u64),
            None => self.bar.unset_length(),
        }
        if let Ok(style) = ProgressStyle::with_template(&template) {
            self.bar.set_style(style);
        }
    }

    fn examples(&self, count: usize) {
        let count = count as u64;
        let pending = self.pending.fetch_add(count, Ordering::Relaxed) + count;
        if pending >= TICK {
            self.pending.fetch_sub(pending, Ordering::Relaxed);
            self.bar.inc(pending);
        }
    }

    fn epoch(&self, record: &EpochRecord) {
        let mut message = format!("epoch {}  loss {:.5}", record.epoch, record.loss);
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
        let rules = broken.rules.join("`, `");
        anstream::eprintln!(
            "warning: the labels of {} break rules: `{rules}`\n  \
             --labels complete adds what follows from them, --labels strict refuses them",
            crate::screen::count(broken.rows, "training row"),
        );
    }

    fn resumed(&self, phase: Phase, epoch: usize) {
        if !self.quiet {
            let phase = match phase {
                Phase::Search => "the search",
                Phase::Final => "training",
            };
            anstream::eprintln!("going on with {phase} after epoch {epoch}");
        }
    }
}
