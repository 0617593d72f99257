//! The tables that `apply` and `predict` write: scores, decisions, delegates.
//!
//! Invariant: all of them are complete before the first one is published.

use rulebound_core::{Delegate, LabelId, Labels, Program};

use super::literal_names::LiteralNames;
use super::paths::PredictionPaths;
use super::top_classes::TopClasses;
use rulebound_io::output::publish_all;
use rulebound_io::scores::{
    Cell, DecisionWriter, NameWriter, NewTable, ScoreBatch, ScoreError, ScoreReader, ScoreWriter,
    TopCell, TopWriter,
};

/// Lines of a long table that are handed on at once, at most about.
const TOP_LINES: usize = 1 << 14;

/// Tables in the making.
pub struct PredictionTables<'a> {
    labels: &'a Labels,
    scores: ScoreTable<'a>,
    raw: Option<ScoreWriter>,
    decisions: Option<DecisionWriter>,
    delegates: Option<(NameWriter, LiteralNames)>,
}

enum ScoreTable<'a> {
    All(ScoreWriter),
    Top(TopWriter, Box<TopClasses<'a>>, usize),
}

impl<'a> PredictionTables<'a> {
    /// Tables with the columns of the one being read.
    pub(crate) fn like(
        reader: &ScoreReader,
        paths: &PredictionPaths,
        labels: &'a Labels,
    ) -> Result<Self, ScoreError> {
        let decisions = paths.decisions.as_ref();
        let delegates = paths.delegates.as_ref();
        Ok(Self::new(
            labels,
            ScoreTable::All(ScoreWriter::create(paths.target(&paths.out), reader)?),
            decisions.map(|path| DecisionWriter::create(paths.target(path), reader)).transpose()?,
            delegates.map(|path| NameWriter::create(paths.target(path), reader)).transpose()?,
        ))
    }

    /// Tables of their own; `table` has their columns, and `id` is the name of what identifies rows.
    pub fn for_new(
        table: &NewTable,
        id: Option<&str>,
        paths: &PredictionPaths,
        labels: &'a Labels,
        rules: Option<&'a Program>,
    ) -> Result<Self, ScoreError> {
        let scores = match paths.top {
            None => ScoreTable::All(ScoreWriter::create_new(paths.target(&paths.out), table)?),
            Some(most) => ScoreTable::Top(
                TopWriter::create(paths.target(&paths.out), id)?,
                Box::new(TopClasses::new(labels.len(), rules)),
                most,
            ),
        };
        let decisions = paths.decisions.as_ref();
        let delegates = paths.delegates.as_ref();
        let raw = paths.raw.as_ref();
        let raw = raw.map(|path| ScoreWriter::create_new(paths.target(path), table)).transpose()?;
        let tables = Self::new(
            labels,
            scores,
            decisions
                .map(|path| DecisionWriter::create_new(paths.target(path), table))
                .transpose()?,
            delegates.map(|path| NameWriter::create_new(paths.target(path), table)).transpose()?,
        );
        Ok(Self { raw, ..tables })
    }

    fn new(
        labels: &'a Labels,
        scores: ScoreTable<'a>,
        decisions: Option<DecisionWriter>,
        delegates: Option<NameWriter>,
    ) -> Self {
        let delegates = delegates.map(|writer| (writer, LiteralNames::new(labels)));
        Self { labels, scores, raw: None, decisions, delegates }
    }

    /// Writes a batch; everything is row-major. `id` is what identifies a row of the batch.
    pub fn write<'i>(
        &mut self,
        batch: &ScoreBatch,
        cells: &[Cell],
        predicted: &[bool],
        delegates: &[Delegate],
        id: impl Fn(usize) -> Option<&'i str>,
    ) -> Result<(), ScoreError> {
        match &mut self.scores {
            ScoreTable::All(writer) => writer.write(batch, cells)?,
            ScoreTable::Top(writer, top, most) => {
                write_top(writer, top, *most, batch, self.labels, id)?;
            }
        }
        if let Some(writer) = &mut self.decisions {
            writer.write(batch, predicted)?;
        }
        if let Some((writer, names)) = &mut self.delegates {
            let classes = self.labels.len();
            let name = |row: usize, class: usize| names.name(delegates[row * classes + class]);
            writer.write(batch, name)?;
        }
        Ok(())
    }

    /// Whether what the network said by itself is written too.
    pub fn has_raw(&self) -> bool {
        self.raw.is_some()
    }

    /// Writes what the network said by itself.
    pub fn write_raw(&mut self, batch: &ScoreBatch, cells: &[Cell]) -> Result<(), ScoreError> {
        match &mut self.raw {
            Some(writer) => writer.write(batch, cells),
            None => Ok(()),
        }
    }

    /// Completes all tables, then publishes them.
    pub fn commit(self) -> Result<(), ScoreError> {
        let mut finished = vec![match self.scores {
            ScoreTable::All(writer) => writer.finish()?,
            ScoreTable::Top(writer, ..) => writer.finish()?,
        }];
        finished.extend(self.raw.map(ScoreWriter::finish).transpose()?);
        finished.extend(self.decisions.map(DecisionWriter::finish).transpose()?);
        finished.extend(self.delegates.map(|(writer, _)| writer.finish()).transpose()?);
        Ok(publish_all(finished)?)
    }
}

/// Writes the `most` highest classes of each row, and what follows from them.
fn write_top<'i>(
    writer: &mut TopWriter,
    top: &mut TopClasses<'_>,
    most: usize,
    batch: &ScoreBatch,
    labels: &Labels,
    id: impl Fn(usize) -> Option<&'i str>,
) -> Result<(), ScoreError> {
    let mut lines = Vec::new();
    for (row, scores) in batch.values().chunks(labels.len().max(1)).enumerate() {
        if batch.is_blank(row) {
            continue;
        }
        lines.extend((1..).zip(top.of(scores, most)).map(|(rank, &class)| TopCell {
            row: batch.first_row() + row as u64,
            id: id(row),
            rank,
            class: labels.name(LabelId::new(class)),
            probability: scores[class] as f32,
        }));
        if lines.len() >= TOP_LINES {
            writer.write(&lines)?;
            lines.clear();
        }
    }
    writer.write(&lines)
}
