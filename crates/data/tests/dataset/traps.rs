//! Pitfalls of real files, each reproduced in a small file.

use rulebound_data::dataset::{Column, ReadOptions, Split, Summary};

use crate::scene::{Scene, cells, labels, names, rules};

const LIST: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="second"></label>
<label name="first"/>
</labels>
"#;

#[test]
fn paths_make_every_prefix_an_ancestor() {
    let scene = Scene::new();
    scene.write(
        "t.train.arff.gz",
        "@RELATION 't'\n\n@ATTRIBUTE x numeric\n\
         @ATTRIBUTE class   hierarchical 01/01,01/01/03,02,02/05/01\n@DATA\n\
         1.5,01/01/03@02\n?,02/05/01\n",
    );
    let data = scene.read().unwrap();
    assert_eq!(labels(&data, 0), ["root", "01", "01/01", "01/01/03", "02"]);
    assert_eq!(labels(&data, 1), ["root", "02", "02/05", "02/05/01"]);
    assert_eq!(cells(&data, 1), ["?"]);
    assert_eq!(
        rules(&data),
        [
            "01/01 -> 01",
            "01 -> root",
            "01/01/03 -> 01/01",
            "02 -> root",
            "02/05/01 -> 02/05",
            "02/05 -> 02"
        ]
    );
    let summary = Summary::new(&data);
    assert_eq!((summary.classes, summary.evaluated_classes), (7, 6));
    assert_eq!(summary.incoherent_rows[&Split::Train], 0);
    // Two rows of four and three evaluated classes.
    assert_eq!(summary.label_cardinality, 3.5);
}

#[test]
fn edges_make_a_dag_whose_roots_are_not_evaluated() {
    let scene = Scene::new();
    scene.write(
        "go.train.arff",
        "@RELATION go\n@ATTRIBUTE x numeric\n@ATTRIBUTE class hierarchical \
         root/GO0003674,GO0003674/GO1,root/GO0008150,GO0008150/GO2,GO1/GO3,GO2/GO3,root/GO0005575\n\
         @DATA\n0,GO3\n1,GO1@GO2\n2,?\n",
    );
    let data = scene.read().unwrap();
    assert_eq!(labels(&data, 0), ["root", "GO0003674", "GO1", "GO0008150", "GO2", "GO3"]);
    assert_eq!(labels(&data, 1), ["root", "GO0003674", "GO1", "GO0008150", "GO2"]);
    assert!(labels(&data, 2).is_empty());
    assert_eq!(data.program().rules().len(), 7);
    let evaluated: Vec<_> =
        data.classes().ids().filter(|id| data.evaluated()[id.index()]).collect();
    let evaluated: Vec<_> = evaluated.into_iter().map(|id| data.classes().name(id)).collect();
    assert_eq!(evaluated, ["GO1", "GO2", "GO3"]);
}

#[test]
fn duplicate_attribute_names_are_made_unique() {
    let scene = Scene::new();
    scene.write(
        "t.arff",
        "@relation t\n@attribute hs_2 numeric\n@attribute b numeric\n@attribute hs_2 numeric\n\
         @attribute class hierarchical a,b\n@data\n1,2,3,a\n",
    );
    let data = scene.read().unwrap();
    assert_eq!(names(&data), ["hs_2", "b", "hs_2#2"]);
    assert_eq!(cells(&data, 0), ["1", "2", "3"]);
}

#[test]
fn lines_may_end_in_cr_lf() {
    let scene = Scene::new();
    scene.write(
        "I_Train.arff",
        "@RELATION ehd\r\n\r\n@ATTRIBUTE arg1 NUMERIC\r\n@ATTRIBUTE n {a, b}\r\n\
         @ATTRIBUTE class hierarchical 2,2/1\r\n@DATA\r\n7,b,2@2/1\r\n",
    );
    let data = scene.read().unwrap();
    assert_eq!(data.columns()[1], Column::nominal("n", ["a", "b"]));
    assert_eq!(
        (cells(&data, 0), labels(&data, 0)),
        (vec!["7".into(), "b".into()], vec!["root", "2", "2/1"])
    );
}

#[test]
fn labels_follow_the_attributes_not_the_list() {
    let scene = Scene::new();
    scene.write(
        "y-train.arff",
        "@relation y\n@attribute x numeric\n@attribute first {0,1}\n@attribute second {0,1}\n\
         @data\n1,1,0\n2,1,1\n3,0,0\n",
    );
    scene.write("y.xml", LIST);
    scene.write("y_constraints.txt", "0.3 0 :- 1 \n");
    let data = scene.read().unwrap();
    assert!(data.classes().names().eq(["first", "second"]));
    assert_eq!(rules(&data), ["second -> first"]);
    assert_eq!(labels(&data, 0), ["first"]);
    // In the order of the list the first row would break the rule.
    assert_eq!(Summary::new(&data).incoherent_rows[&Split::Train], 0);
}

#[test]
fn a_nominal_with_a_value_for_every_row_is_an_identifier() {
    let scene = Scene::new();
    let head = "@relation g\n@attribute protein {P1,P2,P3,P4}\n@attribute f {YES,NO}\n\
                @attribute second {0,1}\n@attribute first {0,1}\n@data\n";
    scene.write("g-train.arff", format!("{head}P3,YES,1,0\nP1,NO,0,0\nP2,NO,0,1\n"));
    scene.write("g-test.arff", format!("{head}P4,NO,1,1\n"));
    scene.write("g.xml", LIST);
    let data = scene.read().unwrap();
    assert_eq!(names(&data), ["f"]);
    let [protein] = data.identifiers() else {
        panic!("{:?}", data.identifiers());
    };
    assert_eq!(protein.name, "protein");
    assert_eq!(protein.values, ["P3", "P1", "P2", "P4"].map(|p| Some(p.to_owned())));
    let summary = Summary::new(&data);
    assert_eq!((summary.features, summary.features_encoded), (2, 2));
}

#[test]
fn a_label_that_is_never_positive_is_reported() {
    let scene = Scene::new();
    let head = "@relation n\n@attribute second {0,1}\n@attribute first {0,1}\n@data\n";
    scene.write("n-train.arff", format!("{head}0,1\n0,0\n"));
    scene.write("n-test.arff", format!("{head}1,0\n"));
    scene.write("n.xml", LIST);
    let summary = Summary::new(&scene.read().unwrap());
    assert_eq!(summary.never_positive[&Split::Train], ["second"]);
    assert_eq!(summary.never_positive[&Split::Test], ["first"]);
    assert_eq!(summary.rows.keys().collect::<Vec<_>>(), [&Split::Train, &Split::Test]);
}

#[test]
fn cells_absent_from_a_sparse_row_are_zero_or_the_first_value() {
    let scene = Scene::new();
    scene.write(
        "m-train.arff",
        "@relation 'MEDC: -C 45'\n@attribute n numeric\n@attribute w {1,0}\n@attribute c {red,'dark blue'}\n\
         @attribute second {0,1}\n@attribute first {1,0}\n@data\n\
         {}\n{0 2.5, 1 0,2 'dark blue',3 1,4 0}\n{ 2 ?,1 0 }\n",
    );
    scene.write("m.xml", LIST);
    let data = scene.read().unwrap();
    assert_eq!(cells(&data, 0), ["0", "1", "red"]);
    assert_eq!(labels(&data, 0), ["first"], "the first value of `first` is 1");
    assert_eq!(cells(&data, 1), ["2.5", "0", "dark blue"]);
    assert_eq!(labels(&data, 1), ["second"]);
    assert_eq!(cells(&data, 2), ["0", "0", "?"]);
}

#[test]
fn an_xml_list_takes_precedence_over_the_relation_name() {
    let scene = Scene::new();
    scene.write(
        "m-train.arff",
        "@relation 'x: -C 1'\n@attribute second {0,1}\n@attribute first {0,1}\n@data\n0,1\n",
    );
    scene.write("m.xml", LIST);
    assert_eq!(scene.read().unwrap().classes().len(), 2);
    std::fs::remove_file(scene.path("m.xml")).unwrap();
    let meka = scene.read().unwrap();
    assert!(meka.classes().names().eq(["second"]));
    assert_eq!(names(&meka), ["first"]);
}

#[test]
fn old_files_are_latin1() {
    let scene = Scene::new();
    let arff = b"@relation l\n@attribute gr\xf6\xdfe numeric\n@attribute n {caf\xe9,th\xe9}\n\
                 @attribute \xfc {0,1}\n@data\n1,caf\xe9,1\n";
    scene.write("l-train.arff", arff);
    scene.write("l.xml", b"<labels><label name=\"\xfc\"/></labels>");
    let data = scene.read().unwrap();
    assert_eq!(names(&data), ["größe", "n"]);
    assert_eq!(cells(&data, 0), ["1", "café"]);
    assert_eq!(labels(&data, 0), ["ü"]);
    // The same in UTF-8 is the same data.
    let utf8 = Scene::new();
    utf8.write("l-train.arff", "@relation l\n@attribute größe numeric\n@attribute n {café,thé}\n@attribute ü {0,1}\n@data\n1,café,1\n");
    utf8.write("l.xml", "<labels><label name=\"ü\"/></labels>");
    let utf8 = utf8.read().unwrap();
    assert_eq!((names(&utf8), cells(&utf8, 0)), (names(&data), cells(&data, 0)));
}

#[test]
fn a_file_by_itself_is_a_train_split_and_finds_its_list() {
    let scene = Scene::new();
    scene.write(
        "y-train.arff.gz",
        "@relation y\n@attribute first {0,1}\n@attribute second {0,1}\n@data\n1,0\n",
    );
    scene.write("y.xml", LIST);
    let data = scene.read_file("y-train.arff.gz", &ReadOptions::default()).unwrap();
    assert_eq!((data.name(), data.split(Split::Train)), ("y-train", Some(0..1)));
    assert_eq!(data.split(Split::Test), None);
}

#[test]
fn nominal_values_of_other_splits_are_added() {
    let scene = Scene::new();
    let file = |values: &str, row: &str| {
        format!("@relation v -C 1\n@attribute l {{0,1}}\n@attribute n {{{values}}}\n@data\n{row}\n")
    };
    scene.write("v-train.arff", file("a,b", "1,b"));
    scene.write("v-test.arff", file("c,b", "0,c\n{}"));
    scene.write("note.txt", "not data");
    // MEKA's `-C` needs the quotes that a name with spaces has.
    let data = scene.read().unwrap();
    assert_eq!(data.columns()[0], Column::nominal("n", ["a", "b", "c"]));
    assert_eq!([0, 1, 2].map(|row| cells(&data, row).remove(0)), ["b", "c", "c"]);
}
