//! Where CCN(h) does not win among our own runs.

use super::document::{Block, Cell, Column, Table};
use super::own_ranks::OURS;
use super::paper_table::as_printed;
use super::system_table::{SystemColumn, SystemTable};

/// A table of the sets and metrics where another system is better than CCN(h), to three decimals.
pub(super) struct Lost {
    table: Table,
    /// The number of sets and metrics with a value of CCN(h) and of another system.
    of: usize,
}

impl Lost {
    /// Nothing is lost yet.
    pub fn new() -> Self {
        let texts = ["set", "metric"];
        let mut columns: Vec<Column> =
            texts.map(|name| Column { name: name.to_owned(), is_number: false }).to_vec();
        columns.push(Column { name: OURS.to_owned(), is_number: true });
        columns.push(Column { name: "best other".to_owned(), is_number: true });
        columns.push(Column { name: "which".to_owned(), is_number: false });
        let caption = format!("Where {OURS} is not the best of our own runs");
        Self { table: Table { caption, columns, rows: Vec::new() }, of: 0 }
    }

    /// Adds the sets of a table, where `ours` is compared with `others`.
    pub fn add(&mut self, table: &SystemTable<'_>, ours: &SystemColumn, others: &[SystemColumn]) {
        for subject in table.subjects {
            let Some(own) = table.value(*subject, ours) else { continue };
            let values = others.iter().filter(|column| column.is_own()).filter_map(|column| {
                Some((column, as_printed(table.value(*subject, column)?.mean)))
            });
            let best = values.reduce(
                |best, next| {
                    if table.is_better(next.1, best.1) { next } else { best }
                },
            );
            let Some((column, value)) = best else { continue };
            self.of += 1;
            if table.is_better(value, as_printed(own.mean)) {
                self.table.rows.push(vec![
                    Cell::text(subject.to_string()),
                    Cell::text(table.metric.title()),
                    Cell::number(own.mean, 3),
                    Cell::number(value, 3),
                    Cell::text(column.name()),
                ]);
            }
        }
    }

    /// How many, in a sentence; none if nothing could be compared.
    pub fn sentence(&self) -> Option<String> {
        let lost = self.table.rows.len();
        (self.of > 0).then(|| {
            format!("Of our own runs, another system is better than {OURS} in {lost} of {} pairs of set and metric.", self.of)
        })
    }

    /// The table.
    pub fn blocks(self) -> Vec<Block> {
        if self.table.rows.is_empty() {
            return Vec::new();
        }
        let title = format!("Where {OURS} does not win");
        vec![Block::Heading(title), Block::Table(self.table)]
    }
}
