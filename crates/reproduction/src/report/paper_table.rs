//! Tables of data sets: the paper's value, ours, and the significance of the difference.

use rulebound_core::metrics::{Direction, LabelsInMetrics, Metric};

use super::difference::Difference;
use super::document::{Cell, Column, Mark, Table};
use super::evidence::{self, Evidence};
use super::number::capital;
use super::number::count;
use super::summary::Summary;
use crate::paper::PrintedTable;
use crate::reproduce::Subject;
use rulebound::train::Method;

/// A table of one metric: our CCN(h), the paper's, and other systems.
pub(super) struct PaperTable<'a> {
    pub evidence: &'a Evidence<'a>,
    pub printed: PrintedTable,
    pub metric: Metric,
    /// Which classes are evaluated: the primary and the secondary choice.
    pub labels: [LabelsInMetrics; 2],
    pub subjects: &'a [Subject],
}

/// How many values are within one standard deviation of the paper's, out of how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Agreement {
    /// Within one standard deviation.
    pub within: usize,
    /// Judged.
    pub of: usize,
}

impl PaperTable<'_> {
    fn summary(&self, subject: Subject, labels: LabelsInMetrics) -> Option<Summary> {
        self.evidence.summary(subject, Method::Ccn, self.metric, labels)
    }

    fn print(&self, subject: Subject, system: &str) -> Option<f64> {
        self.printed.value(&subject.to_string(), system, self.metric)
    }

    /// How many data sets agree with the paper.
    pub fn agreement(&self, labels: LabelsInMetrics) -> Agreement {
        let mut agreement = Agreement::default();
        for subject in self.subjects {
            let ours = self.summary(*subject, labels);
            let printed = self.print(*subject, "CCN(h)");
            let against = ours.zip(printed).map(|(ours, printed)| Difference::new(&ours, printed));
            if let Some(is_within) = against.and_then(|against| against.is_within) {
                agreement.of += 1;
                agreement.within += usize::from(is_within);
            }
        }
        agreement
    }

    /// Whether the choice of classes shows in the fourth decimal.
    fn differ(&self, subject: Subject) -> bool {
        let [first, second] = self.labels.map(|labels| self.summary(subject, labels));
        first.zip(second).is_some_and(|(first, second)| first.text(4) != second.text(4))
    }

    /// The table.
    pub fn table(&self) -> Table {
        let (metric, [first, second]) = (self.metric.title(), self.labels);
        let arrow = match self.metric.direction() {
            Direction::Lower => "less is better",
            _ => "more is better",
        };
        let both = self.subjects.iter().any(|subject| self.differ(*subject));
        let caption =
            format!("{} ({arrow}) on {}", capital(metric), count(self.subjects.len(), "set"));
        let mut table = Table::new(caption, &["set", "paper"]);
        let mut column = |name: String| table.columns.push(Column { name, is_number: true });
        let others: Vec<&str> =
            self.printed.systems().into_iter().filter(|name| *name != "CCN(h)").collect();
        let group = |labels: LabelsInMetrics| {
            let classes = if both { format!(", {}", classes(labels)) } else { String::new() };
            let rest = ["difference", "within 1 sd", "p"].map(str::to_owned);
            std::iter::once(format!("ours{classes}")).chain(rest)
        };
        group(first).for_each(&mut column);
        column("ours, ensemble".to_owned());
        others.iter().for_each(|name| column((*name).to_owned()));
        if both {
            group(second).for_each(&mut column);
        }
        for subject in self.subjects {
            table.rows.push(self.row(*subject, &others, both));
        }
        table
    }

    fn row(&self, subject: Subject, others: &[&str], both: bool) -> Vec<Cell> {
        let [first, second] = self.labels;
        let paper = self.print(subject, "CCN(h)");
        let mut cells = vec![Cell::text(subject.to_string()), Cell::maybe(paper, 3)];
        let ours = self.summary(subject, first);
        let rivals: Vec<Option<f64>> =
            others.iter().map(|system| self.print(subject, system)).collect();
        let values = rivals.iter().flatten().copied().chain(ours.map(|ours| ours.mean));
        let best = best(self.metric, values);
        let is_best = |value: Option<f64>| value.is_some_and(|value| as_printed(value) == best);
        let own = ours.map_or_else(Cell::none, |ours| ours.cell(4));
        cells.push(own.marked(Mark::Best, is_best(ours.map(|ours| ours.mean))));
        cells.extend(against(ours, paper));
        let together = self.evidence.ensemble(subject, Method::Ccn);
        let together = together.and_then(|row| evidence::value_of(row, self.metric, first));
        cells.push(Cell::maybe(together, 4));
        cells.extend(
            rivals.iter().map(|&value| Cell::maybe(value, 3).marked(Mark::Best, is_best(value))),
        );
        if both {
            // If the choice of classes changes nothing, the value is not repeated.
            let ours = self.summary(subject, second).filter(|_| self.differ(subject));
            cells.push(ours.map_or_else(Cell::none, |ours| ours.cell(4)));
            cells.extend(against(ours, paper));
        }
        cells
    }
}

fn against(ours: Option<Summary>, paper: Option<f64>) -> [Cell; 3] {
    match ours.zip(paper) {
        Some((ours, paper)) => Difference::new(&ours, paper).cells(),
        None => [Cell::none(), Cell::none(), Cell::none()],
    }
}

/// The best of some values, as printed.
pub(super) fn best(metric: Metric, values: impl Iterator<Item = f64>) -> f64 {
    let values = values.map(as_printed);
    match metric.direction() {
        Direction::Lower => values.fold(f64::INFINITY, f64::min),
        _ => values.fold(f64::NEG_INFINITY, f64::max),
    }
}

/// Three decimals: values printed as equal are equal.
pub(super) fn as_printed(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn classes(labels: LabelsInMetrics) -> &'static str {
    match labels {
        LabelsInMetrics::Present => "classes in the test rows",
        LabelsInMetrics::All => "all classes",
        LabelsInMetrics::Seen => "classes seen in training",
    }
}
