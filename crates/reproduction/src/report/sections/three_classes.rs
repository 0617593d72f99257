//! Three classes with general rules: boundaries in three arrangements.

use rulebound_core::metrics::{LabelsInMetrics, Metric};

use super::rectangles::ARRANGEMENTS;
use crate::report::boundaries::{Strip, fields, figure};
use crate::report::document::{Block, Cell, Section, Table};
use crate::report::evidence::Evidence;
use crate::report::number::count;
use crate::report::summary::Summary;
use crate::reproduce::{Subject, Target};
use rulebound::dataset::{Builtin, Step};
use rulebound::train::Method;

/// The arrangements in the order of the paper's figure: separate, inside, overlapping.
const ORDER: [usize; 3] = [1, 0, 2];

pub(in crate::report) fn section(evidence: &Evidence<'_>) -> Section {
    let mut absent = 0;
    let methods = [(Method::Post, ["f⁺", "f"]), (Method::Ccn, ["CCN(h)", "h"])];
    let mut draw = |raw: bool| {
        let figures = methods.map(|(method, titles)| {
            let strips = ORDER.map(|at| {
                let (step, name) = ARRANGEMENTS[at];
                let subject = Subject::Synthetic(Builtin::ThreeClasses, Some(step));
                let fields = fields(evidence.folder, subject, method, 0, raw);
                absent += usize::from(fields.is_none());
                Strip {
                    name: name.to_owned(),
                    subject,
                    fields,
                    shown: vec![0, 1, 2],
                    labels: vec![],
                }
            });
            let columns = ["Class A", "Class A1", "Class A2"];
            let name = format!("three-classes-{method}{}", if raw { "-raw" } else { "" });
            figure(&name, titles[usize::from(raw)], &columns, &strips)
        });
        figures.to_vec()
    };
    let (after, before) = (draw(false), draw(true));
    let mut blocks = vec![
        Block::Text("The rules: `A1 -> A`, `A2 -> A` and `A, not A1 -> A2`.".to_owned()),
        Block::Figures(
            "Decision boundaries of f⁺ and CCN(h), the run of seed 0. A is R1 or R2, A1 is R1, A2 is \
             R2 without R1."
                .to_owned(),
            after,
        ),
        Block::Figures("The same networks without the layer: f and h.".to_owned(), before),
    ];
    blocks.push(Block::Table(table(evidence)));
    if absent > 0 {
        let text = format!("{} of seed 0 cannot be read.", count(absent / 2, "model"));
        blocks.push(Block::Note(text));
    }
    crate::report::section::section(evidence, Target::ThreeClasses, verdict(evidence), blocks)
}

/// The multi-label accuracy of a method in an arrangement.
fn accuracy(evidence: &Evidence<'_>, step: Step, method: Method) -> Option<Summary> {
    let subject = Subject::Synthetic(Builtin::ThreeClasses, Some(step));
    evidence.summary(subject, method, Metric::MultilabelAccuracy, LabelsInMetrics::Present)
}

fn table(evidence: &Evidence<'_>) -> Table {
    let caption = "Multi-label accuracy: mean ± standard deviation over the runs";
    let mut table = Table::new(caption, &["arrangement", "f⁺", "CCN(h)", "runs"]);
    for (step, name) in ORDER.map(|at| ARRANGEMENTS[at]) {
        let found = [Method::Post, Method::Ccn].map(|method| accuracy(evidence, step, method));
        let runs = found.map(|found| found.map_or(0, |found| found.count));
        let cell = |found: Option<Summary>| found.map_or_else(Cell::none, |found| found.cell(4));
        let [post, ccn] = found.map(cell);
        let runs = Cell::number(runs[0].min(runs[1]) as f64, 0);
        table.rows.push(vec![Cell::text(name), post, ccn, runs]);
    }
    table
}

/// In how many arrangements CCN(h) labels more accurately.
fn verdict(evidence: &Evidence<'_>) -> String {
    let (mut better, mut of) = (0, 0);
    for (step, _) in ARRANGEMENTS {
        let [ccn, post] =
            [Method::Ccn, Method::Post].map(|method| accuracy(evidence, step, method));
        if let Some((ccn, post)) = ccn.zip(post) {
            of += 1;
            better += usize::from(ccn.mean > post.mean);
        }
    }
    match of {
        0 => "There is no arrangement with both CCN(h) and f⁺.".to_owned(),
        _ => format!(
            "CCN(h) has the higher mean multi-label accuracy in {better} of {of} arrangements."
        ),
    }
}
