use std::io::Write;
use std::path::PathBuf;

use rulebound_testing::Scene;

use super::header::new_header;
use super::{ArrayError, ArrayReader, ArrayWriter, is_array};
use crate::output::OutputFile;

/// A file with this dictionary as its header.
fn write(scene: &Scene, header: &str, numbers: &[u8]) -> PathBuf {
    scene.write("a.npy", file([1, 0], &format!("{header}\n"), numbers))
}

/// The bytes of a file with this whole header.
fn file(version: [u8; 2], header: &str, numbers: &[u8]) -> Vec<u8> {
    let length = (header.len() as u32).to_le_bytes();
    let length = if version[0] == 1 { &length[..2] } else { &length };
    [b"\x93NUMPY", &version[..], length, header.as_bytes(), numbers].concat()
}

fn rows(path: &std::path::Path) -> Result<Vec<Vec<f64>>, ArrayError> {
    let mut reader = ArrayReader::open(path, &["X"])?;
    let mut row = vec![0.0; reader.columns()];
    let mut rows = Vec::new();
    while reader.read(&mut row)? {
        rows.push(row.clone());
    }
    Ok(rows)
}

#[test]
fn elements_of_every_kind_and_both_orders() {
    let scene = Scene::new();
    let read = |descr: &str, order: &str, shape: &str, bytes: &[u8]| {
        let header =
            format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
        rows(&write(&scene, &header, bytes)).unwrap()
    };
    let floats: Vec<u8> = [1.5f32, -2.0, 0.0, 4.0].iter().flat_map(|n| n.to_le_bytes()).collect();
    assert_eq!(read("<f4", "False", "(2, 2)", &floats), [[1.5, -2.0], [0.0, 4.0]]);
    assert_eq!(read("<f4", "True", "(2, 2)", &floats), [[1.5, 0.0], [-2.0, 4.0]]);
    assert_eq!(read("<f4", "False", "(4,)", &floats), [[1.5], [-2.0], [0.0], [4.0]]);
    let big: Vec<u8> = [1.25f64, -7.0].iter().flat_map(|n| n.to_be_bytes()).collect();
    assert_eq!(read(">f8", "False", "(1, 2)", &big), [[1.25, -7.0]]);
    // 1, -2, the largest and the smallest positive number of 16 bits.
    let halves: Vec<u8> =
        [0x3c00u16, 0xc000, 0x7bff, 1].iter().flat_map(|n| n.to_le_bytes()).collect();
    assert_eq!(read("<f2", "False", "(1, 4)", &halves), [[1.0, -2.0, 65504.0, 2f64.powi(-24)]]);
    assert_eq!(read("|b1", "False", "(1, 3)", &[1, 0, 1]), [[1.0, 0.0, 1.0]]);
    assert_eq!(read("|i1", "False", "(1, 2)", &[255, 127]), [[-1.0, 127.0]]);
    assert_eq!(read("<u2", "False", "(1, 1)", &[1, 2]), [[513.0]]);
    assert_eq!(read("<i8", "False", "(1, 1)", &(-5i64).to_le_bytes()), [[-5.0]]);
    assert_eq!(read("<f4", "False", "(0, 2)", &[]), Vec::<Vec<f64>>::new());
}

#[test]
fn what_is_not_a_table_of_numbers_is_refused() {
    let scene = Scene::new();
    let refused = |header: &str, bytes: &[u8]| rows(&write(&scene, header, bytes)).unwrap_err();
    let header = |descr: &str, shape: &str| {
        format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}")
    };
    assert!(matches!(refused(&header("'<c8'", "(1, 1)"), &[]), ArrayError::Element { .. }));
    assert!(matches!(refused(&header("[('a', '<f4')]", "(1,)"), &[]), ArrayError::Element { .. }));
    for shape in ["()", "(1, 2, 3)", "(2, 99999999999)", "(9, 0)", "(2, 18446744073709551615)"] {
        let error = refused(&header("'<f4'", shape), &[]);
        assert!(matches!(error, ArrayError::Shape { .. }), "{error}");
    }
    let error = refused(&header("'<f4'", "(2, 1)"), &[0; 7]);
    assert!(matches!(error, ArrayError::CutOff { row: 2, rows: 2, .. }), "{error}");
    for text in ["", "{}", "{'descr': '<f4", "{'descr': '<f4', 'fortran_order': False, 'shape': 3}"]
    {
        assert!(matches!(refused(text, &[]), ArrayError::Header { .. }), "{text}");
    }
    for bytes in [&b""[..], b"\x93NUMPY", b"a,b\n1,2\n3,4\n5,6\n"] {
        let error = rows(&scene.write("x.npy", bytes)).unwrap_err();
        assert!(matches!(error, ArrayError::NotAnArray { .. }), "{error}");
    }
}

/// Each of these was taken for the array that it nearly is, and gave other numbers.
#[test]
fn a_header_that_is_nearly_one_is_refused() {
    let scene = Scene::new();
    let numbers = [0; 64];
    let good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";
    let read = |version: [u8; 2], header: &str| {
        rows(&scene.write("a.npy", file(version, header, &numbers)))
    };
    for version in [[1, 0], [2, 0], [3, 0]] {
        assert_eq!(read(version, &format!("{good}   \n")).unwrap().len(), 2);
    }
    let variants = [
        r#"{"shape": (2L, 2L), "descr": "<f4", "fortran_order": False}"#,
        "{ 'descr' : '<f4' , 'fortran_order':False,'shape':(2,2,) }",
        "{'descr': '=f4', 'fortran_order': True, 'shape': (2, 2)}",
    ];
    for header in variants {
        assert_eq!(read([1, 0], &format!("{header}\n")).unwrap().len(), 2, "{header}");
    }
    for version in [[0, 0], [1, 1], [2, 1], [4, 0], [255, 255]] {
        let error = read(version, &format!("{good}\n")).unwrap_err();
        assert!(matches!(error, ArrayError::Version { .. }), "{error}");
        assert!(error.to_string().contains("a.npy"), "{error}");
    }
    let changed = |from: &str, to: &str| {
        assert!(good.contains(from));
        format!("{}\n", good.replace(from, to))
    };
    let wrong = [
        changed("False", "\"False\""),
        changed("False", "None"),
        changed("False", "1"),
        changed("False", "true"),
        changed("False", "Falsehood"),
        changed("(2, 2)", "(2, 2), 'shape': (9, 9)"),
        changed("(2, 2)", "(2, 2), 'more': 1"),
        changed("'<f4'", "'<f4'*10**9"),
        changed("'<f4'", "'<f4', 'descr': '<f8'"),
        changed("'<f4'", "<f4"),
        changed("(2, 2)", "[2, 2]"),
        changed("(2, 2)", "(2 2)"),
        changed("(2, 2)", "(,)"),
        changed("(2, 2)", "(2,, 2)"),
        changed("(2, 2)", "(4)"),
        changed("(2, 2)", "(-2, 2)"),
        changed("(2, 2)", "(02, 2)"),
        changed("(2, 2)", "(2.0, 2)"),
        changed("'fortran_order': False, ", ""),
        changed("{", ""),
        changed("}", "} x"),
        changed("}", "}}"),
        // Cut within the spaces behind it: what follows would be read as numbers.
        format!("{good}   "),
        good.to_owned(),
    ];
    for header in wrong {
        let error = read([1, 0], &header).unwrap_err();
        assert!(matches!(error, ArrayError::Header { .. }), "{header}: {error}");
        assert!(error.to_string().contains("a.npy"), "{error}");
    }
    // Nothing of it is repeated at length.
    let giant =
        format!("{{'descr': '{}', 'fortran_order': False, 'shape': (2, 2)}}\n", "<f4".repeat(9000));
    let error = read([1, 0], &giant).unwrap_err();
    assert!(matches!(error, ArrayError::Element { .. }), "{error}");
    assert!(error.to_string().len() < 500, "{error}");
    let error = read([1, 0], &" ".repeat(60_000)).unwrap_err();
    assert!(error.to_string().len() < 500, "{error}");
}

/// Every length of a header but the right one.
#[test]
fn a_wrong_length_of_the_header_is_never_read() {
    let scene = Scene::new();
    let numbers: Vec<u8> = (0..16u32).flat_map(|n| (n as f32).to_le_bytes()).collect();
    let whole = [new_header("<f4", 4, 4), numbers].concat();
    let right = usize::from(u16::from_le_bytes([whole[8], whole[9]]));
    for length in 0..whole.len() as u16 {
        let mut bytes = whole.clone();
        bytes[8..10].copy_from_slice(&length.to_le_bytes());
        let read = rows(&scene.write("a.npy", bytes));
        assert_eq!(read.is_ok(), usize::from(length) == right, "{length}");
    }
}

#[test]
fn what_is_written_is_read() {
    let scene = Scene::new();
    for name in ["out.npy", "out.npy.gz"] {
        let path = scene.path(name);
        let output = OutputFile::create(&path).unwrap();
        let mut writer = ArrayWriter::create(output, "<f4", 2).unwrap();
        writer.write(1, &[1f32.to_le_bytes(), 2.5f32.to_le_bytes()].concat()).unwrap();
        writer.write(1, &[0f32.to_le_bytes(), f32::NAN.to_le_bytes()].concat()).unwrap();
        writer.finish().unwrap().publish().unwrap();
        let rows = rows(&path).unwrap();
        assert_eq!(rows[0], [1.0, 2.5]);
        assert!(rows.len() == 2 && rows[1][1].is_nan());
    }
    assert_eq!(new_header("<f4", 3, 4).len() % 64, 0);
}

/// An archive of these members, stored or deflated.
fn archive(members: &[(&str, &[u8], bool)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content, is_deflated) in members {
        let packed = match is_deflated {
            false => content.to_vec(),
            true => {
                let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), Default::default());
                packer.write_all(content).unwrap();
                packer.finish().unwrap()
            }
        };
        let start = bytes.len() as u32;
        let method = if *is_deflated { 8u16 } else { 0 };
        let mut about = vec![20, 0, 0, 0];
        about.extend(method.to_le_bytes());
        about.extend([0; 8]);
        about.extend((packed.len() as u32).to_le_bytes());
        about.extend((content.len() as u32).to_le_bytes());
        about.extend((name.len() as u16).to_le_bytes());
        about.extend([0, 0]);
        bytes.extend([b"PK\x03\x04", &about[..], name.as_bytes(), &packed].concat());
        directory.extend([b"PK\x01\x02", &[20, 0][..], &about].concat());
        directory.extend([0; 10]);
        directory.extend(start.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let start = bytes.len() as u32;
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend((members.len() as u16).to_le_bytes().repeat(2));
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

#[test]
fn members_of_an_archive_are_found_by_name() {
    let one = [new_header("<f4", 1, 1), 7f32.to_le_bytes().to_vec()].concat();
    let two = [new_header("|u1", 2, 2), vec![1, 0, 0, 1]].concat();
    let scene = Scene::new();
    let both = archive(&[("y.npy", &two, true), ("X.npy", &one, false)]);
    let path = scene.write("both.npz", &both);
    assert_eq!(rows(&path).unwrap(), [[7.0]]);
    let mut labels = ArrayReader::open(&path, &["y"]).unwrap();
    let mut row = [0.0; 2];
    assert!(labels.read(&mut row).unwrap() && row == [1.0, 0.0]);
    let error = ArrayReader::open(&path, &["scores", "z"]).err().unwrap();
    assert_eq!(
        error.to_string().split(": ").last().unwrap(),
        "no array named scores or z; there is y, X. Save the one that is meant under that name, or alone as .npy"
    );
    let only = scene.write("only.npz", archive(&[("arr_0.npy", &two, true)]));
    assert_eq!(rows(&only).unwrap(), [[1.0, 0.0], [0.0, 1.0]]);
    assert!(is_array("a.NPY".as_ref()) && is_array("b.npz".as_ref()) && !is_array("npy".as_ref()));
}

#[test]
fn a_damaged_archive_is_an_error_that_names_it_or_an_array_of_one_number() {
    let one = [new_header("<f4", 1, 1), 7f32.to_le_bytes().to_vec()].concat();
    let two = [new_header("|u1", 2, 2), vec![1, 0, 0, 1]].concat();
    let scene = Scene::new();
    let both = archive(&[("y.npy", &two, true), ("X.npy", &one, false)]);
    let check = |bytes: &[u8]| match rows(&scene.write("cut.npz", bytes)) {
        Ok(rows) => assert_eq!(rows.concat().len(), 1, "{rows:?}"),
        Err(error) => assert!(error.to_string().contains("cut.npz"), "{error}"),
    };
    for cut in 0..both.len() {
        check(&both[..cut]);
        let mut flipped = both.clone();
        flipped[cut] ^= 0xff;
        check(&flipped);
    }
}
