//! One rectangle moves into the other in nine steps.

use rulebound_core::metrics::{Direction, LabelsInMetrics, Metric};

use crate::report::difference::ALPHA;
use crate::report::document::{Block, Cell, Column, Figure, Mark, Section, Table};
use crate::report::evidence::Evidence;
use crate::report::number::capital;
use crate::report::number::{chance, signed};
use crate::report::ranks::SIX;
use crate::report::summary::Summary;
use crate::reproduce::{Subject, Target};
use rulebound::dataset::Step;
use rulebound::train::Method;
use rulebound_compare::statistics::{Welch, holm};
use rulebound_io::picture::{Chart, ChartPoint, Series};

const LABELS: LabelsInMetrics = LabelsInMetrics::Present;

/// Methods over the steps of a problem, by one metric.
struct Steps<'a> {
    evidence: &'a Evidence<'a>,
    subjects: Vec<Subject>,
    /// CCN(h) first.
    methods: &'a [(Method, &'a str)],
    metric: Metric,
}

/// At how many steps CCN(h) is better, or not significantly worse, out of how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Count {
    better: usize,
    no_worse: usize,
    of: usize,
}

pub(in crate::report) fn rectangles(evidence: &Evidence<'_>) -> Section {
    let target = Target::MovingRectangles;
    let methods = [(Method::Ccn, "CCN(h)"), (Method::Post, "f⁺"), (Method::Complement, "g⁺")];
    let (subjects, methods) = (evidence.subjects(target), &methods[..]);
    let steps = Steps { evidence, subjects, methods, metric: Metric::Auprc };
    let (table, count) = steps.table();
    let caption = "Means over the runs, with their standard deviations. Step 1: R1 apart from R2; \
                   step 9: R1 inside R2.";
    let blocks = vec![
        Block::Figures(caption.to_owned(), vec![steps.figure("moving-rectangles")]),
        Block::Table(table),
    ];
    crate::report::section::section(
        evidence,
        target,
        count.told("the better of f⁺ and g⁺", "steps"),
        blocks,
    )
}

pub(in crate::report) fn three_classes(evidence: &Evidence<'_>) -> Section {
    let target = Target::MovingThreeClasses;
    let methods = [(Method::Ccn, "CCN(h)"), (Method::Post, "f⁺")];
    let (mut figures, mut tables, mut total) = (Vec::new(), Vec::new(), Count::default());
    for metric in SIX {
        let (subjects, methods) = (evidence.subjects(target), &methods[..]);
        let steps = Steps { evidence, subjects, methods, metric };
        let (table, count) = steps.table();
        figures.push(steps.figure(&format!("moving-three-classes-{metric}")));
        tables.push(Block::Table(table));
        total.better += count.better;
        total.no_worse += count.no_worse;
        total.of += count.of;
    }
    let caption = "Means over the runs, with their standard deviations. More average precision and \
                   multi-label accuracy is better, and less of the others. A point outside both \
                   rectangles has no class, and a coverage of 0: with many of them the coverage \
                   error, coverage less 1 over the number of classes, is below 0.";
    let mut blocks = vec![Block::Figures(caption.to_owned(), figures)];
    blocks.extend(tables);
    crate::report::section::section(
        evidence,
        target,
        total.told("f⁺", "steps over six metrics"),
        blocks,
    )
}

impl Count {
    fn told(self, others: &str, places: &str) -> String {
        let Self { better, no_worse, of } = self;
        match of {
            0 => "There are too few runs to compare.".to_owned(),
            _ => {
                let better = if better == 0 { "none".to_owned() } else { better.to_string() };
                format!(
                    "CCN(h) is at least as good as {others} within noise at {no_worse} of {of} \
                     {places}, and better by more than noise at {better}."
                )
            }
        }
    }
}

impl Steps<'_> {
    fn values(&self, subject: Subject, method: Method) -> Vec<f64> {
        self.evidence.values(subject, method, self.metric, LABELS)
    }

    /// The sign that makes higher values of the metric better.
    fn sign(&self) -> f64 {
        match self.metric.direction() {
            Direction::Lower => -1.0,
            _ => 1.0,
        }
    }

    fn figure(&self, name: &str) -> Figure {
        let series = self.methods.iter().map(|(method, name)| {
            let point = |subject: &Subject| {
                let found = self.evidence.summary(*subject, *method, self.metric, LABELS)?;
                let x = f64::from(step(*subject)?.number());
                Some(ChartPoint { x, y: found.mean, deviation: found.deviation })
            };
            let points = self.subjects.iter().filter_map(point).collect();
            Series { name: (*name).to_owned(), points }
        });
        let (title, across) = (capital(self.metric.title()), "step".to_owned());
        // Rows without a class can make the coverage error negative.
        let least = if self.metric == Metric::CoverageError { f64::NEG_INFINITY } else { 0.0 };
        let (series, bounds) = (series.collect(), [least, 1.0]);
        let chart = Chart { title, across, series, bounds, has_steps: true };
        Figure { name: name.to_owned(), caption: String::new(), svg: chart.draw() }
    }

    /// Means by step, and CCN(h) minus the better of the others, with Welch's test.
    fn table(&self) -> (Table, Count) {
        let caption = format!(
            "{} by step: mean ± standard deviation, and CCN(h) less the better of the others with \
             the p of Welch's t test, alone and corrected for the number of steps",
            capital(self.metric.title())
        );
        let mut table = Table::new(caption, &["step"]);
        let names = self.methods.iter().map(|(_, name)| (*name).to_owned());
        let last = ["CCN(h) less the better", "p", "p by Holm", "runs"].map(str::to_owned);
        table.columns.extend(names.chain(last).map(|name| Column { name, is_number: true }));
        let tests: Vec<Option<Welch>> =
            self.subjects.iter().map(|subject| self.test(*subject)).collect();
        let alone: Vec<f64> = tests.iter().flatten().map(|test| test.p).collect();
        let mut corrected = holm(&alone).into_iter();
        let mut count = Count::default();
        for (subject, test) in self.subjects.iter().zip(tests) {
            let mut row = self.means(*subject);
            match test.zip(test.and_then(|_| corrected.next())) {
                Some((test, corrected)) => row.extend(self.judge(&test, corrected, &mut count)),
                None => row.extend([Cell::none(), Cell::none(), Cell::none()]),
            }
            let runs = self.methods.iter().map(|(method, _)| self.values(*subject, *method).len());
            row.push(Cell::number(runs.min().unwrap_or(0) as f64, 0));
            table.rows.push(row);
        }
        (table, count)
    }

    /// CCN(h) against the other method that is the best at this step.
    fn test(&self, subject: Subject) -> Option<Welch> {
        let (first, others) = self.methods.split_first()?;
        let mean = |method| self.evidence.summary(subject, method, self.metric, LABELS);
        let means = others.iter().filter_map(|(method, _)| Some((*method, mean(*method)?.mean)));
        let rival = means.max_by(|(_, a), (_, b)| (self.sign() * a).total_cmp(&(self.sign() * b)));
        Welch::new(&self.values(subject, first.0), &self.values(subject, rival?.0))
    }

    /// The step, and the mean of every method.
    fn means(&self, subject: Subject) -> Vec<Cell> {
        let number = step(subject).map_or(0, |step| step.number());
        let mut row = vec![Cell::with_value(f64::from(number), number.to_string())];
        let found: Vec<Option<Summary>> = self
            .methods
            .iter()
            .map(|(method, _)| self.evidence.summary(subject, *method, self.metric, LABELS))
            .collect();
        let value = |summary: &Summary| self.sign() * summary.mean;
        let best = found.iter().flatten().map(value).fold(f64::NEG_INFINITY, f64::max);
        for summary in found {
            let is_best = summary.is_some_and(|summary| value(&summary) >= best);
            let cell = summary.map_or_else(Cell::none, |summary| summary.cell(4));
            row.push(cell.marked(Mark::Best, is_best));
        }
        row
    }

    /// The difference with its p-values; also counts it.
    fn judge(&self, test: &Welch, corrected: f64, count: &mut Count) -> [Cell; 3] {
        let gain = self.sign() * test.difference;
        let is_noise = corrected > ALPHA;
        count.of += 1;
        count.no_worse += usize::from(gain >= 0.0 || is_noise);
        count.better += usize::from(gain > 0.0 && !is_noise);
        let mark = if gain > 0.0 { Mark::Fits } else { Mark::Differs };
        let difference = Cell::with_value(test.difference, signed(test.difference, 4));
        let chances = [test.p, corrected].map(|p| Cell::with_value(p, chance(p)));
        let [alone, corrected] = chances;
        [difference.marked(mark, !is_noise), alone, corrected]
    }
}

fn step(subject: Subject) -> Option<Step> {
    match subject {
        Subject::Synthetic(_, step) => step,
        Subject::Catalogue(_) => None,
    }
}
