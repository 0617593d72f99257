//! Any format in, any format out.

use std::fs;
use std::sync::Arc;

use arrow_array::{Float64Array, StringArray};
use rulebound_io::scores::{
    Cell, DecisionWriter, NameWriter, ScoreBatch, ScoreReader, ScoreWriter,
};

use crate::scene::Scene;

const NAMES: [&str; 8] =
    ["t.csv", "t.tsv", "t.tab", "t.parquet", "t.csv.gz", "t.tsv.gz", "t.tab.gz", "t.parquet.gz"];

/// A table whose numbers are written in their shortest form, so that every round trip is exact.
const TABLE: &str = "A,note,B\n0.5,\"x, y\",0.25\n1.0,,0.1\n0.0,\"tab\there\",1e-7\n0.75,z,0.3\n";

#[test]
fn every_pair_keeps_the_table() {
    let scene = Scene::new();
    scene.write("start.csv", TABLE);
    for from in NAMES {
        let from = format!("from-{from}");
        scene.keep("start.csv", &from).unwrap();
        for to in NAMES {
            scene.keep(&from, to).unwrap();
            scene.keep(to, "end.csv").unwrap();
            assert_eq!(
                scene.text("end.csv").replace("\"tab\there\"", "tab\there"),
                TABLE.replace("\"tab\there\"", "tab\there"),
                "{from} to {to}"
            );
        }
    }
}

#[test]
fn gz_outputs_are_compressed() {
    let scene = Scene::new();
    scene.write("in.csv", TABLE);
    for name in NAMES {
        scene.keep("in.csv", name).unwrap();
        let start = fs::read(scene.path(name)).unwrap();
        assert_eq!(start.starts_with(&[0x1f, 0x8b]), name.ends_with(".gz"), "{name}");
        let unpacked = scene.bytes(name);
        assert_eq!(unpacked.starts_with(b"PAR1"), name.contains("parquet"), "{name}");
    }
}

#[test]
fn compressed_bytes_need_no_gz_name() {
    let scene = Scene::new();
    scene.write("start.csv", TABLE);
    for name in NAMES.iter().filter_map(|name| name.strip_suffix(".gz")) {
        scene.keep("start.csv", &format!("{name}.gz")).unwrap();
        fs::rename(scene.path(&format!("{name}.gz")), scene.path(name)).unwrap();
        scene.keep(name, "end.csv").unwrap();
        let text = scene.text("end.csv").replace("\"tab\there\"", "tab\there");
        assert_eq!(text, TABLE.replace("\"tab\there\"", "tab\there"), "{name}");
    }
}

#[test]
fn a_byte_order_mark_is_not_part_of_a_name() {
    let scene = Scene::new();
    for name in ["m.csv", "m.csv.gz"] {
        scene.write(name, format!("\u{feff}{TABLE}"));
        assert_eq!(scene.open(name).unwrap().columns()[0].name, "A", "{name}");
    }
}

#[test]
fn a_header_without_rows() {
    let scene = Scene::new();
    scene.write("in.csv", "A,note,B\n");
    for name in NAMES {
        scene.keep("in.csv", name).unwrap();
        scene.keep(name, "end.csv").unwrap();
        assert_eq!(scene.text("end.csv"), "A,note,B\n", "{name}");
    }
}

#[test]
fn several_gzip_members_are_one_table() {
    let scene = Scene::new();
    scene.write("a.gz", "A,B\n0.5,");
    scene.write("b.gz", "0.25\n");
    let mut both = fs::read(scene.path("a.gz")).unwrap();
    both.extend(fs::read(scene.path("b.gz")).unwrap());
    fs::write(scene.path("in.csv.gz"), both).unwrap();
    assert_eq!(scene.values("in.csv.gz").unwrap(), [0.5, 0.25, 0.0]);
}

#[test]
fn a_table_may_replace_its_input() {
    let scene = Scene::new();
    for name in NAMES {
        scene.write("start.csv", TABLE);
        scene.keep("start.csv", name).unwrap();
        scene.copy(name, name, |_, _| Cell::Changed(0.5)).unwrap();
        assert_eq!(scene.values(name).unwrap()[..2], [0.5, 0.5], "{name}");
        fs::remove_file(scene.path(name)).unwrap();
        assert_eq!(scene.names(), ["start.csv"]);
    }
}

#[test]
fn nothing_is_left_behind() {
    let scene = Scene::new();
    scene.write("in.csv", "A,B\n0.5,0.5\n0.5,0.5\n0.5,0.5\n0.5,oops\n");
    for name in NAMES {
        fs::write(scene.path(name), "old").unwrap();
        scene.keep("in.csv", name).unwrap_err();
        assert_eq!(fs::read(scene.path(name)).unwrap(), b"old", "{name}");
        fs::remove_file(scene.path(name)).unwrap();
        assert_eq!(scene.names(), ["in.csv"]);
    }
}

#[test]
fn text_becomes_typed_columns() {
    let scene = Scene::new();
    scene.write("in.csv", TABLE);
    scene.keep("in.csv", "out.parquet").unwrap();
    let rows = scene.rows("out.parquet");
    let notes = StringArray::from(vec!["x, y", "", "tab\there", "z"]);
    assert_eq!(rows.column(0).as_ref(), &Float64Array::from(vec![0.5, 1.0, 0.0, 0.75]));
    assert_eq!(rows.column(1).as_ref(), &notes);
    assert_eq!(rows.schema().field(2).name(), "B");
}

#[test]
fn odd_names_in_parquet() {
    let scene = Scene::new();
    let table = "A,,x.y,x.y,\"q\"\"\n\"\n0.5,1,2,3,4\n";
    scene.write("in.csv", table);
    scene.keep("in.csv", "out.parquet").unwrap();
    scene.keep("out.parquet", "end.csv").unwrap();
    assert_eq!(scene.text("end.csv"), table);
}

#[test]
fn a_batch_may_change_its_format() {
    let scene = Scene::new();
    scene.write("a.csv", "A\n0.5\n");
    scene.put_parquet("b.parquet", &[("A", Arc::new(Float64Array::from(vec![0.25])))]);
    let mut batch = ScoreBatch::new();
    for (name, value) in [("a.csv", 0.5), ("b.parquet", 0.25), ("a.csv", 0.5)] {
        assert!(scene.open(name).unwrap().read(&mut batch).unwrap());
        assert_eq!(batch.values(), [value, 0.0, 0.0]);
    }
}

#[test]
fn all_may_cross_threads() {
    fn crosses<T: Send>() {}
    crosses::<ScoreReader>();
    crosses::<ScoreBatch>();
    crosses::<ScoreWriter>();
    crosses::<DecisionWriter>();
    crosses::<NameWriter>();
}
