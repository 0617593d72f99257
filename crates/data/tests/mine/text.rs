//! The text that is written.

use proptest::prelude::*;
use rulebound_core::{Labels, RuleText};
use rulebound_data::mine::{Options, mine};

use crate::scene::table;

#[test]
fn what_the_user_sees() {
    let names = Labels::new(["a", "b", "c d"]).unwrap();
    let labels = table(3, [vec![0, 2], vec![0, 2], vec![1, 2], vec![0]]);
    let options =
        Options { negation: true, max_body: 2, min_confidence: 0.6, ..Options::default() };
    let mined = mine(&labels, 0..4, &options).unwrap();
    assert_eq!(
        mined.display(&names, "odd\nname", "train").to_string(),
        "\
# Rules mined from odd name, split train, 4 rows.
# Options: minimum support 0, minimum confidence 0.6, bodies of up to 2 literals, with negation.
# Support is the share of rows in which the body holds.
# 3 rules; none closes a cycle through a negation.
not a -> b   # support 0.250 (1 row), confidence 1
-> a   # support 1.000 (4 rows), confidence 0.75
-> \"c d\"   # support 1.000 (4 rows), confidence 0.75
"
    );
}

#[test]
fn rules_that_close_a_cycle_are_reported() {
    let names = Labels::new(["a", "b"]).unwrap();
    let labels = table(2, [[0], [0], [1]]);
    let written = |keep_unstratified| {
        let options = Options { negation: true, keep_unstratified, ..Options::default() };
        mine(&labels, 0..3, &options).unwrap().display(&names, "s", "all").to_string()
    };
    let (without, with) = (written(false), written(true));
    assert!(without.ends_with(
        "# 1 rule; 1 rule that would close a cycle through a negation left out.\n\
         not b -> a   # support 0.667 (2 rows), confidence 1\n"
    ));
    assert!(with.ends_with(
        "# 2 rules; NOT stratified: 1 rule that would close a cycle through a negation kept.\n\
         not b -> a   # support 0.667 (2 rows), confidence 1\n\
         not a -> b   # support 0.333 (1 row), confidence 1\n"
    ));
    assert!(RuleText::new(&without).labels(names.clone()).parse().is_ok());
    assert!(RuleText::new(&with).labels(names).parse().is_err());
}

proptest! {
    #[test]
    fn the_text_reads_back_as_the_rules(
        names in prop::collection::hash_set("\\PC{1,6}|[a-c\n\r\t\"#,.>-]{1,4}|0\\.1 2 :- 3", 4),
        rows in prop::collection::vec(prop::collection::vec(0..4usize, 0..4), 0..20),
        negation: bool,
        min_confidence in prop::sample::select(vec![1.0, 0.7]),
    ) {
        let names = Labels::new(names).unwrap();
        let options = Options { negation, min_confidence, ..Options::default() };
        let mined = mine(&table(4, &rows), 0..rows.len(), &options).unwrap();
        let text = mined.display(&names, "0.1 2 :- 3\n-> x", "all").to_string();
        let parsed = RuleText::new(&text).labels(names).parse().unwrap();
        prop_assert!(parsed.program.rules().iter().eq(mined.rules.iter().map(|m| &m.rule)));
        prop_assert_eq!(text.lines().count(), 4 + mined.rules.len());
    }
}
