//! What is rejected, and what the errors say.

use std::fs;

use rulebound_io::input::InputError;
use rulebound_io::output::OutputError;
use rulebound_io::scores::{BadCell, BadReason, ScoreError, ScoreKind};
use rulebound_io::table::TableError;

use crate::scene::Scene;

fn refused(table: impl AsRef<[u8]>) -> ScoreError {
    let scene = Scene::new();
    scene.write("in.csv", table);
    scene.values("in.csv").unwrap_err()
}

fn bad(table: impl AsRef<[u8]>) -> (Vec<BadCell>, u64, bool) {
    match refused(table) {
        ScoreError::BadCells { path, cells, total, complete } => {
            assert!(path.ends_with("in.csv"));
            (cells, total, complete)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn unknown_formats_and_missing_files() {
    let scene = Scene::new();
    scene.write("in.csv", "A\n1\n");
    scene.write("in.xlsx", "A\n1\n");
    let error = scene.values("in.xlsx").unwrap_err();
    assert!(matches!(error, ScoreError::Table(TableError::UnknownFormat { .. })));
    let error = scene.keep("in.csv", "out.txt").unwrap_err();
    assert!(matches!(error, ScoreError::Table(TableError::UnknownFormat { .. })));
    for name in ["no.csv", "no.csv.gz", "no.parquet", "no.parquet.gz"] {
        let error = scene.values(name).unwrap_err();
        let ScoreError::Input(InputError::Open { path, .. }) = &error else { panic!("{error:?}") };
        assert!(path.ends_with(name));
    }
    fs::create_dir(scene.path("folder.csv")).unwrap();
    let error = scene.values("folder.csv").unwrap_err();
    assert!(matches!(error, ScoreError::Input(InputError::Read { .. })), "{error:?}");
}

#[test]
fn an_output_without_folder() {
    let scene = Scene::new();
    scene.write("in.csv", "A\n1\n");
    let error = scene.keep("in.csv", "no/out.csv").unwrap_err();
    assert!(matches!(error, ScoreError::Output(OutputError::NoFolder { .. })));
}

#[test]
fn no_header() {
    for table in ["", "\n\n", "\u{feff}", "\r\n"] {
        assert!(matches!(refused(table), ScoreError::NoHeader { .. }), "{table:?}");
    }
}

#[test]
fn a_duplicate_class() {
    match refused("A,x, B,x,B \n") {
        ScoreError::TwoColumns { name, first, second, .. } => {
            assert_eq!((name.as_str(), first, second), ("B", 3, 5));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_id_column() {
    let mut scene = Scene::new();
    scene.id = Some("key");
    scene.write("in.csv", "A,k\n");
    match scene.values("in.csv").unwrap_err() {
        ScoreError::NoIdColumn { name, columns, .. } => {
            assert_eq!((name.as_str(), columns), ("key", vec!["A".to_owned(), "k".to_owned()]));
        }
        other => panic!("{other:?}"),
    }
    scene.write("in.csv", "key,A,key\n");
    let error = scene.values("in.csv").unwrap_err();
    assert!(matches!(error, ScoreError::TwoColumns { first: 1, second: 3, .. }));
}

#[test]
fn a_name_that_is_not_utf8() {
    match refused(b"A,caf\xe9\n1,1\n") {
        ScoreError::HeaderNotUtf8 { column, text, .. } => {
            assert_eq!((column, text.as_str()), (2, "caf\u{fffd}"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn too_many_or_too_few_fields() {
    for (table, expected) in [
        ("A,B\n1,1\n\"1\",1\n1,1,1\n", (3, 4, 2, 3)),
        ("A,x\r\n1,\"a\r\nb\"\r\n1\r\n", (2, 4, 2, 1)),
        ("A,B\n1,1\n\n1,1,1\n", (2, 4, 2, 3)),
        ("A\n1\n\n1\n", (2, 3, 1, 0)),
        ("A\r\n1\r\n\r\n1\r\n", (2, 3, 1, 0)),
        // Lines are counted by line feeds, and there are none here.
        ("A\r\r\r1\r", (1, 1, 1, 0)),
    ] {
        match refused(table) {
            ScoreError::FieldCount { row, line, expected: header, found, .. } => {
                assert_eq!((row, line, header, found), expected, "{table:?}");
            }
            other => panic!("{table:?}: {other:?}"),
        }
    }
}

#[test]
fn an_unclosed_quote() {
    let error = refused("A,x\n1,a\n1,\"b\n1,c\n");
    assert!(matches!(error, ScoreError::OpenQuote { row: 2, line: 3, .. }), "{error:?}");
    let error = refused("A,\"x\n1,a\n");
    assert!(matches!(error, ScoreError::OpenQuote { row: 0, line: 1, .. }));
}

#[test]
fn a_bad_cell_is_described() {
    let mut scene = Scene::new();
    scene.id = Some("id");
    scene.write("in.csv", "id,note, A\nr1,\"two\nlines\",0.5\nr2,x, 0;5 \n");
    let error = scene.values("in.csv").unwrap_err();
    let ScoreError::BadCells { cells, total: 1, complete: true, .. } = &error else {
        panic!("{error:?}");
    };
    let expected = BadCell {
        row: 2,
        line: Some(4),
        column: 3,
        name: "A".to_owned(),
        text: " 0;5 ".to_owned(),
        id: Some("r2".to_owned()),
        reason: BadReason::NotANumber,
    };
    assert_eq!(cells, &[expected]);
    let shown = error.to_string();
    assert!(shown.ends_with("row 2 (line 4), \"r2\", column 3 \"A\": \" 0;5 \" is not a number"));
}

#[test]
fn each_reason() {
    let table: &[u8] = b"A,B,C\nnan,,x\n1.5,-0.1,inf\n\xff,1,1\n";
    let (cells, total, complete) = bad(table);
    assert!(complete);
    assert_eq!(total, 7);
    let found: Vec<(u64, usize, BadReason)> =
        cells.iter().map(|c| (c.row, c.column, c.reason)).collect();
    let expected = [
        (1, 1, BadReason::NaN),
        (1, 2, BadReason::Empty),
        (1, 3, BadReason::NotANumber),
        (2, 1, BadReason::OutsideUnit),
        (2, 2, BadReason::OutsideUnit),
        (2, 3, BadReason::OutsideUnit),
        (3, 1, BadReason::NotUtf8),
    ];
    assert_eq!(found, expected);
}

#[test]
fn logits_may_be_anything_but_nan() {
    let mut scene = Scene::new();
    scene.kind = ScoreKind::Logit;
    scene.write("in.csv", "A,B,C\n-7,inf,1e300\nNaN,-inf,0\n");
    match scene.values("in.csv").unwrap_err() {
        ScoreError::BadCells { cells, total: 1, .. } => assert_eq!(cells[0].row, 2),
        other => panic!("{other:?}"),
    }
}

#[test]
fn all_bad_cells_are_counted_and_twenty_kept() {
    let rows: String = (0..1000).map(|n| format!("0.5,{}\n", 2 * (n % 2))).collect();
    let (cells, total, complete) = bad(format!("A,B\n{rows}"));
    assert_eq!((cells.len(), total, complete), (20, 500, true));
    let rows: Vec<u64> = cells.iter().map(|cell| cell.row).collect();
    assert_eq!(rows, (1..=20).map(|n| 2 * n).collect::<Vec<u64>>());
}

#[test]
fn a_broken_row_after_a_bad_cell_ends_the_count() {
    let (cells, total, complete) = bad("A,B\n2,1\n1,1\n1\n2,2\n");
    assert_eq!((cells.len(), total, complete), (1, 1, false));
    let far = format!("A,B\n2,1\n{}1\n2,2\n", "1,1\n".repeat(100));
    assert!(!bad(far).2);
}

#[test]
fn a_long_bad_cell_is_truncated() {
    let (cells, ..) = bad(format!("A\n{}\n", "é".repeat(1_000_000)));
    assert_eq!(cells[0].text, format!("{}…", "é".repeat(80)));
}

#[test]
fn gzip_data_cut_short_or_corrupt() {
    let scene = Scene::new();
    // Text that hardly compresses, so that the cut is in the middle of the rows.
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    let rows: String = (0..100_000).map(|_| format!("0.{:08}\n", next())).collect();
    let path = scene.write("in.csv.gz", format!("A\n{rows}"));
    let whole = fs::read(&path).unwrap();
    for length in [1, 9, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        let error = scene.values("in.csv.gz").unwrap_err();
        assert!(matches!(error, ScoreError::Input(InputError::Gzip { .. })), "{length}: {error:?}");
        fs::write(scene.path("in.parquet.gz"), &whole[..length]).unwrap();
        let error = scene.values("in.parquet.gz").unwrap_err();
        assert!(matches!(error, ScoreError::Input(InputError::Gzip { .. })), "{length}: {error:?}");
    }
    let mut corrupt = whole.clone();
    let at = corrupt.len() - 6;
    corrupt[at] ^= 1;
    for bytes in [b"A\n0.5\n".to_vec(), corrupt] {
        fs::write(&path, bytes).unwrap();
        let error = scene.values("in.csv.gz").unwrap_err();
        assert!(matches!(error, ScoreError::Input(InputError::Gzip { .. })), "{error:?}");
    }
}

#[test]
fn text_that_parquet_cannot_hold() {
    let scene = Scene::new();
    scene.write("in.csv", b"A,note\n1,x\n1,y\n1,z\n1,\xff\n");
    match scene.keep("in.csv", "out.parquet").unwrap_err() {
        ScoreError::CellNotUtf8 { path, row, column, name } => {
            assert!(path.ends_with("out.parquet"));
            assert_eq!((row, column, name.as_str()), (4, 2, "note"));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(scene.names(), ["in.csv"]);
}
