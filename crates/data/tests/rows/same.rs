//! Rows are encoded like the data set of the same file, bit for bit.

use proptest::prelude::*;
use rulebound_core::{LabelId, Labels, Program};
use rulebound_data::dataset::{
    Column, ConvertFormat, Dataset, DatasetBuilder, DatasetError, LabelColumns, Pipeline,
    ReadOptions, RowOptions, Source, Split, convert,
};

use crate::scene::{Scene, bits, mistakes, read};

fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        -3.0..3.0f32,
        (-4i8..4).prop_map(f32::from),
        any::<u32>().prop_map(f32::from_bits).prop_filter("finite", |v| v.is_finite()),
    ]
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec!["0", "1", "yes", "no", " a", "a b", "x,y", "it's", "\"", "é"])
            .prop_map(str::to_owned),
        "[a-c{}%\t\\\\]{1,3}",
    ]
}

fn column() -> impl Strategy<Value = Column> {
    let name = prop_oneof![word(), Just("id".to_owned()), Just("a#2".to_owned())];
    let values = prop_oneof![
        prop::collection::vec(word(), 1..5),
        Just(vec!["1".to_owned(), "0".to_owned()]),
    ];
    (name, prop::option::of(values)).prop_map(|(name, values)| match values {
        None => Column::numeric(name),
        Some(values) => Column::nominal(name, values),
    })
}

/// Columns, and rows of numbers from which cells are built; every fifth is missing.
fn tables() -> impl Strategy<Value = (Vec<Column>, Vec<Vec<f32>>)> {
    prop::collection::vec(column(), 1..6).prop_flat_map(|columns| {
        let cell = prop_oneof![4 => number(), 1 => Just(f32::NAN)];
        let row = prop::collection::vec(cell, columns.len());
        (Just(columns), prop::collection::vec(row, 1..12))
    })
}

fn build(columns: &[Column], rows: &[Vec<f32>]) -> Dataset {
    let ids = vec!["name".to_owned()];
    let mut builder = DatasetBuilder::new("t", columns.to_vec(), ids, 2).unwrap();
    builder.begin(Split::Train).unwrap();
    for (place, row) in rows.iter().enumerate() {
        let cells = row.iter().zip(columns).map(|(&cell, column)| match column.values() {
            Some(values) if !cell.is_nan() => (cell.to_bits() as usize % values.len()) as f32,
            _ => cell,
        });
        let row = builder.push(&cells.collect::<Vec<_>>(), &[Some("x")]).unwrap();
        builder.labels_mut().insert(row, LabelId::new(place % 2));
    }
    let labels = Labels::new(["label one", "label two"]).unwrap();
    builder.finish(Program::new(labels, vec![]).unwrap()).unwrap()
}

/// Whether the rows of a file equal those of its data set, for a pipeline fitted on a part of it.
fn is_same(path: &std::path::Path, options: &ReadOptions) -> Result<bool, TestCaseError> {
    let Ok(data) = Source::Path(path.to_path_buf()).read(options) else {
        // Not every odd table is detected as a data set.
        return Ok(false);
    };
    let pipeline = Pipeline::fit(&data, 0..data.rows().div_ceil(2)).unwrap();
    let expected = pipeline.transform(&data, 0..data.rows()).unwrap();
    let index_base = options.index_base;
    let all = read(path, &pipeline, &RowOptions { index_base, ..RowOptions::default() });
    let all = all.unwrap_or_else(|error| panic!("{error}\n{data:?}"));
    prop_assert_eq!(bits(&all.values), bits(&expected), "{:?}", data);
    prop_assert_eq!(all.ids.len(), data.rows());
    prop_assert!(all.unseen.is_empty());
    Ok(true)
}

/// A column of words that all differ is left out of the features of an ARFF file, and here it is the only one.
#[test]
fn of_a_table_whose_only_column_is_left_out() {
    let rows =
        [[0.852_706_43], [-3.664_256_6e-31], [4.629_434_3e-10]].map(|row: [f32; 1]| row.to_vec());
    let data = build(&[Column::nominal("b", ["a b", "é", "yes"])], &rows);
    for (format, extension) in [(ConvertFormat::Mulan, "arff"), (ConvertFormat::Parquet, "parquet")]
    {
        let scene = Scene::new();
        convert(&data, format, &scene.path("")).unwrap();
        let options = ReadOptions { labels: Some(LabelColumns::Last(2)), ..ReadOptions::default() };
        is_same(&scene.path(&format!("train.{extension}")), &options).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn of_random_tables_in_every_format((columns, rows) in tables()) {
        let data = build(&columns, &rows);
        for (format, extension) in [
            (ConvertFormat::Csv, "csv"),
            (ConvertFormat::Parquet, "parquet"),
            (ConvertFormat::Mulan, "arff"),
        ] {
            let scene = Scene::new();
            convert(&data, format, &scene.path("")).unwrap();
            let labels = Some(LabelColumns::Last(2));
            let path = scene.path(&format!("train.{extension}"));
            let same = is_same(&path, &ReadOptions { labels, ..ReadOptions::default() })?;
            prop_assert!(same || format == ConvertFormat::Csv, "{}", format);
        }
    }

    #[test]
    fn of_text_with_duplicate_or_empty_names(
        names in prop::collection::vec(prop::sample::select(vec!["a", "b", "", "a#2", "id"]), 1..6),
        cells in prop::collection::vec(prop::collection::vec((number(), 0..6u8), 5), 1..9),
        is_tsv in any::<bool>(),
    ) {
        let mut writer = csv::WriterBuilder::new()
            .delimiter(if is_tsv { b'\t' } else { b',' })
            .from_writer(Vec::new());
        writer.write_record(names.iter().chain([&"label"])).unwrap();
        for row in &cells {
            let cells = row.iter().take(names.len()).enumerate().map(|(place, (cell, kind))| {
                // Some columns are nominal, and every column lacks some cells.
                match (place % 2, kind) {
                    (_, 0) => "NA".to_owned(),
                    (0, _) => format!(" {cell:e}"),
                    (_, kind) => format!("k{kind}"),
                }
            });
            writer.write_record(cells.chain(["0".to_owned()])).unwrap();
        }
        let scene = Scene::new();
        let name = if is_tsv { "t.tsv.gz" } else { "t.csv" };
        let path = scene.write(name, writer.into_inner().unwrap());
        let options =
            ReadOptions { labels: Some(LabelColumns::Last(1)), ..ReadOptions::default() };
        prop_assert!(is_same(&path, &options)?);
    }

    #[test]
    fn of_svmlight(
        rows in prop::collection::vec(
            (0..4u8, prop::collection::btree_map(0..9u32, number(), 1..6)), 1..9),
    ) {
        let mut text = String::new();
        for (label, cells) in &rows {
            let cells: Vec<_> = cells.iter().rev().map(|(at, v)| format!("{at}:{v:e}")).collect();
            text += &format!("{label} {} # x\n", cells.join(" "));
        }
        let scene = Scene::new();
        prop_assert!(is_same(&scene.write("t.svm.gz", text), &ReadOptions::default())?);
    }

    #[test]
    fn rows_are_complete_or_rejected_with_a_place(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        text in "(@relation|@attribute|@data|numeric|weight|fur|[ {}',\"\n\\\\?%@:/0-9a-c])*",
        extension in prop::sample::select(vec!["arff", "csv", "tsv", "svm", "parquet", "csv.gz"]),
    ) {
        let scene = Scene::new();
        let pipeline = scene.fit("weight,fur,cat\n4,yes,1\n6,no,0\n");
        let arff = format!(
            "@relation x\n@attribute weight numeric\n@attribute fur {{yes,no}}\n@data\n{text}"
        );
        for content in [&bytes[..], text.as_bytes(), arff.as_bytes(), format!("weight,fur\n{text}").as_bytes()] {
            let path = scene.path(&format!("x.{extension}"));
            std::fs::write(&path, content).unwrap();
            match read(&path, &pipeline, &RowOptions::default()) {
                Ok(all) => {
                    prop_assert_eq!(all.values.len(), all.ids.len() * pipeline.width());
                    prop_assert!(all.values.iter().all(|value| value.is_finite()));
                }
                Err(error @ DatasetError::Broken { .. }) => {
                    let most = content.iter().filter(|c| matches!(c, b'\n' | b'\r')).count() + 2;
                    let (kept, total) = mistakes(&error);
                    prop_assert!(total >= 1 && !kept.is_empty());
                    for mistake in kept {
                        prop_assert!((1..=most as u64).contains(&mistake.line), "{:?}", mistake);
                        prop_assert!(mistake.column >= 1, "{:?}", mistake);
                    }
                }
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }
}

mod needs_data {
    use super::*;
    use rulebound_testing::needs;

    #[test]
    #[ignore = "needs RULEBOUND_DATA"]
    fn of_the_sets_of_the_paper() {
        let folder = needs::data();
        for (name, path) in [
            ("cellcycle_FUN", "hmc/cellcycle_FUN/cellcycle_FUN.test.arff.gz"),
            ("seq_FUN", "hmc/seq_FUN/seq_FUN.test.arff.gz"),
            ("expr_GO", "hmc/expr_GO/expr_GO.test.arff.gz"),
            ("enron", "lcmc/enron/enron-test.arff.gz"),
            ("medical", "lcmc/medical/medical-test.arff.gz"),
            ("genbase", "lcmc/genbase/genbase-test.arff.gz"),
        ] {
            let data = Source::Path(folder.join(path).parent().unwrap().to_path_buf())
                .read(&ReadOptions::default())
                .unwrap();
            let pipeline = Pipeline::fit(&data, data.split(Split::Train).unwrap()).unwrap();
            let test = data.split(Split::Test).unwrap();
            let expected = pipeline.transform(&data, test.clone()).unwrap();
            let id_column = (name == "genbase").then(|| "protein".to_owned());
            let rows = RowOptions { id_column, ..RowOptions::default() };
            let all = read(&folder.join(path), &pipeline, &rows).unwrap();
            assert!(bits(&all.values) == bits(&expected), "{name}");
            assert_eq!((all.ids.len(), all.unseen.len()), (test.len(), 0), "{name}");
            if name == "genbase" {
                assert_eq!(all.ids, data.identifiers()[0].values[test]);
            }
        }
    }
}
