//! Sixteen data sets with general rules, six metrics, compared with four systems.

use rulebound_core::metrics::{LabelsInMetrics, Metric};

use crate::paper::PrintedTable;
use crate::report::curves;
use crate::report::difference::ALPHA;
use crate::report::document::{Block, Cell, Mark, Section, Table};
use crate::report::evidence::{self, Evidence};
use crate::report::number::{capital, chance};
use crate::report::paper_table::{Agreement, PaperTable};
use crate::report::ranks::{SIX, SystemRanks};
use crate::reproduce::{Subject, Target};
use rulebound::train::Method;

/// The authors' code drops classes that no test row has.
const LABELS: [LabelsInMetrics; 2] = [LabelsInMetrics::Present, LabelsInMetrics::All];

pub(in crate::report) fn section(evidence: &Evidence<'_>) -> Section {
    let subjects = evidence.subjects(Target::Lcmc);
    let mut summary = Table::new(
        "Six metrics: the place of CCN(h) with our means among the five systems, and the p of the \
         Wilcoxon test against CAMEL",
        &[
            "metric",
            "place",
            "average rank",
            "rank in print",
            "p against CAMEL",
            "ensemble: rank",
            "ensemble: p",
            "within 1 sd",
            "with all classes",
        ],
    );
    let (mut blocks, mut totals) = (Vec::new(), [Agreement::default(); 2]);
    let [mut ranked, mut best, mut apart] = [0; 3];
    for metric in SIX {
        let paper_table = PaperTable {
            evidence,
            printed: PrintedTable::Lcmc,
            metric,
            labels: LABELS,
            subjects: &subjects,
        };
        let [mean, together] = standings(evidence, &subjects, metric);
        let agreements = LABELS.map(|labels| paper_table.agreement(labels));
        for (total, agreement) in totals.iter_mut().zip(agreements) {
            total.within += agreement.within;
            total.of += agreement.of;
        }
        ranked += usize::from(mean.place().is_some());
        best += usize::from(mean.place() == Some(1));
        apart += usize::from(mean.p("CAMEL").is_some_and(|p| p < ALPHA));
        let p = |p: Option<f64>| p.map_or_else(Cell::none, |p| Cell::with_value(p, chance(p)));
        let share = |agreement: Agreement| {
            let text = format!("{} of {}", agreement.within, agreement.of);
            if agreement.of == 0 {
                Cell::none()
            } else {
                Cell::with_value(agreement.within as f64, text)
            }
        };
        summary.rows.push(vec![
            Cell::text(metric.title()),
            Cell::maybe(mean.place().map(|place| place as f64), 0)
                .marked(Mark::Best, mean.place() == Some(1)),
            Cell::maybe(mean.rank("CCN(h)"), 2),
            Cell::maybe(PrintedTable::Lcmc.rank("CCN(h)", metric), 2),
            p(mean.p("CAMEL")),
            Cell::maybe(together.rank("CCN(h)"), 2),
            p(together.p("CAMEL")),
            share(agreements[0]),
            share(agreements[1]),
        ]);
        blocks.push(Block::Heading(capital(metric.title())));
        blocks.push(Block::Table(paper_table.table()));
        blocks.extend(mean.blocks("our means", &format!("lcmc-{metric}-ranks")));
    }
    let mut all = vec![
        Block::Table(summary),
        Block::Text(
            "The authors' code leaves out classes that no test row has; some printed figures fit \
             better with all classes. Both are in the tables, the latter at the end of the row; a \
             dash is where they agree to the fourth decimal. Ranks, tests and ensembles are over the \
             classes that test rows have. Bold is the best, to three decimals, of our means and the \
             paper's other systems."
                .to_owned(),
        ),
    ];
    all.extend(blocks);
    all.push(Block::Heading("Learning curves".to_owned()));
    all.extend(curves::blocks(evidence, &subjects, "lcmc"));
    let [present, every] = totals;
    let agreed = match present.of {
        0 => "One run a set, so no spread to judge by.".to_owned(),
        of => format!(
            "{} of {of} values lie within one standard deviation of the paper, {} with all classes \
             counted.",
            present.within, every.within
        ),
    };
    let place = match ranked {
        0 => String::new(),
        _ => format!(
            " With our means CCN(h) has the best average rank in {best} of {ranked} metrics, and \
             differs from CAMEL in {apart} (Wilcoxon, p < {ALPHA})."
        ),
    };
    let verdict = format!("{agreed}{place}");
    crate::report::section::section(evidence, Target::Lcmc, verdict, all)
}

/// With our means, and with our ensembles.
fn standings(evidence: &Evidence<'_>, subjects: &[Subject], metric: Metric) -> [SystemRanks; 2] {
    let mean = |subject: Subject| {
        evidence.summary(subject, Method::Ccn, metric, LABELS[0]).map(|ours| ours.mean)
    };
    let together = |subject: Subject| {
        evidence::value_of(evidence.ensemble(subject, Method::Ccn)?, metric, LABELS[0])
    };
    let standing = |value: &dyn Fn(Subject) -> Option<f64>| {
        let known: Vec<Subject> =
            subjects.iter().copied().filter(|subject| value(*subject).is_some()).collect();
        SystemRanks::new(PrintedTable::Lcmc, metric, &known, &|subject, system| {
            if system == "CCN(h)" { value(subject) } else { None }
        })
    };
    [standing(&mean), standing(&together)]
}
