//! Long tables: what is written is what wide tables have, whatever the format.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;

use rulebound_apply::apply::{ScoreKind, ScoreSource, apply};
use rulebound_apply::long_table::{IdOrder, LongSource, LongSummary, LongTableError, apply_long};
use rulebound_apply::sparse::Cut;
use rulebound_apply::tables::PredictionPaths;
use rulebound_core::{Program, RuleText, SettleLimit, Thresholds, UnsettledRows};
use rulebound_io::table::TableTarget;

const RULES: &str = "siamese -> cat\ncat -> animal\ndog -> animal\nanimal, wild -> beast";

fn source(path: &Path) -> LongSource {
    LongSource {
        scores: path.to_path_buf(),
        kind: ScoreKind::Probability,
        id_column: "id".to_owned(),
        class_column: "class".to_owned(),
        score_column: "score".to_owned(),
        ids: IdOrder::Grouped,
        cut: Cut::default(),
        unsettled: UnsettledRows::Error,
    }
}

fn run(source: &LongSource, out: &Path, rules: &str) -> Result<LongSummary, LongTableError> {
    let program: Program = rules.parse().unwrap();
    let halves = Thresholds::uniform(program.labels().len(), 0.5).unwrap();
    apply_long(&program, None, &halves, source, TableTarget::from(out), |_| true)
}

fn of_text(text: &str, change: impl Fn(&mut LongSource)) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let (given, out) = (folder.path().join("given.csv"), folder.path().join("out.csv"));
    std::fs::write(&given, text).unwrap();
    let mut source = source(&given);
    change(&mut source);
    let done = run(&source, &out, RULES);
    assert_eq!(done.is_ok(), out.exists(), "whole or absent");
    done.map(|_| std::fs::read_to_string(&out).unwrap())
        .map_err(|error| error.to_string().replace(&format!("{}: ", given.display()), ""))
}

#[test]
fn a_score_that_is_kept_or_copied_is_written_as_it_was_read() {
    let text = "class,note,score,id\nsiamese,x,0.90,p1\nanimal,y,.2,p1\ndog,,1e-3,\"p,2\"\n";
    let expected = "id,class,score\np1,siamese,0.90\np1,cat,0.90\np1,animal,0.90\n\
                    \"p,2\",animal,1e-3\n\"p,2\",dog,1e-3\n";
    assert_eq!(of_text(text, |_| ()).unwrap(), expected);
}

#[test]
fn formats_and_batches_change_nothing() {
    long_and_wide(RULES);
}

#[test]
fn requirements_are_settled_in_long_tables_as_in_wide_ones() {
    long_and_wide(&format!(
        "{RULES}\nexclusive(cat, dog)\nbeast -> wild | cat\nsiamese | dog | wild"
    ));
}

fn long_and_wide(rules: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let classes = ["siamese", "cat", "dog", "wild", "beast"];
    let mut text = String::from("id,class,score\n");
    let mut wide = String::from("id,siamese,cat,animal,dog,wild,beast\n");
    for id in 0..500u64 {
        let mut row = BTreeMap::new();
        for (place, class) in classes.iter().enumerate() {
            if !(id * 7 + place as u64 * 5).is_multiple_of(3) {
                let score = ((id * 37 + place as u64 * 11) % 100) as f64 / 100.0;
                row.insert(*class, score);
                text += &format!("{id},{class},{score}\n");
            }
        }
        let cell = |class| row.get(class).copied().unwrap_or(0.0).to_string();
        let cells = ["siamese", "cat", "animal", "dog", "wild", "beast"].map(cell);
        wide += &format!("{id},{}\n", cells.join(","));
    }
    std::fs::write(file("given.csv"), text).unwrap();
    std::fs::write(file("wide.csv"), wide).unwrap();
    let summary = run(&source(&file("given.csv")), &file("out.csv"), rules).unwrap();
    let expected = std::fs::read_to_string(file("out.csv")).unwrap();
    let lines = expected.lines().count() as u64 - 1;
    assert_eq!((summary.ids, summary.written), (500, lines));

    // The same through Parquet and gzip, there and back; requirements round the negations that they write.
    let formats: &[&str] =
        if cfg!(feature = "parquet") { &["a.parquet", "b.tsv.gz"] } else { &["b.tsv.gz"] };
    for name in formats.iter().filter(|_| rules == RULES) {
        run(&source(&file("given.csv")), &file(name), rules).unwrap();
        let again = run(&source(&file(name)), &file("back.csv"), rules).unwrap();
        assert_eq!((again.changed, again.added), (0, 0), "coherent already");
        assert_eq!(std::fs::read_to_string(file("back.csv")).unwrap(), expected);
    }

    // And what wide tables have.
    let program: Program = rules.parse().unwrap();
    let halves = Thresholds::uniform(program.labels().len(), 0.5).unwrap();
    let wide = ScoreSource {
        scores: file("wide.csv"),
        kind: ScoreKind::Probability,
        id_column: Some("id".to_owned()),
        names: None,
        ontology: None,
    };
    let paths = PredictionPaths {
        out: file("wide-out.csv"),
        decisions: None,
        delegates: None,
        top: None,
        raw: None,
        layout: None,
    };
    apply(&program, &halves, &wide, &paths, |_| true).unwrap();
    let wide = std::fs::read_to_string(file("wide-out.csv")).unwrap();
    let names: Vec<&str> = wide.lines().next().unwrap().split(',').collect();
    let mut from_wide = Vec::new();
    for line in wide.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        for class in program.labels().names() {
            let cell = cells[names.iter().position(|name| *name == class).unwrap()];
            if cell.parse::<f64>().unwrap() > 0.0 {
                from_wide.push(format!("{},{class},{cell}", cells[0]));
            }
        }
    }
    // A listed score of 0 is impossible, so it is not written.
    for (long, wide) in expected.lines().skip(1).zip(&from_wide) {
        assert_eq!(long, wide);
    }
    assert_eq!(expected.lines().count() - 1, from_wide.len());
}

#[test]
fn rows_are_cut() {
    let text = "id,class,score\na,siamese,0.9\na,dog,0.3\na,wild,0.6\n";
    let top = of_text(text, |source| source.cut = Cut { top: Some(2), above: None }).unwrap();
    assert_eq!(top, "id,class,score\na,cat,0.9\na,animal,0.9\n");
    let above = of_text(text, |source| source.cut = Cut { top: None, above: Some(0.6) }).unwrap();
    assert_eq!(above, "id,class,score\na,siamese,0.9\na,cat,0.9\na,animal,0.9\n");
}

#[test]
fn ids_that_cannot_be_settled_are_errors_or_passed_on() {
    // Pigeons pair by pair, which cannot be counted.
    let mut rules = String::new();
    for pigeon in 0..9 {
        let holes: Vec<String> = (0..8).map(|hole| format!("p{pigeon}h{hole}")).collect();
        rules += &format!("all -> {}\n", holes.join(" | "));
        for (other, hole) in (0..pigeon).flat_map(|other| (0..8).map(move |hole| (other, hole))) {
            rules += &format!("not (p{pigeon}h{hole}, p{other}h{hole})\n");
        }
    }
    let listed: String = (0..9)
        .flat_map(|pigeon| (0..8).map(move |hole| format!("a,p{pigeon}h{hole},0.{}\n", 1 + hole)))
        .collect();
    let text = format!("id,class,score\na,all,0.99\n{listed}b,p0h0,0.7\n");
    let folder = tempfile::tempdir().unwrap();
    let (given, out) = (folder.path().join("given.csv"), folder.path().join("out.csv"));
    std::fs::write(&given, &text).unwrap();
    let program = RuleText::new(&rules).settle_limit(SettleLimit::new(50)).parse().unwrap().program;
    let halves = Thresholds::uniform(program.labels().len(), 0.5).unwrap();
    let run = |unsettled| {
        let source = LongSource { unsettled, ..source(&given) };
        apply_long(&program, None, &halves, &source, TableTarget::from(&*out), |_| true)
    };
    let error = run(UnsettledRows::Error).unwrap_err().to_string();
    assert!(error.contains("row 1, id `a`") && error.contains("within 50 conflicts"), "{error}");
    assert!(!out.exists());
    let summary = run(UnsettledRows::Mark).unwrap();
    assert_eq!((summary.unsettled, &summary.unsettled_ids[..]), (1, &["a".to_owned()][..]));
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "id,class,score\nb,p0h0,0.7\n");
    run(UnsettledRows::Raw).unwrap();
    assert_eq!(std::fs::read_to_string(&out).unwrap(), text);
}

#[test]
fn mistakes_have_their_places() {
    let error = |rows: &str, change: fn(&mut LongSource)| {
        of_text(&format!("id,class,score\n{rows}"), change).unwrap_err()
    };
    let sorted: fn(&mut LongSource) = |source| source.ids = IdOrder::Sorted;
    let plain: fn(&mut LongSource) = |_| ();
    assert_eq!(
        error("a,cat,0.5\nb,cat,0.5\na,dog,0.5\n", plain),
        "row 3: the id `a` was there before; the rows of an id must be one after the other"
    );
    assert_eq!(
        error("b,cat,0.5\na,cat,0.5\n", sorted),
        "row 2: the id `a` comes after `b`; the ids are not sorted"
    );
    assert_eq!(error("a,catt,0.5\n", plain), "row 1: `catt` is not a class of the rules");
    assert_eq!(
        error("a,dog,0.5\na,cat,0.5\na,cat,0.7\n", plain),
        "row 3, id `a`: `cat` is listed twice"
    );
    assert_eq!(error(",cat,0.5\n", plain), "row 1 has no id");
    let other: fn(&mut LongSource) = |source| source.class_column = "term".to_owned();
    assert_eq!(error("a,cat,0.5\n", other), "no column `term`");
    let bad = error("a,cat,1.5\n", plain);
    assert!(bad.contains("1.5") && bad.contains("outside [0, 1]"), "{bad}");
    assert!(of_text("id,class,score\na,cat,0.5\nb,cat,0.5\n", sorted).is_ok());
    assert_eq!(of_text("id,class,score\n", plain).unwrap(), "id,class,score\n");
}
