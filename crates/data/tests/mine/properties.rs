//! Any table: the same rules as an exhaustive miner finds, and a stratified subset of them.

use std::cmp::Ordering;

use proptest::prelude::*;
use rulebound_core::{LabelId, Labels, Literal, Program, Rule};
use rulebound_data::mine::{Mined, MinedRule, Options, mine};

use crate::scene::table;

/// Every body over `labels`, including the empty one, with literals in the order that rules have.
fn bodies(labels: usize, options: &Options) -> Vec<Vec<Literal>> {
    let mut bodies = vec![Vec::new()];
    for label in (0..labels).map(LabelId::new) {
        for body in bodies.clone() {
            let with = |literal| body.iter().copied().chain([literal]).collect();
            bodies.push(with(Literal::positive(label)));
            if options.negation {
                bodies.push(with(Literal::negative(label)));
            }
        }
    }
    bodies.retain(|body| body.len() <= options.max_body);
    bodies.iter_mut().for_each(|body| body.sort_by_key(|l| (l.is_negated(), l.label())));
    bodies
}

/// The definition, literally.
fn mine_slowly(rows: &[Vec<bool>], labels: usize, options: &Options) -> Vec<MinedRule> {
    let bodies = bodies(labels, options);
    let mut rules = Vec::new();
    for head in (0..labels).map(LabelId::new) {
        let mut confident: Vec<MinedRule> = Vec::new();
        for body in bodies.iter().filter(|body| body.iter().all(|l| l.label() != head)) {
            let of_body = rows.iter().filter(|row| body.iter().all(|literal| literal.holds(row)));
            let body_rows = of_body.clone().count();
            let hits = of_body.filter(|row| row[head.index()]).count();
            let mined = MinedRule {
                rule: Rule::new(head, body.iter().copied()),
                body_rows,
                hits,
                rows: rows.len(),
            };
            if body_rows > 0 && mined.confidence() >= options.min_confidence {
                confident.push(mined);
            }
        }
        let is_part = |part: &MinedRule, whole: &MinedRule| {
            part.rule.body().len() < whole.rule.body().len()
                && part.rule.body().iter().all(|literal| whole.rule.body().contains(literal))
        };
        let is_wanted = |mined: &&MinedRule| {
            mined.support() >= options.min_support
                && !confident.iter().any(|other| is_part(other, mined))
        };
        rules.extend(confident.iter().filter(is_wanted).cloned());
    }
    rules.sort_by(best_first);
    rules
}

fn best_first(one: &MinedRule, other: &MinedRule) -> Ordering {
    let confidence = other.confidence().total_cmp(&one.confidence());
    let support = other.support().total_cmp(&one.support());
    let key = |mined: &MinedRule| {
        (mined.rule.body().len(), mined.rule.head(), mined.rule.body().to_vec())
    };
    confidence.then(support).then(key(one).cmp(&key(other)))
}

/// From the best to the worst, the rules that stay stratified with those before them.
fn stratify_slowly(rules: &[MinedRule], labels: &Labels) -> Vec<MinedRule> {
    let mut kept: Vec<MinedRule> = Vec::new();
    for rule in rules {
        let all = kept.iter().chain([rule]).map(|mined| mined.rule.clone()).collect();
        if Program::new(labels.clone(), all).is_ok() {
            kept.push(rule.clone());
        }
    }
    kept
}

fn options() -> impl Strategy<Value = Options> {
    (
        prop::sample::select(vec![0.0, 0.05, 0.1, 0.25, 0.5]),
        prop::sample::select(vec![1.0, 1.0, 0.9, 0.75, 0.6, 0.5, 0.3, 0.01]),
        0..6usize,
        any::<bool>(),
    )
        .prop_map(|(min_support, min_confidence, max_body, negation)| Options {
            min_support,
            min_confidence,
            max_body,
            negation,
            ..Options::default()
        })
}

/// Tables of two kinds: uniform noise, and a few distinct rows repeated many times.
fn rows() -> impl Strategy<Value = Vec<Vec<bool>>> {
    (1..7usize, 0..30usize).prop_flat_map(|(labels, rows)| {
        let row = prop::collection::vec(any::<bool>(), labels);
        let few = prop::collection::vec(row.clone(), 1..16);
        let picked = (few, prop::collection::vec(any::<prop::sample::Index>(), rows * 3))
            .prop_map(|(few, picks)| picks.iter().map(|pick| pick.get(&few).clone()).collect());
        prop_oneof![prop::collection::vec(row, rows), picked]
    })
}

fn mine_all(rows: &[Vec<bool>], labels: usize, options: &Options) -> Mined {
    let positives = |row: &Vec<bool>| (0..labels).filter(|&label| row[label]).collect::<Vec<_>>();
    mine(&table(labels, rows.iter().map(positives)), 0..rows.len(), options).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn the_same_rules_as_exhaustive_search(rows in rows(), options in options()) {
        let labels = rows.first().map_or(3, Vec::len);
        let names = Labels::new((0..labels).map(|label| format!("l{label}"))).unwrap();
        let kept = Options { keep_unstratified: true, ..options.clone() };
        let all = mine_all(&rows, labels, &kept);
        let slowly = mine_slowly(&rows, labels, &options);
        prop_assert_eq!(&all.rules, &slowly);

        let mined = mine_all(&rows, labels, &options);
        prop_assert_eq!(&mined.rules, &stratify_slowly(&slowly, &names));
        prop_assert_eq!(mined.rules.len() + mined.unstratified, all.rules.len());
        prop_assert_eq!(mined.unstratified, all.unstratified);
        let rules: Vec<Rule> = mined.rules.iter().map(|mined| mined.rule.clone()).collect();
        prop_assert!(mined.is_stratified() && Program::new(names.clone(), rules).is_ok());
        let rules: Vec<Rule> = all.rules.iter().map(|mined| mined.rule.clone()).collect();
        prop_assert_eq!(all.is_stratified(), Program::new(names, rules).is_ok());
    }

    #[test]
    fn only_the_requested_rows_count(rows in rows(), cut in any::<prop::sample::Index>()) {
        let labels = rows.first().map_or(3, Vec::len);
        let start = cut.index(rows.len() + 1);
        let options = Options { negation: true, ..Options::default() };
        let positives = |row: &Vec<bool>| (0..labels).filter(|&l| row[l]).collect::<Vec<_>>();
        let whole = table(labels, rows.iter().map(positives));
        let part = mine(&whole, start..rows.len(), &options).unwrap();
        prop_assert_eq!(part, mine_all(&rows[start..], labels, &options));
    }
}

/// Of two rules that cannot be combined, the one with less confidence is dropped, whatever its
/// support; if confidence is equal, the one with less support.
#[test]
fn which_rule_is_dropped() {
    let [a, b, d, e] = [0, 1, 2, 3].map(LabelId::new);
    let times = |count, row: &'static [usize]| std::iter::repeat_n(row, count);
    let rows = times(2, &[0, 2]).chain(times(2, &[1, 2])).chain(times(10, &[]));
    let rows = rows.chain(times(9, &[1, 3])).chain(times(5, &[0, 3])).chain(times(1, &[3]));
    let options =
        Options { min_confidence: 0.7, negation: true, max_body: 2, ..Options::default() };
    let labels = table(4, rows);
    let mined = mine(&labels, 0..labels.rows(), &options).unwrap();
    let kept = Options { keep_unstratified: true, ..options };
    let all = mine(&labels, 0..labels.rows(), &kept).unwrap();
    let counts = |mined: &Mined, with, without, head| {
        let rule = Rule::new(head, [Literal::positive(with), Literal::negative(without)]);
        let found = mined.rules.iter().find(|mined| mined.rule == rule);
        found.map(|mined| (mined.hits, mined.body_rows))
    };
    assert_eq!(counts(&mined, d, b, a), Some((2, 2)));
    assert_eq!((counts(&all, e, a, b), counts(&mined, e, a, b)), (Some((9, 10)), None));
    assert_eq!(counts(&mined, e, b, a), Some((5, 6)));

    let labels = table(2, times(3, &[0]).chain(times(1, &[1])));
    let options = Options { negation: true, ..Options::default() };
    let mined = mine(&labels, 0..4, &options).unwrap();
    assert_eq!(mined.rules.len(), 1);
    assert_eq!(mined.rules[0].rule, Rule::new(a, [Literal::negative(b)]));
    assert_eq!(mined.unstratified, 1);
}
