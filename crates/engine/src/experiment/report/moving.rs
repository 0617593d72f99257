//! One rectangle moves into the other in nine steps.

use rulebound_core::metrics::LabelsInMetrics;

use super::super::metric::{Direction, Metric};
use super::super::reproduce::{Subject, Target};
use super::super::statistics::Welch;
use super::against::ALPHA;
use super::chart::{Chart, Point, Series};
use super::document::{Block, Cell, Column, Figure, Mark, Section, Table};
use super::evidence::Evidence;
use super::lcmc::capital;
use super::number::{chance, signed};
use super::standing::{SIX, title};
use crate::dataset::Step;
use crate::train::Method;

const LABELS: LabelsInMetrics = LabelsInMetrics::Present;

/// Methods over the steps of a problem, by one metric.
struct Steps<'a> {
    evidence: &'a Evidence<'a>,
    subjects: Vec<Subject>,
    /// CCN(h) first.
    methods: &'a [(Method, &'a str)],
    metric: &'static str,
}

/// At how many steps CCN(h) is better, no worse within noise, of how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Count {
    better: usize,
    no_worse: usize,
    of: usize,
}

pub(super) fn rectangles(evidence: &Evidence<'_>) -> Section {
    let target = Target::MovingRectangles;
    let methods = [(Method::Ccn, "CCN(h)"), (Method::Post, "f⁺"), (Method::Complement, "g⁺")];
    let (subjects, methods) = (evidence.subjects(target), &methods[..]);
    let steps = Steps { evidence, subjects, methods, metric: "auprc" };
    let (table, count) = steps.table();
    let caption = "Means over the runs, with their standard deviations. Step 1: R1 apart from R2; \
                   step 9: R1 inside R2.";
    let blocks = vec![
        Block::Figures(caption.to_owned(), vec![steps.figure("moving-rectangles")]),
        Block::Table(table),
    ];
    super::section::of(evidence, target, count.told("the better of f⁺ and g⁺", "steps"), blocks)
}

pub(super) fn three_classes(evidence: &Evidence<'_>) -> Section {
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
                   multi-label accuracy is better, and less of the others.";
    let mut blocks = vec![Block::Figures(caption.to_owned(), figures)];
    blocks.extend(tables);
    super::section::of(evidence, target, total.told("f⁺", "steps over six metrics"), blocks)
}

impl Count {
    fn told(self, others: &str, places: &str) -> String {
        let Self { better, no_worse, of } = self;
        match of {
            0 => "There are too few runs to compare.".to_owned(),
            _ => format!(
                "CCN(h) is at least as good as {others} within noise at {no_worse} of {of} \
                 {places}, and better by more than noise at {better}."
            ),
        }
    }
}

impl Steps<'_> {
    fn values(&self, subject: Subject, method: Method) -> Vec<f64> {
        self.evidence.values(subject, method, self.metric, LABELS)
    }

    fn is_lower_better(&self) -> bool {
        Metric::new(self.metric).direction() == Some(Direction::Lower)
    }

    fn figure(&self, name: &str) -> Figure {
        let series = self.methods.iter().map(|(method, name)| {
            let point = |subject: &Subject| {
                let found = self.evidence.summary(*subject, *method, self.metric, LABELS)?;
                let x = f64::from(step(*subject)?.number());
                Some(Point { x, y: found.mean, deviation: found.deviation })
            };
            let points = self.subjects.iter().filter_map(point).collect();
            Series { name: (*name).to_owned(), points }
        });
        let (title, across) = (capital(title(self.metric)), "step".to_owned());
        let chart =
            Chart { title, across, series: series.collect(), most: Some(1.0), has_steps: true };
        Figure { name: name.to_owned(), caption: String::new(), svg: chart.draw() }
    }

    /// Means by step, and CCN(h) less the better of the others with Welch's test.
    fn table(&self) -> (Table, Count) {
        let caption = format!(
            "{} by step: mean ± standard deviation, and CCN(h) less the better of the others with \
             the p of Welch's t test",
            capital(title(self.metric))
        );
        let mut table = Table::new(caption, &["step"]);
        let names = self.methods.iter().map(|(_, name)| (*name).to_owned());
        let last = ["CCN(h) less the better", "p", "runs"].map(str::to_owned);
        table.columns.extend(names.chain(last).map(|name| Column { name, is_number: true }));
        let mut count = Count::default();
        for subject in &self.subjects {
            table.rows.push(self.row(*subject, &mut count));
        }
        (table, count)
    }

    fn row(&self, subject: Subject, count: &mut Count) -> Vec<Cell> {
        let number = step(subject).map_or(0, |step| step.number());
        let mut row = vec![Cell::of(f64::from(number), number.to_string())];
        let sign = if self.is_lower_better() { -1.0 } else { 1.0 };
        let samples: Vec<Vec<f64>> =
            self.methods.iter().map(|(method, _)| self.values(subject, *method)).collect();
        let means: Vec<Option<f64>> = self
            .methods
            .iter()
            .map(|(method, _)| self.evidence.summary(subject, *method, self.metric, LABELS))
            .map(|summary| summary.map(|summary| summary.mean))
            .collect();
        let best = means.iter().flatten().map(|mean| sign * mean).fold(f64::NEG_INFINITY, f64::max);
        for (method, _) in self.methods {
            let found = self.evidence.summary(subject, *method, self.metric, LABELS);
            let is_best = found.is_some_and(|found| sign * found.mean >= best);
            row.push(found.map_or_else(Cell::none, |f| f.cell(4)).marked(Mark::Best, is_best));
        }
        let others = (1..samples.len()).filter(|&at| means[at].is_some());
        let rival = others.max_by(|&a, &b| {
            let of = |at: usize| sign * means[at].unwrap_or(f64::NAN);
            of(a).total_cmp(&of(b))
        });
        match rival.and_then(|rival| Welch::new(&samples[0], &samples[rival])) {
            Some(welch) => {
                let gain = sign * welch.difference;
                let is_noise = welch.p > ALPHA;
                count.of += 1;
                count.no_worse += usize::from(gain >= 0.0 || is_noise);
                count.better += usize::from(gain > 0.0 && !is_noise);
                let mark = if gain > 0.0 { Mark::Fits } else { Mark::Differs };
                let difference = Cell::of(welch.difference, signed(welch.difference, 4));
                row.push(difference.marked(mark, !is_noise));
                row.push(Cell::of(welch.p, chance(welch.p)));
            }
            None => row.extend([Cell::none(), Cell::none()]),
        }
        row.push(Cell::number(samples.iter().map(Vec::len).min().unwrap_or(0) as f64, 0));
        row
    }
}

fn step(subject: Subject) -> Option<Step> {
    match subject {
        Subject::Synthetic(_, step) => step,
        Subject::Catalogue(_) => None,
    }
}
