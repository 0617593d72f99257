//! Text to text: what is kept is the same bytes.

use rulebound_io::scores::{Cell, ColumnRole, ScoreBatch, ScoreKind};

use crate::scene::Scene;

const ODD: &str = "id, A ,note,B,C\n\
                   1,0.50,\"a, b\",1e-3,.5\n\
                   2, 0.1 ,\"say \"\"hi\"\"\",0,1\n\
                   3,+0.3,\"two\nlines\",00.70,0.10000000000000000000001\n\
                   ,1.,,-0,1.0\n";

#[test]
fn kept_cells_are_the_same_bytes() {
    let scene = Scene::new();
    scene.write("in.csv", ODD);
    scene.keep("in.csv", "out.csv").unwrap();
    assert_eq!(scene.text("out.csv"), ODD);
}

#[test]
fn values_are_in_the_order_of_the_classes() {
    let mut scene = Scene::new();
    scene.classes = ["C", "missing", "A"].map(str::to_owned).to_vec();
    scene.write("in.csv", ODD);
    let reader = scene.open("in.csv").unwrap();
    let roles: Vec<ColumnRole> = reader.columns().iter().map(|column| column.role).collect();
    let other = ColumnRole::Other;
    assert_eq!(roles, [other, ColumnRole::Class(2), other, other, ColumnRole::Class(0)]);
    assert_eq!(reader.columns()[1].name, " A ");
    assert_eq!(reader.class_column(0), Some(4));
    assert_eq!(reader.class_column(1), None);
    let values = scene.values("in.csv").unwrap();
    assert_eq!(values[..6], [0.5, 0.0, 0.5, 1.0, 0.0, 0.1]);
}

#[test]
fn copied_and_changed_cells() {
    let mut scene = Scene::new();
    scene.kind = ScoreKind::Logit;
    scene.write("in.csv", "A,B,x,C\n 1.50,2,q,3e0\n-4,inf,r,6\n7,8,s,9\n");
    scene
        .copy("in.csv", "out.csv", |row, class| match (row, class) {
            (1, 1) => Cell::Copied(0),
            (1, 2) => Cell::Changed(1.0),
            (2, 0) => Cell::Copied(1),
            (2, 2) => Cell::Changed(0.1 + 0.2),
            (3, 0) => Cell::Changed(f64::NEG_INFINITY),
            (3, 1) => Cell::Changed(f64::INFINITY),
            _ => Cell::Kept,
        })
        .unwrap();
    let expected = "A,B,x,C\n 1.50, 1.50,q,1.0\ninf,inf,r,0.30000000000000004\n-inf,inf,s,9\n";
    assert_eq!(scene.text("out.csv"), expected);
}

#[test]
fn a_copy_of_a_class_without_a_column_is_its_value() {
    let scene = Scene::new();
    scene.write("in.csv", "A,B\n0.5,1\n");
    scene.copy("in.csv", "out.csv", |_, _| Cell::Copied(2)).unwrap();
    assert_eq!(scene.text("out.csv"), "A,B\n0.0,0.0\n");
}

#[test]
fn line_ends_blank_lines_and_byte_order_mark() {
    let scene = Scene::new();
    let plain = "A,B,C,note\n0.5,0.25,1,x\n0,0,0,y\n";
    for (name, text) in [
        ("crlf.csv", plain.replace('\n', "\r\n")),
        ("bom.csv", format!("\u{feff}{plain}")),
        ("both.csv", format!("\u{feff}{}", plain.replace('\n', "\r\n"))),
        ("open.csv", plain.trim_end().to_owned()),
        ("blank.csv", format!("\n{}\n\n", plain.replace("x\n", "x\n\r\n\n"))),
    ] {
        scene.write(name, text);
        scene.keep(name, "out.csv").unwrap();
        assert_eq!(scene.text("out.csv"), plain, "{name}");
    }
    scene.write("bom.csv", "\u{feff}\"A\",B\n1,1\n");
    assert_eq!(scene.open("bom.csv").unwrap().class_column(0), Some(0));
}

#[test]
fn a_carriage_return_in_a_quoted_cell_stays() {
    let scene = Scene::new();
    let text = "A,note\r\n0.5,\"two\r\nlines\"\r\n";
    scene.write("in.csv", text);
    scene.keep("in.csv", "out.csv").unwrap();
    assert_eq!(scene.text("out.csv"), "A,note\n0.5,\"two\r\nlines\"\n");
}

#[test]
fn cells_that_are_not_utf8_are_passed_through() {
    let scene = Scene::new();
    scene.write("in.tsv", b"A\tnote\n0.5\tcaf\xe9\n1\t\xff\xfe\n");
    scene.keep("in.tsv", "out.csv").unwrap();
    assert_eq!(scene.bytes("out.csv"), b"A,note\n0.5,caf\xe9\n1,\xff\xfe\n");
}

#[test]
fn one_column_of_empty_text_survives() {
    let scene = Scene::new();
    let text = "note\n\"\"\nx\n\"\"\n";
    scene.write("in.csv", text);
    scene.keep("in.csv", "out.csv").unwrap();
    assert_eq!(scene.text("out.csv"), text);
}

#[test]
fn many_batches_keep_their_order() {
    let mut scene = Scene::new();
    let rows: String = (0..5000).map(|n| format!("r{n},0.{n:04},1\n")).collect();
    let table = format!("id,A,B\n{rows}");
    scene.write("in.csv.gz", &table);
    scene.id = Some("id");
    for cells in [0, 1, 100, 6000, 1 << 20] {
        scene.batch_cells = cells;
        let (mut reader, mut batch) = (scene.open("in.csv.gz").unwrap(), ScoreBatch::new());
        let mut next = 0;
        while reader.read(&mut batch).unwrap() {
            assert_eq!(batch.first_row(), next + 1);
            assert_eq!(batch.id(0).unwrap(), format!("r{next}"));
            assert!(batch.values().len() <= cells.max(3));
            next += batch.rows() as u64;
        }
        assert_eq!((next, batch.rows(), batch.values().len()), (5000, 0, 0));
        assert!(!reader.read(&mut batch).unwrap());
        scene.keep("in.csv.gz", "out.csv").unwrap();
        assert_eq!(scene.text("out.csv"), table, "{cells}");
    }
}

#[test]
fn a_long_cell_and_a_long_line() {
    let scene = Scene::new();
    let long = "x".repeat(10_000_000);
    let table = format!("A,note\n0.5,{long}\n0.25,y\n");
    scene.write("in.csv", &table);
    scene.keep("in.csv", "out.csv").unwrap();
    assert!(scene.text("out.csv") == table);
}

#[test]
fn tables_of_decisions_and_names() {
    let mut scene = Scene::new();
    scene.write("in.csv", "w,B,id,A,z\n1,0.2,r1,0.9,p\n2,0.6,r2,0.5,q\n");
    scene.decide("in.csv", "d.csv").unwrap();
    assert_eq!(scene.text("d.csv"), "w,B,id,A,z\n1,0,r1,1,p\n2,1,r2,0,q\n");
    scene.id = Some("id");
    scene.decide("in.csv", "d.csv").unwrap();
    assert_eq!(scene.text("d.csv"), "B,id,A\n0,r1,1\n1,r2,0\n");
    scene.name("in.csv", "n.tsv").unwrap();
    assert_eq!(scene.text("n.tsv"), "B\tid\tA\nA\tr1\tnot B, C\nA\tr2\tnot B, C\n");
    scene.name("in.csv", "n.csv").unwrap();
    assert_eq!(scene.text("n.csv"), "B,id,A\nA,r1,\"not B, C\"\nA,r2,\"not B, C\"\n");
    scene.keep("in.csv", "out.csv").unwrap();
    assert_eq!(scene.text("out.csv"), scene.text("in.csv"));
}

#[test]
fn the_id_column_is_never_a_class() {
    let mut scene = Scene::new();
    scene.id = Some("A");
    scene.write("in.csv", "A,B\nnot a number,0.5\n");
    let reader = scene.open("in.csv").unwrap();
    assert_eq!((reader.id_column(), reader.class_column(0)), (Some(0), None));
    assert_eq!(scene.values("in.csv").unwrap(), [0.0, 0.5, 0.0]);
}
