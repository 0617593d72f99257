//! Sixteen sets: networks, trees and both together, beside the paper's CCN(h).

use rulebound_core::metrics::{LabelsInMetrics, Metric};

use crate::methods;
use crate::paper::PrintedTable;
use crate::report::blend_columns::{EXPLAINED, add_weights};
use crate::report::document::{Block, Cell, Column, Mark, Section};
use crate::report::evidence::Evidence;
use crate::report::number::{capital, list};
use crate::report::own_ranks::{OURS, OwnRanks};
use crate::report::ranks::SIX;
use crate::report::section::section as section_of;
use crate::report::system_table::{ColumnValue, SystemColumn, SystemTable};
use crate::reproduce::{Subject, System, Target};
use rulebound::train::Method;

/// Classes that no test row has are left out, as in the authors' code.
const LABELS: LabelsInMetrics = LabelsInMetrics::Present;

const fn mean(system: &'static str, method: Method) -> SystemColumn {
    SystemColumn { system, what: "", value: ColumnValue::Mean(System::Own(method), LABELS) }
}

const PRINTED: SystemColumn =
    SystemColumn { system: OURS, what: "print", value: ColumnValue::Printed(OURS) };
const CCN: SystemColumn = SystemColumn { what: "ours", ..mean(OURS, Method::Ccn) };
const ENSEMBLE: SystemColumn = SystemColumn {
    system: "ensemble of CCN(h)",
    what: "",
    value: ColumnValue::Together(System::Own(Method::Ccn), LABELS),
};
const CAMEL: SystemColumn = mean("CAMEL", methods::CAMEL);
const FOREST: SystemColumn = mean("forest", Method::FOREST);
const BLEND: SystemColumn =
    SystemColumn { system: "blend", what: "", value: ColumnValue::Together(System::Blend, LABELS) };

/// Sets whose rows or labels are not those of the paper.
const OTHER_DATA: [&str; 3] = ["image", "rcv1subset4", "rcv1subset5"];

pub(in crate::report) fn section(evidence: &Evidence<'_>) -> Section {
    let target = Target::LcmcBlend;
    let subjects = evidence.subjects(target);
    let columns = [PRINTED, CCN, ENSEMBLE, CAMEL, FOREST, BLEND];
    let mut blocks = vec![
        Block::Text(format!(
            "{EXPLAINED} Classes that test rows have count. “Above” compares unrounded values with the \
             printed one, which has three decimals. {} have other rows or labels than the paper's and are \
             not counted in the first sentence.",
            list(&OTHER_DATA.map(str::to_owned))
        )),
        Block::Text(
            "What was chosen on which rows: the weights by average precision on validation rows, on \
             sets with fewer than 500 training rows (cal500, emotions, genbase, medical) on all training \
             rows, out of 3 folds; there BR is part of the blend. The epochs of CCN(h) on validation \
             rows; the settings of forest, CAMEL and BR were fixed beforehand."
                .to_owned(),
        ),
    ];
    let mut verdict = String::new();
    for metric in SIX {
        let table = SystemTable {
            evidence,
            printed: PrintedTable::Lcmc,
            metric,
            subjects: &subjects,
            columns: &columns,
        };
        let mut shown = table.table();
        shown.columns.push(Column { name: "above print".to_owned(), is_number: false });
        let is_above = |subject: &Subject| {
            let [blend, printed] = [BLEND, PRINTED].map(|column| table.value(*subject, &column));
            Some(table.is_better(blend?.mean, printed?.mean))
        };
        for (row, subject) in shown.rows.iter_mut().zip(&subjects) {
            row.push(match is_above(subject) {
                Some(true) => Cell::text("yes").marked(Mark::Fits, true),
                Some(false) => Cell::text("no").marked(Mark::Differs, true),
                None => Cell::none(),
            });
        }
        if metric == Metric::AveragePrecision {
            verdict = conclusion(&subjects, &is_above);
            add_weights(&mut shown, evidence, target, &subjects);
        }
        blocks.push(Block::Heading(capital(metric.title())));
        blocks.push(Block::Table(shown));
        let own = OwnRanks::new(&table, &columns[1..]);
        blocks.extend(own.blocks(&format!("lcmc-blend-{metric}-ranks")));
    }
    section_of(evidence, target, verdict, blocks)
}

fn conclusion(subjects: &[Subject], is_above: &dyn Fn(&Subject) -> Option<bool>) -> String {
    let of_paper = subjects.iter().filter(|of| !OTHER_DATA.contains(&of.to_string().as_str()));
    let judged: Vec<(String, bool)> =
        of_paper.filter_map(|of| Some((of.to_string(), is_above(of)?))).collect();
    let below: Vec<String> =
        judged.iter().filter(|(_, above)| !above).map(|(name, _)| name.clone()).collect();
    let above = judged.len() - below.len();
    let mut text = format!(
        "The blend is above the paper's CCN(h) in average precision on {above} of {} sets whose data are \
         the paper's.",
        judged.len()
    );
    if !below.is_empty() {
        text += &format!(" It is not on {}.", list(&below));
    }
    text
}
