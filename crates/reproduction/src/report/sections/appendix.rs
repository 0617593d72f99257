//! The end of a report: how it was made, and how to read it.

use std::collections::BTreeSet;

use crate::report::Circumstances;
use crate::report::difference::EXPLAINED;
use crate::report::document::{Block, Cell, Column, Section, Table};
use crate::report::evidence::Evidence;
use crate::report::number::count;

pub(in crate::report) fn section(
    evidence: &Evidence<'_>,
    circumstances: &Circumstances,
) -> Section {
    let mut facts = Table {
        caption: "The program and the machine that wrote this report".to_owned(),
        columns: ["what", "which"]
            .map(|name| Column { name: name.into(), is_number: false })
            .to_vec(),
        rows: Vec::new(),
    };
    let mut fact = |what: &str, which: &str| {
        facts.rows.push(vec![Cell::text(what), Cell::text(which)]);
    };
    fact("rulebound", &circumstances.version);
    for (what, which) in &circumstances.machine {
        fact(what, which);
    }
    let (versions, devices) = evidence.origins();
    fact("version that made the results", &join(&versions));
    fact("kind of device that made the results", &join(&devices));
    let mut blocks = vec![Block::Code(circumstances.command.clone()), Block::Table(facts)];
    if evidence.others > 0 {
        blocks.push(Block::Note(format!(
            "Passed over in `results.csv`: {} of other configurations, for example with another \
             number of epochs.",
            count(evidence.others, "row")
        )));
    }
    let texts = [
        "Every row of a table of sets is the mean of the networks of that set, one a seed. `±` is \
         their standard deviation, divided by one less than their number. An ensemble is \
         all networks of a set that predict together; it is one more result, not a mean.",
        EXPLAINED,
        "Ranks, the Friedman, Nemenyi and Wilcoxon tests are those of `rulebound compare`, at \
         α = 0.05. Ours are rounded to three decimals there, as the printed ones are, so that ties \
         are what they would be in print. A Wilcoxon p is counted exactly for few sets, and otherwise \
         that of the normal distribution; the tables say which.",
        "Welch's t test of two methods on one problem is two-sided. Over the steps of a problem its p \
         is corrected by Holm; within noise is a corrected p above 0.05.",
        "A predicted row is a test row of one network, or of an ensemble. It breaks a rule if its \
         predicted classes satisfy the body of the rule and lack its head.",
        "With JavaScript a click on a header sorts its table. Every value of ours is a cell of \
         `results.csv`, or a mean of such.",
    ];
    blocks.push(Block::Heading("How to read the tables".to_owned()));
    blocks.extend(texts.map(|text| Block::Text(text.to_owned())));
    Section {
        id: "about".to_owned(),
        title: "How this was made, and how to read it".to_owned(),
        verdict: String::new(),
        blocks,
    }
}

fn join(names: &BTreeSet<String>) -> String {
    names.iter().cloned().collect::<Vec<_>>().join(", ")
}
