//! The tables that predicting writes, side by side.
//!
//! All of them are completed before the first one gets its name.

use rulebound_core::{LabelId, Labels};

use super::step::Step;
use super::{PredictError, Request};
use crate::apply::LiteralNames;
use crate::dataset::RowBatch;
use crate::scores::{
    Cell, DecisionWriter, NameWriter, NewTable, ScoreBatch, ScoreWriter, TopCell, TopWriter,
};

/// Lines of a long table that are handed on at once, at most about.
const TOP_LINES: usize = 1 << 14;

pub(super) struct Outputs<'a> {
    labels: &'a Labels,
    table: NewTable,
    out: Out,
    decisions: Option<DecisionWriter>,
    delegates: Option<(NameWriter, LiteralNames)>,
    batch: ScoreBatch,
    cells: Vec<Cell>,
}

enum Out {
    All(ScoreWriter),
    Top(TopWriter, usize),
}

impl<'a> Outputs<'a> {
    pub(super) fn create(
        request: &Request,
        id: Option<&str>,
        labels: &'a Labels,
    ) -> Result<Self, PredictError> {
        let table = NewTable::new(id, labels.names());
        let out = match request.top {
            None => Out::All(ScoreWriter::create_new(&request.out, &table)?),
            Some(most) => Out::Top(TopWriter::create(&request.out, id)?, most.min(labels.len())),
        };
        let decisions = request.decisions.as_ref();
        let decisions =
            decisions.map(|path| DecisionWriter::create_new(path, &table)).transpose()?;
        let delegates = request.delegates.as_ref();
        let delegates = delegates.map(|path| NameWriter::create_new(path, &table)).transpose()?;
        let delegates = delegates.map(|writer| (writer, LiteralNames::new(labels)));
        let (batch, cells) = (ScoreBatch::new(), Vec::new());
        Ok(Self { labels, table, out, decisions, delegates, batch, cells })
    }

    pub(super) fn write(&mut self, rows: &RowBatch, step: &Step<'_>) -> Result<(), PredictError> {
        let ids = (0..rows.rows()).map(|row| rows.id(row));
        self.table.fill(&mut self.batch, rows.first_row(), ids, &step.probabilities);
        match &mut self.out {
            Out::All(writer) => {
                self.cells.clear();
                self.cells.extend(self.batch.values().iter().map(|&value| Cell::Changed(value)));
                writer.write(&self.batch, &self.cells)?;
            }
            Out::Top(writer, most) => write_top(writer, *most, rows, step, self.labels)?,
        }
        if let Some(writer) = &mut self.decisions {
            writer.write(&self.batch, &step.predicted)?;
        }
        if let Some((writer, names)) = &mut self.delegates {
            let classes = self.labels.len();
            let name = |row: usize, class: usize| names.of(step.delegates[row * classes + class]);
            writer.write(&self.batch, name)?;
        }
        Ok(())
    }

    /// Completes all tables, then gives them their names.
    pub(super) fn finish(self) -> Result<(), PredictError> {
        let mut complete = vec![match self.out {
            Out::All(writer) => writer.complete()?,
            Out::Top(writer, _) => writer.complete()?,
        }];
        complete.extend(self.decisions.map(DecisionWriter::complete).transpose()?);
        complete.extend(self.delegates.map(|(writer, _)| writer.complete()).transpose()?);
        for file in complete {
            file.appear()?;
        }
        Ok(())
    }
}

/// Writes the `most` highest classes of each row, ties in the order of the classes.
fn write_top(
    writer: &mut TopWriter,
    most: usize,
    rows: &RowBatch,
    step: &Step<'_>,
    labels: &Labels,
) -> Result<(), PredictError> {
    let mut order: Vec<usize> = Vec::with_capacity(labels.len());
    let mut lines = Vec::new();
    let by_row = step.probabilities.chunks(labels.len().max(1));
    for (row, probabilities) in by_row.enumerate() {
        let higher =
            |a: &usize, b: &usize| probabilities[*b].total_cmp(&probabilities[*a]).then(a.cmp(b));
        order.clear();
        order.extend(0..labels.len());
        if most < order.len() {
            order.select_nth_unstable_by(most, higher);
            order.truncate(most);
        }
        order.sort_unstable_by(higher);
        lines.extend((1..).zip(&order).map(|(rank, &class)| TopCell {
            row: rows.first_row() + row as u64,
            id: rows.id(row),
            rank,
            class: labels.name(LabelId::new(class)),
            probability: probabilities[class],
        }));
        if lines.len() >= TOP_LINES {
            writer.write(&lines)?;
            lines.clear();
        }
    }
    Ok(writer.write(&lines)?)
}
