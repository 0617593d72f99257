use std::io::Write;

use super::*;
use rulebound_io::input::InputError;

fn read(name: &str, text: &str, wanted: Option<&str>) -> Result<Scores, Vec<Mistake>> {
    let (mut table, wanted) = (ResultTable::default(), wanted.map(MetricName::new));
    match table.add(name.as_ref(), text.as_bytes(), wanted.as_ref()) {
        Ok(()) => Ok(table.choose(wanted.as_ref()).unwrap()),
        Err(ResultTableError::Broken { mistakes, .. }) => Err(mistakes.kept().to_vec()),
        Err(other) => panic!("{other}"),
    }
}

fn places(name: &str, text: &str) -> Vec<(u64, usize, Problem)> {
    let mistakes = read(name, text, None).unwrap_err();
    mistakes.into_iter().map(|m| (m.line, m.column, m.problem)).collect()
}

#[test]
fn the_same_values_in_every_layout() {
    let long = "set,method,metric,value\ns,A,auprc,1\ns,B,auprc,2\nt,A,AU(PRC),3\nt,B,auprc,4\n";
    let expected = read("a.csv", long, None).unwrap();
    assert_eq!(expected.values, [[Some(1.0), Some(2.0)], [Some(3.0), Some(4.0)]]);
    assert_eq!(
        (&expected.sets[..], &expected.methods[..]),
        (&["s", "t"].map(String::from)[..], &["A", "B"].map(String::from)[..])
    );
    assert_eq!(expected.metric, Some(MetricName::new("auprc")));
    let others = [
        (
            "b.tsv",
            "Model\tnote\tDATASET\tMetric\tvalue\nA\t,\ts\tauprc\t1\nB\t\ts\tauprc\t2\nA\t\tt\tauprc\t3\nB\t\tt\tauprc\t4\n",
        ),
        ("c.csv", "\u{feff}set,A,B\r\ns,1,2\r\n\r\nt, 3 ,\"4\"\r\n"),
        ("d.csv", "metric,A,set,seed,B\nauprc,1,s,0,2\nauprc,3,t,0,4\none-error,9,t,0,9\n"),
        ("e.csv", "set,method,seed,auprc,version\ns,A,0,1,x\ns,B,0,2,x\nt,A,0,3,x\nt,B,0,4,x\n"),
        ("f.csv", "set,method,value\ns,A,1\ns,B,2\nt,A,3\nt,B,4\n"),
    ];
    for (name, text) in others {
        assert_eq!(read(name, text, Some("AUPRC")).unwrap(), expected, "{name}");
    }
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(long.as_bytes()).unwrap();
    let mut table = ResultTable::default();
    table.add("-".as_ref(), &packed.finish().unwrap(), None).unwrap();
    assert_eq!(table.choose(None).unwrap(), expected);
}

#[test]
fn files_are_put_together_and_seeds_averaged() {
    let mut table = ResultTable::default();
    table
        .add("a.csv".as_ref(), b"set,method,metric,value\ns,A,x,1\ns,A,x,2\ns,A,x,-\n", None)
        .unwrap();
    table.add("b.csv".as_ref(), b"set,B\ns,4\nt,NA\n", None).unwrap();
    table.add("c.csv".as_ref(), b"set,method,metric,value\nu,C,y,1\n", None).unwrap();
    let scores = table.choose(Some(&MetricName::new("X"))).unwrap();
    assert_eq!(scores.methods, ["A", "B"]);
    assert_eq!(scores.values, [[Some(1.5), Some(4.0)], [None, None]]);
    assert_eq!(scores.lacking()[0].methods, ["A", "B"]);
    let many = table.choose(None).unwrap_err();
    assert_eq!(many, ChooseError::ManyMetrics { metrics: vec!["x".into(), "y".into()] });
}

#[test]
fn metrics_that_are_not_there() {
    let mut table = ResultTable::default();
    assert_eq!(table.choose(None), Err(ChooseError::NoValues));
    table.add("a.csv".as_ref(), b"set,method,metric,value\ns,A,x,1\n", None).unwrap();
    let wrong = table.choose(Some(&MetricName::new("y"))).unwrap_err();
    assert_eq!(wrong, ChooseError::NoSuchMetric { wanted: "y".into(), metrics: vec!["x".into()] });
}

#[test]
fn all_mistakes_have_their_places() {
    let column = || "value".to_owned();
    let text = "set,method,value\ns,A,half\n\ns,,1\ns,A\ns,A,1,2\ns,A,inf\ns,\"A,1\ns,A,NaN\n";
    assert_eq!(
        places("a.csv", text),
        [
            (2, 3, Problem::NotANumber { column: column() }),
            (4, 2, Problem::NoName { column: "method".into() }),
            (5, 2, Problem::FieldCount { expected: 3, found: 2 }),
            (6, 4, Problem::FieldCount { expected: 3, found: 4 }),
            (7, 3, Problem::NotFinite { column: column() }),
            (8, 1, Problem::OpenQuote),
            (9, 3, Problem::NotFinite { column: column() }),
        ]
    );
}

#[test]
fn headers_that_say_too_little() {
    let header = |text: &str| {
        let found = places("a.csv", text);
        found.into_iter().map(|(_, column, problem)| (column, problem)).collect::<Vec<_>>()
    };
    assert_eq!(header("set\n"), [(1, Problem::NoMethods)]);
    assert_eq!(header("method,metric\n").len(), 2);
    assert_eq!(header("set,method\n"), [(1, Problem::NoValueColumn)]);
    assert_eq!(
        header("set,A,,A\n"),
        [(4, Problem::SameName { first: 2 }), (3, Problem::NoMethodName),]
    );
    assert_eq!(header("set,\"A\n"), [(1, Problem::OpenQuote)]);
    let wanted = read("a.csv", "set,method,auprc\ns,A,1\n", Some("seconds")).unwrap_err();
    assert_eq!(wanted[0].problem, Problem::NoMetricColumn { metric: "seconds".into() });
}

#[test]
fn what_is_no_text() {
    let add = |name: &str, bytes: &[u8]| ResultTable::default().add(name.as_ref(), bytes, None);
    let found = add("a.csv", b"set,A\n\xc3\xa4,\xff\n").unwrap_err();
    assert!(
        matches!(found, ResultTableError::Input(InputError::NotUtf8 { line: 2, column: 3, .. })),
        "{found:?}"
    );
    assert!(matches!(
        add("a.csv.gz", b"set,A\n"),
        Err(ResultTableError::Input(InputError::Gzip { .. }))
    ));
    assert!(matches!(add("a.parquet", b"PAR1..."), Err(ResultTableError::Parquet { .. })));
    assert!(matches!(add("a.csv", b"PAR1\xff"), Err(ResultTableError::Parquet { .. })));
    assert!(matches!(add("a.csv", b"\n \n"), Err(ResultTableError::NoHeader { .. })));
    let mut table = ResultTable::default();
    let absent = table.read("nowhere/at/all.csv".as_ref(), None).unwrap_err();
    assert!(matches!(absent, ResultTableError::Input(InputError::Open { .. })));
    // A file with a mistake adds nothing.
    assert!(table.add("a.csv".as_ref(), b"set,A,B\ns,1,2\nt,x,3\n", None).is_err());
    assert_eq!(table.choose(None), Err(ChooseError::NoValues));
}

#[test]
fn the_mean_of_huge_values_is_finite() {
    let scores = read("a.csv", "set,method,value\ns,A,1e308\ns,A,1.7e308\n", None).unwrap();
    assert!(scores.values[0][0].unwrap().is_finite());
}
