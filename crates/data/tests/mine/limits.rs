//! Invalid options, and searches that would take too long.

use rulebound_data::mine::{MineError, Options, mine};

use crate::scene::{table, topics};

#[test]
fn options_out_of_range_are_rejected() {
    let labels = table(2, [[0]]);
    let refusal = |options| mine(&labels, 0..1, &options).unwrap_err();
    for given in [-0.1, 1.1, f64::INFINITY] {
        let options = Options { min_support: given, ..Options::default() };
        assert_eq!(refusal(options), MineError::BadSupport { given });
        let options = Options { min_confidence: given, ..Options::default() };
        assert_eq!(refusal(options), MineError::BadConfidence { given });
    }
    let options = Options { min_confidence: 0.0, ..Options::default() };
    assert_eq!(refusal(options), MineError::BadConfidence { given: 0.0 });
    for nan in [
        Options { min_support: f64::NAN, ..Options::default() },
        Options { min_confidence: f64::NAN, ..Options::default() },
    ] {
        refusal(nan);
    }
    let options = Options { max_body: 17, ..Options::default() };
    assert_eq!(refusal(options), MineError::BodyTooLong { given: 17 });
    let error = mine(&labels, 0..2, &Options::default()).unwrap_err();
    assert_eq!(error, MineError::NoSuchRows { asked: 0..2, rows: 1 });
}

#[test]
fn nothing_comes_from_nothing() {
    let options = Options { negation: true, ..Options::default() };
    assert!(mine(&table(0, [[]]), 0..1, &options).unwrap().rules.is_empty());
    assert!(mine(&table(3, [[0, 1]]), 0..0, &options).unwrap().rules.is_empty());
    // One row: its labels are facts, the other labels are the head of no rule.
    let mined = mine(&table(3, [[0, 1]]), 0..1, &options).unwrap();
    assert_eq!(mined.rules.len(), 2);
    assert!(mined.rules.iter().all(|mined| mined.rule.body().is_empty()));
}

#[test]
fn a_limit_is_an_error_exactly_when_it_is_exceeded() {
    let labels = topics(400, 3);
    let wide = Options { negation: true, max_body: 2, ..Options::default() };
    let found =
        mine(&labels, 0..400, &Options { keep_unstratified: true, ..wide.clone() }).unwrap();
    let enough = Options { max_rules: found.rules.len(), ..wide.clone() };
    assert!(mine(&labels, 0..400, &enough).is_ok());
    let limit = found.rules.len() - 1;
    let error = mine(&labels, 0..400, &Options { max_rules: limit, ..wide.clone() }).unwrap_err();
    assert_eq!(error, MineError::TooManyRules { limit });

    // Each label is tried for each other at least once.
    let error = mine(&labels, 0..400, &Options { max_bodies: 100, ..wide }).unwrap_err();
    assert_eq!(error, MineError::TooManyBodies { limit: 100 });
}
