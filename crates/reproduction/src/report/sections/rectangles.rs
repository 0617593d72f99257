//! Two rectangles in three arrangements: boundaries, and delegated points.

use crate::paper::DELEGATED;
use crate::report::boundaries::{Strip, fields, figure};
use crate::report::document::{Block, Cell, Figure, Section, Table};
use crate::report::evidence::Evidence;
use crate::report::number::{count, fixed};
use crate::report::summary::Summary;
use crate::reproduce::{Seeds, Subject, Target};
use rulebound::dataset::{Builtin, Step};
use rulebound::train::Method;

/// The arrangements in the order of the paper's figure.
pub(in crate::report) const ARRANGEMENTS: [(Step, &str); 3] = [
    (Step::INSIDE, "R1 inside R2"),
    (Step::OUTSIDE, "R1 apart from R2"),
    (Step::HALFWAY, "R1 partly in R2"),
];

/// The networks, their output after the layer, and the meaning of their second output.
const NETWORKS: [(Method, &str, &str, &str); 3] = [
    (Method::Post, "f", "f⁺", "Class A"),
    (Method::Complement, "g", "g⁺", "Class A∖A1"),
    (Method::Ccn, "h", "C-HMCNN(h)", "Class A"),
];

pub(in crate::report) fn section(evidence: &Evidence<'_>) -> Section {
    let mut absent = 0;
    let mut draw = |raw: bool| -> Vec<Figure> {
        let draw = |(method, before, after, second): (Method, &str, &str, &str)| {
            let strip = |(step, name): (Step, &str)| {
                let subject = Subject::Synthetic(Builtin::Rectangles, Some(step));
                let fields = fields(evidence.folder, subject, method, 0, raw);
                absent += usize::from(fields.is_none());
                Strip { name: name.to_owned(), subject, fields, shown: vec![0, 1], labels: vec![] }
            };
            let strips = ARRANGEMENTS.map(strip);
            let (title, second) = if raw { (before, second) } else { (after, "Class A") };
            let name = format!("rectangles-{}{}", method, if raw { "-raw" } else { "" });
            figure(&name, title, &["Class A1", second], &strips)
        };
        NETWORKS.map(draw).to_vec()
    };
    let (after, before) = (draw(false), draw(true));
    let mut blocks = vec![
        Block::Figures(
            "Decision boundaries of f⁺, g⁺ and C-HMCNN(h), the run of seed 0. Blue is where the class \
             is predicted, red where it is not; the deeper, the surer. White is the boundary, black \
             are the true rectangles."
                .to_owned(),
            after,
        ),
        Block::Figures("The same networks without the layer: f, g and h.".to_owned(), before),
    ];
    if absent > 0 {
        let text = format!("{} of seed 0 cannot be read.", count(absent / 2, "model"));
        blocks.push(Block::Note(text));
    }
    let (table, verdict) = delegated(evidence);
    blocks.push(Block::Table(table));
    crate::report::section::section(evidence, Target::Rectangles, verdict, blocks)
}

/// The fraction of the points in A1 for which the prediction on A is delegated to A1.
fn delegated(evidence: &Evidence<'_>) -> (Table, String) {
    let mut table = Table::new(
        "Test points in A1 for which the prediction on A is delegated to A1, in percent",
        &[
            "arrangement",
            "paper",
            "ours, seed 0",
            "ours, mean ± deviation",
            "least",
            "largest",
            "runs",
        ],
    );
    let mut told = Vec::new();
    for (step, name) in ARRANGEMENTS {
        let subject = Subject::Synthetic(Builtin::Rectangles, Some(step));
        let rows = evidence.rows(subject, Method::Ccn);
        let shares: Vec<f64> =
            rows.iter().filter_map(|row| row.delegated).map(|share| 100.0 * share).collect();
        let print = DELEGATED.iter().find(|(number, _)| *number == step.number());
        let print = print.map(|(_, share)| 100.0 * share);
        let first = rows.iter().find(|row| row.seeds == Seeds::One(0));
        let mut row = vec![
            Cell::text(name),
            Cell::maybe(print, 0),
            Cell::maybe(first.and_then(|row| row.delegated).map(|share| 100.0 * share), 1),
        ];
        match Summary::new(&shares) {
            Some(summary) => {
                row.push(summary.cell(1));
                row.extend([Cell::number(summary.least, 1), Cell::number(summary.most, 1)]);
                row.push(Cell::number(summary.count as f64, 0));
                let print = print.map(|print| format!(" (paper {print:.0})")).unwrap_or_default();
                let arrangement = name.trim_start_matches("R1 ");
                told.push(format!("{} % {arrangement}{print}", fixed(summary.mean, 0)));
            }
            None => row.extend([Cell::none(), Cell::none(), Cell::none(), Cell::none()]),
        }
        table.rows.push(row);
    }
    let verdict = match told.is_empty() {
        true => "No network of C-HMCNN(h) is finished.".to_owned(),
        false => format!("Delegated to A1 on average, with R1: {}.", told.join(", ")),
    };
    (table, verdict)
}
