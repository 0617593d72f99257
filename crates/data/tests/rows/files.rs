//! How a row reader reads files.

use rulebound_data::dataset::{Builtin, IndexBase, RowBatch, RowOptions, RowReader, Split, Step};

use crate::scene::{Scene, bits, drain, fit, read};

const FITTED: &str = "weight,fur,age,cat\n4,yes,1,1\n6,no,2,0\n5,?,NA,0\n";

#[test]
fn columns_are_matched_by_name_in_any_order_and_format() {
    let scene = Scene::new();
    let pipeline = scene.fit(FITTED);
    let expected = pipeline.transform(&scene.data("again.csv", FITTED, 1), 0..3).unwrap();
    let texts = [
        ("a.csv", "id,age,noise,fur,weight,cat\na,1,x,yes,4,?\nb,2,,no,6,maybe\nc,null,,,5,\n"),
        ("a.tsv", "fur\tid\tweight\tage\nyes\ta\t4\t1\nno\tb\t 6 \t2\nNA\tc\t5\t?\n"),
        (
            "a.arff",
            "@relation x\n@attribute id string\n@attribute fur {no,blue,yes}\n\
             @attribute cat {0,1}\n@attribute weight numeric\n@attribute noise numeric\n\
             @attribute age real\n@data\n\
             a,yes,0,4,7,1\nb,no,wrong,6,?,2\n{0 c,1 ?,3 5,5 ?}\n",
        ),
    ];
    for (name, text) in texts {
        for name in [name.to_owned(), format!("{name}.gz")] {
            let all = scene.rows(&name, text, &pipeline).unwrap();
            assert_eq!(bits(&all.values), bits(&expected), "{name}");
            assert_eq!(all.ids, ["a", "b", "c"].map(|id| Some(id.to_owned())), "{name}");
            assert_eq!((all.id_name.as_deref(), all.unseen.len()), (Some("id"), 0), "{name}");
        }
    }
}

#[test]
fn an_unseen_value_is_all_zeros_and_counted() {
    let scene = Scene::new();
    let pipeline = scene.fit(FITTED);
    let csv = "fur,weight,age\nblue,4,1\n,4,1\nred,4,1\nyes,4,1\n";
    let arff = "@relation x\n@attribute fur {red,blue,yes}\n@attribute weight numeric\n\
                @attribute age numeric\n@data\nblue,4,1\n?,4,1\nred,4,1\nyes,4,1\n";
    let sparse = arff.split("@data").next().unwrap().to_owned()
        + "@data\n{0 blue,1 4,2 1}\n{0 ?,1 4,2 1}\n{1 4,2 1}\n{0 yes,1 4,2 1}\n";
    for (name, text) in [("u.csv", csv), ("u.arff", arff), ("s.arff", sparse.as_str())] {
        let all = scene.rows(name, text, &pipeline).unwrap();
        let row = |row: usize| bits(&all.values[row * 4..][..4]);
        assert_eq!((row(0), row(2)), (row(1), row(1)), "{name}");
        assert_ne!(row(3), row(1), "{name}");
        assert_eq!(all.unseen, [("fur".to_owned(), 2)], "{name}");
    }
}

#[test]
fn the_column_that_identifies_rows() {
    let scene = Scene::new();
    let pipeline = scene.fit(FITTED);
    let path = scene.write("i.csv", "fur,Photo_ID,key,weight,age\nno,a,k,007,1\nno,,k,5,1\n");
    let id = |name: Option<&str>| {
        let options = RowOptions { id_column: name.map(str::to_owned), ..RowOptions::default() };
        let all = read(&path, &pipeline, &options).unwrap();
        (all.id_name.unwrap(), all.ids)
    };
    let some = |id: &str| Some(id.to_owned());
    assert_eq!(id(None), ("Photo_ID".to_owned(), vec![some("a"), None]));
    assert_eq!(id(Some("key")), ("key".to_owned(), vec![some("k"), some("k")]));
    // A fitted column may be requested as the id: it stays a feature.
    assert_eq!(id(Some("weight")), ("weight".to_owned(), vec![some("007"), some("5")]));
    let none = scene.rows("n.csv", "fur,weight,age\nno,1,1\n", &pipeline).unwrap();
    assert_eq!((none.id_name, none.ids), (None, vec![None]));
    let arff = "@relation x\n@attribute fur {no,yes}\n@attribute id numeric\n\
                @attribute name string\n@attribute weight numeric\n@attribute age numeric\n\
                @data\nno,1,first,4,1\n";
    let path = scene.write("i.arff", arff);
    let id = |name: Option<&str>| {
        let options = RowOptions { id_column: name.map(str::to_owned), ..RowOptions::default() };
        read(&path, &pipeline, &options).unwrap().ids[0].clone().unwrap()
    };
    assert_eq!([id(None), id(Some("id")), id(Some("fur"))], ["first", "1", "no"]);
}

#[test]
fn svmlight_features_are_matched_by_number() {
    let scene = Scene::new();
    let data = scene.data("f.svm", "1 1:0.5 3:2\n2 2:1 3:4\n", 0);
    let pipeline = fit(&data);
    let expected = pipeline.transform(&data, 0..2).unwrap();
    let text = "# none\n7:9 3:2 1:0.5 # labels are skipped\n\n5,6 2:1 3:4\n";
    assert_eq!(bits(&scene.rows("p.svm.gz", text, &pipeline).unwrap().values), bits(&expected));
    // Features that are not listed are 0, even if no row lists them.
    let all = scene.rows("few.svm", "1 2:1\n", &pipeline).unwrap();
    let zeros = scene.rows("zeros.svm", "1:0 2:1 3:0\n", &pipeline).unwrap();
    assert_eq!(bits(&all.values), bits(&zeros.values));
    // A model may also read the numbers from a table.
    let table = "3,2,1,cat\n2,0,0.5,0\n4,1,0,1\n";
    assert_eq!(bits(&scene.rows("t.csv", table, &pipeline).unwrap().values), bits(&expected));
    let path = scene.write("zero.svm", "0:1 3:2\n");
    let zero = RowOptions { index_base: IndexBase::Zero, ..RowOptions::default() };
    assert_eq!(read(&path, &pipeline, &zero).unwrap().ids.len(), 1);
}

#[test]
fn rows_of_a_data_set_are_read_the_same_way() {
    let data = Builtin::Rectangles.generate(Step::HALFWAY, 3).unwrap();
    let pipeline = fit(&data);
    let test = data.split(Split::Test).unwrap();
    let options = RowOptions::default();
    let reader = RowReader::from_dataset(&data, test.clone(), &pipeline, &options).unwrap();
    let all = drain(reader.with_batch_rows(999), &pipeline).unwrap();
    assert_eq!(bits(&all.values), bits(&pipeline.transform(&data, test).unwrap()));
    assert!(all.id_name.is_none());
}

#[test]
fn a_batch_is_limited_in_size() {
    let scene = Scene::new();
    let pipeline = scene.fit(FITTED);
    let path = scene.write("b.csv", format!("fur,weight,age\n{}", "no,1,2\n".repeat(20)));
    let mut batch = RowBatch::new();
    for (most, expected) in [(0, 1), (1, 1), (7, 7), (usize::MAX, 20)] {
        let reader = RowReader::open(&path, &pipeline, &RowOptions::default()).unwrap();
        let mut reader = reader.with_batch_rows(most);
        assert!(reader.read(&mut batch).unwrap());
        assert_eq!(batch.rows(), expected);
    }
}

#[test]
fn a_file_without_rows_has_none() {
    let scene = Scene::new();
    let pipeline = scene.fit(FITTED);
    for (name, text) in [
        ("e.csv", "fur,weight,age\n"),
        (
            "e.arff",
            "@relation x\n@attribute fur {no,yes}\n@attribute weight numeric\n@attribute age numeric\n@data\n",
        ),
    ] {
        assert!(scene.rows(name, text, &pipeline).unwrap().ids.is_empty(), "{name}");
    }
}
