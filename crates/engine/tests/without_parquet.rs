//! A build without the feature `parquet`: text is read and written as ever, and a Parquet file is
//! refused with an error that says why.
#![cfg(not(feature = "parquet"))]

use rulebound::dataset::{
    Builtin, ConvertFormat, DatasetError, LabelColumns, ReadOptions, Source, Step, convert,
};
use rulebound_io::scores::{Cell, ScoreBatch, ScoreError, ScoreKind, ScoreReader, ScoreWriter};
use rulebound_io::table::TableError;

const TOLD: &str = "this build of rulebound has no Parquet support";

#[test]
fn scores_are_text() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("in.csv"), "A,note\n0.5,x\n").unwrap();
    std::fs::write(at("in.parquet"), "PAR1").unwrap();
    let open =
        |name: &str| ScoreReader::open(&at(name), ScoreKind::Probability, &["A".to_owned()], None);
    let mut reader = open("in.csv").unwrap();
    let mut batch = ScoreBatch::new();
    let mut writer = ScoreWriter::create(&at("out.tsv.gz"), &reader).unwrap();
    while reader.read(&mut batch).unwrap() {
        writer.write(&batch, &[Cell::Kept]).unwrap();
    }
    writer.commit().unwrap();
    assert!(open("out.tsv.gz").unwrap().read(&mut batch).unwrap());
    let refused = open("in.parquet").unwrap_err();
    assert!(matches!(refused, ScoreError::Table(TableError::NoParquet { .. })));
    assert!(refused.to_string().ends_with(TOLD), "{refused}");
    let refused = ScoreWriter::create(&at("out.parquet"), &reader).unwrap_err();
    assert!(refused.to_string().ends_with(TOLD), "{refused}");
    assert!(!at("out.parquet").exists());
}

#[test]
fn data_sets_are_text() {
    let folder = tempfile::tempdir().unwrap();
    let data = Builtin::ThreeClasses.generate(Step::HALFWAY, 1).unwrap();
    convert(&data, ConvertFormat::Csv, &folder.path().join("text")).unwrap();
    let back = Source::Path(folder.path().join("text")).read(&ReadOptions::default()).unwrap();
    assert!(back == data);
    let refused = convert(&data, ConvertFormat::Parquet, &folder.path().join("parquet"));
    let refused = refused.unwrap_err();
    assert!(matches!(refused, DatasetError::Table(TableError::NoParquet { .. })), "{refused}");
    std::fs::write(folder.path().join("d.parquet"), "PAR1").unwrap();
    let options = ReadOptions { labels: Some(LabelColumns::Last(1)), ..ReadOptions::default() };
    let refused = Source::Path(folder.path().join("d.parquet")).read(&options).unwrap_err();
    assert!(refused.to_string().ends_with(TOLD), "{refused}");
}
