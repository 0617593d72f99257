//! Twenty hierarchies, entirely from our own runs.

use rulebound_core::metrics::{LabelsInMetrics, Metric};

use crate::methods;
use crate::paper::PrintedTable;
use crate::report::document::{Block, Section};
use crate::report::evidence::Evidence;
use crate::report::lost::Lost;
use crate::report::misprints;
use crate::report::own_ranks::{OURS, OwnRanks};
use crate::report::section::section as section_of;
use crate::report::system_table::{ColumnValue, SystemColumn, SystemTable};
use crate::reproduce::{System, Target};
use rulebound::train::Method;

const METRIC: Metric = Metric::Auprc;
/// All classes but the roots count.
const LABELS: LabelsInMetrics = LabelsInMetrics::All;

const fn printed(system: &'static str) -> SystemColumn {
    SystemColumn { system, what: "print", value: ColumnValue::Printed(system) }
}

const fn published(system: &'static str, method: Method) -> SystemColumn {
    let value = ColumnValue::Mean(System::AsPaper(method), LABELS);
    SystemColumn { system, what: "as published", value }
}

/// CCN(h) with the paper's settings.
const CCN: SystemColumn = SystemColumn {
    system: OURS,
    what: "ours",
    value: ColumnValue::Mean(System::Own(Method::Ccn), LABELS),
};

const LMLP: SystemColumn = published("HMC-LMLP", methods::LMLP);
const CLUS: SystemColumn = published("Clus-Ens", methods::CLUS);
const HMCN_R: SystemColumn = published("HMCN-R", methods::HMCN_R);
const HMCN_F: SystemColumn = published("HMCN-F", methods::HMCN_F);
const DHN: SystemColumn = published("DHN", methods::DHN);

const fn best(system: &'static str, method: Method) -> SystemColumn {
    let value = ColumnValue::Mean(System::Own(method), LABELS);
    SystemColumn { system, what: "best practice", value }
}

const BEST_CLUS: SystemColumn = best("Clus-Ens", methods::CLUS);
const BEST_HMCN_R: SystemColumn = best("HMCN-R", methods::HMCN_R);
const BEST_HMCN_F: SystemColumn = best("HMCN-F", methods::HMCN_F);
const FOREST: SystemColumn = best("forest", Method::FOREST);

const COLUMNS: [SystemColumn; 16] = [
    printed(OURS),
    CCN,
    printed("HMC-LMLP"),
    LMLP,
    printed("Clus-Ens"),
    CLUS,
    BEST_CLUS,
    printed("HMCN-R"),
    HMCN_R,
    BEST_HMCN_R,
    printed("HMCN-F"),
    HMCN_F,
    BEST_HMCN_F,
    SystemColumn { system: "DHN", what: "published", value: ColumnValue::PublishedDhn },
    DHN,
    FOREST,
];

pub(in crate::report) fn section(evidence: &Evidence<'_>) -> Section {
    let subjects = evidence.subjects(Target::HmcSystems);
    let table = SystemTable {
        evidence,
        printed: PrintedTable::Hmc,
        metric: METRIC,
        subjects: &subjects,
        columns: &COLUMNS,
    };
    let mut blocks = vec![
        Block::Text(
            "Two columns per competitor: as the paper or its authors ran it, and with the settings \
             that we recommend. Where only one is shown, both are the same. A value with `±` is the mean of \
             several seeds. Bold is the best of our own runs, to three decimals. All classes but the \
             roots count."
                .to_owned(),
        ),
        Block::Table(table.table()),
        Block::Text(
            "What was chosen on which rows: the epochs of HMC-LMLP, HMCN and DHN on validation rows; \
             the dropout of features of HMCN at its best on validation rows of expr_FUN, seq_FUN and \
             expr_GO; everything else is published or was fixed beforehand. Of what HMCN-R's authors \
             did against overfitting nothing is published: its column `as published` has the \
             dropout of features (0.2, of 0, 0.1, 0.2, 0.3 and 0.5) that comes nearest to the print, \
             so on test rows. Nothing else was chosen on test rows. \
             The predictions of every system go through the constraint layer."
                .to_owned(),
        ),
        Block::Heading("Ranks and tests: the paper's comparison".to_owned()),
    ];
    let paper = OwnRanks::new(&table, &[CCN, LMLP, CLUS, HMCN_R, HMCN_F]);
    blocks.extend(paper.blocks("hmc-systems-ranks"));
    blocks.push(Block::Heading("Ranks and tests: every system at its best".to_owned()));
    let all = [CCN, LMLP, BEST_CLUS, BEST_HMCN_R, BEST_HMCN_F, DHN, FOREST];
    blocks.extend(OwnRanks::new(&table, &all).blocks("hmc-systems-ranks-best"));
    let mut lost = Lost::new();
    let others = [LMLP, CLUS, BEST_CLUS, HMCN_R, BEST_HMCN_R, HMCN_F, BEST_HMCN_F, DHN, FOREST];
    lost.add(&table, &CCN, &others);
    let mut verdict: Vec<String> = Vec::new();
    verdict.extend(paper.first().map(|first| {
        format!("With all five systems of the paper run here, {first} has the best average rank.")
    }));
    verdict.extend(lost.sentence());
    blocks.extend(lost.blocks());
    blocks.extend(misprints::blocks(evidence, Target::HmcSystems));
    section_of(evidence, Target::HmcSystems, verdict.join(" "), blocks)
}
