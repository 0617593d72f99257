//! Nine rectangles: the constraint loss against cross-entropy.

use rulebound_core::metrics::{LabelsInMetrics, Metric};

use crate::paper::nine_rectangles;
use crate::report::boundaries::{Strip, fields, figure};
use crate::report::document::{Block, Cell, Section, Table};
use crate::report::evidence::{self, Evidence};
use crate::report::number::{chance, fixed};
use crate::reproduce::{Seeds, Subject, Target};
use rulebound::dataset::Builtin;
use rulebound::train::Method;
use rulebound_compare::statistics::Welch;

const SUBJECT: Subject = Subject::Synthetic(Builtin::NineRectangles, None);
const METHODS: [(Method, &str); 2] = [(Method::Cm, "h+CM"), (Method::Ccn, "CCN(h)")];
const METRIC: Metric = Metric::Auprc;
const LABELS: LabelsInMetrics = LabelsInMetrics::Present;
/// The rank of the network that the paper draws, from the best.
const DRAWN: usize = 6;

pub(in crate::report) fn section(evidence: &Evidence<'_>) -> Section {
    let mut blocks = vec![Block::Table(table(evidence))];
    let values = |method| evidence.values(SUBJECT, method, METRIC, LABELS);
    let (ccn, cm) = (values(Method::Ccn), values(Method::Cm));
    let test = Welch::new(&ccn, &cm);
    if let Some(welch) = test {
        let text = format!(
            "Welch's t test of the two means: t = {}, {} degrees of freedom, p = {}.",
            fixed(welch.t, 2),
            fixed(welch.freedom, 1),
            chance(welch.p)
        );
        blocks.push(Block::Text(text));
    }
    let (mut figures, mut notes) = (Vec::new(), Vec::new());
    for (method, name) in METHODS {
        let Some((place, of, seed, value)) = median(evidence, method) else { continue };
        let fields = fields(evidence.folder, SUBJECT, method, seed, false);
        if fields.is_none() {
            notes.push(format!("The model of {name} with seed {seed} cannot be read."));
        }
        let strip = |first: usize| Strip {
            name: String::new(),
            subject: SUBJECT,
            fields: fields.clone(),
            shown: (first..first + 3).collect(),
            labels: (first + 1..=first + 3).map(|class| format!("A{class}")).collect(),
        };
        let title = format!("{name}: number {place} of {of}, {}", fixed(value, 3));
        let strips = [0, 3, 6].map(strip);
        figures.push(figure(&format!("nine-rectangles-{method}"), &title, &[], &strips));
    }
    let caption = "Decision boundaries of all classes of the 6th best network of each, as \
                   in the paper, or of the one in the middle where there are fewer than ten. A5 is \
                   every rectangle, A3 is in every class.";
    if !figures.is_empty() {
        blocks.push(Block::Figures(caption.to_owned(), figures));
    }
    blocks.extend(notes.into_iter().map(Block::Note));
    crate::report::section::section(
        evidence,
        Target::NineRectangles,
        verdict(evidence, test),
        blocks,
    )
}

/// The network that is drawn: its rank, out of how many, its seed and its value.
fn median(evidence: &Evidence<'_>, method: Method) -> Option<(usize, usize, u64, f64)> {
    let value = |row| evidence::value_of(row, METRIC, LABELS);
    let rows = evidence.rows(SUBJECT, method).iter();
    let mut sorted: Vec<(f64, u64)> = rows
        .filter_map(|row| match row.seeds {
            Seeds::One(seed) => Some((value(row)?, seed)),
            Seeds::Ensemble(..) => None,
        })
        .collect();
    sorted.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let place = if sorted.len() >= 10 { DRAWN } else { sorted.len() / 2 + 1 };
    let &(value, seed) = sorted.get(place - 1)?;
    Some((place, sorted.len(), seed, value))
}

fn table(evidence: &Evidence<'_>) -> Table {
    let mut table = Table::new(
        "AU(PRC) of h+CM, trained with cross-entropy, and of CCN(h), trained with the constraint loss",
        &["method", "mean ± deviation", "least", "median", "largest", "runs"],
    );
    for (method, name) in METHODS {
        if let Some(print) = nine_rectangles(method) {
            let mut row = vec![
                Cell::text(format!("{name}, paper")),
                Cell::with_value(print.mean, format!("{:.3} ± {:.3}", print.mean, print.deviation)),
            ];
            row.extend(print.range.map(|value| Cell::number(value, 3)));
            row.push(Cell::number(10.0, 0));
            table.rows.push(row);
        }
        let mut row = vec![Cell::text(format!("{name}, ours"))];
        match evidence.summary(SUBJECT, method, METRIC, LABELS) {
            Some(ours) => {
                row.push(ours.cell(3));
                row.extend(
                    [ours.least, ours.median, ours.most].map(|value| Cell::number(value, 3)),
                );
                row.push(Cell::number(ours.count as f64, 0));
            }
            None => row.extend(std::array::from_fn::<Cell, 5, _>(|_| Cell::none())),
        }
        table.rows.push(row);
    }
    table
}

fn verdict(evidence: &Evidence<'_>, test: Option<Welch>) -> String {
    let told = |method, name: &str| {
        let ours = evidence.summary(SUBJECT, method, METRIC, LABELS)?;
        let print = nine_rectangles(method)?;
        Some(format!("{name} {} (paper {:.3})", fixed(ours.mean, 3), print.mean))
    };
    let means = [told(Method::Ccn, "CCN(h)"), told(Method::Cm, "h+CM")];
    let means: Vec<String> = means.into_iter().flatten().collect();
    let p = test.map(|welch| format!(", p = {}", chance(welch.p))).unwrap_or_default();
    format!("AU(PRC): {}{p}.", means.join(", "))
}
