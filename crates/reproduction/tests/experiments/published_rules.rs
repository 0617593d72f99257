//! The rules published with the sets of the paper.

use std::path::PathBuf;

use rulebound::dataset::Dataset;
use rulebound::mine::{MinedRule, Options, mine};
use rulebound_core::Rule;
use rulebound_reproduction::{CatalogueEntry, Subject};

/// A set of the paper and the folder it lies in; none, with a message, if it is not here.
pub fn set(name: &str) -> Option<(Dataset, PathBuf)> {
    let data_dir = match std::env::var_os("RULEBOUND_DATA") {
        Some(given) => PathBuf::from(given),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    if !data_dir.is_dir() {
        println!("SKIPPED: the benchmark data is not in {}", data_dir.display());
        return None;
    }
    let entry = CatalogueEntry::find(name).unwrap();
    let folder = entry.folder(Some(&data_dir)).unwrap();
    Some((Subject::Catalogue(entry).read(Some(&data_dir), 0).unwrap(), folder))
}

/// Whether chaining forward from the body, with its negated labels as given, reaches the head.
fn implies(mined: &[MinedRule], wanted: &Rule) -> bool {
    let mut known = wanted.body().to_vec();
    let mut before = usize::MAX;
    while before != known.len() {
        before = known.len();
        for MinedRule { rule, .. } in mined {
            let head = rulebound_core::Literal::positive(rule.head());
            if !known.contains(&head) && rule.body().iter().all(|l| known.contains(l)) {
                known.push(head);
            }
        }
    }
    known.contains(&rulebound_core::Literal::positive(wanted.head()))
}

#[test]
fn all_that_was_mined_from_yeast_is_mined_again() {
    let Some((yeast, folder)) = set("yeast") else {
        return;
    };
    let options =
        Options { max_body: 5, negation: true, keep_unstratified: true, ..Options::default() };
    let mined = mine(yeast.labels(), 0..yeast.rows(), &options).unwrap();
    println!("yeast: {} rules, {} close a cycle", mined.rules.len(), mined.unstratified);
    assert!(mined.rules.iter().all(|rule| rule.hits == rule.body_rows));

    let published = std::fs::read_to_string(folder.join("yeast_constraints.txt")).unwrap();
    let lines: Vec<&str> = published.lines().collect();
    let mut checked = 0;
    for id in yeast.program().rule_ids() {
        let line = lines[yeast.program().span(id).line as usize - 1];
        if !line.starts_with("2.000") {
            assert!(implies(&mined.rules, yeast.program().rule(id)), "{line}");
            checked += 1;
        }
    }
    assert_eq!(checked, 23);
    // The check can fail: single literals do not say all that the published rules say.
    let short = mine(yeast.labels(), 0..yeast.rows(), &Options { max_body: 1, ..options }).unwrap();
    let rules = yeast.program().rules();
    assert!(rules.iter().any(|rule| !implies(&short.rules, rule)));
}
