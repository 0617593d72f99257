//! Three classes with general rules: boundaries in three arrangements.

use rulebound_core::metrics::LabelsInMetrics;

use super::super::reproduce::{Subject, Target};
use super::boundaries::{Strip, fields, figure};
use super::document::{Block, Section};
use super::evidence::Evidence;
use super::number::count;
use super::rectangles::ARRANGEMENTS;
use crate::dataset::Builtin;
use crate::train::Method;

/// The arrangements in the order of the paper's figure: apart, inside, partly.
const ORDER: [usize; 3] = [1, 0, 2];

pub(super) fn section(evidence: &Evidence<'_>) -> Section {
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
    if absent > 0 {
        let text = format!("{} of seed 0 cannot be read.", count(absent / 2, "model"));
        blocks.push(Block::Note(text));
    }
    super::section::of(evidence, Target::ThreeClasses, verdict(evidence), blocks)
}

/// In how many arrangements CCN(h) labels more accurately.
fn verdict(evidence: &Evidence<'_>) -> String {
    let (mut better, mut of) = (0, 0);
    for (step, _) in ARRANGEMENTS {
        let subject = Subject::Synthetic(Builtin::ThreeClasses, Some(step));
        let [ccn, post] = [Method::Ccn, Method::Post].map(|method| {
            let labels = LabelsInMetrics::Present;
            evidence.summary(subject, method, "multilabel_accuracy", labels)
        });
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
