//! Any table, written in any format, reads back as it was.

use proptest::prelude::*;
use rulebound_core::{LabelId, Labels, Literal, Program, Rule};
use rulebound_data::dataset::{
    Column, ConvertFormat, Dataset, DatasetBuilder, ReadOptions, Source, Split, convert,
};

use crate::scene::{Scene, assert_places, cells, labels};

/// Names and values as nobody should write them, but people do.
fn odd_text() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "",
            "?",
            "NA",
            "nan",
            " ",
            " a ",
            "a b",
            "it's",
            "say \"hi\"",
            "a,b",
            "a;b",
            "{x}",
            "%",
            "@data",
            "\\",
            "\\'",
            "a\nb",
            "a\r\nb",
            "\t",
            "0",
            "1",
            "-1.5",
            "é",
            "語",
            "#",
            "x|y",
            "not",
            "a -> b",
            "\u{feff}",
            "missing1",
            "root",
            "null",
            "a\u{a0}b",
            "'",
            "\"",
            "''",
        ])
        .prop_map(str::to_owned),
        "[ -~]{0,6}",
        any::<String>(),
    ]
}

/// The split, the bits of each feature, the identifiers, which labels.
type Row = (Split, Vec<Option<u32>>, Vec<Option<String>>, Vec<bool>);

#[derive(Clone, Debug)]
struct Table {
    columns: Vec<Column>,
    identifiers: Vec<String>,
    classes: Vec<String>,
    evaluated: Vec<bool>,
    rows: Vec<Row>,
    rules: Vec<(usize, Vec<usize>)>,
}

fn column() -> impl Strategy<Value = Column> {
    let values = prop::collection::vec(odd_text(), 0..4);
    (odd_text(), prop::option::of(values)).prop_map(|(name, values)| match values {
        None => Column::numeric(name),
        Some(values) => Column::nominal(name, values),
    })
}

fn tables() -> impl Strategy<Value = Table> {
    let classes =
        prop::collection::hash_set(odd_text().prop_filter("a name", |n| !n.is_empty()), 1..70);
    (prop::collection::vec(column(), 0..5), prop::collection::vec(odd_text(), 0..3), classes)
        .prop_flat_map(|(columns, identifiers, classes)| {
            let (width, ids, count) = (columns.len(), identifiers.len(), classes.len());
            let row = (
                prop::sample::select(Split::ALL.to_vec()),
                prop::collection::vec(prop::option::of(any::<u32>()), width),
                prop::collection::vec(prop::option::of(odd_text()), ids),
                prop::collection::vec(any::<bool>(), count),
            );
            let rule = (0..count, prop::collection::vec(0..count, 0..3));
            (
                Just((columns, identifiers, classes)),
                prop::collection::vec(any::<bool>(), count),
                prop::collection::vec(row, 0..8),
                prop::collection::vec(rule, 0..5),
            )
        })
        .prop_map(|((columns, identifiers, classes), evaluated, mut rows, rules)| {
            rows.sort_by_key(|row| row.0);
            let classes = classes.into_iter().collect();
            Table { columns, identifiers, classes, evaluated, rows, rules }
        })
}

/// The data set of a table: the bits of numbers are as drawn, nominal values chosen by them.
fn build(table: &Table) -> Dataset {
    let (columns, identifiers) = (table.columns.clone(), table.identifiers.clone());
    let count = table.classes.len();
    let mut builder = DatasetBuilder::new("odd, 'name'", columns, identifiers, count).unwrap();
    let mut begun = None;
    for (split, values, texts, has) in &table.rows {
        if begun.replace(*split) != Some(*split) {
            builder.begin(*split).unwrap();
        }
        let cell = |(value, column): (&Option<u32>, &Column)| match (value, column.values()) {
            (None, _) | (_, Some([])) => f32::NAN,
            (Some(bits), None) => {
                let number = f32::from_bits(*bits);
                if number.is_finite() { number } else { -0.0 }
            }
            (Some(bits), Some(values)) => (*bits as usize % values.len()) as f32,
        };
        let features: Vec<f32> = values.iter().zip(&table.columns).map(cell).collect();
        let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
        let row = builder.push(&features, &texts).unwrap();
        for class in (0..count).filter(|&class| has[class]) {
            builder.labels_mut().insert(row, LabelId::new(class));
        }
    }
    let rules = table.rules.iter().map(|(head, body)| {
        Rule::new(LabelId::new(*head), body.iter().map(|&b| Literal::positive(LabelId::new(b))))
    });
    let labels = Labels::new(table.classes.iter().cloned()).unwrap();
    let program = Program::new(labels, rules.collect()).unwrap();
    builder.finish_with(program, table.evaluated.clone()).unwrap()
}

/// A word in one of the ways ARFF allows, chosen by `style`.
fn arff_word(text: &str, style: u8) -> String {
    let mark = if style.is_multiple_of(2) { '\'' } else { '"' };
    let mut word = String::from(mark);
    for c in text.chars() {
        match c {
            '\n' => word.push_str("\\n"),
            '\r' => word.push_str("\\r"),
            c if c == mark || c == '\\' => word.extend(['\\', c]),
            c => word.push(c),
        }
    }
    word.push(mark);
    word
}

/// Files are synced to disk, which is slow: fewer cases.
fn few() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases.div_ceil(5), ..usual }
}

proptest! {
    #![proptest_config(few())]

    #[test]
    fn converting_and_reading_back_changes_nothing(table in tables()) {
        let data = build(&table);
        for format in ConvertFormat::ALL {
            let scene = Scene::new();
            convert(&data, format, scene.root()).unwrap();
            let back = scene.read();
            let back = back.unwrap_or_else(|error| panic!("{format}: {error}\n{table:?}"));
            prop_assert!(back == data, "{format}\n{data:?}\n{back:?}");
        }
    }

    #[test]
    fn a_damaged_file_is_an_error_that_names_it_or_another_data_set(
        table in tables(),
        format in prop::sample::select(ConvertFormat::ALL.to_vec()),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let data = build(&table);
        let scene = Scene::new();
        convert(&data, format, scene.root()).unwrap();
        for entry in std::fs::read_dir(scene.root()).unwrap() {
            let path = entry.unwrap().path();
            let mut bytes = std::fs::read(&path).unwrap();
            for (place, byte) in damage.iter().filter(|_| !bytes.is_empty()).cloned().collect::<Vec<_>>() {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
            if let Some(cut) = cut.filter(|_| !bytes.is_empty()) {
                bytes.truncate(cut.index(bytes.len()));
            }
            let whole = std::fs::read(&path).unwrap();
            std::fs::write(&path, bytes).unwrap();
            if let Err(error) = scene.read() {
                let named = scene.root().to_string_lossy().into_owned();
                prop_assert!(error.to_string().contains(&named), "{error}");
            }
            std::fs::write(&path, whole).unwrap();
        }
        prop_assert!(scene.read().unwrap() == data);
    }
}

proptest! {
    #[test]
    fn dense_and_sparse_rows_of_any_dialect_say_the_same(
        table in tables(),
        styles in any::<[u8; 4]>(),
        crlf in any::<bool>(),
    ) {
        let data = build(&table);
        let end = if crlf { "\r\n" } else { "\n" };
        let name = |name: &str, place: usize| arff_word(name, styles[place % 4]);
        let mut head = format!("@RELATION 'x: -C -{}'{end}", table.classes.len());
        for (place, column) in table.columns.iter().enumerate() {
            let kind = match column.values() {
                None => "numeric".to_owned(),
                Some(values) => {
                    let values: Vec<_> = values.iter().map(|v| arff_word(v, styles[1])).collect();
                    format!("{{{}}}", values.join(" , "))
                }
            };
            head += &format!("@attribute {} {kind}{end}", name(&column.name, place));
        }
        for class in &table.classes {
            head += &format!("@attribute {}\t{{0,1}}{end}", name(class, 3));
        }
        head += &format!("@data{end}");
        let (mut dense, mut sparse) = (head.clone(), head);
        for row in 0..data.rows() {
            let mut words: Vec<String> = (0..data.columns().len())
                .map(|column| match data.value(row, column) {
                    rulebound_data::dataset::Value::Missing => "?".to_owned(),
                    rulebound_data::dataset::Value::Number(number) => format!("{number:e}"),
                    rulebound_data::dataset::Value::Nominal(value) => arff_word(value, styles[2]),
                })
                .collect();
            let absent: Vec<bool> = (0..data.columns().len())
                .map(|column| data.features(row)[column].to_bits() == 0)
                .chain(data.classes().ids().map(|id| !data.labels().contains(row, id)))
                .collect();
            for id in data.classes().ids() {
                words.push(u8::from(data.labels().contains(row, id)).to_string());
            }
            dense += &format!("{}{end}", words.join(","));
            let pairs = words.iter().enumerate().filter(|(place, _)| !absent[*place]);
            let pairs: Vec<_> = pairs.map(|(place, word)| format!("{place} {word}")).collect();
            sparse += &format!("{{{}}}{end}", pairs.join(", "));
        }
        let read = |content: &str| {
            let scene = Scene::new();
            scene.write("t.arff.gz", content);
            scene.read().unwrap_or_else(|error| panic!("{error}\n{content}"))
        };
        let (dense, sparse) = (read(&dense), read(&sparse));
        prop_assert!(dense == sparse, "{dense:?}\n{sparse:?}");
        prop_assert_eq!(dense.labels(), data.labels());
        // A column may have become an identifier; the others are unchanged.
        let kept: Vec<usize> = (0..data.columns().len())
            .filter(|&c| dense.columns().iter().any(|d| d.name == data.columns()[c].name))
            .collect();
        prop_assert_eq!(kept.len(), dense.columns().len());
        for row in 0..data.rows() {
            let expected: Vec<String> =
                kept.iter().map(|&column| cells(&data, row)[column].clone()).collect();
            prop_assert_eq!(cells(&dense, row), expected);
            prop_assert_eq!(labels(&dense, row), labels(&data, row));
        }
    }

    #[test]
    fn svmlight_reads_back(
        rows in prop::collection::vec(
            (
                prop::collection::btree_set(0..20u32, 0..4),
                prop::collection::btree_map(1..30usize, any::<u32>(), 0..6),
            ),
            1..10,
        ),
        crlf in any::<bool>(),
    ) {
        let end = if crlf { " # why\r\n" } else { "\n" };
        let number = |bits: u32| {
            let number = f32::from_bits(bits);
            if number.is_finite() { number } else { 0.5 }
        };
        let mut text = String::new();
        for (labels, cells) in &rows {
            let labels: Vec<_> = labels.iter().rev().map(u32::to_string).collect();
            let cells: Vec<_> = cells.iter().map(|(at, v)| format!("{at}:{:e}", number(*v))).collect();
            text += &format!("{} {}", labels.join(","), cells.join(" "));
            // An empty line would not be a row.
            text += &format!(" 31:1{end}");
        }
        let scene = Scene::new();
        scene.write("s.svm.gz", text);
        let options = ReadOptions {
            index_base: rulebound_data::dataset::IndexBase::One,
            ..ReadOptions::default()
        };
        let data = scene.read_with(&options).unwrap();
        prop_assert_eq!((data.rows(), data.columns().len()), (rows.len(), 31));
        for (row, (has, cells)) in rows.iter().enumerate() {
            let names: Vec<_> = has.iter().map(u32::to_string).collect();
            prop_assert_eq!(labels(&data, row), names);
            for at in 1..31 {
                let expected = cells.get(&at).map_or(0.0, |&bits| number(bits));
                prop_assert_eq!(data.features(row)[at - 1].to_bits(), expected.to_bits());
            }
        }
    }

    #[test]
    fn a_row_has_a_class_if_it_names_it_or_a_descendant(
        edges in prop::collection::vec((0..12usize, 0..12usize), 1..30),
        named in prop::collection::vec(prop::collection::vec(0..12usize, 1..4), 1..6),
    ) {
        // Edges from a lower number to a higher one have no cycle.
        let edges: Vec<(usize, usize)> = edges
            .into_iter()
            .map(|(a, b)| if a < b { (a, b) } else { (b, a + 1) })
            .chain((0..12).map(|class| (class, class + 1)).filter(|(class, _)| class % 4 == 0))
            .collect();
        let known: std::collections::BTreeSet<usize> =
            edges.iter().flat_map(|&(parent, child)| [parent, child]).collect();
        let mut list: Vec<String> = edges.iter().map(|(p, c)| format!("c{p}/c{c}")).collect();
        list.extend(known.iter().map(|class| format!("root/c{class}")));
        let mut text =
            format!("@relation g\n@attribute class hierarchical {}\n@data\n", list.join(","));
        let rows: Vec<Vec<usize>> = named
            .into_iter()
            .map(|row| row.into_iter().filter(|class| known.contains(class)).collect())
            .collect();
        for row in &rows {
            let names: Vec<_> = row.iter().map(|class| format!("c{class}")).collect();
            text += &format!("{}\n", if names.is_empty() { "?".into() } else { names.join("@") });
        }
        let scene = Scene::new();
        scene.write("g.arff", text);
        let data = scene.read().unwrap();
        let is_ancestor = |above: usize, below: usize| {
            let mut reached = vec![below];
            let mut next = 0;
            while let Some(&at) = reached.get(next) {
                next += 1;
                for &(parent, _) in edges.iter().filter(|(_, child)| *child == at) {
                    if !reached.contains(&parent) {
                        reached.push(parent);
                    }
                }
            }
            reached.contains(&above)
        };
        for (row, named) in rows.iter().enumerate() {
            let has = labels(&data, row);
            prop_assert_eq!(has.contains(&"root"), !named.is_empty());
            for &class in &known {
                let expected = named.iter().any(|&below| is_ancestor(class, below));
                prop_assert_eq!(has.contains(&format!("c{class}").as_str()), expected, "{} {}", row, class);
            }
        }
    }

    #[test]
    fn text_tables_read_back_with_detected_columns(
        rows in prop::collection::vec((prop::option::of(-1e30f32..1e30), "[b-m ,\"'\t]{1,5}[x-z]", any::<bool>()), 1..20),
        is_tsv in any::<bool>(),
        crlf in any::<bool>(),
    ) {
        let scene = Scene::new();
        let mut writer = csv::WriterBuilder::new()
            .delimiter(if is_tsv { b'\t' } else { b',' })
            .terminator(if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') })
            .from_writer(Vec::new());
        writer.write_record(["number", "text", "label"]).unwrap();
        for (number, text, label) in &rows {
            let number = number.map_or("NA".to_owned(), |number| number.to_string());
            writer.write_record([number.as_str(), text.as_str(), if *label { "1" } else { "0" }]).unwrap();
        }
        let bytes = writer.into_inner().unwrap();
        scene.write(if is_tsv { "t.tsv" } else { "t.csv" }, bytes);
        let options = ReadOptions {
            labels: Some(rulebound_data::dataset::LabelColumns::Last(1)),
            identifiers: vec!["text".into()],
            ..ReadOptions::default()
        };
        let data = scene.read_with(&options).unwrap();
        for (row, (number, text, label)) in rows.iter().enumerate() {
            let cell = data.features(row)[0];
            prop_assert_eq!((!cell.is_nan()).then_some(cell), *number);
            prop_assert_eq!(data.identifiers()[0].values[row].as_ref(), Some(text));
            prop_assert_eq!(!labels(&data, row).is_empty(), *label);
        }
    }

    #[test]
    fn every_mistake_has_a_place_in_the_file(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        text in "(@relation|@attribute|@data|[Term]|id:|is_a:|hierarchical|numeric|<label name=|/>|[ {}',\"\n\\\\?%@:/0-9a-c])*",
        extension in prop::sample::select(vec!["arff", "csv", "tsv", "svm", "parquet", "arff.gz"]),
    ) {
        let options = ReadOptions {
            labels: (extension != "arff").then_some(rulebound_data::dataset::LabelColumns::Last(1)),
            ..ReadOptions::default()
        };
        for content in [&bytes[..], text.as_bytes(), format!("@relation 'x: -C 1'\n@attribute a {{0,1}}\n{text}").as_bytes()] {
            let scene = Scene::new();
            let path = scene.path(&format!("x.{extension}"));
            std::fs::write(&path, content).unwrap();
            assert_places(content, Source::Path(path).read(&options));
            let ontology = scene.write("x.obo", content);
            assert_places(content, rulebound_data::dataset::Ontology::read(&ontology));
            scene.write("y.arff", "@relation y\n@attribute a {0,1}\n@data\n1\n");
            scene.write("y.xml", content);
            assert_places(content, scene.read_file("y.arff", &ReadOptions::default()));
        }
    }
}
