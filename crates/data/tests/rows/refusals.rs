//! What a row reader rejects, and its errors.

use rulebound_data::dataset::{DatasetError, PipelineError, Problem, RowOptions};
use rulebound_io::input::InputError;

use crate::scene::{Scene, fit, mistakes, read};

const FITTED: &str = "weight,fur,age,cat\n4,yes,1,1\n6,no,2,0\n5,?,NA,0\n";

#[test]
fn all_missing_columns_are_named_at_once() {
    let scene = Scene::new();
    let pipeline = scene.fit(FITTED);
    let empty_arff = "@relation x\n@attribute fur {no}\n@data\nno\n";
    for (name, text) in [("m.csv", "fur\nno\n"), ("m.arff", empty_arff)] {
        let error = scene.rows(name, text, &pipeline).unwrap_err();
        let DatasetError::Columns { path, source } = &error else {
            panic!("{error}");
        };
        assert_eq!(path, &scene.path(name));
        let names = vec!["weight".to_owned(), "age".to_owned()];
        assert_eq!(source, &PipelineError::MissingColumns { names });
        assert!(error.to_string().ends_with("2 columns are missing: `weight`, `age`"), "{error}");
    }
    let error = scene.rows("m.svm", "1 1:2\n", &pipeline).unwrap_err();
    assert!(error.to_string().contains("`weight`, `fur`, `age`"), "{error}");
    let arff = "@relation x\n@attribute fur numeric\n@attribute weight {a,b}\n\
                @attribute age numeric\n@data\n";
    let error = scene.rows("k.arff", arff, &pipeline).unwrap_err();
    let DatasetError::Columns { source: PipelineError::WrongKind { names }, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(names, ["weight", "fur"]);
}

#[test]
fn every_mistake_has_its_place() {
    let scene = Scene::new();
    let pipeline = scene.fit(FITTED);
    let text = "x,fur,weight,age\n1,no,heavy,2\n\n\"a\nb\",no,1,inf\n1,no,2\n";
    let error = scene.rows("w.csv", text, &pipeline).unwrap_err();
    let (kept, total) = mistakes(&error);
    let places: Vec<_> = kept.iter().map(|m| (m.line, m.column, m.text.as_str())).collect();
    assert_eq!(places, [(2, 3, "heavy"), (4, 4, "inf"), (6, 3, "2")]);
    assert_eq!(total, 3);
    assert_eq!(kept[0].problem, Problem::NotANumber { column: "weight".into() });
    assert_eq!(kept[1].problem, Problem::NotFinite { column: "age".into() });

    let arff = "@relation x\n@attribute fur {no,yes}\n@attribute weight numeric\n\
                @attribute age numeric\n@data\nno,1,2\nblue,x,2\n{1 4,1 5}\n";
    let error = scene.rows("w.arff", arff, &pipeline).unwrap_err();
    let places: Vec<_> = mistakes(&error).0.iter().map(|m| (m.line, m.column)).collect();
    assert_eq!(places, [(7, 1), (7, 6), (8, 6)]);

    let error = scene.rows("q.csv", "fur,weight,age\nno,1,2\n\"no,1,2\nno,1,2\n", &pipeline);
    let error = error.unwrap_err();
    assert!(mistakes(&error).0.iter().any(|m| m.problem == Problem::OpenQuote), "{error}");
}

#[test]
fn twenty_mistakes_are_reported_and_the_rest_counted_to_the_end_of_the_file() {
    let scene = Scene::new();
    let pipeline = scene.fit(FITTED);
    let good = "no,1,2\n".repeat(10);
    let text = format!("fur,weight,age\n{good}{}{good}no,y,2\n", "no,x,2\n".repeat(1000));
    let error = scene.rows("many.csv", text, &pipeline).unwrap_err();
    let (kept, total) = mistakes(&error);
    assert_eq!((kept.len(), total, kept[0].line), (20, 1001, 12));
}

#[test]
fn only_wanted_columns_need_be_utf8() {
    let scene = Scene::new();
    let pipeline = scene.fit(FITTED);
    let latin1 = b"note,weight,age,fur\ncaf\xe9,4,1,no\n";
    assert_eq!(scene.rows("l.csv", latin1, &pipeline).unwrap().ids.len(), 1);
    let error = scene.rows("l.csv", b"note,weight,age,fur\nx,4,1,caf\xe9\n", &pipeline);
    let error = error.unwrap_err();
    let (kept, total) = mistakes(&error);
    assert_eq!((kept[0].line, kept[0].column, total), (2, 4, 1));
    assert_eq!(kept[0].problem, Problem::NotUtf8);
}

#[test]
fn a_feature_0_of_a_file_with_another_index_base() {
    let scene = Scene::new();
    let pipeline = fit(&scene.data("f.svm", "1 1:0.5 3:2\n2 2:1 3:4\n", 0));
    let error = scene.rows("p.svm", "1:1\n0:1 3:2\n", &pipeline).unwrap_err();
    let (kept, _) = mistakes(&error);
    assert_eq!((kept[0].line, kept[0].text.as_str()), (2, "0:1"));
    assert!(matches!(kept[0].problem, Problem::BadIndex { first: 1, .. }));
}

#[test]
fn missing_identifiers_and_invalid_files() {
    let scene = Scene::new();
    let pipeline = scene.fit(FITTED);
    let options = RowOptions { id_column: Some("photo".into()), ..RowOptions::default() };
    let arff = "@relation x\n@attribute fur {no}\n@data\n";
    for (name, text) in [("n.csv", "fur,weight,age\n"), ("n.arff", arff), ("n.svm", "1:1\n")] {
        let error = read(&scene.write(name, text), &pipeline, &options).unwrap_err();
        assert!(
            matches!(&error, DatasetError::NoColumn { name, .. } if name == "photo"),
            "{error}"
        );
    }
    let absent = read(&scene.path("absent.csv"), &pipeline, &RowOptions::default()).unwrap_err();
    assert!(matches!(absent, DatasetError::Input(InputError::Open { .. })));
    let unknown = scene.rows("x.json", "{}", &pipeline).unwrap_err();
    assert!(matches!(unknown, DatasetError::UnknownFormat { .. }));
    let empty = scene.rows("empty.csv", "", &pipeline).unwrap_err();
    assert!(matches!(empty, DatasetError::NoHeader { .. }));
    let cut = scene.write("cut.csv.gz", format!("fur,weight,age\n{}", "no,1,2\n".repeat(5000)));
    let bytes = std::fs::read(&cut).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() - 20]).unwrap();
    let error = read(&cut, &pipeline, &RowOptions::default()).unwrap_err();
    assert!(matches!(error, DatasetError::Input(InputError::Gzip { .. })), "{error}");
}
