//! What each format can express.

use rulebound_core::Labels;
use rulebound_data::dataset::{
    Column, ConvertFormat, IndexBase, LabelColumns, Ontology, ReadOptions, Source, Split, Summary,
    convert,
};
use rulebound_data::label_policy::LabelPolicy;

use crate::scene::{Scene, cells, labels, names, rules};

fn labelled(labels: LabelColumns) -> ReadOptions {
    ReadOptions { labels: Some(labels), ..ReadOptions::default() }
}

#[test]
fn arff_quoting_and_spacing() {
    let scene = Scene::new();
    scene.write(
        "w.arff",
        "% comment\n@RELATION 'w: -C -1'\n@attribute 'a b' REAL\n@attribute\tc{x, 'y z' ,\"it's\"}\n\
         @attribute s string\n@attribute when date 'yyyy'\n@attribute 'l\\'s' {0,1}\n\n@data\n\
         % another\n 1e-3 , 'y z', 'say \"hi\"', '2001', 1\n-.5,\"it's\",?,?,0\n",
    );
    let data = scene.read().unwrap();
    assert_eq!(names(&data), ["a b", "c"]);
    assert_eq!(data.columns()[1], Column::nominal("c", ["x", "y z", "it's"]));
    assert_eq!(
        (cells(&data, 0), cells(&data, 1)),
        (vec!["0.001".to_owned(), "y z".into()], vec!["-0.5".to_owned(), "it's".into()],)
    );
    assert_eq!(data.identifiers()[0].values, [Some("say \"hi\"".to_owned()), None]);
    assert_eq!(data.identifiers()[1].name, "when");
    assert_eq!((labels(&data, 0), labels(&data, 1)), (vec!["l's"], vec![]));
}

#[test]
fn nested_xml_labels_are_rules() {
    let scene = Scene::new();
    scene.write("n.arff", "@relation n\n@attribute a {0,1}\n@attribute b {0,1}\n@attribute 'c & d' {0,1}\n@data\n1,1,1\n");
    scene.write("n.xml", "<labels><label name=\"a\"><label name=\"b\"><label name=\"c &amp; d\"/></label></label></labels>");
    assert_eq!(rules(&scene.read().unwrap()), ["b -> a", "\"c & d\" -> b"]);
}

#[test]
fn svmlight() {
    let scene = Scene::new();
    scene.write("s-train.svm.gz", "10,2 1:0.5 3:2 # first\n# nothing\n 2:1\n2 qid:7 2:-1\n");
    scene.write("s-test.svm", "3 4:1\n1:1\n");
    let data = scene.read().unwrap();
    assert_eq!(names(&data), ["1", "2", "3", "4"]);
    assert!(data.classes().names().eq(["2", "3", "10"]));
    assert_eq!((data.split(Split::Train), data.split(Split::Test)), (Some(0..3), Some(3..5)));
    assert_eq!(data.features(0), [0.5, 0.0, 2.0, 0.0]);
    assert_eq!(data.features(2), [0.0, -1.0, 0.0, 0.0]);
    let all: Vec<_> = (0..5).map(|row| labels(&data, row)).collect();
    assert_eq!(all, [vec!["2", "10"], vec![], vec!["2"], vec!["3"], vec![]]);
    let zero = ReadOptions { index_base: IndexBase::Zero, ..ReadOptions::default() };
    assert_eq!(names(&scene.read_with(&zero).unwrap()), ["0", "1", "2", "3", "4"]);
    scene.write("s-test.svm", "a 0:1\n");
    let data = scene.read().unwrap();
    assert_eq!(names(&data), ["0", "1", "2", "3"]);
    assert!(data.classes().names().eq(["10", "2", "a"]));
}

#[test]
fn csv_label_columns() {
    let scene = Scene::new();
    scene.write("c-train.csv", "\u{feff}id,x,colour,l_a,l_b\r\nu1,1.5,red,1,0\r\nu2,?,\"blue, dark\",false,TRUE\r\nu3,,red,0,1\r\n");
    scene.write("c-valid.csv", "id,x,colour,l_a,l_b\nu4,2,green,1,1\n");
    let by_name =
        scene.read_with(&labelled(LabelColumns::Named(vec!["l_b".into(), "l_a".into()]))).unwrap();
    for same in [LabelColumns::Prefix("l_".into()), LabelColumns::Last(2)] {
        assert_eq!(scene.read_with(&labelled(same)).unwrap(), by_name);
    }
    assert_eq!(names(&by_name), ["x", "colour"]);
    assert_eq!(by_name.identifiers()[0].name, "id");
    assert_eq!(by_name.columns()[1], Column::nominal("colour", ["red", "blue, dark", "green"]));
    let all: Vec<_> = (0..4).map(|row| (cells(&by_name, row), labels(&by_name, row))).collect();
    let row = |x: &str, colour: &str| vec![x.to_owned(), colour.to_owned()];
    assert_eq!(
        all,
        [
            (row("1.5", "red"), vec!["l_a"]),
            (row("?", "blue, dark"), vec!["l_b"]),
            (row("?", "red"), vec!["l_b"]),
            (row("2", "green"), vec!["l_a", "l_b"]),
        ]
    );
    assert_eq!(by_name.split(Split::Valid), Some(3..4));
    assert_eq!(Summary::new(&by_name).missing_share, 0.25);
    let nominal = vec!["l_a".into(), "l_b".into()];
    let features_only = ReadOptions { nominal, ..labelled(LabelColumns::None) };
    let features_only = scene.read_with(&features_only).unwrap();
    assert_eq!((features_only.classes().len(), features_only.columns().len()), (0, 4));
}

#[test]
fn joined_labels_in_one_column() {
    let scene = Scene::new();
    scene.write("j.tsv", "text id\tx\ttags\tn\n1\t5\tzoo|ape\t1\n2\t6\t\tb\n3\t7\tape | bee\t1\n");
    scene.write("j.rules", "ape -> zoo\n");
    let options = ReadOptions {
        identifiers: vec!["text id".into()],
        nominal: vec!["n".into()],
        ..labelled(LabelColumns::Joined("tags".into()))
    };
    let written = ReadOptions { label_policy: Some(LabelPolicy::Keep), ..options.clone() };
    let kept = scene.read_with(&written).unwrap();
    assert_eq!(labels(&kept, 2), ["ape", "bee"]);
    assert_eq!(Summary::new(&kept).incoherent_rows[&Split::Train], 1);
    // Labels that are written by name take what the rules beside the table imply.
    let data = scene.read_with(&options).unwrap();
    assert!(data.classes().names().eq(["ape", "bee", "zoo"]));
    let all: Vec<_> = (0..3).map(|row| labels(&data, row)).collect();
    assert_eq!(all, [vec!["ape", "zoo"], vec![], vec!["ape", "bee", "zoo"]]);
    assert_eq!(data.identifiers()[0].values, ["1", "2", "3"].map(|id| Some(id.to_owned())));
    assert_eq!(data.columns()[1], Column::nominal("n", ["1", "b"]));
    assert_eq!(rules(&data), ["ape -> zoo"]);
    assert_eq!(Summary::new(&data).incoherent_rows[&Split::Train], 0);
    let strict = ReadOptions { label_policy: Some(LabelPolicy::Strict), ..options };
    let error = scene.read_with(&strict).unwrap_err().to_string();
    let told = ": the labels of `3` imply `zoo`, which is not among them";
    assert!(error.ends_with(told), "{error}");
}

#[test]
fn a_csv_folder_reads_as_the_parquet_folder_without_their_descriptors() {
    let scene = Scene::new();
    scene.write("c-train.csv", "x,n,a,b\n1.5,red,1,0\n,blue,0,1\n0.1,,0,1\n2,red,1,1\n");
    scene.write("c-test.csv", "x,n,a,b\n3,blue,1,1\n");
    let data = scene.read_with(&labelled(LabelColumns::Last(2))).unwrap();
    for format in [ConvertFormat::Parquet, ConvertFormat::Csv] {
        let folder = Scene::new();
        convert(&data, format, folder.root()).unwrap();
        std::fs::remove_file(folder.path("dataset.json")).unwrap();
        let back = folder.read_with(&labelled(LabelColumns::Last(2))).unwrap();
        assert_eq!((back.columns(), back.labels()), (data.columns(), data.labels()));
        assert!((0..5).all(|row| cells(&back, row) == cells(&data, row)));
    }
}

#[test]
fn converting_writes_these_files_and_a_real_set_survives() {
    let scene = Scene::new();
    let head = "@RELATION t\n@ATTRIBUTE x numeric\n@ATTRIBUTE n {a,'b c'}\n\
                @ATTRIBUTE class hierarchical 01,01/02,03\n@DATA\n";
    scene.write("t.train.arff", format!("{head}0.1,a,01/02\n?,'b c',03\n"));
    scene.write("t.test.arff", format!("{head}-7e-9,?,01@03\n"));
    let data = scene.read().unwrap();
    for format in ConvertFormat::ALL {
        let folder = Scene::new();
        let inner = folder.path("made/here");
        convert(&data, format, &inner).unwrap();
        // Again over the existing files, including the leftovers of another format.
        convert(&data, format, &inner).unwrap();
        let mut files: Vec<_> = std::fs::read_dir(&inner)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        let extension = if format == ConvertFormat::Mulan { "arff" } else { format.name() };
        let list = if format == ConvertFormat::Mulan { "labels.xml" } else { "labels.txt" };
        let (train, test) = (format!("train.{extension}"), format!("test.{extension}"));
        assert_eq!(files, ["dataset.json", list, "rules.txt", &test, &train]);
        let rules = std::fs::read_to_string(inner.join("rules.txt")).unwrap();
        assert_eq!(rules, "01 -> root\n01/02 -> 01\n03 -> root\n");
        assert!(Source::Path(inner).read(&ReadOptions::default()).unwrap() == data);
    }
}

#[test]
fn a_mulan_folder_reads_as_any_mulan_set_does() {
    let scene = Scene::new();
    scene.write("c.csv", "x,n,a,b\n1.5,red,1,0\n,blue,0,1\n0.1,,0,1\n2,red,1,1\n");
    let data = scene.read_with(&labelled(LabelColumns::Last(2))).unwrap();
    let folder = Scene::new();
    convert(&data, ConvertFormat::Mulan, folder.root()).unwrap();
    std::fs::remove_file(folder.path("dataset.json")).unwrap();
    let back = folder.read().unwrap();
    assert_eq!((back.columns(), back.labels()), (data.columns(), data.labels()));
}

mod needs_data {
    use super::*;
    use rulebound_testing::needs;

    #[test]
    #[ignore = "needs RULEBOUND_DATA"]
    fn a_set_of_the_paper_survives_conversion() {
        let folder = needs::data();
        for (name, format) in [
            ("lcmc/genbase", ConvertFormat::Csv),
            ("hmc/eisen_FUN", ConvertFormat::Mulan),
            ("lcmc/cal500", ConvertFormat::Parquet),
        ] {
            let data = Source::Path(folder.join(name)).read(&ReadOptions::default()).unwrap();
            let converted = Scene::new();
            convert(&data, format, converted.root()).unwrap();
            assert!(converted.read().unwrap() == data, "{name}");
        }
    }
}

const OBO: &str = "format-version: 1.2\n\n[Term]\nid: GO:1\nname: top\n\n[Term]\nid: GO:2\nalt_id: GO:22\n\
    is_a: GO:1 {source=\"x\"} ! top\n\n[Term]\nid: GO:3\nis_a: GO:22\nrelationship: part_of GO:1 ! top\n\
    relationship: regulates GO:4\n\n[Term]\nid: GO:4\nis_obsolete: true\nis_a: GO:1\n\n\
    [Term]\nid: GO:5\nis_a: GO:3\nis_a: GO:4\n\n[Typedef]\nid: part_of\nis_a: overlaps\n";

#[test]
fn an_ontology_is_rules() {
    let scene = Scene::new();
    let ontology = Ontology::read(&scene.write("go.obo.gz", OBO)).unwrap();
    let program = ontology.program().unwrap();
    let shown = |rule: &rulebound_core::Rule| rule.display(program.labels()).to_string();
    let all: Vec<_> = program.rules().iter().map(shown).collect();
    assert_eq!(all, ["GO:2 -> GO:1", "GO:3 -> GO:2", "GO:3 -> GO:1", "GO:5 -> GO:3"]);
    assert_eq!(ontology.terms(), 4);
    assert_eq!((ontology.resolve("GO:22"), ontology.resolve("GO:4")), (Some("GO:2"), None));
}

#[test]
fn an_ontology_about_some_of_its_terms() {
    let scene = Scene::new();
    let ontology = Ontology::read(&scene.write("go.obo", OBO)).unwrap();
    let labels = Labels::new(["GO5", "other", "GO:22", "GO_1"]).unwrap();
    let rules = ontology.rules_for(&labels);
    let shown: Vec<_> = rules.iter().map(|rule| rule.display(&labels).to_string()).collect();
    assert_eq!(shown, ["GO5 -> GO:22", "GO5 -> GO_1", "GO:22 -> GO_1"]);
    scene.write("t.csv", "x,GO:5,GO:1\n1,1,0\n");
    let options = ReadOptions {
        rules: Some(scene.path("go.obo")),
        ..labelled(LabelColumns::Prefix("GO".into()))
    };
    let data = Source::Path(scene.path("t.csv")).read(&options).unwrap();
    assert_eq!(Summary::new(&data).incoherent_rows[&Split::Train], 1);
}

#[test]
fn the_summary_has_these_keys() {
    let scene = Scene::new();
    scene.write("c.csv", "x,a\n1,1\n");
    let data = scene.read_with(&labelled(LabelColumns::Last(1))).unwrap();
    let json = serde_json::to_value(Summary::new(&data)).unwrap();
    assert_eq!(
        json,
        serde_json::json!({
            "features": 1, "features_encoded": 1, "classes": 1, "evaluated_classes": 1,
            "rows": {"train": 1}, "rules": 0, "label_cardinality": 1.0, "missing_share": 0.0,
            "never_positive": {"train": []}, "incoherent_rows": {"train": 0},
        })
    );
}
