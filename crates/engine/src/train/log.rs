//! The log of a run: one JSON object per line.
//!
//! `start` (configuration, version, data), `epoch` for every epoch of every member, `resume`, and
//! at the end `finish`. Lines are appended as events happen. A resumed run first drops the lines
//! written after its checkpoint, and a truncated last line.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::error::TrainError;
use super::observer::Observer;
use super::paths::RunPaths;
use super::state::record::EpochRecord;
use crate::clock;
use crate::output::OutputFile;

/// More than a line of a log can have, also the first, which has the configuration.
const LONGEST_LINE: u64 = 1 << 24;

/// The file that lines are appended to; none if no log was requested.
pub(super) struct Log {
    path: PathBuf,
    file: Option<Mutex<File>>,
    timestamps: bool,
}

impl Log {
    /// Opens a log. `keep` decides which lines of an earlier part of the run to keep.
    pub fn open(
        paths: &RunPaths,
        resumed: bool,
        keep: impl Fn(&Value) -> bool,
    ) -> Result<Self, TrainError> {
        let timestamps = paths.timestamps;
        let Some(path) = paths.log.as_deref() else {
            return Ok(Self { path: PathBuf::new(), file: None, timestamps });
        };
        let failed = |source| TrainError::Log { path: path.to_owned(), source };
        let mut lines = Vec::new();
        if resumed && let Ok(text) = std::fs::read_to_string(path) {
            let parsed = text
                .lines()
                .filter_map(|line| Some((line, serde_json::from_str::<Value>(line).ok()?)));
            lines.extend(
                parsed.filter(|(_, value)| keep(value)).map(|(line, _)| format!("{line}\n")),
            );
        }
        let mut file = OutputFile::create(path)?;
        file.write_all(lines.concat().as_bytes()).map_err(failed)?;
        file.commit()?;
        let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
        Ok(Self { path: path.to_owned(), file: Some(Mutex::new(file)), timestamps })
    }

    /// Appends a line.
    pub fn line(&self, event: &str, mut value: Value) -> Result<(), TrainError> {
        let Some(file) = &self.file else { return Ok(()) };
        if let Some(object) = value.as_object_mut() {
            object.insert("event".to_owned(), event.into());
            if self.timestamps {
                object.insert("time".to_owned(), clock::now().into());
            }
        }
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        // One write per line: a kill can truncate only the last one.
        file.write_all(format!("{value}\n").as_bytes())
            .map_err(|source| TrainError::Log { path: self.path.clone(), source })
    }

    /// Appends the line of an epoch.
    pub fn epoch(&self, record: &EpochRecord) -> Result<(), TrainError> {
        self.line("epoch", serde_json::to_value(record).unwrap_or(json!({})))
    }
}

/// The events of a log, which begins with one of the first two.
const EVENTS: [&str; 4] = ["start", "resume", "epoch", "finish"];

/// Whether a file is the log of a run as it was written, or empty: what a run may replace. The last line may be
/// cut short.
pub fn is_log(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let mut file = BufReader::new(file);
    let mut known = &EVENTS[..2];
    let mut line = String::new();
    loop {
        line.clear();
        match file.by_ref().take(LONGEST_LINE).read_line(&mut line) {
            Ok(0) => return true,
            Ok(_) if !line.ends_with('\n') => return line.starts_with('{'),
            Ok(_) => {}
            Err(_) => return false,
        }
        let value: Option<Value> = serde_json::from_str(&line).ok();
        let event = value.as_ref().and_then(|value| value.get("event")?.as_str());
        if !event.is_some_and(|event| known.contains(&event)) {
            return false;
        }
        known = &EVENTS;
    }
}

/// Forwards the events of members, and writes their epochs to the log.
pub(super) struct Logged<'a> {
    observer: &'a dyn Observer,
    log: &'a Log,
    failed: Mutex<Option<TrainError>>,
}

impl<'a> Logged<'a> {
    pub fn new(observer: &'a dyn Observer, log: &'a Log) -> Self {
        Self { observer, log, failed: Mutex::new(None) }
    }

    /// Returns the error of a line that could not be written, once.
    pub fn check(&self) -> Result<(), TrainError> {
        match self.failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

impl Observer for Logged<'_> {
    fn examples(&self, count: usize) {
        self.observer.examples(count);
    }

    fn epoch(&self, record: &EpochRecord) {
        if let Err(error) = self.log.epoch(record) {
            *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
        self.observer.epoch(record);
    }
}
