//! Sixteen sets with general rules, entirely from our own runs.

use rulebound_core::metrics::LabelsInMetrics;

use crate::methods;
use crate::paper::PrintedTable;
use crate::report::document::{Block, Cell, Mark, Section, Table};
use crate::report::evidence::Evidence;
use crate::report::lost::Lost;
use crate::report::misprints;
use crate::report::number::capital;
use crate::report::own_ranks::{OURS, OwnRanks};
use crate::report::ranks::SIX;
use crate::report::section::section as section_of;
use crate::report::system_table::{ColumnValue, SystemColumn, SystemTable};
use crate::reproduce::{System, Target};
use rulebound::train::Method;

const fn printed(system: &'static str) -> SystemColumn {
    SystemColumn { system, what: "print", value: ColumnValue::Printed(system) }
}

const fn paper(system: &'static str, method: Method, labels: LabelsInMetrics) -> SystemColumn {
    let value = ColumnValue::Mean(System::AsPaper(method), labels);
    SystemColumn { system, what: "as in the paper", value }
}

const fn best(system: &'static str, method: Method) -> SystemColumn {
    let value = ColumnValue::Mean(System::Own(method), LabelsInMetrics::Present);
    SystemColumn { system, what: "best practice", value }
}

const CCN: SystemColumn = SystemColumn { what: "ours", ..best(OURS, Method::Ccn) };

/// The paper's logistic regressions cannot be fitted to a class that all or no training rows have,
/// so it counts the others.
const BR: SystemColumn = paper("BR", Method::BR, LabelsInMetrics::Seen);
const CC: SystemColumn = paper("ECC", methods::CC, LabelsInMetrics::Seen);
const RAKEL_D: SystemColumn = paper("RAKEL", methods::RAKEL_D, LabelsInMetrics::Seen);
const CAMEL: SystemColumn = paper("CAMEL", methods::CAMEL, LabelsInMetrics::Present);
const BEST_BR: SystemColumn = best("BR", Method::BR);
const ECC: SystemColumn = best("ECC", methods::ECC);
const RAKEL: SystemColumn = best("RAKEL", methods::RAKEL);
const BEST_CAMEL: SystemColumn = best("CAMEL", methods::CAMEL);
const FOREST: SystemColumn = best("forest", Method::FOREST);

const COLUMNS: [SystemColumn; 15] = [
    printed(OURS),
    CCN,
    printed("CAMEL"),
    CAMEL,
    BEST_CAMEL,
    printed("ECC"),
    CC,
    ECC,
    printed("BR"),
    BR,
    BEST_BR,
    printed("RAKEL"),
    RAKEL_D,
    RAKEL,
    FOREST,
];

pub(in crate::report) fn section(evidence: &Evidence<'_>) -> Section {
    let target = Target::LcmcSystems;
    let subjects = evidence.subjects(target);
    let names = [OURS, "CAMEL", "ECC", "BR", "RAKEL"];
    let mut summary = Table::new(
        "Average ranks from our own runs: the five systems as in the paper, then each at its best, with \
         forests",
        &[
            "metric",
            OURS,
            "CAMEL",
            "ECC",
            "BR",
            "RAKEL",
            "best: CCN(h)",
            "best: CAMEL",
            "best: ECC",
            "best: BR",
            "best: RAKEL",
            "best: forest",
        ],
    );
    let (mut blocks, mut lost, mut first, mut ranked) = (Vec::new(), Lost::new(), 0, 0);
    for metric in SIX {
        let table = SystemTable {
            evidence,
            printed: PrintedTable::Lcmc,
            metric,
            subjects: &subjects,
            columns: &COLUMNS,
        };
        let as_paper = OwnRanks::new(&table, &[CCN, CAMEL, CC, BR, RAKEL_D]);
        let at_best = OwnRanks::new(&table, &[CCN, BEST_CAMEL, ECC, BEST_BR, RAKEL, FOREST]);
        lost.add(&table, &CCN, &COLUMNS[2..]);
        ranked += usize::from(as_paper.first().is_some());
        first += usize::from(as_paper.first() == Some(OURS));
        let cell = |ranks: &OwnRanks, system: &str| {
            Cell::maybe(ranks.rank(system), 2).marked(Mark::Best, ranks.first() == Some(system))
        };
        let mut row = vec![Cell::text(metric.title())];
        row.extend(names.map(|name| cell(&as_paper, name)));
        row.extend(names.into_iter().chain(["forest"]).map(|name| cell(&at_best, name)));
        summary.rows.push(row);
        blocks.push(Block::Heading(capital(metric.title())));
        blocks.push(Block::Table(table.table()));
        blocks.extend(as_paper.blocks(&format!("lcmc-systems-{metric}-ranks")));
    }
    let mut all = vec![
        Block::Table(summary),
        Block::Text(
            "Two columns per competitor. As in the paper: BR is one logistic regression per class, ECC is \
             one chain in the order of the file, RAKEL is one partition into sets of three (RAkELd), \
             CAMEL has the defaults of its public code; its features are not scaled on sets of \
             measurements. Best practice: converged regressions, an ensemble of ten chains, overlapping label \
             sets, standardised features. The predictions of every system go through the constraint layer."
                .to_owned(),
        ),
        Block::Text(
            "Which classes count: those seen in training for BR, ECC and RAKEL as in the paper, whose \
             regressions cannot be fitted to other classes; those that test rows have for everything else. \
             What was chosen on which rows: the epochs of CCN(h) on validation rows; everything \
             else is published or was fixed beforehand. Nothing was chosen on test rows."
                .to_owned(),
        ),
    ];
    let mut verdict = Vec::new();
    if ranked > 0 {
        verdict.push(format!(
            "With all five systems of the paper run here, CCN(h) has the best average rank in {first} of \
             {ranked} metrics."
        ));
    }
    verdict.extend(lost.sentence());
    all.extend(blocks);
    all.extend(lost.blocks());
    all.extend(misprints::blocks(evidence, target));
    section_of(evidence, target, verdict.join(" "), all)
}
