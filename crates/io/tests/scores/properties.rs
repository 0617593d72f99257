//! Properties of any table.

use proptest::prelude::*;
use rulebound_io::scores::{Cell, ScoreKind};

use crate::scene::Scene;

/// A cell that may contain anything that is difficult in text tables.
fn odd_cell() -> impl Strategy<Value = String> {
    proptest::string::string_regex("[ab,\t\"'\r\n ;#é\u{feff}]{0,8}").expect("a valid pattern")
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        (0.0..=1.0_f64).prop_map(|v| v.to_string()),
        (0.0..=1.0_f64).prop_map(|v| format!(" {v:e}")),
        (0.0..=1.0_f32).prop_map(|v| format!("{v:.3}\t")),
        Just("1".to_owned()),
        Just("+.50".to_owned()),
    ]
}

/// Rows of two odd cells around three scores, with odd names for the two.
type Rows = Vec<(String, [String; 3], String)>;

fn table() -> impl Strategy<Value = ((String, String), Rows)> {
    let numbers = || [number(), number(), number()];
    let rows = proptest::collection::vec((odd_cell(), numbers(), odd_cell()), 0..20);
    // No byte order mark at the start, since it would be skipped; and not the name of a class.
    let name = || odd_cell().prop_map(|name| format!("!{name}"));
    ((name(), name()), rows)
}

fn written(((first, last), rows): &((String, String), Rows), delimiter: u8) -> Vec<u8> {
    let mut text = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
    text.write_record([first, "A", " B", "C", last]).expect("in memory");
    for (before, [a, b, c], after) in rows {
        text.write_record([before, a, b, c, after]).expect("in memory");
    }
    text.into_inner().expect("in memory")
}

fn assert_copied_or_rejected(scene: &Scene, name: &str) {
    match scene.keep(name, "out.csv") {
        Ok(()) => {
            assert_eq!(scene.values("out.csv").unwrap(), scene.values(name).unwrap());
            std::fs::remove_file(scene.path("out.csv")).unwrap();
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert!(!scene.path("out.csv").exists(), "{error}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn text_to_text_is_the_identity(table in table(), cells in 1..40_usize) {
        let mut scene = Scene::new();
        scene.batch_cells = cells;
        for (name, delimiter) in [("t.csv", b','), ("t.tsv", b'\t')] {
            let bytes = written(&table, delimiter);
            scene.write(name, &bytes);
            scene.keep(name, &format!("out-{name}")).unwrap();
            prop_assert_eq!(scene.bytes(&format!("out-{name}")), bytes);
        }
    }

    #[test]
    fn the_other_cells_survive_parquet(table in table()) {
        let scene = Scene::new();
        scene.write("in.csv", written(&table, b','));
        scene.copy("in.csv", "half.csv", |_, _| Cell::Changed(0.5)).unwrap();
        scene.keep("half.csv", "half.parquet.gz").unwrap();
        scene.keep("half.parquet.gz", "end.csv").unwrap();
        prop_assert_eq!(scene.bytes("end.csv"), scene.bytes("half.csv"));
    }

    #[test]
    fn changed_numbers_read_back(values in proptest::collection::vec(
        proptest::num::f64::ANY.prop_filter("a number", |v| !v.is_nan()), 3..30))
    {
        let mut scene = Scene::new();
        scene.kind = ScoreKind::Logit;
        let rows = values.len() / 3;
        scene.write("in.csv", format!("A,B,C\n{}", "0,0,0\n".repeat(rows)));
        for name in ["out.csv", "out.tsv.gz", "out.parquet"] {
            scene.copy("in.csv", name, |row, class| {
                Cell::Changed(values[(usize::try_from(row).unwrap() - 1) * 3 + class])
            }).unwrap();
            let back: Vec<u64> = scene.values(name).unwrap().iter().map(|v| v.to_bits()).collect();
            let expected: Vec<u64> = values[..rows * 3].iter().map(|v| v.to_bits()).collect();
            prop_assert_eq!(&back, &expected);
        }
    }

    /// Any bytes give either a table with the same scores, or an error and no table.
    #[test]
    fn any_bytes_are_read_or_rejected(bytes in proptest::collection::vec(
        prop_oneof![Just(b'"'), Just(b','), Just(b'\n'), Just(b'\r'), Just(b'A'), Just(b'1'), any::<u8>()],
        0..60))
    {
        let scene = Scene::new();
        for name in ["in.csv", "in.tsv.gz", "in.parquet"] {
            scene.write(name, &bytes);
            assert_copied_or_rejected(&scene, name);
        }
        std::fs::write(scene.path("in.csv.gz"), &bytes).unwrap();
        assert_copied_or_rejected(&scene, "in.csv.gz");
    }
}
