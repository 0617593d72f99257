//! The lines of one id.

use std::path::{Path, PathBuf};

use rulebound_core::{LabelId, Labels, SparseError, UnsettledRows};

use super::LongSummary;
use super::error::LongTableError;
use super::writer::LongWriter;
use crate::sparse::{SparseApplier, SparseRowError, SparseScratch};

/// The most ids that are named.
const NAMED: usize = 20;

/// Not listed.
const NONE: u32 = u32::MAX;

/// The lines of one id, which are read, made coherent, and written.
pub(super) struct Group<'a> {
    path: PathBuf,
    applier: &'a SparseApplier<'a>,
    scratch: SparseScratch,
    labels: &'a Labels,
    unsettled: UnsettledRows,
    id: Option<String>,
    /// The row of its first line.
    row: u64,
    lines: Vec<Line>,
    /// The line of each class; `NONE` for those that are not listed.
    line_of: Vec<u32>,
}

struct Line {
    label: LabelId,
    score: f64,
    /// As it was read, if that was text.
    text: Option<String>,
    /// Whether it is called by another name than that of the class.
    is_other_name: bool,
}

impl<'a> Group<'a> {
    pub fn new(
        path: &Path,
        applier: &'a SparseApplier<'a>,
        labels: &'a Labels,
        unsettled: UnsettledRows,
    ) -> Self {
        Self {
            path: path.to_path_buf(),
            applier,
            scratch: applier.scratch(),
            labels,
            unsettled,
            id: None,
            row: 0,
            lines: Vec::new(),
            line_of: vec![NONE; labels.len()],
        }
    }

    pub fn is_of(&self, id: &str) -> bool {
        self.id.as_deref() == Some(id)
    }

    pub fn start(&mut self, id: &str, row: u64) {
        (self.id, self.row) = (Some(id.to_owned()), row);
    }

    /// Adds a line; a class that is there twice is an error, so that there are at most as many as classes. Under
    /// another name of a class the higher score counts.
    pub fn push(
        &mut self,
        label: LabelId,
        score: f64,
        text: Option<&str>,
        row: u64,
        is_other_name: bool,
    ) -> Result<(), LongTableError> {
        let text = text.map(|text| text.trim().to_owned());
        let line = &mut self.line_of[label.index()];
        if let Some(before) = self.lines.get_mut(*line as usize)
            && (is_other_name || before.is_other_name)
        {
            before.is_other_name &= is_other_name;
            if score > before.score {
                (before.score, before.text) = (score, text);
            }
            return Ok(());
        }
        if *line != NONE {
            let label = self.labels.name(label).to_owned();
            return Err(LongTableError::Group {
                path: self.path.clone(),
                row,
                id: self.id.clone().unwrap_or_default(),
                source: SparseRowError::Layer(SparseError::Duplicate { label }),
            });
        }
        *line = self.lines.len() as u32;
        self.lines.push(Line { label, score, text, is_other_name });
        Ok(())
    }

    /// Writes the coherent lines of the id, if there is one, and forgets it.
    pub fn write(
        &mut self,
        writer: &mut LongWriter,
        summary: &mut LongSummary,
    ) -> Result<(), LongTableError> {
        let Some(id) = self.id.take() else { return Ok(()) };
        summary.ids += 1;
        let listed = self.lines.iter().map(|line| (line.label.index(), line.score));
        let coherent = match self.applier.apply_row(listed, &mut self.scratch) {
            Ok(coherent) => coherent,
            Err(SparseRowError::Layer(SparseError::Unsettled { .. }))
                if self.unsettled != UnsettledRows::Error =>
            {
                return self.pass_on(id, writer, summary);
            }
            Err(source) => {
                let (path, row) = (self.path.clone(), self.row);
                return Err(LongTableError::Group { path, row, id, source });
            }
        };
        for one in coherent {
            let line = |label: LabelId| self.lines.get(self.line_of[label.index()] as usize);
            // What is kept or copied is written as it was read.
            let positive = one.delegate.literal().filter(|literal| !literal.is_negated());
            let source = positive.and_then(|literal| line(literal.label()));
            let source = source.filter(|line| line.score.to_bits() == one.score.to_bits());
            let text = source.and_then(|line| line.text.as_deref());
            writer.write(&id, self.labels.name(one.label), one.score, text)?;
            summary.written += 1;
            match line(one.label) {
                None => summary.added += 1,
                Some(line) => summary.changed += u64::from(line.score != one.score),
            }
        }
        self.forget();
        Ok(())
    }

    /// Writes the lines of an id that cannot be settled as they are, or none of them.
    fn pass_on(
        &mut self,
        id: String,
        writer: &mut LongWriter,
        summary: &mut LongSummary,
    ) -> Result<(), LongTableError> {
        if self.unsettled == UnsettledRows::Raw {
            for line in &self.lines {
                let name = self.labels.name(line.label);
                writer.write(&id, name, line.score, line.text.as_deref())?;
                summary.written += 1;
            }
        }
        summary.unsettled += 1;
        if summary.unsettled_ids.len() < NAMED {
            summary.unsettled_ids.push(id);
        }
        self.forget();
        Ok(())
    }

    fn forget(&mut self) {
        for line in self.lines.drain(..) {
            self.line_of[line.label.index()] = NONE;
        }
    }
}
