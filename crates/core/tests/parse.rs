//! What the rule language reads, and what it says about mistakes.
#![allow(clippy::unwrap_used)]

mod strategy;

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use rulebound_core::{Dialect, Labels, Numbering, Program, RuleError, RuleText};
use std::collections::HashSet;
use strategy::program;

fn read(text: &str) -> Program {
    text.parse().unwrap()
}

/// Every mistake as `line:column+length message`.
fn mistakes(text: &str) -> Vec<String> {
    mistakes_with(text, None, None)
}

fn mistakes_with(text: &str, labels: Option<Labels>, dialect: Option<Dialect>) -> Vec<String> {
    let describe = |error: &RuleError| {
        let span = error.span();
        format!("{span}+{} {error}", span.length)
    };
    RuleText::new(text)
        .labels(labels)
        .dialect(dialect)
        .parse()
        .unwrap_err()
        .0
        .iter()
        .map(describe)
        .collect()
}

#[test]
fn the_example_of_the_manual() {
    let program = read(
        "# comment (also %)\n% another\nstomach -> gastrointestinalSystem\n\
         abdomen, not middleAbdomen, not upperAbdomen -> lowerAbdomen\n\
         lowerAbdomen :- abdomen, not middleAbdomen, not upperAbdomen.    # the same rule\n\
         -> alwaysThere                                      # a fact\n\
         \"name, with spaces\" -> other\n",
    );
    assert_eq!(
        program.to_text(),
        "stomach -> gastrointestinalSystem\n\
         abdomen, not middleAbdomen, not upperAbdomen -> lowerAbdomen\n\
         abdomen, not middleAbdomen, not upperAbdomen -> lowerAbdomen\n\
         -> alwaysThere\n\"name, with spaces\" -> other\n"
    );
    let names: Vec<&str> = program.labels().names().collect();
    assert_eq!(names[..3], ["stomach", "gastrointestinalSystem", "abdomen"]);
    assert_eq!(program.span(program.rule_ids().nth(1).unwrap()).line, 4);
}

#[test]
fn spellings() {
    for text in [
        "a & !b -> c",
        "a and ~b → c",
        "c:-a,¬b.",
        "c :- a,\n   not b.",
        "\u{feff}a, not b -> c\r\n",
    ] {
        assert_eq!(read(text).to_text(), "a, not b -> c\n", "{text}");
    }
    assert_eq!(read("a. b.\nc :- .").to_text(), "-> a\n-> b\n-> c\n");
    assert_eq!(read("a -> b. b -> c.").to_text(), "a -> b\nb -> c\n");
}

#[test]
fn a_comma_at_the_end_of_an_arrow_rule_does_not_swallow_the_next() {
    assert_eq!(mistakes("a, b,\nc -> d"), ["1:1+5 a rule needs an arrow"]);
}

#[test]
fn mistakes_of_wording_have_their_place() {
    for (text, expected) in [
        ("a b -> c", "1:3+1 expected `,` or an arrow before `b`"),
        ("a", "1:1+1 a rule needs an arrow"),
        ("a ->", "1:3+2 the rule has no head"),
        (":- .", "1:1+2 the rule has no head"),
        ("a -> b, c", "1:6+4 a rule has only one head"),
        ("a -> b -> c", "1:8+2 a rule has only one arrow"),
        ("a,, b -> c", "1:3+1 expected a class name before this"),
        (", a -> c", "1:1+1 expected a class name before this"),
        ("a, -> c", "1:2+1 expected a class name after this"),
        ("a, not -> c", "1:4+3 expected a class name after the negation"),
        ("not not a -> c", "1:5+3 expected a class name after the negation"),
        ("\"a -> c", "1:1+7 the quotation mark is never closed"),
        ("a | b -> c", "1:3+1 `|` is not part of a rule: bodies are conjunctions"),
        ("a or b -> c", "1:3+2 `or` is not part of a rule: bodies are conjunctions"),
        ("exclusive(a, b -> c", "1:10+1 `(` before the arrow: bodies are conjunctions"),
        ("a -> exclusive(b, c", "1:15+1 the parenthesis is never closed"),
        ("exclusive()", "1:10+1 expected a class name after this"),
        ("one of(a, b) c", "1:14+1 unexpected `c` after a group"),
        ("one of(a, (b))", "1:14+1 unexpected `)` after a group"),
        ("exclusiv(a, b)", "1:1+8 `exclusiv` is not a kind of group"),
        ("at most two of(a, b)", "1:9+3 `two` is not a number of classes"),
        ("at least 3 of(a, b)", "1:1+13 at least 3 of 2 classes"),
        ("exclusive(a, b, a)", "1:17+1 `a` occurs twice in the group"),
        ("one of(a, b) -> c", "1:7+1 `(` before the arrow: bodies are conjunctions"),
        ("x -> a | b, c", "1:11+1 `,` beside another separator"),
        ("(a | b)", "1:1+1 unexpected `(`"),
        ("a | ", "1:3+1 expected a class name after this"),
        ("a)", "1:2+1 unexpected `)`"),
        ("prefer a, b, a", "1:14+1 `a` is preferred already"),
        ("prefer a, b, not c", "1:14+3 a preferred class cannot be negated"),
        ("a => c", "1:3+2 `=>` is not an arrow of the rule language"),
        ("a <- c", "1:3+2 `<-` is not an arrow of the rule language"),
        ("größe → C#", "1:9+2 `#` inside a name"),
        ("\"\" -> c", "1:1+2 a class name cannot be empty"),
        (".", "1:1+1 unexpected `.`"),
    ] {
        assert_eq!(mistakes(text), [expected], "{text}");
    }
}

#[test]
fn every_mistake_has_a_hint_except_those_that_say_it_all() {
    for text in ["a b -> c", "a", "a ->", "a -> b, c", "f(a)", "a <-> b", "not a -> a"] {
        assert!(RuleText::new(text).parse().unwrap_err().0[0].hint().is_some(), "{text}");
    }
}

#[test]
fn a_disjunction_before_the_arrow_is_several_rules() {
    for text in ["a | b -> c", "a or b -> c"] {
        let hint = RuleText::new(text).parse().unwrap_err().0[0].hint().unwrap();
        assert!(hint.contains("one rule for each alternative"), "{hint}");
    }
}

#[test]
fn requirements_in_every_spelling() {
    for (texts, expected) in [
        (&["a -> not b", "not b :- a.", "a → ¬b", "a->!b."][..], "a -> not b"),
        (&["not (a, b)", "not(a,b).", ":- a, b.", "a, b -> false", "NOT (a & b)"], "not (a, b)"),
        (&["a | b", "a or b", "a ; b.", "a || b", "at least 1 of(a, b)"], "a | b"),
        (&["a -> b | c", "b | c :- a.", "a -> b or c"], "a -> b | c"),
        (
            &["exclusive(a, b, c)", "Exclusive (a,\n b, # why\n c)", "at most 1 of(a, b, c)."],
            "exclusive(a, b, c)",
        ),
        (&["one of(a, \"b c\")", "one of( a,\"b c\" )."], "one of(a, \"b c\")"),
        (&["at most 2 of(a, b, not c)"], "at most 2 of(a, b, not c)"),
        (&["at least 2 of(a, b, c)"], "at least 2 of(a, b, c)"),
        (&["between 1 and 2 of(a, b, c)"], "between 1 and 2 of(a, b, c)"),
        (&["a, not b -> one of(c, d)", "one of(c, d) :- a,\n not b."], "a, not b -> one of(c, d)"),
        (&["-> not a", "not a :- ."], "-> not a"),
        (&["a -> not (b, c)"], "not (a, b, c)"),
        (&["a | b\nprefer b, a", "a | b\nprefer b\nprefer a"], "a | b\nprefer b, a"),
    ] {
        for text in texts {
            let program = read(text);
            assert_eq!(program.to_text(), format!("{expected}\n"), "{text}");
            assert_eq!(program.rules().len(), 0, "{text}");
            assert_eq!(read(expected).to_text(), program.to_text(), "{text}");
        }
    }
    let mixed = read("# top\n  exclusive(a, b)\na -> c\n");
    assert_eq!(mixed.requirement_span(mixed.requirement_ids().next().unwrap()).line, 2);
    assert_eq!(mixed.rules().len(), 1);
}

#[test]
fn words_of_requirements_are_names_elsewhere() {
    let text = "one, of -> exclusive\nat, most -> least\nprefer -> between\nprefer, one -> at\n";
    assert_eq!(read(text).to_text(), text);
}

#[test]
fn what_cannot_be_satisfied_is_shown_as_a_smallest_set_of_lines() {
    let text = "a -> b\nexclusive(a, b)\nspare | c\na | c\nc -> a\n";
    let errors = RuleText::new(text).parse().unwrap_err().0;
    let [RuleError::Unsatisfiable { problem }] = &errors[..] else { panic!("{errors:?}") };
    let lines: Vec<u32> = problem.lines.iter().map(|line| line.span.line).collect();
    assert_eq!(lines, [1, 2, 4, 5]);
    assert_eq!(
        problem.to_string(),
        "no prediction satisfies all of these: `a -> b` (line 1); \
         `exclusive(a, b)` (line 2); `a | c` (line 4); `c -> a` (line 5)"
    );
}

#[test]
fn clauses_of_solvers() {
    let text = "c a comment\np cnf 3 2\n1 -2\n 0 -1 3 0\n";
    assert_eq!(Dialect::detect(text), Dialect::Dimacs);
    assert_eq!(read(text).to_text(), "1 | not 2\nnot 1 | 3\n");
    assert_eq!(read(text).numbering(), Some(Numbering { first: 1, classes: Some(3) }));
    let labels = || Some(Labels::new(["red", "green", "blue"]).unwrap());
    let program = RuleText::new(text).labels(labels()).parse().unwrap().program;
    assert_eq!(program.to_text(), "red | not green\nnot red | blue\n");
    assert_eq!(
        mistakes_with("p cnf 9 3\n1 x 0 4 0\n2 -9 0", labels(), None),
        ["1:1+9 the header says 9 classes, and the label list has 3", "2:3+1 `x` is not a literal"]
    );
    assert_eq!(
        mistakes_with("p cnf 3 3\n1 x 0 4 0\n2 -9 0", labels(), None),
        ["2:3+1 `x` is not a literal", "2:7+1 class 4 of 3", "3:3+2 class 9 of 3"]
    );
    assert_eq!(
        mistakes_with("p cnf 3 5\n1 -2 0\n-1 3 0\n", labels(), None),
        ["1:1+9 the header says 5 clauses, and there are 2"]
    );
    for (text, place) in [
        ("p cnf 20 2\n1 2 0\n-1", "3:1+2"),
        ("p cnf 20 2\n1 2 0\n-1 3\n4", "3:1+2"),
        ("p cnf 20 1\n1 2 0\n-1", "3:1+2"),
        ("p wcnf 20 2 9\n9 1 2 0\n9 -1", "3:1+1"),
        ("h 1 2 0\nh -1\n", "2:1+1"),
    ] {
        let found = mistakes(text);
        assert!(
            found.contains(&format!("{place} the last clause does not end with 0")),
            "{found:?}"
        );
    }
    assert_eq!(mistakes("p cnf 20 2\n1 2 0\n-1").len(), 1);
    assert_eq!(mistakes_with("1 2 0", None, Some(Dialect::Dimacs)).len(), 1);
    assert_eq!(mistakes_with("", None, Some(Dialect::Dimacs)).len(), 1);
}

#[test]
fn hard_clauses_with_weights_are_read_and_soft_ones_refused() {
    let hard = "1 | not 2\nnot 1 | 3\n";
    for text in ["p wcnf 3 2 10\n10 1 -2 0\n12 -1 3 0\n", "c newer\nh 1 -2 0\nh -1 3 0\n"] {
        assert_eq!(Dialect::detect(text), Dialect::Dimacs, "{text}");
        assert_eq!(read(text).to_text(), hard);
    }
    let soft = "2 of the clauses are soft: they have a weight, and need not hold";
    for (text, place) in [
        ("p wcnf 3 3 10\n10 1 -2 0\n7 -1 3 0\n9 2 0\n", "3:1+1"),
        ("h 1 -2 0\n7 -1 3 0\n1 2 0\n", "2:1+1"),
        ("7 1 -2 0\n1 -1 0\nh 3 0\n", "1:1+1"),
        ("p wcnf 3 2\n7 1 -2 0\n1 -1 0\n", "2:1+1"),
    ] {
        assert_eq!(mistakes(text), [format!("{place} {soft}")], "{text}");
    }
    assert_eq!(
        mistakes("p wcnf 3 2 10\nx 1 0\n10 2 0\n10 y 0"),
        [
            "1:1+13 the header says 2 clauses, and there are 3",
            "2:1+1 `x` is not a literal",
            "4:4+1 `y` is not a literal"
        ]
    );
    assert_eq!(
        mistakes("p wcnf 3 2 10\n10 1 0\n9 2 0\n"),
        ["3:1+1 1 of the clauses is soft: it has a weight, and need not hold"]
    );
}

#[test]
fn the_order_of_pishield_is_that_of_the_classes_where_no_list_is_given() {
    let text = "ordering y_2 y_0 y_1\ny_0 or not y_1\n";
    assert_eq!(Dialect::detect(text), Dialect::PiShield);
    assert_eq!(read(text).labels().names().collect::<Vec<_>>(), ["2", "0", "1"]);
    let labels = || Some(Labels::new(["a", "b", "c"]).unwrap());
    let program = RuleText::new(text).labels(labels()).parse().unwrap().program;
    assert_eq!(program.to_text(), "a | not b\n");
    assert_eq!(
        mistakes_with("ordering y_2 y_9\ny_0 or y_1\n", labels(), None),
        ["1:14+3 class number 9, but the label list has only 3 names"]
    );
    assert_eq!(mistakes("ordering y_2 y_x\ny_0 or y_1\n"), ["1:14+3 `y_x` is not a class number"]);
}

#[test]
fn a_text_that_numbers_its_classes_says_how() {
    let numbering = |text: &str| read(text).numbering().map(|found| (found.first, found.classes));
    assert_eq!(numbering("p cnf 7 1\n1 -2 0\n"), Some((1, Some(7))));
    assert_eq!(numbering("h 1 -2 0\nh 3 0\n"), Some((1, None)));
    assert_eq!(numbering("y_1 or not y_3\n"), Some((0, None)));
    assert_eq!(numbering("0.1 0 :- 1\n"), Some((0, None)));
    assert_eq!(numbering("1 -> 2\n"), None);
    let listed = RuleText::new("y_1 or y_0").labels(Labels::new(["a", "b"]).unwrap());
    assert_eq!(listed.parse().unwrap().program.numbering(), None);
}

#[test]
fn requirements_on_variables_with_several_values_are_told_apart() {
    let text = "[1,2]:a_1 or [0]:s_1\nnot [0, 3]:a_1 or not [1]:s_2\n";
    assert_eq!(Dialect::detect(text), Dialect::PiShield);
    let expected = "categorical requirements, such as `[1,2]:a_1`, are not supported";
    for dialect in [None, Some(Dialect::PiShield)] {
        assert_eq!(
            mistakes_with(text, None, dialect),
            [format!("1:1+20 {expected}"), format!("2:1+29 {expected}")]
        );
    }
    assert_eq!(Dialect::detect("[1] cell,tissue\n"), Dialect::Edges);
}

#[test]
fn exact_counts_constants_and_slips_in_requirements() {
    let text = "exactly 2 of(a, b, c)\ng -> exactly 2 of(a, not b, c)\n";
    assert_eq!(read(text).to_text(), text);
    assert_eq!(read("between 2 and 2 of(a, b, c)").to_text(), "exactly 2 of(a, b, c)\n");
    assert_eq!(read("exactly 1 of(a, b, c)").to_text(), "one of(a, b, c)\n");
    assert_eq!(
        mistakes(
            "between 3 and 1 of(a, b, c, d)\nexactly x of(a, b)\nexactly 3 of(a, b)\nnot off\n"
        ),
        [
            "1:1+18 between 3 and 1: no number is",
            "2:9+1 `x` is not a number of classes",
            "3:1+12 at least 3 of 2 classes",
            "4:1+7 `not off` has no `->`",
        ]
    );
    assert_eq!(
        mistakes("true -> a\na -> true\na, false -> b\nexclusive(a, TRUE)\n"),
        [
            "1:1+4 `true` is a constant, not a class",
            "2:6+4 `true` is a constant, not a class",
            "3:4+5 `false` is a constant, not a class",
            "4:14+4 `TRUE` is a constant, not a class",
        ]
    );
    // What must not hold, names in quotes, and classes of the list.
    assert_eq!(read("a, b -> false\nfalse :- c.\n").to_text(), "not (a, b)\nnot (c)\n");
    assert_eq!(read("\"true\" -> a\n").labels().names().next(), Some("true"));
    let labels = Labels::new(["true", "a"]).unwrap();
    let program = RuleText::new("true -> a\n").labels(labels).parse().unwrap().program;
    assert_eq!(program.to_text(), "true -> a\n");
}

#[test]
fn the_two_texts_of_pishield() {
    let text = "y_0 or not y_3\nnot y_1 or y_0 or y_2\n";
    assert_eq!(Dialect::detect(text), Dialect::PiShield);
    assert_eq!(read(text).to_text(), "0 | not 3\nnot 1 | 0 | 2\n");
    let with = |text| RuleText::new(text).dialect(Dialect::PiShield).parse().unwrap().program;
    assert_eq!(with("n1 :- 0 n2\n0.5 3 :- 1").to_text(), "not 1 | not 0 | 2\n3 | not 1\n");
    assert_eq!(
        mistakes_with("y_0 or x\ny_0 y_1\ny_a or y_1\n:- 1\n", None, Some(Dialect::PiShield)),
        [
            "1:8+1 expected `y_0 or not y_3` or `n1 :- 0`",
            "2:5+3 expected `y_0 or not y_3` or `n1 :- 0`",
            "3:1+3 `y_a` is not a class number",
            "4:1+4 expected `y_0 or not y_3` or `n1 :- 0`",
        ]
    );
}

#[test]
fn a_negated_head_of_the_authors_dialect_is_a_requirement() {
    let text = "0.5 n1 :- 0 n2\n1 3 :- 0\n";
    assert_eq!(Dialect::detect(text), Dialect::Ccn);
    assert_eq!(read(text).to_text(), "0 -> 3\n0, not 2 -> not 1\n");
}

#[test]
fn words_that_are_also_names_stay_names() {
    for text in ["or -> b", "a, or -> b", "a -> or", "a -> \"false\"", "\"false\" -> a"] {
        assert!(RuleText::new(text).parse().is_ok(), "{text}");
    }
    let labels = Labels::new(["a", "false"]).unwrap();
    assert!(RuleText::new("a -> false").labels(labels).parse().is_ok());
}

#[test]
fn all_mistakes_at_once_and_the_good_rules_are_still_checked() {
    assert_eq!(
        mistakes("a b -> c\nx -> y\nnot p -> q\nq -> p\n-> \n"),
        [
            "1:3+1 expected `,` or an arrow before `b`",
            "3:1+10 the rules are not stratified: `p` depends on its own negation (not p -> q -> p)",
            "5:1+2 the rule has no head",
        ]
    );
}

#[test]
fn a_cycle_is_shown_whole_with_the_line_of_every_rule() {
    let text = "a -> b\nb -> c\n\nc, x -> d\nd, not a -> e\nnot d -> a\nnot u -> u\n";
    let errors = RuleText::new(text).parse().unwrap_err().0;
    let cycles: Vec<Vec<(u32, &str)>> = errors
        .iter()
        .map(|error| match error {
            RuleError::NotStratified { cycle } => {
                cycle.steps.iter().map(|step| (step.span.line, step.text.as_str())).collect()
            }
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(
        cycles,
        [
            vec![(6, "not d -> a"), (1, "a -> b"), (2, "b -> c"), (4, "c, x -> d")],
            vec![(7, "not u -> u")]
        ]
    );
}

#[test]
fn a_label_list_fixes_classes_and_order() {
    let labels = || Some(Labels::new(["upperAbdomen", "abdomen", "unused"]).unwrap());
    let program =
        RuleText::new("abdomen -> upperAbdomen").labels(labels()).parse().unwrap().program;
    assert_eq!(program.labels().names().collect::<Vec<_>>(), ["upperAbdomen", "abdomen", "unused"]);
    let errors = RuleText::new("abdomne -> upperAbdomen\nabdomen -> zzz")
        .labels(labels())
        .parse()
        .unwrap_err()
        .0;
    assert_eq!(errors[0].hint().unwrap(), "did you mean `abdomen`?");
    assert_eq!(errors.len(), 2);
}

#[test]
fn the_dialect_of_the_authors() {
    let text = "0.744 11 :- 12 \n2.000 5 :- n2 n4 12\n";
    assert_eq!(Dialect::detect(text), Dialect::Ccn);
    assert_eq!(read(text).to_text(), "12 -> 11\nnot 2, not 4, 12 -> 5\n");
    let labels = Labels::new((0..13).map(|i| format!("l{i}"))).unwrap();
    let program = RuleText::new(text).labels(labels.clone()).parse().unwrap().program;
    assert_eq!(program.to_text(), "l12 -> l11\nnot l2, not l4, l12 -> l5\n");
    assert_eq!(program.labels().len(), 13);
    let bad = "0.1 13 :- 2\nx 1 :- 2\n0.1 1 :- m2\n0.1 1 <- 2\n0.1\n";
    assert_eq!(
        mistakes_with(bad, Some(labels), Some(Dialect::Ccn)),
        [
            "1:5+2 class number 13, but the label list has only 13 names",
            "2:1+1 `x` is not a weight",
            "3:10+2 `m2` is not a class number",
            "4:7+2 expected `<weight> <head> :- <body>`",
            "5:1+3 expected `<weight> <head> :- <body>`",
        ]
    );
}

#[test]
fn the_dialect_of_tables() {
    for text in
        ["a,b\nb,c\n", "child,parent\na,b\nb,c\n", "a\tb\nb\tc", "# x\n\"a\", b\n b ,\"c\"\r\n"]
    {
        assert_eq!(Dialect::detect(text), Dialect::Edges, "{text}");
        assert_eq!(read(text).to_text(), "a -> b\nb -> c\n", "{text}");
    }
    assert_eq!(read("\"x, \"\"y\"\"\",b").to_text(), "\"x, \\\"y\\\"\" -> b\n");
    assert_eq!(
        mistakes_with("a,b\na,b,c\n,b\n\"a,b\nd\n", None, Some(Dialect::Edges)),
        [
            "2:1+5 expected two columns, child and parent, found 3",
            "3:1+1 a class name cannot be empty",
            "4:1+4 the quotation mark is never closed",
            "5:1+1 expected two columns, child and parent, found 1",
        ]
    );
}

#[test]
fn rules_with_commas_are_not_taken_for_a_table() {
    assert_eq!(Dialect::detect("a, b\nc -> d"), Dialect::Rules);
    assert_eq!(Dialect::detect("a.\n"), Dialect::Rules);
    assert_eq!(Dialect::detect("exclusive(a, b)\n"), Dialect::Rules);
    assert_eq!(Dialect::detect("at most 2 of(a, b)\n"), Dialect::Rules);
    assert_eq!(Dialect::detect("cell (animal),cell\n"), Dialect::Edges);
    assert_eq!(Dialect::detect(""), Dialect::Rules);
}

/// Names with everything that could confuse a reader.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,6}",
        "[ -~]{1,8}",
        proptest::sample::select(vec![
            "not",
            "and",
            "or",
            "prefer",
            "exclusive",
            "one",
            "of",
            "->",
            ":-",
            ".",
            "a.",
            "¬x",
            "\"",
            "\\",
            "\t",
            "x\ny",
            "n3",
            "#",
            "名前"
        ])
        .prop_map(str::to_owned),
    ]
}

fn check_what_is_written_is_read_back(program: &Program, names: HashSet<String>) -> TestCaseResult {
    let labels = Labels::new(names.into_iter().take(program.labels().len())).unwrap();
    let renamed = Program::new(labels.clone(), program.rules().to_vec()).unwrap();
    let again = RuleText::new(&renamed.to_text())
        .labels(labels)
        .dialect(Dialect::Rules)
        .parse()
        .unwrap()
        .program;
    prop_assert_eq!(again.rules(), renamed.rules());
    prop_assert_eq!(again.to_text(), renamed.to_text());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10_000) })]

    #[test]
    fn what_is_written_is_read_back(
        program in program(8, 12),
        names in proptest::collection::hash_set(name(), 8),
    ) {
        check_what_is_written_is_read_back(&program, names)?;
    }

    #[test]
    fn no_text_makes_the_reader_panic(
        text in "([a-z0-9 ,.!~&\"\\\\|;()#%\t\r\n-]|->|:-|not |→|¬|\u{feff}|exclusive\\(|one of\\(|at most 1 of\\(| or |prefer |p cnf 3 2\n|y_0 or ){0,60}"
    ) {
        for dialect in [None, Some(Dialect::Rules), Some(Dialect::Ccn), Some(Dialect::Edges), Some(Dialect::Dimacs), Some(Dialect::PiShield)] {
            let lines = (text.lines().count() as u32).max(1);
            if let Err(errors) = RuleText::new(&text).dialect(dialect).parse() {
                prop_assert!(!errors.0.is_empty());
                for error in errors.0 {
                    prop_assert!((1..=lines).contains(&error.span().line) && error.span().column >= 1);
                }
            }
        }
    }
}

mod needs_data {
    use super::*;
    use rulebound_testing::needs;

    #[test]
    #[ignore = "needs RULEBOUND_DATA"]
    fn the_published_rule_files_are_read() {
        let sets = std::fs::read_dir(needs::data().join("lcmc")).unwrap();
        let mut files = 0;
        for set in sets {
            let set = set.unwrap().path();
            let name = set.file_name().unwrap().to_string_lossy().into_owned();
            let text =
                std::fs::read_to_string(set.join(format!("{name}_constraints.txt"))).unwrap();
            assert_eq!(Dialect::detect(&text), Dialect::Ccn, "{name}");
            let program: Program = text.parse().unwrap();
            assert_eq!(program.rules().len(), text.lines().count(), "{name}");
            files += 1;
        }
        assert_eq!(files, 16);
    }
}
