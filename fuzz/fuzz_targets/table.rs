//! Two bytes of settings and the rows of a CSV or TSV file, whose header is made here, so that what
//! is tried is the cells. Reading never panics; every mistake has a line of the file; a data set
//! that was read is the same after it was written and read again; and its rows are encoded as rows
//! to predict as they are in the data set.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rulebound::dataset::{
    ConvertFormat, DatasetError, LabelColumns, Pipeline, ReadOptions, RowBatch, RowOptions,
    RowReader, Source, convert,
};

fuzz_target!(|data: &[u8]| {
    let [first, second, body @ ..] = data else { return };
    let (features, labels) = (1 + usize::from(first & 7), usize::from(first >> 3 & 3));
    let (separator, name) = if second & 1 == 0 { (",", "data.csv") } else { ("\t", "data.tsv") };
    // Some features have one name, which readers make two.
    let feature = |at: usize| if second & 2 != 0 && at < 2 { "x".into() } else { format!("x{at}") };
    let header: Vec<String> =
        (0..features).map(feature).chain((0..labels).map(|at| format!("c{at}"))).collect();
    let mut text = header.join(separator).into_bytes();
    text.push(b'\n');
    text.extend_from_slice(body);

    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(name);
    std::fs::write(&path, &text).expect("written");
    let labels = if labels == 0 { LabelColumns::None } else { LabelColumns::Last(labels) };
    let options = ReadOptions { labels: Some(labels), ..ReadOptions::default() };
    let data = match Source::Path(path.clone()).read(&options) {
        Ok(data) => data,
        Err(error) => {
            let _ = error.to_string();
            if let DatasetError::Broken { mistakes, .. } = error {
                let lines = text.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() + 2;
                let is_inside = |line: u64| (1..=lines as u64).contains(&line);
                assert!(mistakes.kept().iter().all(|mistake| is_inside(mistake.line)));
            }
            return;
        }
    };
    let out = folder.path().join("out");
    convert(&data, ConvertFormat::Csv, &out).expect("converted");
    let again = Source::Path(out).read(&ReadOptions::default()).expect("read back");
    assert!(again == data);

    let Ok(pipeline) = Pipeline::fit(&data, 0..data.rows()) else { return };
    let expected = pipeline.transform(&data, 0..data.rows()).expect("its own rows");
    let mut reader =
        RowReader::open(&path, &pipeline, &RowOptions::default()).expect("read as rows");
    let columns = reader.columns().to_vec();
    // Where every column is an identifier, rows have no cells.
    if columns.is_empty() {
        return;
    }
    let encoder = pipeline.encoder(&columns).expect("the columns it was fitted on");
    let (mut batch, mut values) = (RowBatch::new(), Vec::new());
    while reader.read(&mut batch).expect("read as rows") {
        for cells in batch.cells().chunks(columns.len()) {
            let start = values.len();
            values.resize(start + encoder.width(), 0.0);
            encoder.encode(cells, &mut values[start..]);
        }
    }
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&values), bits(&expected));
});
