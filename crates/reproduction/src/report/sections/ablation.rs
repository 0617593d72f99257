//! Without the loss, and without the layer: h⁺, h+CM and CCN(h).

use rulebound_core::metrics::{LabelsInMetrics, Metric};

use crate::paper::{PrintedTable, ablation_epochs, system};
use crate::report::difference::{ALPHA, Difference};
use crate::report::document::{Block, Cell, Column, Mark, Section, Table};
use crate::report::evidence::Evidence;
use crate::report::number::capital;
use crate::report::number::{chance, fixed, list};
use crate::report::paper_table::{as_printed, best};
use crate::report::ranks::{SIX, SystemRanks};
use crate::report::summary::Summary;
use crate::reproduce::{Subject, Target};
use rulebound::train::Method;

const METHODS: [Method; 3] = [Method::Ccn, Method::Post, Method::Cm];

/// Which table, and which classes are evaluated.
#[derive(Clone, Copy)]
struct Ablation<'a> {
    evidence: &'a Evidence<'a>,
    target: Target,
    printed: PrintedTable,
    labels: LabelsInMetrics,
}

pub(in crate::report) fn hmc(evidence: &Evidence<'_>) -> Section {
    let (printed, labels) = (PrintedTable::HmcAblation, LabelsInMetrics::All);
    Ablation { evidence, target: Target::HmcAblation, printed, labels }.section(&[Metric::Auprc])
}

pub(in crate::report) fn lcmc(evidence: &Evidence<'_>) -> Section {
    let (printed, labels) = (PrintedTable::LcmcAblation, LabelsInMetrics::Present);
    Ablation { evidence, target: Target::LcmcAblation, printed, labels }.section(&SIX)
}

impl Ablation<'_> {
    fn section(self, metrics: &[Metric]) -> Section {
        let subjects = self.evidence.subjects(self.target);
        let mut ranks = Table::new(
            "Average ranks of our means, in brackets those in print, and the p of Wilcoxon tests of \
             CCN(h) against the others",
            &["metric", "CCN(h)", "h⁺", "h+CM", "p against h⁺", "p against h+CM", "sets"],
        );
        let mut blocks = Vec::new();
        let [mut ranked, mut best, mut most] = [0; 3];
        let mut apart = [0; 2];
        for &metric in metrics {
            let has = |subject: &Subject| {
                METHODS.iter().all(|method| self.summary(*subject, *method, metric).is_some())
            };
            let whole: Vec<Subject> = subjects.iter().copied().filter(has).collect();
            let standing = SystemRanks::new(self.printed, metric, &whole, &|subject, name| {
                let method = METHODS.into_iter().find(|method| system(*method) == Some(name))?;
                self.summary(subject, method, metric).map(|ours| ours.mean)
            });
            ranked += usize::from(standing.place().is_some());
            best += usize::from(standing.place() == Some(1));
            most = most.max(whole.len());
            for (count, name) in apart.iter_mut().zip(["h+", "h+CM"]) {
                *count += usize::from(standing.p(name).is_some_and(|p| p < ALPHA));
            }
            ranks.rows.push(self.ranks(metric, &standing, whole.len()));
            blocks.push(Block::Heading(capital(metric.title())));
            blocks.push(Block::Table(self.table(metric, &subjects)));
        }
        let mut all = vec![Block::Table(ranks)];
        all.extend(blocks);
        let verdict = match ranked {
            0 => "No two sets have results of all three methods yet.".to_owned(),
            1 => {
                let has = if best == 1 { "has" } else { "does not have" };
                let names = ["h⁺", "h+CM"].into_iter().zip(apart);
                let names: Vec<String> = names
                    .filter(|(_, differs)| *differs > 0)
                    .map(|(name, _)| name.to_owned())
                    .collect();
                let names = if names.is_empty() { "neither".to_owned() } else { list(&names) };
                format!(
                    "Over {most} sets CCN(h) {has} the best average rank of the three; it differs \
                     from {names} (Wilcoxon, p < {ALPHA})."
                )
            }
            _ => format!(
                "Over {most} sets CCN(h) has the best average rank of the three in {best} of \
                 {ranked} metrics; it differs from h⁺ in {} and from h+CM in {} (Wilcoxon, \
                 p < {ALPHA}).",
                apart[0], apart[1]
            ),
        };
        crate::report::section::section(self.evidence, self.target, verdict, all)
    }

    fn summary(&self, subject: Subject, method: Method, metric: Metric) -> Option<Summary> {
        self.evidence.summary(subject, method, metric, self.labels)
    }

    fn ranks(&self, metric: Metric, standing: &SystemRanks, sets: usize) -> Vec<Cell> {
        let rank = |name: &str| match (standing.rank(name), self.printed.rank(name, metric)) {
            (Some(ours), Some(print)) => {
                Cell::with_value(ours, format!("{} ({})", fixed(ours, 2), fixed(print, 2)))
            }
            _ => Cell::none(),
        };
        let p = |name: &str| {
            standing.p(name).map_or_else(Cell::none, |p| Cell::with_value(p, chance(p)))
        };
        vec![
            Cell::text(metric.title()),
            rank("CCN(h)").marked(Mark::Best, standing.place() == Some(1)),
            rank("h+"),
            rank("h+CM"),
            p("h+"),
            p("h+CM"),
            Cell::number(sets as f64, 0),
        ]
    }

    fn table(&self, metric: Metric, subjects: &[Subject]) -> Table {
        let caption = format!("{}: the paper and ours", capital(metric.title()));
        let mut table = Table::new(caption, &["set"]);
        let with_epochs = self.target == Target::HmcAblation;
        for name in ["CCN(h)", "h⁺", "h+CM"] {
            for part in ["paper", "ours", "difference", "p", "epochs in print", "epochs"] {
                if with_epochs || !part.starts_with("epochs") {
                    table.columns.push(Column { name: format!("{name}: {part}"), is_number: true });
                }
            }
        }
        for subject in subjects {
            let means = METHODS.map(|method| self.summary(*subject, method, metric));
            // The best of one or two is not the best of the three.
            let whole: Option<Vec<f64>> =
                means.iter().map(|ours| ours.map(|ours| ours.mean)).collect();
            let best = whole.map(|values| best(metric, values.into_iter()));
            let mut row = vec![Cell::text(subject.to_string())];
            for (method, ours) in METHODS.into_iter().zip(means) {
                row.extend(self.cells(*subject, method, metric, ours, best));
                if with_epochs {
                    row.extend(self.epochs(*subject, method));
                }
            }
            table.rows.push(row);
        }
        table
    }

    fn cells(
        &self,
        subject: Subject,
        method: Method,
        metric: Metric,
        ours: Option<Summary>,
        best: Option<f64>,
    ) -> [Cell; 4] {
        let set = subject.to_string();
        let print = system(method).and_then(|name| self.printed.value(&set, name, metric));
        let is_best = best.is_some() && ours.map(|ours| as_printed(ours.mean)) == best;
        let own = ours.map_or_else(Cell::none, |ours| ours.cell(4)).marked(Mark::Best, is_best);
        let [difference, _, p] = match ours.zip(print) {
            Some((ours, print)) => Difference::new(&ours, print).cells(),
            None => [Cell::none(), Cell::none(), Cell::none()],
        };
        [Cell::maybe(print, 3), own, difference, p]
    }

    fn epochs(&self, subject: Subject, method: Method) -> [Cell; 2] {
        let print = ablation_epochs(&subject.to_string(), method);
        let rows = self.evidence.rows(subject, method);
        let ours = Summary::new(&rows.iter().map(|row| row.epochs).collect::<Vec<_>>());
        let decimals = usize::from(ours.is_some_and(|ours| ours.mean.fract() != 0.0));
        [
            Cell::maybe(print.map(|epochs| epochs as f64), 0),
            Cell::maybe(ours.map(|ours| ours.mean), decimals),
        ]
    }
}
