//! Any bytes as an ARFF file: reading never panics, and a data set that was
//! read is the same after it was written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rulebound::dataset::{ConvertFormat, ReadOptions, Source, Summary, convert};

fuzz_target!(|data: &[u8]| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("data.arff");
    std::fs::write(&path, data).expect("written");
    let options = ReadOptions::default();
    match Source::Path(path).read(&options) {
        Ok(data) => {
            let summary = Summary::new(&data);
            let out = folder.path().join("out");
            convert(&data, ConvertFormat::Mulan, &out).expect("converted");
            let again = Source::Path(out).read(&options).expect("read back");
            assert!(again == data);
            assert_eq!(Summary::new(&again), summary);
        }
        Err(error) => {
            let _ = error.to_string();
        }
    }
});
