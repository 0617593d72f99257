//! Printed cells that look like misprints, beside what the same system gives here.

use rulebound_core::metrics::{LabelsInMetrics, Metric};

use super::document::{Block, Cell, Column, Table};
use super::evidence::Evidence;
use crate::methods;
use crate::paper::PrintedTable;
use crate::reproduce::{Subject, System, Target};
use rulebound::train::Method;

/// A cell of the paper's tables that our runs of the same system do not give.
struct Misprint {
    table: PrintedTable,
    set: &'static str,
    system: &'static str,
    metric: Metric,
    run: Method,
    labels: LabelsInMetrics,
    why: &'static str,
}

const MISPRINTS: [Misprint; 4] = [
    Misprint {
        table: PrintedTable::Hmc,
        set: "gasch2_GO",
        system: "HMCN-F",
        metric: Metric::Auprc,
        run: methods::HMCN_F,
        labels: LabelsInMetrics::All,
        why: "0.05 above every other system; so it is in the table it was copied from",
    },
    Misprint {
        table: PrintedTable::Hmc,
        set: "gasch2_GO",
        system: "HMCN-R",
        metric: Metric::Auprc,
        run: methods::HMCN_R,
        labels: LabelsInMetrics::All,
        why: "as HMCN-F",
    },
    Misprint {
        table: PrintedTable::Lcmc,
        set: "scene",
        system: "ECC",
        metric: Metric::RankingLoss,
        run: methods::CC,
        labels: LabelsInMetrics::Seen,
        why: "the other five metrics of the same run agree",
    },
    Misprint {
        table: PrintedTable::Lcmc,
        set: "emotions",
        system: "CAMEL",
        metric: Metric::AveragePrecision,
        run: methods::CAMEL,
        labels: LabelsInMetrics::Present,
        why: "the other five metrics of the same run agree",
    },
];

/// The cells that belong to a target, with our values; empty if it has none.
pub(super) fn blocks(evidence: &Evidence<'_>, target: Target) -> Vec<Block> {
    let text = |name: &str| Column { name: name.to_owned(), is_number: false };
    let number = |name: &str| Column { name: name.to_owned(), is_number: true };
    let mut table = Table {
        caption: "Printed cells that look like misprints".to_owned(),
        columns: vec![
            text("set"),
            text("system"),
            text("metric"),
            number("printed"),
            number("here, run as in the paper"),
            text("why"),
        ],
        rows: Vec::new(),
    };
    for of in &MISPRINTS {
        let subject = target.subjects().into_iter().find(|subject| subject.to_string() == of.set);
        let Some(subject) = subject else { continue };
        table.rows.push(vec![
            Cell::text(of.set),
            Cell::text(of.system),
            Cell::text(of.metric.title()),
            Cell::maybe(of.table.value(of.set, of.system, of.metric), 3),
            ours(evidence, subject, of),
            Cell::text(of.why),
        ]);
    }
    match table.rows.is_empty() {
        true => Vec::new(),
        false => {
            vec![Block::Heading("Misprints, probably".to_owned()), Block::Table(table)]
        }
    }
}

fn ours(evidence: &Evidence<'_>, subject: Subject, of: &Misprint) -> Cell {
    let ours = evidence.summary(subject, System::AsPaper(of.run), of.metric, of.labels);
    ours.map_or_else(Cell::none, |ours| ours.cell(4))
}
