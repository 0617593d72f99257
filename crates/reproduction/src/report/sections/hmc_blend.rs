//! Twenty hierarchies: networks, trees and both together, beside the best published value.

use rulebound_core::metrics::{LabelsInMetrics, Metric};

use crate::methods;
use crate::paper::{PrintedTable, Published};
use crate::report::blend_columns::{EXPLAINED, add_weights};
use crate::report::document::{Block, Cell, Column, Mark, Section};
use crate::report::evidence::Evidence;
use crate::report::number::{list, signed};
use crate::report::own_ranks::{OURS, OwnRanks};
use crate::report::section::section as section_of;
use crate::report::system_table::{ColumnValue, SystemColumn, SystemTable};
use crate::reproduce::{System, Target};
use rulebound::train::Method;

/// All classes but the roots count.
const LABELS: LabelsInMetrics = LabelsInMetrics::All;

const fn mean(system: &'static str, of: System) -> SystemColumn {
    SystemColumn { system, what: "", value: ColumnValue::Mean(of, LABELS) }
}

const CCN: SystemColumn = mean(OURS, System::Own(Method::Ccn));
const ENSEMBLE: SystemColumn = SystemColumn {
    system: "ensemble of CCN(h)",
    what: "",
    value: ColumnValue::Together(System::Own(Method::Ccn), LABELS),
};
const DHN: SystemColumn = mean("DHN", System::AsPaper(methods::DHN));
const FOREST: SystemColumn = mean("forest", System::Own(Method::FOREST));
const BLEND: SystemColumn =
    SystemColumn { system: "blend", what: "", value: ColumnValue::Together(System::Blend, LABELS) };

pub(in crate::report) fn section(evidence: &Evidence<'_>) -> Section {
    let target = Target::HmcBlend;
    let subjects = evidence.subjects(target);
    let columns = [CCN, ENSEMBLE, DHN, FOREST, BLEND];
    let table = SystemTable {
        evidence,
        printed: PrintedTable::Hmc,
        metric: Metric::Auprc,
        subjects: &subjects,
        columns: &columns,
    };
    let mut shown = table.table();
    for (name, is_number) in
        [("best published", true), ("whose", false), ("difference", true), ("above", false)]
    {
        shown.columns.push(Column { name: name.to_owned(), is_number });
    }
    let (mut above, mut below, mut judged) = (0, Vec::new(), 0);
    for (row, subject) in shown.rows.iter_mut().zip(&subjects) {
        let name = subject.to_string();
        let blend = table.value(*subject, &BLEND).map(|blend| blend.mean);
        let Some((published, blend)) = Published::find(&name).zip(blend) else {
            row.extend((0..4).map(|_| Cell::none()));
            continue;
        };
        let whose = match published.doubtful {
            Some(doubtful) => {
                format!("{} (in print also {doubtful:.3}, doubtful)", published.source)
            }
            None => published.source.to_owned(),
        };
        // Unrounded: a value that is only printed as equal is not above.
        let is_above = blend > published.best;
        judged += 1;
        above += usize::from(is_above);
        if !is_above {
            below.push(name);
        }
        let difference = blend - published.best;
        let verdict = if is_above { ("yes", Mark::Fits) } else { ("no", Mark::Differs) };
        row.extend([
            Cell::number(published.best, 3),
            Cell::text(whose),
            Cell::with_value(difference, signed(difference, 4)),
            Cell::text(verdict.0).marked(verdict.1, true),
        ]);
    }
    add_weights(&mut shown, evidence, target, &subjects);
    let mut blocks = vec![
        Block::Text(format!(
            "{EXPLAINED} All classes but the roots count. “Above” compares unrounded values with the \
             published one, which has three decimals."
        )),
        Block::Table(shown),
        Block::Text(
            "What was chosen on which rows: the weights by AU(PRC) and the epochs of DHN on \
             validation rows; the epochs of CCN(h) are published. Where the published settings take \
             hundreds of epochs or 9,000 units (seq_GO, diatoms, imclef07a, imclef07d), the networks of \
             the blend have ten times the learning rate, at most 2,000 units, and epochs chosen on \
             validation rows. The settings of the forest were fixed beforehand. DHN has at most 1,000 \
             units elsewhere, and is not part of the other blends of the Gene Ontology."
                .to_owned(),
        ),
        Block::Heading("Ranks and tests".to_owned()),
    ];
    blocks.extend(OwnRanks::new(&table, &columns).blocks("hmc-blend-ranks"));
    let mut verdict = format!(
        "The blend is above the best published AU(PRC) on {above} of {judged} hierarchies."
    );
    if !below.is_empty() {
        verdict += &format!(" It is not on {}.", list(&below));
    }
    section_of(evidence, target, verdict, blocks)
}
