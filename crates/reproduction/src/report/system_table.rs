//! Tables of systems: what is printed, what was run here, and which is best.

use rulebound_core::metrics::{Direction, LabelsInMetrics, Metric};

use super::document::{Cell, Column, Mark, Table};
use super::evidence::{Evidence, value_of};
use super::number::{capital, count};
use super::paper_table::as_printed;
use super::summary::Summary;
use crate::paper::{PrintedTable, Published};
use crate::reproduce::{Subject, System};

/// Where the values of a column come from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum ColumnValue {
    /// A column of the paper's table.
    Printed(&'static str),
    /// What the authors of DHN publish.
    PublishedDhn,
    /// The mean of the runs of a system, over these classes.
    Mean(System, LabelsInMetrics),
    /// All networks of a system together. Where a blend has runs that leave one out, their deviation
    /// is its spread.
    Together(System, LabelsInMetrics),
}

/// A column of systems.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct SystemColumn {
    /// The system, for readers.
    pub system: &'static str,
    /// Which of its columns.
    pub what: &'static str,
    /// Its values.
    pub value: ColumnValue,
}

impl SystemColumn {
    /// Whether it was run here.
    pub fn is_own(&self) -> bool {
        !matches!(self.value, ColumnValue::Printed(_) | ColumnValue::PublishedDhn)
    }

    /// Its name in tables.
    pub fn name(&self) -> String {
        if self.what.is_empty() {
            return self.system.to_owned();
        }
        format!("{}, {}", self.system, self.what)
    }
}

/// A table of one metric.
pub(super) struct SystemTable<'a> {
    pub evidence: &'a Evidence<'a>,
    pub printed: PrintedTable,
    pub metric: Metric,
    pub subjects: &'a [Subject],
    pub columns: &'a [SystemColumn],
}

impl SystemTable<'_> {
    /// The value of a column for a subject.
    pub fn value(&self, subject: Subject, column: &SystemColumn) -> Option<Summary> {
        let (evidence, metric) = (self.evidence, self.metric);
        match column.value {
            ColumnValue::Printed(name) => {
                Summary::new(&[self.printed.value(&subject.to_string(), name, metric)?])
            }
            ColumnValue::PublishedDhn => {
                Summary::new(&[Published::find(&subject.to_string())?.dhn])
            }
            ColumnValue::Mean(system, labels) => evidence.summary(subject, system, metric, labels),
            ColumnValue::Together(system, labels) => {
                let Some(row) = evidence.ensemble(subject, system) else {
                    // A single network, or a system that is run once.
                    return evidence.summary(subject, system, metric, labels);
                };
                let whole = Summary::new(&[value_of(row, metric, labels)?])?;
                let spread = match system {
                    System::Blend => evidence.summary(subject, system, metric, labels),
                    System::Own(_) | System::AsPaper(_) => None,
                };
                Some(Summary { deviation: spread.and_then(|spread| spread.deviation), ..whole })
            }
        }
    }

    /// Whether any subject has a value.
    pub fn has(&self, column: &SystemColumn) -> bool {
        self.subjects.iter().any(|subject| self.value(*subject, column).is_some())
    }

    /// Whether the first value is better than the second.
    pub fn is_better(&self, value: f64, than: f64) -> bool {
        match self.metric.direction() {
            Direction::Lower => value < than,
            Direction::Higher => value > than,
        }
    }

    /// The table: columns without any value are left out, the best that was run here is bold.
    pub fn table(&self) -> Table {
        let columns: Vec<&SystemColumn> =
            self.columns.iter().filter(|column| self.has(column)).collect();
        let arrow = match self.metric.direction() {
            Direction::Lower => "less is better",
            Direction::Higher => "more is better",
        };
        let (metric, sets) = (capital(self.metric.title()), count(self.subjects.len(), "set"));
        let mut table = Table::new(format!("{metric} ({arrow}) on {sets}"), &["set"]);
        let names = columns.iter().map(|column| column.name());
        table.columns.extend(names.map(|name| Column { name, is_number: true }));
        for subject in self.subjects {
            let values: Vec<Option<Summary>> =
                columns.iter().map(|column| self.value(*subject, column)).collect();
            let own = columns.iter().zip(&values).filter(|(column, _)| column.is_own());
            let own = own.filter_map(|(_, value)| value.map(|value| as_printed(value.mean)));
            let best =
                own.reduce(|best, value| if self.is_better(value, best) { value } else { best });
            let cell = |(column, value): (&&SystemColumn, &Option<Summary>)| {
                let Some(value) = value else { return Cell::none() };
                let is_best = column.is_own() && Some(as_printed(value.mean)) == best;
                value.cell(if column.is_own() { 4 } else { 3 }).marked(Mark::Best, is_best)
            };
            let mut row = vec![Cell::text(subject.to_string())];
            row.extend(columns.iter().zip(&values).map(cell));
            table.rows.push(row);
        }
        table
    }
}
