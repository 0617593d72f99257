//! The rules published with the data sets of the paper.

use std::path::PathBuf;

use rulebound::dataset::Dataset;
use rulebound::mine::{MinedRule, Options, mine};
use rulebound_core::Rule;
use rulebound_reproduction::{CatalogueEntry, Subject};
use rulebound_testing::needs;

/// A data set of the paper and its folder.
fn set(name: &str) -> (Dataset, PathBuf) {
    let data_dir = needs::data();
    let entry = CatalogueEntry::find(name).unwrap();
    let folder = entry.folder(Some(&data_dir)).unwrap();
    (Subject::Catalogue(entry).read(Some(&data_dir), 0).unwrap(), folder)
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

mod needs_data {
    use super::*;

    #[test]
    #[ignore = "needs RULEBOUND_DATA"]
    fn all_that_was_mined_from_yeast_is_mined_again() {
        let (yeast, folder) = set("yeast");
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
        // The check can fail: rules with single literals do not imply all published rules.
        let short =
            mine(yeast.labels(), 0..yeast.rows(), &Options { max_body: 1, ..options }).unwrap();
        let rules = yeast.program().rules();
        assert!(rules.iter().any(|rule| !implies(&short.rules, rule)));
    }

    /// On a data set too large to count all rules again, some of them.
    #[test]
    #[ignore = "needs RULEBOUND_DATA"]
    fn what_is_mined_from_rcv1_is_counted_right() {
        let (data, _) = set("rcv1subset1");
        let labels = data.labels();
        for negation in [false, true] {
            let options =
                Options { min_support: 0.005, max_body: 4, negation, ..Options::default() };
            let mined = mine(labels, 0..labels.rows(), &options).unwrap();
            println!("rcv1subset1, negation {negation}: {} rules", mined.rules.len());
            let some = mined.rules.len().div_ceil(50);
            for MinedRule { rule, body_rows, hits, .. } in mined.rules.iter().step_by(some) {
                let has = |row, label| labels.positives(row).any(|id| id == label);
                let is_body = |row: &usize| {
                    rule.body().iter().all(|l| has(*row, l.label()) != l.is_negated())
                };
                let body: Vec<usize> = (0..labels.rows()).filter(is_body).collect();
                assert_eq!(body.len(), *body_rows);
                let head = body.iter().filter(|row| has(**row, rule.head())).count();
                assert_eq!(head, *hits);
                assert!(body.len() as f64 >= 0.005 * labels.rows() as f64);
            }
            assert!(!mined.rules.is_empty());
        }
    }
}
