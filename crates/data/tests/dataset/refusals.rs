//! Invalid files are rejected, each mistake with its place and its text.

use rulebound_data::dataset::{
    ConvertFormat, DatasetError, Difference, LabelColumns, NotADataset, Ontology, Problem,
    ReadOptions, Source,
};
use rulebound_io::input::{InputError, LONGEST};
use rulebound_io::table::TableError;

use crate::scene::{Scene, mistakes};
use rulebound_testing::{gzip, in_turns};

const HEAD: &str = "@relation r\n@attribute x numeric\n@attribute n {a,b}\n\
                    @attribute class hierarchical p,p/q\n@data\n";

fn labelled(labels: LabelColumns) -> ReadOptions {
    ReadOptions { labels: Some(labels), ..ReadOptions::default() }
}

/// The mistakes of an ARFF file of these rows: line, column, text, problem.
fn of_rows(rows: &str) -> Vec<(u64, usize, String, Problem)> {
    let scene = Scene::new();
    scene.write("r.arff", format!("{HEAD}{rows}"));
    let error = scene.read().unwrap_err();
    let (kept, _) = mistakes(&error);
    kept.iter().map(|m| (m.line, m.column, m.text.clone(), m.problem.clone())).collect()
}

#[test]
fn every_mistake_of_a_file_is_reported_with_its_place() {
    let column = |name: &str| name.to_owned();
    assert_eq!(
        of_rows("1,a,p\n1.x,c,p@z\n1,a\n  1 ,a,p,7,8\nnan,a,p\n1e40,'a,p\n1,'a'b,p\n"),
        [
            (7, 1, "1.x".into(), Problem::NotANumber { column: column("x") }),
            (7, 5, "c".into(), Problem::UnknownValue { column: column("n") }),
            (7, 7, "z".into(), Problem::UnknownClass),
            (8, 3, "a".into(), Problem::TooFewFields { expected: 3, found: 2 }),
            (9, 10, "7,8".into(), Problem::TooManyFields { expected: 3, found: 5 }),
            (10, 1, "nan".into(), Problem::NotFinite { column: column("x") }),
            (11, 1, "1e40".into(), Problem::NotFinite { column: column("x") }),
            (11, 6, "'a,p".into(), Problem::OpenQuote),
            (12, 6, "b,p".into(), Problem::AfterQuote),
        ]
    );
}

#[test]
fn sparse_rows_are_checked_as_well() {
    assert_eq!(
        of_rows("{0 1,3 1}\n{0 1,0 2}\n{0}\n{0 1,1 a\n{0 1} x\n{-1 2}\n{1 b,'0' 1}\n"),
        [
            (6, 6, "3 1}".into(), Problem::BadIndex { first: 0, last: 2 }),
            (7, 6, "0 2}".into(), Problem::DuplicateIndex),
            (8, 2, "0}".into(), Problem::NotAPair),
            (9, 1, "{0 1,1 a".into(), Problem::OpenBrace),
            (10, 7, "x".into(), Problem::OpenBrace),
            (11, 2, "-1 2}".into(), Problem::BadIndex { first: 0, last: 2 }),
            (12, 6, "'0' 1}".into(), Problem::NotAPair),
        ]
    );
}

#[test]
fn twenty_are_reported_and_the_rest_counted() {
    let scene = Scene::new();
    scene.write("r.arff", format!("{HEAD}{}", "x,a,p\n".repeat(1000)));
    let error = scene.read().unwrap_err();
    let (kept, total) = mistakes(&error);
    assert_eq!((kept.len(), total), (20, 1000));
    let shown = error.to_string();
    assert!(shown.contains("1000 mistakes\n6:1: \"x\" is not a number (column `x`)"), "{shown}");
    assert!(shown.ends_with("and 980 more"), "{shown}");
}

#[test]
fn a_long_text_is_truncated() {
    let reported = of_rows(&format!("{},a,p\n", "é".repeat(200)));
    assert_eq!(reported[0].2, format!("{}…", "é".repeat(80)));
}

#[test]
fn a_header_is_checked() {
    let scene = Scene::new();
    scene.write(
        "h.arff",
        "% a comment\n@relation h\n@attribute x\n@attribute y complex\nnonsense\n\
         @attribute c hierarchical a,,b//c\n@attribute d hierarchical a\n@attribute 'open numeric\n\
         @attribute v {a,b\n@data\n",
    );
    let error = scene.read().unwrap_err();
    let reported: Vec<_> =
        mistakes(&error).0.iter().map(|m| (m.line, m.column, &m.problem)).collect();
    assert_eq!(
        reported,
        [
            (3, 12, &Problem::NotAnAttribute),
            (4, 14, &Problem::UnknownType),
            (5, 1, &Problem::NotAHeader),
            (6, 29, &Problem::EmptyClass),
            (6, 30, &Problem::EmptyClass),
            (7, 14, &Problem::SecondHierarchy),
            (8, 12, &Problem::OpenQuote),
            (9, 14, &Problem::NotAnAttribute),
        ]
    );
    scene.write("h.arff", "@relation h\n@attribute x numeric\n");
    assert!(matches!(scene.read(), Err(DatasetError::NoData { .. })));
    scene.write("h.arff", "@relation h\n@attribute x numeric\n@data\n1\n");
    assert!(matches!(scene.read(), Err(DatasetError::NoLabels { .. })));
    scene.write("h.arff", "@relation 'h: -C -2'\n@attribute x numeric\n@data\n1\n");
    assert!(matches!(scene.read(), Err(DatasetError::TooFewColumns { wanted: 2, columns: 1, .. })));
}

#[test]
fn the_whole_cycle_of_a_hierarchy_is_reported() {
    let scene = Scene::new();
    let head = HEAD.replace("p,p/q", "root/a,a/b,b/c,c/a");
    scene.write("c.arff", head);
    let error = scene.read().unwrap_err();
    assert!(error.to_string().ends_with("has a cycle: a -> c -> b -> a"), "{error}");
}

#[test]
fn an_xml_label_that_is_not_an_attribute_is_reported_at_its_place() {
    let scene = Scene::new();
    scene.write("x-train.arff", "@relation x\n@attribute a {0,1}\n@data\n1\n");
    scene.write("x.xml", "<labels>\n<label name=\"a\"/>\n  <label name=\"b\"/>\n</labels>\n");
    let error = scene.read().unwrap_err();
    let (kept, _) = mistakes(&error);
    assert_eq!((kept[0].line, kept[0].column, kept[0].text.as_str()), (3, 3, "b"));
    assert_eq!(kept[0].problem, Problem::LabelWithoutColumn);
    for (xml, problem) in [
        ("<labels><label name=\"a\"/><label name=\"a\"/></labels>", Problem::DuplicateLabel),
        ("<labels><label nom=\"a\"/></labels>", Problem::LabelWithoutName),
        ("<labels><label name=\"a\">", Problem::NotXml),
        ("<labels></label>", Problem::NotXml),
        ("<labels><label name=\"a", Problem::NotXml),
    ] {
        scene.write("x.xml", xml);
        let error = scene.read().unwrap_err();
        assert_eq!(mistakes(&error).0[0].problem, problem, "{xml}");
    }
    scene.write("x.xml", format!("<labels>{}", "<label name=\"a\">".repeat(100_000)));
    assert!(scene.read().is_err());
}

#[test]
fn a_label_is_zero_or_one() {
    let scene = Scene::new();
    scene.write(
        "l.arff",
        "@relation 'l: -C 2'\n@attribute l {0,1}\n@attribute m numeric\n@data\n2,1\n?,0.5\n",
    );
    let error = scene.read().unwrap_err();
    let reported: Vec<_> = mistakes(&error).0.iter().map(|m| (m.line, m.text.as_str())).collect();
    // A `?` is a label that is not known.
    assert_eq!(reported, [(5, "2"), (6, "0.5")]);
}

#[test]
fn damaged_gzip_is_reported_as_such() {
    let content =
        format!("{HEAD}{}", (0..20_000).map(|n| format!("{n},a,p\n")).collect::<String>());
    let packed = gzip(content.as_bytes());
    let scene = Scene::new();
    let path = scene.path("g.arff.gz");
    for keep in [packed.len() - 1, packed.len() / 2, 5] {
        std::fs::write(&path, &packed[..keep]).unwrap();
        assert!(
            matches!(scene.read(), Err(DatasetError::Input(InputError::Gzip { .. }))),
            "{keep}"
        );
    }
    let mut damaged = packed.clone();
    damaged[packed.len() / 2] ^= 0x55;
    std::fs::write(&path, &damaged).unwrap();
    assert!(scene.read().is_err());
    std::fs::write(&path, "not gzip at all").unwrap();
    assert!(matches!(scene.read(), Err(DatasetError::Input(InputError::Gzip { .. }))));
    // The name need not say that a file is compressed.
    std::fs::remove_file(&path).unwrap();
    std::fs::write(scene.path("g.arff"), &packed).unwrap();
    assert_eq!(scene.read().unwrap().rows(), 20_000);
}

#[test]
fn a_line_of_seventy_million_characters_is_rejected() {
    let long = "7".repeat(70_000_000);
    for (name, content, options) in [
        ("l.arff", format!("{HEAD}{long}"), ReadOptions::default()),
        ("l.arff", format!("@relation {long}"), ReadOptions::default()),
        ("l.svm", format!("1 {long}"), ReadOptions::default()),
        ("l.csv", format!("a,b\n{long}"), labelled(LabelColumns::Last(1))),
        (
            "l.csv",
            format!("a,b\n1,\"{}", "x\n".repeat(35_000_000)),
            labelled(LabelColumns::Last(1)),
        ),
        ("l.tsv", long.clone(), labelled(LabelColumns::Last(1))),
    ] {
        let scene = Scene::new();
        scene.write(name, content);
        let error = scene.read_with(&options).unwrap_err();
        let is_reported =
            matches!(error, DatasetError::Input(InputError::LineTooLong { limit: LONGEST, .. }));
        assert!(is_reported, "{error}");
    }
}

#[test]
fn bytes_that_are_not_utf8_have_a_place() {
    let scene = Scene::new();
    scene.write("u.svm", b"1 2:3\n1 2:\xff\n");
    let error = scene.read().unwrap_err();
    let (kept, total) = mistakes(&error);
    assert_eq!((kept[0].line, kept[0].column, kept[0].text.as_str(), total), (2, 5, "ÿ", 1));
    assert_eq!(kept[0].problem, Problem::NotUtf8);
    let scene = Scene::new();
    scene.write("u.csv", b"a,b\n1,0\n\xe9,1\n");
    let error = scene.read_with(&labelled(LabelColumns::Last(1))).unwrap_err();
    let (kept, _) = mistakes(&error);
    assert_eq!((kept[0].line, kept[0].column, kept[0].text.as_str()), (3, 1, "é"));
    let scene = Scene::new();
    let path = scene.write("u.obo", b"[Term]\nid: \xe9\n");
    let error = Ontology::read(&path).unwrap_err();
    let is_reported =
        matches!(error, DatasetError::Input(InputError::NotUtf8 { line: 2, column: 5, .. }));
    assert!(is_reported, "{error}");
}

#[test]
fn svmlight_rows_are_checked() {
    let scene = Scene::new();
    scene.write("s.svm", "1 x:2\n1 2:y\n1 3\n1 1:1 1:2\n1 4000000000:1\n1 -1:1\n1 5:inf\n");
    let error = scene.read().unwrap_err();
    let reported: Vec<_> = mistakes(&error).0.iter().map(|m| (m.line, m.text.as_str())).collect();
    assert_eq!(
        reported,
        [(1, "x:2"), (2, "y"), (3, "3"), (4, "1"), (5, "4000000000:1"), (6, "-1:1"), (7, "inf")]
    );
    let one = ReadOptions {
        index_base: rulebound_data::dataset::IndexBase::One,
        ..ReadOptions::default()
    };
    scene.write("s.svm", "1 0:2\n");
    assert!(scene.read_with(&one).is_err());
    assert!(scene.read().is_ok());
}

#[test]
fn tables_are_checked() {
    let scene = Scene::new();
    let labels = LabelColumns::Named(vec!["l".into()]);
    scene.write("t.csv", "x,n,l\n1,a,1\n2,b,2\nzwei,c,0\n3,d\n4,e,1,5\n1e39,f,\n");
    let error = scene.read_with(&labelled(labels.clone())).unwrap_err();
    let reported: Vec<_> =
        mistakes(&error).0.iter().map(|m| (m.line, m.column, m.text.as_str())).collect();
    assert_eq!(reported, [(3, 3, "2"), (4, 1, "zwei"), (5, 2, "d"), (6, 4, "5"), (7, 1, "1e39")]);
    let refused = |options: &ReadOptions| scene.read_with(options).unwrap_err().to_string();
    let wanted = labelled(LabelColumns::Named(vec!["l".into(), "m".into()]));
    assert!(refused(&wanted).ends_with("has no label column `m`"));
    let wanted = labelled(LabelColumns::Prefix("z".into()));
    assert!(refused(&wanted).ends_with("has no label column that starts with `z`"));
    assert!(refused(&labelled(LabelColumns::Last(4))).contains("has 3 columns, so 4"));
    assert!(refused(&ReadOptions::default()).contains("does not say which columns are labels"));
    let id = ReadOptions { identifiers: vec!["k".into()], ..labelled(labels.clone()) };
    assert!(refused(&id).contains("no column `k`"));
    scene.write("t.csv", "");
    assert!(refused(&labelled(labels.clone())).ends_with("has no header"));
    scene.write("t.csv", "x,l,l\n1,0,1\n");
    assert!(refused(&labelled(labels.clone())).contains("duplicate label"));
    scene.write("t.csv", "x,l\n1,0\n2,\"1\n3,0\n4,1\n");
    let error = scene.read_with(&labelled(labels)).unwrap_err();
    assert!(mistakes(&error).0.iter().any(|m| m.problem == Problem::OpenQuote), "{error}");
}

#[test]
fn lines_of_tables_are_counted_whatever_ends_them() {
    let options = labelled(LabelColumns::Last(1));
    let lines = ["x,l", "1,1", "", "\"2\",1", "\"a b\",1", "3,1", "x,1", "4,7"];
    for end in ["\n", "\r\n"] {
        for last in ["", end] {
            let scene = Scene::new();
            let text = lines.join(end).replace("a b", &format!("a{end}b")) + last;
            scene.write("t.csv", text);
            let error = scene.read_with(&options).unwrap_err();
            let reported: Vec<_> = mistakes(&error).0.iter().map(|m| (m.line, m.column)).collect();
            assert_eq!(reported, [(5, 1), (8, 1), (9, 2)], "{end:?} {last:?}");
        }
    }
}

#[test]
fn files_that_are_not_parquet_are_rejected() {
    let scene = Scene::new();
    let options = labelled(LabelColumns::Last(1));
    for content in [&b""[..], b"PAR1", b"PAR1PAR1", b"PAR1\xff\xff\xff\x7fPAR1", b"nothing"] {
        scene.write("p.parquet", content);
        let error = scene.read_with(&options).unwrap_err();
        let DatasetError::Table(error) = error else { panic!("{error}") };
        let is_reported =
            matches!(error, TableError::Parquet { .. } | TableError::NotParquet { .. });
        assert!(is_reported, "{error}");
    }
}

#[test]
fn splits_must_match() {
    let scene = Scene::new();
    scene.write("a-train.arff", HEAD);
    let differ = |content: &str| {
        scene.write("a-test.arff", content);
        match scene.read().unwrap_err() {
            DatasetError::SplitsDiffer { difference, .. } => difference,
            other => panic!("{other}"),
        }
    };
    assert_eq!(
        differ(&HEAD.replace("@attribute n {a,b}\n", "")),
        Difference::Columns { expected: 3, found: 2 }
    );
    let (expected, found) = ("x".to_owned(), "y".to_owned());
    assert_eq!(
        differ(&HEAD.replace("attribute x", "attribute y")),
        Difference::Column { column: 1, expected, found }
    );
    assert_eq!(differ(&HEAD.replace("{a,b}", "numeric")), Difference::Kind { name: "n".into() });
    assert_eq!(
        differ(&HEAD.replace("p,p/q", "p,p/r,s")),
        Difference::Hierarchy { expected: 3, found: 4 }
    );
}

#[test]
fn folders_are_checked() {
    let scene = Scene::new();
    let why = || match scene.read().unwrap_err() {
        DatasetError::NotADataset { reason, .. } => reason,
        other => panic!("{other}"),
    };
    assert_eq!(why(), NotADataset::NoFile);
    scene.write("one.arff", HEAD);
    scene.write("two-train.arff", HEAD);
    assert_eq!(why(), NotADataset::NoSplit("one.arff".into()));
    scene.write("two.csv", "");
    assert_eq!(why(), NotADataset::SeveralFormats);
    let nowhere = Source::Path(scene.path("nowhere")).read(&ReadOptions::default());
    assert!(matches!(nowhere, Err(DatasetError::Input(InputError::Open { .. }))));
    scene.write("x.docx", "");
    let odd = scene.read_file("x.docx", &ReadOptions::default());
    assert!(matches!(odd, Err(DatasetError::UnknownFormat { .. })));
}

#[test]
fn rules_that_do_not_match_are_reported_with_their_file() {
    let scene = Scene::new();
    scene.write(
        "r-train.arff",
        "@relation 'r: -C 2'\n@attribute a {0,1}\n@attribute b {0,1}\n@data\n1,1\n",
    );
    scene.write("rules.txt", "a -> c\n");
    let data = scene.read().unwrap();
    assert_eq!((data.unknown_labels(), data.program().rules().len()), (&["c".to_owned()][..], 0));
    let unknown_labels = rulebound_data::unknown_labels::UnknownLabels::Error;
    let options = ReadOptions { unknown_labels, ..ReadOptions::default() };
    let source = Source::Path(scene.root().to_path_buf());
    let error = source.read(&options).unwrap_err().to_string();
    assert!(
        error.contains("rules.txt") && error.contains("`c` is not in the label list"),
        "{error}"
    );
}

#[test]
fn mistakes_in_ontologies_are_reported_line_by_line() {
    let scene = Scene::new();
    let path = scene.write(
        "o.obo",
        "[Term]\nname: nameless\n\n[Term]\nid: A\nis_a: B ! gone\nis_a: ! none\n\n[Term]\nid: A\n",
    );
    let error = Ontology::read(&path).unwrap_err();
    let reported: Vec<_> = mistakes(&error).0.iter().map(|m| (m.line, &m.problem)).collect();
    assert_eq!(
        reported,
        [
            (7, &Problem::NoTerm),
            (1, &Problem::TermWithoutId),
            (9, &Problem::DuplicateTerm),
            (6, &Problem::UnknownTerm)
        ]
    );
    let path = scene.write("c.obo", "[Term]\nid: A\nis_a: B\n[Term]\nid: B\nis_a: A\n");
    assert!(Ontology::read(&path).unwrap_err().to_string().ends_with("cycle: A -> B -> A"));
}

#[test]
fn a_descriptor_is_checked() {
    let scene = Scene::new();
    scene.write("c.csv", "x,a\n1,1\n2,0\n");
    let data = scene.read_with(&labelled(LabelColumns::Last(1))).unwrap();
    let folder = Scene::new();
    let written = || {
        rulebound_data::dataset::convert(&data, ConvertFormat::Csv, folder.root()).unwrap();
        std::fs::read_to_string(folder.path("dataset.json")).unwrap()
    };
    let with = |from: &str, to: &str| {
        let text = written();
        assert!(text.contains(from), "{text}");
        folder.write("dataset.json", text.replace(from, to));
        folder.read().unwrap_err()
    };
    assert!(matches!(
        with("\"version\": 1", "\"version\": 2"),
        DatasetError::DescriptorVersion { found: 2, .. }
    ));
    assert!(matches!(with("\"columns\"", "\"colums\""), DatasetError::Descriptor { .. }));
    assert!(matches!(with("{", "["), DatasetError::Descriptor { .. }));
    assert!(matches!(with("\"x\"", "\"y\""), DatasetError::SplitsDiffer { .. }));
    assert!(matches!(with("\"train\"", "\"test\""), DatasetError::Input(InputError::Open { .. })));
    let error = with("\"not_evaluated\": []", "\"not_evaluated\": [\"z\"]");
    assert_eq!(mistakes(&error).0[0].text, "z");
    written();
    folder.write("train.csv", "x,a\none,1\n");
    assert_eq!(mistakes(&folder.read().unwrap_err()).0[0].line, 2);
}

#[test]
fn a_folder_that_cannot_be_created_is_an_error() {
    let scene = Scene::new();
    let file = scene.write("file", "");
    let data = "rectangles".parse::<Source>().unwrap().read(&ReadOptions::default()).unwrap();
    let made = rulebound_data::dataset::convert(&data, ConvertFormat::Csv, &file.join("inside"));
    assert!(matches!(made, Err(DatasetError::MakeFolder { .. })));
}

#[test]
fn a_long_line_of_mistakes_takes_linear_time() {
    let [short, long] = in_turns(
        1,
        [&mut || long_lines_of_mistakes(30_000), &mut || long_lines_of_mistakes(300_000)],
    );
    // Ten times the cells: 10 if linear, 100 if quadratic.
    assert!(long / short < 50.0, "{short} and {long}");
}

/// Reads a line of mistakes with this many cells in every format.
fn long_lines_of_mistakes(cells: usize) {
    let scene = Scene::new();
    let attributes: String = (0..cells).map(|n| format!("@attribute a{n} numeric\n")).collect();
    let row = "x,".repeat(cells - 1);
    scene.write("w.arff", format!("@relation 'w: -C 1'\n{attributes}@data\n0,{row}y\n"));
    assert_eq!(mistakes(&scene.read().unwrap_err()).1, cells as u64);
    let scene = Scene::new();
    scene.write("w.svm", format!("1 {}", "x:1 ".repeat(cells)));
    assert_eq!(mistakes(&scene.read().unwrap_err()).1, cells as u64);
    let scene = Scene::new();
    scene.write("w.arff", format!("{HEAD}1,a,{}z\n", "z@".repeat(cells - 1)));
    assert_eq!(mistakes(&scene.read().unwrap_err()).1, cells as u64);
    let scene = Scene::new();
    scene.write("w.arff", "@relation w\n@attribute a {0,1}\n@data\n1\n");
    let list: String = (0..cells).map(|n| format!("<label name=\"{n}\"/>")).collect();
    scene.write("w.xml", format!("<labels>{list}</labels>"));
    let error = scene.read().unwrap_err();
    assert_eq!(mistakes(&error).1, cells as u64);
    assert_eq!(mistakes(&error).0[1].column, 26);
    // A path of this many levels would be that many classes, each as long as its depth.
    let scene = Scene::new();
    scene.write("w.arff", HEAD.replace("p/q", &format!("{}p", "p/".repeat(cells))));
    let error = scene.read().unwrap_err();
    assert_eq!(mistakes(&error).0[0].problem, Problem::TooDeep { limit: 64 });
}

#[test]
fn a_hierarchy_may_be_ignored() {
    let scene = Scene::new();
    scene.write("h.arff", format!("{HEAD}1,a,p/q\n"));
    let data = scene.read_with(&labelled(LabelColumns::None)).unwrap();
    assert_eq!(
        (data.classes().len(), data.identifiers()[0].values[0].as_deref()),
        (0, Some("p/q"))
    );
}

#[test]
fn a_duplicate_feature_in_an_svmlight_row_is_reported_at_its_second_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("twice.svm");
    std::fs::write(&path, "1 1:1\n1 2:1 1:1 2:2\n").unwrap();
    let error = Source::Path(path).read(&ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("2:11"), "{error}");
}

#[test]
fn an_svmlight_file_without_a_feature_is_not_a_data_set() {
    let folder = tempfile::tempdir().unwrap();
    for text in ["", "# nothing\n", ",\n", "1,2\n"] {
        let path = folder.path().join("empty.svm");
        std::fs::write(&path, text).unwrap();
        let error = Source::Path(path).read(&ReadOptions::default()).unwrap_err();
        assert!(error.to_string().contains("no row has a feature"), "{error}");
    }
}
