//! Twenty hierarchies, compared with four published systems.

use rulebound_core::metrics::{LabelsInMetrics, Metric};

use crate::paper::PrintedTable;
use crate::report::curves;
use crate::report::document::{Block, Section};
use crate::report::evidence::{self, Evidence, members};
use crate::report::number::{count, list};
use crate::report::paper_table::PaperTable;
use crate::report::ranks::SystemRanks;
use crate::reproduce::{Subject, Target};
use rulebound::train::Method;

/// The authors' code keeps all classes here.
const LABELS: [LabelsInMetrics; 2] = [LabelsInMetrics::All, LabelsInMetrics::Present];
const METRIC: Metric = Metric::Auprc;

pub(in crate::report) fn section(evidence: &Evidence<'_>) -> Section {
    let subjects = evidence.subjects(Target::Hmc);
    let mean = |subject: Subject| {
        evidence.summary(subject, Method::Ccn, METRIC, LABELS[0]).map(|ours| ours.mean)
    };
    let together = |subject: Subject| {
        evidence::value_of(evidence.ensemble(subject, Method::Ccn)?, METRIC, LABELS[0])
    };
    let paper_table = PaperTable {
        evidence,
        printed: PrintedTable::Hmc,
        metric: METRIC,
        labels: LABELS,
        subjects: &subjects,
    };
    let mut blocks = vec![
        Block::Text(
            "The paper's value beside the mean and standard deviation of our runs. Bold is the best, \
             to three decimals, of our means and the paper's other systems. All classes but the roots count, as in the \
             authors' code; where leaving out classes that no test row has changes the fourth \
             decimal, that is shown at the end of the row, otherwise a dash."
                .to_owned(),
        ),
        Block::Table(paper_table.table()),
        Block::Heading("Ranks and tests".to_owned()),
    ];
    let with_mean: Vec<Subject> =
        subjects.iter().copied().filter(|subject| mean(*subject).is_some()).collect();
    let standing = SystemRanks::new(PrintedTable::Hmc, METRIC, &with_mean, &|subject, system| {
        if system == "CCN(h)" { mean(subject) } else { None }
    });
    blocks.extend(standing.blocks("our means", "hmc-ranks"));
    let ensembles: Vec<Subject> =
        subjects.iter().copied().filter(|subject| together(*subject).is_some()).collect();
    if !ensembles.is_empty() {
        let sizes = ensembles.iter().filter_map(|subject| evidence.ensemble(*subject, Method::Ccn));
        let size = sizes.map(|row| members(row.seeds)).max().unwrap_or(0);
        blocks.push(Block::Heading(format!("With our ensembles of {size}")));
        let with = SystemRanks::new(PrintedTable::Hmc, METRIC, &ensembles, &|subject, system| {
            if system == "CCN(h)" { together(subject) } else { None }
        });
        blocks.extend(with.blocks("our ensembles", "hmc-ranks-ensembles"));
    }
    blocks.push(Block::Heading("Learning curves".to_owned()));
    blocks.extend(curves::blocks(evidence, &subjects, "hmc"));
    crate::report::section::section(
        evidence,
        Target::Hmc,
        verdict(evidence, &paper_table, &standing),
        blocks,
    )
}

fn verdict(
    evidence: &Evidence<'_>,
    paper_table: &PaperTable<'_>,
    standing: &SystemRanks,
) -> String {
    let agreement = paper_table.agreement(LABELS[0]);
    let differences: Vec<f64> = paper_table
        .subjects
        .iter()
        .filter_map(|subject| {
            let ours = evidence.summary(*subject, Method::Ccn, METRIC, LABELS[0])?;
            let printed = PrintedTable::Hmc.value(&subject.to_string(), "CCN(h)", METRIC)?;
            Some(ours.mean - printed)
        })
        .collect();
    let mean = differences.iter().sum::<f64>() / differences.len().max(1) as f64;
    let agreed = match agreement.of {
        0 => format!("{} with one run each", count(differences.len(), "set")),
        of => {
            let within = agreement.within;
            let verb = if within == 1 { "lies" } else { "lie" };
            format!(
                "{within} of {} {verb} within one standard deviation of the paper",
                count(of, "set")
            )
        }
    };
    let place = match standing.place() {
        Some(1) => {
            let alike = match &standing.alike()[..] {
                [] => "and differs from all others".to_owned(),
                names => format!("and differs from all others but {}", list(names)),
            };
            format!(" CCN(h) has the best average rank with our means, {alike} (Nemenyi).")
        }
        Some(place) => format!(" With our means CCN(h) is number {place} by average rank."),
        None => String::new(),
    };
    let side = if mean < 0.0 { "below" } else { "above" };
    format!("{agreed}; ours is {:.4} {side} it on average.{place}", mean.abs())
}
