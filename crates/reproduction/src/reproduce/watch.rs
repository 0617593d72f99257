//! Forwards the events of a run, and checks whether everything is to stop.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::observer::Observer;
use rulebound::train;

/// The observer of the runs of one batch.
pub(super) struct Watch<'a> {
    observer: &'a dyn Observer,
    stops: &'a Stops<'a>,
    /// How long the epochs of each seed took.
    seconds: Mutex<HashMap<u64, f64>>,
}

/// What ends all runs.
pub(super) struct Stops<'a> {
    /// Set from outside.
    stop: &'a AtomicBool,
    /// Set when `stop` is, and after a fatal error.
    pub halt: AtomicBool,
}

impl<'a> Stops<'a> {
    pub fn new(stop: &'a AtomicBool) -> Self {
        Self { stop, halt: AtomicBool::new(false) }
    }

    /// Whether everything is to stop.
    pub fn is_halted(&self) -> bool {
        if self.stop.load(Ordering::Relaxed) {
            self.halt.store(true, Ordering::Relaxed);
        }
        self.halt.load(Ordering::Relaxed)
    }
}

impl<'a> Watch<'a> {
    pub fn new(observer: &'a dyn Observer, stops: &'a Stops<'a>) -> Self {
        Self { observer, stops, seconds: Mutex::default() }
    }

    /// How long the epochs of each seed took.
    pub fn seconds(&self) -> HashMap<u64, f64> {
        self.seconds.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What stops the runs.
    pub fn halt(&self) -> &'a AtomicBool {
        &self.stops.halt
    }
}

impl train::Observer for Watch<'_> {
    fn phase(&self, phase: train::Phase, members: usize, examples: usize, epochs: Option<usize>) {
        self.stops.is_halted();
        self.observer.phase(phase, members, examples, epochs);
    }

    fn examples(&self, count: usize) {
        self.stops.is_halted();
        self.observer.examples(count);
    }

    fn pieces(&self, pieces: usize, all: usize) {
        self.stops.is_halted();
        self.observer.pieces(pieces, all);
    }

    fn epoch(&self, record: &train::EpochRecord) {
        let mut seconds = self.seconds.lock().unwrap_or_else(PoisonError::into_inner);
        *seconds.entry(record.seed).or_insert(0.0) += record.seconds;
        drop(seconds);
        self.observer.epoch(record);
    }

    fn broken_labels(&self, broken: &train::BrokenLabels) {
        self.observer.broken_labels(broken);
    }

    fn resumed(&self, phase: train::Phase, epoch: usize) {
        self.observer.resumed(phase, epoch);
    }
}
